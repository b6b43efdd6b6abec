"""What a file's answers say beside themselves: who is new, what is missing, what was not asked.

Empty cells: an answer that was not given stays missing, and the import says how many are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import raterbook.files.content as content
from raterbook.environment import most, raising
from raterbook.protocols import Protocol, Question, asked, is_missing
from raterbook.protocols.conditions import leaves
from raterbook.rounds.answers import Fresh
from raterbook.rounds.completeness import Conditions
from raterbook.rounds.current import AnswerCell, Fact
from raterbook.rounds.model import (
    APPOINTED,
    PEOPLE,
    PLANNED,
    FileError,
    Given,
    Problems,
    counted,
    listed,
    shown,
)
from raterbook.rounds.raters import folded, is_slip, traces
from raterbook.rounds.snapshot import Snapshot, StoredQuestions


class Blanks:
    """Counts, by question, the cells where an answer could stand and none does."""

    def __init__(self, protocol: Protocol):
        self.questions = {question.id: question for question in protocol.questions}
        self.required: Counter[str] = Counter()
        self.open = 0  # in questions that may be left open
        self.rows = 0  # rows about an item that hold no answer at all
        self._checked: dict[tuple[str, str], Any] = {}

    def _cell(self, name: str, answers: Mapping[str, Any]) -> None:
        """One empty cell; what is not asked beside these answers is not missing."""
        question = self.questions[name]
        if is_missing(question, answers):
            self.required[name] += 1
        elif asked(question, answers):
            self.open += 1

    def rows_of(self, columns: Sequence[str], about: Iterable[int], found: Iterable[Given]) -> None:
        """Rows with a column per question; `about` has the numbers of those that name an item.

        A row about an item leaves the questions about its case or its parts to rows of their own.
        """
        by_row: dict[int, dict[str, Given]] = {}
        for given in found:
            by_row.setdefault(given.row, {})[given.question] = given
        for number in about:
            answers = by_row.get(number, {})
            if not answers:
                self.rows += 1
                continue
            kinds = {self._kind(name) for name in answers}
            values = {name: self._value(name, each.value) for name, each in answers.items()}
            for name in columns:
                if name not in answers and self._kind(name) in kinds:
                    self._cell(name, values)

    def among(self, empty: Sequence[Given], found: Iterable[Given]) -> None:
        """Rows with one answer each, of which these hold none.

        A question that rests on an answer of another row, or of an earlier file, may be asked.
        """
        said: dict[tuple[Any, ...], dict[str, Any]] = {_about(each): {} for each in empty}
        for each in found:
            if _about(each) in said:
                said[_about(each)][each.question] = self._value(each.question, each.value)
        for each in empty:
            answers = said[_about(each)]
            if all(name in answers for name, _ in leaves(self.questions[each.question].when)):
                self._cell(each.question, answers)
            else:
                self.required[each.question] += 1

    def notes(self, source: str) -> list[str]:
        said = []
        if self.rows:
            said.append(
                f"{source}: {counted(self.rows, 'row')} without any answer, left as missing."
            )
        number = sum(self.required.values())
        if number:
            which = ", ".join(f"{name} {count:,}" for name, count in self.required.items())
            said.append(f"{source}: {counted(number, 'empty cell')} left as missing: {which}.")
        if self.open:
            more = "more empty cell" if number else "empty cell"
            said.append(f"{source}: {counted(self.open, more)} where an answer may be left out.")
        return said

    def _kind(self, name: str) -> tuple[str, str]:
        question: Question = self.questions[name]
        return question.of, question.per

    def _value(self, name: str, cell: str) -> Any:
        if (name, cell) not in self._checked:
            try:
                self._checked[name, cell] = self.questions[name].check(cell)
            except ValueError:
                self._checked[name, cell] = None
        return self._checked[name, cell]


def _about(given: Given) -> tuple[str, int, str, int]:
    return given.item, given.part, given.rater, given.replicate


# Questions that depend on another answer: what a file answers though it was not asked.


def refuse_unasked(
    questions: StoredQuestions,
    snapshot: Snapshot,
    fresh: Sequence[Fresh],
    there: Mapping[AnswerCell, Fact],
    problems: Problems,
) -> list[Fact]:
    """Answers whose condition does not hold are problems; returned are earlier ones it closes."""
    if not any(each.question.when for each in questions.values()):
        return []
    new = {cell: value if given.status == "answered" else None for given, cell, value in fresh}
    will = Conditions(questions, snapshot, new, there)
    for given, cell, _ in fresh:
        if (why := will.refusal(cell)) is not None:
            problems.add(why, given.row, given.column)
    return will.closed()


def withdrawn(facts: Sequence[Fact], row: int) -> list[Fresh]:
    """The same answers as events that take them back."""
    return [
        (
            Given(
                row,
                fact.question,
                fact.subject,
                fact.question,
                "",
                fact.rater,
                fact.part,
                fact.replicate,
                "retracted",
            ),
            fact.cell,
            None,
        )
        for fact in facts
    ]


# Raters a file names for the first time: added, unless one looks like a slip of the pen.
#
# An answer under a wrong name cannot be moved afterwards, and one person who counts as two spoils
# every agreement. So a name that differs from a known one in case, spaces or one letter is refused
# until somebody says that they are two.


NAMED = 10  # so many names are written out


def refuse_lookalikes(
    given: Sequence[Given], mine: Iterable[str], others: Iterable[str], problems: Problems
) -> None:
    """New names that look like a rater of this round, of another round, or of this very file."""
    mine = list(mine)
    known = {folded(name): name for name in (*others, *mine)}
    told = set(mine) | set(known.values())
    places: dict[int, list[int]] = {}
    for place, name in enumerate(mine):
        for trace in traces(name):
            places.setdefault(trace, []).append(place)
    for each in given:
        name = each.rater
        if name in told:
            continue
        told.add(name)
        twin = known.get(folded(name))
        if twin is None and each.kind in (None, *PEOPLE):
            near = {place for trace in traces(name) for place in places.get(trace, ())}
            twin = next((mine[n] for n in sorted(near) if is_slip(name, mine[n])), None)
        if twin is not None:
            problems.add(
                f"{shown(name)} would be a new rater, and there is {shown(twin)}. Write "
                f"{shown(twin)} if they are one, or add --new-raters if they are two.",
                each.row,
            )
        known.setdefault(folded(name), name)


def refuse_appointments(
    given: Sequence[Given], kind: str | None, others: Iterable[str], problems: Problems
) -> None:
    """New raters whom the file calls what others are held to, though `kind` does not say so."""
    told = set(others)
    for each in given:
        if each.kind in APPOINTED and each.kind != kind and each.rater not in told:
            told.add(each.rater)
            problems.add(
                f"{shown(each.rater)} is called {each.kind}, and a file makes nobody that. "
                f"Import these answers by themselves with --kind {each.kind}, or write human, "
                "model or automatic.",
                each.row,
            )


@dataclass(frozen=True)
class Newcomers:
    """New raters of a file, and how often they would be asked about an item, beside how often its
    lines are worth: a line makes a rater, who is asked about the whole round without a plan."""

    new: int
    asked: int
    answers: int

    @classmethod
    def of(cls, given: Sequence[Given], snapshot: Snapshot, per_item: int | None) -> Newcomers:
        planned = {each.rater for each in given if each.kind in (None, *PLANNED)}
        new = len(planned - set(snapshot.raters))
        items = snapshot.items.values()
        each = sum(per_item is None or item.role != "main" for item in items)
        return cls(new, new * each, len(given))

    @property
    def worth(self) -> int:
        least, each_more = content.GIVEN
        return least + each_more * self.answers

    @property
    def too_many(self) -> bool:
        return self.asked > most(self.worth)

    def refuse(self, name: str) -> None:
        if self.too_many:
            raise FileError(
                f"{name} has {counted(self.answers, 'answer')} of "
                f"{counted(self.new, 'new rater')}, who would be asked {self.asked:,} times about "
                "an item. Plan who is asked what first (raterbook assign), or "
                f"{raising(self.asked, self.worth)}."
            )


def refuse_strangers(given: Sequence[Given], snapshot: Snapshot, name: str) -> None:
    """A line of a file makes a rater, each with a name to compare and a row of the page."""
    fewest, answers_each = content.RATERS
    limit = fewest + len(given) // answers_each
    new = len({each.rater for each in given} - set(snapshot.raters))
    if new > most(limit):
        raise FileError(
            f"{name} has {counted(len(given), 'answer')} of {new:,} new raters, and {limit:,} is "
            "the most of so many answers. Look whether its column of raters is one, or "
            f"{raising(new, limit)}."
        )


def welcomed(given: Sequence[Given], mine: Iterable[str], others: Iterable[str]) -> str:
    """A line on those who are new: their kind, how much they said, and whom they are like."""
    mine = list(mine)
    known = {folded(name): name for name in (*others, *mine)}
    counts = Counter(each.rater for each in given)
    kinds = {each.rater: each.kind or "human" for each in given}
    new = [name for name in counts if name not in mine]
    said = []
    for name in new[:NAMED]:
        also = [
            twin
            for twin in dict.fromkeys((known.get(folded(name)), *mine))
            if twin and twin != name and (folded(twin) == folded(name) or is_slip(name, twin))
        ]
        like = f", not to be taken for {shown(also[0])}" if also else ""
        kind = "person" if kinds[name] == "human" else kinds[name]
        said.append(f"{shown(name)} ({kind}, {counted(counts[name], 'answer')}{like})")
    if rest := new[NAMED:]:
        answers = counted(sum(counts[name] for name in rest), "answer")
        said.append(f"and {len(rest):,} more ({answers})")
    return f"new rater{'s' if len(new) > 1 else ''}: {', '.join(said)}" if new else ""


def one_person(round: str, names: Iterable[str], others: Iterable[str]) -> list[str]:
    """A line where people who come into a round are known from other rounds."""
    known = set(others)
    twice = sorted(name for name in names if name in known)
    if not twice:
        return []
    are = "is" if len(twice) == 1 else "are"
    return [
        f"{listed(twice, NAMED)} {are} known from other rounds here, and one name is one "
        "person over all rounds. If these are other people, give them names of their own, "
        f"such as {round}-{shown(twice[0])}, or a workspace of their own."
    ]
