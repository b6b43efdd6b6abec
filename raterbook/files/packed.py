"""Formats that unpack to more than they weigh: Excel's workbooks and Parquet.

What a file says of its own size is not believed: it is unpacked piece by piece, and counted.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import raterbook.files.content as content
from raterbook.environment import most, optional
from raterbook.files.content import Tally
from raterbook.files.table import BLANK, Table, text_of
from raterbook.rounds.model import FileError, Problems, listed, shown

# Excel workbooks: the first sheet, as texts.


_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]")
# What no workbook has, and what its reader would take too long over.
_ENTITIES = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C")
# What its reader makes much of, and how many at most.
_SHEETS = (re.compile(rb"\bsheetId\b"), "sheets", 1_000)
_LOOKS = (re.compile(rb"[<:](?:xf|font|border|dxf|numFmt)\b"), "formats of cells", 50_000)
_LONG_CODE = re.compile(rb"""formatCode\s*=\s*(?:"[^"]{2000}|'[^']{2000})""")


def read_workbook(data: bytes, name: str, encoding: str | None = None) -> Table:
    """The first sheet, its rows numbered as there. Formulas are refused, not calculated."""
    optional("openpyxl", "excel", f"{name}: an Excel file")

    problems, tally = Problems(name), Tally(name, len(data))
    columns: list[str] = []
    numbers: list[int] = []
    rows: list[list[str]] = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            _weigh(packed, tally)
        sheet = _first_sheet(data)
        if sheet is None:
            raise FileError(f"{name} has no sheet with cells. Save it again as .xlsx, or as .csv.")
        sheet.reset_dimensions()
        for number, cells in enumerate(sheet.iter_rows(), start=1):
            row = _row(cells, number, problems, tally) if cells else BLANK
            while row and not row[-1].strip():
                row.pop()
            tally.columns(len(row), number)
            tally.add(max(len(row), len(columns)) if row else 0, sum(map(len, row)))
            if number == 1:
                columns = row
                continue
            numbers.append(number)
            rows.append(row + [""] * (len(columns) - len(row)) if row else BLANK)
    except FileError:
        raise
    except Exception as error:  # openpyxl and its XML parser raise whatever they met
        raise FileError(
            f"{name} is not an Excel workbook that can be read "
            f"({type(error).__name__}). Save it again as .xlsx, or as .csv."
        ) from None
    problems.stop()
    return Table(name, columns, rows, numbers)


def _first_sheet(data: bytes) -> Any:
    """As openpyxl opens a workbook, without the other sheets and what lies beside the cells: what
    is to be printed takes the square of its length to read, and every sheet the files of all."""
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.styles.stylesheet import apply_stylesheet
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    reader = ExcelReader(io.BytesIO(data), read_only=True, keep_links=False)
    reader.read_manifest()
    reader.read_strings()
    reader.read_workbook()
    apply_stylesheet(reader.archive, reader.wb)  # a number is a date by its format
    for sheet, rel in reader.parser.find_sheets():
        if rel.target in reader.valid_files and "chartsheet" not in rel.Type:
            return ReadOnlyWorksheet(reader.wb, sheet.name, rel.target, reader.shared_strings)
    return None


def _weigh(packed: zipfile.ZipFile, tally: Tally) -> None:
    """Unpack everything once and keep nothing of it, so that nothing large is kept later."""
    members = packed.infolist()
    if len(members) > most(content.MEMBERS):
        tally.refuse("files in it", most(content.MEMBERS))
    size, limit = sum(member.file_size for member in members), tally.most_text
    if size > limit:
        raise FileError(
            f"{tally.name} unpacks to {size // 1024**2:,} MB; {limit // 1024**2:,} is the most of "
            f"a file of its size. Save it as .csv, or {content.RAISE}."
        )
    tags = 0
    for member in members:
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(f"{tally.name} is packed as Excel packs none. Save it again as .xlsx.")
        before, made = b"", {_SHEETS: 0, _LOOKS: 0}
        with packed.open(member) as stream:
            while piece := stream.read(content.CHUNK):
                tags += piece.count(b"<")
                if tags > tally.most_tags:
                    tally.refuse("marks in its sheets", tally.most_tags)
                seen = before + piece
                if _ENTITIES.search(seen) or _LONG_CODE.search(seen):
                    raise FileError(
                        f"{tally.name} has entities or a format of thousands of characters, which "
                        "no workbook needs. Save it as .csv."
                    )
                plain = piece.replace(b"\0", b"")  # as it were without it, of UTF-16
                for each in made:
                    pattern, what, number = each
                    made[each] += sum(1 for _ in pattern.finditer(plain))
                    if made[each] > most(number):
                        tally.refuse(what, most(number))
                before = piece[-3000:]


def _row(cells: Iterable[Any], number: int, problems: Problems, tally: Tally) -> list[str]:
    row = []
    for cell in cells:
        if cell.data_type == "f":
            problems.add(f"cell {cell.coordinate} holds a formula. Paste its value.", number)
            tally.text += COPIED * len(text_of(cell.value))
        elif cell.data_type == "e":
            problems.add(
                f"cell {cell.coordinate} holds the error {shown(cell.value)}. Correct it.", number
            )
        text = text_of(cell.value)
        row.append(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text))
    return row


COPIED = 4  # how many characters one of a formula stands for: to copy it down takes as long


def write_workbook(table: Table) -> bytes:
    """Every cell a text, so that nothing is calculated or turned into a date."""
    openpyxl = optional("openpyxl", "excel", "Writing an Excel file")
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("answers")
    for number, row in enumerate([table.columns, *table.rows], start=1):
        cells = []
        for column, text in zip(table.columns, row, strict=True):
            if len(text) > 32_767:
                raise FileError(
                    f"{table.name}, row {number}, column {column}: {len(text):,} "
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


def _escaped(text: str) -> str:
    """Characters that XML cannot hold, as Excel writes them: _x000D_ for a carriage return."""
    text = _ESCAPE.sub(lambda found: "_x005F" + found[0], text)
    return _UNSAFE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


# Parquet: typed columns, with the protocol's hash and the layout in the schema.


PREFIX = "ratebook:"  # of our keys in the schema's metadata
AT_ONCE = 16_384  # rows
PLAIN = (0, 2, 3, 8)  # how pages are encoded whose texts can be read each once
DELTA_BYTE_ARRAY = 7  # texts that say how much of the one before they repeat


def read_parquet(data: bytes, name: str, encoding: str | None) -> Table:
    """Rows as texts, and our metadata. Columns of lists, objects and bytes are left out."""
    pa = optional("pyarrow", "parquet", f"{name}: a Parquet file")
    import pyarrow.parquet as pq

    tally = Tally(name, len(data))
    try:
        footer = pq.read_metadata(io.BytesIO(data))
        tally.columns(footer.num_columns)
        schema = footer.schema.to_arrow_schema()
        texts = [field.name for field in schema if _is_text(field.type)]
        kept = [field.name for field in schema if _is_text(field.type) or _is_plain(field.type)]
        left = [field.name for field in schema if field.name not in kept]
        twice = [column for column in kept if schema.names.count(column) > 1]
        if twice or not kept:
            why = f"column {shown(twice[0])} stands twice" if twice else "no column of texts"
            raise FileError(f"{name}, row 1: {why}. Write it again with one of each.")
        at_once, deltas = _weigh_pages(data, footer, set(kept), tally)
        once = [column for column in texts if column not in deltas]
        file = pq.ParquetFile(io.BytesIO(data), read_dictionary=once)
        rows: list[list[str]] = []
        batches = file.iter_batches(at_once, columns=kept if left else None, use_threads=False)
        for batch in batches:
            tally.add(len(batch) * len(kept), rows=len(batch))
            columns = [_cells(column, tally) for column in batch.columns]
            rows += map(list, zip(*columns, strict=True))
        metadata = {
            key.decode().removeprefix(PREFIX): value.decode()
            for key, value in (schema.metadata or {}).items()
            if key.startswith(PREFIX.encode())
        }
    except FileError:
        raise
    except (pa.ArrowException, OSError, LookupError, ValueError, OverflowError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(
            f"{name} is not a Parquet file that can be read ({shown(first, 200)}). "
            "Write it again, or save it as .csv."
        ) from None
    note = f"{name}: not read, as it holds lists, objects or bytes: {listed(left, 10)}."
    numbers = range(2, len(rows) + 2)
    return Table(name, kept, rows, numbers, [note] if left else [], metadata=metadata)


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_plain(kind: Any) -> bool:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        kind = kind.value_type
    each = (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal)
    return any(is_so(kind) for is_so in (*each, types.is_temporal, types.is_null))


def _cells(column: Any, tally: Tally) -> list[str]:
    """A column's cells as texts; equal ones are one text, however often they come."""
    import numpy as np

    if column.null_count == len(column):
        return [""] * len(column)
    if not hasattr(column, "dictionary"):
        column = column.dictionary_encode()
    missing = len(column.dictionary)
    places = np.asarray(column.indices.fill_null(missing))
    used, codes = np.unique(places, return_inverse=True)
    there = used[used < missing]
    texts = [text_of(value) for value in column.dictionary.take(there).to_pylist()]
    texts += [""] * (len(used) - len(there))
    sizes = [len(text) for text in texts]
    if max(sizes) > most(content.LONGEST):
        tally.refuse("characters in a cell", most(content.LONGEST))
    tally.add(0, int(np.bincount(codes, minlength=len(sizes)) @ np.array(sizes)), rows=0)
    return [texts[code] for code in codes.tolist()]


def _weigh_pages(
    data: bytes, footer: Any, kept: set[str], tally: Tally
) -> tuple[int, Collection[str]]:
    """What the pages of these columns unpack to is counted by their own headers, which is what
    their reader goes by. How many rows can be read at once, and the columns with deltas."""
    unpacked = values = 0
    deltas: set[str] = set()
    at_once, limit = AT_ONCE, tally.most_text
    for group in range(footer.num_row_groups):
        chunks = footer.row_group(group)
        for place in range(footer.num_columns):
            chunk = chunks.column(place)
            if chunk.path_in_schema not in kept:
                continue
            for size, number, encoding in _pages(data, chunk):
                unpacked += size
                values += number
                if unpacked > limit:
                    tally.refuse("bytes when unpacked", limit)
                if values > tally.most_cells:
                    tally.refuse("cells", tally.most_cells)
                if encoding not in PLAIN:
                    deltas.add(chunk.path_in_schema)
                if encoding == DELTA_BYTE_ARRAY:
                    at_once = max(1, min(at_once, content.TEXT[0] // (size or 1)))
    return at_once, deltas


def _pages(data: bytes, chunk: Any) -> Iterator[tuple[int, int, int]]:
    """Of each page of a column's chunk: bytes unpacked, values, and how they are encoded."""
    at = min(chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset)
    end, values = at + chunk.total_compressed_size, 0
    if not 0 <= at <= end <= len(data):
        raise ValueError("its pages lie outside of it")
    while at < end and values < chunk.num_values:
        header, at = _struct(data, at)
        size, packed = header[2], header[3]
        of_data = header.get(5) or header.get(8) or {}
        number = of_data.get(1, 0)
        if min(size, packed, number) < 0:
            raise ValueError("a page of less than nothing")
        yield size, number, of_data.get(2 if 5 in header else 4, 0)
        values, at = values + number, at + packed


def _struct(data: bytes, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Thrift's compact form, as far as headers of pages have it: numbers and structs by field."""
    found: dict[int, Any] = {}
    field = 0
    while head := data[at]:
        kind, step = head & 15, head >> 4
        at += 1
        if step:
            field += step
        else:
            field, at = _number(data, at)
        if kind in (4, 5, 6):
            found[field], at = _number(data, at)
        elif kind == 12 and depth < 3:
            found[field], at = _struct(data, at, depth + 1)
        elif kind == 8:
            size, at = _varint(data, at)
            at += size
        elif kind in (3, 7):
            at += 1 if kind == 3 else 8
        elif kind not in (1, 2):
            raise ValueError("a page without a header")
    return found, at + 1


def _number(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
        shift += 7
    raise ValueError("a page without a header")


def write_parquet(table: Table) -> bytes:
    """Values as they are under the table's types; columns without one are texts."""
    pa = optional("pyarrow", "parquet", "Writing a Parquet file")
    import pyarrow.parquet as pq

    time = pa.timestamp("us", "UTC")
    kinds = [table.types.get(name, "string") for name in table.columns]
    types = [time if kind == "time" else pa.type_for_alias(kind) for kind in kinds]
    schema = pa.schema(
        [pa.field(name, type) for name, type in zip(table.columns, types)],
        metadata={f"{PREFIX}{key}": value for key, value in table.metadata.items()},
    )
    columns = zip(*table.rows) if table.rows else [()] * len(types)
    arrays = [pa.array(column, type) for column, type in zip(columns, types)]
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), stream)
    return stream.getvalue()
