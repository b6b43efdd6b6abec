"""CSV and TSV: read strictly, written so that reading gives the same cells."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from raterbook.files.content import LONGEST
from raterbook.rounds.model import FileError, Problems, shown

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def read_delimited(
    text: str, name: str, tabs: bool = False
) -> tuple[list[str], list[int], list[list[str]], list[str]]:
    """Columns, row numbers, rows, and notes. Row 1 is the header, as a spreadsheet counts."""
    mark, notes = ("\t", []) if tabs else separator(text, name)
    old = csv.field_size_limit(LONGEST)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
    except csv.Error as error:
        raise FileError(f"{name}: {_words(str(error), text, mark)}") from None
    finally:
        csv.field_size_limit(old)
    while rows and not any(map(str.strip, rows[0])):
        return [], [], [], notes
    if not rows:
        return [], [], [], notes
    if "'" in text:
        rows = [[restored(cell) if cell[:1] == "'" else cell for cell in row] for row in rows]
    return rows[0], list(range(2, len(rows) + 1)), rows[1:], notes


def separator(text: str, name: str) -> tuple[str, list[str]]:
    """The comma, unless the first row has none and has semicolons or tabs."""
    first = text.lstrip("\r\n").split("\n", 1)[0].split("\r", 1)[0]
    counts = {mark: first.count(mark) for mark in SEPARATORS}
    if counts[","] or not any(counts.values()):
        return ",", []
    mark = max(counts, key=lambda each: counts[each])
    return mark, [f"{name} is separated by {SEPARATORS[mark]}; it was read so."]


def _words(error: str, text: str, separator: str) -> str:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    row = 1
    try:
        for _ in reader:
            row += 1
    except csv.Error:
        pass
    if "field limit" in error:
        return (
            f"row {row} has a cell of more than {LONGEST // 1024**2} MB. "
            "A quote may be missing: look at the quotes from there on."
        )
    if "unexpected end" in error:
        return f"row {row} opens a quote that is never closed. Close it, or write the quote twice."
    return (
        f"row {row} has a quote that is neither at the ends of its cell nor doubled ({error}). "
        "Write a quote inside a cell twice."
    )


def write_delimited(
    stream: TextIO, columns: Sequence[str], rows: Iterable[Sequence[str]], separator: str = ","
) -> None:
    """Cells that a spreadsheet would run get their prefix here."""
    risky = re.compile(rf"""["\r\n{separator}]|^\s|\s$""")
    for row in (columns, *rows):
        cells = [safe(cell) for cell in row]
        line = separator.join(quoted(cell) if risky.search(cell) else cell for cell in cells)
        stream.write((line or '""') + "\n")


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


# Excel workbooks: the first sheet, as texts.


_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]")
UNPACKED = 512 * 1024**2  # what a workbook may grow to when unpacked


def read_workbook(data: bytes, name: str) -> tuple[list[str], list[int], list[list[str]]]:
    """Columns, row numbers as the sheet has them, rows. Formulas are refused, not calculated."""
    import openpyxl

    problems = Problems(name)
    columns: list[str] = []
    numbers: list[int] = []
    rows: list[list[str]] = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > UNPACKED:
            raise FileError(
                f"{name} unpacks to {size // 1024**2:,} MB; {UNPACKED // 1024**2} is "
                "the most. Save it as .csv."
            )
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
        if not book.worksheets:
            raise FileError(f"{name} has no sheet with cells. Save it again as .xlsx, or as .csv.")
        sheet = book.worksheets[0]
        sheet.reset_dimensions()
        for number, cells in enumerate(sheet.iter_rows(), start=1):
            row = _row(cells, number, problems)
            if number == 1:
                while row and not row[-1].strip():
                    row.pop()
                columns = row
            else:
                numbers.append(number)
                rows.append(row + [""] * (len(columns) - len(row)))
    except FileError:
        raise
    except Exception as error:  # openpyxl and its XML parser raise whatever they met
        raise FileError(
            f"{name} is not an Excel workbook that can be read "
            f"({type(error).__name__}). Save it again as .xlsx, or as .csv."
        ) from None
    problems.stop()
    return columns, numbers, rows


def _row(cells: Iterable[Any], number: int, problems: Problems) -> list[str]:
    row = []
    for cell in cells:
        if cell.data_type == "f":
            problems.add(f"cell {cell.coordinate} holds a formula. Paste its value.", number)
        elif cell.data_type == "e":
            problems.add(
                f"cell {cell.coordinate} holds the error {cell.value}. Correct it.", number
            )
        row.append(_text(cell.value))
    return row


def write_workbook(columns: Sequence[str], rows: Iterable[Sequence[str]], name: str) -> bytes:
    """Every cell a text, so that nothing is calculated or turned into a date."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("answers")
    for number, row in enumerate([columns, *rows], start=1):
        cells = []
        for column, text in zip(columns, row, strict=True):
            if len(text) > 32_767:
                raise FileError(
                    f"{name}, row {number}, column {column}: {len(text):,} "
                    "characters; Excel holds 32,767. Export to .csv."
                )
            cell = WriteOnlyCell(sheet, None)
            cell.value = _escaped(text) or None
            cell.data_type = "s" if text else "n"
            cells.append(cell)
        sheet.append(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), str(value))


def _escaped(text: str) -> str:
    """Characters that XML cannot hold, as Excel writes them: _x000D_ for a carriage return."""
    text = _ESCAPE.sub(lambda found: "_x005F" + found[0], text)
    return _UNSAFE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


# JSON Lines: one object a line.


MOST_COLUMNS = 2_000
DEEP = "nested too deeply. Use one flat object per line."


def read_lines(text: str, name: str) -> tuple[list[str], list[int], list[list[str]]]:
    """Columns in the order they first appear, line numbers, rows of texts."""
    problems = Problems(name)
    columns: dict[str, int] = {}
    records: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
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
        for key in record:
            columns.setdefault(key, len(columns))
        if len(columns) > MOST_COLUMNS:
            raise FileError(
                f"{name}, row {number}: more than {MOST_COLUMNS:,} different names. "
                "Use the same few names in every line."
            )
        records.append((number, record))
    rows = []
    for number, record in records:
        row = [""] * len(columns)
        try:
            for key, value in record.items():
                row[columns[key]] = _line_text(value)
        except RecursionError:
            problems.add(DEEP, number)
        rows.append(row)
    problems.stop()
    return list(columns), [number for number, _ in records], rows


def write_lines(stream: TextIO, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """The first line has every column, the others only those with something in them."""
    for number, row in enumerate(rows):
        pairs = zip(columns, row, strict=True)
        record = {name: cell for name, cell in pairs if cell != "" or not number}
        stream.write(json.dumps(record, ensure_ascii=False) + "\n")


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
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, list) and all(isinstance(each, list | str) for each in value):
        return "\n".join(
            each if isinstance(each, str) else " → ".join(map(_line_text, each)) for each in value
        )
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


# Parquet: typed columns, with the protocol's hash and the layout in the schema.


PREFIX = "ratebook:"  # of our keys in the schema's metadata


def read_parquet(data: bytes, name: str) -> tuple[list[str], list[list[str]], dict[str, str]]:
    """Columns, rows as texts, and our metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(
            f"{name} is not a Parquet file that can be read ({first}). "
            "Write it again, or save it as .csv."
        ) from None
    metadata = {
        key.decode().removeprefix(PREFIX): value.decode()
        for key, value in (table.schema.metadata or {}).items()
        if key.decode(errors="replace").startswith(PREFIX)
    }
    columns = [_texts(column) for column in table.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return list(table.column_names), rows, metadata


def _texts(column: Any) -> list[str]:
    from raterbook.files.sheet import text_of

    return [text_of(cell) for cell in column.to_pylist()]


def write_parquet(
    columns: Mapping[str, tuple[Any, list[Any]]], metadata: Mapping[str, str]
) -> bytes:
    """`columns` has per name the Arrow type and the values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [pa.field(name, kind) for name, (kind, _) in columns.items()],
        metadata={f"{PREFIX}{key}": value for key, value in metadata.items()},
    )
    arrays = [pa.array(values, kind) for kind, values in columns.values()]
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), stream)
    return stream.getvalue()


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
