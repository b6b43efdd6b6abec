"""The store: one database file with protocols, items, plans, answers and model replies."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, inspect, select

from raterbook.rounds import location, lock, migrations, names, people, schema, sqlite
from raterbook.rounds.backup import copy_database
from raterbook.rounds.model import ItemTable, PartRow, Rater, RoundError
from raterbook.rounds.refusals import explained

if TYPE_CHECKING:
    from raterbook.protocols import Protocol
    from raterbook.rounds.plan import Mix
    from raterbook.rounds.replies import Replies
    from raterbook.rounds.stored import StoredRound


class Store:
    """One database. Usable from any thread; many processes may have it open at once."""

    def __init__(
        self,
        url: str | os.PathLike[str],
        *,
        clock: Callable[[], float] = time.time,
        mounts: Iterable[tuple[str, str]] | None = None,
        steps: Mapping[int, migrations.Step] = migrations.STEPS,
        wait: float = sqlite.WAIT,
        patience: float = lock.PATIENCE,
    ):
        self.path = location.database_path(url)
        location.refuse_network(self.path, mounts)
        self._clock, self._patience, self._steps = clock, patience, steps
        self.undone = 0  # transactions rolled back: what was read in one may never have been
        self.protocols: dict[str, Protocol] = {}  # by hash, read once
        self._lock = self.path.with_name(self.path.name + ".lock")
        self._engine = sqlite.engine_of(self.path, wait)
        with explained(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._settle()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def now(self) -> int:
        """Microseconds since 1970; never used to order anything."""
        return int(self._clock() * 1_000_000)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One moment of the database."""
        with explained(self.path), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction, on the disk when the block ends; nobody else writes meanwhile."""
        try:
            with (
                explained(self.path),
                lock.exclusive(self._lock, self._patience),
                self._engine.connect().execution_options(writes=True) as connection,
                connection.begin(),
            ):
                yield connection
        except BaseException:
            self.undone += 1
            raise

    def dispose(self) -> None:
        """Give back the file; the store opens it again when it is used."""
        self._engine.dispose()

    # Rounds

    def rounds(self) -> list[str]:
        """The names of all rounds, oldest first."""
        with self.read() as connection:
            return list(
                connection.scalars(select(schema.round.c.name).order_by(schema.round.c.id))
            )

    def round(self, name: str) -> StoredRound:
        from raterbook.rounds.stored import StoredRound

        with self.read() as connection:
            row = connection.execute(
                select(schema.round).where(schema.round.c.name == name)
            ).one_or_none()
        if row is None:
            known = ", ".join(self.rounds()) or "none yet"
            raise RoundError(f"There is no round {name!r} in {self.path}; rounds: {known}.")
        return StoredRound(self, row)

    def open(
        self,
        name: str,
        protocol: Protocol,
        items: ItemTable,
        raters: Iterable[str] = (),
        per_item: int | None = None,
        seed: int = 0,
        parts: Iterable[PartRow] | None = None,
        bare: bool = False,
        sample: int | None = None,
        by: Iterable[str] = (),
        cluster: str | None = None,
        mix: Mix | None = None,
    ) -> StoredRound:
        """A new round: its protocol is frozen from here on; items, raters, parts can be added."""
        from raterbook.rounds.opening import Opening, open_round

        names.check_round(name)
        how = Opening(
            name, protocol, items, tuple(raters), per_item, seed,
            None if parts is None else tuple(parts), bare, sample, tuple(by), cluster, mix,
        )
        open_round(self, how)
        return self.round(name)

    # Raters, over all rounds

    def raters(self) -> list[Rater]:
        """Everybody who ever had a part in a round here."""
        with self.read() as connection:
            return people.everybody(connection)

    def erase(self, name: str, why: str | None = None) -> str:
        """Forget who somebody was; the answers stay under the pseudonym, which is returned."""
        with self.write() as connection:
            # The freed bytes are overwritten, not only marked as free.
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
            pseudonym = people.erase(connection, name, why, self.now())
        with (  # nor does the name stay in a file beside the database
            lock.exclusive(self._lock, self._patience),
            self._engine.connect() as connection,
        ):
            sqlite.forget_journal(connection)
        return pseudonym

    # The file

    def backup(self, file: str | os.PathLike[str]) -> Path:
        """One consistent copy, while raters work."""
        with explained(self.path), self._engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            return copy_database(driver, self.path, Path(file))

    @property
    def replies(self) -> Replies:
        """What models replied, by the key of the request."""
        from raterbook.rounds.replies import Replies

        return Replies(self)

    @property
    def secret(self) -> str:
        with self.read() as connection:
            return str(connection.scalar(select(schema.workspace.c.secret)))

    def _settle(self) -> None:
        """Make the schema in an empty file, bring an old one up to date, refuse any other."""
        with self._engine.begin() as connection:
            found = self._version(connection)
            mode = sqlite.journal_of(connection)
        if found == schema.VERSION and (mode != "wal" or sqlite.has_sound_wal()):
            return
        if found is not None:
            migrations.check_version(found, self.path, self._steps)
        with lock.exclusive(self._lock, self._patience):
            if found is not None and found < schema.VERSION:
                copy = self.path.with_name(f"{self.path.name}.schema-{found}")
                if not copy.exists():
                    self.backup(copy)
            with self._engine.connect() as connection:
                sqlite.settle_journal(connection.connection.driver_connection)  # type: ignore[arg-type]
            with (
                self._engine.connect().execution_options(writes=True) as connection,
                connection.begin(),
            ):
                found = self._version(connection)  # another process may have been faster
                if found is None:
                    self._create(connection)
                elif found < schema.VERSION:
                    migrations.migrate(connection, found, self._steps)

    def _create(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA application_id = {schema.APPLICATION}")
        migrations.create(connection)
        connection.execute(
            insert(schema.workspace).values(
                id=1, schema_version=schema.VERSION,
                secret=secrets.token_hex(16), created_at=self.now(),
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
                f"{self.path} is a database of another program ({', '.join(tables[:3])}): name "
                "the right file with --db, or move this one away; it was not changed."
            )
        return int(connection.scalar(select(schema.workspace.c.schema_version)) or 0)
