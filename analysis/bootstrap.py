"""Bootstrap intervals by name, for those who must match a paper: percentile and BCa, seeded."""

from __future__ import annotations

import numpy as np

from analysis.jackknife import Values

CELLS = 1 << 22


def draw(
    values: Values, rows: np.ndarray, weights: np.ndarray, resamples: int, seed: int
) -> np.ndarray:
    """The statistic in each resample of the units.

    Units of one kind are exchangeable, so their numbers in a resample are multinomial; that is
    the same as drawing units one by one. They are drawn in the order of their sums, so that a
    seed gives the same whatever order they came in.
    """
    order = in_order(rows, weights)
    rows, weights = rows[order], weights[order]
    rng = np.random.default_rng(seed)
    n = int(weights.sum())
    share = weights / n
    found = np.empty(resamples)
    step = max(1, CELLS // max(len(rows), 1))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        found[start : start + size] = values(rng.multinomial(n, share, size=size) @ rows)
    return found


def in_order(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The order of rows by what they hold; what differs by rounding alone is equal."""
    size = np.abs(rows).max(axis=0, initial=0)
    keys = np.round(rows / np.where(size > 0, size, 1.0), 9)
    return np.lexsort((weights, *keys.T[::-1]))


def percentile(drawn: np.ndarray, coverage: float) -> tuple[float, float] | None:
    """The middle of the drawn values."""
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < 2:
        return None
    tail = (1 - coverage) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def bca(
    drawn: np.ndarray, theta: float, without: np.ndarray, weights: np.ndarray, coverage: float
) -> tuple[float, float] | None:
    """The middle of the drawn values, moved for bias and skew (Efron 1987).

    The acceleration comes from the exact jackknife over the same units.
    """
    from scipy.special import ndtr, ndtri

    drawn = drawn[np.isfinite(drawn)]
    exists = np.isfinite(without)
    if len(drawn) < 2 or not exists.any():
        return None
    # What differs by rounding alone is equal, so that the order of adding up does not matter.
    gap = drawn - theta
    level = np.abs(gap) <= 1e-12 * max(abs(theta), 1.0)
    below = float((np.sum((gap < 0) & ~level) + np.sum(level) / 2) / len(drawn))
    # An estimate outside all draws would send the correction to infinity.
    below = min(max(below, 0.5 / len(drawn)), 1 - 0.5 / len(drawn))
    bias = ndtri(below)
    gaps = np.average(without[exists], weights=weights[exists]) - without[exists]
    squares = weights[exists] @ gaps**2
    skew = weights[exists] @ gaps**3 / (6 * squares**1.5) if squares > 0 else 0.0
    z = ndtri(np.array([(1 - coverage) / 2, (1 + coverage) / 2])) + bias
    low, high = np.quantile(drawn, ndtr(bias + z / (1 - skew * z)))
    return float(low), float(high)
