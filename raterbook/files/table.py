"""A file as rows of texts under named columns, whatever its format, and what its cells say."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import raterbook.files.content as content
from raterbook.protocols import kinds
from raterbook.protocols.kinds import plain
from raterbook.protocols.problems import nearest
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import (
    APPOINTED,
    RATER_KINDS,
    STATUSES,
    FileError,
    Problems,
    counted,
    listed,
    microseconds,
    shown,
)

T = TypeVar("T")
LEAST = ("item", "rater", "question", "value")  # the columns of a long file
BLANK: list[str] = []  # every row of nothing
LEFT_OUT = "(not in this file: {})"  # a header that names what a layout leaves behind


@dataclass
class Table:
    """`rows[i]` stood in row `numbers[i]` of the file, the header being row 1.

    `original` is the file's text where the file was CSV or TSV; `notes` is what the reader had
    to assume. On its way out a table can have `types`, and then values in place of texts.
    """

    name: str
    columns: list[str]
    rows: list[list[Any]]
    numbers: Sequence[int] = ()
    notes: list[str] = field(default_factory=list)
    original: Decoded | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    def column(self, position: int | None) -> list[str]:
        """One column's cells; of a column the file lacks, as many empty ones."""
        if position is None:
            return [""] * len(self.rows)
        return [row[position] for row in self.rows]

    def places(self) -> dict[str, int]:
        """Where each header stands, by `plain`; the first of several."""
        found: dict[str, int] = {}
        for place, name in enumerate(self.columns):
            found.setdefault(plain(name), place)
        return found

    def only(self, kept: Sequence[int]) -> Table:
        """These of its rows, by place."""
        rows, numbers = [self.rows[each] for each in kept], [self.numbers[each] for each in kept]
        return Table(self.name, self.columns, rows, numbers)


@dataclass
class Records:
    """A file of an annotation tool: a list of objects."""

    name: str
    records: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)


def text_of(cell: Any) -> str:
    """A typed cell as the text a CSV file would have: nothing for missing, 4 for 4.0."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if cell != cell:  # NaN, NaT
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if hasattr(cell, "isoformat"):
        return str(cell.isoformat())
    return str(cell)


def from_frame(frame: Any) -> Table:
    """A DataFrame's cells as texts."""
    columns = [str(column) for column in frame.columns]
    rows = [[text_of(cell) for cell in row] for row in frame.itertuples(index=False, name=None)]
    return Table("table", columns, rows, range(2, len(rows) + 2))


def checked(table: Table) -> Table:
    """Refuse what is not a table of named columns; leave out rows with nothing in them."""
    columns = len(table.columns)
    content.Tally(table.name, 0).columns(columns)
    if not any(name.strip() for name in table.columns):
        raise FileError(f"{table.name} has no names of columns in row 1. Write them there.")
    problems = Problems(table.name)
    rows, numbers = [], []
    if table.original is None:
        _plain_texts(table, problems)
    for number, row in zip(table.numbers, table.rows, strict=True):
        if len(row) == columns:
            if not any(row) or not any(map(str.strip, row)):
                continue
        elif not any(map(str.strip, row)):
            continue
        elif len(row) > columns and not any(row[columns:]):
            row = row[:columns]
        else:
            problems.add(
                f"{len(row)} cells where the header has {columns}. Put texts that hold "
                f"the separator or a line break in quotes.",
                number,
            )
            continue
        if row[0][:1] == "\ufeff":
            problems.add(
                "a byte order mark in the middle of the file: two files were joined. "
                "Give them one by one.",
                number,
            )
        rows.append(row)
        numbers.append(number)
    for place, name in enumerate(table.columns):
        if not name.strip() and any(row[place].strip() for row in rows):
            first = next(n for n, row in zip(numbers, rows, strict=True) if row[place].strip())
            problems.add(
                f"column {place + 1} has no name and is not empty in row {first}. "
                "Name it, or remove it.",
                1,
            )
    problems.stop()
    if empty := len(table.rows) - len(rows):
        table.notes.append(f"{table.name}: {counted(empty, 'empty row')} left out.")
    table.rows, table.numbers = rows, numbers
    return table


def _plain_texts(table: Table, problems: Problems) -> None:
    """No NUL and no half characters: formats that escape characters can carry what no text has."""
    for number, row in zip((1, *table.numbers), (table.columns, *table.rows), strict=True):
        whole = "".join(row)
        if whole.isascii() and "\x00" not in whole:
            continue
        for name, cell in zip(table.columns, row, strict=False):
            if "\x00" in cell:
                problems.add("a NUL character. Remove it.", number, name)
            if not cell.isascii() and any("\ud800" <= c <= "\udfff" for c in cell):
                problems.add(
                    "half a character (a lone surrogate). Write the whole one.", number, name
                )


def spellings(known: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The name that each spelling means, by `plain`; `known` has each name with its aliases."""
    found: dict[str, str] = {}
    for name, aliases in known.items():
        for word in (name, *aliases):
            found.setdefault(plain(word), name)
    return found


class Columns:
    """A table's columns under the protocol's names, however people and programs wrote them.

    `known` has each name with its aliases; an exact name wins over an alias, headers that are not
    known keep their own name, and two columns for one name are refused. Columns at the places
    `without` are left alone.
    """

    def __init__(
        self,
        table: Table,
        known: Mapping[str, Iterable[str]],
        problems: Problems,
        without: Iterable[int] = (),
    ):
        self.table, self.known, self.problems = table, known, problems
        self.placed: dict[str, int] = {}
        without = set(without)
        meant = spellings(known)
        for position, header in enumerate(table.columns):
            stripped = header.strip().removeprefix("\ufeff").strip()
            name = stripped if stripped in known else meant.get(plain(header), stripped)
            if not name or position in without:
                continue
            first = self.placed.setdefault(name, position)
            if first != position and table.columns[first] == header:
                problems.add(
                    f"stands twice, in places {first + 1} and {position + 1}. Keep one.", 1, header
                )
            elif first != position:
                same = f"means the same as column {shown(table.columns[first])} ({name})"
                problems.add(f"{same}. Keep one.", 1, header)
        problems.stop()

    def __contains__(self, name: str) -> bool:
        return name in self.placed

    def cells(self, name: str) -> list[str]:
        return self.table.column(self.placed.get(name))

    def require(
        self, names: Sequence[str], header: Sequence[str] = (), mapped: bool = False
    ) -> None:
        """Refuse a file that lacks a column; `header` is what a first row needs, and where fields
        can be `mapped` their headers can be told instead."""
        missing = [name for name in names if name not in self.placed]
        if missing:
            plural, them = ("columns", "them") if len(missing) > 1 else ("column", "it")
            instead = f", or say which they are (--map {missing[0]}=HEADER)" if mapped else ""
            there = listed(map(shown, self.table.columns))
            raise FileError(
                f"{self.table.name}, row 1: no {plural} {listed(missing)}. "
                f"The file has {there}. Name {them} in row 1{instead}; "
                f"if it is no row of names, write one above it with {listed(header or names)}."
            )

    def parsed(self, name: str, parse: Callable[[str], T], empty: T) -> list[T]:
        """One column through `parse`, each distinct cell once; what it refuses is a problem."""
        position = self.placed.get(name)
        if position is None:
            return [empty] * len(self.table.rows)
        known: dict[str, T] = {"": empty}
        found = []
        for number, row in zip(self.table.numbers, self.table.rows):
            cell = row[position]
            if cell not in known:
                try:
                    known[cell] = parse(cell.strip()) if cell.strip() else empty
                except ValueError as error:
                    self.problems.add(str(error), number, name)
                    found.append(empty)
                    continue
            found.append(known[cell])
        return found

    def raters(self, rater: str | None) -> list[str]:
        """Who answered, row by row: the file's column, or the one name that was given."""
        rows, problems = self.table.rows, self.problems
        if "rater" not in self.placed:
            if rater is None:
                problems.add(
                    "no column says who answered. Add a column rater, or name the rater "
                    "(--rater NAME).",
                    1,
                )
            return [rater or ""] * len(rows)
        names = [cell.strip() for cell in self.cells("rater")]
        others = {name for name in names if name and name != rater}
        if rater is not None and others:
            problems.add(
                f"it names its raters itself ({listed(sorted(others), 5)}). "
                f"Leave --rater {shown(rater)} out.",
                None,
                "rater",
            )
        for number, name in zip(self.table.numbers, names):
            if not name and rater is None:
                problems.add("empty. Write who answered.", number, "rater")
            elif name and (len(name) > 128 or not name.isprintable()):
                problems.add(
                    f"{shown(name)} is no name of a rater. Use 1 to 128 printable characters.",
                    number,
                    "rater",
                )
        one = {name: name or rater or "" for name in names}  # one text for all rows of a rater
        return [one[name] for name in names]

    def unread(self, meant: Iterable[str]) -> list[str]:
        """Columns nobody knows: noted, or refused where one of those `meant` was misspelt."""
        spelt = [plain(each) for each in meant]
        left = []
        for name in self.placed:
            if name in self.known or name.startswith(LEFT_OUT.split(":")[0]):
                continue
            if near := nearest(plain(name), spelt, 0.8):
                words = f"no such column. Did you mean {near.replace(' ', '_')}?"
                self.problems.add(words, 1, name)
            else:
                left.append(name)
        return [f"{self.table.name}: not read, as no question: {listed(left, 10)}."] if left else []


# What small cells say: each parser has the value, or a ValueError with the remedy.


def part(cell: str) -> int:
    """Empty and 0 are the whole."""
    if not re.fullmatch(r"\d{1,6}", cell, re.ASCII):
        raise ValueError(
            f"{shown(cell)} is no part. Leave it empty for the whole, or use 1, 2, 3, …"
        )
    return int(cell)


def replicate(cell: str) -> int:
    if not re.fullmatch(r"\d{1,6}", cell, re.ASCII) or int(cell) < 1:
        raise ValueError(f"{shown(cell)} is no replicate. Use 1, 2, 3, …")
    return int(cell)


def confidence(cell: str) -> float:
    """0–100, with or without %."""
    try:
        return kinds.confidence(cell)
    except ValueError as error:
        remedy = pointed(cell, "", kinds.confidence)
        raise ValueError(
            f"{shown(cell)} is no confidence. {remedy}" if remedy else shown(error, 200)
        ) from None


def seconds(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1e9 or "_" in cell:
        raise ValueError(
            f"{shown(cell)} is no number of seconds. "
            + pointed(cell, "Use a number from 0.", seconds)
        )
    return value


def pointed(cell: str, usual: str, check: Callable[[str], object]) -> str:
    """The remedy for a decimal comma, where a point makes the cell right; else the usual one.

    >>> pointed("85,5", "Use a number.", confidence), pointed("four", "Use a number.", confidence)
    ('Decimals have a point: write 85.5.', 'Use a number.')
    """
    # Three digits after a comma can be thousands.
    comma = re.fullmatch(r"\s*(-?\d+),((?:\d{1,2}|\d{4,})\s*%?)\s*", cell, re.ASCII)
    if comma is None:
        return usual
    meant = f"{comma[1]}.{comma[2]}"
    try:
        check(meant)
    except ValueError:
        return usual
    return f"Decimals have a point: write {meant}."


def time(cell: str) -> str:
    microseconds(cell)
    return cell


def status(cell: str) -> str:
    word = plain(cell).replace(" ", "_")
    if word not in STATUSES:
        raise ValueError(f"{shown(cell)} is no status. Use one of {listed(STATUSES)}.")
    return word


def kind(cell: str) -> str:
    word = plain(cell)
    if word not in RATER_KINDS:
        said = listed(name for name in RATER_KINDS if name not in APPOINTED)
        raise ValueError(f"{shown(cell)} is no kind of rater. Use one of {said}.")
    return word
