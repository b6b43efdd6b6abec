"""How SQLite is used: which journal, how often it flushes, who may wait for whom."""

from __future__ import annotations

import os
import sqlite3
import weakref
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

WAIT = 20.0  # seconds SQLite waits for programs that do not know our lock file
KEPT = 1 << 20  # bytes of a rollback journal that are kept for the next transaction


def has_sound_wal(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> bool:
    """Whether this SQLite is free of the bug that can corrupt a write-ahead log on reset.

    >>> has_sound_wal((3, 40, 1)), has_sound_wal((3, 50, 7)), has_sound_wal((3, 51, 2))
    (False, True, False)
    """
    fixed: dict[tuple[int, ...], int] = {(3, 44): 6, (3, 50): 7, (3, 51): 3}
    return version >= (3, 52) or version[2] >= fixed.get(version[:2], 1_000_000)


def journal() -> str:
    return "wal" if has_sound_wal() else "delete"


def engine_of(path: Path, wait: float = WAIT, synchronous: str = "EXTRA") -> Engine:
    """Connections to one file, usable from any thread, and safe to have in a process that forks."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),  # any character may be in a path
        connect_args={"timeout": wait, "check_same_thread": False},
        pool_size=8,
        max_overflow=-1,  # writers queue at the lock file, not here
    )

    @event.listens_for(engine, "connect")
    def _settle(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        connection.execute("PRAGMA foreign_keys = ON")
        # FULL, and with a DELETE journal also the folder: else a power cut right after COMMIT can
        # bring the deleted journal back, and SQLite would roll the committed answers back with it.
        connection.execute(f"PRAGMA synchronous = {synchronous}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        if writes and "journal" not in connection.info:
            connection.info["journal"] = keep_journal(connection)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    _engines.add(engine)
    return engine


_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


def _leave_to_parent() -> None:
    """A forked child must not use, nor close, its parent's connections."""
    for engine in list(_engines):
        engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


def journal_of(connection: Connection) -> str:
    return str(connection.exec_driver_sql("PRAGMA journal_mode").scalar())


def keep_journal(connection: Connection) -> str:
    """Overwrite a rollback journal's head instead of deleting the file: half the cost of a commit.

    It is flushed like the rest, so a power cut right after COMMIT brings nothing back.
    """
    mode = journal_of(connection)
    if mode == "wal":
        return mode
    connection.exec_driver_sql(f"PRAGMA journal_size_limit = {KEPT}")
    return str(connection.exec_driver_sql("PRAGMA journal_mode = persist").scalar())


def forget_journal(connection: Connection) -> None:
    """Leave nothing of what stood in the database before: neither in its log nor in its journal."""
    if journal_of(connection) == "wal":
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    else:
        connection.exec_driver_sql("PRAGMA journal_mode = persist")
        connection.exec_driver_sql("PRAGMA journal_mode = delete")  # from persist: it is removed
        connection.info.pop("journal", None)


def settle_journal(connection: sqlite3.Connection, mode: str | None = None) -> str:
    """Put the file into the journal mode of this SQLite, unless others are using it just now."""
    wanted = mode or journal()
    try:
        return str(connection.execute(f"PRAGMA journal_mode = {wanted}").fetchone()[0])
    except sqlite3.OperationalError:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])
