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

from raterbook.analysis.ratings.patterns import steps

Values = Callable[[np.ndarray], np.ndarray]
# A variance below this is rounding.
NOTHING = 1e-24


@dataclass(frozen=True)
class LeftOut:
    """The statistic without each rater, and without each rater and one unit as well.

    A unit that a rater did not answer leaves like all of its kind: `apart` has a row per kind and
    a column per rater. Where the rater did answer, the value is one of `met`, at `unit` and
    `rater`. `kind` and `weights` have an entry per unit, or per units that are alike.
    """

    each: np.ndarray
    apart: np.ndarray
    kind: np.ndarray
    weights: np.ndarray
    unit: np.ndarray
    rater: np.ndarray
    met: np.ndarray

    @property
    def both(self) -> np.ndarray:
        """A row per unit and a column per rater; most of it says the same again and again."""
        table = self.apart[self.kind]
        table[self.unit, self.rater] = self.met
        return np.asarray(table)


@dataclass(frozen=True)
class Spread:
    """A jackknife variance on a link's scale and on the statistic's own, and how many made it.

    `df` are its degrees of freedom, `most` is the largest share of one unit in the variance, and
    `at` where that unit stands.
    """

    variance: float
    raw_variance: float
    n: int
    on_link: bool
    df: float
    most: float
    at: int

    def is_none(self, size: float) -> bool:
        """Whether nothing but rounding of numbers of this size tells the values apart."""
        return self.raw_variance <= NOTHING * min(size, 1.0) ** 2


def leave_one_out(values: Values, rows: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The statistic without one unit, for each kind of unit."""
    found = np.empty(len(rows))
    for part in steps(len(rows), rows.shape[1]):
        found[part] = values(total - rows[part])
    return found


def spread(
    theta: float,
    without: np.ndarray,
    weights: np.ndarray,
    link: Link,
    paired: np.ndarray | None = None,
) -> Spread:
    """The jackknife variance of values that all exist.

    Units that are not `paired` tell nothing of how far raters agree, only of how often they use a
    value. They are a part of their own, and do not count in n.
    """
    if paired is None:
        paired = np.ones(len(without), dtype=bool)
    n = int(weights[paired].sum())
    raw_gaps = _gaps(without, weights, paired)
    if len(without) and float(np.ptp(without)) <= 1e-14 * float(np.abs(without).max()):
        raw_gaps = np.zeros_like(raw_gaps)
    raw, slope = float(weights @ raw_gaps**2), 1.0
    at_link, here = link.there(without), link.there(np.array([theta]))
    on_link = bool(np.isfinite(here).all() or np.isfinite(at_link).all())
    if np.isfinite(at_link).all():
        gaps = _gaps(at_link, weights, paired)
    else:
        # A value at the edge of the range has no place on the link's scale; the slope at the
        # estimate carries the variance there instead.
        slope = float(link.slope(np.array([theta]))[0]) if on_link else 1.0
        gaps = raw_gaps * slope
    squares = gaps**2
    return Spread(
        float(weights @ squares),
        raw,
        n,
        on_link,
        min(freedom(squares, weights), n - 1.0),
        float(squares.max(initial=0.0)),
        int(squares.argmax()),
    )


def standard_error(theta: float, without: np.ndarray, weights: np.ndarray, n: int) -> float:
    """The jackknife's, on the statistic's own scale, over n units; those not here move nothing."""
    gaps = without - theta
    squares = float(weights @ gaps**2) - float(weights @ gaps) ** 2 / n
    return float(np.sqrt((n - 1) / n * max(squares, 0.0)))


def _gaps(values: np.ndarray, weights: np.ndarray, paired: np.ndarray) -> np.ndarray:
    """How far each value lies from the mean of its part, scaled so that squares make a variance."""
    gaps = np.zeros(len(values))
    for part in (paired, ~paired):
        n = weights[part].sum()
        if n:
            middle = (weights[part] @ values[part]) / n
            gaps[part] = (values[part] - middle) * np.sqrt((n - 1) / n)
    return gaps


def effective(shares: np.ndarray, weights: np.ndarray) -> float:
    """The effective number of units that have these shares: all of them where they are equal."""
    shares = shares / max(float(shares.max(initial=0.0)), 1e-300)
    whole, squares = float(weights @ shares), float(weights @ shares**2)
    return whole**2 / squares if squares else 0.0


def freedom(squares: np.ndarray, weights: np.ndarray) -> float:
    """The degrees of freedom of a variance that is the sum of these squares.

    The effective number of units in the variance is a third of them where influences are normal,
    and k where k units carry all (after Carter, Schnepel and Steigerwald 2017, who have it for a
    regression's clusters). Its square less one, by simulation, is what t needs with few such
    units: none for one unit, three for two, and no less than n − 1 in balanced designs of any size.
    """
    return effective(squares, weights) ** 2 - 1


def t_interval(
    theta: float, variance: float, df: float, coverage: float, link: Link
) -> tuple[float, float]:
    """theta ± t·SE on the link's scale, brought back."""
    return around(theta, float(reach_of(coverage, df) * np.sqrt(variance)), link)


def reach_of(coverage: float, df: float | None = None) -> float:
    """How many standard errors an interval reaches: Student's t, or the normal's without `df`.

    >>> round(reach_of(0.95), 4), round(reach_of(0.95, 9), 4)
    (1.96, 2.2622)
    """
    from scipy.special import ndtri, stdtrit

    share = 0.5 + coverage / 2
    return float(ndtri(share) if df is None else stdtrit(df, share))


def counted_twice(theta: float, left: LeftOut, link: Link) -> float:
    """What units add to the spread of the raters: the noise in how far raters lie apart.

    The jackknife over units of each rater's distance from the raters' mean; zero where it cannot
    be had.
    """
    left = _existing(left)
    n, r = int(left.weights.sum()), len(left.each)
    if not (n and r):
        return 0.0
    apart, met, slope = link.there(left.apart), link.there(left.met), 1.0
    if not (np.isfinite(apart).all() and np.isfinite(met).all()):
        here = np.array([theta])
        slope = float(link.slope(here)[0]) if np.isfinite(link.there(here)).all() else 1.0
        apart, met = left.apart, left.met
    return (n - 1) / n * (r - 1) / r * _interaction(left, apart, met) * slope**2


def _interaction(left: LeftOut, apart: np.ndarray, met: np.ndarray) -> float:
    """The sum of squares, over units and raters, of what neither's mean explains.

    What holds for all units of a kind is centred once for all of them; where a rater answered a
    unit, the difference from that is added.
    """
    kind, weights, unit, rater = left.kind, left.weights, left.unit, left.rater
    n, r = weights.sum(), len(left.each)
    moved = met - apart[kind[unit], rater]
    many = np.bincount(kind, weights, len(apart))
    centred = apart - apart.mean(axis=1, keepdims=True)
    centred -= many @ centred / n
    weight = weights[unit]
    of_units = np.bincount(unit, moved, len(weights))
    of_raters = np.bincount(rater, weight * moved, r)
    whole = weights @ of_units
    within = weight @ moved**2 - weights @ of_units**2 / r - of_raters @ of_raters / n
    shared = 2 * (weight * moved) @ centred[kind[unit], rater]
    return float(max((many @ centred**2).sum() + shared + within + whole**2 / (n * r), 0.0))


def _existing(left: LeftOut) -> LeftOut:
    """Only raters without whom there is a value, and units without which there always is one."""
    raters = np.isfinite(left.each)
    kind, unit, rater = left.kind, left.unit, left.rater
    gaps = ~np.isfinite(left.apart) & raters
    if raters.all() and not gaps.any() and np.isfinite(left.met).all():
        return left
    # A gap among the raters who did not answer the unit, or among those who did.
    missing = gaps.sum(axis=1)[kind] - np.bincount(unit, gaps[kind[unit], rater], len(kind))
    missing += np.bincount(unit, raters[rater] & ~np.isfinite(left.met), len(kind))
    units = missing == 0
    keep = units[unit] & raters[rater]
    kinds, place = np.unique(kind[units], return_inverse=True)
    return LeftOut(
        left.each[raters],
        np.where(gaps, left.each, left.apart)[kinds][:, raters],
        place.ravel(),
        left.weights[units],
        (np.cumsum(units) - 1)[unit[keep]],
        (np.cumsum(raters) - 1)[rater[keep]],
        left.met[keep],
    )


def like_interval(
    theta: float, units: Spread, raters: Spread, twice: float, coverage: float, link: Link
) -> tuple[float, float]:
    """The interval when units and raters both vary; never narrower than for these raters."""
    of_units, of_raters = reach_of(coverage, units.df), reach_of(coverage, raters.n - 1)
    u, r = max(units.variance - twice / 2, 0.0), max(raters.variance - twice / 2, 0.0)
    both = reach_of_both(of_units, u, of_raters, r)
    return around(theta, max(both, of_units * np.sqrt(units.variance)), link)


def reach_of_both(of_units: float, u: float, of_raters: float, r: float) -> float:
    """How far two variances reach together, each with its own t (Cochran 1964)."""
    return float((of_units * u + of_raters * r) / (np.sqrt(u + r) or 1.0))


def around(theta: float, reach: float, link: Link) -> tuple[float, float]:
    """theta ± reach on the link's scale, brought back."""
    here = link.there(np.array([theta]))
    if not np.isfinite(here).all():
        link, here = PLAIN, np.array([theta])
    ends = link.back(here + np.array([-reach, reach]))
    return float(ends[0]), float(ends[1])


# Bootstrap intervals by name, for those who must match a paper: percentile and BCa, seeded.


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
    for part in steps(resamples, len(rows)):
        size = len(found[part])
        found[part] = values(rng.multinomial(n, share, size=size) @ rows)
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
    drawn: np.ndarray,
    theta: float,
    without: np.ndarray,
    weights: np.ndarray,
    coverage: float,
    size: float = 1.0,
) -> tuple[float, float] | None:
    """The middle of the drawn values, moved for bias and skew (Efron 1987).

    The acceleration comes from the exact jackknife over the same units. `size` is that of the
    numbers the statistic is made of.
    """
    from scipy.special import ndtr, ndtri

    drawn = drawn[np.isfinite(drawn)]
    exists = np.isfinite(without)
    if len(drawn) < 2 or not exists.any():
        return None
    # What differs by rounding alone is equal, so that the order of adding up does not matter.
    gap = drawn - theta
    level = np.abs(gap) <= 1e-12 * max(abs(theta), size)
    below = float((np.sum((gap < 0) & ~level) + np.sum(level) / 2) / len(drawn))
    # An estimate outside all draws would send the correction to infinity.
    below = min(max(below, 0.5 / len(drawn)), 1 - 0.5 / len(drawn))
    bias = ndtri(below)
    gaps = np.average(without[exists], weights=weights[exists]) - without[exists]
    # Only their shape matters: cubes of huge ones overflow, and those of tiny ones vanish.
    gaps = gaps / (np.abs(gaps).max() or 1.0)
    squares = weights[exists] @ gaps**2
    skew = weights[exists] @ gaps**3 / (6 * squares**1.5) if squares else 0.0
    z = ndtri(np.array([(1 - coverage) / 2, (1 + coverage) / 2])) + bias
    low, high = np.quantile(drawn, ndtr(bias + z / (1 - skew * z)))
    return float(low), float(high)


# Scales on which a statistic spreads evenly, so that an interval can be symmetric there.


EDGE = 1e-12


@dataclass(frozen=True)
class Link:
    """A one-to-one map, its inverse and its slope; infinite at the ends of the range."""

    name: str
    there: Callable[[np.ndarray], np.ndarray]
    back: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]


def _atanh(x: np.ndarray) -> np.ndarray:
    inside = np.abs(x) < 1 - EDGE
    return np.where(inside, np.arctanh(np.where(inside, x, 0.0)), np.nan)


def _logit(x: np.ndarray) -> np.ndarray:
    inside = np.abs(x - 0.5) < 0.5 - EDGE
    safe = np.where(inside, x, 0.5)
    return np.where(inside, np.log(safe / (1 - safe)), np.nan)


def _from_one(x: np.ndarray) -> np.ndarray:
    inside = x < 1 - EDGE
    return np.where(inside, -np.log1p(-np.where(inside, x, 0.0)), np.nan)


def _log(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), np.nan)


FISHER = Link("Fisher's z", _atanh, np.tanh, lambda x: 1 / (1 - x**2))
LOGIT = Link(
    "the logit",
    _logit,
    lambda z: 1 / (1 + np.exp(np.minimum(-z, 700.0))),
    lambda x: 1 / (x * (1 - x)),
)
# For coefficients at −1 and below, where Fisher's z ends.
FROM_ONE = Link(
    "the logarithm of the distance from 1",
    _from_one,
    lambda z: -np.expm1(-z),
    lambda x: 1 / (1 - x),
)
PLAIN = Link("its own scale", lambda x: x, lambda z: z, np.ones_like)
LOG = Link("the logarithm", _log, np.exp, lambda x: 1 / x)
