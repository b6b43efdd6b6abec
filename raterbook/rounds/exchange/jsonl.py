"""JSON Lines: one object a line."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from raterbook.rounds.exchange.problems import FileError, Problems, shown

MOST_COLUMNS = 2_000
DEEP = "nested too deeply. Use one flat object per line."


def read(text: str, name: str) -> tuple[list[str], list[int], list[list[str]]]:
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
            raise FileError(f"{name}, row {number}: more than {MOST_COLUMNS:,} different names. "
                            "Use the same few names in every line.")
        records.append((number, record))
    rows = []
    for number, record in records:
        row = [""] * len(columns)
        try:
            for key, value in record.items():
                row[columns[key]] = _text(value)
        except RecursionError:
            problems.add(DEEP, number)
        rows.append(row)
    problems.stop()
    return list(columns), [number for number, _ in records], rows


def write(stream: TextIO, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
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


def _text(value: Any) -> str:
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
            each if isinstance(each, str) else " → ".join(map(_text, each)) for each in value
        )
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
