"""Jackknife intervals: leave out one unit, one cluster or one rater at a time, all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.links import PLAIN, Link

Values = Callable[[np.ndarray], np.ndarray]
STEP = 1 << 14


@dataclass(frozen=True)
class Spread:
    """A jackknife variance on a link's scale and on the statistic's own, and how many made it."""

    variance: float
    raw_variance: float
    n: int
    on_link: bool


def leave_one_out(values: Values, rows: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The statistic without one unit, for each kind of unit."""
    found = np.empty(len(rows))
    step = max(1, STEP * 16 // max(rows.shape[1], 1))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        found[part] = values(total - rows[part])
    return found


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

    here = link.there(np.array([theta]))
    if not np.isfinite(here).all():
        link, here = PLAIN, np.array([theta])
    reach = stdtrit(df, 0.5 + coverage / 2) * np.sqrt(variance)
    ends = link.back(here + np.array([-reach, reach]))
    return float(ends[0]), float(ends[1])


def both_sources(units: Spread, raters: Spread) -> tuple[float, float]:
    """Variance and degrees of freedom when units and raters both vary (Satterthwaite)."""
    variance = units.variance + raters.variance
    pieces = units.variance**2 / max(units.n - 1, 1) + raters.variance**2 / max(raters.n - 1, 1)
    return variance, variance**2 / pieces if pieces > 0 else float(units.n - 1)
