"""The parts of items and cases: made from a field or a file, and edited until the first answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, or_, select

from raterbook.environment import most, raising
from raterbook.protocols import Protocol
from raterbook.protocols.sentences import sentences
from raterbook.rounds.model import ItemTable, Part, PartRow, RoundError
from raterbook.rounds.snapshot import Snapshot, Subject
from raterbook.rounds.store import schema

if TYPE_CHECKING:
    from raterbook.rounds.round import Round

PARTS = (10_000, 25)  # parts written at once, and one more for each so many characters of theirs


def from_fields(protocol: Protocol, table: ItemTable) -> list[PartRow]:
    """The parts of every row, where the protocol takes them from a column."""
    spec = protocol.parts
    if spec is None or spec.source == "file":
        return []
    rows: list[PartRow] = []
    done: set[str] = set()
    for item in table.rows:
        subject = item.case if spec.of == "case" else item.key
        if subject in done:
            continue
        done.add(subject)
        text = item.fields.get(spec.source, "")
        pieces = [each.text for each in sentences(text)] if spec.split == "sentences" else [text]
        rows += [PartRow(subject, None, piece, {}, item.row) for piece in pieces if piece.strip()]
    return rows


def add_parts(
    connection: Connection,
    protocol: Protocol,
    snapshot: Snapshot,
    rows: Iterable[PartRow],
    now: int,
) -> int:
    """Add parts to subjects; numbers are the file's, or the next that was never used."""
    spec = protocol.parts
    rows = list(rows)
    if spec is None:
        if rows:
            raise RoundError(f"Protocol {protocol.name} has no parts: leave the parts file out.")
        return 0
    _refuse_crumbs(rows)
    used, places = _used(connection, snapshot)
    last = {subject: max(numbers) for subject, numbers in used.items()}
    parts: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    hidden: list[dict[str, Any]] = []
    for row in rows:
        subject = subject_of(snapshot, spec.of, row)
        taken = used.setdefault(subject.id, set())
        number = row.number if row.number is not None else last.get(subject.id, 0) + 1
        if number in taken or number < 1:
            raise RoundError(
                f"Part {number} of {row.subject!r}: numbers start at 1 and are used once, also "
                f"those of retired parts; the next free one is {last.get(subject.id, 0) + 1}."
            )
        taken.add(number)
        last[subject.id] = max(number, last.get(subject.id, 0))
        places[subject.id] = places.get(subject.id, 0) + 1
        parts.append(
            {
                "subject_id": subject.id,
                "number": number,
                "position": places[subject.id],
                "text": row.text,
                "added_at": now,
            }
        )
        for name, value in row.fields.items():
            visible = name in spec.fields and spec.fields[name].visible
            (shown if visible else hidden).append(
                {"subject_id": subject.id, "part": number, "name": name, "value": value}
            )
    tables = ((schema.part, parts), (schema.shown_value, shown), (schema.hidden_value, hidden))
    for table, values in tables:
        schema.write(connection, table, values)
    return len(parts)


def _refuse_crumbs(rows: Sequence[PartRow]) -> None:
    """To store a part takes its time, however short it is."""
    if len(rows) <= most(PARTS[0]):
        return
    size = sum(len(row.text) for row in rows)
    limit = PARTS[0] + size // PARTS[1]
    if len(rows) > most(limit):
        raise RoundError(
            f"{size:,} characters in {len(rows):,} parts are too many at once, and {limit:,} the "
            "most: look whether the texts are what is to be split, split them less finely, or "
            f"{raising(len(rows), limit)}."
        )


@dataclass(frozen=True)
class NewSplit:
    """The parts an item or case, by its key, is to have instead of those it has, and why."""

    subject: str
    rows: Sequence[PartRow]
    why: str | None = None


def replace_parts(
    connection: Connection, protocol: Protocol, snapshot: Snapshot, split: NewSplit, now: int
) -> None:
    """All old parts are retired, and their numbers with them."""
    if protocol.parts is None:
        raise RoundError(f"Protocol {protocol.name} has no parts to edit.")
    subject = snapshot.subject(split.subject, protocol.parts.of)
    refuse_answered(connection, snapshot, subject)
    gone = select(schema.part_retired.c.part_id)
    live = connection.scalars(
        select(schema.part.c.id).where(
            schema.part.c.subject_id == subject.id, schema.part.c.id.not_in(gone)
        )
    )
    dropped = [{"part_id": number, "reason": split.why, "at": now} for number in live]
    schema.write(connection, schema.part_retired, dropped)
    for table in (schema.shown_value, schema.hidden_value):
        connection.execute(delete(table).where(table.c.subject_id == subject.id, table.c.part > 0))
    fresh = [PartRow(row.subject, None, row.text, row.fields) for row in split.rows]
    add_parts(connection, protocol, snapshot, fresh, now)


def is_answered(connection: Connection, snapshot: Snapshot, subject: Subject) -> bool:
    """Whether anybody said something about it; labels that came with the items do not count."""
    events, raters, subjects = schema.answer_event, schema.rater, schema.subject
    its_items = select(subjects.c.id).where(subjects.c.case_id == subject.id)
    about = or_(events.c.subject_id == subject.id, events.c.subject_id.in_(its_items))
    by_somebody = (
        select(events.c.seq)
        .join(raters, raters.c.id == events.c.rater_id)
        .where(about, raters.c.kind != "automatic")
    )
    return connection.scalar(by_somebody.limit(1)) is not None


def refuse_answered(connection: Connection, snapshot: Snapshot, subject: Subject) -> None:
    """Parts of an item are frozen, with the item, at its first answer."""
    if is_answered(connection, snapshot, subject):
        raise RoundError(
            f"{subject.key!r} has answers, and its parts are frozen since the first: open a new "
            "round to split it differently."
        )


def subject_of(snapshot: Snapshot, of: str, row: PartRow) -> Subject:
    known: Mapping[str, Subject] = snapshot.cases if of == "case" else snapshot.items
    if row.subject not in known:
        where = f"row {row.row}: " if row.row is not None else ""
        near = ", ".join(list(known)[:5])
        raise RoundError(
            f"Parts, {where}there is no {of} {row.subject!r} in the round (it has {near}, …): "
            f"name parts by the key of their {of}."
        )
    return known[row.subject]


def _used(connection: Connection, snapshot: Snapshot) -> tuple[dict[int, set[int]], dict[int, int]]:
    """Every number ever given, and the last place; those of retired parts too."""
    used: dict[int, set[int]] = {}
    places: dict[int, int] = {}
    rows = connection.execute(
        select(schema.part.c.subject_id, schema.part.c.number, schema.part.c.position)
        .join(schema.subject, schema.subject.c.id == schema.part.c.subject_id)
        .where(schema.subject.c.round_id == snapshot.round_id)
    )
    for subject, number, position in rows:
        used.setdefault(subject, set()).add(number)
        places[subject] = max(position, places.get(subject, 0))
    return used, places


# One rater's items, one at a time: a form opens as fast on ten thousand items as on ten.


@dataclass(frozen=True, slots=True)
class Queued:
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


def page(connection: Connection, seen: Snapshot, queued: Queued, protocol: Protocol) -> Page:
    """One item, read by itself; hidden values stand in another table and are not asked for."""
    item, case = seen.refs[queued.ref], seen.refs[queued.case]
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
    in_order = {name: fields[name] for name in protocol.item.fields if name in fields}
    return Page(queued.ref, queued.case, in_order, parts)


def writers(stored: Round) -> dict[tuple[str, int], str]:
    """Who wrote each generated question, by case and part; those of people and files are absent."""
    with stored.store.read() as connection:
        hidden = stored.inside(connection).hidden
    return {
        (case.key, part.number): by
        for case in stored.cases()
        for part in case.parts
        if (by := hidden.get((case.id, part.number), {}).get("written_by"))
    }
