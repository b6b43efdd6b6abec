"""What is in dispute: units on which those who count differ and that nobody has settled yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..protocols.questions import Question
from ..rounds import Round, RoundError
from ..rounds.consensus import ADJUDICATOR

# By which a question is in dispute: the name, and what it asks of the answers.
BY = {
    "tie": "no answer has more than half of those who answered",
    "spread": "answers lie more than `beyond` levels apart; of labels, they differ",
    "any": "not all gave the same answer",
}


@dataclass(frozen=True)
class Said:
    """What one rater said, with what they wrote beside it."""

    rater: str
    value: str
    comment: str = ""
    confidence: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Dispute:
    """One question about one unit, with everyone's answers; `decision` where it was settled."""

    item: str | None
    case: str
    part: int
    question: str
    spread: float  # levels apart; of labels, how many different ones beyond the first
    tied: bool
    said: tuple[Said, ...]
    decision: Said | None = None

    @property
    def unit(self) -> str:
        name = self.item or self.case
        return f"{name}, part {self.part}" if self.part else name


def disputes(
    round: Round, questions: Sequence[str] = (), by: str = "tie", beyond: float = 1
) -> list[Dispute]:
    """Ties first, then by spread; those that adjudicators settled keep their decision.

    Only people's answers make a dispute, or models' where nobody else answered.
    """
    if by not in BY:
        raise RoundError(f"{by!r} is no way to be in dispute: choose {', '.join(BY)}.")
    asked = [q for q in round.protocol.questions if q.values or q.is_numeric]
    known = [q.id for q in asked if not q.covers]
    for name in questions:
        if name not in known:
            raise RoundError(f"{name!r} cannot be in dispute: choose {', '.join(known)}.")
    wanted = [q for q in asked if q.id in (questions or known)]
    texts = round.frame(texts=True)
    rows = texts[texts["status"].eq("answered") & texts["role"].eq("main")]
    rows = rows[rows["replicate"].eq(1)]
    found = [one for q in wanted for one in _of_question(q, rows, by, beyond)]
    return sorted(found, key=lambda one: (not one.tied, -one.spread, one.unit, one.question))


def open_disputes(found: Sequence[Dispute]) -> list[Dispute]:
    return [one for one in found if one.decision is None]


def _of_question(question: Question, rows: pd.DataFrame, by: str, beyond: float) -> list[Dispute]:
    own = rows[rows["question"].eq(question.id)].astype({"rater": object, "rater_kind": object})
    notes = rows[rows["question"].eq(f"{question.id}_comment")]
    comments = {_place(row): str(row["value"]) for row in notes.to_dict("records")}
    units: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in own.to_dict("records"):
        units.setdefault(_place(row)[:3], []).append(row)
    found = []
    for (item, case, part), given in units.items():
        final = [row for row in given if row["rater_kind"] == ADJUDICATOR]
        people = [row for row in given if row["rater_kind"] == "human"]
        theirs = people or [row for row in given if row["rater_kind"] == "model"]
        values = [str(row["value"]) for row in theirs]
        most = max(map(values.count, values), default=0)
        tied = bool(values) and 2 * most <= len(values)
        spread = _spread(question, theirs)
        differ = len(set(values)) > 1
        far = spread > beyond if question.is_numeric else differ
        if not {"tie": tied and differ, "spread": far, "any": differ}[by]:
            continue
        said = tuple(_said(row, comments) for row in theirs)
        settled = _settled([_said(row, comments) for row in final])
        found.append(Dispute(item, case, part, question.id, spread, tied and differ, said, settled))
    return found


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    item = None if pd.isna(row["item"]) else str(row["item"])
    return (item, str(row["case"]), int(row["part"]), str(row["rater"]))


def _spread(question: Question, rows: Sequence[dict[str, Any]]) -> float:
    if question.is_numeric:
        numbers = [float(row["number"]) for row in rows]
        return max(numbers) - min(numbers) if numbers else 0.0
    return float(max(len({str(row["value"]) for row in rows}) - 1, 0))


def _said(row: dict[str, Any], comments: dict[tuple[Any, ...], str]) -> Said:
    def number(name: str) -> float | None:
        return None if pd.isna(row[name]) else float(row[name])

    return Said(
        str(row["rater"]),
        str(row["value"]),
        comments.get(_place(row), ""),
        number("confidence"),
        number("seconds"),
    )


def _settled(final: Sequence[Said]) -> Said | None:
    """What more than half of the adjudicators say; where they tie, nothing is settled."""
    values = [one.value for one in final]
    return next((one for one in final if 2 * values.count(one.value) > len(values)), None)
