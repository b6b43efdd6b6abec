"""The wide layout: one row per item, part and rater, one column per question.

Where the protocol names a rater column (`item.rater`), its evaluators have a file of their own
already: the headers are then the first aliases of the columns and questions, exactly as written
there, and long texts stay out. Columns for part, replicate, kind of rater, status, reason and
confidence appear only where something stands in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from raterbook.files.checks import Blanks
from raterbook.files.layouts.layout import TYPED, Incoming, Layout, Outgoing, carries
from raterbook.files.layouts.long import READ, TEXTS, is_long
from raterbook.files.names import (
    answer_columns,
    item_names,
    known_columns,
    meant,
    own_prompts,
    rater_headers,
)
from raterbook.files.table import LEAST, LEFT_OUT, Columns, Records, Table, spellings
from raterbook.protocols import Protocol
from raterbook.protocols.kinds import plain
from raterbook.rounds.current import Fact
from raterbook.rounds.model import FileError, Given, counted, listed, shown

BESIDE = ("status", "reason", "confidence")  # of an answer, in columns such as tone.status
ABOUT: dict[str, tuple[str, ...]] = {
    "rater": (),
    "rater_kind": (),
    "rater_version": (),
    "part": ("sentence_id",),
    "part_text": (),
    "replicate": (),
}


def is_wide(file: Table | Records, protocol: Protocol) -> bool:
    """Every other table: that its columns are the questions is checked while reading."""
    return isinstance(file, Table) and not is_long(file, protocol)


def read_wide(given: Incoming, without: Sequence[int] = ()) -> tuple[list[Given], list[str]]:
    """The answers of a wide file, and notes. Rows without an item and answers are left out.

    Columns at the places `without` are not of this file.
    """
    protocol, file = given.protocol, given.table
    columns = Columns(file, wide_columns(protocol), given.problems, without)
    questions = [question.id for question in protocol.questions]
    asked = [name for name in columns.placed if name in questions]
    if not asked:
        named = columns.placed.keys() & columns.known.keys()
        above = "" if named else " If row 1 is no row of names, write one above it."
        hint = meant(file) + _of_raters(columns, questions)
        raise FileError(
            f"{file.name}, row 1: no column of answers. {hint}It needs item, "
            f"rater, question and value, or a column for one of {listed(questions)}."
            f"{above}"
        )
    if "item" not in columns:
        columns.require(protocol.item.key[:1], LEAST)
    notes = columns.unread(questions)
    names = item_names(columns, protocol)
    places = [columns.placed[name] for name in asked]
    kept = [
        index
        for index, row in enumerate(file.rows)
        if names[index] or any(row[place].strip() for place in places)
    ]
    if left := len(names) - len(kept):
        many = counted(left, "row")
        notes.append(f"{file.name}: {many} without an item and without answers left out.")
        columns.table = file = file.only(kept)
    rows, raters = WideRows(columns, protocol), columns.raters(given.rater)
    found: list[Given] = []
    for question, place in zip(asked, places):
        found += rows.answers(place, question, raters, given.kind)
    found.sort(key=lambda each: each.row)
    blanks = Blanks(protocol)
    blanks.rows_of(asked, file.numbers, found)
    return found, [*notes, *blanks.notes(file.name)]


def _of_raters(columns: Columns, questions: Sequence[str]) -> str:
    """That headers name a rater and a question at once, as “ana clarity” does."""
    spelt = [word for word, name in spellings(columns.known).items() if name in questions and word]
    others = [header for header in columns.placed if header not in columns.known]
    read = [(header, plain(header)) for header in others]
    found = [
        header
        for header, name in read
        if any(name.startswith(f"{word} ") or name.endswith(f" {word}") for word in spelt)
    ]
    if len(found) < 2:
        return ""
    return (
        f"{listed(map(shown, found), 4)} name a rater beside a question: write a row for each item "
        "and rater, with a column rater. "
    )


def wide_columns(protocol: Protocol) -> dict[str, tuple[str, ...]]:
    """The columns of a wide file, with their aliases."""
    slots = answer_columns(protocol)
    items = known_columns(protocol).items()
    found = {name: aliases for name, aliases in items if name not in slots.values()}
    found |= {**ABOUT, "rater": rater_headers(protocol), "item": ()}
    prompts = own_prompts(protocol)
    for question in protocol.questions:
        slot = [slots[question.id]] if question.id in slots else []
        found[question.id] = (
            *question.aliases,
            *slot,
            question.label,
            *prompts.get(question.id, ()),
        )
        found.update({f"{question.id}.{name}": () for name in BESIDE})
    return found


class WideRows:
    """What each row of a wide file is about; its answers are read column by column."""

    def __init__(self, columns: Columns, protocol: Protocol):
        self.columns = columns
        self.items = item_names(columns, protocol)
        self.part = columns.parsed("part", *READ["part"])
        self.replicate = columns.parsed("replicate", *READ["replicate"])
        self.kind = columns.parsed("rater_kind", *READ["rater_kind"])
        self.version = columns.parsed("rater_version", *READ["rater_version"])

    def answers(
        self, place: int, question: str, raters: Sequence[str], kind: str | None
    ) -> list[Given]:
        """What the raters answered in the column at this place, with what stands beside it."""
        columns, problems = self.columns, self.columns.problems
        status, reason, confidence = (
            columns.parsed(f"{question}.{name}", READ[name][0], None) for name in BESIDE
        )
        header = columns.table.columns[place]
        found = []
        cells = zip(columns.table.numbers, columns.table.column(place), self.items)
        for row, (number, value, item) in enumerate(cells):
            state = status[row] or "answered"
            if not value.strip() and state == "answered":
                if status[row] or reason[row] or confidence[row] is not None:
                    problems.add(
                        "empty, and the row says more about the answer. Write the value, or "
                        "its status.",
                        number,
                        header,
                    )
                continue
            if not item:
                words = f"{shown(value)} stands in a row that names no item. Write which."
                problems.add(words, number, header)
                continue
            answer = Given(number, header, item, question, value, raters[row])
            answer.part, answer.replicate = self.part[row], self.replicate[row]
            answer.status, answer.reason, answer.confidence = state, reason[row], confidence[row]
            answer.kind, answer.version = self.kind[row] or kind, self.version[row]
            found.append(answer)
        return found


# Writing: rows, and columns that know what stands in them.


@dataclass
class Line:
    """One row: what it is about, who answered, and the answers by question."""

    first: Fact
    fields: Mapping[str, str]
    answers: dict[str, Fact] = field(default_factory=dict)


Column = tuple[str, Callable[[Line], str]]  # its header, and what stands in it
SAYS = {column.name: column.text for column in TEXTS if column.text}  # as the long layout has it


def write_wide(out: Outgoing) -> tuple[bytes, int]:
    lines: dict[tuple[str, bool, int, str, int], Line] = {}
    for fact in out.facts:
        row = (fact.subject, fact.of_case, fact.part, fact.rater, fact.replicate)
        if row not in lines:
            lines[row] = Line(fact, out.fields[fact.subject, fact.of_case])
        lines[row].answers[fact.question] = fact
    columns = _columns(out.round.protocol, list(lines.values()))
    if out.left_out:
        columns.append((LEFT_OUT.format(", ".join(out.left_out)), lambda line: ""))
    rows = [[value(line) for _, value in columns] for line in lines.values()]
    file = Table(out.name, [name for name, _ in columns], rows)
    return WIDE.encoded(out, file), len(out.facts)


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
    between = [_of_first(name) for name in ("part", "replicate", "rater_kind", "rater_version")]
    if all(line.first.kind == "human" for line in lines):
        del between[2]
    between = [column for column in between if _used(column, lines)]
    closed = [question for question in protocol.questions if not question.is_text]
    texts = [question for question in protocol.questions if question.is_text]
    titles = {
        question.id: question.aliases[0] if own and question.aliases else question.id
        for question in protocol.questions
    }
    beside = [
        column
        for question in protocol.questions
        for name in BESIDE
        if _used(column := _answer(question.id, f"{question.id}.{name}", name), lines)
    ]
    if own:
        return [
            *head,
            *(_answer(q.id, titles[q.id]) for q in closed),
            rater,
            *(_answer(q.id, titles[q.id]) for q in texts),
            *between,
            *beside,
        ]
    answers = [_answer(question.id, question.id) for question in protocol.questions]
    return [*head, *between, rater, *answers, *beside]


def _headers(protocol: Protocol, own: bool) -> list[tuple[str, str]]:
    """Columns of items and their headers."""
    named = {name: name for name in (*protocol.item.key, protocol.item.case)}
    for name, each in protocol.item.fields.items():
        if each.exchange or (own and each.show in ("long", "triples")):
            continue
        named[name] = each.aliases[0] if own and each.aliases else name
    order = [*protocol.item.fields, *named]
    return [(name, named[name]) for name in dict.fromkeys(order) if name in named]


def _used(column: Column, lines: list[Line]) -> bool:
    return any(column[1](line) for line in lines)


def _of_item(name: str, header: str) -> Column:
    return header, lambda line: line.fields.get(name, "")


def _of_first(name: str) -> Column:
    return name, lambda line: SAYS[name](line.first) or ""


def _answer(question: str, header: str, says: str = "value") -> Column:
    def cell(line: Line) -> str:
        fact = line.answers.get(question)
        return "" if fact is None else SAYS[says](fact) or ""

    return header, cell


WIDE = Layout(
    "wide",
    "one row per item, part and rater, a column per question",
    ("texts",),
    write_wide,
    carries(
        named=("seconds", "answered_at", "earlier revisions"),
        no=("when each answer was given", *TYPED),
    ),
    is_wide,
    read_wide,
)
