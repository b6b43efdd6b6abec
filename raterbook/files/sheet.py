"""A file as rows of texts under named columns, whatever its format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raterbook.files import content, formats
from raterbook.protocols.kinds import plain
from raterbook.rounds.model import FileError, Problems, counted, listed, shown

MOST_COLUMNS = 2_000
FORMATS = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")


@dataclass
class Sheet:
    """`rows[i]` stood in row `numbers[i]` of the file, the header being row 1.

    `original` is the file's text where the file was CSV or TSV; `notes` is what the reader had
    to assume.
    """

    name: str
    columns: list[str]
    rows: list[list[str]]
    numbers: Sequence[int]
    notes: list[str] = field(default_factory=list)
    original: content.Decoded | None = None
    metadata: dict[str, str] = field(default_factory=dict)

    def column(self, position: int | None) -> list[str]:
        """One column's cells; of a column the file lacks, as many empty ones."""
        if position is None:
            return [""] * len(self.rows)
        return [row[position] for row in self.rows]


def read_sheet(source: Any, encoding: str | None = None) -> Sheet:
    """The rows of a file, of standard input for "-", or of a DataFrame.

    The ending says the format; standard input is CSV, or JSONL where it begins with a brace.
    """
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        return _checked(_from_frame(source))
    name, suffix = content.label(source), Path(source).suffix.lower()
    if suffix in (".xlsx", ".xlsm"):
        columns, numbers, rows = formats.read_workbook(
            content.read_bytes(source, lines=False), name
        )
        return _checked(Sheet(name, columns, rows, numbers))
    if suffix in (".parquet", ".pq"):
        columns, rows, metadata = formats.read_parquet(
            content.read_bytes(source, lines=False), name
        )
        return _checked(Sheet(name, columns, rows, range(2, len(rows) + 2), metadata=metadata))
    if suffix == ".xls":
        raise FileError(f"{name}: old Excel files cannot be read. Save it as .xlsx or .csv.")
    decoded = content.decode(content.read_bytes(source), name, encoding)
    text, notes = decoded.text, [decoded.note] if decoded.note else []
    if suffix in (".jsonl", ".ndjson") or (suffix == "" and text.lstrip()[:1] == "{"):
        columns, numbers, rows = formats.read_lines(text, name)
        return _checked(Sheet(name, columns, rows, numbers, notes))
    if suffix not in ("", ".csv", ".tsv", ".txt", ".tab"):
        raise FileError(f"{name}: the format {suffix!r} is not known. Use {listed(FORMATS)}.")
    columns, numbers, rows, more = formats.read_delimited(text, name, suffix in (".tsv", ".tab"))
    return _checked(Sheet(name, columns, rows, numbers, notes + more, original=decoded))


def _from_frame(frame: Any) -> Sheet:
    columns = [str(column) for column in frame.columns]
    rows = [[text_of(cell) for cell in row] for row in frame.itertuples(index=False, name=None)]
    return Sheet("table", columns, rows, range(2, len(rows) + 2))


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
        return cell.isoformat()
    return str(cell)


def _checked(sheet: Sheet) -> Sheet:
    """Refuse what is not a table of named columns; leave out rows with nothing in them."""
    columns = len(sheet.columns)
    if columns > MOST_COLUMNS:
        raise FileError(
            f"{sheet.name} has {columns:,} columns; {MOST_COLUMNS:,} is the most. "
            "Keep the columns that are needed."
        )
    if not any(name.strip() for name in sheet.columns):
        raise FileError(f"{sheet.name} has no names of columns in row 1. Write them there.")
    problems = Problems(sheet.name)
    rows, numbers = [], []
    if sheet.original is None:
        _plain_texts(sheet, problems)
    for number, row in zip(sheet.numbers, sheet.rows, strict=True):
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
    for place, name in enumerate(sheet.columns):
        if not name.strip() and any(row[place].strip() for row in rows):
            first = next(n for n, row in zip(numbers, rows, strict=True) if row[place].strip())
            problems.add(
                f"column {place + 1} has no name and is not empty in row {first}. "
                "Name it, or remove it.",
                1,
            )
    problems.stop()
    if empty := len(sheet.rows) - len(rows):
        sheet.notes.append(f"{sheet.name}: {counted(empty, 'empty row')} left out.")
    sheet.rows, sheet.numbers = rows, numbers
    return sheet


def _plain_texts(sheet: Sheet, problems: Problems) -> None:
    """No NUL and no half characters: formats that escape characters can carry what no text has."""
    for number, row in zip(sheet.numbers, sheet.rows, strict=True):
        for name, cell in zip(sheet.columns, row, strict=False):
            if "\x00" in cell:
                problems.add("a NUL character. Remove it.", number, name)
            if not cell.isascii() and any("\ud800" <= c <= "\udfff" for c in cell):
                problems.add(
                    "half a character (a lone surrogate). Write the whole one.", number, name
                )


def required(
    sheet: Sheet, names: Sequence[str], placed: dict[str, int], header: Sequence[str] = ()
) -> None:
    """Refuse a file that lacks a column, naming what it has; `header` is what a first row needs."""
    missing = [name for name in names if name not in placed]
    if missing:
        plural, them = ("columns", "them") if len(missing) > 1 else ("column", "it")
        raise FileError(
            f"{sheet.name}, row 1: no {plural} {listed(missing)}. "
            f"The file has {listed(map(shown, sheet.columns))}. Name {them} in row 1; "
            f"if it is no row of names, write one above it with "
            f"{listed(header or names)}."
        )


# Column names as people and programs write them, brought to the names of the protocol.


def name_columns(
    columns: Iterable[str], known: Mapping[str, Iterable[str]], problems: Problems
) -> dict[str, int]:
    """Canonical name → position. Headers that are not known keep their own name.

    An exact name wins over an alias; two columns for one name are a problem.
    """
    columns = list(columns)
    spellings: dict[str, str] = {}
    for name, aliases in known.items():
        spellings.setdefault(plain(name), name)
        for alias in aliases:
            spellings.setdefault(plain(alias), name)
    placed: dict[str, int] = {}
    for position, header in enumerate(columns):
        stripped = header.strip().removeprefix("\ufeff").strip()
        name = stripped if stripped in known else spellings.get(plain(header), stripped)
        if not name:
            continue
        if name in placed:
            first = columns[placed[name]]
            if first == header:
                problems.add(
                    f"stands twice, in places {placed[name] + 1} and {position + 1}. Keep one.",
                    1,
                    header,
                )
            else:
                problems.add(
                    f"means the same as column {shown(first)} ({name}). Keep one.", 1, header
                )
            continue
        placed[name] = position
    return placed
