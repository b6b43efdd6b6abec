"""How large the next round must be: what this one, as a pilot, says of items and raters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from analysis.estimate import Estimate, sentence
from analysis.planning import Precision, precision
from analysis.ratings import Coded

from ..rounds import Round
from .compute import cluster_of, frame_of, questions_of
from .counted import Board
from .parameters import checked
from .targets import round_up

WITHIN = 0.05
ALPHAS = {"nominal": "alpha_nominal", "ordinal": "alpha_ordinal"}


@dataclass(frozen=True)
class Planned:
    """One number of one question, as larger and smaller rounds would know it."""

    question: str
    statistic: str
    pilot: Precision | None
    reason: str | None = None


@dataclass(frozen=True)
class NextRound:
    """Widths of intervals by items and raters, hours of work, and what follows in a sentence."""

    round: str
    numbers: tuple[Planned, ...]
    items: tuple[int, ...]
    raters: tuple[int, ...]
    within: float
    seconds: float | None

    def hours(self, items: int, raters: int) -> float | None:
        """Hours of all raters together, by the median time an item took; None without times."""
        return None if self.seconds is None else items * raters * self.seconds / 3600

    def frame(self) -> pd.DataFrame:
        """A row per question, statistic and size: widths for these raters and raters like these."""
        return pd.DataFrame(
            [
                {
                    "question": each.question,
                    "statistic": each.statistic,
                    "items": items,
                    "raters": raters,
                    "width": each.pilot.width(items, raters),
                    "width_like": each.pilot.width(items, raters, like=True),
                    "hours": self.hours(items, raters),
                }
                for each in self.numbers
                if each.pilot is not None
                for raters in self.raters
                for items in self.items
            ],
            columns=["question", "statistic", "items", "raters", "width", "width_like", "hours"],
        )

    @property
    def sentences(self) -> list[str]:
        """What each number needs to be known within the half-width asked for."""
        return [self._said(each) for each in self.numbers]

    def _said(self, each: Planned) -> str:
        name = f"{each.statistic} of {each.question}"
        if each.pilot is None:
            return f"{name}: nothing can be planned. {sentence(each.reason or 'no_ratings')}"
        pilot = each.pilot
        width = pilot.width(pilot.n_items, pilot.n_raters) or 0.0
        said = (
            f"{name} is {pilot.value:.2f} within about ±{width / 2:.2f} on {pilot.n_items:,} items "
            f"by {pilot.n_raters} raters each"
        )
        needs = []
        for raters in self.raters:
            items = pilot.items_for(2 * self.within, raters)
            if items is not None:
                many = round_up(items)
                hours = self.hours(many, raters)
                work = "" if hours is None else f" ({_time(hours)})"
                needs.append(f"{many:,} items with {raters} raters{work}")
        if not needs:
            return f"{said}; within ±{self.within:g} is out of reach."
        return f"{said}; within ±{self.within:g} takes about {', or '.join(needs)}."

    def to_json(self) -> str:
        """Sentences and widths at full precision, never NaN."""
        rows = self.frame().astype(object)
        rows = rows.where(rows.notna(), None)
        document = {
            "round": self.round,
            "within": self.within,
            "seconds_per_item": self.seconds,
            "sentences": self.sentences,
            "widths": rows.to_dict("records"),
        }
        return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def __str__(self) -> str:
        lines = [f"The next round, from {self.round} as a pilot"]
        lines += [f"  {said}" for said in self.sentences]
        for each in self.numbers:
            if each.pilot is None:
                continue
            lines.append(f"  Width of {each.statistic} of {each.question} for these raters:")
            head = "".join(f"{f'{raters} raters':>10}" for raters in self.raters)
            lines.append(f"    {'items':>7}{head}")
            for items in self.items:
                widths = [each.pilot.width(items, raters) for raters in self.raters]
                cells = "".join(f"{width:>10.2f}" for width in widths if width is not None)
                lines.append(f"    {items:>7,}{cells}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(each)}</p>" for each in self.sentences)
        table = self.frame().to_html(index=False, na_rep="–", escape=True, max_rows=200,
                                     float_format="{:.3f}".format)  # fmt: skip
        return f"{said}{table}"


def _time(hours: float) -> str:
    return f"{hours:.0f} hours" if hours >= 10 else f"{hours:.1f} hours"


def next_round(
    stored: Round,
    *,
    items: Iterable[int] = (),
    raters: Iterable[int] = (),
    within: float = WITHIN,
    **parameters: Any,
) -> NextRound:
    """The round as a pilot: how wide intervals would be with other numbers of items and raters.

    `within` is the half-width wanted. Clusters are taken to stay as large as they are, and raters
    to be as these. Further parameters are those of a report: questions, coverage.
    """
    if not 0 < within < 1:
        raise ValueError(f"within {within!r}: give a half-width between 0 and 1, such as .05")
    given = checked(stored.name, parameters)
    frame = frame_of(stored, given)
    board = Board(frame, questions_of(stored.protocol), cluster=cluster_of(frame))
    found: list[Planned] = []
    largest, most = 0, 0
    for question in stored.protocol.questions:
        asked = given.questions is None or question.id in given.questions
        if not (question.is_score or question.is_label) or not asked:
            continue
        columns, _ = board.counted([question.id])
        coded = board.ratings(board.grid(question.id), columns, board.everything)
        if not coded.n_units:
            continue
        coded, whole = _in_places(coded.answering())
        largest, most = max(largest, coded.n_units), max(most, len(coded.raters))
        names = [ALPHAS.get(question.level or "nominal", "alpha_interval")]
        names += ["mean"] if question.is_score else []
        for name in names:
            made = precision(coded, name, coverage=given.coverage)
            if isinstance(made, Estimate):
                reason = made.reason or "too_few_units_for_interval"
                found.append(Planned(question.id, name, None, reason))
            else:
                pilot = made if whole else replace(made, raters=None)
                found.append(Planned(question.id, name, pilot))
    if not found:
        raise ValueError(f"{stored.name}: nobody has answered yet; a pilot of 30 items would do.")
    return NextRound(
        stored.name,
        tuple(found),
        _sizes(items, "items", sorted({round_up(largest * k) for k in (0.5, 1, 2, 4, 8)})),
        _sizes(raters, "raters", list(range(max(2, most - 1), max(2, most) + 3))),
        within,
        _seconds(frame),
    )


def _in_places(coded: Coded) -> tuple[Coded, bool]:
    """Whether every rater was to rate every item; if not, each item's ratings in places instead.

    Neither α nor a mean asks which rater a rating is of, so the first, second and third rating of
    an item do as raters; of raters like these they tell nothing.
    """
    counts, many = coded.rating_counts(), len(coded.raters)
    if counts.sum() > 0.7 * coded.n_units * many:
        return coded, True
    usual = int(np.bincount(counts).argmax())
    order = np.argsort(coded.codes == 0, axis=1, kind="stable")[:, :usual]
    codes = np.take_along_axis(coded.codes, order, axis=1)
    return replace(coded, codes=codes, raters=tuple(range(1, usual + 1)), confidence=None), False


def _sizes(given: Iterable[int], what: str, usual: Sequence[int]) -> tuple[int, ...]:
    sizes = tuple(given) or tuple(usual)
    least = 2 if what == "raters" else 10
    wrong = [size for size in sizes if not least <= size <= 1_000_000]
    if wrong:
        raise ValueError(f"{what} {wrong[0]}: give whole numbers from {least} to 1,000,000")
    return sizes


def _seconds(frame: pd.DataFrame) -> float | None:
    """The median time that a person took for an item, over all its questions."""
    timed = frame[frame["rater_kind"].astype(object).eq("human") & frame["seconds"].notna()]
    timed = timed[timed["item"].notna()]
    if not len(timed):
        return None
    each = timed.assign(item=timed["item"].astype(str), rater=timed["rater"].astype(str))
    found = float(np.median(each.groupby(["item", "rater"])["seconds"].sum()))
    return found if found > 0 else None
