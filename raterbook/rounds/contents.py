"""What a round asks about: its items, cases and parts, without what raters must not know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import Connection, Table, select

from raterbook.protocols import Protocol
from raterbook.rounds import schema
from raterbook.rounds.model import Case, Item, Part
from raterbook.rounds.snapshot import Snapshot

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

    def hash(self, subject: int) -> str:
        """Of everything the subject says, parts too."""
        numbers = [number for number, _ in self.parts.get(subject, [])]
        content = [self.of(subject), self.parts.get(subject, [])]
        content += [self.of(subject, number) for number in numbers]
        text = json.dumps(content, ensure_ascii=False, sort_keys=True)
        return sha256(text.encode()).hexdigest()

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


def items(
    snapshot: Snapshot, contents: Contents, protocol: Protocol, cluster: str | None,
    only: Iterable[int] | None = None,
) -> list[Item]:
    """In the order they came, whole, for reports and files: groups can be hidden from raters.

    With `only`, these alone and in this order, as raters and judges get them.
    """
    found = []
    chosen = snapshot.items.values() if only is None else [snapshot.subjects[n] for n in only]
    for subject in chosen:
        case = subject.case_id or 0
        everything = {**contents.of(case), **contents.of(subject.id)}
        fields = {**contents.shown.get((case, 0), {}), **contents.shown.get((subject.id, 0), {})}
        found.append(
            Item(
                subject.id, subject.ref, subject.key, snapshot.subjects[case].key, subject.role,
                _in_order(fields, protocol),
                {name: everything[name] for name in group_columns(protocol) if name in everything},
                everything.get(cluster) if cluster else None,
                contents._parts(subject.id) or contents._parts(case),
                contents.hash(subject.id) if only is None else "",
            )
        )
    return found if only is None else [_blind(item) for item in found]


def _blind(item: Item) -> Item:
    """Groups only where raters see the column anyway, and no hash: it is of hidden values too."""
    groups = {name: value for name, value in item.groups.items() if name in item.fields}
    return Item(
        item.id, item.ref, item.key, item.case, item.role, item.fields, groups, None, item.parts
    )


def cases(snapshot: Snapshot, contents: Contents, protocol: Protocol) -> list[Case]:
    return [
        Case(
            subject.id, subject.ref, subject.key,
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
    values: Values = {}
    rows: Iterable = connection.execute(
        select(table)
        .join(schema.subject, schema.subject.c.id == table.c.subject_id)
        .where(schema.subject.c.round_id == round_id)
    )
    for subject, part, name, value in rows:
        values.setdefault((subject, part), {})[name] = value
    return values
