"""Excel workbooks: the first sheet, as texts."""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

from raterbook.rounds.exchange.problems import FileError, Problems

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]")
UNPACKED = 512 * 1024**2  # what a workbook may grow to when unpacked


def read(data: bytes, name: str) -> tuple[list[str], list[int], list[list[str]]]:
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
            raise FileError(f"{name} unpacks to {size // 1024**2:,} MB; {UNPACKED // 1024**2} is "
                            "the most. Save it as .csv.")
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
        raise FileError(f"{name} is not an Excel workbook that can be read "
                        f"({type(error).__name__}). Save it again as .xlsx, or as .csv.") from None
    problems.stop()
    return columns, numbers, rows


def _row(cells: Iterable[Any], number: int, problems: Problems) -> list[str]:
    row = []
    for cell in cells:
        if cell.data_type == "f":
            problems.add(f"cell {cell.coordinate} holds a formula. Paste its value.", number)
        elif cell.data_type == "e":
            problems.add(f"cell {cell.coordinate} holds the error {cell.value}. Correct it.",
                         number)
        row.append(_text(cell.value))
    return row


def write(columns: Sequence[str], rows: Iterable[Sequence[str]], name: str) -> bytes:
    """Every cell a text, so that nothing is calculated or turned into a date."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("answers")
    for number, row in enumerate([columns, *rows], start=1):
        cells = []
        for column, text in zip(columns, row, strict=True):
            if len(text) > 32_767:
                raise FileError(f"{name}, row {number}, column {column}: {len(text):,} "
                                "characters; Excel holds 32,767. Export to .csv.")
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
