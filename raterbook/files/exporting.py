"""Answers to a file, in the layout that is asked for."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.files import formats
from raterbook.files.content import label, put
from raterbook.files.layouts import source, tools
from raterbook.files.layouts.carries import (
    LAYOUTS,
    TOOLS,
    for_tool,
    named_by_source,
    nameless,
    refuse_source,
)
from raterbook.files.layouts.long import long_rows
from raterbook.files.layouts.wide import Line, left_out, wide_rows
from raterbook.rounds import items as original
from raterbook.rounds.current import Fact, facts
from raterbook.rounds.items import Decoded
from raterbook.rounds.marks import MARKED
from raterbook.rounds.model import FileError, listed, shown

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound


@dataclass(frozen=True)
class Exported:
    """What an export wrote, and what the layout left behind."""

    file: str
    layout: str
    answers: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = "marks" if self.layout == "marks" else "answers"
        words = f"{self.file}: {self.answers:,} {what}, layout {self.layout}"
        return words + (f"; not in this file: {listed(self.left_out)}" if self.left_out else "")


def export_answers(
    round: StoredRound, file: str | Path, layout: str = "long", pseudonyms: bool = False
) -> Exported:
    """Write the current answers. The file appears whole or not at all; "-" is standard output.

    The ending chooses the format of the layouts long and wide: .csv, .tsv, .jsonl, .xlsx,
    .parquet (long). `source` is the items file with the answers in it, byte for byte otherwise.
    `label-studio` and `argilla` are those tools' JSON, with what people answered.
    `marks` are no answers: a row for each flag with its reason and each stretch of evidence.
    `pseudonyms` stand for the names of people.
    """
    if layout not in LAYOUTS:
        raise FileError(f"{shown(layout)} is no layout. Use one of {listed(LAYOUTS)}.")
    suffix = Path(file).suffix.lower()
    if layout == "marks":
        return _marks(round, file, suffix, pseudonyms)
    if suffix in (".parquet", ".pq") and layout in ("long", "parquet"):
        layout = "parquet"
    with round.store.read() as connection:
        found = facts(
            connection, round.look(connection), round.questions(connection), pseudonyms=pseudonyms
        )
        kept = original.kept(connection, round.id)
        fields = _fields(round, connection)
    name = label(file) if str(file) != "-" else "standard output"
    away = {
        word: each.name if not pseudonyms else each.pseudonym
        for each in round.raters()
        if each.excluded
        for word in (each.name, each.pseudonym)
    }
    gone = dict.fromkeys(away[fact.rater] for fact in found if fact.rater in away)
    found = [fact for fact in found if fact.rater not in away]  # as in every number
    left: list[str] = []
    if layout == "parquet":
        data = _parquet(round, found)
    elif layout in TOOLS:
        found, left = for_tool(found, layout)
        data = _for_tool(round, found, layout, suffix, name)
    elif layout == "source" or (layout == "wide" and source.answer_columns(round.protocol)):
        refuse_source(round.protocol, found)
        data = _source(round, found, kept, fields, suffix)
        left = [*nameless(found), *named_by_source(found)]
    else:
        rows = long_rows(found) if layout == "long" else wide_rows(round.protocol, found, fields)
        data = encoded(*rows, suffix, name)
        left = left_out([Line(fact, {}, {"": fact}) for fact in found]) if layout == "wide" else []
    put(data, file)
    left += [f"answers of {who} (excluded)" for who in gone]
    return Exported(name, layout, len(found), tuple(left))


def _marks(round: StoredRound, file: str | Path, suffix: str, pseudonyms: bool) -> Exported:
    name = label(file) if str(file) != "-" else "standard output"
    found = round.marked(pseudonyms)
    rows = [["" if row[column] is None else str(row[column]) for column in MARKED] for row in found]
    put(encoded(MARKED, rows, suffix, name), file)
    return Exported(name, "marks", len(found))


def encoded(columns: Sequence[str], rows: Sequence[Sequence[str]], suffix: str, name: str) -> bytes:
    if suffix == ".xlsx":
        return formats.write_workbook(columns, rows, name)
    stream = io.StringIO(newline="")
    if suffix in (".jsonl", ".ndjson"):
        formats.write_lines(stream, columns, rows)
    elif suffix in ("", ".csv", ".txt", ".tsv", ".tab"):
        formats.write_delimited(stream, columns, rows, "\t" if suffix in (".tsv", ".tab") else ",")
    else:
        raise FileError(
            f"{name}: the format {suffix!r} is not known. "
            "Use .csv, .tsv, .jsonl, .xlsx or .parquet."
        )
    return stream.getvalue().encode()


def _for_tool(
    round: StoredRound, found: Sequence[Fact], layout: str, suffix: str, name: str
) -> bytes:
    """What Label Studio or Argilla reads: what raters see of each item, and the answers."""
    if suffix not in ("", ".json"):
        raise FileError(f"{name}: the layout {layout} is JSON. End its name in .json.")
    data: dict[tools.Where, dict[str, str]] = {}
    for of_case, subjects in ((False, round.items()), (True, round.cases())):
        for each in subjects:
            data[each.key, of_case, 0] = dict(each.fields)
            for part in each.parts:
                data[each.key, of_case, part.number] = {**each.fields, "part_text": part.text}
    if layout == "label-studio":
        written = tools.tasks(round.protocol, found, data)
    else:
        written = tools.argilla_records(found, data)
    return (json.dumps(written, ensure_ascii=False, indent=1) + "\n").encode()


def _fields(round: StoredRound, connection: Any) -> dict[tuple[str, bool], Mapping[str, str]]:
    """What the round knows of each item and case, hidden columns too."""
    snapshot, inside = round.look(connection), round.inside(connection)
    found: dict[tuple[str, bool], Mapping[str, str]] = {}
    for key, case in snapshot.cases.items():
        found[key, True] = {round.protocol.item.case: key, **inside.of(case.id)}
    for key, item in snapshot.items.items():
        found[key, False] = {**inside.of(item.case_id or 0), **inside.of(item.id)}
    return found


def _source(
    round: StoredRound,
    found: Sequence[Fact],
    kept: Decoded | None,
    fields: Mapping[tuple[str, bool], Mapping[str, str]],
    suffix: str,
) -> bytes:
    if round.bare:
        raise FileError(
            f"{round.name} was opened without its texts (--bare), so its items file "
            "cannot be written. Use long."
        )
    if suffix not in ("", ".csv", ".txt", ".tsv", ".tab"):
        raise FileError(
            "The layout source, and wide where a protocol's wide layout is its items file, is a "
            f"text file. Use .csv instead of {suffix}, or the layout long."
        )
    if kept is None:
        kept = Decoded(_rebuilt(round, fields), "utf-8")
    separator, _ = formats.separator(kept.text, round.name)
    return source.filled(kept, round.name, separator, round.protocol, found, named_by_source(found))


def _rebuilt(round: StoredRound, fields: Mapping[tuple[str, bool], Mapping[str, str]]) -> str:
    """An items file for rounds that were not opened from one."""
    items = [each for (_, of_case), each in fields.items() if not of_case]
    known = [
        name
        for name, field in round.protocol.item.fields.items()
        if field.exchange or any(each.get(name) for each in items)
    ]
    columns = dict.fromkeys([*known, *(name for each in items for name in each)])
    stream = io.StringIO(newline="")
    formats.write_delimited(
        stream, list(columns), [[each.get(name, "") for name in columns] for each in items]
    )
    return stream.getvalue()


def _parquet(round: StoredRound, found: Sequence[Fact]) -> bytes:
    import pyarrow as pa

    def time(fact: Fact) -> datetime:
        moment = fact.server_time if fact.client_time is None else fact.client_time
        seconds, rest = divmod(moment, 1_000_000)
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)

    def column(kind: Any, values: list[Any]) -> tuple[Any, list[Any]]:
        return kind, values

    columns = {
        "item": column(pa.string(), [fact.subject for fact in found]),
        "part": column(pa.int32(), [fact.part or None for fact in found]),
        "rater": column(pa.string(), [fact.rater for fact in found]),
        "rater_kind": column(pa.string(), [fact.kind for fact in found]),
        "rater_version": column(pa.string(), [fact.version for fact in found]),
        "question": column(pa.string(), [fact.question for fact in found]),
        "value": column(pa.string(), [fact.text or None for fact in found]),
        "number": column(
            pa.float64(),
            [
                None if fact.value is None or isinstance(fact.value, str) else float(fact.value)
                for fact in found
            ],
        ),
        "replicate": column(pa.int32(), [fact.replicate for fact in found]),
        "status": column(pa.string(), [fact.status for fact in found]),
        "reason": column(pa.string(), [fact.reason for fact in found]),
        "confidence": column(pa.float64(), [fact.confidence for fact in found]),
        "seconds": column(pa.float64(), [fact.seconds for fact in found]),
        "answered_at": column(pa.timestamp("us", "UTC"), [time(fact) for fact in found]),
        "revision": column(pa.int32(), [fact.revision for fact in found]),
    }
    return formats.write_parquet(
        columns,
        {
            "layout": "long",
            "round": round.name,
            "protocol": round.protocol.name,
            "protocol_hash": round.protocol_hash,
            "data_hash": round.data_hash(),
        },
    )
