"""Kinds of files: what reads each, what writes it, and by which ending it is known.

Reading gives the cells that were written, in every one. A new kind is its two functions and its
line in FORMATS.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import raterbook.files.content as content
from raterbook.environment import most
from raterbook.files.packed import read_parquet, read_workbook, write_parquet, write_workbook
from raterbook.files.table import BLANK, Records, Table, checked, from_frame, text_of
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import FileError, Problems, listed, shown


@dataclass(frozen=True)
class Format:
    """A kind of file. `read` takes the bytes, the file's name and the encoding that was named."""

    title: str
    read: Callable[[bytes, str, str | None], Table | Records]
    write: Callable[[Any], bytes]
    also: tuple[str, ...] = ()  # other endings
    reads: tuple[str, ...] = ()  # endings that are read and not written
    holds: Literal["texts", "values", "records"] = "texts"
    lines: bool = False  # a text of lines: an endless one is refused


def named(suffix: str, reading: bool = False) -> str | None:
    """The format that an ending means, by its place in FORMATS."""
    for name, each in FORMATS.items():
        if suffix in (name, *each.also, *(each.reads if reading else ())):
            return name
    return None


def endings(*which: str) -> list[str]:
    """The endings of formats, named themselves or by what they hold: texts, values, records."""
    return [name for name, each in FORMATS.items() if name in which or each.holds in which]


def listing() -> list[str]:
    """A line for each format: its ending, what it is, and its other endings."""
    lines = []
    for name, each in FORMATS.items():
        others = [ending for ending in (*each.also, *each.reads) if ending]
        lines.append(f"{name:<13} {each.title}" + (f", also {', '.join(others)}" if others else ""))
    return lines


def read_file(
    source: Any, encoding: str | None = None, holds: Sequence[str] = ("texts", "values", "records")
) -> Table | Records:
    """What is in a file, in standard input for "-", or in a DataFrame; a Table as it is.

    The ending says the format; standard input is CSV, or JSONL where it begins with a brace.
    """
    if isinstance(source, Table | Records):
        return source
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        return checked(from_frame(source))
    name, suffix = content.label(source), Path(source).suffix.lower()
    if suffix == ".xls":
        raise FileError(f"{name}: old Excel files cannot be read. Save it as .xlsx or .csv.")
    found = named(suffix, reading=True)
    data = content.read_bytes(source, lines=found is None or FORMATS[found].lines)
    if found is None or FORMATS[found].holds not in holds:
        _decoded(data, name, encoding)
        raise FileError(
            f"{name}: the format {suffix!r} is not known. Use {listed(endings('texts', 'values'))}."
        )
    if suffix == "" and _decoded(data, name, encoding).text.lstrip()[:1] == "{":
        found = ".jsonl"
    read = FORMATS[found].read(data, name, encoding)
    return checked(read) if isinstance(read, Table) else read


def read_table(source: Any, encoding: str | None = None) -> Table:
    """The rows of a file: of any format but tools' own."""
    table = read_file(source, encoding, ("texts", "values"))
    assert isinstance(table, Table)
    return table


def written_as(suffix: str, among: Sequence[str], what: str) -> Format:
    """The format of an ending, the first of those `among` where there is none."""
    found = named(suffix) if suffix else among[0]
    if found is None or found not in among:
        *rest, last = [FORMATS[each].title for each in among]
        titles = f"{', '.join(rest)} or {last}" if rest else last
        raise FileError(f"{what} is {titles}. End its name in {listed(among)}.")
    return FORMATS[found]


def _decoded(data: bytes, name: str, encoding: str | None) -> Decoded:
    if any(data.startswith(mark) for mark in content.BINARY):
        *rest, last = endings("texts", "values")
        raise FileError(
            f"{name} is not a text file. Use {', '.join(rest)} or {last}, and give the file the "
            "ending of what it is."
        )
    return content.decode(data, name, encoding)


# CSV and TSV: read strictly, written so that reading gives the same cells.


LOOKED_AT, ROWS = 100_000, 20  # signs and rows that tell a file's separator
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def read_csv(data: bytes, name: str, encoding: str | None, tabs: bool = False) -> Table:
    decoded = _decoded(data, name, encoding)
    columns, numbers, rows, notes = read_delimited(decoded.text, name, tabs)
    if decoded.note:
        notes.insert(0, decoded.note)
    return Table(name, columns, rows, numbers, notes, decoded)


def read_tsv(data: bytes, name: str, encoding: str | None) -> Table:
    return read_csv(data, name, encoding, tabs=True)


def read_delimited(
    text: str, name: str, tabs: bool = False
) -> tuple[list[str], Sequence[int], list[list[str]], list[str]]:
    """Columns, row numbers, rows, and notes. Row 1 is the header, as a spreadsheet counts."""
    mark, notes = ("\t", []) if tabs else separator(text, name)
    tally = content.Tally(name, len(text))
    first = _first_line(text)
    if '"' not in first:  # before a million of them are made
        tally.columns(first.count(mark) + 1)
    old = csv.field_size_limit(most(content.LONGEST))
    rows: list[list[str]] = []
    try:
        for row in csv.reader(_lines_of(text), delimiter=mark, strict=True):
            cells = len(row)
            tally.add(cells)
            if cells > content.MOST_COLUMNS:
                tally.columns(cells, tally.rows)
            rows.append(row or BLANK)
    except csv.Error as error:
        raise FileError(f"{name}: {_words(str(error), text, mark)}") from None
    finally:
        csv.field_size_limit(old)
    if not rows or not any(map(str.strip, rows[0])):
        return [], [], [], notes
    if "'" in text:
        rows = [[restored(cell) if cell[:1] == "'" else cell for cell in row] for row in rows]
    return rows[0], range(2, len(rows) + 1), rows[1:], notes


def separator(text: str, name: str) -> tuple[str, list[str]]:
    """Semicolons or tabs where they make more columns than commas, as many in each of the first
    rows, or where the first row has no comma; else the comma."""
    first = _first_line(text)
    counts = {mark: first.count(mark) for mark in SEPARATORS}
    widths = {mark: _width(text, mark) for mark in SEPARATORS}
    mark = max(widths, key=lambda each: widths[each])
    if widths[mark] < 2 and not counts[","]:
        mark = max(counts, key=lambda each: counts[each])
    if widths[mark] <= widths[","] and (counts[","] or not any(counts.values())):
        return ",", []
    return mark, [f"{name} is separated by {SEPARATORS[mark]}; it was read so."]


def _width(text: str, mark: str) -> int:
    """How many columns this makes; none where the first rows differ in it, or there is but one."""
    lines = csv.reader(_lines_of(text[:LOOKED_AT]), delimiter=mark)
    try:
        rows = [row for row in itertools.islice(lines, ROWS) if row]
    except csv.Error:
        return 0
    # The last of them may be cut short.
    rows = rows[:-1] if len(text) > LOOKED_AT and len(rows) < ROWS else rows
    width = len(rows[0]) if len(rows) > 1 else 0
    return width if width > 1 and all(len(row) == width for row in rows) else 0


def _lines_of(text: str) -> io.TextIOWrapper:
    """Line by line, ends and all: StringIO would take four bytes for each sign."""
    return io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")


def _first_line(text: str) -> str:
    found = re.compile(r"[\r\n]*([^\r\n]*)").match(text)
    return found[1] if found else ""


def _words(error: str, text: str, separator: str) -> str:
    reader = csv.reader(_lines_of(text), delimiter=separator, strict=True)
    row = 1
    try:
        for _ in reader:
            row += 1
    except csv.Error:
        pass
    if "field limit" in error:
        return (
            f"row {row} has a cell of more than {most(content.LONGEST) // 1024**2} MB. "
            "A quote may be missing: look at the quotes from there on."
        )
    if "unexpected end" in error:
        return f"row {row} opens a quote that is never closed. Close it, or write the quote twice."
    return (
        f"row {row} has a quote that is neither at the ends of its cell nor doubled ({error}). "
        "Write a quote inside a cell twice."
    )


def write_csv(table: Table, separator: str = ",") -> bytes:
    """Cells that a spreadsheet would run get their prefix here."""
    lines = []
    for row in (table.columns, *table.rows):
        line = separator.join(written(cell, separator) for cell in row)
        lines.append((line or '""') + "\n")
    return "".join(lines).encode()


def write_tsv(table: Table) -> bytes:
    return write_csv(table, "\t")


def written(cell: str, separator: str, quoted: bool = False) -> str:
    """One cell as a line has it, in quotes where it needs them, or had them."""
    cell = safe(cell)
    if quoted or _QUOTED[separator].search(cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell


_QUOTED = {mark: re.compile(rf"""["\r\n{mark}]|^\s|\s$""") for mark in SEPARATORS}


# JSON Lines: one object a line.


DEEP = "nested too deeply. Use one flat object per line."


def is_deep(value: Any) -> bool:
    """Whether there are more lists in lists than anybody writes."""
    level = [value]
    for _ in range(most(content.DEEPEST)):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def read_lines(data: bytes, name: str, encoding: str | None) -> Table:
    """Columns in the order they first appear; rows are numbered as the lines are."""
    decoded = _decoded(data, name, encoding)
    problems, tally = Problems(name), content.Tally(name, len(decoded.text))
    columns: dict[str, int] = {}
    records: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(decoded.text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_once, parse_constant=_refuse)
        except RecursionError:
            problems.add(DEEP, number)
            continue
        except ValueError as error:
            problems.add(f"not JSON: {error}. Write one object per line.", number)
            continue
        if not isinstance(record, dict):
            problems.add(f"{shown(line, 30)} is not an object. Write one object per line.", number)
            continue
        if is_deep(record):
            problems.add(DEEP, number)
            continue
        for key in record:
            columns.setdefault(key, len(columns))
        if len(columns) > content.MOST_COLUMNS:
            tally.columns(len(columns), number)
        tally.add(len(record))
        records.append((number, record))
    tally.cells = len(records) * len(columns)
    tally.stop()
    rows = []
    for _, record in records:
        row = [""] * len(columns)
        for key, value in record.items():
            row[columns[key]] = _line_text(value)
        rows.append(row)
    problems.stop()
    notes = [decoded.note] if decoded.note else []
    return Table(name, list(columns), rows, [number for number, _ in records], notes)


def write_lines(table: Table) -> bytes:
    """The first line has every column, the others only those with something in them."""
    lines = []
    for number, row in enumerate(table.rows):
        pairs = zip(table.columns, row, strict=True)
        record = {name: cell for name, cell in pairs if cell != "" or not number}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"{twice!r} stands twice")
    return record


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no value; leave it out, or write it as a text")


def _line_text(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(each, list | str) for each in value):
        return "\n".join(
            each if isinstance(each, str) else " → ".join(map(_line_text, each)) for each in value
        )
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return text_of(value)


# JSON: the records of annotation tools.


def read_json(data: bytes, name: str, encoding: str | None) -> Records:
    """A list of objects, as Label Studio and Argilla export it."""
    decoded = _decoded(data, name, encoding)
    tally, deep = content.Tally(name, len(data)), f"{name} is nested too deeply. Export it again."
    # Before any is made; what stands in texts is counted with it.
    tally.cells = sum(map(decoded.text.count, ",[{"))
    tally.stop()
    try:
        found = json.loads(decoded.text, object_pairs_hook=_once)
    except RecursionError:
        raise FileError(deep) from None
    except ValueError as error:
        raise FileError(f"{name} is not JSON: {error}. Export it again.") from None
    if isinstance(found, dict | list) and is_deep(found):
        raise FileError(deep)
    if isinstance(found, dict):
        found = found.get("records") or found.get("tasks") or [found]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise FileError(
            f"{name} is not a list of records. Use the JSON export of Label Studio or "
            "Argilla, or .jsonl for one object per line."
        )
    if not found:
        raise FileError(f"{name} has no records. Export the annotated ones.")
    return Records(name, found, [decoded.note] if decoded.note else [])


def write_json(file: Records) -> bytes:
    return (json.dumps(file.records, ensure_ascii=False, indent=1) + "\n").encode()


# Cells a spreadsheet would run: made safe on the way out, exactly themselves on the way in.


# A plain number such as -1 is a number, not a formula.
_RISKY = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_PREFIXED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\Z")


def safe(cell: str) -> str:
    """The cell with an apostrophe before it where a spreadsheet would take it for a formula.

    Cells that already look prefixed get one more, so that `restored` is exact.

    >>> safe("=1+1"), safe("-1"), safe("'=x"), safe("plain")
    ("'=1+1", '-1', "''=x", 'plain')
    """
    if cell and cell[0] in "'=+-@\t\r\n＝＋－＠" and _RISKY.match(cell) and not _NUMBER.match(cell):
        return "'" + cell
    return cell


def restored(cell: str) -> str:
    """The cell as it was before `safe`.

    >>> restored("'=1+1"), restored("''=x"), restored("'tis")
    ('=1+1', "'=x", "'tis")
    """
    return cell[1:] if cell[:1] == "'" and _PREFIXED.match(cell) else cell


FORMATS: dict[str, Format] = {
    ".csv": Format("CSV", read_csv, write_csv, also=("", ".txt"), lines=True),
    ".tsv": Format("TSV", read_tsv, write_tsv, also=(".tab",), lines=True),
    ".jsonl": Format("JSON Lines", read_lines, write_lines, also=(".ndjson",), lines=True),
    ".parquet": Format("Parquet", read_parquet, write_parquet, also=(".pq",), holds="values"),
    ".xlsx": Format("Excel", read_workbook, write_workbook, reads=(".xlsm",)),
    ".json": Format("JSON", read_json, write_json, holds="records"),
}
