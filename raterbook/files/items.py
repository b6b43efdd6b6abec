"""Items from a file: named, complete, in the protocol's words, or refused with every reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from raterbook.files.cells import question_names
from raterbook.files.sheet import Sheet, name_columns, read_sheet, required
from raterbook.protocols import Protocol
from raterbook.protocols.kinds import plain
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import ROLES, ItemRow, ItemTable, Problems, listed, shown


@dataclass(frozen=True, slots=True)
class ItemFile(ItemTable):
    """The items of one file, with its text as it came and what its reader wants to say."""

    original: Decoded | None = None
    notes: tuple[str, ...] = ()


def read_items(
    source: Any, protocol: Protocol, bare: bool = False, encoding: str | None = None
) -> ItemFile:
    """The items of a CSV, TSV, JSONL, Parquet or Excel file, of standard input ("-") or a frame.

    Headers and values get the protocol's names; columns it does not know are kept. With `bare`
    the protocol's texts are left out, and a file of ratings will do: its rows about one item make
    one item, with the columns in which they agree.
    """
    sheet = read_sheet(source, encoding)
    problems = Problems(sheet.name)
    spec = protocol.item
    placed = name_columns(sheet.columns, known_columns(protocol), problems)
    problems.stop()
    naming = {*spec.key, spec.case, spec.cluster, spec.system, *spec.groups} - {None}
    optional = {name for name, field in spec.fields.items() if not field.required}
    needed = (
        [spec.case, *spec.key]
        if bare
        else [
            spec.case,
            *spec.key,
            *(n for n, f in spec.fields.items() if f.required and not f.exchange),
        ]
    )
    required(sheet, list(dict.fromkeys(n for n in needed if n not in optional)), placed)
    answers = {name for name, field in spec.fields.items() if field.exchange}
    labels = {name for name, field in spec.fields.items() if field.answers}
    left = set(spec.fields) - naming - labels if bare else set()
    asked = set(question_names(protocol)) if bare else set()
    kept = {
        name: position
        for name, position in placed.items()
        if name not in answers and name not in left and name != "role" and plain(name) not in asked
    }
    cells = {
        name: _cells(sheet, name, position, protocol, problems, name in naming)
        for name, position in kept.items()
    }
    roles = [role.strip().casefold() or "main" for role in sheet.column(placed.get("role"))]
    rows = []
    for index, number in enumerate(sheet.numbers):
        fields = {name: column[index] for name, column in cells.items()}
        if roles[index] not in ROLES:
            problems.add(
                f"{shown(roles[index])} is no role. Use one of {listed(ROLES)}.", number, "role"
            )
        rows.append(
            ItemRow(protocol.key(fields), protocol.case_of(fields), fields, roles[index], number)
        )
    if bare:
        rows, kept = _merged(rows, kept, naming)
    _named_once(rows, protocol, problems)
    _cases_agree(rows, protocol, problems)
    if not rows:
        problems.add("no items under the header. Add one row per item.")
    problems.stop()
    return ItemFile(
        tuple(rows),
        tuple(kept),
        sheet.name,
        None if bare else sheet.original,
        (*sheet.notes, *_filled(sheet, placed, answers)),
    )


def known_columns(protocol: Protocol) -> dict[str, tuple[str, ...]]:
    """Every column the protocol names, with its aliases."""
    spec = protocol.item
    named = [*spec.key, spec.case, spec.cluster, spec.system, *spec.groups]
    known: dict[str, tuple[str, ...]] = {name: () for name in named if name}
    known["role"] = ()
    known.update({name: field.aliases for name, field in spec.fields.items()})
    return known


def _cells(
    sheet: Sheet, name: str, position: int, protocol: Protocol, problems: Problems, naming: bool
) -> list[str]:
    """One column, its values brought to the protocol's spelling; what cannot be is a problem."""
    column = sheet.column(position)
    if naming:
        column = [cell.strip() for cell in column]
    field = protocol.item.fields.get(name)
    if field is None:
        return column
    if field.values:
        column = _spelled(column, field.values, name, sheet, problems)
    if field.show == "triples":
        _triples(column, name, sheet, problems)
    if field.answers and any(
        question.id == field.answers.question for question in protocol.questions
    ):
        _answers(column, protocol.question(field.answers.question), name, sheet, problems)
    return column


def _spelled(
    column: list[str],
    values: Mapping[str, tuple[str, ...]],
    name: str,
    sheet: Sheet,
    problems: Problems,
) -> list[str]:
    spellings = {plain(word): value for value, words in values.items() for word in (value, *words)}
    spelled = []
    for number, cell in zip(sheet.numbers, column, strict=True):
        value = spellings.get(plain(cell)) if cell.strip() else ""
        if value is None:
            problems.add(f"{shown(cell)} is not known. Use one of {listed(values)}.", number, name)
        spelled.append(value or "")
    return spelled


def _triples(column: list[str], name: str, sheet: Sheet, problems: Problems) -> None:
    for number, cell in zip(sheet.numbers, column, strict=True):
        for bad in read_triples(cell)[1]:
            problems.add(
                f"line {bad.line}: {shown(bad.text)} is no triple, {bad.reason}. "
                "Write subject → predicate → object.",
                number,
                name,
            )


def _answers(column: list[str], question: Any, name: str, sheet: Sheet, problems: Problems) -> None:
    for number, cell in zip(sheet.numbers, column, strict=True):
        if cell.strip():
            try:
                question.check(cell)
            except ValueError as error:
                problems.add(f"{error}.", number, name)


def _named_once(rows: list[ItemRow], protocol: Protocol, problems: Problems) -> None:
    columns = protocol.item.key
    first: dict[str, ItemRow] = {}
    for row in rows:
        if not row.case or not row.fields.get(columns[0]):
            name = columns[0] if not row.fields.get(columns[0]) else protocol.item.case
            problems.add("empty, and it names the item. Fill it in.", row.row, name)
            continue
        other = first.setdefault(row.key, row)
        if other is row:
            continue
        same = all(other.fields.get(name) == row.fields.get(name) for name in columns)
        how = "names the same item as" if same else "gives, joined by “/”, the same name as"
        problems.add(
            f"{shown(row.key)} {how} row {other.row}. Give each item a name of its own.",
            row.row,
            ", ".join(name for name in columns if name in row.fields),
        )


def _merged(
    rows: list[ItemRow], kept: dict[str, int], naming: set[str | None]
) -> tuple[list[ItemRow], dict[str, int]]:
    """One row for each item; columns that differ between its rows are about ratings, not items.

    Rows that differ in what names, groups or clusters an item stay apart, and are refused.
    """
    first: dict[str, ItemRow] = {}
    differing: set[str] = set()
    apart = []
    for row in rows:
        other = first.setdefault(row.key, row)
        unlike = {name for name in kept if row.fields[name] != other.fields[name]}
        if unlike & naming or row.role != other.role:
            apart.append(row)
        differing |= unlike - naming
    names = {name: place for name, place in kept.items() if name not in differing}
    merged = [
        replace(row, fields={name: row.fields[name] for name in names})
        for row in (*first.values(), *apart)
    ]
    return merged, names


def _cases_agree(rows: list[ItemRow], protocol: Protocol, problems: Problems) -> None:
    """Fields of the case must be the same for all its items."""
    shared = [name for name, field in protocol.item.fields.items() if field.of == "case"]
    first: dict[str, ItemRow] = {}
    for row in rows:
        other = first.setdefault(row.case, row)
        for name in shared:
            if row.fields.get(name) != other.fields.get(name):
                problems.add(
                    f"{shown(row.fields.get(name))} differs from row {other.row} of the same case "
                    f"{shown(row.case)}. It belongs to the case: write the same in both.",
                    row.row,
                    name,
                )


def _filled(sheet: Sheet, placed: Mapping[str, int], answers: set[str]) -> list[str]:
    """A line for each column of answers that the file has filled and `open` leaves alone."""
    notes = []
    for name in placed:
        filled = sum(bool(cell.strip()) for cell in sheet.column(placed[name]))
        if name in answers and filled:
            notes.append(
                f"{sheet.name}: {filled} filled cells in {name} were left alone; "
                f"take them in with: raterbook import ROUND {sheet.name} --rater NAME"
            )
    return notes


# Knowledge graph triples as people write them: one a line, numbered or not, with any arrow.


_NUMBERING = re.compile(r"^\s*(?:\d+\s*[.):]\s+|[-*•]\s+)?")
_ARROWS = (  # the first that splits a line in three is meant
    re.compile(r"\s*(?:→|⟶|⇒|➝|➔)\s*"),
    re.compile(r"\s*(?:-{1,2}>|=>)\s*"),
    re.compile(r"\s*\|\s*"),
    re.compile(r"\t+"),
)
_SHUT = {"(": ")", "<": ">", "[": "]"}


class Triple(NamedTuple):
    """A subject, a predicate, an object."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True)
class BadLine:
    """A line that is no triple: its number, counted from 1, what it says and what is wrong."""

    line: int
    text: str
    reason: str


def read_triples(text: str) -> tuple[list[Triple], list[BadLine]]:
    """The triples of a field, and the lines that are none. Blank lines do not count.

    >>> read_triples("1. esfa → funds → colleges\\n2. esfa -> sets")[0]
    [Triple(subject='esfa', predicate='funds', object='colleges')]
    """
    triples, bad = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        plain = _NUMBERING.sub("", line, count=1).strip()
        if not plain:
            continue
        parts = _split(plain)
        if len(parts) != 3:
            bad.append(BadLine(number, line.strip(), f"{len(parts)} parts instead of 3"))
        elif not all(parts):
            missing = Triple._fields[parts.index("")]
            bad.append(BadLine(number, line.strip(), f"the {missing} is empty"))
        else:
            triples.append(Triple(*parts))
    return triples, bad


def _split(line: str) -> list[str]:
    if line[0] in _SHUT and line[-1] == _SHUT[line[0]]:
        line = line[1:-1]
    splits = [[part.strip() for part in arrow.split(line)] for arrow in _ARROWS]
    for parts in splits:
        if len(parts) == 3:
            return parts
    return next((parts for parts in splits if len(parts) > 1), [line])
