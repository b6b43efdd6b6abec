"""Reading the wide layout: one row per item, part and rater, one column per question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from raterbook.files import cells
from raterbook.files.checks import Blanks
from raterbook.files.items import known_columns
from raterbook.files.sheet import Sheet, name_columns, required
from raterbook.files.subjects import LEAST, LEFT_OUT, item_names, meant, unread
from raterbook.protocols import Protocol
from raterbook.rounds.current import Fact
from raterbook.rounds.model import FileError, Given, Problems, counted, listed, shown

BESIDE: dict[str, Callable[[str], Any]] = {
    "status": cells.status,
    "reason": cells.text,
    "confidence": cells.confidence,
}
ABOUT: dict[str, tuple[str, ...]] = {
    "rater": (),
    "rater_kind": (),
    "rater_version": (),
    "part": ("sentence_id",),
    "part_text": (),
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
        raise FileError(
            f"{sheet.name}, row 1: no column of answers. {meant(sheet)}It needs item, "
            f"rater, question and value, or a column for one of {listed(questions)}."
            f"{above}"
        )
    key = [name for name in protocol.item.key if name in placed]
    if "item" not in placed:
        required(sheet, protocol.item.key[:1], placed, LEAST)
    notes = unread(sheet, placed, known, questions, problems)
    names = item_names(sheet, placed, protocol, key)
    said = [any(row[placed[name]].strip() for name in asked) for row in sheet.rows]
    empty = [not name and not says for name, says in zip(names, said)]
    if any(empty):
        notes.append(
            f"{sheet.name}: {counted(sum(empty), 'row')} without an item and without "
            "answers left out."
        )
        kept = [place for place, blank in enumerate(empty) if not blank]
        sheet = Sheet(
            sheet.name,
            sheet.columns,
            [sheet.rows[place] for place in kept],
            [sheet.numbers[place] for place in kept],
        )
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
        name: aliases
        for name, aliases in known_columns(protocol).items()
        if name not in protocol.item.fields or not protocol.item.fields[name].exchange
    }
    known.update(ABOUT)
    known["rater"] = cells.rater_headers(protocol)
    known["item"] = ()
    for question in protocol.questions:
        slots = [
            name for name, field in protocol.item.fields.items() if field.exchange == question.id
        ]
        known[question.id] = (*question.aliases, *slots, question.label)
        known.update({f"{question.id}.{name}": () for name in BESIDE})
    return known


def _answers(
    sheet: Sheet,
    placed: dict[str, int],
    question: str,
    names: list[str],
    about: Mapping[str, list[Any]],
    problems: Problems,
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
                problems.add(
                    "empty, and the row says more about the answer. Write the value, or "
                    "its status.",
                    number,
                    header,
                )
            continue
        if not names[place]:
            problems.add(
                f"{shown(value)} stands in a row that names no item. Write which.", number, header
            )
            continue
        found.append(
            Given(
                number,
                header,
                names[place],
                question,
                value,
                about["rater"][place],
                about["part"][place],
                about["replicate"][place],
                state,
                reason[place],
                confidence[place],
                None,
                None,
                about["kind"][place],
                about["version"][place],
            )
        )
    return found


# Writing the wide layout: one row per item, part and rater, one column per question.
#
# Where the protocol names a rater column (`item.rater`), its evaluators have a file of their own
# already: the headers are then the first aliases of the columns and questions, exactly as written
# there, and long texts stay out. Columns for part, replicate, kind of rater, status, reason and
# confidence appear only where something stands in them.


@dataclass
class Line:
    """One row: what it is about, who answered, and the answers by question."""

    first: Fact
    fields: Mapping[str, str]
    answers: dict[str, Fact] = field(default_factory=dict)


Column = tuple[str, Callable[[Line], str]]  # its header, and what stands in it
BETWEEN: tuple[Column, ...] = (
    ("replicate", lambda line: "" if line.first.replicate == 1 else str(line.first.replicate)),
    ("rater_kind", lambda line: line.first.kind),
    ("rater_version", lambda line: line.first.version or ""),
)
WRITTEN_BESIDE: tuple[tuple[str, Callable[[Fact], str]], ...] = (
    ("status", lambda fact: "" if fact.status == "answered" else fact.status),
    ("reason", lambda fact: fact.reason or ""),
    ("confidence", lambda fact: fact.confidence_text),
)


def wide_rows(
    protocol: Protocol, facts: Iterable[Fact], fields: Mapping[tuple[str, bool], Mapping[str, str]]
) -> tuple[list[str], list[list[str]]]:
    """Columns and rows; `fields` has what the round knows of each (key, whether it is a case)."""
    lines: dict[tuple, Line] = {}
    for fact in facts:
        row = (fact.subject, fact.of_case, fact.part, fact.rater, fact.replicate)
        if row not in lines:
            lines[row] = Line(fact, fields[fact.subject, fact.of_case])
        lines[row].answers[fact.question] = fact
    columns = _columns(protocol, list(lines.values()))
    return [name for name, _ in columns], [
        [value(line) for _, value in columns] for line in lines.values()
    ]


def _columns(protocol: Protocol, lines: list[Line]) -> list[Column]:
    own = bool(protocol.item.rater)
    asked = {question.id for question in protocol.questions}
    head = [_of_item(name, header) for name, header in _headers(protocol, own) if name not in asked]
    head = [
        column
        for column in head
        if not own or column[0] in protocol.item.key[:1] or _used(column, lines)
    ]
    rater: Column = (protocol.item.rater[0] if own else "rater", lambda line: line.first.rater)
    between = [
        column
        for column in BETWEEN
        if _used(column, lines)
        and (column[0] != "rater_kind" or any(e.first.kind != "human" for e in lines))
    ]
    part: Column = ("part", lambda line: line.first.part_text)
    if _used(part, lines):
        between.insert(0, part)
    closed = [question for question in protocol.questions if not question.is_text]
    texts = [question for question in protocol.questions if question.is_text]
    titles = {
        question.id: question.aliases[0] if own and question.aliases else question.id
        for question in protocol.questions
    }
    beside = [
        column
        for question in protocol.questions
        for name, value in WRITTEN_BESIDE
        if _used(column := _beside(question.id, name, value), lines)
    ]
    left = [(LEFT_OUT.format(", ".join(names)), _nothing)] if (names := left_out(lines)) else []
    if own:
        return [
            *head,
            *(_answer(q.id, titles[q.id]) for q in closed),
            rater,
            *(_answer(q.id, titles[q.id]) for q in texts),
            *between,
            *beside,
            *left,
        ]
    answers = [_answer(question.id, question.id) for question in protocol.questions]
    return [*head, *between, rater, *answers, *beside, *left]


def _headers(protocol: Protocol, own: bool) -> list[tuple[str, str]]:
    """Columns of items and their headers."""
    named = {name: name for name in (*protocol.item.key, protocol.item.case)}
    for name, each in protocol.item.fields.items():
        if each.exchange or (own and each.show in ("long", "triples")):
            continue
        named[name] = each.aliases[0] if own and each.aliases else name
    order = [*protocol.item.fields, *named]
    return [(name, named[name]) for name in dict.fromkeys(order) if name in named]


def left_out(lines: Iterable[Line]) -> list[str]:
    """What this layout leaves behind, where there is any: it is named in the last header."""
    facts = [fact for line in lines for fact in line.answers.values()]
    return [
        *(["seconds"] if any(fact.seconds is not None for fact in facts) else []),
        *(["answered_at"] if any(fact.client_time is not None for fact in facts) else []),
        *(["earlier revisions"] if any(fact.revision > 1 for fact in facts) else []),
    ]


def _used(column: Column, lines: list[Line]) -> bool:
    return any(column[1](line) for line in lines)


def _of_item(name: str, header: str) -> Column:
    return header, lambda line: line.fields.get(name, "")


def _answer(question: str, header: str) -> Column:
    return header, lambda line: line.answers[question].text if question in line.answers else ""


def _beside(question: str, name: str, value: Callable[[Fact], str]) -> Column:
    return (
        f"{question}.{name}",
        lambda line: value(line.answers[question]) if question in line.answers else "",
    )


def _nothing(_: Line) -> str:
    return ""
