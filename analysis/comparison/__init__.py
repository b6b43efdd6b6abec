"""A model beside people: may it replace them, and what do its answers add to theirs?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from raterbook.analysis.intervals import Ends, Interval, UnitSums, interval_of
from raterbook.analysis.intervals.resampling import (
    Link,
    Values,
    leave_one_out,
    like_interval,
    spread,
)


@dataclass(frozen=True)
class Ratio:
    """Σ x / Σ n over clusters, how far it may be off, and what clusters make of its certainty."""

    value: float
    se: float
    n: int
    clusters: int
    design_effect: float

    @property
    def n_independent(self) -> float:
        """How many items that have nothing in common would tell as much."""
        return self.n / self.design_effect


def ratio_over_clusters(x: np.ndarray, cluster: np.ndarray) -> Ratio:
    """The mean of `x`, its linearised standard error over clusters, and its design effect.

    With residuals r = Σx − mean·n of each of G clusters, se = √(G/(G − 1) Σ r²) / n; where each
    item is a cluster, that is s/√n. Without any spread the design effect is 1.

    >>> found = ratio_over_clusters(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    >>> round(found.design_effect, 6)
    3.0
    """
    _, codes = np.unique(cluster, return_inverse=True)
    sizes = np.bincount(codes).astype(float)
    n, many, mean = len(x), len(sizes), float(x.mean())
    if many < 2:
        return Ratio(mean, float("nan"), n, many, float("nan"))
    rest = np.bincount(codes, x) - mean * sizes
    se = float(np.sqrt(many / (many - 1) * (rest @ rest)) / n)
    plain = float(x.std(ddof=1)) / np.sqrt(n)
    # What differs by rounding alone has no spread.
    if plain <= 1e-12 * max(abs(mean), 1.0):
        return Ratio(mean, 0.0, n, many, 1.0)
    return Ratio(mean, se, n, many, float((se / plain) ** 2))


def of_all(values: Values, rows: np.ndarray) -> float:
    """The statistic of all rows of sums together."""
    return float(values(rows.sum(axis=0)[None, :])[0])


def over_clusters(
    values: Values,
    rows: np.ndarray,
    wish: Interval,
    *,
    link: Link,
    sizes: np.ndarray | None = None,
    each: np.ndarray | None = None,
) -> Ends:
    """The interval of what `values` makes of a row of sums per cluster; none where none is wished.

    `each` are the values without each rater, where raters like these are to be spoken of too.
    """
    if wish.method is None:
        return Ends()
    ones = np.ones(len(rows), dtype=np.int64)
    sample = UnitSums(rows, ones, "clusters", "cluster", sizes=sizes)
    found = interval_of(values, sample, wish, link=link, edge=None)
    if found.low is None or each is None or not len(each):
        return found
    anew = drawn_anew(rows, values, of_all(values, rows), each, wish.coverage, link)
    return for_raters_like_these(found, anew)


def drawn_anew(
    rows: np.ndarray,
    values: Values,
    theta: float,
    each: np.ndarray,
    coverage: float,
    link: Link,
) -> tuple[float, float] | None:
    """The ends where clusters and raters are both drawn anew; None where they cannot be had.

    `each` are the values without each rater. What raters make of an item is in both spreads;
    counted twice, it widens and never narrows.
    """
    ones = np.ones(len(rows), dtype=np.int64)
    left = leave_one_out(values, rows, rows.sum(axis=0))
    if not (np.isfinite(left).all() and np.isfinite(each).all()):
        return None
    units = spread(theta, left, ones, link)
    raters = spread(theta, each, np.ones(len(each), dtype=np.int64), link)
    if units.on_link != raters.on_link:
        return None
    units = replace(units, df=max(units.df, 1.0))
    return like_interval(theta, units, raters, 0.0, coverage, link)


def for_raters_like_these(found: Ends, anew: tuple[float, float] | None) -> Ends:
    """The interval with that for raters like these beside it, which is never the narrower."""
    if found.low is None or found.high is None or anew is None:
        return found
    low, high = min(anew[0], found.low), max(anew[1], found.high)
    return replace(found, low_like=low, high_like=high)
