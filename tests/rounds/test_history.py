"""The chain over all events: what was changed by hand is found, and located."""

import json
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256

import pytest

from raterbook.cli import main
from raterbook.rounds import Event, Store
from raterbook.rounds.store import schema
from raterbook.rounds.store.chain import SOURCES, VALUES
from raterbook.rounds.store.history import walk
from tests.hostile.database import behind_guards
from tests.rounds.test_migrations import FIXTURES, restored

TABLES = {source.table.name: source for source in SOURCES.values()}


@pytest.fixture
def path(kept, tmp_path):
    return shutil.copyfile(kept, tmp_path / "raterbook.sqlite")


@pytest.fixture
def verify(path, capsys):
    """The exit status of `raterbook verify`, and what it says."""

    def run(*words):
        status = main(["--db", str(path), "verify", *words])
        return status, capsys.readouterr().out

    return run


def by_hand(path, table, *statements):
    """With another program, the guards put back as they were."""
    with closing(sqlite3.connect(path)) as connection:
        behind_guards(table, *statements)(connection)
        connection.commit()


def rows(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def changed(connection, table, *statements):
    """What a walk finds where the statements were run; nothing of it stays."""
    connection.execute("BEGIN")
    try:
        behind_guards(table, *statements)(connection)
        return walk(connection).findings
    finally:
        connection.execute("ROLLBACK")


@pytest.fixture
def connection(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        yield connection


def test_what_nobody_changed_is_as_it_was_written(verify, path):
    status, said = verify()
    assert status == 0, said
    assert "each as it was written" in said
    assert Store(path).head().digits in said


def test_every_table_of_events_has_rows_and_each_row_a_link(path):
    links = dict(rows(path, "SELECT source, count(*) FROM link GROUP BY source"))
    there = {
        n: rows(path, f"SELECT count(*) FROM {s.table.name}")[0][0] for n, s in SOURCES.items()
    }
    assert {n: links.get(n, 0) for n in SOURCES} == there
    assert all(there.values())


def test_every_table_is_linked_or_is_known_to_change():
    others = {table.name for table in schema.metadata.sorted_tables} - set(TABLES)
    # A protocol is held by its hash, values by a text of theirs, the workspace by the first mark.
    assert others == {"protocol", "shown_value", "hidden_value", "identity", "workspace", "link"}


def test_a_link_is_made_as_the_text_beside_it_says(path):
    """Again, without any of our code: the first mark, and an answer with a decimal."""
    made, secret = rows(path, "SELECT created_at, secret FROM workspace")[0]
    first = sha256(bytes(32) + f"found;0;{made};{len(secret)}:{secret};".encode()).digest()
    assert rows(path, "SELECT hash FROM link WHERE n = 0") == [(first,)]
    ((n, kept, *row),) = rows(
        path,
        "SELECT n, hash, answer_event.* FROM link JOIN answer_event ON seq = event "
        "WHERE source = 14 AND event_id = 'e4'",
    )
    seq, event_id, round_, rater, subject, part, question, replicate, status, value_id = row[:10]
    number, text, reason, confidence, seconds, shown_as, lamport, client, server = row[10:]
    assert (value_id, text, reason, confidence, shown_as, client) == (None,) * 6
    said = f"answer_event;{seq};2:{event_id};{round_};{rater};{subject};{part};{question};"
    said += f"{replicate};{len(status)}:{status};-;-;-;-;{lamport};-;{server};"
    assert (number, seconds) == (4.5, 2.25)
    said += "4012000000000000;-;4002000000000000;"
    ((before,),) = rows(path, f"SELECT hash FROM link WHERE n = {n - 1}")
    assert kept == sha256(before + said.encode()).digest()


@pytest.mark.parametrize("table", TABLES)
def test_a_row_with_any_column_changed_is_found_and_named(table, connection):
    source = TABLES[table]
    (first,) = connection.execute(f"SELECT {source.key} FROM {table} AS t LIMIT 1").fetchone()
    missed = []
    for column in source.table.c:
        another = f"coalesce({column.name} || 'x', 'x')"
        if not hasattr(column.type, "length"):  # no text
            another = f"coalesce({column.name}, 0) + 100"
        change = f"UPDATE {table} AS t SET {column.name} = {another} WHERE {source.key} = {first}"
        found = changed(connection, table, change)
        named = [each for each in found if f"{source.word} {first:,}" in each.said]
        if not named or named[0].n != found[0].n:
            missed.append((column.name, found))
    assert missed == []


@pytest.mark.parametrize("table", TABLES)
def test_a_row_taken_out_is_found_and_named(table, connection):
    source = TABLES[table]
    (first,) = connection.execute(f"SELECT {source.key} FROM {table} AS t LIMIT 1").fetchone()
    found = changed(connection, table, f"DELETE FROM {table} AS t WHERE {source.key} = {first}")
    assert f"{source.word} {first:,} was removed; it stood after" in found[0].said


@pytest.mark.parametrize("table", TABLES)
def test_a_row_put_in_is_found_and_named(table, connection):
    """At the end, where the next writer would go on."""
    source = TABLES[table]
    names = [column.name for column in source.table.c]
    fresh = {
        name: f"(SELECT max({name}) FROM {table}) + 1"
        for name in source.by
        if source.rising or name in ("part_id", "rater_id")
    }
    fresh |= {
        name: f"'new ' || {name}"
        for name in ("event_id", "name", "ref", "pseudonym", "key", "value")
        if name in names and name not in fresh and not (table == "reply" and name == "key")
    }
    if table == "part":
        fresh["number"] = "99"
    values = ", ".join(fresh.get(name, name) for name in names)
    into = f"INSERT INTO {table} SELECT {values} FROM {table} LIMIT 1"
    found = changed(connection, table, into)
    assert [source.word in each.said and "has no link" in each.said for each in found] == [True]


@pytest.mark.parametrize("table", [name for name, each in TABLES.items() if each.rising])
def test_two_rows_that_change_places_are_found(table, connection):
    (key,) = TABLES[table].by
    query = f"SELECT {key} FROM {table} ORDER BY {key} LIMIT 2"
    (one,), (two,) = connection.execute(query).fetchall()
    found = changed(
        connection,
        table,
        f"UPDATE {table} SET {key} = -1 WHERE {key} = {one}",
        f"UPDATE {table} SET {key} = {one} WHERE {key} = {two}",
        f"UPDATE {table} SET {key} = {two} WHERE {key} = -1",
    )
    words = [f"{TABLES[table].word} {each}" for each in (one, two)]
    assert [word in each.said for word, each in zip(words, found)] == [True, True]


def test_a_changed_answer_is_told_with_round_item_question_rater_and_time(path, verify):
    by_hand(path, "answer_event", "UPDATE answer_event SET value_id = value_id + 1 WHERE seq = 7")
    ((at,),) = rows(
        path,
        "SELECT strftime('%Y-%m-%dT%H:%M:%S', server_time / 1000000, 'unixepoch')"
        " FROM answer_event WHERE seq = 7",
    )
    ((who,),) = rows(path, "SELECT pseudonym FROM rater WHERE id = 2")
    status, said = verify()
    assert status == 1
    first = said.splitlines()[0]
    assert f"first that is not: answer 7 (round-01, item q0/a, tone, rater 2 ({who}), {at}" in first
    assert len([line for line in said.splitlines() if "Also" in line]) == 0


def test_a_time_moved_by_a_microsecond_is_found(path, verify):
    by_hand(path, "mark_event", "UPDATE mark_event SET server_time = server_time + 1 WHERE seq = 2")
    status, said = verify()
    assert (status, "mark 2 (round-01" in said) == (1, True)


@pytest.mark.parametrize("table", ["shown_value", "hidden_value"])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE {} SET value = 'other' WHERE subject_id = 2 AND name IN ('model', 'text')",
        "DELETE FROM {} WHERE subject_id = 2",
        "INSERT INTO {} VALUES (2, 0, 'extra', 'x')",
    ],
)
def test_what_an_item_shows_or_hides_is_part_of_the_history(table, change, path, verify):
    by_hand(path, table, change.format(table))
    status, said = verify()
    assert (status, "the values of subject 2 (round-01" in said) == (1, True), said


def test_an_item_changed_after_its_answers_is_told_even_with_a_link(path, verify):
    """As the program itself would write it, were it not refused."""
    store = Store(path)
    with store.write() as connection:
        connection.exec_driver_sql("DROP TRIGGER shown_value_frozen_update")
        connection.exec_driver_sql("UPDATE shown_value SET value = 'other' WHERE subject_id = 2")
        connection.info["raterbook_touched"] = {2}
        guards = schema.sqlite_guards()
        connection.exec_driver_sql(next(g for g in guards if "shown_value_frozen_update" in g))
    store.dispose()
    status, said = verify()
    assert (status, "were changed when there were answers already" in said) == (1, True), said


def test_an_item_changed_before_its_answers_is_no_change(path, verify):
    """The fixture did: its links tell of both writings."""
    ((many,),) = rows(
        path, f"SELECT count(*) FROM link WHERE source = {VALUES} AND event % 1048576"
    )
    assert many > 0
    assert verify()[0] == 0


LAST = "(SELECT max(n) FROM link)"
LINKS = {
    "a hash": (["UPDATE link SET hash = zeroblob(32) WHERE n = 30"], "its link was changed"),
    "a bit": (
        ["UPDATE link SET hash = unhex('ff') || substr(hash, 2) WHERE n = 30"],
        "its link was changed",
    ),
    "what it is of": (["UPDATE link SET event = 9999 WHERE n = 30"], "was removed"),
    "the source": (["UPDATE link SET source = 77 WHERE n = 30"], "link 30: removed"),
    "its place": (["UPDATE link SET n = 999999 WHERE n = 30"], "link 30: removed"),
    "one link": (["DELETE FROM link WHERE n = 30"], "link 30: removed, between"),
    "three links": (["DELETE FROM link WHERE n BETWEEN 30 AND 32"], "link 30 to 32: removed"),
    "one too many": (
        [f"INSERT INTO link SELECT {LAST} + 1, 14, 9999, hash FROM link WHERE n = {LAST}"],
        "answer 9,999 was removed",
    ),
    "none left": (["DELETE FROM link"], "has no links yet"),
}


@pytest.mark.parametrize("name", LINKS)
def test_links_changed_by_hand_are_found(name, path, verify):
    statements, words = LINKS[name]
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("unhex", 1, bytes.fromhex)
        behind_guards("link", *statements)(connection)
        connection.commit()
    head = "0" * 64
    status, said = verify("--head", head)
    assert (status, words in said) == (1, True), said


def test_an_answer_put_in_by_hand_is_still_told_when_others_were_saved_after_it(path, verify):
    by_hand(
        path,
        "answer_event",
        "INSERT INTO answer_event SELECT NULL, 'forged', round_id, rater_id, subject_id, part, "
        "question_id, 2, status, value_id, number, text, reason, confidence, seconds, shown_as, "
        "lamport + 1, client_time, server_time FROM answer_event WHERE event_id = 'e0'",
    )
    (forged,) = rows(path, "SELECT seq FROM answer_event WHERE event_id = 'forged'")
    store = Store(path)
    assert store.round("round-01").save("ana", [Event("new", "q1/a", "tone", 1)])[0].ok
    store.dispose()
    status, said = verify()
    assert status == 1
    assert f"answer {forged[0]} (" in said.splitlines()[0]
    assert "inserted by other means" in said.splitlines()[0]


def cut(path, events=1):
    """The newest answers and their links are gone."""
    for _ in range(events):
        by_hand(path, "answer_event", "DELETE FROM answer_event WHERE seq = (SELECT max(seq) FROM "
                                      "answer_event)")  # fmt: skip
        by_hand(path, "link", "DELETE FROM link WHERE n = (SELECT max(n) FROM link)")


@pytest.fixture
def answered(path):
    """The newest event is an answer; the head as it was then."""
    store = Store(path)
    assert store.round("round-01").save("ana", [Event("last", "q1/b", "tone", 1)])[0].ok
    head = store.head()
    store.dispose()
    return head


def run_json(folder, head):
    file = folder / "run.json"
    file.write_text(json.dumps({"history": {"head": head.digits, "links": head.links}}))
    return file


def test_the_newest_taken_out_with_its_link_is_found_beside_the_head(path, verify, answered):
    cut(path)
    status, said = verify("--head", answered.digits[:16])
    assert (status, "the newest events were removed" in said) == (1, True)
    file = run_json(path.parent, answered)
    status, said = verify("--against", str(file))
    assert status == 1
    assert f"recorded head is link {answered.links:,}, and here are {answered.links - 1:,}" in said


def test_without_the_head_nothing_shows_that_the_newest_is_gone_and_that_is_said(
    path, verify, answered
):
    cut(path)
    status, said = verify()
    assert (status, "shows only beside a head written down before" in said) == (0, True)


def rewritten(path):
    """An answer is another, and the whole chain is made anew by our own code."""
    by_hand(path, "answer_event", "UPDATE answer_event SET value_id = value_id + 1 WHERE seq = 7")
    by_hand(path, "link", "DELETE FROM link")
    store = Store(path)
    with store.write():
        pass
    store.dispose()


def test_a_history_written_anew_is_found_beside_the_head_alone(path, verify, answered):
    rewritten(path)
    assert verify()[0] == 0
    status, said = verify("--head", answered.digits)
    assert (status, "written anew" in said) == (1, True)


def test_a_head_of_before_stands_in_the_history_that_went_on(path, verify, answered):
    store = Store(path)
    for number in range(3):
        store.round("round-01").save("ana", [Event(f"more{number}", "q2/a", "tone", 1)])
    store.dispose()
    status, said = verify("--against", str(run_json(path.parent, answered)))
    assert status == 0
    assert f"link {answered.links:,} of {answered.links + 3:,}; 3 links came since" in said


def went_on(path, copy, event):
    store = Store(copy)
    assert store.round("round-01").save("ana", [Event(event, "q2/b", "tone", 2)])[0].ok
    store.dispose()


def test_a_copy_and_its_original_that_both_went_on_are_told_apart_at_the_event(path, verify):
    copy = shutil.copyfile(path, path.with_name("copy.sqlite"))
    n = Store(path).head().links
    status, said = verify("--against", str(copy))
    assert (status, f"Both have the same {n:,} links" in said) == (0, True)
    went_on(path, copy, "there")
    status, said = verify("--against", str(copy))
    assert (status, "the other has 1 more" in said) == (0, True)
    went_on(path, path, "here")
    status, said = verify("--against", str(copy))
    assert status == 1
    assert f"They part at link {n + 1:,}: here answer" in said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--head", "xyz"], "is no head"),
        (["--head", "abc"], "12 to 64 digits"),
        (["--against", "nowhere.json"], "is no file"),
    ],
)
def test_a_head_that_is_none_is_refused(words, reason, path, capsys):
    assert main(["--db", str(path), "verify", *words]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"history": null}', '{"history": {}}'])
def test_a_file_without_a_head_is_refused(text, path, capsys):
    file = path.with_name("run.json")
    file.write_text(text)
    assert main(["--db", str(path), "verify", "--against", str(file)]) == 2
    assert "names no head" in capsys.readouterr().err


def test_a_rater_who_is_forgotten_changes_no_link(path, verify):
    store = Store(path)
    before = store.head()
    pseudonym = store.erase("ana", "asked to be")
    store.dispose()
    assert (verify()[0], Store(path).recorded(before.digits).fits) == (0, True)
    assert b"ana\x00" not in path.read_bytes()
    assert pseudonym in {rater.name for rater in Store(path).raters()}


def test_a_name_is_in_no_text_that_is_linked(path, verify):
    """So that a name can be erased, another one in its place is no change of what was said."""
    by_hand(path, "identity", "UPDATE identity SET name = 'another' WHERE name = 'ana'")
    assert verify()[0] == 0


def test_a_database_of_before_is_linked_on_its_first_writing_and_that_is_said(tmp_path, capsys):
    path = restored(FIXTURES / "schema-1.sql", tmp_path / "old.sqlite")
    assert main(["--db", str(path), "verify"]) == 0
    assert "has no links yet" in capsys.readouterr().out
    assert Store(path).round("round-01").save("ana", [Event("new", "q0/b", "tone", 1)])[0].ok
    assert main(["--db", str(path), "verify"]) == 0
    assert "53 events came before links were kept" in capsys.readouterr().out


def test_a_database_of_before_that_cannot_be_written_can_still_be_read(tmp_path, monkeypatch):
    path = restored(FIXTURES / "schema-1.sql", tmp_path / "old.sqlite")
    path.chmod(0o600)
    before = path.read_bytes()
    monkeypatch.setattr("os.access", lambda *_: False)
    store = Store(path)
    assert len(store.round("round-01").frame()) == 6
    assert store.head() is None
    store.dispose()
    assert path.read_bytes() == before


def test_status_ends_in_the_head(path, capsys):
    assert main(["--db", str(path), "status", "round-01"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"History: {Store(path).head()}"


def test_a_rehearsal_leaves_no_link(path, verify):
    store = Store(path)
    before = store.head()
    with store.rehearsal():
        store.round("round-01").close()
    assert store.head() == before
    store.dispose()
    assert verify()[0] == 0


def test_an_altered_protocol_is_told(path, verify):
    by_hand(path, "protocol", "UPDATE protocol SET text = replace(text, 'How is', 'Was')")
    status, said = verify()
    assert (status, "protocol is not the one it was opened with" in said) == (1, True)
