"""One round in the store: the door to everything that is asked of it or done to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select
from sqlalchemy.engine import Row

from raterbook.protocols import Protocol, parse
from raterbook.rounds import answers, assigning, changes, contents, log, marks, schema, snapshot
from raterbook.rounds.model import (
    Ack,
    Answer,
    Case,
    Event,
    Item,
    ItemTable,
    PartRow,
    Rater,
    RoundError,
)
from raterbook.rounds.people import as_rater
from raterbook.rounds.snapshot import Asked, Snapshot
from raterbook.rounds.times import minute

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.rounds.replies import Replies
    from raterbook.rounds.store import Store


class StoredRound:
    """Usable from any thread. What others change meanwhile is seen at the next call."""

    def __init__(self, store: Store, row: Row, protocol: Protocol | None = None):
        self.store = store
        self.id: int = row.id
        self.name: str = row.name
        self.seed: int = row.seed
        self.bare: bool = row.bare
        self.per_item: int | None = row.per_item
        self.cluster: str | None = row.cluster
        self.protocol_hash: str = row.protocol_hash
        self.secret: str = row.secret
        self.options: str = row.options
        self._protocol = protocol
        self._snapshot: tuple[tuple[int, int], Snapshot] | None = None
        self._contents: tuple[tuple[int, int], contents.Contents] | None = None
        self._asked: dict[str, Asked] | None = None

    def __repr__(self) -> str:
        return f"StoredRound({self.name!r}, {self.store!r})"

    # What it is

    @property
    def protocol(self) -> Protocol:
        """As it was when the round was opened."""
        if self._protocol is None:
            with self.store.read() as connection:
                return self._read_protocol(connection)
        return self._protocol

    @property
    def state(self) -> str:
        """open or closed."""
        with self.store.read() as connection:
            return self.look(connection).state

    def log(self) -> list[dict[str, Any]]:
        """What was done to the round, when and why."""
        with self.store.read() as connection:
            return log.readable(connection, self.id, self.look(connection).names())

    # What it asks, and of whom

    def items(self) -> list[Item]:
        """All items in the order they came, with their groups: for reports and files."""
        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
        return contents.items(seen, inside, self.protocol, self.cluster)

    def cases(self) -> list[Case]:
        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
        return contents.cases(seen, inside, self.protocol)

    def hidden(self, subject: str) -> dict[str, str]:
        """What raters must not know of an item or case: for reports and files only."""
        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
            found = seen.refs.get(subject) or seen.subject(subject, "item")
        values = dict(inside.hidden.get((found.case_id or 0, 0), {}))
        return values | inside.hidden.get((found.id, 0), {})

    def after(self, rater: str, item: str) -> dict[str, str]:
        """What is shown once this rater has submitted this item; nothing before."""
        with self.store.read() as connection:
            seen = self.look(connection)
            found = seen.subject(item, "item")
            standing = marks.marks_of(connection, self.id, self.rater_id(seen, rater))
        mark = standing.get((self.rater_id(seen, rater), found.id))
        if mark is None or not mark.submitted:
            return {}
        fields = self.protocol.item.fields
        return {
            name: value for name, value in self.hidden(found.ref).items()
            if name in fields and fields[name].show == "after"
        }

    def raters(self) -> list[Rater]:
        with self.store.read() as connection:
            seen = self.look(connection)
        return [as_rater(row, seen.excluded.get(row.id)) for row in seen.raters.values()]

    def queue(self, rater: str) -> list[Item]:
        """This rater's items in this rater's own order, without anything raters must not know."""
        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
            order = assigning.queue(connection, seen, self.rater_id(seen, rater), self.seed)
        return contents.items(seen, inside, self.protocol, self.cluster, only=order)

    # What was answered

    def save(self, rater: str, events: Sequence[Event]) -> list[Ack]:
        """All events in one transaction; the acknowledgements come after it is on the disk."""
        return answers.save(self, rater, events)

    def current(self, rater: str) -> dict[tuple[str, int, str], Answer]:
        return answers.current(self, rater)

    def mark(
        self, rater: str, subject: str, kind: str, event_id: str | None = None,
        reason: str | None = None, lamport: int | None = None, client_time: Any = None,
    ) -> Ack:
        return marks.mark(self, rater, subject, kind, event_id, reason, lamport, client_time)

    def marks(self, rater: str) -> dict[str, marks.Mark]:
        return marks.current(self, rater)

    def marked(self, pseudonyms: bool = False, excluded: bool = True) -> list[dict[str, Any]]:
        return marks.marked(self, pseudonyms, excluded)

    def frame(
        self, texts: bool = False, excluded: bool = False, details: bool = False,
        pseudonyms: bool = False, groups: Iterable[str] = (),
    ) -> pd.DataFrame:
        from raterbook.rounds.frame import frame

        return frame(self, texts, excluded, details, pseudonyms, groups)

    def data_hash(self) -> str:
        from raterbook.rounds.hashing import data_hash

        return data_hash(self)

    def codebook(self) -> str:
        from raterbook.rounds.codebook import codebook

        return codebook(self)

    def status(self) -> dict[str, Any]:
        from raterbook.rounds.status import status

        return status(self)

    @property
    def replies(self) -> Replies:
        return self.store.replies

    # What is done to it

    def add_rater(
        self, name: str, kind: str | None = None, version: str | None = None,
        expertise: str | None = None,
    ) -> Rater:
        return changes.add_rater(self, name, kind, version, expertise)

    def add_items(
        self, items: ItemTable, parts: Iterable[PartRow] | None = None, replace: bool = False
    ) -> list[str]:
        return changes.add_items(self, items, parts, replace)

    def set_parts(self, subject: str, parts: Sequence[PartRow], why: str | None = None) -> None:
        changes.set_parts(self, subject, parts, why)

    def add_parts(self, parts: Iterable[PartRow]) -> int:
        return changes.add_parts(self, parts)

    def close(self, why: str | None = None) -> None:
        changes.close(self, why)

    def reopen(self, why: str | None = None) -> None:
        changes.reopen(self, why)

    def exclude(self, rater: str, why: str) -> None:
        changes.exclude(self, rater, why)

    def include(self, rater: str, why: str | None = None) -> None:
        changes.include(self, rater, why)

    def reassign(self, giver: str, taker: str, why: str | None = None) -> changes.Reassigned:
        return changes.reassign(self, giver, taker, why)

    # For the rest of this room

    def look(self, connection: Connection) -> Snapshot:
        """The round as it stands; read again only when its log has grown."""
        now = (log.last(connection, self.id), self.store.undone)
        kept = self._snapshot
        if kept is None or kept[0] != now:
            kept = self._snapshot = (now, snapshot.take(connection, self.id))
        return kept[1]

    def inside(self, connection: Connection) -> contents.Contents:
        now = (log.last(connection, self.id), self.store.undone)
        kept = self._contents
        if kept is None or kept[0] != now:
            kept = self._contents = (now, contents.load(connection, self.id))
        return kept[1]

    def asked(self, connection: Connection) -> dict[str, Asked]:
        if self._asked is None:
            protocol = self._protocol or self._read_protocol(connection)
            self._asked = snapshot.questions(connection, protocol, self.protocol_hash)
        return self._asked

    def _read_protocol(self, connection: Connection) -> Protocol:
        table, known = schema.protocol, self.store.protocols
        if self.protocol_hash not in known:
            row = connection.execute(select(table).where(table.c.hash == self.protocol_hash)).one()
            known[self.protocol_hash] = parse(
                row.text, source=f"{row.name}.yaml", stored=True
            )
        self._protocol = known[self.protocol_hash]
        return self._protocol

    def rater_id(self, seen: Snapshot, name: str) -> int:
        row = seen.raters.get(name)
        if row is None:
            row = next((each for each in seen.raters.values() if each.pseudonym == name), None)
        if row is None:
            from raterbook.rounds.exchange.problems import listed

            known = listed(seen.raters, 10) or "nobody yet"
            raise RoundError(
                f"{name!r} is no rater of {self.name}: its raters are {known}. Correct the name; "
                f"`raterbook import {self.name} FILE` brings in raters that its file names."
            )
        return int(row.id)

    def closed_reason(self, seen: Snapshot) -> str:
        return (
            f"{self.name} was closed on {minute(seen.state_at)}: `raterbook reopen {self.name}` "
            "lets answers in again"
        )
