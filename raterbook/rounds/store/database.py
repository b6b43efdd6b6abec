"""How SQLite is used: which journal, how often it flushes, who may wait for whom."""

from __future__ import annotations

import os
import sqlite3
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, inspect

from raterbook.rounds.model import ALTERED, RoundError, listed, shown
from raterbook.rounds.store import schema
from raterbook.rounds.store.backup import NO_LINK, OWNERS
from raterbook.rounds.store.postgres import is_address

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


def _url(path: Path) -> URL:
    """The file. A write-ahead log makes a file of its own even to be read; where none can be made,
    and none lies there, the database is opened as one that nobody changes."""
    if not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists():
        with suppress(OSError), path.open("rb") as file:
            if file.read(19)[18:] == b"\2":  # the format to write in: a log
                fixed = {"immutable": "1", "uri": "true"}
                return URL.create("sqlite", database=f"file:{quote(str(path))}", query=fixed)
    return URL.create("sqlite", database=str(path))  # any character may be in a path


def engine_of(path: Path, wait: float = WAIT, synchronous: str = "EXTRA") -> Engine:
    """Connections to one file, usable from any thread, and safe to have in a process that forks."""
    engine = create_engine(
        _url(path),
        connect_args={"timeout": wait, "check_same_thread": False},
        pool_size=8,
        max_overflow=-1,  # writers queue at the lock file, not here
    )

    @event.listens_for(engine, "connect")
    def _settle(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")  # a foreign view or trigger calls nothing
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


def settle_journal(connection: sqlite3.Connection) -> str:
    """Put the file into the journal mode of this SQLite, unless others are using it just now."""
    try:
        return str(connection.execute(f"PRAGMA journal_mode = {journal()}").fetchone()[0])
    except sqlite3.OperationalError:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


# Where a database may live: a file on a disk of this computer.


NETWORK = {
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "fuse.davfs",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.smbnetfs",
    "fuse.sshfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "orangefs",
    "smb",
    "smb2",
    "smb3",
    "smbfs",
    "vboxsf",
}


def database_path(url: str | os.PathLike[str]) -> Path:
    """The file meant by a path or a URL.

    >>> database_path("sqlite:///data/raterbook.sqlite").as_posix()
    'data/raterbook.sqlite'
    """
    text = os.fspath(url)
    scheme, separator, rest = text.partition("://")
    if separator and scheme.split("+")[0] != "sqlite":
        raise RoundError(
            f"{scheme}:// databases are not supported: give the path of a SQLite file, "
            "such as data/raterbook.sqlite, or postgresql://USER@HOST/DATABASE."
        )
    name = rest.partition("?")[0].removeprefix("/") if separator else text
    if not name or name == ":memory:":
        raise RoundError(
            f"{text!r} names no file, and answers are kept in one: give a path, "
            "such as data/raterbook.sqlite."
        )
    path = Path(name)
    if path.is_dir():
        raise RoundError(f"{path} is a folder: name a file in it, as in {path}/raterbook.sqlite.")
    return path


def is_there(url: str) -> bool:
    """Whether there is a database to look at; a server is asked when it is used."""
    return is_address(url) or database_path(url).exists()


def mounted() -> list[tuple[str, str]]:
    """(mount point, file system) of everything mounted; empty where the system does not tell."""
    try:
        lines = Path("/proc/self/mounts").read_text(errors="replace").splitlines()
    except OSError:
        return []
    fields = (line.split(" ") for line in lines)
    return [(_plain(field[1]), field[2]) for field in fields if len(field) > 2]


def refuse_network(path: Path, mounts: Iterable[tuple[str, str]] | None = None) -> None:
    """Locks and flushes do not hold across a network, so a database there can lose answers."""
    real = path.resolve()
    around = [
        (len(Path(point).parts), kind, point)
        for point, kind in (mounted() if mounts is None else mounts)
        if real.is_relative_to(point)
    ]
    if not around:
        return
    # The longest mount point holds the file; of two at one place, the later hides the earlier.
    deepest = max(length for length, _, _ in around)
    kind, point = [(kind, point) for length, kind, point in around if length == deepest][-1]
    if kind in NETWORK:
        raise RoundError(
            f"{path} is on a network file system ({kind}, mounted at {point}), where answers can "
            "be lost: put the database on a local disk with --db or RATERBOOK_DB, and copy it with "
            "`raterbook backup` when it should be elsewhere too."
        )


def _plain(point: str) -> str:
    """Mount tables write a space as backslash 040."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, character)
    return point


# Whose it is: answers, names and what raters must not know are for nobody else on the computer.


BESIDE = ("-wal", "-shm", "-journal", ".lock", ".lock.gate")
_told: set[Path] = set()


def claim(path: Path) -> None:
    """The file is there and no link; one that is made here is its owner's alone."""
    for each in _with_beside(path):
        if each.is_symlink():
            raise RoundError(
                f"{each} is a link to {shown(os.readlink(each), 200)}, and nothing is written "
                "through one: name the file itself with --db, or put it in the link's place."
            )
    if not path.exists():
        with suppress(FileExistsError):  # another process was faster
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, OWNERS))


def _with_beside(path: Path) -> list[Path]:
    return [path, *(path.with_name(path.name + ending) for ending in BESIDE)]


def narrow(path: Path) -> None:
    """The file is its owner's alone from here on; says so where others could read it."""
    if os.name != "posix":
        return
    before = path.stat().st_mode & 0o777
    for each in _with_beside(path):
        # By name: to open and close a database gives up what locks SQLite holds on it.
        with suppress(OSError):
            found = each.stat()
            if found.st_mode & 0o077 and found.st_uid == os.geteuid():
                each.chmod(found.st_mode & 0o700)
    if before & 0o077:
        narrowed = not path.stat().st_mode & 0o077
        if narrowed or path not in _told:
            _told.add(path)
            now = "it is its owner's alone now" if narrowed else "its owner should run chmod 600"
            print(
                f"{path} could be read by others here (rights {before:o}): {now}.", file=sys.stderr
            )


# Whether it is as we make it. Who can write the file can take a guard away, change what was said,
# and lay a trigger that changes what is said from now on.


@cache
def _made() -> dict[tuple[str, str], str]:
    """Every table, index, trigger and view of today's schema, as SQLite writes it down."""
    engine = create_engine("sqlite://", poolclass=NullPool)  # closed with its last use
    with engine.begin() as connection:
        create(connection)
        return _shape(connection)


def _shape(connection: Connection) -> dict[tuple[str, str], str]:
    rows = connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master")
    own = ("sqlite_autoindex_", "sqlite_sequence", "sqlite_stat")
    return {
        (kind, name): " ".join((sql or "").split())
        for kind, name, sql in rows
        if kind not in ("table", "index") or not name.startswith(own)
    }


def verify(
    connection: Connection, path: Path, migrated: bool = False, version: int = schema.VERSION
) -> None:
    """Refuse a file with other tables, indexes, guards or views than ours, and say which.

    Where a step `migrated` it, a table may have its columns in another order than today's text;
    the view is made anew where it is another. One of version 1 has no links.
    """
    made, found = _made(), _shape(connection)
    if version == 1:
        made = {(kind, name): sql for (kind, name), sql in made.items() if name[:4] != "link"}
    wrong = [f"{kind} {shown(name)} is foreign" for kind, name in found.keys() - made.keys()]
    wrong += [f"{kind} {name} is missing" for kind, name in made.keys() - found.keys()]
    wrong += [
        f"{kind} {name} is altered"
        for kind, name in made.keys() & found.keys()
        if found[kind, name] != made[kind, name]
        and kind != "view"
        and not (migrated and kind == "table")
    ]
    if not wrong:
        return
    foreign = found.keys() - made.keys()
    drop = "; ".join(f'DROP {kind} "{shown(name)}"' for kind, name in sorted(foreign)[:5])
    own = f" If what is foreign is your own, take it out with `sqlite3 FILE '{drop}'`." * bool(drop)
    raise RoundError(
        f"{path} is not as Raterbook makes it: {listed(sorted(wrong), 10)}. Somebody changed it "
        "with another program, and answers may be changed too: keep it, and put the last "
        f"`raterbook backup` in its place.{own}"
    )


# From each earlier version of the schema to the next: one step each, kept for ever.
#
# A step is a function that takes the connection. The test beside the fixtures of old databases
# fails when the schema changes without a step. The view needs none: it holds nothing, and is made
# anew where it is not today's.


Step = Callable[[Connection], None]


def _add_links(connection: Connection) -> None:
    """Version 2 has a chain over its events; what is there gets its links on the first writing."""
    if "link" in inspect(connection).get_table_names():
        raise RoundError(f"The database says it is of version 1, and has links already: {ALTERED}")
    schema.link.create(connection)


# The version it starts from → the step to the next. None of ours alters a table that was there.
STEPS: Mapping[int, Step] = {1: _add_links}


def check_version(found: int, path: Path, steps: Mapping[int, Step] = STEPS) -> None:
    """Refuse what only a newer Raterbook can read, or what no step leads away from."""
    if found > schema.VERSION:
        raise RoundError(
            f"{path} was written by a newer Raterbook (schema {found}, this one knows up to "
            f"{schema.VERSION}): install the newer version to work with it; nothing was changed."
        )
    missing = [version for version in range(found, schema.VERSION) if version not in steps]
    if missing:
        raise RoundError(
            f"{path} has schema {found}, and this Raterbook has no way from schema {missing[0]} to "
            f"{missing[0] + 1}: open it once with the version in between."
        )


def migrate(connection: Connection, found: int, steps: Mapping[int, Step] = STEPS) -> None:
    """All steps up to today's schema, inside the caller's transaction: all of them or none."""
    drop_guards(connection)
    for version in range(found, schema.VERSION):
        steps[version](connection)
    create_guards(connection)
    connection.execute(schema.workspace.update().values(schema_version=schema.VERSION))


def create(connection: Connection) -> None:
    """Today's schema in an empty database."""
    schema.metadata.create_all(connection)
    create_guards(connection)


def create_guards(connection: Connection) -> None:
    connection.exec_driver_sql(schema.CURRENT_ANSWER)
    for statement in schema.sqlite_guards():
        connection.exec_driver_sql(statement)


def has_todays_view(connection: Connection) -> bool:
    """Whether people who open the file with other tools read what Raterbook reads."""
    found = connection.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = 'current_answer'"
    ).scalar()
    return str(found).split() == schema.CURRENT_ANSWER.split()


def tell_of_view(path: Path, writable: bool) -> None:
    now = "it is made anew" if writable else "nobody may write here, so it stays"
    print(
        f"{path}: the view current_answer was another than Raterbook's, and {now}. Who read "
        "answers by it in another program may have read others.",
        file=sys.stderr,
    )


def renew_view(connection: Connection) -> None:
    connection.exec_driver_sql("DROP VIEW IF EXISTS current_answer")
    connection.exec_driver_sql(schema.CURRENT_ANSWER)


def drop_guards(connection: Connection) -> None:
    """Guards and views refer to columns that a step may change; they come back afterwards."""
    found = connection.exec_driver_sql(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
    ).all()
    for kind, name in found:
        connection.exec_driver_sql(f'DROP {kind} "{name}"')
