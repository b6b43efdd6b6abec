"""What the database cannot do, said so that somebody can do something about it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from raterbook.rounds.model import RoundError

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
