"""Which journal is used, and how it is flushed."""

import sqlite3
from contextlib import closing

from raterbook.rounds import Store
from raterbook.rounds.store import database

ON_A_FILE = True


def test_a_write_ahead_log_is_left_where_this_sqlite_could_damage_it(stored, monkeypatch):
    path = stored.store.path
    stored.store.dispose()
    for sound, mode in ((True, "wal"), (False, "persist")):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA journal_mode = wal")
        connection.close()
        monkeypatch.setattr(database, "has_sound_wal", lambda sound=sound: sound)
        store = Store(path)
        with store.read() as connection:
            assert database.journal_of(connection) == mode
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 3  # EXTRA
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        store.dispose()


def test_a_new_store_takes_the_journal_this_sqlite_does_well(tmp_path, monkeypatch):
    for sound, mode in ((True, "wal"), (False, "persist")):
        monkeypatch.setattr(database, "has_sound_wal", lambda sound=sound: sound)
        store = Store(tmp_path / f"{mode}.sqlite")
        with store.read() as connection:
            assert database.journal_of(connection) == mode
        store.dispose()


def test_a_rollback_journal_is_kept_for_the_next_answer_and_stays_small(stored, say, monkeypatch):
    monkeypatch.setattr(database, "has_sound_wal", lambda: False)
    path = stored.store.path
    stored.store.dispose()
    Store(path).dispose()  # a newer SQLite made it with a write-ahead log
    journal = path.with_name(f"{path.name}-journal")
    journal.unlink(missing_ok=True)
    say("ana", "q0/a", "tone", 3)
    assert journal.read_bytes()[:28] == bytes(28)  # a head of zeros: there is nothing to roll back
    assert 0 < journal.stat().st_size <= database.KEPT
    with closing(sqlite3.connect(path)) as other, other:  # as another program sees it
        assert other.execute("SELECT count(*) FROM answer_event").fetchone()[0] > 0
    other.close()
