"""What somebody who can write beside the database, or into it, can lay there.

A database that is not as Raterbook makes it is not opened: the refusal names what is foreign,
missing or altered, and leaves the file as it was. What is written is the owner's alone, and goes
through no link.
"""

import io
import os
import sqlite3
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest import mock

from raterbook.cli import main
from raterbook.protocols import parse
from raterbook.protocols.draft import ProtocolDraft
from raterbook.reporting.folder import ReportError, put_in_place, write_whole
from raterbook.rounds import Event, ItemTable, RoundError, Store, raters
from raterbook.rounds.store import backup, database
from raterbook.workspace import Workspace
from tests.hostile.probe import Probe
from tests.rounds.conftest import SMALL, records


def made(folder):
    """A database with a round and an answer in it, that nobody has open."""
    path = folder / "data" / "raterbook.sqlite"
    store = Store(path)
    protocol = parse(SMALL, source="small.yaml")
    table = ItemTable.from_records(protocol, records())
    round = store.open("round-01", protocol, table, raters=["ana"])
    assert round.save("ana", [Event("e1", "q0/a", "label", "yes")])[0].ok
    store.dispose()
    return path


def look(path):
    """Whatever looks at a round: its protocol, what it asks, what was answered."""
    store = Store(path)
    try:
        for name in store.rounds():
            round = store.round(name)
            round.protocol  # noqa: B018
            round.frame()
            round.save("ana", [Event(None, "q0/b", "label", "yes")])
    finally:
        store.dispose()


def refused(path, *words):
    """What is wrong unless it is refused with these words, and stays as it was."""
    before = path.read_bytes()
    try:
        look(path)
    except RoundError as error:
        said = str(error)
    else:
        return "it was opened, and worked in"
    lacking = [word for word in words if word not in said]
    if lacking:
        return f"{lacking} is not in: {said}"
    if not said.isprintable():
        return f"it cannot be printed: {said!r}"
    return None if path.read_bytes() == before else "it was changed"


def changed(sql, *words):
    """The file is changed by SQL, or by a function of the connection, while nobody has it open."""

    def attack(folder):
        path = made(folder)
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(sql) if isinstance(sql, str) else sql(connection)
            connection.commit()
        return refused(path, *words)

    return attack


def behind_guards(table, *statements):
    """Change rows and put the guards back as they were, so that the schema shows nothing."""

    def change(connection):
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
        guards = connection.execute(query, (table,)).fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in guards:
            connection.execute(sql)

    return change


def rewritten(table, old, new):
    """The text of the schema changed in place, as no statement can."""

    def change(connection):
        connection.execute("PRAGMA writable_schema = ON")
        query = "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ?"
        assert connection.execute(query, (old, new, table)).rowcount == 1

    return change


def led_out(folder):
    """A crafted name of a round neither writes nor removes anything outside reports/."""
    victim = folder / "victim"
    victim.mkdir()
    (victim / "index.html").write_text("kept")
    path = made(folder)
    with closing(sqlite3.connect(path)) as connection:
        behind_guards("round", "UPDATE round SET name = './../../victim'")(connection)
        connection.commit()
    for words in (["report", "--all"], ["report", "./../../victim"], ["status"]):
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            status = main(["--workspace", str(folder), *words])
        if status != 2 or "has a round named" not in said.getvalue():
            return f"{words}: {status}, {said.getvalue()}"
    there = sorted(each.name for each in victim.iterdir())
    return None if there == ["index.html"] else f"beside the page there is {there}"


def view_of_another(folder):
    """The view people look at is made anew where it says something else, and that is said."""
    path = made(folder)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP VIEW current_answer")
        connection.execute("CREATE VIEW current_answer AS SELECT 'no' AS value")
        connection.commit()
    with redirect_stderr(io.StringIO()) as said:
        look(path)
    with closing(sqlite3.connect(path)) as connection:
        values = {row[0] for row in connection.execute("SELECT value FROM current_answer")}
    if "the view current_answer was another" not in said.getvalue():
        return f"nothing was said of it: {said.getvalue()!r}"
    return None if values == {"yes"} else f"the view says {values}"


GUARDS = [
    "answer_event_no_update",
    "answer_event_no_delete",
    "answer_event_no_replace",
    "mark_event_no_delete",
    "round_event_no_update",
    "plan_event_no_delete",
    "protocol_no_update",
    "allowed_no_update",
    "rater_no_update",
    "reply_no_replace",
    "link_no_update",
    "link_no_delete",
    "link_no_replace",
    "shown_value_frozen_update",
    "hidden_value_frozen_insert",
    "part_frozen",
    "part_retired_frozen",
]
TURNED = """CREATE TRIGGER quiet AFTER INSERT ON answer_event BEGIN
    INSERT INTO answer_event SELECT NULL, 'x' || NEW.event_id, NEW.round_id, NEW.rater_id,
        NEW.subject_id, NEW.part, NEW.question_id, NEW.replicate, NEW.status, NEW.value_id + 1,
        NULL, NULL, NULL, NULL, NULL, NULL, NEW.lamport + 1, NULL, NEW.server_time
        WHERE NEW.event_id NOT LIKE 'x%'; END"""
SCHEMA = {
    "a trigger that turns answers round": changed(TURNED, "trigger quiet is foreign", "DROP"),
    "a trigger that drops answers": changed(
        "CREATE TRIGGER quiet BEFORE INSERT ON answer_event BEGIN SELECT RAISE(IGNORE); END",
        "trigger quiet is foreign",
    ),
    "a trigger on names alone": changed(
        "CREATE TRIGGER quiet AFTER INSERT ON identity BEGIN DELETE FROM identity; END", "foreign"
    ),
    "a trigger whose name is escape codes": changed(
        'CREATE TRIGGER "\x1b[2Jgone" AFTER INSERT ON identity BEGIN SELECT 1; END', "foreign"
    ),
    "a foreign view": changed("CREATE VIEW answers AS SELECT 1", "view answers is foreign"),
    "a foreign table": changed("CREATE TABLE mine (a)", "table mine is foreign", "DROP table"),
    "an index that lets one answer in": changed(
        "CREATE UNIQUE INDEX one ON answer_event (status) WHERE client_time IS NOT NULL",
        "index one is foreign",
    ),
    "an index that fails on what it reads": changed(
        "CREATE INDEX bad ON reply (abs(-9223372036854775808 + length(text)))", "index bad"
    ),
    "an index taken away": changed("DROP INDEX answer_event_cell", "answer_event_cell is missing"),
    "an index on another column": changed(
        "DROP INDEX reply_key; CREATE INDEX reply_key ON reply (text)", "index reply_key is altered"
    ),
    "a guard that guards nothing": changed(
        "DROP TRIGGER answer_event_no_delete; CREATE TRIGGER answer_event_no_delete "
        "BEFORE DELETE ON answer_event WHEN 0 BEGIN SELECT 1; END",
        "trigger answer_event_no_delete is altered",
    ),
    "a guard on another table": changed(
        "DROP TRIGGER answer_event_no_delete; CREATE TRIGGER answer_event_no_delete "
        "BEFORE DELETE ON identity BEGIN SELECT 1; END",
        "trigger answer_event_no_delete is altered",
    ),
    "all guards gone": changed(
        lambda c: [
            c.execute(f"DROP TRIGGER {name}")
            for (name,) in c.execute(
                "SELECT name FROM sqlite_master WHERE type='trigger'"
            ).fetchall()
        ],
        "is missing",
    ),
    "a check taken out of the text": changed(
        rewritten("answer_event", "confidence BETWEEN 0 AND 100", "1"),
        "table answer_event is altered",
    ),
    "a reference taken out of the text": changed(
        rewritten("mark_event", "FOREIGN KEY(rater_id) REFERENCES rater (id)", "CHECK (1)"),
        "table mark_event is altered",
    ),
    "a column more": changed(
        "ALTER TABLE reply ADD COLUMN note TEXT DEFAULT (randomblob(9))", "table reply is altered"
    ),
    "a column by another name": changed(
        "DROP VIEW current_answer; ALTER TABLE erasure RENAME COLUMN reason TO why", "erasure is"
    ),
    "a table taken away": changed("DROP TABLE erasure", "table erasure is missing"),
    "a view in a table's place": changed(
        "DROP TABLE erasure; CREATE VIEW erasure AS SELECT 1 AS rater_id, 'x' AS reason, 1 AS at",
        "view erasure is foreign",
    ),
    "a table in the view's place": changed(
        "DROP VIEW current_answer; CREATE TABLE current_answer (value)",
        "table current_answer is foreign",
    ),
    "a schema that is no SQL": changed(
        rewritten("answer_event", "CREATE TABLE answer_event", "CREATE TABLE ("), "damaged"
    ),
    "the mark of another program": changed("PRAGMA application_id = 7", "another program"),
    "a version of the future": changed(
        "UPDATE workspace SET schema_version = 99", "newer Raterbook"
    ),
    "a version from before there were links": changed(
        "UPDATE workspace SET schema_version = 1", "has links already"
    ),
    "the links taken away": changed("DROP TABLE link", "table link is missing"),
    "a version that never was": changed("UPDATE workspace SET schema_version = -1", "no way"),
    "the view people look at": view_of_another,
}
ROUNDS = {
    "a way out": "./../../victim",
    "the folder above": "..",
    "a place of its own": "/etc/cron.d",
    "a folder below": "a/b",
    "nothing": "",
    "a line break": "round-01\nround-02",
}
CONTENT = {
    "a protocol's text": changed(
        behind_guards("protocol", "UPDATE protocol SET text = replace(text, 'Which?', 'Both?')"),
        "not the one it was opened with",
    ),
    "a protocol's hash": changed(
        behind_guards(
            "protocol",
            "PRAGMA foreign_keys = OFF",
            "UPDATE protocol SET hash = 'f' || substr(hash, 2)",
            "UPDATE protocol SET name = 'small'",
        ),
        "somebody changed",
    ),
    "answers that change places": changed(
        behind_guards(
            "allowed",
            "UPDATE allowed SET value = '?' WHERE value = 'yes'",
            "UPDATE allowed SET value = 'yes' WHERE value = 'no'",
            "UPDATE allowed SET value = 'no' WHERE value = '?'",
        ),
        "“label”",
        "somebody changed",
    ),
    "an answer more": changed(
        "INSERT INTO allowed (question_id, position, value) SELECT question_id, 9, 'maybe' "
        "FROM allowed WHERE value = 'yes'",
        "“label”",
    ),
    "a question by another name": changed(
        behind_guards("question", "UPDATE question SET name = 'lable' WHERE name = 'label'"),
        "“label”",
    ),
}


# Who may read it.


@contextmanager
def open_to_all():
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def wide(*paths):
    """Those of the files that others than the owner have a right to, in words."""
    found = [f"{path.name} {path.stat().st_mode & 0o777:o}" for path in paths]
    return ", ".join(each for each in found if not each.endswith("00")) or None


def rights_of(files):
    """Of what `files(path)` names, once a database was made where nothing is masked."""

    def attack(folder):
        with open_to_all():
            found = [wide(each) for each in files(made(folder))]  # while it is there
        return (", ".join(filter(None, found)) or None) if found else "there is no such file"

    return attack


def journals(path):
    """What SQLite keeps beside it in either mode, in the middle of a transaction."""
    for mode in ("wal", "persist"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE workspace SET created_at = 1")
            connection.execute("COMMIT")
            yield from path.parent.glob("*.sqlite-*")


def earlier(rights):
    """A database that an earlier version left open to others is narrowed, with a word."""

    def attack(folder):
        path = made(folder)
        path.chmod(rights)
        with redirect_stderr(io.StringIO()) as said:
            look(path)
        if f"rights {rights:o}" not in said.getvalue():
            return f"it said {said.getvalue()!r}"
        return wide(path)

    return attack


def of_another(folder):
    """Of somebody else's database only a word can be said."""
    path = made(folder)
    path.chmod(0o644)
    with redirect_stderr(io.StringIO()) as said, mock.patch("os.geteuid", return_value=12345):
        look(path)
    return None if "chmod 600" in said.getvalue() else f"it said {said.getvalue()!r}"


def quiet(folder):
    path = made(folder)
    with redirect_stderr(io.StringIO()) as said:
        look(path)
    return said.getvalue() or None


RIGHTS = {
    "a new database": rights_of(lambda path: [path]),
    "its locks": rights_of(lambda path: path.parent.glob("*.lock*")),
    "its journals": rights_of(journals),
    "its backup": rights_of(lambda path: [Store(path).backup(path.with_name("copy.sqlite"))]),
    "one that everybody could read": earlier(0o644),
    "one that everybody could write": earlier(0o666),
    "one that a group could read": earlier(0o640),
    "one of another user": of_another,
    "one that is the owner's alone, without a word": quiet,
}


# Links that lead elsewhere.


def linked(place, write, there=True):
    """A link laid at `place(path)` before `write(path)`: what it leads to stays as it is."""

    def attack(folder):
        path = made(folder)
        victim = folder / "victim"
        if there:
            victim.write_text("precious")
        where = place(path)
        where.unlink(missing_ok=True)
        where.symlink_to(victim)
        with suppress(RoundError, ReportError):
            write(path)
        if not there:
            return "a file was made where the link leads" if victim.exists() else None
        return None if victim.read_bytes() == b"precious" else "what the link leads to was written"

    return attack


def beside(ending):
    return lambda path: path.with_name(path.name + ending)


def export(path, name="answers.csv"):
    place = Workspace(path.parents[1])
    place.round("round-01").export(path.with_name(name))


def copied(path):
    store = Store(path)
    store.backup(path.with_name("copy.sqlite"))


def numbers(path):
    """What a notebook keeps beside itself."""
    Workspace(path.parents[1]).round("round-01").read().save(path.parent)


def draft(path):
    ProtocolDraft("own").write(path.with_name("own.yaml"))


def drafts(name):
    return lambda path: path.with_name(f".{name}.{os.getpid()}")


def page_into_link(folder):
    """A round's folder of pages that is a link: what it leads to is not taken along."""
    victim, reports = folder / "victim", folder / "reports"
    victim.mkdir()
    (victim / "precious").write_text("precious")
    work = reports / ".round-01-x"
    work.mkdir(parents=True)
    (reports / "round-01").symlink_to(victim)
    with suppress(ReportError):
        put_in_place(work, reports / "round-01")
    return None if [each.name for each in victim.iterdir()] == ["precious"] else "it was emptied"


LINKS = {
    "a link for the database": linked(lambda path: path, look),
    "a link to no database yet": linked(lambda path: path, look, there=False),
    "a link for its lock": linked(beside(".lock"), look, there=False),
    "a link for its gate": linked(beside(".lock.gate"), look, there=False),
    "a link for its journal": linked(beside("-journal"), look),
    "a link for its log": linked(beside("-wal"), look),
    "a link for a backup": linked(lambda path: path.with_name("copy.sqlite"), copied, there=False),
    "a link for half a backup": linked(
        lambda path: path.with_name(f"copy.sqlite.{os.getpid()}.partial"), copied
    ),
    "a link for half an export": linked(drafts("answers.csv"), export),
    "a link for an export": linked(lambda path: path.with_name("answers.csv"), export),
    **{
        f"a link for {name}": linked(lambda path, name=name: path.with_name(name), numbers)
        for name in ("numbers.json", "numbers.csv")
    },
    "a link for half of numbers.json": linked(drafts("numbers.json"), numbers),
    "a link for a protocol's schema": linked(
        lambda path: path.with_name("protocol.schema.json"), draft, there=False
    ),
    "a link for half a page": linked(
        drafts("index.html"), lambda path: write_whole(path.with_name("index.html"), "x")
    ),
    "a link for the folder of a page": page_into_link,
}


# Whose workspace it is.


@contextmanager
def inside(folder):
    before = Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stderr(io.StringIO()) as said:
            yield said
    finally:
        os.chdir(before)


def found_above(folder):
    """The database of a folder above is taken with a word."""
    path = made(folder)
    (folder / "a" / "b").mkdir(parents=True)
    with inside(folder / "a" / "b") as said:
        taken = Workspace().path
    if taken != folder:
        return f"{taken} was taken"
    return None if str(path) in said.getvalue() else f"it said {said.getvalue()!r}"


def somebody_elses_above(folder):
    made(folder)
    (folder / "mine").mkdir()
    with inside(folder / "mine") as said, mock.patch("os.geteuid", return_value=12345):
        taken = Workspace().path
    if taken == folder:
        return "it was taken"
    return None if "was not taken" in said.getvalue() else f"it said {said.getvalue()!r}"


def found_here(folder):
    made(folder)
    with inside(folder) as said:
        taken = Workspace().path
    return None if (taken, said.getvalue()) == (folder, "") else f"{taken}: {said.getvalue()}"


PLACES = {
    "a database of a folder above": found_above,
    "somebody else's of a folder above": somebody_elses_above,
    "one of this folder, without a word": found_here,
}

PROBES = [
    *(
        Probe(
            f"without {name}", changed(f"DROP TRIGGER {name}", f"trigger {name} is missing"), "X12"
        )
        for name in GUARDS
    ),
    *(Probe(name, attack, "X12") for name, attack in SCHEMA.items()),
    *(
        Probe(
            f"a round named {name}",
            changed(
                behind_guards("round", f"UPDATE round SET name = '{text}'"), "has a round named"
            ),
            "X8",
        )
        for name, text in ROUNDS.items()
    ),
    Probe("a round named a way out, reported", led_out, "X8"),
    *(Probe(name, attack, "X12") for name, attack in CONTENT.items()),
    *(Probe(name, attack, "X12") for name, attack in RIGHTS.items()),
    *(Probe(name, attack, "X12") for name, attack in LINKS.items()),
    *(Probe(name, attack, "X12") for name, attack in PLACES.items()),
]


def without(guard, instead, attack):
    def control(folder):
        with mock.patch.object(*guard, instead):
            return attack(folder)

    return control


def followed(path, rights=0o666):
    """As files were opened before: a link is followed."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, rights)


CONTROLS = [
    Probe(
        "a trigger, nobody looks",
        without(
            (database, "verify"),
            lambda *_, **__: None,
            SCHEMA["a trigger that turns answers round"],
        ),
    ),
    Probe(
        "a guard gone, nobody looks",
        without((database, "verify"), lambda *_, **__: None, changed("DROP TRIGGER part_frozen")),
    ),
    Probe(
        "a round's name, nobody looks",
        without(
            (raters, "check_round"),
            lambda *_: None,
            without(
                (Store, "_verify"),
                lambda *_: None,
                changed(behind_guards("round", "UPDATE round SET name = '..'")),
            ),
        ),
    ),
    Probe(
        "rights as the system gives them",
        without(
            (database, "claim"),
            lambda path: None,
            without((database, "narrow"), lambda path: None, RIGHTS["a new database"]),
        ),
    ),
    Probe(
        "a link that is followed",
        without((backup, "new_file"), followed, LINKS["a link for half an export"]),
    ),
    Probe(
        "a backup's link that is followed",
        without((backup, "new_file"), followed, LINKS["a link for half a backup"]),
    ),
    Probe(
        "a folder above without a word",
        without(
            (__import__("raterbook.workspace", fromlist=["x"]), "_is_taken"),
            lambda _: True,
            found_above,
        ),
    ),
]
