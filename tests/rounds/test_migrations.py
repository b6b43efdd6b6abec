"""Schema versions: every earlier one is brought up to date, and kept as a fixture."""

import sqlite3
from pathlib import Path

import pytest

from raterbook.rounds import Event, RoundError, Store
from raterbook.rounds.store import database, schema

ON_A_FILE = True

FIXTURES = Path(__file__).parent / "fixtures"
KEPT = sorted(FIXTURES.glob("schema-[0-9]*.sql"))


def restored(fixture, path):
    connection = sqlite3.connect(path)
    connection.executescript(fixture.read_text())
    # The marks in the file's header are not part of a dump.
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
    connection.commit()
    connection.close()
    return path


def shape(path):
    """Every table, view and trigger, without the white space of their texts."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
    connection.close()
    return {name: " ".join((sql or "").split()) for name, sql in rows if name[:7] != "sqlite_"}


def test_todays_schema_has_its_fixture():
    """It was changed without a new VERSION, a step in migrations.py and a fixture? Add them."""
    assert [path.stem for path in KEPT] == [f"schema-{n}" for n in range(1, schema.VERSION + 1)]


def test_the_schema_is_that_of_its_fixture(tmp_path, store):
    """Once it was opened: the view holds nothing, and is made anew."""
    newest = restored(KEPT[-1], tmp_path / "kept.sqlite")
    there = shape(newest)
    Store(newest)
    assert shape(newest) == shape(store.path)
    del there["current_answer"]
    assert there.items() <= shape(store.path).items()


@pytest.mark.parametrize("fixture", KEPT, ids=lambda path: path.stem)
def test_a_database_of_every_version_opens_with_the_same_answers_and_takes_more(fixture, tmp_path):
    store = Store(restored(fixture, tmp_path / "old.sqlite"))
    stored = store.round("round-01")
    frame = stored.frame(texts=True)
    frame["value"] = frame["value"].astype(object).where(frame["value"].notna(), None)
    about = frame["item"].astype(object).where(frame["item"].notna(), frame["case"])
    where = zip(about, frame["part"], frame["rater"], frame["question"])
    found = dict(zip(where, zip(frame["status"], frame["value"])))
    assert found == {
        ("q0/a", 0, "auto", "label"): ("answered", "yes"),
        ("q0/a", 0, "ana", "tone"): ("answered", "3"),
        ("q0/a", 0, "ana", "tone_comment"): ("answered", "Clear – ☃"),
        ("q0/a", 1, "ana", "correct"): ("answered", "right"),
        ("q0/a", 0, "R-seu8", "overall"): ("answered", "4.5"),
        ("q0", 0, "ana", "reference"): ("answered", "42"),
        ("q0/b", 0, "ana", "tone"): ("skipped", None),
    }
    assert stored.frame().query("question == 'tone'")["revision"].max() == 2
    assert stored.marks("ana")[stored.items()[0].ref].flagged
    assert store.replies.get("key").text == "Tone: 3"
    assert stored.save("ana", [Event("new", "q0/b", "tone", 1)])[0].ok


def old(path):
    """A made-up version 0: no confidence, no replies, and times in seconds."""
    connection = sqlite3.connect(path)
    connection.executescript((FIXTURES / "made-up-0.sql").read_text())
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
    connection.commit()
    connection.close()
    return path


def step(connection):
    connection.exec_driver_sql("ALTER TABLE answer_event ADD COLUMN confidence FLOAT")
    connection.exec_driver_sql("UPDATE answer_event SET server_time = server_time * 1000000")
    schema.reply.create(connection)


def test_a_step_runs_once_keeps_the_answers_and_leaves_a_copy(tmp_path):
    path = old(tmp_path / "old.sqlite")
    store = Store(path, steps=database.STEPS | {0: step})
    with store.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT event_id, confidence, server_time FROM answer_event"
        ).all()
        assert rows == [("e1", None, 1717243200000000)]
        assert (
            connection.scalar(
                schema.workspace.select().with_only_columns(schema.workspace.c.schema_version)
            )
            == schema.VERSION
        )
    copy = sqlite3.connect(f"{path}.schema-0")
    assert copy.execute("SELECT server_time FROM answer_event").fetchall() == [(1717243200,)]
    copy.close()
    with pytest.raises(RoundError, match="never changed"), store.write() as connection:
        connection.exec_driver_sql("DELETE FROM answer_event")
    Store(path, steps=database.STEPS | {0: step})


def test_a_step_that_fails_changes_nothing(tmp_path):
    path = old(tmp_path / "old.sqlite")
    before = shape(path)

    def broken(connection):
        step(connection)
        raise RoundError("no")

    with pytest.raises(RoundError, match="no"):
        Store(path, steps=database.STEPS | {0: broken})
    assert shape(path) == before
    assert Store(path, steps=database.STEPS | {0: step}).rounds() == []


def test_a_version_without_a_way_up_is_refused(tmp_path):
    with pytest.raises(RoundError, match="has no way from schema 0 to 1"):
        Store(old(tmp_path / "old.sqlite"))


def test_the_steps_that_ship_lead_from_every_version():
    assert sorted(database.STEPS) == list(range(1, schema.VERSION))
