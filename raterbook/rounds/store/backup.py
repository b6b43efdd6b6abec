"""A consistent copy of the database, while raters work."""

from __future__ import annotations

import errno
import glob
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from sqlalchemy import Connection, Select, Table, Text, collate, func, insert, select
from sqlalchemy.exc import DBAPIError

from raterbook.protocols import parse
from raterbook.rounds.model import RoundError
from raterbook.rounds.store import postgres, rules, schema

if TYPE_CHECKING:
    from raterbook.rounds.store.store import Store


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


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """For a file that is there in full or not at all: written beside it, flushed, and put there."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(new_file(part), "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


NO_LINK, CLOSED = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_CLOEXEC", 0)


def _flush(path: Path) -> None:
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# All of a workspace, from one store to another: the same rows under the same numbers.


_AT_ONCE = 5_000


def copy_workspace(source: Store, target: Store) -> dict[str, tuple[int, str]]:
    """Of every table how many rows were copied, and their hash, the same on both sides.

    One transaction: the target holds all of it, or nothing; it must hold nothing before.
    """
    refuse_masked(source)
    with source.read() as here, target.filling() as there:
        held = [t.name for t in _tables() if t is not schema.workspace and _count(there, t)]
        if held:
            raise RoundError(
                f"{target.path} holds a workspace already ({', '.join(held[:3])}), and a copy "
                "replaces nothing: name an empty database."
            )
        if target.server is not None:
            there.exec_driver_sql("SELECT set_config('raterbook.times', 'kept', true)")
        own = here.execute(select(schema.workspace)).mappings().one()
        there.execute(schema.workspace.update().values(**own))
        for table in _tables()[1:]:
            for rows in here.execute(_in_order(here, table)).mappings().partitions(_AT_ONCE):
                there.execute(insert(table), [dict(row) for row in rows])
        if target.server is not None:
            postgres.number_on(there)
            for hash, text in there.execute(select(schema.protocol.c.hash, schema.protocol.c.text)):
                rules.write_rules(there, parse(text, source=hash[:12], stored=True))
        before, after = fingerprints(here), fingerprints(there)
        different = [name for name in before if before[name] != after[name]]
        if different:
            raise RoundError(
                f"{target.path} would not hold what {source.path} holds: "
                + "; ".join(
                    f"{name} has {before[name][0]:,} rows there and {after[name][0]:,} here"
                    for name in different
                )
                + ". Nothing was copied. On a server copy with the owner's login."
            )
        return after


def copied(source: Store, file: Path) -> tuple[Path, dict[str, tuple[int, str]]]:
    """A new file with all of a workspace, and what `copy_workspace` tells of it."""
    if file.is_dir():
        file = file / "raterbook.sqlite"
    if file.exists():
        raise RoundError(f"{file} exists already, and a copy replaces nothing: name a new file.")
    refuse_masked(source)
    target = type(source)(file)
    try:
        found = copy_workspace(source, target)
        target.dispose()
    except BaseException:
        target.dispose()
        for each in file.parent.glob(f"{glob.escape(file.name)}*"):
            each.unlink()
        raise
    return file, found


def refuse_masked(source: Store) -> None:
    if source.server is not None and source.server.is_masked():
        raise RoundError(
            f"{source.path}: a rater's login sees a part of the workspace, and this needs "
            "all of it: let a lead do it, by a lead's login."
        )


def fingerprints(connection: Connection) -> dict[str, tuple[int, str]]:
    """Of each table how many rows it has, and the SHA-256 of them in order of their keys."""
    found = {}
    for table in _tables():
        digest, count = sha256(), 0
        for row in connection.execution_options(yield_per=_AT_ONCE).execute(
            _in_order(connection, table)
        ):
            plain = [_plain(each) for each in row]
            digest.update(json.dumps(plain, ensure_ascii=False).encode() + b"\n")
            count += 1
        found[table.name] = (count, digest.hexdigest())
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return int(value) if isinstance(value, bool) else value


def _tables() -> list[Table]:
    """In an order in which rows find what they name; items before answers, which freeze them."""
    spoken = (schema.answer_event, schema.mark_event)
    rest = [t for t in schema.metadata.sorted_tables if t not in (*spoken, schema.workspace)]
    return [schema.workspace, *rest, *spoken]


def _in_order(connection: Connection, table: Table) -> Select[Any]:
    """By its key; texts by their bytes, whatever language a server sorts in."""
    bytewise = "BINARY" if connection.dialect.name == "sqlite" else "C"
    keys = [
        collate(each, bytewise) if isinstance(each.type, Text) else each
        for each in table.primary_key
    ]
    return select(table).order_by(*keys)


def _count(connection: Connection, table: Table) -> int:
    return int(connection.scalar(select(func.count()).select_from(table)) or 0)


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
def explained(path: Path | str) -> Iterator[None]:
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


def explanation(error: DBAPIError, path: Path | str) -> RoundError:
    """What happened, and the remedy."""
    if isinstance(path, str):
        return postgres.explanation(error, path)
    code = getattr(error.orig, "sqlite_errorname", "") or ""
    if code.startswith("SQLITE_CONSTRAINT_TRIGGER"):
        return RoundError(f"{path}: {error.orig}.")
    for beginning, message in _CAUSES.items():
        if code.startswith(beginning):
            size = os.stat(path).st_size if os.path.exists(path) else 0
            return RoundError(message.format(path=path, size=size))
    return RoundError(f"{path}: {error.orig}.")
