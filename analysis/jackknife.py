"""Jackknife intervals: leave out one unit, one cluster or one rater at a time, all of them.

For raters like these, units and raters both vary. What a rater makes of a unit is in both
jackknives, so it is counted twice; each gives up half of it. With three raters their part rests
on two degrees of freedom, and a joint number of degrees of freedom, itself a guess from those
three, comes out too large too often; so each part keeps its own t (Cochran 1964).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.links import PLAIN, Link

Values = Callable[[np.ndarray], np.ndarray]
STEP = 1 << 14


@dataclass(frozen=True)
class LeftOut:
    """The statistic without each rater, and without each rater and one unit of each kind.

    `both` has a row per kind of unit (a pattern, or a cluster) and a column per rater; `weights`
    says how many units are of that kind.
    """

    each: np.ndarray
    both: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Spread:
    """A jackknife variance on a link's scale and on the statistic's own, and how many made it."""

    variance: float
    raw_variance: float
    n: int
    on_link: bool


def leave_one_out(values: Values, rows: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The statistic without one unit, for each kind of unit."""
    step = max(1, STEP * 16 // max(rows.shape[1], 1))
    starts = range(0, max(len(rows), 1), step)
    return np.concatenate([values(total - rows[start : start + step]) for start in starts])


def spread(theta: float, without: np.ndarray, weights: np.ndarray, link: Link) -> Spread | None:
    """The jackknife variance; None where too few of the values exist."""
    exists = np.isfinite(without)
    without, weights = without[exists], weights[exists]
    n = int(weights.sum())
    if n < 2:
        return None
    raw = _variance(without, weights, n)
    at_link = link.there(without)
    if np.isfinite(at_link).all():
        return Spread(_variance(at_link, weights, n), raw, n, True)
    # A value at the edge of the range has no place on the link's scale; the slope at the
    # estimate carries the variance there instead.
    here = np.array([theta])
    if not np.isfinite(link.there(here)).all():
        return Spread(raw, raw, n, False)
    return Spread(float(raw * link.slope(here)[0] ** 2), raw, n, True)


def _variance(values: np.ndarray, weights: np.ndarray, n: int) -> float:
    mean = (weights @ values) / n
    return float((n - 1) / n * (weights @ (values - mean) ** 2))


def t_interval(
    theta: float, variance: float, df: float, coverage: float, link: Link
) -> tuple[float, float]:
    """theta ± t·SE on the link's scale, brought back."""
    from scipy.special import stdtrit

    return around(theta, float(stdtrit(df, 0.5 + coverage / 2) * np.sqrt(variance)), link)


def counted_twice(theta: float, left: LeftOut, link: Link) -> float:
    """What units add to the spread of the raters: the noise in how far raters lie apart.

    The jackknife over units of each rater's distance from the raters' mean; zero where it cannot
    be had.
    """
    raters = np.isfinite(left.each)
    both, weights = left.both[:, raters], left.weights
    there = np.isfinite(both).all(axis=1)
    both, weights = both[there], weights[there]
    n, r = int(weights.sum()), both.shape[1]
    if n < 2 or r < 2:
        return 0.0
    at_link, slope = link.there(both), 1.0
    if not np.isfinite(at_link).all():
        here = np.array([theta])
        slope = float(link.slope(here)[0]) if np.isfinite(link.there(here)).all() else 1.0
        at_link = both
    apart = at_link - at_link.mean(axis=1, keepdims=True)
    apart -= weights @ apart / n
    return float((n - 1) / n * (r - 1) / r * (weights @ apart**2).sum() * slope**2)


def like_interval(
    theta: float, units: Spread, raters: Spread, twice: float, coverage: float, link: Link
) -> tuple[float, float]:
    """The interval when units and raters both vary; never narrower than for these raters."""
    from scipy.special import stdtrit

    of_units = float(stdtrit(units.n - 1, 0.5 + coverage / 2))
    of_raters = float(stdtrit(raters.n - 1, 0.5 + coverage / 2))
    u, r = max(units.variance - twice / 2, 0.0), max(raters.variance - twice / 2, 0.0)
    both = (of_units * u + of_raters * r) / np.sqrt(u + r) if u + r > 0 else 0.0
    return around(theta, max(both, of_units * np.sqrt(units.variance)), link)


def around(theta: float, reach: float, link: Link) -> tuple[float, float]:
    """theta ± reach on the link's scale, brought back."""
    here = link.there(np.array([theta]))
    if not np.isfinite(here).all():
        link, here = PLAIN, np.array([theta])
    ends = link.back(here + np.array([-reach, reach]))
    return float(ends[0]), float(ends[1])
