"""How wide an interval will be in a round of another size, from the ratings of a pilot.

A coefficient is linear, close to its value, in the pairs of answers that units have; a mean is so
in the answers themselves. How these moves vary within a unit, between raters and along a cluster
gives the variance at any number of units, of ratings a unit, of raters and of units a cluster.
Nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import isclose
from typing import Any

import numpy as np

from raterbook.analysis.averages import Entries, raters_left_out, ratio
from raterbook.analysis.averages.means import ROUNDING, read_numbers, sums_of
from raterbook.analysis.coefficients import point, rows_to_resample
from raterbook.analysis.coefficients.infer import why_not
from raterbook.analysis.coefficients.kappa import meetings
from raterbook.analysis.coefficients.tables import NAMES, statistic_named
from raterbook.analysis.estimate import Estimate, How
from raterbook.analysis.intervals import FEWEST
from raterbook.analysis.intervals.raters import leave_raters_out
from raterbook.analysis.intervals.resampling import (
    FISHER,
    LOGIT,
    PLAIN,
    LeftOut,
    Link,
    around,
    counted_twice,
    freedom,
    leave_one_out,
    reach_of,
    reach_of_both,
    spread,
)
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import Patterns, distinct_rows

# Raters' coefficients that are made of pairs of answers to a unit.
FORECAST = tuple(name for name in NAMES if name != "icc_2_1")
STEP = 1e-4  # of the units: as far as a total is moved to see where the statistic goes
PARTS = 20  # of the pilot's clusters, left out in turn
FARTHEST = 10**7  # units; what needs more is out of reach


@dataclass(frozen=True)
class Design:
    """A round to be: how many units, raters, ratings a unit, and units a cluster.

    Without a size, clusters are as large, and as unequal, as in the pilot.
    """

    units: float
    raters: int
    per_unit: float
    cluster_size: float | None = None

    def __post_init__(self) -> None:
        for name in ("units", "raters", "per_unit", "cluster_size"):
            value = getattr(self, name)
            if value is not None and not 1 <= value < np.inf:
                raise ValueError(f"{name}={value!r}: at least 1")
        if self.per_unit > self.raters:
            raise ValueError(
                f"per_unit={self.per_unit}: {self.raters} raters cannot give a unit as many "
                "ratings; ask for fewer, or for more raters"
            )


@dataclass(frozen=True)
class Moves:
    """How far each pair of answers, or each answer, moves a number; `unit`, `first` and `second`
    say whose they are. `second` is None where answers count one by one."""

    unit: np.ndarray
    first: np.ndarray
    second: np.ndarray | None
    move: np.ndarray
    n: int


@dataclass(frozen=True)
class Components:
    """What the width of one number's interval is made of.

    `same`, `sharing` and `apart` are products of two moves at one unit: of a pair with itself, of
    pairs with one rater in common, and with none (of single answers: the same, and two raters').
    `along` is that of two units of a cluster, `between` what raters add where they take turns,
    `raters` their share of the variance times their number; `twice` what is in both jackknives and
    `rest` what of it the raters' has, times the ratings. `bent` is how much more the jackknife
    shows than a straight line, times the units. `turning` says that no width is known where raters
    take turns. What the pilot cannot tell is None. `shown` is the share of clusters that carry it
    all; `without` makes the components again, each time without some of the clusters.
    """

    statistic: str
    value: float | None
    link: Link
    paired: bool
    same: float = 0.0
    sharing: float | None = None
    apart: float | None = None
    along: float | None = None
    between: float = 0.0
    raters: float | None = None
    twice: float = 0.0
    rest: float = 0.0
    units: float = 0.0
    size: float = 1.0
    unequal: float = 1.0
    n_raters: int = 0
    per_unit: float = 0.0
    shown: float = np.inf
    bent: float = 0.0
    turning: bool = False
    reason: str | None = None
    without: Callable[[], tuple[Components, ...]] | None = field(
        default=None, repr=False, compare=False
    )

    def spread(self, per_unit: float, raters: int) -> float:
        """The variance of one unit's part, with so many ratings of it by some of the raters."""
        m = per_unit
        pairs = m * (m - 1) / 2
        if not self.paired:
            # What more ratings would do is not known from single ones: nothing, at worst.
            apart = self.same if self.apart is None else min(self.apart, self.same)
            found, pairs, every = apart + (self.same - apart) / m, m, raters
        elif m < 2:
            return float("nan")
        else:
            sharing = self.same if self.sharing is None else self.sharing
            apart = sharing if self.apart is None else self.apart
            others = 2 * (m - 2) * sharing + (m - 2) * (m - 3) / 2 * apart
            found, every = (self.same + others) / pairs, raters * (raters - 1) // 2
        turns = self.between * max(1 / pairs - 1 / every, 0.0)
        return max(found, self.same / (4 * pairs)) + turns

    def variances(self, design: Design) -> tuple[float, float, float | None]:
        """Of units; then of units and of raters where both vary. On the link's scale."""
        own = self.spread(design.per_unit, design.raters) * self.design_effect(design)
        slope = float(self.link.slope(np.array([self.value]))[0]) ** 2
        of_units = slope * own / design.units * (1 + self.bent / design.units)
        twice = self.twice / (design.units * design.per_unit)
        if self.raters is None:
            return of_units, of_units, None
        rest = self.rest / (design.units * design.per_unit)
        return of_units, max(of_units - twice / 2, 0.0), self.raters / design.raters + rest

    def at(self, design: Design, coverage: float = 0.95) -> Estimate:
        """The number with the interval to be expected in such a round, of both scopes."""
        common: dict[str, Any] = {
            "statistic": self.statistic,
            "coverage": coverage,
            "n_units": round(design.units),
            "n_raters": design.raters,
            "n_ratings": round(design.units * design.per_unit),
        }
        if self.value is None or self.reason is not None:
            return Estimate(self.value, reason=self.reason, **common)
        if self.paired and design.per_unit < 2:
            return Estimate(self.value, reason="no_pairable_units", **common)
        if self.turning and design.per_unit < design.raters:
            return Estimate(self.value, reason="raters_take_turns", **common)
        clusters = design.units / (design.cluster_size or self.size)
        if clusters < FEWEST:
            return Estimate(self.value, reason="too_few_units_for_interval", **common)
        of_units, u, r = self.variances(design)
        df = max(min(clusters - 1, self.shown * clusters), 1.0)
        reach = reach_of(coverage, df) * np.sqrt(of_units)
        ends = around(self.value, reach, self.link)
        like: tuple[float | None, float | None] = (None, None)
        if r is not None and design.raters >= FEWEST:
            t_u, t_r = reach_of(coverage, df), reach_of(coverage, design.raters - 1)
            both = reach_of_both(t_u, u, t_r, r)
            like = around(self.value, max(both, reach), self.link)
        return Estimate(self.value, *ends, *like, df=df, method=How("forecast"), **common)

    def design_effect(self, design: Design) -> float:
        """How many times the variance is that of as many units that stand alone."""
        unequal = self.unequal if design.cluster_size is None else design.cluster_size
        alike = (self.along or 0.0) / self.spread(design.per_unit, design.raters)
        if alike < 0:  # by chance, so it grows no further in larger clusters
            unequal = min(unequal, self.unequal)
        return max(1 + (unequal - 1) * alike, 1 / (2 * unequal))

    def doubt(self, design: Design) -> float | None:
        """The relative variance of the width planned, for these raters; None if nobody can tell.

        Of the jackknife over parts of the pilot's clusters: how alike units of a cluster are is
        told by a few pairs, and weighs the more the larger the clusters are to be.
        """
        if self.without is None:
            return None
        parts = [width_of(each.at(design)) for each in self.without()]
        known = [width for width in parts if width]
        if len(known) < max(len(parts), FEWEST):
            return None
        return float((len(known) - 1) * np.var(np.log(known)))

    def needed(
        self, width: float, design: Design, coverage: float = 0.95, like: bool = False
    ) -> int | None:
        """The fewest units whose interval is no wider; None where no number of them is enough."""

        def fits(units: int) -> bool:
            size = Design(units, design.raters, design.per_unit, design.cluster_size)
            found = width_of(self.at(size, coverage), like)
            return found is not None and found <= width

        low, high = FEWEST, FARTHEST
        if not fits(high):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle + 1, high)
        return low


def width_of(estimate: Estimate, like: bool = False) -> float | None:
    """From end to end, for these raters or for raters like these."""
    low, high = (estimate.low_like, estimate.high_like) if like else (estimate.low, estimate.high)
    return None if low is None or high is None else high - low


def forecast(
    ratings: Any, statistic: str = "mean", *, scale: Sequence[Any] | None = None
) -> Components:
    """The components of one number of a pilot; `at` and `needed` tell of rounds of another size.

    `statistic` is mean, proportion (of zeros and ones), or a coefficient by its name.

    >>> pilot = forecast([[4, 5], [2, 2], [3, 4], [5, 5], [1, 2], [4, 4]], "mean")
    >>> round(pilot.needed(0.5, Design(60, 2, 2)))
    122
    """
    if statistic in ("mean", "proportion"):
        coded = read_numbers(ratings).apart("a forecast")
        x = np.append(np.nan, coded.numbers)[coded.codes]
        link = LOGIT if statistic == "proportion" else PLAIN
        return of_numbers(x, coded.clusters, link, statistic)
    if statistic not in FORECAST:
        known = ", ".join(("mean", "proportion", *FORECAST))
        raise ValueError(f"no forecast of {statistic!r}: choose {known}")
    return of_coefficient(read(ratings, scale).apart("a forecast"), statistic)


def of_numbers(
    x: np.ndarray,
    clusters: np.ndarray | None = None,
    link: Link = PLAIN,
    name: str = "mean",
) -> Components:
    """Of the mean of numbers, units × raters, NaN where nobody answered."""
    unit, rater = np.nonzero(np.isfinite(x))
    if not len(unit):
        return Components(name, None, link, False, reason="no_ratings")
    numbers = x[unit, rater]
    value = float(numbers.mean())
    moves = Moves(unit, rater, None, numbers - value, len(x))
    if np.allclose(numbers, value, ROUNDING, 0.0):
        return Components(name, value, link, False, reason="no_spread_for_interval")
    left = None
    if len(np.unique(rater)) >= FEWEST:
        alone = np.arange(len(x)) if clusters is None else clusters
        cells = Entries(unit, rater, alone[unit], {"x": numbers})
        left = raters_left_out(cells, np.unique(rater), sums_of, ratio)
    once = np.ones(len(x))
    made = Components(name, value, link, False)
    found = components(moves, made, clusters=clusters, weights=once, left=left)

    def again(kept: np.ndarray) -> Components:
        return of_numbers(x[kept], None if clusters is None else clusters[kept], link, name)

    return replace(found, without=_parts(clusters, len(x), again))


def of_coefficient(coded: Coded, name: str, weights: np.ndarray | None = None) -> Components:
    """Of agreement among raters."""
    statistic = statistic_named(name, coded)
    link = getattr(statistic, "link", FISHER)
    reason = why_not(coded.patterns)
    if reason:
        return Components(name, None, link, True, reason=reason)
    weigh = np.ones(len(coded.codes)) if weights is None else weights
    value, moves = pair_moves(statistic, coded, weigh)
    if weights is None:
        value = point(statistic, coded.patterns)
    if not np.isfinite(value):
        return Components(name, None, link, True, reason="no_variation")
    if not np.isfinite(link.there(np.array([value]))).all() or not moves.move.any():
        edge = "no_disagreement_for_interval" if isclose(value, 1.0) else "no_spread_for_interval"
        return Components(name, value, link, True, reason=edge)
    left = None
    if weights is None and coded.codes.any(axis=0).sum() >= FEWEST:
        left = leave_raters_out(statistic, coded.patterns)
    made = Components(name, value, link, True)
    found = components(moves, made, clusters=coded.clusters, weights=weigh, left=left)
    found = replace(found, turning=not statistic.exchangeable)
    if weights is not None:
        return found
    bent = _bent(statistic, coded.patterns, found)

    def again(kept: np.ndarray) -> Components:
        return of_coefficient(coded.rows(np.flatnonzero(kept)), name)

    return replace(found, bent=bent, without=_parts(coded.clusters, len(coded.codes), again))


def _parts(
    clusters: np.ndarray | None, n: int, again: Callable[[np.ndarray], Components]
) -> Callable[[], tuple[Components, ...]]:
    """The components without one part of the clusters in turn, made when they are asked for."""
    _, codes = np.unique(np.arange(n) if clusters is None else clusters, return_inverse=True)
    part = codes.ravel() % PARTS

    @cache
    def made() -> tuple[Components, ...]:
        return tuple(again(part != at) for at in np.unique(part))

    return made


def _bent(statistic: Any, patterns: Patterns, found: Components) -> float:
    """What leaving out units shows beyond their slopes at the pilot's size, times the units."""
    if statistic.exchangeable:
        rows, weights = rows_to_resample(statistic, patterns.forget_raters())
        values = statistic.values
    else:
        gone = statistic.departures(patterns)
        rows, weights, values = gone.rows, gone.weights, gone.without_units
    without = leave_one_out(values, rows, weights @ rows)
    assert found.value is not None
    if not np.isfinite(without).all():
        return 0.0
    shown = spread(found.value, without, weights, found.link).variance
    linear = found.variances(Design(found.units, found.n_raters, found.per_unit))[0]
    return min(max(shown / linear - 1, 0.0), 1.0) * found.units


def pair_moves(statistic: Any, coded: Coded, weights: np.ndarray) -> tuple[float, Moves]:
    """How far each pair of answers moves the coefficient, by its slope at the pilot's totals.

    Where it matters who gave what, each pair of raters has a coefficient of its own.
    """
    q, width = len(coded.scale), coded.codes.shape[1]
    patterns = Patterns(coded.codes, np.ones(len(coded.codes), dtype=np.int64), q)
    answers = patterns.answers
    met = [np.stack([one, other]) for one, other in meetings(patterns)]
    one, other = np.hstack(met)
    unit, first, second = answers.pattern[one], answers.rater[one], answers.rater[other]
    codes = np.column_stack([answers.code[one], answers.code[other]]).astype(np.int64)
    pairs = np.bincount(unit, minlength=len(coded.codes))
    if statistic.exchangeable:
        codes.sort(axis=1)
        value, move = _slopes(statistic, codes, weights[unit] / pairs[unit], q)
        return value, Moves(unit, first, second, move, len(coded.codes))
    who, values = first * width + second, []
    move = np.zeros(len(unit))
    for pair in np.unique(who):
        here = who == pair
        found, move[here] = _slopes(statistic, codes[here], weights[unit[here]], q)
        values.append(found)
    there = np.isfinite(values)
    value = float(np.asarray(values)[there].mean()) if there.any() else float("nan")
    kept = np.isin(who, np.unique(who)[there])
    some = Moves(unit[kept], first[kept], second[kept], move[kept], len(coded.codes))
    return value, some


def _slopes(
    statistic: Any, codes: np.ndarray, weights: np.ndarray, q: int
) -> tuple[float, np.ndarray]:
    """The statistic of pairs of answers, and how far each moves it."""
    kinds, kind = np.unique(codes[:, 0] * (q + 1) + codes[:, 1], return_inverse=True)
    sums = statistic.sums(np.column_stack(np.divmod(kinds, q + 1)), q)
    n = float(weights.sum())
    total = np.bincount(kind.ravel(), weights, len(kinds)) @ sums
    value = float(statistic.values(total[None, :])[0])
    if not statistic.exchangeable:
        # Two raters may share few units, where the slope makes too little of each.
        without = statistic.values(total - sums)
        slopes = np.where(np.isfinite(without), (n - 1) * (value - without), 0.0)
        slopes -= np.average(slopes[kind.ravel()], weights=weights)
        return value, slopes[kind.ravel()]
    step = STEP * n
    moved = statistic.values(total + step * sums) - statistic.values(total - step * sums)
    slopes = moved / (2 * step) * n
    slopes -= np.average(slopes[kind.ravel()], weights=weights)
    return value, slopes[kind.ravel()]


def components(
    moves: Moves,
    made: Components,
    *,
    clusters: np.ndarray | None,
    weights: np.ndarray,
    left: LeftOut | None,
) -> Components:
    """The components from the moves; a unit counts as often as its weight.

    `left` is the number without each rater, where raters like these can be spoken of.
    """
    paired, present = made.paired, np.unique(moves.unit)
    place = np.zeros(moves.n, dtype=np.int64)
    place[present] = np.arange(len(present))
    unit, n, weigh = place[moves.unit], len(present), weights[present]
    whole = float(weigh.sum())
    ends = [moves.first] if moves.second is None else [moves.first, moves.second]
    raters, who = np.unique(np.concatenate(ends), return_inverse=True)
    sides = np.split(who.ravel(), len(ends))
    r = len(raters)
    pairs = np.bincount(unit, minlength=n).astype(float)
    m = (1 + np.sqrt(1 + 8 * pairs)) / 2 if paired else pairs
    crossed = bool((np.rint(m) == r).all())
    move, between = moves.move, 0.0
    if crossed:
        # All rate all: what sets raters apart is no spread of units, until they take turns.
        _, kind = distinct_rows(np.column_stack(sides))
        many = np.bincount(kind, weigh[unit])
        means = np.bincount(kind, weigh[unit] * move) / many
        move = move - means[kind]
        if len(means) > 1:
            between = max(float(np.var(means, ddof=1)) - float(np.var(move)) / whole, 0.0)
    square = np.bincount(unit, move**2, n)
    total = np.bincount(unit, move, n)
    bessel = whole / max(whole - 1, 1.0)
    same = bessel * float(weigh @ square / (weigh @ pairs))
    sharing = apart = None
    if not paired:
        if (others := float(weigh @ (pairs * (pairs - 1)))) > 0:
            apart = bessel * float(weigh @ (total**2 - square)) / others
    else:
        by_rater = _by_rater(unit, sides, move, n)
        if (others := float(weigh @ (pairs * 2 * (m - 2)))) > 0.5:
            sharing = bessel * float(weigh @ (by_rater - 2 * square)) / others
        if (others := float(weigh @ (pairs * (m - 2) * (m - 3) / 2))) > 0.5:
            apart = bessel * float(weigh @ (total**2 - by_rater + square)) / others
    psi = total / pairs
    _, codes = np.unique(present if clusters is None else clusters[present], return_inverse=True)
    codes = codes.ravel()
    sizes = np.bincount(codes, weigh)
    sums = np.bincount(codes, weigh * (psi - np.average(psi, weights=weigh)))
    along, within = None, float((sizes**2).sum() - sizes.sum())
    if len(sizes) < n:
        own = float(weigh @ psi**2)
        # What the mean takes away from each product is put back.
        along = (float(sums @ sums) - own) / within + float(sums @ sums) / whole**2
    ones = np.ones(len(sums), dtype=np.int64)
    share = freedom(sums**2, ones) / len(sums)
    ratings = whole * float(np.average(m, weights=weigh))
    of_raters, twice, rest = _of_raters(made, left, ratings)
    made = replace(made, same=same, sharing=sharing, apart=apart, along=along, between=between)
    made = replace(made, raters=of_raters, twice=twice, rest=rest, units=whole, n_raters=r)
    size, unequal = whole / len(sizes), float((sizes**2).sum() / whole)
    if clusters is not None:
        made = replace(made, size=size, unequal=unequal)
    share = share if share < 1 - 1 / len(sums) else np.inf
    return replace(made, per_unit=float(np.average(m, weights=weigh)), shown=share)


def _by_rater(
    unit: np.ndarray, sides: Sequence[np.ndarray], move: np.ndarray, n: int
) -> np.ndarray:
    """Per unit the sum of squares of what each rater's pairs add up to."""
    keys = np.concatenate([side * n + unit for side in sides])
    cells, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place.ravel(), np.tile(move, len(sides)))
    return np.bincount(cells % n, sums**2, n)


def _of_raters(
    made: Components, left: LeftOut | None, n_ratings: float
) -> tuple[float | None, float, float]:
    """Raters' variance times their number; and times the ratings, what both jackknives hold and
    what of it is left in the raters'."""
    value, link = made.value, made.link
    if left is None or value is None or not np.isfinite(left.each).all():
        return None, 0.0, 0.0
    r = len(left.each)
    found = spread(value, left.each, np.ones(r, dtype=int), link)
    twice = counted_twice(value, left, link)
    own = max(found.variance - twice, 0.0)
    rest = max(found.variance - twice / 2, 0.0) - own
    return own * r, twice * n_ratings, rest * n_ratings
