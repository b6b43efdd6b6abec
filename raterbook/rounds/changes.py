"""What is done to a round after it was opened; each step is one transaction and one log entry."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from raterbook.rounds import (
    adding,
    assigning,
    automatic,
    completeness,
    contents,
    log,
    marks,
    opening,
    people,
    snapshot,
    splitting,
)
from raterbook.rounds.model import ItemTable, PartRow, Rater, RoundError
from raterbook.rounds.plan import Mix
from raterbook.rounds.snapshot import Snapshot, places_of_all

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound


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
        added = opening.join(connection, stored.id, [name], kind, now, version, expertise)
        row = people.find(connection, name)
        assert row is not None
        if added or expertise is not None:
            log.add(connection, stored.id, "add_rater", now, rater_id=row.id)
            seen = snapshot.take(connection, stored.id)
        if added:
            _plan(stored, connection, seen, now)
        return people.as_rater(row, seen.excluded.get(row.id))


def add_items(
    stored: StoredRound, table: ItemTable, parts: Iterable[PartRow] | None, replace: bool
) -> list[str]:
    """New items with their parts go to the raters; returns the keys that are new."""
    with stored.store.write() as connection:
        now = stored.store.now()
        seen = _still_open(stored, connection, "no items were added")
        place = adding.Place(
            stored.id, stored.protocol, stored.secret, stored.bare, stored.cluster, now
        )
        inside = contents.load(connection, stored.id)
        keys = adding.add_items(connection, place, table, seen, inside, replace)
        new = set(keys)
        fresh = ItemTable(
            tuple(row for row in table.rows if row.key in new), table.columns, table.source
        )
        log.add(
            connection, stored.id, "add_items", now, items=len(keys), source=table.source,
            replaced=replace,
        )
        after = snapshot.take(connection, stored.id)
        if parts is None and not stored.bare:
            parts = [
                row for row in splitting.from_fields(stored.protocol, fresh)
                if row.subject not in seen.cases or row.subject in new
            ]
        splitting.add_parts(connection, stored.protocol, after, parts or (), now)
        after = snapshot.take(connection, stored.id)
        _plan(stored, connection, after, now)
        automatic.add_answers(stored, connection, table)
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


def set_parts(
    stored: StoredRound, subject: str, rows: Sequence[PartRow], why: str | None
) -> None:
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
            subject for (_, subject), mark in
            marks.marks_of(connection, stored.id, from_).items() if mark.submitted
        } | completeness.finished(stored, connection, seen, from_)
        keys, doubled = assigning.move(
            connection, seen, names[from_], names[to], stored.seed, now, done, why,
            stored.per_item is not None,
        )
        seen.places.clear()
        plans = places_of_all(connection, seen)
        lost = {seen.items[key].id for key in doubled}
        free = [
            (len(lost & plans[row.id].keys()), len(plans[row.id]), name)
            for name, row in seen.raters.items()
            if row.kind in assigning.PLANNED and row.id not in (from_, to)
            and row.id not in seen.excluded and not row.erased_at
        ]
        other = min(free, default=(len(lost), 0, ""))
        log.add(
            connection, stored.id, "reassign", now, reason=why, giver=from_, taker=to,
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
            log.add(
                connection, stored.id, action, stored.store.now(), rater_id=number, reason=why
            )


def _still_open(stored: StoredRound, connection: Connection, else_: str) -> Snapshot:
    seen = snapshot.take(connection, stored.id)
    if seen.state != "open":
        raise RoundError(f"{stored.closed_reason(seen)}; {else_}.")
    return seen


def _plan(stored: StoredRound, connection: Connection, seen: Snapshot, now: int) -> None:
    mix = json.loads(stored.options).get("mix")
    assigning.extend(
        connection, seen, stored.seed, stored.per_item, now, Mix(**mix) if mix else None
    )
