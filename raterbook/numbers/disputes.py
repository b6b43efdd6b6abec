"""What is in dispute: where those who count differ, what settled it, and what votes came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis import Ratings
from raterbook.analysis.coefficients.tables import coefficient
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import USUAL, Interval
from raterbook.analysis.ratings.patterns import distinct_rows, divide

from ..protocols import Question, holds
from ..protocols.statistics import alpha_at
from ..rounds import Answer, Round, RoundError, current
from ..rounds.completeness import depends_on
from ..rounds.consensus import ADJUDICATOR, agreed, strict_majority
from ..rounds.snapshot import spelt
from .counted import Board, Counted, count, subjects
from .measures import cluster_of, questions_of

# By which a question is in dispute: the name, and what holds of the answers then.
BY = {
    "majority": "no answer has more than half of those who answered",
    "tie": "two answers or more are given most often, each as often as the other",
    "spread": "answers lie further apart than so many levels; labels differ",
    "any": "not all gave the same answer",
}
READ = ["subject", "case", "part", "rater", "value", "reason", "confidence", "seconds",
        "answered_at"]  # fmt: skip
Place = tuple[str, int]  # an item or case, and its part or 0
Key = tuple[str, str, int]  # a question, and a place


@dataclass(frozen=True)
class Statement:
    """What one rater said, with what they wrote and marked beside it."""

    rater: str
    value: str = ""  # empty where the question was left open
    reason: str = ""
    comments: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    confidence: float | None = None
    seconds: float | None = None
    at: pd.Timestamp | None = None


@dataclass(frozen=True)
class Dispute:
    """One question about one unit: what those who count said, and what adjudicators did."""

    item: str | None
    case: str
    part: int
    question: str
    said: tuple[Statement, ...]
    final: tuple[Statement, ...] = ()  # what adjudicators decided
    left: tuple[Statement, ...] = ()  # adjudicators who left it open, with their reasons
    spread: float = 0.0  # levels apart; of labels, how many different ones beyond the first
    width: float = 0.0  # the same as a share of the scale; of labels, who is outside the commonest
    tied: bool = False
    disputed: bool = True  # one that was decided may be in dispute no more

    @property
    def subject(self) -> str:
        return self.item or self.case

    @property
    def unit(self) -> str:
        return f"{self.subject}, part {self.part}" if self.part else self.subject

    @property
    def key(self) -> Key:
        return self.question, self.subject, self.part

    @cached_property
    def decision(self) -> Statement | None:
        """What more than half of the adjudicators say; where they tie, nothing is settled."""
        if not self.final:
            return None
        settled = agreed({ADJUDICATOR: [one.value for one in self.final]}, (ADJUDICATOR,))
        return next((one for one in self.final if one.value == settled), None)


def disputes(
    round: Round,
    questions: Sequence[str] = (),
    by: str = "majority",
    beyond: float = 1,
    pseudonyms: bool = False,
) -> list[Dispute]:
    """Ties first, then the largest spread; behind them what was decided and is disputed no more.

    Only people's answers make a dispute, or models' where no person answered the question. What is
    asked only after an answer that does not stand is in dispute no more.
    """
    return Disputes(round, questions, by, beyond, pseudonyms).found


class Disputes:
    """The same, held: a decision changes what it touches, and nothing else is counted anew."""

    def __init__(
        self,
        round: Round,
        questions: Sequence[str] = (),
        by: str = "majority",
        beyond: float = 1,
        pseudonyms: bool = False,
    ):
        if by not in BY:
            raise RoundError(f"{by!r} is no way to be in dispute: choose {', '.join(BY)}.")
        self.known = {q.id: q for q in round.protocol.questions if is_settled(q)}
        for name in questions:
            if name not in self.known:
                known = ", ".join(self.known)
                raise RoundError(f"{name!r} cannot be in dispute: choose {known}.")
        self.round, self.by, self.beyond = round, by, beyond
        with round.store.read() as connection:
            self._seen, self._last = round.look(connection), current.last(connection)
        self._answers = _Differences(round, pseudonyms)
        # What those who count differ on by this rule, and whatever adjudicators said.
        self._every: dict[Key, Dispute] = {}
        self._of_case: dict[str, list[Key]] = {}
        self._differs: set[Key] = set()
        for name in questions or self.known:
            for one in self._answers.differing(self.known[name], by, beyond):
                if one.disputed:
                    self._differs.add(one.key)
                self._every[one.key] = self._judged(one)
                self._of_case.setdefault(one.case, []).append(one.key)

    @property
    def found(self) -> list[Dispute]:
        """Ties first, then the largest spread; behind them what is disputed no more."""
        kept = [one for one in self._every.values() if one.disputed or one.final or one.left]
        return sorted(kept, key=lambda one: (
            not one.disputed, not one.tied, -one.width, -one.spread, one.subject, one.part,
            one.question,
        ))  # fmt: skip

    def is_behind(self, rater: str) -> bool:
        """Whether anybody but this rater has answered since, or raters count otherwise now."""
        with self.round.store.read() as connection:
            seen = self.round.look(connection)
            return seen is not self._seen or current.others_since(
                connection, self.round.id, self._last, seen.rater(rater)
            )

    def settle(self, key: Key, rater: str, answer: Answer | None) -> bool:
        """This adjudicator's answer now, in place of the one before; False where it is not held.

        What is asked only after the answers that stand is looked at again, in the same case.
        """
        if key not in self._every:
            return False
        one = self._every[key]
        final = [each for each in one.final if each.rater != rater]
        left = [each for each in one.left if each.rater != rater]
        if answer is not None:
            put = final if answer.status == "answered" else left
            put.append(statement(self.known[one.question], rater, answer))
        self._every[key] = replace(one, final=tuple(final), left=tuple(left))
        self._answers.stands(self._every[key])
        for other in self._of_case[one.case]:
            self._every[other] = self._judged(self._every[other])
        return True

    def _judged(self, one: Dispute) -> Dispute:
        question, place = self.known[one.question], (one.subject, one.part)
        disputed = (
            one.key in self._differs and self._answers.is_asked(question, place, one.case)
        ) or bool(one.final and one.decision is None)  # adjudicators differ
        return one if disputed == one.disputed else replace(one, disputed=disputed)


def statement(question: Question, rater: str, answer: Answer) -> Statement:
    """An adjudicator's answer as the frame of all answers has it."""
    value = spelt(question, answer.value) if answer.status == "answered" else ""
    return Statement(rater, value, answer.reason or "")


def undecided(found: Sequence[Dispute]) -> list[Dispute]:
    return [one for one in found if one.disputed and one.decision is None]


def is_settled(question: Question) -> bool:
    """Whether an answer can be decided: one of a few, or a number; not a confidence, nor words."""
    return bool(question.values or question.is_numeric) and not question.covers


class _Differences:
    """All answers of a round, by question and place."""

    def __init__(self, round: Round, pseudonyms: bool):
        self.protocol = round.protocol
        every = round.frame(texts=True, reasons=True, pseudonyms=pseudonyms)
        self.counted: Counted = count(every, self.protocol.questions)
        given = self.counted.given
        self.final = given[given["rater_kind"].eq(ADJUDICATOR)]
        open_ = every["rater_kind"].eq(ADJUDICATOR) & every["status"].eq("skipped")
        left = every[open_ & every["role"].eq("main") & every["replicate"].eq(1)]
        self.left = left.assign(subject=subjects(left))
        texts = {q.id: q.comment_of for q in self.protocol.questions if q.is_text}
        self.comments: dict[tuple[str, str], list[tuple[int, str | None, str]]] = {}
        for row in given[given["question"].isin(list(texts))].to_dict("records"):
            about = texts[str(row["question"])]
            where = (str(row["subject"]), str(row["rater"]))
            self.comments.setdefault(where, []).append((int(row["part"]), about, str(row["value"])))
        self.stand: dict[str, dict[Place, str]] = {}
        self.evidence: dict[tuple[str, str], list[str]] = {}
        for mark in round.marked(pseudonyms, excluded=False):
            if mark["mark"] == "evidence":
                where = (mark["item"], mark["rater"])
                self.evidence.setdefault(where, []).append(str(mark["quote"]))

    def differing(self, question: Question, by: str, beyond: float) -> list[Dispute]:
        """Where those who count differ by this rule, or an adjudicator said something."""
        rows = self.counted.of(question.id)
        spread = _Spread(question, rows)
        final = self._by_place(self.counted.of(question.id, self.final))
        left = self._by_place(self.counted.of(question.id, self.left))
        wanted = spread.differs(by, beyond)
        needed = wanted.copy()
        needed[[spread.places[place] for place in {*final, *left} & set(spread.places)]] = True
        theirs = self._by_place(rows[needed[spread.of_row]])
        found = []
        for place in {**theirs, **final, **left}:
            answers = [each.get(place, []) for each in (theirs, final, left)]
            case = str(next(rows[0]["case"] for rows in answers if rows))
            item = None if question.of == "case" else place[0]
            said, decided, open_ = (
                tuple(self._said(question, place, row) for row in rows) for rows in answers
            )
            one = Dispute(item, case, place[1], question.id, said, decided, open_, disputed=False)
            at = spread.places.get(place)
            found.append(one if at is None else spread.measured(one, at, bool(wanted[at])))
        return found

    def _by_place(self, rows: pd.DataFrame) -> dict[Place, list[dict[str, Any]]]:
        found: dict[Place, list[dict[str, Any]]] = {}
        rows = rows[READ].astype(object)
        columns = (rows[name].where(rows[name].notna(), None).tolist() for name in READ)
        for values in zip(*columns, strict=True):
            row = dict(zip(READ, values, strict=True))
            found.setdefault((str(row["subject"]), int(row["part"])), []).append(row)
        return found

    def _said(self, question: Question, place: Place, row: Mapping[str, Any]) -> Statement:
        where = (place[0], str(row["rater"]))
        # What was written of this question first, then of the whole; nothing of other questions.
        texts = [t for t in self.comments.get(where, []) if t[0] in (0, place[1])]
        own = [text for _, about, text in texts if about == question.id]
        own += [text for _, about, text in texts if about is None]
        return Statement(
            str(row["rater"]),
            str(row["value"] or ""),
            row["reason"] or "",
            tuple(own),
            tuple(self.evidence.get(where, ())),
            row["confidence"],
            row["seconds"],
            row["answered_at"],
        )

    def is_asked(self, question: Question, place: Place, case: str) -> bool:
        """Whether it is asked after the answers that stand; true while one of them is open."""
        answers = {}
        for name in depends_on(question):
            other = self.protocol.question(name)
            if not is_settled(other):
                return True
            subject = case if other.of == "case" else place[0]
            part = place[1] if other.per == "part" else 0
            answers[name] = self._standing(other, (subject, part))
            if answers[name] is None:
                return True
        return holds(question.when, answers)

    def stands(self, one: Dispute) -> None:
        """What adjudicators say of it now, for what is asked only after it."""
        if one.question in self.stand:
            said = ([each.value for each in those] for those in (one.final, one.said))
            self.stand[one.question][one.subject, one.part] = _stands(*said)

    def _standing(self, question: Question, place: Place) -> Any:
        """The answer that stands for all: adjudicated, else a strict majority's, else none."""
        if question.id not in self.stand:
            people = self._by_place(self.counted.of(question.id))
            final = self._by_place(self.counted.of(question.id, self.final))
            self.stand[question.id] = {
                where: _stands(*(
                    [str(row["value"]) for row in rows.get(where, [])] for rows in (final, people)
                ))
                for where in {**people, **final}
            }  # fmt: skip
        text = self.stand[question.id].get(place, "")
        known = {str(value): value for value in question.values or ()}
        return known.get(text, number_of(text) if question.is_numeric and text else None)


class _Spread:
    """How far those who count differ on one question, place by place, counted with arrays."""

    def __init__(self, question: Question, rows: pd.DataFrame):
        subjects_, named = pd.factorize(rows["subject"])
        values, texts = pd.factorize(rows["value"].astype(object))
        self.question, self.texts = question, [str(text) for text in texts]
        parts = rows["part"].to_numpy(dtype=np.int64)
        where = np.stack([subjects_, parts], axis=1).astype(np.int64)
        each, self.of_row = distinct_rows(where)
        names = list(map(str, named))
        self.places: dict[Place, int] = {
            (names[subject], part): at for at, (subject, part) in enumerate(each.tolist())
        }
        nth = pd.Series(self.of_row).groupby(self.of_row).cumcount().to_numpy()
        # Row by row what was said in one place: the codes of values from 1, 0 for no further one.
        self.said = np.zeros((len(each), np.bincount(self.of_row).max(initial=0)), dtype=np.int64)
        self.said[self.of_row, nth] = values + 1
        there = self.said > 0
        alike = [(self.said == column[:, None]).sum(axis=1) for column in self.said.T]
        self.alike = np.stack(alike, axis=1) * there if alike else self.said
        most = self.alike.max(axis=1, initial=0)
        first = (self.alike == most[:, None]) & there
        self.tied = first.sum(axis=1) > most
        self.kinds = divide(np.ones(1), self.alike, 0.0).sum(axis=1)
        self.spread, self.width = self._width(there, most)

    def _width(self, there: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        question = self.question
        if not (question.is_numeric or question.level == "ordinal"):
            commonest = divide(most, there.sum(axis=1), 1.0)
            return np.round(self.kinds) - 1, 1 - commonest
        if question.is_numeric:
            numbers, (low, high) = [number_of(text) for text in self.texts], question.ends
        else:
            order = {str(value): float(at) for at, value in enumerate(question.values or ())}
            numbers = [order.get(text, 0.0) for text in self.texts]
            low, high = 0, max(len(order) - 1, 1)
        values = np.array([0.0, *numbers])[self.said]
        least = np.where(there, values, np.inf).min(axis=1, initial=np.inf)
        largest = np.where(there, values, -np.inf).max(axis=1, initial=-np.inf)
        spread = largest - least
        return spread, spread / (high - low)

    def measured(self, one: Dispute, at: int, disputed: bool) -> Dispute:
        spread, width, tied = float(self.spread[at]), float(self.width[at]), bool(self.tied[at])
        return replace(one, spread=spread, width=width, tied=tied, disputed=disputed)

    def differs(self, by: str, beyond: float) -> np.ndarray:
        """Whether the places are in dispute by this rule, as far as it goes by the answers."""
        if by == "majority":
            rule = strict_majority(self.said) == 0
        elif by == "spread":
            ordered = self.question.is_numeric or self.question.level == "ordinal"
            rule = self.spread > beyond if ordered else np.full(len(self.said), True)
        else:
            rule = self.tied | (by == "any")
        differ: np.ndarray = rule & (self.kinds > 1.5)
        return differ


def number_of(text: str) -> float:
    """A number as the frame writes it; half a per cent is written with its sign."""
    return float(text.removesuffix("%"))


def _stands(final: Sequence[str], theirs: Sequence[str]) -> str:
    return agreed({ADJUDICATOR: final, "human": theirs}, (ADJUDICATOR, "human"))


# Calibration: a vote that nobody saw, what was revealed, and the votes after the discussion.


@dataclass(frozen=True)
class Vote:
    """All that was said by one moment: until the answers were revealed, or until now."""

    at: str | None  # when it was revealed; None: it goes on
    by: str | None
    alphas: dict[str, Estimate]  # by question, of the answers that all votes have
    raters: tuple[str, ...]  # whose answers these are
    n: int  # how many there are
    changed: int  # of them, since the vote before


def votes(
    round: Round,
    pseudonyms: bool = False,
    questions: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    interval: Interval = USUAL,
) -> list[Vote]:
    """Every vote of a round in which answers were revealed, the present one last; none without.

    All are counted on the answers that each of them has, so that they can be compared; of those who
    count, or of the raters named.
    """
    reveals = [entry for entry in round.log() if entry["action"] == "reveal"]
    if not reveals:
        return []
    asked = {q.id: q for q in round.protocol.questions if is_settled(q)}
    asked = {name: q for name, q in asked.items() if name in (questions or asked)}
    frames = [round.frame(until=entry["until"], pseudonyms=pseudonyms) for entry in reveals]
    boards = [
        Board(frame, questions_of(round.protocol), cluster=cluster_of(frame), raters=raters)
        for frame in (*frames, round.frame(pseudonyms=pseudonyms))
    ]
    tables = {
        name: [board.long(name).set_index(["unit", "rater"]) for board in boards] for name in asked
    }
    for name, each in tables.items():
        common = each[0].index
        for table in each[1:]:
            common = common.intersection(table.index)
        tables[name] = [table.loc[common] for table in each]
    found = []
    for place, entry in enumerate([*reveals, {}]):
        now = {name: each[place] for name, each in tables.items() if len(each[place])}
        changed = sum(
            int((table["value"] != tables[name][place - 1]["value"]).sum())
            for name, table in now.items()
            if place
        )
        alphas = {
            name: coefficient(
                alpha_at(asked[name].level),
                Ratings(table.reset_index(), scale=asked[name].values, cluster="cluster"),
                interval,
            )
            for name, table in now.items()
        }
        many = sum(map(len, now.values()))
        who = tuple(sorted({str(one) for each in now.values() for one in each.index.unique(1)}))
        found.append(Vote(entry.get("at"), entry.get("rater"), alphas, who, many, changed))
    return found
