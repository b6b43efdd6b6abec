"""Krippendorff's alpha."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.coefficients import point
from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Interval, Shares, Wish
from raterbook.analysis.intervals.raters import without_each_rater
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.long import name_key
from raterbook.analysis.ratings.patterns import (
    TOLERANCE,
    Patterns,
    count_values,
    distinct_rows,
    divide,
)
from raterbook.analysis.ratings.values import MOST_VALUES

# With more values than this, ordinal alpha works on ranks instead of a table of coincidences.
MANY = 100


class Alpha:
    """Alpha for fixed distances: 1 − observed disagreement / expected disagreement."""

    name = "alpha"
    exchangeable = True
    # Gwet published two closed-form variances that differ in the fourth digit where raters are
    # missing: the book's, and a later one with the small-sample correction in one more place.
    later_variance = False

    def __init__(self, delta: np.ndarray) -> None:
        self.delta = delta

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        """Per pattern: how often each value occurs in pairs, and the disagreement within."""
        h = count_values(codes, q)
        m = h.sum(axis=1, keepdims=True)
        h = np.where(m >= 2, h, 0.0)
        return np.hstack([h, divide(((h @ self.delta) * h).sum(axis=1, keepdims=True), m - 1, 0.0)])

    def values(self, totals: np.ndarray) -> np.ndarray:
        n_v, within = totals[:, :-1], totals[:, -1]
        n = n_v.sum(axis=1)
        between = ((n_v @ self.delta) * n_v).sum(axis=1)
        return _one_minus((n - 1) * within, between, n)

    def unit_shares(self, patterns: Patterns) -> Shares:
        """What each unit adds, as Gwet linearises it, and how many units add the same.

        In disagreements, and without what is the same for all units.
        """
        met = patterns.rated >= 2
        h, weights = count_values(patterns.codes[met], patterns.q), patterns.weights[met]
        m = h.sum(axis=1)
        ratings, n = float(weights @ m), float(weights.sum())
        share = weights @ h / ratings
        apart = (h @ self.delta * h).sum(axis=1) / (m - 1)
        observed, expected = float(weights @ apart) / ratings, float(share @ self.delta @ share)
        # The published variance leaves alpha's small-sample correction out, and so does this.
        own = observed / expected * (h @ (self.delta @ share + share @ self.delta))
        if self.later_variance:
            observed *= 1 + 1 / ratings
        return n / ratings * (own - apart - observed * m) / expected, weights


class NominalAlpha:
    """Alpha where any difference counts fully.

    Values given only once are told apart by their number alone, so that scores that hardly ever
    repeat need no column each.
    """

    name = "alpha_nominal"
    exchangeable = True

    def __init__(self, coded: Coded) -> None:
        q = len(coded.scale)
        self.place = np.arange(q + 1)
        self.repeated = q
        if q > MANY:
            used = times_given(coded, coded.codes) > 1
            self.repeated = int(used.sum())
            self.place[1:] = np.where(used, np.cumsum(used), self.repeated + 1)

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        h = count_values(self.place[codes], self.repeated + 1)
        m = h.sum(axis=1, keepdims=True)
        h = np.where(m >= 2, h, 0.0)
        same = (h[:, :-1] ** 2).sum(axis=1, keepdims=True) + h[:, -1:]
        apart = divide(h.sum(axis=1, keepdims=True) ** 2 - same, m - 1, 0.0)
        return np.hstack([h, apart])

    def values(self, totals: np.ndarray) -> np.ndarray:
        repeated, once, within = totals[:, :-2], totals[:, -2], totals[:, -1]
        n = repeated.sum(axis=1) + once
        same = (repeated**2).sum(axis=1) + once
        return _one_minus((n - 1) * within, n**2 - same, n)

    def unit_shares(self, patterns: Patterns) -> Shares:
        """Those of the same distances in a table."""
        return Alpha(1 - np.eye(patterns.q)).unit_shares(patterns)


class IntervalAlpha:
    """Alpha of squared differences between numbers: four sums, however many values there are."""

    exchangeable = True

    def __init__(self, numbers: np.ndarray, name: str = "alpha_interval") -> None:
        # Squares of numbers far from zero would cancel, and huge ones overflow.
        middle = float(numbers.mean()) if len(numbers) else 0.0
        spread = float(np.abs(numbers - middle).max()) if len(numbers) else 1.0
        self.numbers, self.name = (numbers - middle) / (spread or 1.0), name

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        x = np.append(0.0, self.numbers)[codes]
        m = (codes > 0).sum(axis=1)
        pairable = m >= 2
        total, squares = x.sum(axis=1), (x**2).sum(axis=1)
        apart = divide(2 * (m * squares - total**2), m - 1, 0.0)
        return np.asarray(np.column_stack([m, total, squares, apart]) * pairable[:, None])

    def values(self, totals: np.ndarray) -> np.ndarray:
        n, total, squares, within = totals.T
        return _one_minus((n - 1) * within, 2 * (n * squares - total**2), n)

    def unit_shares(self, patterns: Patterns) -> Shares | None:
        """Those of the same distances in a table; ranks depend on the counts and have none."""
        if self.name != "alpha_interval":
            return None
        return Alpha(np.subtract.outer(self.numbers, self.numbers) ** 2).unit_shares(patterns)


class OrdinalAlpha:
    """Alpha on ranks: interval alpha of the mid-ranks that the ratings themselves define."""

    name = "alpha_ordinal"
    exchangeable = True

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        """Per pattern its coincidences: one q × q matrix, laid flat."""
        h = count_values(codes, q)
        m = h.sum(axis=1)
        h = np.where(m[:, None] >= 2, h, 0.0)
        pairs = h[:, :, None] * h[:, None, :]
        own = np.arange(q)
        pairs[:, own, own] -= h
        return divide(pairs, (m - 1)[:, None, None], 0.0).reshape(len(codes), q * q)

    def values(self, totals: np.ndarray) -> np.ndarray:
        q = round(totals.shape[1] ** 0.5)
        coincidences = totals.reshape(len(totals), q, q)
        n_v = coincidences.sum(axis=2)
        n = n_v.sum(axis=1)
        rank = np.cumsum(n_v, axis=1) - n_v / 2
        # Ranks are centred so that large counts do not cancel.
        rank = rank - n[:, None] / 2
        squares = (n_v * rank**2).sum(axis=1)
        product = np.einsum("bi,bij,bj->b", rank, coincidences, rank)
        return _one_minus((n - 1) * (squares - product), n * squares, n)


def _one_minus(within: np.ndarray, between: np.ndarray, n: np.ndarray) -> np.ndarray:
    # Of fewer than two ratings nothing lies between.
    return 1 - divide(within, np.where(between > TOLERANCE * n**2, between, 0.0))


def alpha_statistic(level: str | Callable[[Any, Any], float], coded: Coded) -> Any:
    """The statistic that computes alpha at this level on this scale."""
    check_level(level)
    if isinstance(level, str) and level in ORDERED:
        coded.needs_an_order(f"level {level!r}")
    if level == "nominal":
        return NominalAlpha(coded)
    if level == "interval":
        return IntervalAlpha(coded.numbers)
    if level == "ordinal" and len(coded.scale) <= MANY:
        return OrdinalAlpha()
    if level == "ordinal":
        return IntervalAlpha(_mid_ranks(coded), "alpha_ordinal")
    found = Alpha(distances(level, coded.scale, coded.numbers))
    found.name = f"alpha_{level}" if isinstance(level, str) else "alpha_custom"
    return found


def times_given(coded: Coded, codes: np.ndarray) -> np.ndarray:
    """How often each value of the scale stands among these codes of the ratings."""
    size = len(coded.scale) + 1
    if coded.times is None:
        return np.bincount(codes.ravel().astype(np.int64), minlength=size)[1:]
    times = np.repeat(coded.times, codes.shape[1])
    return np.bincount(codes.ravel(), times, size)[1:]


def _mid_ranks(coded: Coded) -> np.ndarray:
    """Each value's mid-rank among the pairable ratings.

    With so many values one unit hardly moves a rank, so the intervals hold the ranks where they
    are; a q × q table of coincidences per unit would not fit into memory.
    """
    n_v = times_given(coded, coded.codes * (coded.rating_counts() >= 2)[:, None])
    return np.asarray(np.cumsum(n_v) - n_v / 2)


def alpha(
    ratings: Any,
    level: str | Callable[[Any, Any], float] = "nominal",
    *,
    scale: Sequence[Any] | None = None,
    interval: Wish = "jackknife",
) -> Estimate:
    """Krippendorff's alpha: 1 is perfect agreement, 0 is chance, below 0 is worse than chance.

    `ratings` are `Ratings`, a long frame (unit, rater, value) or a units × raters table; units
    rated once are ignored. `level` is nominal, ordinal, interval, ratio, circular, bipolar,
    absolute, jaccard or masi (values are sets), or a distance(a, b). Without a value, and with the
    reason, when nobody could have disagreed.

    >>> alpha([[1, 1], [2, 2], [3, 3], [3, 4]], "nominal", interval=None)
    <alpha_nominal: 0.6957; 4 units, 2 raters, 8 ratings>
    """
    coded = read(ratings, scale)
    return infer(alpha_statistic(level, coded), coded, Interval.of(interval))


# How far apart two values are, for Krippendorff's alpha (squared differences).


LEVELS = ("nominal", "ordinal", "interval", "ratio", "circular", "bipolar", "absolute")
SETS = ("jaccard", "masi")
# Levels that need an order, so that labels are refused unless the scale is declared.
ORDERED = frozenset(LEVELS[1:])


def check_level(level: Any) -> None:
    """Refuse a level that does not exist, naming those that do."""
    if callable(level) or level in LEVELS or level in SETS:
        return
    raise ValueError(
        f"Unknown level {level!r}: choose {', '.join(LEVELS[:-1])} or {LEVELS[-1]}; "
        f"{' or '.join(SETS)} for sets; or give a distance(a, b)"
    )


def distances(level: str | Callable[[Any, Any], float], scale: Any, x: np.ndarray) -> np.ndarray:
    """The q × q matrix of distances of the levels that need a table.

    Formulas: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section E.
    """
    if len(scale) > MOST_VALUES:
        raise ValueError(
            f"{len(scale):,} different values: level {level!r} needs at most {MOST_VALUES:,}; "
            "nominal, ordinal and interval take any number"
        )
    if callable(level):
        return _from_function(level, scale)
    if level in SETS:
        return _from_function(jaccard if level == "jaccard" else masi, scale)
    gap = x[:, None] - x[None, :]
    total = x[:, None] + x[None, :]
    if level == "absolute":
        return np.asarray(np.abs(gap))
    if level == "ratio":
        if len(x) and x.min() < 0:
            raise ValueError(f"ratio level with a negative value {x.min():g}: use interval")
        return np.asarray(np.divide(gap, total, out=np.zeros_like(gap), where=total != 0) ** 2)
    low, high = x.min(), x.max()
    if level == "circular":
        return np.asarray(np.sin(np.pi * gap / (high - low + 1)) ** 2)
    room = (total - 2 * low) * (2 * high - total)
    return np.asarray(np.divide(gap**2, room, out=np.zeros_like(gap), where=room > 0))


def _from_function(distance: Callable[[Any, Any], float], scale: Any) -> np.ndarray:
    matrix = np.array([[float(distance(a, b)) for b in scale] for a in scale])
    matrix = matrix.reshape(len(scale), len(scale))
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError("a distance must be a finite number that is not negative")
    if not np.allclose(matrix, matrix.T) or np.diag(matrix).any():
        raise ValueError("a distance must be symmetric, and 0 from a value to itself")
    return matrix


def jaccard(a: Any, b: Any) -> float:
    """The share of the labels in either set that are not in both."""
    a, b = frozenset(a), frozenset(b)
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def masi(a: Any, b: Any) -> float:
    """Jaccard weighted down for partial overlap (Passonneau 2006): 1, 2/3, 1/3 or 0."""
    a, b = frozenset(a), frozenset(b)
    if a == b:
        return 0.0
    shared = a & b
    kept = 2 / 3 if shared in (a, b) else 1 / 3
    return 1 - (1 - jaccard(a, b)) * kept


# Who and what makes a coefficient: alpha without each rater, and without each unit.


def influence(
    ratings: Any,
    level: str | Callable[[Any, Any], float] = "nominal",
    *,
    of: str = "raters",
    scale: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """Alpha without each of the raters or units in turn, and what its leaving changes.

    One row per rater (`of="raters"`), or per unit, the most influential first: its name, the
    estimate without it, change. A rater whose leaving raises alpha is one the others disagree
    with; a unit, one that splits the raters.

    >>> influence([[1, 1, 2], [2, 2, 2], [3, 3, 1]]).round(3)
       rater  estimate  change
    0      0     0.091  -0.294
    1      1     0.091  -0.294
    2      2     1.000   0.615
    """
    if of not in ("raters", "units"):
        raise ValueError(f"of={of!r}: choose raters or units")
    coded = read(ratings, scale)
    statistic = alpha_statistic(level, coded)
    return (_of_raters if of == "raters" else _of_units)(statistic, coded)


def _of_raters(statistic: Any, coded: Coded) -> pd.DataFrame:
    patterns = coded.patterns
    whole = point(statistic, patterns) if len(patterns.codes) else float("nan")
    names = [coded.raters[j] for j in np.flatnonzero(patterns.codes.any(axis=0))]
    without = without_each_rater(statistic, patterns) if names else np.zeros(0)
    return pd.DataFrame({"rater": names, "estimate": without, "change": without - whole})


def _of_units(statistic: Any, coded: Coded) -> pd.DataFrame:
    coded = coded.apart("the influence of units").rows(np.flatnonzero(coded.codes.any(axis=1)))
    codes, inverse = distinct_rows(coded.codes)
    weights = np.bincount(inverse, minlength=len(codes))
    rows = statistic.sums(codes.astype(np.int32), len(coded.scale))
    total = weights @ rows
    whole = statistic.values(total[None, :])[0] if len(rows) else float("nan")
    without = statistic.values(total - rows)[inverse] if len(rows) else np.zeros(0)
    found = pd.DataFrame({"unit": coded.units, "estimate": without, "change": without - whole})
    # Those of equal influence follow their names; what differs by rounding is equal.
    size = np.round(-np.abs(found["change"].to_numpy()), 12)
    place = {unit: i for i, unit in enumerate(sorted(coded.units, key=name_key))}
    order = np.lexsort(([place[unit] for unit in coded.units], size))
    return found.iloc[order].reset_index(drop=True)
