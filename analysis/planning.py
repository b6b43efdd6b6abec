"""How large the next round must be: the width of an interval by items and raters, from a pilot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from analysis.averages.means import mean
from analysis.coefficients.tables import NAMES, coefficient
from analysis.estimate import Estimate
from analysis.intervals import USUAL, Interval
from analysis.intervals.resampling import FISHER, LOGIT, PLAIN, Link
from analysis.ratings import read

MOST_SUBSETS = 20  # of the pilot's raters, for each number of them
Make = Callable[[Any], Estimate]


@dataclass(frozen=True)
class Precision:
    """What a pilot tells of one statistic: the variances from which any design's width follows.

    All are on the link's scale. `units` has the variance over units by the number of raters, as
    pilots of so few of them show it; `raters` is that over raters, None below three.
    """

    statistic: str
    value: float
    link: Link
    n_items: int
    n_raters: int
    df: float
    units: dict[int, float]
    raters: float | None
    coverage: float

    def of_units(self, raters: int) -> float:
        """The variance over units that so many raters would leave at the pilot's items.

        Measured up to the pilot's number; beyond, it falls from there as a + b/r does that is laid
        through what was measured. Two raters alone do not tell the parts apart: more would narrow
        nothing.
        """
        if raters in self.units:
            return self.units[raters]
        known = np.array(sorted(self.units))
        most = int(known[-1])
        if len(known) < 2:
            return self.units[most]
        from scipy.optimize import nnls

        found, _ = nnls(
            np.column_stack([np.ones(len(known)), 1 / known]),
            np.array([self.units[int(k)] for k in known]),
        )
        share = (found[0] + found[1] / raters) / (found[0] + found[1] / most)
        return self.units[most] * float(share)

    def ends(self, items: int, raters: int, like: bool = False) -> tuple[float, float] | None:
        """The interval to be expected of so many items and raters; None where none can be."""
        from scipy.special import stdtrit

        share = items / self.n_items
        over_units = self.of_units(raters) / share
        t = float(stdtrit(max(self.df * share, 1.0), 0.5 + self.coverage / 2))
        reach = t * over_units**0.5
        if like:
            if self.raters is None or raters < 3:
                return None
            over_raters = self.raters * self.n_raters / raters
            of_raters = float(stdtrit(raters - 1, 0.5 + self.coverage / 2))
            whole = over_units + over_raters
            both = (t * over_units + of_raters * over_raters) / whole**0.5 if whole else 0.0
            reach = max(reach, both)
        here = float(self.link.there(np.array([self.value]))[0])
        low, high = self.link.back(np.array([here - reach, here + reach]))
        return float(low), float(high)

    def width(self, items: int, raters: int, like: bool = False) -> float | None:
        """The width of that interval."""
        ends = self.ends(items, raters, like)
        return None if ends is None else ends[1] - ends[0]

    def items_for(self, width: float, raters: int, like: bool = False) -> int | None:
        """The fewest items at which the interval is no wider; None above a thousand pilots."""
        low, high = 1, self.n_items * 1000

        def fits(items: int) -> bool:
            found = self.width(items, raters, like)
            return found is not None and found <= width

        if not fits(high):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle + 1, high)
        return low


def precision(
    ratings: Any, statistic: str = "mean", *, coverage: float = 0.95
) -> Precision | Estimate:
    """What these ratings, as a pilot, tell of how sure a larger round would be.

    `statistic` is the mean or one of the coefficients. Clusters are taken to stay as large as they
    are. The estimate with its reason where the pilot has no interval to go by.

    >>> pilot = precision([[1, 2, 2], [4, 4, 5], [3, 3, 3], [5, 4, 5], [2, 1, 2]] * 4, "mean")
    >>> pilot.width(80, 3) / pilot.width(20, 3) < 0.5
    True
    """
    if statistic != "mean" and statistic not in NAMES:
        raise ValueError(f"unknown statistic {statistic!r}: choose mean, {', '.join(NAMES)}")
    coded, wish = read(ratings), Interval(USUAL.method, coverage=coverage)

    def make(part: Any) -> Estimate:
        if statistic == "mean":
            return mean(part, interval=wish)
        return coefficient(statistic, part, wish)

    found = make(coded)
    link = PLAIN if statistic == "mean" else LOGIT if statistic.startswith("percent") else FISHER
    if found.value is None or found.low is None or found.df is None:
        return found
    if not np.isfinite(link.there(np.array([found.value, found.low, found.high]))).all():
        return found
    r, fewest = len(coded.raters), 1 if statistic == "mean" else 2
    units = {r: _variance(found, link)}
    for many in range(fewest, r):
        each = [
            _variance(part, link)
            for names in _subsets(coded.raters, many)
            if (part := make(coded.only(names))).low is not None and part.df is not None
        ]
        each = [value for value in each if np.isfinite(value)]
        if each:
            units[many] = float(np.mean(each))
    return Precision(
        statistic, found.value, link, found.n_units, r, found.df, units,
        _of_raters(found, units[r], r, link), coverage,
    )  # fmt: skip


def _subsets(raters: Sequence[Any], many: int) -> Iterable[tuple[Any, ...]]:
    """All subsets of so many raters, or as many as are gone through, spread over them."""
    every = list(combinations(raters, many)) if len(raters) <= 12 else [
        tuple(raters[(start + step) % len(raters)] for step in range(many))
        for start in range(len(raters))
    ]  # fmt: skip
    step = max(1, -(-len(every) // MOST_SUBSETS))
    return every[::step]


def _reach(low: float | None, high: float | None, link: Link) -> float:
    """Half of the interval on the link's scale."""
    ends = link.there(np.array([low, high], dtype=float))
    return float(ends[1] - ends[0]) / 2


def _variance(found: Estimate, link: Link) -> float:
    from scipy.special import stdtrit

    t = float(stdtrit(max(found.df or 1.0, 1.0), 0.5 + found.coverage / 2))
    return (_reach(found.low, found.high, link) / t) ** 2


def _of_raters(found: Estimate, units: float, raters: int, link: Link) -> float | None:
    """The variance over raters that makes the interval for raters like these as wide as it is."""
    from scipy.special import stdtrit

    if found.low_like is None or raters < 3:
        return None
    reach = _reach(found.low_like, found.high_like, link)
    of_units, of_raters = (
        float(stdtrit(max(df, 1.0), 0.5 + found.coverage / 2))
        for df in (found.df or 1.0, raters - 1.0)
    )
    low, high = 0.0, (reach / of_units) ** 2 + 1e-300

    def at(over: float) -> float:
        whole = units + over
        return float((of_units * units + of_raters * over) / whole**0.5) if whole else 0.0

    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle) < reach else (low, middle)
    return low
