"""Which required answers are put to whom, and which of them are given.

What is missing is `protocols.is_missing`; here it is counted for thousands of answers at once.

Put to a person is every required question about the items of the person's plan; a question that
depends on another answer is put once that answer is there. Raters without a plan (models, keys,
labels that came with the items) are put the questions about items they said something about. Not
applicable, with its reason, is an answer; skipped is none; replicate 1 counts. Questions of a
case are asked once for all its items, often of somebody else: they hold no item back, and are
put to the round, where one answer of anybody who counts will do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy import Connection

from raterbook.protocols import Protocol, Question, holds, is_required
from raterbook.protocols.conditions import in_words, leaves
from raterbook.protocols.questions import SETTLED
from raterbook.rounds.current import (
    ANSWERED,
    SKIPPED,
    AnswerCell,
    Events,
    Fact,
    read,
)
from raterbook.rounds.model import PLANNED, STATUSES, shown
from raterbook.rounds.snapshot import (
    Snapshot,
    StoredQuestions,
    Subject,
    given_everything,
    places_of_all,
)
from raterbook.rounds.store import schema

_SETTLED = tuple(STATUSES.index(status) for status in SETTLED)

UNREAD = ("confidence", "seconds", "answered_at")


@dataclass(frozen=True)
class Standing:
    """How far one rater is. `put` and `given` count required answers by question."""

    rater: str
    kind: str
    excluded: str | None
    planned: bool
    items: int  # of the plan; without one, those the rater said something about
    complete: int  # items on which nothing required is missing
    begun: int  # items with answers that are not complete
    answers: int  # current ones, to whatever question; skipped is none
    put: Mapping[str, int]
    given: Mapping[str, int]

    @property
    def missing(self) -> int:
        return sum(self.put.values()) - sum(self.given.values())


@dataclass(frozen=True)
class OfCases:
    """Required answers about cases, put once to the whole round, by question."""

    put: Mapping[str, int]
    given: Mapping[str, int]

    @property
    def missing(self) -> int:
        return sum(self.put.values()) - sum(self.given.values())


def by_models(models: Collection[Standing], items: int) -> tuple[int, int, int]:
    """Where nobody has a plan: how many models answer items, of items × models, how many whole.

    A model that only wrote questions, or answered them from the reference, answers no item.
    """
    answering = [each for each in models if each.items]
    put = items * max(len(answering), 1) if models else 0
    return len(answering), put, sum(each.complete for each in answering)


def standings(
    connection: Connection,
    seen: Snapshot,
    protocol: Protocol,
    asked: StoredQuestions,
    events: Events,
    roles: Collection[str] = (),
) -> tuple[list[Standing], OfCases]:
    """Every rater of the round in its order, and its cases, by the current answers of all;
    `roles` limits it to some items.

    In a report, `put` and `given` summed over raters who count are what was asked and answered.
    """
    events = events.only(events.replicate == 1)
    wanted = {each.id for each in seen.items.values() if not roles or each.role in roles}
    whole = given_everything(connection, seen)
    plans = places_of_all(connection, seen, without=whole)
    every = Untouched(protocol, asked, seen, events.take(np.arange(0)), sorted(wanted))
    found = []
    order = np.argsort(events.rater, kind="stable")
    ordered = events.rater[order]
    for name, row in seen.raters.items():
        start, end = np.searchsorted(ordered, (row.id, row.id + 1))
        own = events.take(order[start:end])
        planned = row.kind in PLANNED
        said = set(own.subject.tolist())
        mine: Iterable[int] = sorted(said)
        if planned:
            mine = every.touched(said) if row.id in whole else plans[row.id]
        items = np.array([item for item in mine if item in wanted], dtype=np.int64)
        put, given, lacking = gaps(protocol, asked, seen, own, items)
        touched, n, complete = np.isin(items, own.subject), len(items), int((lacking == 0).sum())
        if planned and row.id in whole:
            put, n, complete = every.beside(items, put, complete)
        found.append(
            Standing(
                name,
                row.kind,
                seen.excluded.get(row.id),
                planned,
                n,
                complete,
                int((touched & (lacking > 0)).sum()),
                int(np.isin(own.status, _SETTLED).sum()),
                put,
                given,
            )
        )
    counting = events.take(~np.isin(events.rater, list(seen.excluded)))
    return found, OfCases(*of_cases(protocol, asked, seen, counting, wanted))


class Untouched:
    """What is put to somebody who has every item, where they have said nothing yet.

    It is the same for all of them, so that a crowd in which each answers a few items of thousands
    costs what it answered.
    """

    def __init__(
        self,
        protocol: Protocol,
        asked: StoredQuestions,
        seen: Snapshot,
        nothing: Events,
        items: list[int],
    ):
        self.items = np.array(items, dtype=np.int64)
        self.case = seen.case_of[self.items]
        self._gaps = partial(gaps, protocol, asked, seen, nothing)
        self.put, _, lacking = self._gaps(self.items)
        self.complete = int((lacking == 0).sum())

    def touched(self, said: Collection[int]) -> list[int]:
        """The items that what was said is about, of themselves or of their case."""
        about = np.array(sorted(said), dtype=np.int64)
        met: list[int] = self.items[np.isin(self.items, about) | np.isin(self.case, about)].tolist()
        return met

    def beside(
        self, items: np.ndarray, put: Mapping[str, int], complete: int
    ) -> tuple[dict[str, int], int, int]:
        """What is put, all items, and how many are complete: counted here; the rest untouched."""
        instead, _, lacking = self._gaps(items)
        together = {
            question: n - instead[question] + put[question] for question, n in self.put.items()
        }
        return together, len(self.items), self.complete - int((lacking == 0).sum()) + complete


def unanswered(
    connection: Connection,
    seen: Snapshot,
    protocol: Protocol,
    asked: StoredQuestions,
    rater: int,
    subject: Subject,
) -> list[str]:
    """In words, what keeps this item from being submitted."""
    if subject.kind != "item":
        return []
    own = _current(connection, seen, asked, rater, [subject.id, subject.case_id or subject.id])
    slots = Slots(seen, np.array([subject.id]))
    return [
        f"“{question}”" + (f" of part {part}" if part else "")
        for question, lacking in slots.lacking(protocol, asked, own)
        for part in lacking.part.tolist()
    ]


def finished(
    connection: Connection,
    seen: Snapshot,
    protocol: Protocol,
    asked: StoredQuestions,
    rater: int,
) -> set[int]:
    """The items this rater said something about and has nothing required left to say."""
    own = _current(connection, seen, asked, rater)
    said = set(own.subject.tolist())
    items = np.array([s.id for s in seen.items.values() if s.id in said], dtype=np.int64)
    _, _, lacking = gaps(protocol, asked, seen, own, items)
    return set(items[lacking == 0].tolist())


def _current(
    connection: Connection,
    seen: Snapshot,
    asked: StoredQuestions,
    rater: int,
    subjects: Iterable[int] | None = None,
) -> Events:
    """A rater's current answers of replicate 1, of all or about these subjects."""
    column = schema.answer_event.c
    only = [column.rater_id == rater]
    if subjects is not None:
        only.append(column.subject_id.in_(list(subjects)))
    events = read(connection, seen.round_id, asked, only, UNREAD)
    return events.take(events.replicate == 1).current()


# Required answers that are not there, counted with arrays: a million answers in a moment.


Counts = dict[str, int]
WIDEST = 10**7  # parts are numbered below it


def gaps(
    protocol: Protocol, asked: StoredQuestions, seen: Snapshot, own: Events, items: np.ndarray
) -> tuple[Counts, Counts, np.ndarray]:
    """Of one rater's current answers: by question what is put and given; by item what lacks."""
    slots = Slots(seen, items)
    lacking = np.zeros(len(items), dtype=np.int64)
    put, given = {}, {}
    for question, cells, there in slots.required(protocol, asked, own):
        put[question], given[question] = len(there), int(there.sum())
        np.add.at(lacking, cells.place[~there], 1)
    return put, given, lacking


def of_cases(
    protocol: Protocol,
    asked: StoredQuestions,
    seen: Snapshot,
    events: Events,
    items: Collection[int],
) -> tuple[Counts, Counts]:
    """Required questions of the cases of these items: how many there are, how many answered."""
    cases = np.unique(seen.case_of[np.fromiter(items, np.int64, len(items))])
    slots = Slots(seen, cases)
    put, given = {}, {}
    for question, _, there in slots.required(protocol, asked, events, of="case"):
        put[question], given[question] = len(there), int(there.sum())
    return put, given


@dataclass(frozen=True)
class QuestionCells:
    """Where a question is asked: the subject and its case, the part, the subject's place."""

    subject: np.ndarray
    case: np.ndarray
    part: np.ndarray
    place: np.ndarray

    def take(self, rows: np.ndarray) -> QuestionCells:
        return QuestionCells(self.subject[rows], self.case[rows], self.part[rows], self.place[rows])


class Slots:
    """These items (or cases) with their parts, and what is asked about them."""

    def __init__(self, seen: Snapshot, subjects: np.ndarray):
        case, place = seen.case_of[subjects], np.arange(len(subjects))
        self.whole = QuestionCells(subjects, case, np.zeros(len(subjects), dtype=np.int64), place)
        numbers = subjects.tolist() if seen.parts else []
        parts = [sorted(seen.parts_of(seen.subjects[number])) for number in numbers]
        again = np.repeat(place[: len(parts)], [len(each) for each in parts])
        flat = np.array([number for each in parts for number in each], dtype=np.int64)
        self.parts = QuestionCells(subjects[again], case[again], flat, again)

    def lacking(
        self, protocol: Protocol, asked: StoredQuestions, own: Events
    ) -> Iterator[tuple[str, QuestionCells]]:
        """What a rater has still to do: a question left open as one that cannot be judged is done
        with, though its answer is missing."""
        said = Said(asked, own)
        for question, cells, there in self.required(protocol, asked, own):
            open_ = said.has(question, cells, (SKIPPED,))
            yield question, cells.take(~there & ~open_)

    def required(
        self, protocol: Protocol, asked: StoredQuestions, own: Events, of: str = "item"
    ) -> Iterator[tuple[str, QuestionCells, np.ndarray]]:
        """Question by question: where it is required, and whether it is answered there."""
        said = Said(asked, own)
        for question in protocol.questions:
            if question.of != of or question.required is False:
                continue
            cells = self.whole if question.per == "whole" else self.parts
            if question.when is not None or question.required is not True:
                cells = cells.take(_is_required(question, cells, said, asked))
            there = said.has(question.id, cells, _SETTLED)
            yield question.id, cells, there


class Said:
    """Current answers, looked up by question, subject and part."""

    def __init__(self, asked: StoredQuestions, events: Events):
        self.asked, self.events = asked, events
        self.known: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def has(self, question: str, cells: QuestionCells, statuses: tuple[int, ...]) -> np.ndarray:
        mine = self.events.question == self.asked[question].id
        rows = self.events.take(mine & np.isin(self.events.status, statuses))
        return np.isin(_key(cells.subject, cells.part), _key(rows.subject, rows.part))

    def values(self, question: Question, cells: QuestionCells) -> tuple[np.ndarray, list[Any]]:
        """The answer in each cell as the place of its value in the list; 0 is none."""
        mine = self.events.question == self.asked[question.id].id
        rows = self.events.take(mine & (self.events.status == ANSWERED))
        values: dict[Any, int] = {None: 0}
        codes = np.array(
            [values.setdefault(value, len(values)) for value in self._plain(question, rows)],
            dtype=np.int64,
        )
        subject = cells.case if question.of == "case" else cells.subject
        part = cells.part if question.per == "part" else np.zeros_like(cells.part)
        keys, wanted = _key(rows.subject, rows.part), _key(subject, part)
        order = np.argsort(keys, kind="stable")
        at = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
        if not len(keys):
            return np.zeros(len(wanted), dtype=np.int64), [None]
        found = order[at]
        return np.where(keys[found] == wanted, codes[found], 0), list(values)

    def _plain(self, question: Question, rows: Events) -> Iterable[Any]:
        decode = self.asked[question.id].decode
        return (
            decode(closed, number, text)
            for closed, number, text in zip(
                rows.value_id.tolist(), rows.number.tolist(), rows.text.tolist(), strict=True
            )
        )


def _is_required(
    question: Question, cells: QuestionCells, said: Said, asked: StoredQuestions
) -> np.ndarray:
    """The protocol's own rule, put once for each combination of answers it depends on."""
    both = (question.when, question.required if isinstance(question.required, dict) else None)
    names = list(dict.fromkeys(name for each in both for name, _ in leaves(each)))
    columns = [said.values(asked[name].question, cells) for name in names]
    codes = np.stack([code for code, _ in columns], axis=1)
    rows, back = np.unique(codes, axis=0, return_inverse=True)
    truth = [
        is_required(
            question,
            {name: known[code] for name, (_, known), code in zip(names, columns, row, strict=True)},
        )
        for row in rows.tolist()
    ]
    return np.array(truth, dtype=bool)[back.reshape(-1)]


def _key(subject: np.ndarray, part: np.ndarray) -> np.ndarray:
    key: np.ndarray = subject.astype(np.int64) * WIDEST + part
    return key


# Questions that depend on another answer, asked of one rater about one thing.


class Conditions:
    """What is asked once `new` answers (None where one is taken back) stand beside those `there`.

    With `patient`, nothing is held against a rater who has said nothing yet on what a question
    depends on: a form's messages may arrive in any order.
    """

    def __init__(
        self,
        questions: StoredQuestions,
        seen: Snapshot,
        new: Mapping[AnswerCell, Any],
        there: Mapping[AnswerCell, Fact],
        patient: bool = False,
    ):
        self.questions = {name: each.question for name, each in questions.items()}
        self.seen, self.new, self.there, self.patient = seen, new, there, patient

    def refusal(self, cell: AnswerCell) -> str | None:
        """Why the new answer in this cell is none, in words; None where it is asked for."""
        question, value = self.questions[cell[4]], self.new[cell]
        if question.when is None or value is None or self.asked(cell):
            return None
        names = depends_on(question)
        said = [(name, self._value(name, cell)) for name in names]
        instead = [f"{'no answer' if v is None else shown(v)} to {name}" for name, v in said]
        only_if = in_words(question.when, lambda name: self.questions[name].label)
        return (
            f"{shown(value)} answers “{question.id}”, which is asked only if {only_if}; "
            f"{shown(cell[3])} gave {' and '.join(instead)}. Leave it empty, or correct "
            f"{' and '.join(names)}."
        )

    def closed(self) -> list[Fact]:
        """Earlier answers to questions that the new ones close."""
        return [
            fact
            for cell, fact in self.there.items()
            if self.questions[fact.question].when
            and fact.status == "answered"
            and cell not in self.new
            and any(
                self._where(name, cell) in self.new
                for name in depends_on(self.questions[fact.question])
            )
            and not self.asked(cell)
        ]

    def asked(self, cell: AnswerCell) -> bool:
        """Whether its condition holds; true where it rests on what somebody else may have said."""
        question = self.questions[cell[4]]
        answers = {name: self._value(name, cell) for name in depends_on(question)}
        for name, value in answers.items():
            where = self._where(name, cell)
            if value is None and (f"answer:{name}" in question.shows or where is None):
                return True
            if self.patient and where not in self.new and where not in self.there:
                return True
        return holds(question.when, answers)

    def _value(self, name: str, cell: AnswerCell) -> Any:
        where = self._where(name, cell)
        if where is None:
            return None
        if where in self.new:
            return self.new[where]
        fact = self.there.get(where)
        return fact.value if fact is not None and fact.status == "answered" else None

    def _where(self, name: str, cell: AnswerCell) -> AnswerCell | None:
        """Where this rater answers the other question; None where that is not one place."""
        key, of_case, part, rater, _, replicate = cell
        other = self.questions[name]
        if other.of == "case" and not of_case:
            key, of_case = self.seen.case(self.seen.items[key]).key, True
        elif other.of == "item" and of_case:
            return None
        if other.per == "part" and not part:
            return None
        return key, of_case, part if other.per == "part" else 0, rater, name, replicate


def depends_on(question: Question) -> list[str]:
    """The questions its condition speaks of."""
    return list(dict.fromkeys(name for name, _ in leaves(question.when)))
