"""Parquet: typed columns, with the protocol's hash and the layout in the schema."""

import io
from collections.abc import Mapping
from typing import Any

from raterbook.rounds.exchange.problems import FileError

PREFIX = "ratebook:"  # of our keys in the schema's metadata


def read(data: bytes, name: str) -> tuple[list[str], list[list[str]], dict[str, str]]:
    """Columns, rows as texts, and our metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(f"{name} is not a Parquet file that can be read ({first}). "
                        "Write it again, or save it as .csv.") from None
    metadata = {
        key.decode().removeprefix(PREFIX): value.decode()
        for key, value in (table.schema.metadata or {}).items()
        if key.decode(errors="replace").startswith(PREFIX)
    }
    columns = [_texts(column) for column in table.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return list(table.column_names), rows, metadata


def _texts(column: Any) -> list[str]:
    from raterbook.rounds.exchange.sheet import text_of

    return [text_of(cell) for cell in column.to_pylist()]


def write(columns: Mapping[str, tuple[Any, list[Any]]], metadata: Mapping[str, str]) -> bytes:
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
