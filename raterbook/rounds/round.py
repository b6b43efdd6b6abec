"""One round in the store: the door to everything that is asked of it or done to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select
from sqlalchemy.engine import Row

from raterbook.protocols import Protocol, parse
from raterbook.rounds import answers, completeness, items, marks, opening, plan, raters, snapshot
from raterbook.rounds import items as contents
from raterbook.rounds import parts as splitting
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
    minute,
)
from raterbook.rounds.plan import Mix
from raterbook.rounds.raters import as_rater
from raterbook.rounds.snapshot import Asked, Snapshot, places_of_all
from raterbook.rounds.store import log, schema

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.rounds.store.store import Replies, Store


# What is done to a round after it was opened; each step is one transaction and one log entry.


@dataclass(frozen=True)
class Reassigned:
    """What a reassigning moved. `doubled` are items the taker had already, where nobody took the
    giver's place: they stay with the giver (`kept`) where each item is to have so many raters.
    `other` is a rater who could take most of them."""

    moved: tuple[str, ...]
    doubled: tuple[str, ...] = ()
    kept: bool = False
    other: str | None = None


def add_rater(
    stored: StoredRound, name: str, kind: str | None, version: str | None, expertise: str | None
) -> Rater:
    """A new rater gets work by the plan; what others have stays."""
    with stored.store.write() as connection:
        now = stored.store.now()
        seen = _still_open(stored, connection, f"{name} was not added")
        added = raters.join(connection, stored.id, [name], kind, now, version, expertise)
        row = raters.find(connection, name)
        assert row is not None
        if added or expertise is not None:
            log.add(connection, stored.id, "add_rater", now, rater_id=row.id)
            seen = snapshot.take(connection, stored.id)
        if added:
            _plan(stored, connection, seen, now)
        return raters.as_rater(row, seen.excluded.get(row.id))


def add_items(
    stored: StoredRound, table: ItemTable, parts: Iterable[PartRow] | None, replace: bool
) -> list[str]:
    """New items with their parts go to the raters; returns the keys that are new."""
    with stored.store.write() as connection:
        now = stored.store.now()
        seen = _still_open(stored, connection, "no items were added")
        place = items.Place(
            stored.id, stored.protocol, stored.secret, stored.bare, stored.cluster, now
        )
        inside = items.load(connection, stored.id)
        keys = items.add_items(connection, place, table, seen, inside, replace)
        new = set(keys)
        fresh = ItemTable(
            tuple(row for row in table.rows if row.key in new), table.columns, table.source
        )
        log.add(
            connection,
            stored.id,
            "add_items",
            now,
            items=len(keys),
            source=table.source,
            replaced=replace,
        )
        after = snapshot.take(connection, stored.id)
        if parts is None and not stored.bare:
            parts = [
                row
                for row in splitting.from_fields(stored.protocol, fresh)
                if row.subject not in seen.cases or row.subject in new
            ]
        splitting.add_parts(connection, stored.protocol, after, parts or (), now)
        after = snapshot.take(connection, stored.id)
        _plan(stored, connection, after, now)
        opening.add_answers(stored, connection, table)
        return keys


def add_parts(stored: StoredRound, rows: Iterable[PartRow]) -> int:
    """Further parts of items nobody has answered about."""
    with stored.store.write() as connection:
        now = stored.store.now()
        seen = _still_open(stored, connection, "no parts were added")
        rows = list(rows)
        splitting.refuse_answered(connection, stored.protocol, seen, rows)
        added = splitting.add_parts(connection, stored.protocol, seen, rows, now)
        log.add(connection, stored.id, "add_parts", now, parts=added)
        return added


def set_parts(stored: StoredRound, subject: str, rows: Sequence[PartRow], why: str | None) -> None:
    """Split one item or case anew, until its first answer."""
    with stored.store.write() as connection:
        now = stored.store.now()
        seen = _still_open(stored, connection, f"the parts of {subject!r} stay as they are")
        try:
            splitting.replace_parts(connection, stored.protocol, seen, subject, rows, now, why)
        except ValueError as error:
            raise RoundError(str(error)) from error
        log.add(connection, stored.id, "set_parts", now, reason=why, subject=subject)


def close(stored: StoredRound, why: str | None) -> None:
    """Nothing comes in any more; closing twice is closing once."""
    _turn(stored, "close", "closed", why)


def reopen(stored: StoredRound, why: str | None) -> None:
    """Answers come in again, and the log says so."""
    _turn(stored, "reopen", "open", why)


def exclude(stored: StoredRound, rater: str, why: str) -> None:
    """The rater's answers stay, and no longer count."""
    if not why or not why.strip():
        raise RoundError(f"Say why {rater} is excluded from {stored.name}: the reason is reported.")
    _about(stored, "exclude", rater, why)


def include(stored: StoredRound, rater: str, why: str | None) -> None:
    """The rater's answers count again."""
    _about(stored, "include", rater, why)


def reassign(stored: StoredRound, giver: str, taker: str, why: str | None) -> Reassigned:
    """Unfinished items go from one rater to another; answers given stay with who gave them."""
    with stored.store.write() as connection:
        now = stored.store.now()
        seen = _still_open(stored, connection, "nothing was reassigned")
        from_, to = stored.rater_id(seen, giver), stored.rater_id(seen, taker)
        if from_ == to:
            raise RoundError(f"{giver} and {taker} are one rater: name two.")
        names = seen.names()
        done = {
            subject
            for (_, subject), mark in marks.marks_of(connection, stored.id, from_).items()
            if mark.submitted
        } | completeness.finished(stored, connection, seen, from_)
        keys, doubled = plan.move(
            connection,
            seen,
            names[from_],
            names[to],
            stored.seed,
            now,
            done,
            why,
            stored.per_item is not None,
        )
        seen.places.clear()
        plans = places_of_all(connection, seen)
        lost = {seen.items[key].id for key in doubled}
        free = [
            (len(lost & plans[row.id].keys()), len(plans[row.id]), name)
            for name, row in seen.raters.items()
            if row.kind in plan.PLANNED
            and row.id not in (from_, to)
            and row.id not in seen.excluded
            and not row.erased_at
        ]
        other = min(free, default=(len(lost), 0, ""))
        log.add(
            connection,
            stored.id,
            "reassign",
            now,
            reason=why,
            giver=from_,
            taker=to,
            items=len(keys),
        )
        taker_of_rest = other[2] if other[0] < len(lost) else None
        return Reassigned(tuple(keys), tuple(doubled), stored.per_item is not None, taker_of_rest)


def _turn(stored: StoredRound, action: str, state: str, why: str | None) -> None:
    with stored.store.write() as connection:
        if snapshot.take(connection, stored.id).state != state:
            log.add(connection, stored.id, action, stored.store.now(), reason=why)


def _about(stored: StoredRound, action: str, rater: str, why: str | None) -> None:
    with stored.store.write() as connection:
        seen = snapshot.take(connection, stored.id)
        number = stored.rater_id(seen, rater)
        if (action == "exclude") != (number in seen.excluded):
            log.add(connection, stored.id, action, stored.store.now(), rater_id=number, reason=why)


def _still_open(stored: StoredRound, connection: Connection, else_: str) -> Snapshot:
    seen = snapshot.take(connection, stored.id)
    if seen.state != "open":
        raise RoundError(f"{stored.closed_reason(seen)}; {else_}.")
    return seen


def _plan(stored: StoredRound, connection: Connection, seen: Snapshot, now: int) -> None:
    mix = json.loads(stored.options).get("mix")
    plan.extend(connection, seen, stored.seed, stored.per_item, now, Mix(**mix) if mix else None)


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
            name: value
            for name, value in self.hidden(found.ref).items()
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
            order = plan.queue(connection, seen, self.rater_id(seen, rater), self.seed)
        return contents.items(seen, inside, self.protocol, self.cluster, only=order)

    # What was answered

    def save(self, rater: str, events: Sequence[Event]) -> list[Ack]:
        """All events in one transaction; the acknowledgements come after it is on the disk."""
        return answers.save(self, rater, events)

    def current(self, rater: str) -> dict[tuple[str, int, str], Answer]:
        return answers.current(self, rater)

    def mark(
        self,
        rater: str,
        subject: str,
        kind: str,
        event_id: str | None = None,
        reason: str | None = None,
        lamport: int | None = None,
        client_time: Any = None,
    ) -> Ack:
        return marks.mark(self, rater, subject, kind, event_id, reason, lamport, client_time)

    def marks(self, rater: str) -> dict[str, marks.Mark]:
        return marks.current(self, rater)

    def marked(self, pseudonyms: bool = False, excluded: bool = True) -> list[dict[str, Any]]:
        return marks.marked(self, pseudonyms, excluded)

    def frame(
        self,
        texts: bool = False,
        excluded: bool = False,
        details: bool = False,
        pseudonyms: bool = False,
        groups: Iterable[str] = (),
    ) -> pd.DataFrame:
        from raterbook.rounds.frame import frame

        return frame(self, texts, excluded, details, pseudonyms, groups)

    def data_hash(self) -> str:
        from raterbook.rounds.frame import data_hash

        return data_hash(self)

    def status(self) -> dict[str, Any]:
        from raterbook.rounds.status import status

        return status(self)

    @property
    def replies(self) -> Replies:
        return self.store.replies

    # What is done to it

    def add_rater(
        self,
        name: str,
        kind: str | None = None,
        version: str | None = None,
        expertise: str | None = None,
    ) -> Rater:
        return add_rater(self, name, kind, version, expertise)

    def add_items(
        self, items: ItemTable, parts: Iterable[PartRow] | None = None, replace: bool = False
    ) -> list[str]:
        return add_items(self, items, parts, replace)

    def set_parts(self, subject: str, parts: Sequence[PartRow], why: str | None = None) -> None:
        set_parts(self, subject, parts, why)

    def add_parts(self, parts: Iterable[PartRow]) -> int:
        return add_parts(self, parts)

    def close(self, why: str | None = None) -> None:
        close(self, why)

    def reopen(self, why: str | None = None) -> None:
        reopen(self, why)

    def exclude(self, rater: str, why: str) -> None:
        exclude(self, rater, why)

    def include(self, rater: str, why: str | None = None) -> None:
        include(self, rater, why)

    def reassign(self, giver: str, taker: str, why: str | None = None) -> Reassigned:
        return reassign(self, giver, taker, why)

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
            known[self.protocol_hash] = parse(row.text, source=f"{row.name}.yaml", stored=True)
        self._protocol = known[self.protocol_hash]
        return self._protocol

    def rater_id(self, seen: Snapshot, name: str) -> int:
        row = seen.raters.get(name)
        if row is None:
            row = next((each for each in seen.raters.values() if each.pseudonym == name), None)
        if row is None:
            from raterbook.rounds.model import listed

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
