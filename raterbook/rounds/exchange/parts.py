"""The parts file: sentences already split, or questions already written. `item,part,text`."""

from typing import Any

from raterbook.protocols import Protocol
from raterbook.rounds.exchange.headers import name_columns
from raterbook.rounds.exchange.problems import FileError, Problems, listed, shown
from raterbook.rounds.exchange.sheet import read_sheet, required
from raterbook.rounds.exchange.subjects import Subjects
from raterbook.rounds.model import ItemTable, PartRow

MOST = 100_000  # the highest number of a part


def read_parts(
    source: Any, protocol: Protocol, items: ItemTable | Subjects, encoding: str | None = None
) -> list[PartRow]:
    """The parts of a file, each with the key of the item, or of the case, that it belongs to.

    An empty `part` takes the next free number. Parts of a case are named by the case.
    """
    spec = protocol.parts
    if spec is None:
        raise FileError(f"{protocol.name} asks about whole items; it has no parts. "
                        "Leave the parts file out.")
    if isinstance(items, ItemTable):
        items = Subjects((row.key, row.case) for row in items.rows)
    sheet = read_sheet(source, encoding)
    problems = Problems(sheet.name)
    known: dict[str, tuple[str, ...]] = {
        "item": ("case", "subject", protocol.item.case), "part": ("sentence_id", "number"),
        "text": ("sentence", "question"),
        **{name: field.aliases for name, field in spec.fields.items()},
    }
    placed = name_columns(sheet.columns, known, problems)
    problems.stop()
    required(sheet, ("item", "text"), placed)
    unknown = [name for name in placed if name not in known]
    if unknown:
        raise FileError(f"{sheet.name}, row 1: {listed(unknown)} is no column of parts. "
                        f"Use {listed(known)}.")
    resolve = items.case if spec.of == "case" else items.item
    rows: list[PartRow] = []
    seen: dict[tuple[str, int], int] = {}
    for number, cells in zip(sheet.numbers, sheet.rows, strict=True):
        row = {name: cells[position] for name, position in placed.items()}
        column = "item"
        try:
            subject = resolve(row[column].strip())
            column = "part"
            part = _number(row.get(column, ""))
        except ValueError as error:
            problems.add(str(error), number, column)
            continue
        if not row["text"].strip():
            problems.add("empty. Write the part's text, or remove the row.", number, "text")
            continue
        if part is not None and (first := seen.setdefault((subject, part), number)) != number:
            problems.add(f"part {part} of {shown(subject)} stands in row {first} already. "
                         "Number each part once.", number, "part")
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
    if not cell.isascii() or not cell.isdigit() or not 1 <= int(cell) <= MOST:
        raise ValueError(f"{shown(cell)} is no number of a part. Use 1, 2, 3, …")
    return int(cell)
