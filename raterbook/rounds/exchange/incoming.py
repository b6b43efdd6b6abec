"""Answers from a file, in whatever layout it has."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.rounds.exchange import argilla, content, labelstudio, long
from raterbook.rounds.exchange.given import Given
from raterbook.rounds.exchange.long import is_long, read_long
from raterbook.rounds.exchange.problems import FileError, Problems, shown
from raterbook.rounds.exchange.sheet import Sheet, read_sheet
from raterbook.rounds.exchange.slots import has_slots, read_slots
from raterbook.rounds.exchange.taking import Summary, take
from raterbook.rounds.exchange.wide import read_wide
from raterbook.rounds.model import RATER_KINDS

if TYPE_CHECKING:
    from raterbook.protocols import Protocol
    from raterbook.rounds.stored import StoredRound


def import_answers(
    round: StoredRound, source: Any, rater: str | None = None, kind: str | None = None,
    replace: bool = False, encoding: str | None = None, new_raters: bool = False,
) -> Summary:
    """Take in a file of answers: long, wide, the protocol's own, Label Studio's or Argilla's.

    Whole or not at all. Answers equal to the current ones add nothing; different ones are refused
    unless `replace` asks for them, and then they are revisions. `rater` names who answered where
    the file does not, `kind` what kind of rater that is. A new rater whose name is like a known
    one's is refused, unless `new_raters` says that they are two.
    """
    with _undisturbed():
        return _import(round, source, rater, kind, replace, encoding, new_raters)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the collector: a hundred thousand small objects that all stay, and it looks through
    them again and again, which takes a third of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _import(
    round: StoredRound, source: Any, rater: str | None, kind: str | None, replace: bool,
    encoding: str | None, new_raters: bool,
) -> Summary:
    if kind is not None and kind not in RATER_KINDS:
        raise FileError(f"{shown(kind)} is no kind of rater. Use one of {', '.join(RATER_KINDS)}.")
    name = "table" if hasattr(source, "columns") else content.label(source)
    problems = Problems(name)
    if name != "table" and Path(source).suffix.lower() == ".json":
        given, notes = _json(source, name, round.protocol, problems, rater, kind, encoding)
    else:
        sheet = read_sheet(source, encoding)
        given, notes = _table(sheet, round.protocol, problems, rater, kind)
        notes = [*sheet.notes, *notes, *_same_protocol(sheet, round)]
    if not given and not problems.found:
        problems.add("no answers in it. Fill in the values, or name the file that has them.")
    return take(round, given, problems, replace, notes, new_raters)


def _table(
    sheet: Sheet, protocol: Protocol, problems: Problems, rater: str | None, kind: str | None
) -> tuple[list[Given], list[str]]:
    if sheet.metadata or {"number", *long.ALWAYS, "revision"} <= set(sheet.columns):
        sheet = _typed(sheet)
    if is_long(sheet):
        return read_long(sheet, protocol, problems, rater, kind)
    if has_slots(sheet, protocol):
        return read_slots(sheet, protocol, problems, rater, kind)
    return read_wide(sheet, protocol, problems, rater, kind)


def _json(
    source: Any, name: str, protocol: Protocol, problems: Problems, rater: str | None,
    kind: str | None, encoding: str | None,
) -> tuple[list[Given], list[str]]:
    decoded = content.decode(content.read_bytes(source, lines=False), name, encoding)
    records = labelstudio.records(decoded.text, name)
    notes = [decoded.note] if decoded.note else []
    read = labelstudio.read if labelstudio.looks_like(records) else argilla.read
    given, more = read(records, protocol, problems, kind)
    if rater is not None:
        for each in given:
            each.rater = rater
    return given, [*notes, *more]


def _same_protocol(sheet: Sheet, round: StoredRound) -> list[str]:
    """Files of ours say which protocol their answers are to."""
    told = sheet.metadata.get("protocol")
    if told is None:
        return []
    if told != round.protocol.name:
        raise FileError(f"{sheet.name} holds answers to {told}, and {round.name} asks "
                        f"{round.protocol.name}. Open a round of {told} for it.")
    if sheet.metadata.get("protocol_hash") != round.protocol_hash:
        return [f"{sheet.name} was written under another version of {told}; every value was "
                "checked against this one."]
    return []


def _typed(sheet: Sheet) -> Sheet:
    """Our own typed file or frame: `number` repeats `value`, no confidence is a fraction."""
    kept = [place for place, name in enumerate(sheet.columns) if name != "number"]
    columns = [sheet.columns[place] for place in kept]
    rows = [[row[place] for place in kept] for row in sheet.rows]
    if "confidence" in columns:
        place = columns.index("confidence")
        for row in rows:
            row[place] += "%" if row[place] and not row[place].endswith("%") else ""
    return Sheet(sheet.name, columns, rows, sheet.numbers, sheet.notes, None, sheet.metadata)
