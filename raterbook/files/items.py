"""Items from a file: named, complete, in the protocol's words, or refused with every reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import raterbook.files.content as content
from raterbook.environment import most, raising
from raterbook.files.formats import read_table
from raterbook.files.names import known_columns, needed_columns, question_names
from raterbook.files.table import Columns, Table
from raterbook.protocols import Protocol
from raterbook.protocols.kinds import plain
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import ROLES, FileError, ItemRow, ItemTable, Problems, listed, shown


@dataclass(frozen=True, slots=True)
class ItemFile(ItemTable):
    """The items of one file, with its text as it came and what its reader wants to say."""

    original: Decoded | None = None
    notes: tuple[str, ...] = ()


def read_items(
    source: Any,
    protocol: Protocol,
    bare: bool = False,
    encoding: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> ItemFile:
    """The items of a CSV, TSV, JSONL, Parquet or Excel file, of standard input ("-") or a frame.

    Headers and values get the protocol's names; columns it does not know are kept. With `bare`
    the protocol's texts are left out, and a file of ratings will do: its rows about one item make
    one item, with the columns in which they agree. `headers` says what fields are called in the
    file, where they are not called as the protocol has them.
    """
    read = read_table(source, encoding)
    file = renamed(read, headers, protocol) if headers else read
    problems = Problems(file.name)
    spec = protocol.item
    columns = Columns(file, known_columns(protocol), problems)
    naming = {*spec.key, spec.case, spec.cluster, spec.system, *spec.groups} - {None}
    columns.require(needed_columns(protocol, bare), mapped=not headers)
    answers = {name for name, field in spec.fields.items() if field.exchange}
    labels = {name for name, field in spec.fields.items() if field.answers}
    left = {"role", *answers, *(set(spec.fields) - naming - labels if bare else ())}
    asked = set(question_names(protocol)) if bare else set()
    kept = [name for name in columns.placed if name not in left and plain(name) not in asked]
    cells = {name: _cells(columns, name, protocol, name in naming) for name in kept}
    roles = [role.strip().casefold() or "main" for role in columns.cells("role")]
    rows = []
    for index, number in enumerate(file.numbers):
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
    if isinstance(source, str | Path):
        _refuse_many(len(rows), file)
    _named_once(rows, protocol, problems)
    _cases_agree(rows, protocol, problems)
    if not rows:
        problems.add("no items under the header. Add one row per item.")
    problems.stop()
    original = None if bare else file.original
    notes = (*file.notes, *_filled(columns, answers))
    return ItemFile(tuple(rows), tuple(kept), file.name, original, notes)


def _refuse_many(items: int, file: Table) -> None:
    """To store an item takes its time, however short it is."""
    least, characters = content.ITEMS
    if items <= most(least):
        return
    size = sum(len(row) + sum(map(len, row)) for row in file.rows)
    limit = least + size // characters
    if items > most(limit):
        raise FileError(
            f"{file.name} has {items:,} items in {size:,} characters, and {limit:,} is the most of "
            "so many. Look whether each row is one, or "
            f"{raising(items, limit)}."
        )


def renamed(file: Table, headers: Mapping[str, str], protocol: Protocol) -> Table:
    """The table with these columns under the names of the protocol's fields, as field → header.

    A column that had the name of such a field before is kept under another.
    """
    fields = {plain(name): name for name in known_columns(protocol)}
    columns, notes = list(file.columns), list(file.notes)
    places: dict[int, str] = {}
    for word, header in headers.items():
        field = fields.get(plain(word))
        if field is None:
            raise FileError(
                f"{shown(word)} is no field of {protocol.name}: write one of "
                f"{listed(known_columns(protocol))} before the sign =."
            )
        exact = [place for place, name in enumerate(file.columns) if name.strip() == header.strip()]
        alike = [p for p, name in enumerate(file.columns) if plain(name) == plain(header)]
        if len(found := exact or alike) != 1:
            what = "more than one column" if found else "no column"
            raise FileError(
                f"{file.name}, row 1: {what} {shown(header)} for {field}. The file has "
                f"{listed(map(shown, file.columns))}."
            )
        if found[0] in places or field in places.values():
            raise FileError(
                f"{shown(header)} for {field}: a column is one field, and a field one column. "
                "Leave one out."
            )
        places[found[0]] = field
    for place, field in places.items():
        for other, name in enumerate(columns):
            if other not in places and plain(name) == plain(field):
                columns[other] = f"{field}_in_file"
                notes.append(
                    f"{file.name}: {shown(file.columns[place])} is read as {field}, and the column "
                    f"{shown(name)} is kept as {columns[other]}."
                )
    for place, field in places.items():
        columns[place] = field
    return replace(file, columns=columns, notes=notes, original=None)


def _cells(columns: Columns, name: str, protocol: Protocol, naming: bool) -> list[str]:
    """One column, its values brought to the protocol's spelling; what cannot be is a problem."""
    column = columns.cells(name)
    if naming:
        column = [cell.strip() for cell in column]
    field = protocol.item.fields.get(name)
    if field is None:
        return column

    def problem(number: int, message: str) -> None:
        columns.problems.add(message, number, name)

    if field.values:
        of = {plain(w): value for value, words in field.values.items() for w in (value, *words)}
        spelled = [of.get(plain(cell)) if cell.strip() else "" for cell in column]
        for number, cell, value in zip(columns.table.numbers, column, spelled):
            if value is None:
                problem(number, f"{shown(cell)} is not known. Use one of {listed(field.values)}.")
        column = [value or "" for value in spelled]
    if field.show == "triples":
        for number, cell in zip(columns.table.numbers, column):
            for bad in read_triples(cell)[1]:
                problem(
                    number,
                    f"line {bad.line}: {shown(bad.text)} is no triple, {bad.reason}. "
                    "Write subject → predicate → object.",
                )
    questions = {question.id: question for question in protocol.questions}
    if field.answers and (question := questions.get(field.answers.question)):
        for number, cell in zip(columns.table.numbers, column):
            try:
                question.check(cell) if cell.strip() else None
            except ValueError as error:
                problem(number, f"{error}.")
    return column


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
    rows: list[ItemRow], kept: list[str], naming: set[str | None]
) -> tuple[list[ItemRow], list[str]]:
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
    names = [name for name in kept if name not in differing]
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


def _filled(columns: Columns, answers: set[str]) -> list[str]:
    """A line for each column of answers that the file has filled and `open` leaves alone."""
    notes, source = [], columns.table.name
    for name in columns.placed:
        filled = sum(bool(cell.strip()) for cell in columns.cells(name))
        if name in answers and filled:
            notes.append(
                f"{source}: {filled} filled cells in {name} were left alone; "
                f"take them in with: raterbook import ROUND {source} --rater NAME"
            )
    return notes


# Knowledge graph triples as people write them: one a line, numbered or not, with any arrow.


_NUMBERING = re.compile(r"(?:\d+\s*[.):]|[-*•])(?=\s)")
_ARROWS = (  # the first that splits a line in three is meant; the space around goes with strip()
    re.compile(r"[→⟶⇒➝➔]"),
    re.compile(r"-{1,2}>|=>"),
    re.compile(r"\|"),
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
        plain = line.lstrip()
        if (mark := _NUMBERING.match(plain)) is not None:
            plain = plain[mark.end() :]
        if not (plain := plain.strip()):
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
