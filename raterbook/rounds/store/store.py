"""The store: one database file with protocols, items, plans, answers and model replies."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, insert, inspect, select

import raterbook.rounds.raters as people
from raterbook.rounds.model import ALTERED, ItemTable, Rater, RoundError, iso, shown
from raterbook.rounds.opening import Opening, open_round
from raterbook.rounds.round import Round
from raterbook.rounds.store import chain, database, lock, log, postgres, schema
from raterbook.rounds.store.backup import copied, copy_database, explained
from raterbook.rounds.store.history import History, Match, parting, recorded, walk

if TYPE_CHECKING:
    from raterbook.protocols import Protocol


# What models replied: kept as it came, so that no reply is paid for twice.


_reply = schema.reply


@dataclass(frozen=True, slots=True)
class KeptReply:
    """The raw text, and whatever was known about it: model served, tokens, cost, status."""

    key: str
    text: str
    detail: dict[str, Any] = field(default_factory=dict)
    at: str | None = None


class Replies:
    """By key; a key can be put again, and the latest counts."""

    def __init__(self, store: Store):
        self._store = store

    def get(self, key: str) -> KeptReply | None:
        query = select(_reply).where(_reply.c.key == key).order_by(_reply.c.seq.desc()).limit(1)
        with self._store.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        return KeptReply(row.key, row.text, json.loads(row.detail), iso(row.at))

    def put(self, key: str, text: str, **detail: Any) -> None:
        """On the disk when this returns."""
        self.put_all([(key, text, detail)])

    def put_all(self, replies: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        """Several in one transaction."""
        with self._store.write() as connection:
            for key, text, detail in replies:
                plain = json.dumps(detail, ensure_ascii=False, sort_keys=True)
                connection.execute(
                    insert(_reply).values(key=key, text=text, detail=plain, at=self._store.now())
                )

    def __contains__(self, key: str) -> bool:
        with self._store.read() as connection:
            query = select(_reply.c.seq).where(_reply.c.key == key).limit(1)
            return connection.scalar(query) is not None

    def __len__(self) -> int:
        """How many there are; what is noted beside them has a key with a kind (`parse/…`)."""
        query = select(func.count(_reply.c.key.distinct())).where(~_reply.c.key.contains("/"))
        with self._store.read() as connection:
            return connection.scalar(query) or 0


class _Rehearsed(Exception):
    """Ends a transaction of which nothing is to stay."""


@contextmanager
def _looked_at(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as driver:
        yield driver


class Store:
    """One database. Usable from any thread; many processes may have it open at once."""

    def __init__(
        self,
        url: str | os.PathLike[str],
        *,
        clock: Callable[[], float] = time.time,
        mounts: Iterable[tuple[str, str]] | None = None,
        steps: Mapping[int, database.Step] = database.STEPS,
        wait: float = database.WAIT,
        patience: float = lock.PATIENCE,
    ):
        self._clock, self._patience, self._steps = clock, patience, steps
        self._here = threading.local()  # whether this thread only rehearses
        self.undone = 0  # transactions rolled back: what was read in one may never have been
        self.protocols: dict[str, Protocol] = {}  # by hash, read once
        self.path: Path | str
        self.server: postgres.Server | None = None
        if postgres.is_address(url):
            self.server = server = postgres.Server(url, patience, clock is not time.time)
            self.path, self._engine = server.place, server.engine
            weakref.finalize(self, self._engine.dispose)
            with explained(self.path):
                server.settle(self._identify)
            return
        self._open_file(database.database_path(url), mounts, wait)

    def _open_file(self, path: Path, mounts: Iterable[tuple[str, str]] | None, wait: float) -> None:
        """A file on this computer, made if there is none."""
        database.refuse_network(path, mounts)
        self.path = self._file = path
        self._lock = path.with_name(path.name + ".lock")
        self._engine = database.engine_of(path, wait)
        weakref.finalize(self, self._engine.dispose)  # a store nobody holds closes its file
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            database.claim(path)
            self._settle()
            database.narrow(path)  # not before it is known to be ours

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def now(self) -> int:
        """Microseconds since 1970; never used to order anything."""
        return int(self._clock() * 1_000_000)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One moment of the database."""
        engine = self.server.read() if self.server else self._engine.begin()
        with explained(self.path), engine as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction, on the disk when the block ends; nobody else writes meanwhile."""
        try:
            with explained(self.path), self._only_writer() as connection:
                chain.extend(connection, found=True)
                yield connection
                if getattr(self._here, "rehearses", False):
                    raise _Rehearsed
                chain.extend(connection)
        except _Rehearsed:
            self.undone += 1
        except BaseException:
            self.undone += 1
            raise

    @contextmanager
    def filling(self) -> Iterator[Connection]:
        """One transaction that brings a whole workspace with its links: none is made here."""
        with explained(self.path), self._only_writer() as connection:
            if self.server is not None:
                self.server.lock(connection)
            yield connection

    @contextmanager
    def _only_writer(self) -> Iterator[Connection]:
        if self.server is not None:
            with self.server.write() as connection:  # the one writer from its first link on
                yield connection
            return
        with (
            lock.exclusive(self._lock, self._patience),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """What this thread writes inside is checked as ever, and none of it stays."""
        before = getattr(self._here, "rehearses", False)
        self._here.rehearses = True
        try:
            yield
        finally:
            self._here.rehearses = before

    def follow(self, round: Round, heard: Callable[[], None]) -> Callable[[], None]:
        """Call `heard`, in a thread, whenever something comes to the round; gives what ends it.

        A server tells at once; a file is looked at every second.
        """
        ended = threading.Event()

        def listen() -> None:
            for number in self._news(round.id, ended):
                if number in ("", str(round.id)) and not ended.is_set():
                    heard()

        threading.Thread(target=listen, daemon=True, name="raterbook-follow").start()
        return ended.set

    def _news(self, round: int, ended: threading.Event) -> Iterator[str]:
        if self.server is not None:
            yield from self.server.told(ended)
            return
        before = None
        while not ended.wait(0.0 if before is None else 1.0):
            with self.read() as connection:
                now = log.newest(connection, round)
            if now != before:
                before = now
                yield ""

    def dispose(self) -> None:
        """Give back the file; the store opens it again when it is used."""
        self._engine.dispose()

    # Rounds

    def rounds(self) -> list[str]:
        """The names of all rounds, oldest first."""
        with self.read() as connection:
            return list(connection.scalars(select(schema.round.c.name).order_by(schema.round.c.id)))

    def round(self, name: str) -> Round:
        return Round(self, name)

    def open(
        self,
        name: str,
        protocol: Protocol,
        items: ItemTable,
        raters: Iterable[str] = (),
        **how: Any,
    ) -> Round:
        """A new round: its protocol is frozen from here on; items, raters, parts can be added.

        `how` is what else an `Opening` has: per_item, seed, parts, sample and so on.
        """
        people.check_round(name)
        open_round(self, Opening(name, protocol, items, raters, **how))
        return Round(self, name)

    # Raters, over all rounds

    def raters(self) -> list[Rater]:
        """Everybody who ever had a part in a round here, or a login."""
        with self.read() as connection:
            return people.everybody(connection)

    def erase(self, name: str, why: str | None = None) -> str:
        """Forget who somebody was; the answers stay under the pseudonym, which is returned."""
        if self.server is not None:
            with self.write() as connection:
                return people.erase(connection, name, why, self.now())
        with self.write() as connection:
            # The freed bytes are overwritten, not only marked as free.
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
            pseudonym = people.erase(connection, name, why, self.now())
        with (  # nor does the name stay in a file beside the database
            lock.exclusive(self._lock, self._patience),
            self._engine.connect() as connection,
        ):
            database.forget_journal(connection)
        return pseudonym

    # The file and its history

    def head(self) -> chain.Head | None:
        """The newest link; None where there are none yet, or a rater's login may not see them."""
        with self.read() as connection:
            if self.server is None:
                return chain.head(connection.connection.driver_connection)
            return None if self.server.masks(connection) else chain.head_on_server(connection)

    @contextmanager
    def _walked(self) -> Iterator[Any]:
        """The driver's connection to a file with the history: this one's, or a copy's."""
        if self.server is None:
            with self.read() as connection:
                yield connection.connection.driver_connection
            return
        with TemporaryDirectory() as folder:
            file, _ = copied(self, Path(folder) / "copy.sqlite")
            with _looked_at(file) as driver:
                yield driver

    def history(self) -> History:
        """The whole history walked along: what does not fit what was written."""
        with self._walked() as driver:
            return walk(driver)

    def recorded(self, digits: str, links: int | None = None) -> Match:
        """Where a head that was written down, of so many links, stands in the history."""
        with self._walked() as driver:
            return recorded(driver, digits, links)

    def parting(self, copy: Path | Store) -> Match:
        """Where the history and that of a copy part; the copy is only read."""
        looked = _looked_at(copy) if isinstance(copy, Path) else copy._walked()
        place = copy if isinstance(copy, Path) else copy.path
        with explained(place), looked as other, self._walked() as driver:
            return parting(driver, other)

    def backup(self, file: str | os.PathLike[str]) -> Path:
        """One consistent copy, while raters work: a file, whatever this is."""
        if self.server is not None:
            return copied(self, Path(file))[0]
        with explained(self.path), self._engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            return copy_database(driver, self._file, Path(file))

    @property
    def replies(self) -> Replies:
        """What models replied, by the key of the request."""

        return Replies(self)

    @property
    def secret(self) -> str:
        with self.read() as connection:
            return str(connection.scalar(select(schema.workspace.c.secret)))

    def _settle(self) -> None:
        """Make the schema in an empty file, bring an old one up to date, refuse any other."""
        with self._engine.begin() as connection:
            found = self._version(connection)
            mode = database.journal_of(connection)
            stale = found == schema.VERSION and not database.has_todays_view(connection)
            if found == schema.VERSION:
                self._verify(connection)
        writable = os.access(self._file, os.W_OK)
        if stale:
            database.tell_of_view(self._file, writable)
        as_it_was = not stale or not writable
        if found == schema.VERSION and as_it_was and (mode != "wal" or database.has_sound_wal()):
            return
        if found is not None:
            database.check_version(found, self._file, self._steps)
        if found == 1 and not writable:  # it lacks the links alone, and can be read without them
            with self._engine.begin() as connection:
                self._verify(connection, found)
            return
        with lock.exclusive(self._lock, self._patience):
            if found is not None and found < schema.VERSION:
                copy = self._file.with_name(f"{self._file.name}.schema-{found}")
                if not copy.exists():
                    self.backup(copy)
            with self._engine.connect() as connection:
                database.settle_journal(connection.connection.driver_connection)  # type: ignore[arg-type]
            with (
                self._engine.connect().execution_options(writes=True) as connection,
                connection.begin(),
            ):
                found = self._version(connection)  # another process may have been faster
                if found is None:
                    self._create(connection)
                elif found < schema.VERSION:
                    database.migrate(connection, found, self._steps)
                elif not database.has_todays_view(connection):
                    database.renew_view(connection)
                self._verify(connection)

    def _verify(self, connection: Connection, version: int = schema.VERSION) -> None:
        """The schema is ours, and names that become folders can be no way out of them."""
        migrated = self._steps is not database.STEPS
        database.verify(connection, self._file, migrated, version)
        for name in connection.scalars(select(schema.round.c.name)):
            if not people.is_plain(name):
                raise RoundError(
                    f"{self._file} has a round named {shown(name)}, which Raterbook never makes: "
                    f"{ALTERED}"
                )

    def _create(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA application_id = {schema.APPLICATION}")
        database.create(connection)
        self._identify(connection)

    def _identify(self, connection: Connection) -> None:
        connection.execute(
            insert(schema.workspace).values(
                id=1,
                schema_version=schema.VERSION,
                secret=secrets.token_hex(16),
                created_at=self.now(),
            )
        )

    def _version(self, connection: Connection) -> int | None:
        """The schema's version; None for an empty file."""
        mark = connection.exec_driver_sql("PRAGMA application_id").scalar()
        tables = inspect(connection).get_table_names()
        if not tables and not mark:
            return None
        if mark != schema.APPLICATION or "workspace" not in tables:
            raise RoundError(
                f"{self._file} is a database of another program ({', '.join(tables[:3])}): name "
                "the right file with --db, or move this one away; it was not changed."
            )
        return int(connection.scalar(select(schema.workspace.c.schema_version)) or 0)
