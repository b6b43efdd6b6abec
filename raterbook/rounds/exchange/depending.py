"""Questions that depend on another answer: what a file answers though it was not asked.

A severity beside “accurate” is a slip in one of the two, and only who holds the file knows in
which: it is refused. Where a corrected answer closes a question that was answered before, the
earlier answer is withdrawn, as the form does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raterbook.protocols import Protocol, Question, holds
from raterbook.protocols.conditions import leaves
from raterbook.rounds.exchange.facts import Fact
from raterbook.rounds.exchange.given import Given
from raterbook.rounds.exchange.guide import condition
from raterbook.rounds.exchange.problems import Problems, shown
from raterbook.rounds.exchange.storing import Cell, Fresh
from raterbook.rounds.snapshot import Snapshot


def refuse_unasked(
    protocol: Protocol, snapshot: Snapshot, fresh: Sequence[Fresh], there: Mapping[Cell, Fact],
    problems: Problems,
) -> list[Fact]:
    """Answers whose condition does not hold are problems; returned are earlier ones it closes."""
    depending = {question.id: question for question in protocol.questions if question.when}
    if not depending:
        return []
    will = After(protocol, snapshot, fresh, there)
    for given, cell, _ in fresh:
        question = depending.get(given.question)
        if question is None or given.status != "answered" or will.asked(question, cell):
            continue
        problems.add(
            f"{shown(given.value)} answers “{question.id}”, which is asked only if "
            f"{condition(protocol, question.when or {})}; {will.told(question, cell)}. Leave it "
            f"empty, or correct {' and '.join(_names(question))}.",
            given.row, given.column,
        )
    return [
        fact for cell, fact in there.items()
        if fact.question in depending and fact.status == "answered" and cell not in will.new
        and will.touches(depending[fact.question], cell)
        and not will.asked(depending[fact.question], cell)
    ]


class After:
    """What will hold once the file is taken in."""

    def __init__(
        self, protocol: Protocol, snapshot: Snapshot, fresh: Sequence[Fresh],
        there: Mapping[Cell, Fact],
    ):
        self.questions = {question.id: question for question in protocol.questions}
        self.snapshot, self.there = snapshot, there
        self.new = {cell: value if given.status == "answered" else None
                    for given, cell, value in fresh}

    def asked(self, question: Question, cell: Cell) -> bool:
        """Whether its condition holds; true where it rests on what somebody else may have said."""
        answers = {name: self.value(name, cell) for name in _names(question)}
        open_ = [name for name, value in answers.items() if value is None
                 and (f"answer:{name}" in question.shows or self._where(name, cell) is None)]
        return bool(open_) or holds(question.when, answers)

    def touches(self, question: Question, cell: Cell) -> bool:
        return any(self._where(name, cell) in self.new for name in _names(question))

    def told(self, question: Question, cell: Cell) -> str:
        """In words, what this rater said instead."""
        words = []
        for name in _names(question):
            value = self.value(name, cell)
            words.append(f"no answer to {name}" if value is None else f"{shown(value)} to {name}")
        return f"{shown(cell[3])} gave {' and '.join(words)}"

    def value(self, name: str, cell: Cell) -> Any:
        where = self._where(name, cell)
        if where is None:
            return None
        if where in self.new:
            return self.new[where]
        fact = self.there.get(where)
        return fact.value if fact is not None and fact.status == "answered" else None

    def _where(self, name: str, cell: Cell) -> Cell | None:
        """Where this rater answers the other question; None where that is not one place."""
        key, of_case, part, rater, _, replicate = cell
        other = self.questions[name]
        if other.of == "case" and not of_case:
            case = self.snapshot.items[key].case_id
            key, of_case = self.snapshot.subjects[case or 0].key, True
        elif other.of == "item" and of_case:
            return None
        if other.per == "part" and not part:
            return None
        return key, of_case, part if other.per == "part" else 0, rater, name, replicate


def withdrawn(facts: Sequence[Fact], row: int) -> list[Fresh]:
    """The same answers as events that take them back."""
    return [
        (Given(row, fact.question, fact.subject, fact.question, "", fact.rater, fact.part,
               fact.replicate, "retracted"), fact.cell, None)
        for fact in facts
    ]


def _names(question: Question) -> list[str]:
    return list(dict.fromkeys(name for name, _ in leaves(question.when)))
