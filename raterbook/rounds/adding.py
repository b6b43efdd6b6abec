"""Items and cases on their way into the database: checked whole, then written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from raterbook.protocols import Protocol
from raterbook.rounds import schema
from raterbook.rounds.contents import Contents, is_shown, of_case
from raterbook.rounds.model import ROLES, ItemRow, ItemTable, RoundError
from raterbook.rounds.names import opaque_ref
from raterbook.rounds.snapshot import Snapshot, Subject
from raterbook.rounds.splitting import is_answered


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
                    f"{where}, column {column}: {_short(value)} is not what {_where(table, there)} "
                    f"says of the same case {row.case!r} ({_short(first)}); {column} belongs to "
                    "the case, so make both equal, or give the items different cases."
                )


def add_items(
    connection: Connection,
    place: Place,
    table: ItemTable,
    snapshot: Snapshot | None = None,
    contents: Contents | None = None,
    replace: bool = False,
) -> list[str]:
    """The keys of the items that are new. Known ones must say the same, or `replace` them."""
    check_items(table, place.protocol)
    known = snapshot.items if snapshot else {}
    cases = {key: case.id for key, case in snapshot.cases.items()} if snapshot else {}
    batch = 1 + max((each.batch for each in known.values()), default=-1)
    number = int(connection.scalar(select(func.max(schema.subject.c.id))) or 0)
    subjects: list[dict] = []
    values: dict[int, Mapping[str, str]] = {}
    for row in table.rows:
        of_case_, own = _apart(row, place)
        if row.case not in cases:
            number += 1
            cases[row.case] = number
            subjects.append(_subject(place, number, "case", row.case, None, row, batch))
            values[number] = of_case_
        elif contents is not None and cases[row.case] in snapshot.subjects:  # type: ignore[union-attr]
            case = snapshot.subjects[cases[row.case]]  # type: ignore[union-attr]
            _same(connection, place, table, row, case, of_case_, contents, snapshot, replace)
        if row.key in known:
            assert contents is not None
            _same(connection, place, table, row, known[row.key], own, contents, snapshot, replace)
            continue
        number += 1
        subjects.append(_subject(place, number, "item", row.key, cases[row.case], row, batch))
        values[number] = own
    if subjects:
        connection.execute(insert(schema.subject), subjects)
    write_values(connection, place, values)
    return [each["key"] for each in subjects if each["kind"] == "item"]


def write_values(
    connection: Connection, place: Place, values: Mapping[int, Mapping[str, str]]
) -> None:
    """Each column goes to the table of what raters see, or to that of what they do not."""
    shown: list[dict] = []
    hidden: list[dict] = []
    for subject, fields in values.items():
        for name, value in fields.items():
            row = {"subject_id": subject, "part": 0, "name": name, "value": value}
            (shown if is_shown(place.protocol, name) else hidden).append(row)
    for table, rows in ((schema.shown_value, shown), (schema.hidden_value, hidden)):
        if rows:
            connection.execute(insert(table), rows)


def _subject(
    place: Place, number: int, kind: str, key: str, case: int | None, row: ItemRow, batch: int
) -> dict:
    is_item = kind == "item"
    return {
        "id": number, "round_id": place.round_id, "kind": kind, "key": key,
        "ref": opaque_ref(place.secret, kind, key), "case_id": case,
        "role": row.role, "batch": batch, "source_row": row.row if is_item else None,
        "probability": row.probability if is_item else None, "added_at": place.now,
    }


def _apart(row: ItemRow, place: Place) -> tuple[dict[str, str], dict[str, str]]:
    """What belongs to the case, and what to the item; without texts where the round is bare."""
    spec = place.protocol.item
    kept: Iterable[str] = row.fields
    if place.bare:
        wanted = {*spec.key, spec.case, *spec.groups, spec.system, spec.cluster, place.cluster}
        kept = [name for name in row.fields if name in wanted]
    case = {name: row.fields[name] for name in kept if of_case(place.protocol, name)}
    return case, {name: row.fields[name] for name in kept if name not in case}


def _same(
    connection: Connection, place: Place, table: ItemTable, row: ItemRow, subject: Subject,
    fields: Mapping[str, str], contents: Contents, snapshot: Snapshot | None, replace: bool,
) -> None:
    """A known subject says what it said, or is changed while nobody has answered about it."""
    stored = contents.of(subject.id)
    different = [name for name in fields if stored.get(name, "") != fields[name]]
    if not different:
        return
    if not replace:
        raise RoundError(
            f"{_where(table, row)}: {row.key!r} is in the round already, with another "
            f"{', '.join(different)}: use replace to change items nobody has answered about, or "
            "give this one a key of its own."
        )
    if snapshot is not None and is_answered(connection, snapshot, subject):
        raise RoundError(
            f"{_where(table, row)}: {subject.key!r} has answers, and its {', '.join(different)} "
            "cannot change any more: leave the row as the round has it, or open a new round."
        )
    for values in (schema.shown_value, schema.hidden_value):
        connection.execute(
            delete(values).where(values.c.subject_id == subject.id, values.c.part == 0)
        )
    write_values(connection, place, {subject.id: {**stored, **fields}})


def _twice(where: str, row: ItemRow, first: ItemRow, protocol: Protocol) -> str:
    columns = protocol.item.key
    here, there = ([each.fields.get(column) for column in columns] for each in (row, first))
    what = f"key {row.key!r} is already that of row {first.row}"
    if here != there:
        return f"{where}: {what}, joined from {there} there and {here} here: rename one of them."
    return f"{where}: {what}: keys ({', '.join(columns)}) are unique, so remove or rename one."


def _where(table: ItemTable, row: ItemRow) -> str:
    return f"{table.source}, row {row.row}" if row.row is not None else table.source


def _short(value: str) -> str:
    return repr(value if len(value) <= 40 else f"{value[:39]}…")
