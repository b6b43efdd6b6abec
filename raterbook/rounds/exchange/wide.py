"""Reading the wide layout: one row per item, part and rater, one column per question."""

from collections.abc import Callable, Mapping
from typing import Any

from raterbook.protocols import Protocol
from raterbook.rounds.exchange import given as cells
from raterbook.rounds.exchange.blanks import Blanks
from raterbook.rounds.exchange.given import Given
from raterbook.rounds.exchange.headers import name_columns
from raterbook.rounds.exchange.items import known_columns
from raterbook.rounds.exchange.naming import LEAST, item_names, meant, unread
from raterbook.rounds.exchange.problems import FileError, Problems, counted, listed, shown
from raterbook.rounds.exchange.sheet import Sheet, required

BESIDE: dict[str, Callable[[str], Any]] = {
    "status": cells.status, "reason": cells.text, "confidence": cells.confidence,
}
ABOUT: dict[str, tuple[str, ...]] = {
    "rater": (), "rater_kind": (), "rater_version": (), "part": ("sentence_id",), "part_text": (),
    "replicate": (),
}


def read_wide(
    sheet: Sheet, protocol: Protocol, problems: Problems, rater: str | None, kind: str | None
) -> tuple[list[Given], list[str]]:
    """The answers of a wide file, and notes. Rows without an item and answers are left out."""
    questions = {question.id: question for question in protocol.questions}
    known = _known(protocol)
    placed = name_columns(sheet.columns, known, problems)
    problems.stop()
    asked = [name for name in placed if name in questions]
    if not asked:
        named = placed.keys() & known.keys()
        above = "" if named else " If row 1 is no row of names, write one above it."
        raise FileError(f"{sheet.name}, row 1: no column of answers. {meant(sheet)}It needs item, "
                        f"rater, question and value, or a column for one of {listed(questions)}."
                        f"{above}")
    key = [name for name in protocol.item.key if name in placed]
    if "item" not in placed:
        required(sheet, protocol.item.key[:1], placed, LEAST)
    notes = unread(sheet, placed, known, questions, problems)
    names = item_names(sheet, placed, protocol, key)
    said = [any(row[placed[name]].strip() for name in asked) for row in sheet.rows]
    empty = [not name and not says for name, says in zip(names, said)]
    if any(empty):
        notes.append(f"{sheet.name}: {counted(sum(empty), 'row')} without an item and without "
                     "answers left out.")
        kept = [place for place, blank in enumerate(empty) if not blank]
        sheet = Sheet(sheet.name, sheet.columns, [sheet.rows[place] for place in kept],
                      [sheet.numbers[place] for place in kept])
        names = [names[place] for place in kept]
    about: dict[str, list[Any]] = {
        "rater": cells.one_rater(sheet, placed, rater, problems),
        "part": cells.parsed(sheet, placed, "part", cells.part, 0, problems),
        "replicate": cells.parsed(sheet, placed, "replicate", cells.replicate, 1, problems),
        "kind": cells.parsed(sheet, placed, "rater_kind", cells.kind, kind, problems),
        "version": cells.parsed(sheet, placed, "rater_version", cells.text, None, problems),
    }
    found: list[Given] = []
    for question in asked:
        found += _answers(sheet, placed, question, names, about, problems)
    found.sort(key=lambda each: each.row)
    blanks = Blanks(protocol)
    blanks.rows_of(asked, sheet.numbers, found)
    return found, [*notes, *blanks.notes(sheet.name)]


def _known(protocol: Protocol) -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {
        name: aliases for name, aliases in known_columns(protocol).items()
        if name not in protocol.item.fields or not protocol.item.fields[name].exchange
    }
    known.update(ABOUT)
    known["rater"] = cells.rater_headers(protocol)
    known["item"] = ()
    for question in protocol.questions:
        slots = [name for name, field in protocol.item.fields.items()
                 if field.exchange == question.id]
        known[question.id] = (*question.aliases, *slots, question.label)
        known.update({f"{question.id}.{name}": () for name in BESIDE})
    return known


def _answers(
    sheet: Sheet, placed: dict[str, int], question: str, names: list[str],
    about: Mapping[str, list[Any]], problems: Problems,
) -> list[Given]:
    beside: list[list[Any]] = [
        cells.parsed(sheet, placed, f"{question}.{name}", parse, None, problems)
        for name, parse in BESIDE.items()
    ]
    status, reason, confidence = beside
    header = sheet.columns[placed[question]]
    found = []
    for place, (number, value) in enumerate(zip(sheet.numbers, sheet.column(placed[question]))):
        state = status[place] or "answered"
        if not value.strip() and state == "answered":
            if status[place] or reason[place] or confidence[place] is not None:
                problems.add("empty, and the row says more about the answer. Write the value, or "
                             "its status.", number, header)
            continue
        if not names[place]:
            problems.add(f"{shown(value)} stands in a row that names no item. Write which.",
                         number, header)
            continue
        found.append(Given(
            number, header, names[place], question, value, about["rater"][place],
            about["part"][place], about["replicate"][place], state, reason[place],
            confidence[place], None, None, about["kind"][place], about["version"][place],
        ))
    return found

