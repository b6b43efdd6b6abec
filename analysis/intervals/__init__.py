"""From additive sums to an interval, by the method named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from raterbook.analysis.coefficients import point
from raterbook.analysis.estimate import WILSON, Estimate, How, check_name
from raterbook.analysis.intervals import resampling
from raterbook.analysis.intervals.resampling import (
    EDGE,
    FISHER,
    FROM_ONE,
    LOG,
    LOGIT,
    PLAIN,
    LeftOut,
    Link,
    Spread,
    Values,
    counted_twice,
    effective,
    freedom,
    leave_one_out,
    like_interval,
    reach_of,
    spread,
    standard_error,
    t_interval,
)
from raterbook.analysis.ratings.patterns import Patterns

# Of fewer clusters or raters the leave-one-out values are too few to speak of a spread.
FEWEST = 3
METHODS = ("jackknife", "bootstrap", "bca", "analytic")
DRAWN = {"bootstrap": "percentile bootstrap", "bca": "BCa bootstrap"}  # and what they are called


@dataclass(frozen=True)
class Interval:
    """How an interval is wanted: its method, how often it should hold, draws and their seed.

    `method` is jackknife, bootstrap (percentile), bca, analytic (as its paper has it) or None.
    Wherever an interval is asked for, a method's name stands for the usual one of that name.

    >>> Interval("bootstrap", coverage=0.9)
    Interval(method='bootstrap', coverage=0.9, draws=2000, seed=0)
    """

    method: str | None = "jackknife"
    coverage: float = 0.95
    draws: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        check_name("interval", self.method, (*METHODS, None))
        if not 0 < self.coverage < 1:
            raise ValueError(f"coverage {self.coverage!r} is not between 0 and 1: .95 is usual")
        if self.draws < 1:
            raise ValueError(f"draws={self.draws!r}: at least 1")

    @classmethod
    def of(cls, wish: Wish) -> Interval:
        """The interval asked for, by its method's name or in full."""
        return wish if isinstance(wish, Interval) else cls(wish)

    def leaves_out(self, raters: int) -> bool:
        """Whether so many raters are left out in turn, to speak of raters like these."""
        return self.method == "jackknife" and raters >= FEWEST

    @property
    def seed_used(self) -> int | None:
        """The seed, where anything was drawn."""
        return self.seed if self.method in DRAWN else None


# How a function is asked for an interval: by a method's name, in full, or for none.
Wish = str | Interval | None
USUAL = Interval()


# Below this the t distribution carries more than the data do.
ROUGH = 10
# A distance from 1 that is not known to a factor of this is not known.
FARTHEST = 3
RESTS_ON = {
    "unit": "rests_on_one_unit",
    "cluster": "rests_on_one_cluster",
    "rater": "rests_on_one_rater",
}


# The statistic with one unit more, and how likely each such unit is.
Unseen = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class UnitSums:
    """What is left out or drawn: a row of sums per unit or cluster, each as often as `weights` say.

    `one` is what a row stands for. `paired` tells the units that raters can be compared on, if not
    all are; `sizes`, how much a mean rests on each; `carried`, how often rare values stand in each;
    `unseen`, the statistic with units that might have been met. `df` are the degrees of freedom at
    most, where a part of the rows makes most of the spread. `size` is how large the numbers are
    that it is made of: what is nothing beside them is rounding.
    """

    rows: np.ndarray
    weights: np.ndarray
    unit: str = "units"
    one: str = "unit"
    paired: np.ndarray | None = None
    sizes: np.ndarray | None = None
    carried: np.ndarray | None = None
    unseen: Unseen | None = None
    df: float = np.inf
    size: float = 1.0


@dataclass(frozen=True)
class Ends:
    """Ends for these raters and for raters like these; what could not be had is None.

    `se` is the jackknife's over all units, as it is published; the ends count those that are
    paired, and know how many of them carry the spread.

    Where everything hangs on one unit or cluster, `rests_on` is its row; where it does on a
    rater, `rests_on_rater` is their place among those who answered.
    """

    low: float | None = None
    high: float | None = None
    low_like: float | None = None
    high_like: float | None = None
    se: float | None = None
    df: float | None = None
    method: How = How()  # noqa: RUF009  (a text, which nobody changes)
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    rests_on: int | None = None
    rests_on_rater: int | None = None


def interval_of(
    values: Values,
    sample: UnitSums,
    wish: Interval = USUAL,
    *,
    link: Link,
    left: LeftOut | None = None,
    edge: float = np.inf,
) -> Ends:
    """The interval of the statistic made from the sample's sums.

    `left` holds the statistic without each rater, where raters like these are to be spoken of.
    Where a closed form was asked for and there is none, the jackknife stands in. Units that show
    no spread, at `edge` by perfect agreement, give no interval.
    """
    # What adds nothing to any sum tells nothing: units rated once, of agreement.
    tells = sample.rows.any(axis=1)
    there = np.flatnonzero(tells if sample.paired is None else tells | sample.paired)
    used = _only(sample, there)
    # Agreement's standard error is published over all units, also those rated once.
    n = None if sample.paired is None else int(sample.weights.sum())
    found = _interval(values, used, wish, link, left, edge, n)
    if found.rests_on is not None:
        found = replace(found, rests_on=int(there[found.rests_on]))
    return found


def _only(sample: UnitSums, there: np.ndarray) -> UnitSums:
    paired, sizes, carried = sample.paired, sample.sizes, sample.carried
    return replace(
        sample,
        rows=sample.rows[there],
        weights=sample.weights[there],
        paired=np.ones(len(there), dtype=bool) if paired is None else paired[there],
        sizes=None if sizes is None else sizes[there],
        carried=None if carried is None else carried[there],
    )


def _interval(
    values: Values,
    sample: UnitSums,
    wish: Interval,
    link: Link,
    left: LeftOut | None,
    edge: float,
    n_all: int | None,
) -> Ends:
    rows, weights, coverage = sample.rows, sample.weights, wish.coverage
    total = weights @ rows
    theta = float(values(total[None, :])[0])
    n = int(weights[sample.paired].sum())
    if n < FEWEST:
        return Ends(reason="too_few_units_for_interval")
    warnings = ("few_clusters",) if n < ROUGH else ()
    if link is LOGIT and not EDGE < theta < 1 - EDGE:
        # A share at the end of its range shows no spread, and yet is not certain.
        ends = limits(round(theta) * n, n, "wilson", coverage)
        return Ends(*ends, se=0.0, method=How(WILSON, n, sample.unit), warnings=warnings)
    without = leave_one_out(values, rows, total)
    exists = np.isfinite(without)
    if without[exists].min(initial=theta) >= edge - EDGE:
        return Ends(reason="no_disagreement_for_interval")
    if not exists.all():
        return resting(sample.one, int(np.flatnonzero(~exists)[0]))
    if link is FISHER and min(theta, float(without.min())) <= EDGE - 1:
        link = FROM_ONE
    units = spread(theta, without, weights, link, sample.paired)
    if units.is_none(sample.size):
        # Where all are alike, no width would be claimed from no knowledge of how far they vary.
        return Ends(reason="no_spread_for_interval")
    se = standard_error(theta, without, weights, n_all or n)
    if wish.method in DRAWN:
        drawn = resampling.draw(values, rows, weights, wish.draws, wish.seed)
        found = (
            resampling.percentile(drawn, coverage)
            if wish.method == "bootstrap"
            else resampling.bca(drawn, theta, without, weights, coverage, min(sample.size, 1.0))
        )
        if found is None:
            return Ends(reason="too_few_units_for_interval")
        method = drawn_over(n, sample.unit, wish)
        return Ends(*found, se=se, df=n - 1, method=method, warnings=warnings)
    if sample.sizes is not None and link is PLAIN:
        # A mean of clusters of one size has Student's t, however skew they are.
        by_size = freedom(sample.sizes**2.0, weights)
        units = replace(units, df=min(max(units.df, by_size), n - 1.0))
    if link is LOG and not np.isfinite(link.there(without)).all():
        return resting(sample.one, int(without.argmin()))  # without it there is no spread at all
    units = replace(units, df=min(units.df, sample.df))
    if link is LOGIT:
        units = replace(units, df=max(units.df, 1.0))
    if sample.carried is not None and sample.carried.any():
        # Two clusters that hold a rare value can be alike by chance; two cannot be many.
        carriers = effective(sample.carried, weights)
        if 2 * (carriers - 1) < 1:
            return resting(sample.one, int(sample.carried.argmax()))
        units = replace(units, df=min(units.df, 2 * (carriers - 1)))
    if units.df < 1:
        return resting(sample.one, units.at)
    units = _with_unseen(units, theta, sample, link)
    low, high = t_interval(theta, units.variance, units.df, coverage, link)
    if link is FROM_ONE and 1 - low > FARTHEST * (1 - theta):
        # So few units below chance tell nothing of how far below.
        return Ends(reason="too_few_units_for_interval")
    method = How("jackknife", n, sample.unit, link.name, t_of(units.df, n))
    if link is LOGIT:
        sizes = np.ones(len(rows)) if sample.sizes is None else sample.sizes
        least = no_wider(theta, (low, high), sizes, weights, coverage)
        if least is not None:
            low, high, many = least
            method = How(WILSON, many, sample.unit)
    these = Ends(low, high, se=se, df=units.df, method=method, warnings=warnings)
    if left is None:
        return these
    return _for_raters_like_these(these, theta, units, left, coverage, link)


def drawn_over(n: int, unit: str, wish: Interval) -> How:
    """A bootstrap by its name, with what makes it come out again."""
    return How(DRAWN[wish.method or ""], n, unit, reach=f"{wish.draws} draws, seed {wish.seed}")


def t_of(df: float, n: int) -> str:
    """How the reach was found, with the degrees of freedom where few units carry the spread."""
    return "t" if df >= n - 1 else f"t with {df:.1f} degrees of freedom"


def no_wider(
    theta: float,
    ends: tuple[float, float],
    sizes: np.ndarray,
    weights: np.ndarray,
    coverage: float,
) -> tuple[float, float, float] | None:
    """Wilson's ends for a share, and on how many units, where these are the narrower ones.

    No mean of n numbers between 0 and 1 varies more than a share of n; of unequal units as many
    count as the spread of their sizes says (Kish 1965).
    """
    many = effective(sizes, weights)
    low, high = limits(theta * many, many, "wilson", coverage)
    return (low, high, many) if high - low < ends[1] - ends[0] else None


def resting(what: str, place: int) -> Ends:
    """No interval: it would hang on this one unit, cluster or rater."""
    return Ends(reason=RESTS_ON[what], rests_on=place)


def _with_unseen(units: Spread, theta: float, sample: UnitSums, link: Link) -> Spread:
    """Widened where a unit that was not met would weigh more than any that was.

    Where raters hardly ever agree on a rare value, the leave-one-outs are all alike, and one unit
    on which they did would move the coefficient far.
    """
    if sample.unseen is None or not units.on_link:
        return units
    values, likely = sample.unseen
    with_it = link.there(values) - link.there(np.array([theta]))
    exists = np.isfinite(with_it)
    if not likely[exists].sum() > 0:
        return units
    more = float(np.average(with_it[exists] ** 2, weights=likely[exists])) - units.most
    return replace(units, variance=units.variance + max(more, 0.0))


def _for_raters_like_these(
    found: Ends, theta: float, units: Spread, left: LeftOut, coverage: float, link: Link
) -> Ends:
    if not np.isfinite(left.each).all():
        place = int(np.flatnonzero(~np.isfinite(left.each))[0])
        return replace(found, reason=RESTS_ON["rater"], rests_on_rater=place)
    raters = spread(theta, left.each, np.ones(len(left.each), dtype=int), link)
    if raters.on_link != units.on_link:
        return found
    twice = counted_twice(theta, left, link)
    low, high = like_interval(theta, units, raters, twice, coverage, link)
    return replace(found, low_like=low, high_like=high, method=found.method.over_raters(raters.n))


def estimated(
    value: float,
    found: Ends,
    wish: Interval,
    called: Callable[[int], Any] | None = None,
    leaving: Sequence[Any] = (),
    **common: Any,
) -> Estimate:
    """The value with the interval that was found for it.

    Where everything hangs on one unit, cluster or rater, its name stands beside, as `rests_on`,
    and in the method: `called` names rows, `leaving` the raters left out in turn.
    """
    name = None
    if found.rests_on is not None and called is not None:
        name = called(found.rests_on)
    if found.rests_on_rater is not None and found.rests_on_rater < len(leaving):
        name = leaving[found.rests_on_rater]
    if name is not None:
        common["beside"] = {**common.get("beside", {}), "rests_on": name}
        what = str(found.reason).rpartition("_")[2]
        none = "none for raters like these" if found.method else "no interval"
        said = f"{none}: all rests on {what} {name}"
        found = replace(found, method=found.method.saying(said))
    return Estimate(
        value,
        found.low,
        found.high,
        found.low_like,
        found.high_like,
        found.se,
        found.df,
        method=found.method,
        reason=found.reason,
        seed=wish.seed_used,
        **common,
    )


# Intervals of a proportion of independent answers.


LIMITS_METHODS = ("wilson", "clopper-pearson", "normal")


def limits(count: float, total: float, method: str, coverage: float) -> tuple[float, float]:
    """The ends of the interval for count / total, exactly 0 or 1 where nothing lies beyond."""
    from scipy.special import betaincinv, ndtri

    tail = (1 - coverage) / 2
    p, z = count / total, float(ndtri(1 - tail))
    if method == "wilson":
        middle = (p + z**2 / (2 * total)) / (1 + z**2 / total)
        reach = z * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2)) / (1 + z**2 / total)
        low = 0.0 if count == 0 else float(middle - reach)
        return low, 1.0 if count == total else float(middle + reach)
    if method == "clopper-pearson":
        low = 0.0 if count == 0 else float(betaincinv(count, total - count + 1, tail))
        high = 1.0 if count == total else float(betaincinv(count + 1, total - count, 1 - tail))
        return low, high
    reach = z * np.sqrt(p * (1 - p) / total)
    return float(max(p - reach, 0.0)), float(min(p + reach, 1.0))


# Published closed-form intervals, by name, for those who must match a paper.
#
# Gwet's variances (Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5) linearise a
# coefficient unit by unit. They count units that only one rater rated as if they told something
# about agreement, so with missing ratings they come out too wide; the jackknife is the default.


# Each unit's share in a coefficient, and how many units have that share.
Shares = tuple[np.ndarray, np.ndarray]


def analytic_interval(statistic: Any, patterns: Patterns, coverage: float) -> Ends | None:
    """The interval that the statistic's own paper gives; None where there is none."""
    if hasattr(statistic, "published_ends"):
        ends = statistic.published_ends(patterns, coverage)
        if isinstance(ends, str):
            return Ends(reason=ends)
        low, high = ends
        return Ends(low, high, method=How("F distribution (Shrout and Fleiss 1979)"))
    given = statistic.unit_shares(patterns) if hasattr(statistic, "unit_shares") else None
    if given is None:
        return None
    # For two raters without gaps the published variance comes from the contingency table,
    # which divides by n where the one for raw ratings divides by n − 1.
    from_table = patterns.codes.shape[1] == 2 and bool(patterns.codes.all())
    return _gwet_interval(point(statistic, patterns), given, from_table, coverage)


def per_pairable(paired: np.ndarray, weights: np.ndarray) -> float:
    return float(weights.sum() / (weights @ paired))


def linear(
    agreed: np.ndarray, paired: np.ndarray, weights: np.ndarray, expected: float, own: np.ndarray
) -> np.ndarray:
    each = per_pairable(paired, weights) * (agreed - expected * paired) / (1 - expected)
    value = weights @ each / weights.sum()
    return np.asarray(each - 2 * (1 - value) * own / (1 - expected))


def _gwet_interval(value: float, shares: Shares, from_table: bool, coverage: float) -> Ends:
    units, weights = shares
    n = int(weights.sum())
    if n < 2:
        return Ends(reason="too_few_units_for_interval")
    middle = float(weights @ units) / n
    se = float(np.sqrt(weights @ (units - middle) ** 2 / (n * (n - (0 if from_table else 1)))))
    reach = reach_of(coverage, n - 1) * se
    method = How("Gwet's linearised variance", n, "units", reach="t, cut at 1")
    return Ends(value - reach, min(value + reach, 1.0), se=se, method=method)
