"""Answers from a file, in whatever layout it has."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.files import content
from raterbook.files.cells import pointed
from raterbook.files.checks import refuse_unasked, withdrawn
from raterbook.files.layouts import long, tools
from raterbook.files.layouts.long import is_long, read_long
from raterbook.files.layouts.source import has_slots, read_slots
from raterbook.files.layouts.wide import read_wide
from raterbook.files.sheet import Sheet, read_sheet
from raterbook.files.subjects import NAMED, Subjects, one_person, refuse_lookalikes, welcomed
from raterbook.rounds import raters as people
from raterbook.rounds.answers import AnswerFile, Fresh, save_file
from raterbook.rounds.current import AnswerCell, Fact, facts
from raterbook.rounds.model import (
    PEOPLE,
    RATER_KINDS,
    FileError,
    Given,
    Problems,
    counted,
    listed,
    shown,
)
from raterbook.rounds.store import log

if TYPE_CHECKING:
    from raterbook.protocols import Protocol, Question
    from raterbook.rounds import StoredRound
    from raterbook.rounds.snapshot import Snapshot, StoredQuestion


# Answers of a file into a round: held against it one by one, then all of them or none.


class Misplaced(ValueError):
    """Nothing in the round is named so; `column` is where the name stands."""

    def __init__(self, message: str, column: str = "part"):
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class Summary:
    """What an import did; `added` counts the `replaced` ones too.

    `notes` is what had to be assumed, or was left alone.
    """

    added: int
    unchanged: int
    replaced: int
    raters: tuple[str, ...]
    notes: tuple[str, ...] = ()
    withdrawn: int = 0
    newcomers: str = ""  # who was not in the round before, in words

    def __str__(self) -> str:
        new = self.added - self.replaced
        words = [f"{counted(new, 'answer')} added", f"{self.unchanged:,} unchanged"]
        if self.replaced:
            words.append(f"{self.replaced:,} corrected")
        if self.withdrawn:
            words.append(f"{self.withdrawn:,} withdrawn, as a correction closes their question")
        first = f"{', '.join(words)} ({listed(self.raters, NAMED) or 'no raters'})"
        return "\n".join(filter(None, [first, self.newcomers, *self.notes]))


def take(
    stored: StoredRound,
    given: Sequence[Given],
    problems: Problems,
    replace: bool = False,
    notes: Sequence[str] = (),
    new_raters: bool = False,
) -> Summary:
    """One transaction: every answer is stored, or equal to what is there, or nothing happens."""
    with stored.store.write() as connection:
        snapshot = stored.look(connection)
        asked = stored.questions(connection)
        everybody = [rater.name for rater in people.everybody(connection)]
        if not new_raters:
            refuse_lookalikes(given, snapshot.raters, everybody, problems)
        now_there = {fact.cell: fact for fact in facts(connection, snapshot, asked, retracted=True)}
        cells = _resolved(given, snapshot, asked, problems)
        fresh, unchanged, replaced = _fresh(given, cells, now_there, asked, replace, problems)
        closed = refuse_unasked(asked, snapshot, fresh, now_there, problems)
        if closed and not replace:
            problems.add(_would_close(closed))
        problems.stop()
        if fresh:
            log.add(
                connection,
                stored.id,
                "import",
                stored.store.now(),
                source=problems.source,
                added=len(fresh),
                replaced=replaced,
            )
            fresh += withdrawn(closed, fresh[0][0].row)
            file = AnswerFile(problems.source, fresh, now_there)
            save_file(connection, stored.id, asked, stored.rule, file, stored.store.now())
    new = welcomed([each for each, _, _ in fresh], snapshot.raters, everybody)
    came = {each.rater for each, _, _ in fresh if each.kind in (None, *PEOPLE)}
    notes = [*notes, *one_person(stored.name, came - set(snapshot.raters), everybody)]
    if stored.per_item is None:
        notes += _crowd(fresh, now_there, {row.name: row.kind for row in snapshot.raters.values()})
    raters = tuple(dict.fromkeys(each.rater for each in given))
    return Summary(
        len(fresh) - len(closed), unchanged, replaced, raters, tuple(notes), len(closed), new
    )


def _crowd(
    fresh: Sequence[Fresh], there: Mapping[AnswerCell, Fact], kinds: Mapping[str, str]
) -> list[str]:
    """A line where many people each answered about few items, and no plan says so."""
    said = [(cell, each.kind or kinds.get(each.rater)) for each, cell, _ in fresh]
    said += [(cell, fact.kind) for cell, fact in there.items()]
    raters: dict[str, set[str]] = {}
    for (subject, of_case, _, rater, _, _), kind in said:
        if not of_case and kind in (None, "human"):
            raters.setdefault(subject, set()).add(rater)
    everybody = set().union(*raters.values())
    counts = sorted(len(each) for each in raters.values())
    if len(everybody) < 3 or 2 * counts[-1] > len(everybody):
        return []
    usual = counts[len(counts) // 2]
    some = f"{counts[0]} to {counts[-1]}" if counts[0] < counts[-1] else str(usual)
    return [
        f"Each item has answers of {some} of {len(everybody):,} people. Without a plan "
        "everybody is asked about every item, and what is missing is counted so: open the "
        f"round with --per-item {usual} if each item was to have {usual}."
    ]


def _would_close(closed: Sequence[Fact]) -> str:
    first = closed[0]
    more = f", and {len(closed) - 1:,} more like it" if len(closed) > 1 else ""
    return (
        f"{shown(first.rater)} answered {shown(first.text)} to “{first.question}” about "
        f"{shown(first.subject)} before{more}, which would not be asked any more. Use "
        "--replace to withdraw it."
    )


def _resolved(
    given: Sequence[Given], snapshot: Snapshot, asked: dict[str, StoredQuestion], problems: Problems
) -> list[tuple[AnswerCell, Any] | None]:
    """For each answer: what it answers, and its value as it would be stored."""
    subjects = Subjects(
        (key, snapshot.subjects[each.case_id].key)  # type: ignore[index]
        for key, each in snapshot.items.items()
    )
    about: dict[tuple[str, str, int], tuple[str, bool] | Misplaced] = {}
    values: dict[tuple[str, str], Any] = {}
    found: list[tuple[AnswerCell, Any] | None] = []
    for each in given:
        where = (each.item, each.question, each.part)
        if where not in about:
            about[where] = _about(each, subjects, snapshot, asked)
        what = (each.question, each.value)
        if each.status == "answered" and what not in values:
            try:
                values[what] = asked[each.question].question.check(each.value)
            except ValueError as error:
                values[what] = error
        value = values[what] if each.status == "answered" else None
        place = about[where]
        if isinstance(place, Misplaced):
            problems.add(str(place), each.row, place.column)
        if isinstance(value, ValueError):
            remedy = _remedy(asked[each.question].question, each.value)
            problems.add(f"{value}. {remedy}", each.row, each.column)
        if each.status != "answered" and each.value.strip():
            problems.add(
                f"{shown(each.value)} stands with the status {each.status}. Leave one of them out.",
                each.row,
                each.column,
            )
        if isinstance(place, Misplaced) or isinstance(value, ValueError):
            found.append(None)
        else:
            key, of_case = place
            cell = (key, of_case, each.part, each.rater, each.question, each.replicate)
            found.append((cell, value))
    return found


def _about(
    each: Given, subjects: Subjects, snapshot: Snapshot, asked: dict[str, StoredQuestion]
) -> tuple[str, bool] | Misplaced:
    """The key of the item or case, and whether it is a case."""
    question = asked[each.question].question
    of_case = question.of == "case"
    try:
        key = subjects.case(each.item) if of_case else subjects.item(each.item)
    except ValueError as error:
        return Misplaced(str(error), "item")
    try:
        subject = (snapshot.cases if of_case else snapshot.items)[key]
        snapshot.refuse_part(subject, question, each.part)
    except ValueError as error:
        return Misplaced(f"{error}.")
    return key, of_case


def _remedy(question: Question, value: str) -> str:
    """What can be written instead of this value."""
    usual = _usual(question)
    return pointed(value, usual, question.check) if question.is_numeric else usual


def _usual(question: Question) -> str:
    if question.values is not None:
        if question.is_numeric and len(question.values) > 12:
            return f"Use {question.min} to {question.max} in steps of {question.step}."
        return f"Use one of {listed(question.values, len(question.values))}."
    if question.is_numeric:
        return f"Use a number from {question.min} to {question.max}."
    return "Write a text, or leave the cell empty."


def _fresh(
    given: Sequence[Given],
    cells: Sequence[tuple[AnswerCell, Any] | None],
    there: dict[AnswerCell, Fact],
    asked: dict[str, StoredQuestion],
    replace: bool,
    problems: Problems,
) -> tuple[list[Fresh], int, int]:
    """What is new, how many answers are there already, and how many are in place of others."""
    seen: dict[AnswerCell, tuple[Given, Any]] = {}
    fresh: list[Fresh] = []
    unchanged = replaced = 0
    for each, resolved in zip(given, cells):
        if resolved is None:
            continue
        cell, value = resolved
        first = seen.setdefault(cell, (each, value))
        if first[0] is not each:
            if not _same(
                each, value, first[0].status, first[1], first[0].reason, first[0].confidence
            ):
                problems.add(
                    f"{_said(each)} contradicts row {first[0].row}, where {shown(each.rater)} gave "
                    f"{_said(first[0])}. Keep one, or number them in a column replicate.",
                    each.row,
                    each.column,
                )
            unchanged += 1
            continue
        fact = there.get(cell)
        if each.status == "retracted" and (fact is None or fact.status == "retracted"):
            unchanged += 1
            continue
        if fact is not None and fact.status != "retracted":
            if _same(each, value, fact.status, fact.value, fact.reason, fact.confidence):
                unchanged += 1
                continue
            if not replace:
                problems.add(
                    f"{_said(each)} differs from {shown(fact.text) or fact.status}, which "
                    f"{shown(each.rater)} gave before. Use --replace to take the new one.",
                    each.row,
                    each.column,
                )
                continue
            replaced += 1
        fresh.append((each, cell, value))
    return fresh, unchanged, replaced


def _said(each: Given) -> str:
    return shown(each.value) or each.status


def _same(
    each: Given, value: Any, status: str, other: Any, reason: str | None, confidence: float | None
) -> bool:
    """Equal in what was said; a file that is silent on reason or confidence contradicts nothing."""
    return (
        each.status == status
        and value == other
        and (each.reason is None or each.reason == reason)
        and (each.confidence is None or each.confidence == confidence)
    )


def import_answers(
    round: StoredRound,
    source: Any,
    rater: str | None = None,
    kind: str | None = None,
    replace: bool = False,
    encoding: str | None = None,
    new_raters: bool = False,
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
    round: StoredRound,
    source: Any,
    rater: str | None,
    kind: str | None,
    replace: bool,
    encoding: str | None,
    new_raters: bool,
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
    source: Any,
    name: str,
    protocol: Protocol,
    problems: Problems,
    rater: str | None,
    kind: str | None,
    encoding: str | None,
) -> tuple[list[Given], list[str]]:
    decoded = content.decode(content.read_bytes(source, lines=False), name, encoding)
    records = tools.labelstudio_records(decoded.text, name)
    notes = [decoded.note] if decoded.note else []
    read = tools.read_labelstudio if tools.looks_like(records) else tools.read_argilla
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
        raise FileError(
            f"{sheet.name} holds answers to {told}, and {round.name} asks "
            f"{round.protocol.name}. Open a round of {told} for it."
        )
    if sheet.metadata.get("protocol_hash") != round.protocol_hash:
        return [
            f"{sheet.name} was written under another version of {told}; every value was "
            "checked against this one."
        ]
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
