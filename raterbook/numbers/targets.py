"""Targets: met or not by the estimate, as the documents have it; and by the interval.

What is decided before the end is decided at a declared look, with an interval as wide as the look's
share of the error asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from raterbook.analysis.intervals import DRAWN
from raterbook.analysis.looks import Looks, Sides

from ..rounds import Round, RoundError
from ..rounds.looks import RoundLooks, taken_now
from .number import is_comparison, is_shown, is_untrusted, row_of
from .parameters import Parameters

# Why a target has no value where nobody measured it: no answers, none to compare with, none yet.
UNMEASURED = ("no_ratings", "no_comparison", "hidden_until_a_look")


def is_measured(target: Mapping[str, Any]) -> bool:
    """Whether anybody gave what the target is about; else it is no finding."""
    return target["value"] is not None or target["reason"] not in UNMEASURED


def verdicts(
    targets: Iterable[Any],
    rows: list[dict[str, Any]],
    questions: Sequence[str] | None = None,
    why: str = "no_such_number",
) -> list[dict[str, Any]]:
    """One entry for each target, but for those of questions that a reader left out.

    A target that no row speaks of is undefined, for the reason `why`, so that no gate stays open
    for want of a number.
    """
    found = []
    for target in targets:
        row = row_of(rows, target.statistic, target.question, target.group)
        if row is None and questions is not None and target.question not in questions:
            continue
        found.append(verdict(target, row or no_row(target, why)))
    return found


def no_row(target: Any, why: str) -> dict[str, Any]:
    """What stands in the place of a row where the round has none that the target names."""
    return {
        "statistic": target.statistic,
        "question": target.question,
        "group": target.group or None,
        "estimate": None,
        "low": None,
        "high": None,
        "n_items": 0,
        "reason": why,
        "warnings": [],
    }


def verdict(target: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """`met` compares the estimate; `verdict` is met, missed or undecided by the interval.

    An undefined estimate does not meet a target, and nothing is decided by it. Without an
    interval nothing is decided either, nor by one that no method gets right.
    """
    value, low, high = row["estimate"], row["low"], row["high"]
    at_least = target.at_least is not None
    bound = target.at_least if at_least else target.at_most
    met, decided = False, "undecided"
    if value is not None:
        met = value >= bound if at_least else value <= bound
        if low is not None and high is not None and not is_untrusted(row):
            if (low >= bound) if at_least else (high <= bound):
                decided = "met"
            elif (high < bound) if at_least else (low > bound):
                decided = "missed"
    return {
        "name": target.name,
        "target": bound,
        "value": value,
        "low": low,
        "high": high,
        "met": bool(met),
        "verdict": decided,
        "statistic": row["statistic"],
        "question": row["question"],
        "group": row["group"],
        "direction": "at_least" if at_least else "at_most",
        "n_items": row["n_items"],
        "reason": row["reason"],
        "warnings": list(row.get("warnings") or []),
    }


# What would settle an undecided target: more items, or nothing within reason.


OUT_OF_REACH = 20  # times the items of this round


def items_needed(target: dict[str, Any], n_items: int) -> int | None:
    """Items at which the interval would leave out the target, if the estimate stays as it is.

    Half-widths shrink with the root of the number of items. None where the estimate is the
    target, or so near that more than twenty rounds like this one would be needed.
    """
    value, low, high, bound = target["value"], target["low"], target["high"], target["target"]
    if value is None or low is None or high is None or value == bound:
        return None
    half = (value - low) if value > bound else (high - value)
    needed = n_items * (half / abs(value - bound)) ** 2
    return None if needed > OUT_OF_REACH * n_items else round_up(max(needed, n_items + 1))


def round_up(number: float) -> int:
    """Two leading figures, upwards: 137 items is a precision nobody has.

    >>> round_up(137), round_up(12.2), round_up(1501)
    (140, 13, 1600)
    """
    step = 10 ** max(0, math.floor(math.log10(number)) - 1)
    # Rounded first: 400.0000001 is 400.
    return int(math.ceil(round(number / step, 6)) * step)


# Declared looks: what may be seen by now, how sure it has to be, and whether to go on.


LEAST_LEVEL = 1e-9  # an interval that covers more says no more


@dataclass(frozen=True)
class Sight:
    """What of a round with declared looks may be seen by now, and the error spent so far.

    `at` is the error of all looks together.
    """

    name: str
    looks: RoundLooks
    at: float

    @property
    def hidden(self) -> bool:
        return self.looks.last is None

    @property
    def until(self) -> int:
        """The last answer that may be seen."""
        return self.looks.last.until if self.looks.last else 0

    @cached_property
    def _plan(self) -> Looks | None:
        """The looks that were taken, one for each number of complete ratings."""
        told: dict[int, float] = {}
        for each in self.looks.taken:
            if each.complete > max(told, default=0):
                told[each.complete] = max(min(each.share, 1.0), *told.values(), 0.0)
        information = tuple(float(complete) for complete in told)
        return Looks(tuple(told.values()), self.at, 2, information) if told else None

    def level(self, sides: Sides = 2) -> float:
        """The p-value that is small enough at the look that is shown."""
        plan = self._plan
        found = replace(plan, sides=sides).levels[-1] if plan is not None else 0.0
        return max(found, LEAST_LEVEL)

    @property
    def spent(self) -> float:
        """Of the error, how much is spent with this look."""
        return self._plan.spent[-1] if self._plan is not None else 0.0

    def parameters(self, asked: Parameters) -> Parameters:
        """The same parameters with the coverage that the look asks for."""
        if self.hidden:
            return asked
        level = self.level()
        if asked.interval in DRAWN and level * asked.resamples < DRAWS:
            needed = round_up(DRAWS / level)
            raise RoundError(
                f"parameter interval: {asked.resamples:,} draws carry no interval of "
                f"{100 * (1 - level):g} %, which this look at {self.name} asks for. Use jackknife"
                + (f", or resamples={needed}." if needed <= 1_000_000 else ".")
            )
        return replace(asked, coverage=1 - level)

    # In words

    @property
    def where(self) -> str:
        """“look 1 of 4, at 25 % of the planned ratings”: the next one."""
        declared = self.looks.declared
        if self.looks.next is None:
            return "the round is closed"
        share = declared[self.looks.next - 1]
        look = "the declared look" if len(declared) == 1 else f"look {self.looks.next}"
        of = "" if len(declared) == 1 else f" of {len(declared)}"
        return f"{look}{of}, at {100 * share:.3g} % of the planned ratings"

    @property
    def progress(self) -> str:
        return f"{self.looks.complete:,} of {self.looks.planned:,} are complete"

    def waiting(self) -> str:
        """Why nothing is shown, and what shows it."""
        return (
            f"Agreement and verdicts are hidden until {self.where}: {self.progress}. "
            f"`raterbook close {self.name}` ends the round; `raterbook report {self.name} --now` "
            "shows them at once, which spends error too and stands on the page."
        )

    def standing(self, decision: str) -> str:
        """At which look the round is, what it spends, and whether to go on."""
        last = self.looks.last
        assert last is not None
        many = len(self.looks.declared)
        if last.at_end:
            which = "The end of the round"
        elif last.number is None:
            which = "A look that was not declared"
        else:
            which = f"Look {last.number} of {many}"
        why = f" ({last.reason})" if last.reason and last.number is None else ""
        said = (
            f"{which}{why}, at {last.complete:,} of {last.planned:,} planned ratings: "
            f"{plain(self.spent)} of the error of {plain(self.at)} is spent, and intervals cover "
            f"{100 * (1 - self.level()):.5g} %. {decision}"
        )
        if (early := self.looks.undeclared) and not (early == 1 and last.number is None):
            said += f" Of {len(self.looks.taken)} looks taken {early} had not been declared."
        if self.looks.state == "open" and self.looks.complete > last.complete:
            said += f" By now {self.progress}; what came since the look is not shown."
        return said

    def document(self, decided: tuple[str | None, str]) -> dict[str, Any]:
        """As it stands in numbers.json."""
        last = self.looks.last
        go, said = decided
        return {
            "declared": list(self.looks.declared),
            "hidden": self.hidden,
            "number": None if last is None else last.number,
            "at_end": last is not None and last.at_end,
            "undeclared": self.looks.undeclared,
            "complete": self.looks.complete if last is None else last.complete,
            "planned": self.looks.planned if last is None else last.planned,
            "error": self.at,
            "spent": self.spent,
            "level": None if self.hidden else self.level(),
            "decision": go,
            "sentence": self.waiting() if self.hidden else self.standing(said),
        }


DRAWS = 20  # resamples beyond the ends of an interval


def plain(value: float) -> str:
    """.05, .0031, under .0001."""
    return "under .0001" if value < 1e-4 else f"{value:.2g}".removeprefix("0")


def planned(looks: RoundLooks, at: float = 0.05) -> list[str]:
    """A line for each declared look: what it may spend and how sure it has to be."""
    plan = Looks(looks.declared, at)
    return [
        f"at {100 * share:5.3g} %  spent {plain(spent):>11}  "
        f"intervals cover {100 - 100 * level:.5g} %"
        for share, spent, level in zip(plan.shares, plan.spent, plan.levels, strict=True)
    ]


def sight_of(stored: Round, coverage: float) -> Sight | None:
    """What may be seen by now, the due look being taken; None where no looks were declared."""
    found = taken_now(stored)
    return None if found is None else Sight(stored.name, found, round(1 - coverage, 12))


def in_sight(
    stored: Round, asked: Parameters, see: Callable[..., Sight | None] = sight_of
) -> tuple[Parameters, Sight | None]:
    """The parameters at the coverage of what may be seen by now, and what that is."""
    sight = see(stored, asked.coverage)
    return (asked if sight is None else sight.parameters(asked)), sight


def refuse_hidden(stored: Round, coverage: float = 0.95) -> Sight | None:
    """The same, refused while everything is hidden."""
    sight = sight_of(stored, coverage)
    if sight is not None and sight.hidden:
        raise RoundError(sight.waiting())
    return sight


def decided(
    sight: Sight, targets: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> tuple[str | None, str]:
    """`stop` or `go on`, with the sentence: by the targets, else by the paired differences."""
    if sight.hidden:
        return None, ""
    measured = [target for target in targets if is_measured(target)]
    if measured:
        open_ones = [target["name"] for target in measured if target["verdict"] == "undecided"]
        many = len(measured)
        what = "target" if many == len(targets) else "measured target"
    else:
        pairs = [row for row in rows if is_comparison(row)]
        level = sight.level()
        open_ones = [row["group"]["systems"] for row in pairs if not is_shown(row, 1 - level)]
        what, many = "difference of two systems", len(pairs)
    if not many:
        return "go on", "Go on: there is no target and no comparison to decide yet."
    if not open_ones:
        every = f"the only {what} is" if many == 1 else f"every {what} is"
        return "stop", f"Stop: {every} decided."
    plural = what.replace("target", "targets").replace("difference", "differences")
    left = f"{len(open_ones)} of {many} {plural}" if many > 1 else f"the only {what}"
    verb = "is" if len(open_ones) == 1 else "are"
    if sight.looks.last is not None and sight.looks.last.at_end:
        return "end", f"At the end {left} {verb} not decided."
    return "go on", f"Go on: {left} {verb} not decided; next is {sight.where}."
