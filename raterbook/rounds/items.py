"""Items and cases on their way into the database: checked whole, then written."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, delete, func, select

from raterbook.protocols import Protocol
from raterbook.rounds.model import ROLES, Case, Item, ItemRow, ItemTable, Part, RoundError, shown
from raterbook.rounds.parts import is_answered
from raterbook.rounds.raters import look, lookalike, opaque_ref, spelt
from raterbook.rounds.snapshot import Snapshot, Subject
from raterbook.rounds.store import chain, log, schema

if TYPE_CHECKING:
    from raterbook.rounds.round import Round


@dataclass(frozen=True)
class Place:
    """The round that things are added to."""

    round_id: int
    protocol: Protocol
    secret: str
    bare: bool
    cluster: str | None
    now: int


def check_items(table: ItemTable, protocol: Protocol) -> None:
    """Every row has a key of its own, a role we know, and agrees with its case."""
    seen: dict[str, ItemRow] = {}
    agreed: dict[tuple[str, str], tuple[str, ItemRow]] = {}
    for row in table.rows:
        where = _where(table, row)
        if not row.key or not row.case:
            needed = ", ".join((*protocol.item.key, protocol.item.case))
            raise RoundError(f"{where}: the item has no key; fill {needed}.")
        if row.role not in ROLES:
            raise RoundError(f"{where}: role {row.role!r} is not one of {', '.join(ROLES)}.")
        if row.key in seen:
            raise RoundError(_twice(where, row, seen[row.key], protocol))
        seen[row.key] = row
        for column, value in row.fields.items():
            if not of_case(protocol, column):
                continue
            first, there = agreed.setdefault((row.case, column), (value, row))
            if first != value:
                raise RoundError(
                    f"{where}, column {column}: {shown(repr(value), 40)} is not what "
                    f"{_where(table, there)} says of the same case {row.case!r} "
                    f"({shown(repr(first), 40)}); {column} belongs to the case, so make both "
                    "equal, or give the items different cases."
                )


def refuse_lookalikes(
    table: ItemTable, protocol: Protocol, seen: Snapshot, contents: Contents
) -> None:
    """What names items, cases, systems or groups can be seen, and told apart by who sees it."""
    ours = {row.key for row in table.rows} | {row.case for row in table.rows}
    there = [
        contents.of(each.id)
        for known in (seen.items, seen.cases)
        for key, each in known.items()
        if key not in ours
    ]
    spec = protocol.item
    for column in dict.fromkeys([*spec.key, spec.case, *group_columns(protocol)]):
        first: dict[str, ItemRow] = {}
        for row in table.rows:
            if value := row.fields.get(column, ""):
                first.setdefault(value, row)
                if not look(value):
                    raise RoundError(
                        f"{_where(table, row)}, column {column}: nothing of {value!a} can be "
                        "seen: write a name."
                    )
        others = dict.fromkeys(fields[column] for fields in there if fields.get(column))
        twins = lookalike(first, others)
        if twins is not None:
            one, other = twins
            where = f" of {_where(table, first[other])}" if other in first else ", which is here"
            raise RoundError(
                f"{_where(table, first[one])}, column {column}: {spelt(one)} looks like "
                f"{spelt(other)}{where}, and nobody could tell them apart: write one of them as "
                "it is meant."
            )


def add_items(
    connection: Connection,
    place: Place,
    table: ItemTable,
    seen: Snapshot,
    contents: Contents,
    replace: bool = False,
) -> list[str]:
    """The keys of the items that are new. Known ones must say the same, or `replace` them."""
    check_items(table, place.protocol)
    refuse_lookalikes(table, place.protocol, seen, contents)
    cases = {key: case.id for key, case in seen.cases.items()}
    batch = 1 + max((each.batch for each in seen.items.values()), default=-1)
    number = int(connection.scalar(select(func.max(schema.subject.c.id))) or 0)
    subjects: list[dict[str, Any]] = []
    values: dict[int, Mapping[str, str]] = {}

    def add(kind: str, key: str, case: int | None, row: ItemRow, fields: dict[str, str]) -> int:
        subjects.append(
            {
                "id": number + len(subjects) + 1,
                "round_id": place.round_id,
                "kind": kind,
                "key": key,
                "ref": opaque_ref(place.secret, kind, key),
                "case_id": case,
                "role": row.role,
                "batch": batch,
                "probability": row.probability if kind == "item" else None,
                "added_at": place.now,
            }
        )
        values[number + len(subjects)] = fields
        return number + len(subjects)

    def agree(row: ItemRow, subject: Subject, fields: Mapping[str, str]) -> None:
        """A known subject says what it said, or is changed while nobody has answered about it."""
        stored, where = contents.of(subject.id), _where(table, row)
        different = ", ".join(name for name in fields if stored.get(name, "") != fields[name])
        if not different:
            return
        if not replace:
            raise RoundError(
                f"{where}: {row.key!r} is in the round already, with another {different}: use "
                "replace to change items nobody has answered about, or give this one a key of its "
                "own."
            )
        if is_answered(connection, seen, subject):
            raise RoundError(
                f"{where}: {subject.key!r} has answers, and its {different} cannot change any "
                "more: leave the row as the round has it, or open a new round."
            )
        for table_ in (schema.shown_value, schema.hidden_value):
            connection.execute(
                delete(table_).where(table_.c.subject_id == subject.id, table_.c.part == 0)
            )
        write_values(connection, place, {subject.id: {**stored, **fields}})
        chain.touch(connection, subject.id)

    for row in table.rows:
        of_case_, own = _apart(row, place)
        if row.case not in cases:
            cases[row.case] = add("case", row.case, None, row, of_case_)
        elif row.case in seen.cases:
            agree(row, seen.cases[row.case], of_case_)
        if row.key in seen.items:
            agree(row, seen.items[row.key], own)
        else:
            add("item", row.key, cases[row.case], row, own)
    schema.write(connection, schema.subject, subjects)
    write_values(connection, place, values)
    return [each["key"] for each in subjects if each["kind"] == "item"]


def write_values(
    connection: Connection, place: Place, values: Mapping[int, Mapping[str, str]]
) -> None:
    """Each column goes to the table of what raters see, or to that of what they do not."""
    shown: list[dict[str, Any]] = []
    hidden: list[dict[str, Any]] = []
    for subject, fields in values.items():
        for name, value in fields.items():
            row = {"subject_id": subject, "part": 0, "name": name, "value": value}
            (shown if is_shown(place.protocol, name) else hidden).append(row)
    for table, rows in ((schema.shown_value, shown), (schema.hidden_value, hidden)):
        schema.write(connection, table, rows)


def _apart(row: ItemRow, place: Place) -> tuple[dict[str, str], dict[str, str]]:
    """What belongs to the case, and what to the item; without texts where the round is bare."""
    spec = place.protocol.item
    kept: Iterable[str] = row.fields
    if place.bare:
        wanted = {*spec.key, spec.case, *spec.groups, spec.system, spec.cluster, place.cluster}
        kept = [name for name in row.fields if name in wanted]
    case = {name: row.fields[name] for name in kept if of_case(place.protocol, name)}
    return case, {name: row.fields[name] for name in kept if name not in case}


def _twice(where: str, row: ItemRow, first: ItemRow, protocol: Protocol) -> str:
    columns = protocol.item.key
    here, there = ([each.fields.get(column) for column in columns] for each in (row, first))
    what = f"key {row.key!r} is already that of row {first.row}"
    if here != there:
        return f"{where}: {what}, joined from {there} there and {here} here: rename one of them."
    return f"{where}: {what}: keys ({', '.join(columns)}) are unique, so remove or rename one."


def _where(table: ItemTable, row: ItemRow) -> str:
    return f"{table.source}, row {row.row}" if row.row is not None else table.source


# What a round asks about: its items, cases and parts, without what raters must not know.


AT_ONCE = 20_000  # rows of the database
Values = dict[tuple[int, int], dict[str, str]]  # (subject, part) → name → value


@dataclass
class Contents:
    """All values of a round, apart by who may see them."""

    shown: Values
    hidden: Values
    parts: dict[int, list[tuple[int, str]]]

    def of(self, subject: int, part: int = 0) -> dict[str, str]:
        """Shown and hidden values together: for reports and files, never for raters."""
        return {**self.shown.get((subject, part), {}), **self.hidden.get((subject, part), {})}

    def column(self, name: str) -> dict[int, str]:
        """One of these values, of every subject that has it."""
        return {
            subject: values[name]
            for table in (self.shown, self.hidden)
            for (subject, part), values in table.items()
            if not part and name in values
        }

    def _parts(self, subject: int) -> tuple[Part, ...]:
        return tuple(
            Part(number, text, self.shown.get((subject, number), {}))
            for number, text in self.parts.get(subject, [])
        )


def load(connection: Connection, round_id: int) -> Contents:
    parts: dict[int, list[tuple[int, str]]] = {}
    rows = connection.execute(
        select(schema.part.c.subject_id, schema.part.c.number, schema.part.c.text)
        .join(schema.subject, schema.subject.c.id == schema.part.c.subject_id)
        .outerjoin(schema.part_retired, schema.part_retired.c.part_id == schema.part.c.id)
        .where(schema.subject.c.round_id == round_id, schema.part_retired.c.part_id.is_(None))
        .order_by(schema.part.c.subject_id, schema.part.c.position, schema.part.c.number)
    )
    for subject, number, text in rows:
        parts.setdefault(subject, []).append((number, text))
    return Contents(
        _values(connection, schema.shown_value, round_id),
        _values(connection, schema.hidden_value, round_id),
        parts,
    )


def hidden_of(connection: Connection, subject: Subject) -> dict[str, str]:
    """What raters must not know of one item and its case, as far as who asks may read it."""
    table, both = schema.hidden_value, (subject.case_id or 0, subject.id)
    query = select(table).where(table.c.subject_id.in_(both), table.c.part == 0)
    rows = connection.execute(query).all()
    return {row.name: row.value for number in both for row in rows if row.subject_id == number}


def items(
    snapshot: Snapshot, contents: Contents, protocol: Protocol, only: Iterable[int] | None = None
) -> list[Item]:
    """In the order they came, whole, for reports and files: groups can be hidden from raters.

    With `only`, these alone and in this order, as raters and judges get them: with groups only
    where they see the column anyway.
    """
    found = []
    chosen = snapshot.items.values() if only is None else [snapshot.subjects[n] for n in only]
    groups, cluster = group_columns(protocol), snapshot.cluster or ""
    for subject in chosen:
        case = subject.case_id or 0
        fields = {**contents.shown.get((case, 0), {}), **contents.shown.get((subject.id, 0), {})}
        known = fields if only is not None else {**contents.of(case), **contents.of(subject.id)}
        found.append(
            Item(
                subject.id,
                subject.ref,
                subject.key,
                snapshot.subjects[case].key,
                subject.role,
                _in_order(fields, protocol),
                {name: known[name] for name in groups if name in known},
                known.get(cluster) if only is None else None,
                contents._parts(subject.id) or contents._parts(case),
            )
        )
    return found


def cases(snapshot: Snapshot, contents: Contents, protocol: Protocol) -> list[Case]:
    return [
        Case(
            subject.id,
            subject.ref,
            subject.key,
            _in_order(contents.shown.get((subject.id, 0), {}), protocol),
            contents._parts(subject.id),
        )
        for subject in snapshot.cases.values()
    ]


def group_columns(protocol: Protocol) -> tuple[str, ...]:
    """The columns numbers are broken down by; the system's is one of them."""
    system = (protocol.item.system,) if protocol.item.system else ()
    return tuple(dict.fromkeys((*system, *protocol.item.groups)))


def is_shown(protocol: Protocol, column: str) -> bool:
    """Whether raters may see it: declared, and not hidden, kept for after, or of no use."""
    field = protocol.item.fields.get(column)
    return field is not None and field.visible


def of_case(protocol: Protocol, column: str) -> bool:
    field = protocol.item.fields.get(column)
    return column == protocol.item.case or (field is not None and field.of == "case")


def _in_order(fields: Mapping[str, str], protocol: Protocol) -> dict[str, str]:
    return {name: fields[name] for name in protocol.item.fields if name in fields}


def _values(connection: Connection, table: Table, round_id: int) -> Values:
    query = (
        select(table.c.subject_id, table.c.part, table.c.name, table.c.value)
        .join(schema.subject, schema.subject.c.id == table.c.subject_id)
        .where(schema.subject.c.round_id == round_id)
    )
    values: Values = {}
    words: dict[str, str] = {}  # each is kept once, however many items say it
    rows: Any = connection.execute(query).cursor  # the driver's own: plain tuples
    while some := rows.fetchmany(AT_ONCE):
        for subject, part, name, value in some:
            own = values.setdefault((subject, part), {})
            own[words.setdefault(name, name)] = words.setdefault(value, value)
    return values


# Anchors: items that a judge is asked about in every round, to see whether it still answers alike.


PIN = "anchor"


def pin(stored: Round, keys: Iterable[str], why: str | None = None) -> list[str]:
    """Pins these items as anchors, by an entry of the log; returns all that are pinned."""
    with stored.store.write() as connection:
        seen = stored.look(connection)
        known = [seen.subject(key, "item").key for key in keys]
        if not known:
            raise RoundError(f"{stored.name}: name the items that are to be anchors.")
        log.add(
            connection,
            stored.id,
            PIN,
            stored.store.now(),
            reason=why,
            items=list(dict.fromkeys(known)),
        )
    return pinned(stored)


def keys_with(stored: Round, column: str, value: str) -> list[str]:
    """The items with this value in a column of theirs or of their case, or with this role."""
    with stored.store.read() as connection:
        seen, inside = stored.look(connection), stored.inside(connection)

    def has(each: Subject) -> str | None:
        own = {**inside.of(each.case_id or 0), **inside.of(each.id)}
        return each.role if column == "role" else own.get(column)

    found = [each.key for each in seen.items.values() if has(each) == value]
    if not found:
        raise RoundError(
            f"No item of {stored.name} has {value!r} in {column}: name a column of the items file "
            "and a value in it, or role=gold."
        )
    return found


def pinned(stored: Round) -> list[str]:
    """The round's anchors, in the order they were pinned."""
    with stored.store.read() as connection:
        entries = log.entries(connection, stored.id, PIN)
    return list(
        dict.fromkeys(key for entry in entries for key in json.loads(entry.detail)["items"])
    )


# The items file as it came, kept in the round's log: so that it can go out byte for byte.


ACTION = "items_file"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text without its byte order mark, and what it takes to write the same bytes again."""

    text: str
    encoding: str
    mark: bytes = b""
    note: str | None = None  # where the encoding had to be guessed

    def encode(self, text: str) -> bytes:
        """Another text in the same encoding, or in UTF-8 where it has characters this one lacks."""
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError:
            return text.encode()


def keep(connection: Connection, round_id: int, items: Any, now: int) -> None:
    """Called when a round opens; does nothing for items that came from no text file."""
    original: Decoded | None = getattr(items, "original", None)
    if original is not None:
        log.add(
            connection,
            round_id,
            ACTION,
            now,
            text=original.text,
            encoding=original.encoding,
            mark=base64.b64encode(original.mark).decode(),
        )


def kept(connection: Connection, round_id: int) -> Decoded | None:
    """The file the round was opened with, if it was text and was kept."""
    for entry in log.entries(connection, round_id, ACTION):
        detail = json.loads(entry.detail)
        return Decoded(detail["text"], detail["encoding"], base64.b64decode(detail["mark"]))
    return None
