"""One rater's items, one at a time: a form opens as fast on ten thousand items as on ten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from raterbook.rounds import assigning, schema
from raterbook.rounds.model import Part

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound


@dataclass(frozen=True, slots=True)
class Turn:
    """An item and its case in a rater's queue, by their opaque names."""

    ref: str
    case: str


@dataclass(frozen=True, slots=True)
class Page:
    """What raters may see of one item: its fields, its case's among them, and its parts."""

    ref: str
    case: str
    fields: dict[str, str]
    parts: tuple[Part, ...]


def turns(stored: StoredRound, rater: str) -> list[Turn]:
    """The same items in the same order as `stored.queue(rater)`, without their texts."""
    with stored.store.read() as connection:
        seen = stored.look(connection)
        order = assigning.queue(connection, seen, stored.rater_id(seen, rater), stored.seed)
    found = []
    for number in order:
        subject = seen.subjects[number]
        case = seen.subjects[subject.case_id] if subject.case_id else subject
        found.append(Turn(subject.ref, case.ref))
    return found


def counter(stored: StoredRound, rater: str) -> int:
    """The highest counter of all this rater ever said here: a sender new to it counts on from it.

    Answers and marks have one count, and what was taken back is in it: whoever began below any of
    these would say something that is older than what is stored.
    """
    with stored.store.read() as connection:
        number = stored.rater_id(stored.look(connection), rater)
        highest = [
            connection.scalar(
                select(func.max(table.c.lamport))
                .where(table.c.round_id == stored.id, table.c.rater_id == number)
            )
            for table in (schema.answer_event, schema.mark_event)
        ]
    return max(each or 0 for each in highest)


def page(stored: StoredRound, turn: Turn) -> Page:
    """One item, read by itself; hidden values stand in another table and are not asked for."""
    with stored.store.read() as connection:
        seen = stored.look(connection)
        item, case = seen.refs[turn.ref], seen.refs[turn.case]
        both = [case.id, item.id]
        values: dict[tuple[int, int], dict[str, str]] = {}
        shown = schema.shown_value
        for row in connection.execute(select(shown).where(shown.c.subject_id.in_(both))):
            values.setdefault((row.subject_id, row.part), {})[row.name] = row.value
        part = schema.part
        rows = connection.execute(
            select(part.c.subject_id, part.c.number, part.c.text)
            .where(part.c.subject_id.in_(both))
            .order_by(part.c.position, part.c.number)
        ).all()
    own = item.id if any(row.subject_id == item.id for row in rows) else case.id
    alive = seen.parts.get(own, set())
    parts = tuple(
        Part(row.number, row.text, values.get((own, row.number), {}))
        for row in rows
        if row.subject_id == own and row.number in alive
    )
    fields = {**values.get((case.id, 0), {}), **values.get((item.id, 0), {})}
    in_order = {name: fields[name] for name in stored.protocol.item.fields if name in fields}
    return Page(turn.ref, turn.case, in_order, parts)
