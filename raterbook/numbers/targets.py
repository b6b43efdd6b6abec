"""Targets: met or not by the estimate, as the documents have it; and by the interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .number import is_untrusted, row_of

# Why a target has no value where nobody measured it: no answers, or none to compare with.
UNMEASURED = ("no_ratings", "no_comparison")


def is_measured(target: Mapping[str, Any]) -> bool:
    """Whether anybody gave what the target is about; else it is no finding."""
    return target["value"] is not None or target["reason"] not in UNMEASURED


def verdicts(
    targets: Iterable[Any],
    rows: list[dict[str, Any]],
    questions: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """One entry for each target, but for those of questions that a reader left out.

    A target that no row speaks of is undefined, so that no gate stays open for want of a number.
    """
    found = []
    for target in targets:
        row = row_of(rows, target.statistic, target.question, target.group)
        if row is None and questions is not None and target.question not in questions:
            continue
        found.append(verdict(target, row or nothing(target)))
    return found


def nothing(target: Any) -> dict[str, Any]:
    """What stands in the place of a row where the round has none that the target names."""
    return {
        "statistic": target.statistic,
        "question": target.question,
        "group": target.group or None,
        "estimate": None,
        "low": None,
        "high": None,
        "n_items": 0,
        "reason": "no_such_number",
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
