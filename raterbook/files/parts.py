"""The parts file: sentences already split, or questions already written. `item,part,text`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.files.content import put
from raterbook.files.formats import endings, read_table, written_as
from raterbook.files.names import Misplaced, Subjects
from raterbook.files.table import Columns, Table
from raterbook.protocols import Protocol
from raterbook.rounds import parts
from raterbook.rounds.model import (
    FileError,
    ItemTable,
    PartRow,
    Problems,
    RoundError,
    listed,
    shown,
)
from raterbook.rounds.store import log

if TYPE_CHECKING:
    from raterbook.rounds import Round


MOST = 100_000  # the highest number of a part


def read_parts(
    source: Any, protocol: Protocol, items: ItemTable | Subjects, encoding: str | None = None
) -> list[PartRow]:
    """The parts of a file, each with the key of the item, or of the case, that it belongs to.

    An empty `part` takes the next free number. Parts of a case are named by the case.
    """
    spec = protocol.parts
    if spec is None:
        raise FileError(
            f"{protocol.name} asks about whole items; it has no parts. Leave the parts file out."
        )
    if isinstance(items, ItemTable):
        items = Subjects((row.key, row.case) for row in items.rows)
    file = read_table(source, encoding)
    problems = Problems(file.name)
    known: dict[str, tuple[str, ...]] = {
        "item": ("case", "subject", protocol.item.case),
        "part": ("sentence_id", "number"),
        "text": ("sentence", "question"),
        **{name: field.aliases for name, field in spec.fields.items()},
    }
    columns = Columns(file, known, problems)
    columns.require(("item", "text"))
    unknown = [name for name in columns.placed if name not in known]
    if unknown:
        raise FileError(
            f"{file.name}, row 1: {listed(unknown)} is no column of parts. Use {listed(known)}."
        )
    rows: list[PartRow] = []
    seen: dict[tuple[str, int], int] = {}
    for number, cells in zip(file.numbers, file.rows, strict=True):
        row = {name: cells[position] for name, position in columns.placed.items()}
        try:
            subject = items.find(row["item"].strip(), spec.of == "case")
            part = _number(row.get("part", ""))
        except Misplaced as error:
            problems.add(str(error), number, error.column)
            continue
        if not row["text"].strip():
            problems.add("empty. Write the part's text, or remove the row.", number, "text")
            continue
        if part is not None and (first := seen.setdefault((subject, part), number)) != number:
            problems.add(
                f"part {part} of {shown(subject)} stands in row {first} already. "
                "Number each part once.",
                number,
                "part",
            )
            continue
        fields = {name: row[name] for name in spec.fields if row.get(name)}
        rows.append(PartRow(subject, part, row["text"], fields, number))
    if not rows and not problems.found:
        problems.add("no parts under the header. Add one row per part.")
    problems.stop()
    return rows


def _number(cell: str) -> int | None:
    cell = cell.strip()
    if not cell:
        return None
    if not re.fullmatch(r"0*[1-9]\d{0,5}", cell[:99], re.ASCII) or int(cell) > MOST:
        raise Misplaced("part", f"{shown(cell)} is no number of a part. Use 1, 2, 3, …")
    return int(cell)


# Editing parts in a file: out, changed there, and in again, until an item's first answer.


@dataclass(frozen=True)
class Edited:
    """How many items or cases were split anew, and how many the file left as they were."""

    changed: int
    unchanged: int

    def __str__(self) -> str:
        return f"{self.changed:,} split anew, {self.unchanged:,} as before"


def export_parts(round: Round, file: str | Path) -> int:
    """Write all parts as `item,part,text` and the protocol's part fields; how many there are."""
    spec = round.protocol.parts
    if spec is None:
        raise FileError(f"{round.protocol.name} asks about whole items; it has no parts.")
    with round.store.read() as connection:
        snapshot, inside = round.look(connection), round.inside(connection)
        rows = [
            [
                key,
                str(number),
                text,
                *(inside.of(each.id, number).get(name, "") for name in spec.fields),
            ]
            for key, each in (snapshot.cases if spec.of == "case" else snapshot.items).items()
            for number, text in inside.parts.get(each.id, [])
        ]
    table = Table(Path(file).name, ["item", "part", "text", *spec.fields], rows)
    suffix, what = Path(file).suffix.lower(), f"{table.name}: a file of parts"
    put(written_as(suffix, endings("texts"), what).write(table), file)
    return len(rows)


def import_parts(
    round: Round, source: Any, why: str | None = None, encoding: str | None = None
) -> Edited:
    """Take in edited parts: each item the file names gets exactly the parts the file gives it.

    Whole or not at all. Items that say the same keep their parts and numbers; a new split gets
    numbers that were never used. Items with answers are frozen, and refused if they differ.
    """
    protocol = round.protocol
    with round.store.write() as connection:
        snapshot, inside = round.look(connection), round.inside(connection)
        if (closed := snapshot.closed()) is not None:
            raise RoundError(f"{closed}.")
        pairs = [
            (key, snapshot.subjects[each.case_id or 0].key) for key, each in snapshot.items.items()
        ]
        rows = read_parts(source, protocol, Subjects(pairs), encoding)
        assert protocol.parts is not None
        subjects = snapshot.cases if protocol.parts.of == "case" else snapshot.items
        by_subject: dict[str, list[PartRow]] = {}
        for row in rows:
            by_subject.setdefault(row.subject, []).append(row)
        changed = 0
        for key, wanted in by_subject.items():
            wanted.sort(key=lambda row: row.number if row.number is not None else len(rows) + 1)
            number = subjects[key].id
            there = [(text, inside.of(number, part)) for part, text in inside.parts.get(number, [])]
            if there == _said(wanted):
                continue
            changed += 1
            split = parts.NewSplit(key, wanted, why)
            parts.replace_parts(connection, protocol, snapshot, split, round.store.now())
        if changed:
            log.add(
                connection, round.id, "set_parts", round.store.now(), reason=why, subjects=changed
            )
    return Edited(changed, len(by_subject) - changed)


def _said(rows: Sequence[PartRow]) -> list[tuple[str, dict[str, str]]]:
    return [(row.text, dict(row.fields)) for row in rows]
