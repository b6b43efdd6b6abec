"""A model beside people: may it replace them, and what do its answers add to theirs?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose

import numpy as np

from raterbook.analysis.intervals import Ends, Interval, UnitSums, interval_of
from raterbook.analysis.intervals.resampling import (
    Link,
    Values,
    leave_one_out,
    like_interval,
    spread,
)
from raterbook.analysis.ratings.patterns import TOLERANCE, numbered


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


def numbered_clusters(cluster: np.ndarray) -> np.ndarray:
    """Each one's place among the clusters in order, whatever they are called."""
    if np.issubdtype(cluster.dtype, np.integer):
        return numbered(cluster)[2]
    return np.unique(cluster, return_inverse=True)[1].ravel()


def ratio_over_clusters(x: np.ndarray, cluster: np.ndarray) -> Ratio:
    """The mean of `x`, its linearised standard error over clusters, and its design effect.

    With residuals r = Σx − mean·n of each of G clusters, se = √(G/(G − 1) Σ r²) / n; where each
    item is a cluster, that is s/√n. Without any spread the design effect is 1.

    >>> found = ratio_over_clusters(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    >>> round(found.design_effect, 6)
    3.0
    """
    codes = numbered_clusters(cluster)
    sizes = np.bincount(codes).astype(float)
    n, many, mean = len(x), len(sizes), float(x.mean())
    if many < 2:
        return Ratio(mean, float("nan"), n, many, float("nan"))
    rest = np.bincount(codes, x) - mean * sizes
    se = float(np.sqrt(many / (many - 1) * (rest @ rest)) / n)
    # What differs by rounding alone has no spread.
    if alike(x):
        return Ratio(mean, 0.0, n, many, 1.0)
    plain = float(x.std(ddof=1)) / np.sqrt(n)
    return Ratio(mean, se, n, many, float((se / plain) ** 2))


def alike(x: np.ndarray) -> bool:
    """Whether these numbers differ by rounding alone."""
    return isclose(x.min(), x.max(), rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def of_all(values: Values, rows: np.ndarray) -> float:
    """The statistic of all rows of sums together."""
    return float(values(rows.sum(axis=0)[None, :])[0])


def of_clusters(rows: np.ndarray, sizes: np.ndarray | None = None, df: float = np.inf) -> UnitSums:
    """A row of sums per cluster, to be left out in its turn."""
    ones = np.ones(len(rows), dtype=np.int64)
    return UnitSums(rows, ones, "clusters", "cluster", sizes=sizes, df=df)


def over_clusters(
    values: Values, sums: UnitSums, wish: Interval, link: Link, each: np.ndarray | None = None
) -> Ends:
    """The interval of what `values` makes of clusters' sums; none where none is wished.

    `each` are the values without each rater, where raters like these are to be spoken of too.
    """
    if wish.method is None:
        return Ends()
    found = interval_of(values, sums, wish, link=link)
    if found.low is None or each is None or not len(each):
        return found
    theta = of_all(values, sums.rows)
    anew = drawn_anew(sums.rows, values, theta, each, wish.coverage, link)
    return for_raters_like_these(found, anew)


def p_within_bounds(x: np.ndarray, cluster: np.ndarray, least: float) -> float:
    """The chance of so low a mean of values up to 1, if the true one is `least` or more.

    Gaffke's (2005): one cluster more, as large as the largest, lies at 1 throughout; clusters have
    exponential weights, and p is how often their mean is then `least` or more. So few clusters or
    a long tail that nobody has met yet do not make it small. By the saddlepoint of Lugannani and
    Rice (1980).

    >>> ten = np.zeros(10)  # without spread it is exact: (1 - .15) ** 10
    >>> round(p_within_bounds(ten, np.arange(10), 0.15), 3)
    0.197
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    codes = numbered_clusters(cluster)
    sizes = np.bincount(codes).astype(float)
    y = np.append(np.bincount(codes, x) - least * sizes, (1 - least) * sizes.max())
    if y.min() >= 0 or y.max() <= 0:
        return float(y.min() >= 0)
    if alike(y[:-1]):
        return float((y[-1] / (y[-1] - y.min())) ** len(sizes))
    ends = [(1 - 1e-12) / end for end in (y.min(), y.max())]
    at = float(brentq(lambda s: float((y / (1 - s * y)).sum()), *ends, xtol=1e-14))
    z = 1 - at * y
    second, third = float(((y / z) ** 2).sum()), float(2 * ((y / z) ** 3).sum())
    w = float(np.sign(at) * np.sqrt(max(2 * np.log(z).sum(), 0.0)))  # below 0 by rounding alone
    density = float(np.exp(-w * w / 2) / np.sqrt(2 * np.pi))
    if isclose(w, 0.0, abs_tol=1e-4):
        return float(0.5 - third / (6 * second**1.5 * np.sqrt(2 * np.pi)))
    return float(np.clip(ndtr(-w) + density * (1 / (at * np.sqrt(second)) - 1 / w), 0.0, 1.0))


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
    if not np.isfinite(np.append(left, each)).all():
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
