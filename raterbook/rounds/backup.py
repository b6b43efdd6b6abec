"""A consistent copy of the database, while raters work."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from raterbook.rounds.model import RoundError


def copy_database(source: sqlite3.Connection, here: Path, there: Path) -> Path:
    """Copy in one step under a read lock: the copy is the database as it was at one moment.

    Written beside its final name, flushed, checked, and only then given that name, so that a
    backup that exists is whole.
    """
    if there.is_dir():
        there = there / here.name
    if there.exists():
        raise RoundError(f"{there} exists already, and a backup replaces nothing: name a new file.")
    if not there.parent.is_dir():
        raise RoundError(f"{there.parent} is no folder: make it first, or back up elsewhere.")
    partial = there.with_name(f"{there.name}.{os.getpid()}.partial")
    try:
        copy = sqlite3.connect(partial)
        try:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = delete")
            state = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
        finally:
            copy.close()
        if state != "ok":
            raise RoundError(
                f"{here} is damaged ({state}), so no backup was made: put an earlier backup in "
                f"its place, or rescue what is readable with `sqlite3 {here} .recover`."
            )
        _flush(partial)
        os.link(partial, there)  # unlike a rename, never over a file that appeared meanwhile
    except FileExistsError:
        raise RoundError(f"{there} appeared meanwhile and stays: name a new file.") from None
    except (sqlite3.Error, OSError) as error:
        raise RoundError(
            f"{there} could not be written ({error}): check the place and its free space; "
            f"{here} is untouched."
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    _flush(there.parent)
    return there


def _flush(path: Path) -> None:
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
