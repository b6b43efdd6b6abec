"""A consistent copy of the database, while raters work."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

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
        os.close(new_file(partial, OWNERS))  # hidden labels are in it, as in the database
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


OWNERS = 0o600  # rights: read and written by the owner alone


def new_file(path: Path, rights: int = 0o666) -> int:
    """A descriptor to write a file that is new: what stopped half-way is removed before.

    A link that somebody laid there is removed too, and never followed.
    """
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | CLOSED, rights)


NO_LINK, CLOSED = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_CLOEXEC", 0)


def _flush(path: Path) -> None:
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# What the database cannot do, said so that somebody can do something about it.


_CAUSES = {  # by the beginning of SQLite's name for the error
    "SQLITE_FULL": "{path}: the disk is full, and nothing of this step was saved: free some space, "
    "then try again; what was acknowledged before is safe.",
    "SQLITE_READONLY": "{path} is read-only, so answers cannot be saved: make the file and its "
    "folder writable for you (chmod u+w), or copy it elsewhere and name it with --db.",
    "SQLITE_CANTOPEN": "{path} cannot be opened: look whether its folder exists and is readable "
    "and writable for you, or choose another place with --db.",
    "SQLITE_BUSY": "{path} is locked by another program, and nothing was saved: close database "
    "browsers and other tools that have it open, then try again.",
    "SQLITE_LOCKED": "{path} is locked by another program, and nothing was saved: close database "
    "browsers and other tools that have it open, then try again.",
    "SQLITE_NOTADB": "{path} is not a Raterbook database: name the right file with --db, or move "
    "this one away; it was not changed.",
    "SQLITE_CORRUPT": "{path} ({size} bytes) is damaged or cut short: keep it, put the last "
    "`raterbook backup` in its place, or rescue what is readable with `sqlite3 FILE .recover`.",
    "SQLITE_IOERR": "{path} could not be read or written (an error of the disk or a size limit), "
    "and nothing of this step was saved: check the disk and its free space, then try again.",
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the database's errors into ours; everything else passes."""
    try:
        yield
    except DBAPIError as error:
        raise explanation(error, path) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise RoundError(_CAUSES["SQLITE_FULL"].format(path=path)) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise RoundError(_CAUSES["SQLITE_READONLY"].format(path=path)) from error
        raise


def explanation(error: DBAPIError, path: Path) -> RoundError:
    """What happened, and the remedy."""
    code = getattr(error.orig, "sqlite_errorname", "") or ""
    if code.startswith("SQLITE_CONSTRAINT_TRIGGER"):
        return RoundError(f"{path}: {error.orig}.")
    for beginning, message in _CAUSES.items():
        if code.startswith(beginning):
            size = os.stat(path).st_size if os.path.exists(path) else 0
            return RoundError(message.format(path=path, size=size))
    return RoundError(f"{path}: {error.orig}.")
