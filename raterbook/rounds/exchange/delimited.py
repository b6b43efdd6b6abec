"""CSV and TSV: read strictly, written so that reading gives the same cells."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TextIO

from raterbook.rounds.exchange.content import LONGEST
from raterbook.rounds.exchange.formulas import restored, safe
from raterbook.rounds.exchange.problems import FileError

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def read(
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
        rows = [
            [restored(cell) if cell[:1] == "'" else cell for cell in row] for row in rows
        ]
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
        return (f"row {row} has a cell of more than {LONGEST // 1024**2} MB. "
                "A quote may be missing: look at the quotes from there on.")
    if "unexpected end" in error:
        return f"row {row} opens a quote that is never closed. Close it, or write the quote twice."
    return (f"row {row} has a quote that is neither at the ends of its cell nor doubled ({error}). "
            "Write a quote inside a cell twice.")


def write(
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
