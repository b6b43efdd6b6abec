"""Which journal is used, and how it is flushed."""

import sqlite3

from ratebook.rounds import Store, sqlite


def test_a_write_ahead_log_is_left_where_this_sqlite_could_damage_it(stored, monkeypatch):
    path = stored.store.path
    stored.store.dispose()
    for sound, mode in ((True, "wal"), (False, "delete")):
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode = wal")
        connection.close()
        monkeypatch.setattr(sqlite, "has_sound_wal", lambda sound=sound: sound)
        store = Store(path)
        with store.read() as connection:
            assert sqlite.journal_of(connection) == mode
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 3  # EXTRA
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        store.dispose()


def test_a_new_store_takes_the_journal_this_sqlite_does_well(tmp_path, monkeypatch):
    for sound, mode in ((True, "wal"), (False, "delete")):
        monkeypatch.setattr(sqlite, "has_sound_wal", lambda sound=sound: sound)
        store = Store(tmp_path / f"{mode}.sqlite")
        with store.read() as connection:
            assert sqlite.journal_of(connection) == mode
        store.dispose()
