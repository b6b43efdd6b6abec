"""The power goes at any moment: what was acknowledged before is there afterwards.

Answers are saved by a process whose system calls are recorded; each cut replays them up to a
random moment and drops an arbitrary part of what was not flushed by then.
"""

import shutil
import sqlite3
from contextlib import closing

import pytest

from raterbook.rounds import Store
from raterbook.rounds.store import database
from tests.rounds.faults import writers
from tests.rounds.faults.recorded import can_record, cuts, record

pytestmark = pytest.mark.skipif(not can_record(), reason="needs strace, and leave to trace")

WRITER = """
import os, sys
from sqlalchemy import event
from raterbook.rounds import Event, Store
from raterbook.rounds.store import database
path, journal, synchronous = sys.argv[1:]
database.has_sound_wal = lambda: journal == "wal"
if journal == "delete":
    database.keep_journal = database.journal_of
store = Store(path)
@event.listens_for(store._engine, "connect")
def settle(connection, record):
    connection.execute("PRAGMA wal_autocheckpoint = 20")  # the log goes into the file often
    if synchronous:
        connection.execute(f"PRAGMA synchronous = {synchronous}")
store.dispose()
stored = store.round("faults")
with store.write() as connection:
    assert database.journal_of(connection) == journal
acks = os.open(os.path.dirname(path) + "/acks", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for number in range(40):
    events = [
        Event(f"e{number}-{n}", f"i{(number * 3 + n) % 100}", "score", 1 + number % 5)
        for n in range(1 + number % 3)
    ] + [Event(f"n{number}", f"i{number}", "note", "because " * 200)]
    for ack in stored.save("ana", events):
        assert ack.ok
        os.write(acks, (ack.event_id + " ").encode())
"""


def recorded(folder, journal, synchronous=""):
    """The folder as it was before, and every call since."""
    there = folder / "disk"
    there.mkdir()
    writers.new_round(there / "store.sqlite", ["ana"]).store.dispose()
    with closing(sqlite3.connect(there / "store.sqlite")) as connection, connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
    before = folder / "before"
    shutil.copytree(there, before)
    return before, there, record(WRITER, there, there / "store.sqlite", journal, synchronous)


def losses(monkeypatch, folder, journal, count, synchronous=""):
    """Cuts after which an acknowledged answer was gone, and after which the file was damaged.

    Either journal is kept to, whatever this SQLite does well.
    """
    monkeypatch.setattr(database, "has_sound_wal", lambda: journal == "wal")
    before, there, calls = recorded(folder, journal, synchronous)
    lost = damaged = 0
    for left, done in cuts(calls, before, there, count):
        told = b"".join(call.data for call in done if call.path.endswith("/acks")).split()
        try:
            Store(left / "store.sqlite").dispose()
            state = writers.integrity(left / "store.sqlite")
            stored = set(writers.stored_ids(left / "store.sqlite"))
        except (ValueError, sqlite3.DatabaseError):
            state, stored = "damaged", set()
        damaged += state != "ok"
        lost += not {event.decode() for event in told} <= stored
    print(
        f"{count} power cuts, {journal}{synchronous and f' {synchronous}'}: {lost} with losses, "
        f"{damaged} with damage"
    )
    return lost, damaged


@pytest.mark.parametrize("journal", ["persist", "wal"])
def test_thirty_power_cuts_lose_nothing(monkeypatch, tmp_path, journal):
    assert losses(monkeypatch, tmp_path, journal, 30) == (0, 0)


@pytest.mark.long
@pytest.mark.parametrize("journal", ["persist", "wal"])
def test_three_hundred_power_cuts_lose_nothing(monkeypatch, tmp_path, journal):
    assert losses(monkeypatch, tmp_path, journal, 300) == (0, 0)


@pytest.mark.parametrize("journal", ["persist", "wal"])
def test_control_without_flushing_answers_are_lost(monkeypatch, tmp_path, journal):
    lost, _ = losses(monkeypatch, tmp_path, journal, 30, "OFF")
    assert lost > 0


def test_control_a_log_that_is_not_flushed_at_each_answer_loses_some(monkeypatch, tmp_path):
    lost, damaged = losses(monkeypatch, tmp_path, "wal", 30, "NORMAL")
    assert lost > 0
    assert damaged == 0


def test_control_a_deleted_journal_comes_back_unless_the_folder_is_flushed_too(
    monkeypatch, tmp_path
):
    """FULL alone loses answers here, so the store says EXTRA and keeps the journal's file."""
    lost, damaged = losses(monkeypatch, tmp_path, "delete", 60, "FULL")
    assert lost > 0
    assert damaged == 0
