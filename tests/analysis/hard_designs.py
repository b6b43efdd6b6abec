"""Simulated rounds in which an interval is hard to have: what they hold, and how often.

A design draws ratings, and knows what endless units (or raters) would give. Beside our interval
stand the percentile bootstrap over the same units or clusters, and the plain jackknife that drops
the values that are undefined and has n − 1 degrees of freedom.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtrit

from raterbook.analysis import Interval, Ratings, agreement, alpha, proportion
from raterbook.analysis.averages import ratio
from raterbook.analysis.coefficients import rows_to_resample
from raterbook.analysis.coefficients.alpha import NominalAlpha, OrdinalAlpha
from raterbook.analysis.coefficients.gwet import ObservedAgreement
from raterbook.analysis.intervals.resampling import FISHER, LOGIT

FIVE = [1, 2, 3, 4, 5]
TWO = [1, 2]
METHODS = ("ours", "bootstrap", "plain jackknife")
RESAMPLES = 500


@dataclass(frozen=True)
class Design:
    """`draw` gives a table of ratings and its clusters; `estimate` what we make of them."""

    name: str
    draw: Callable
    estimate: Callable
    truth: float
    sums: Callable
    like: bool = False


@dataclass(frozen=True)
class Held:
    """Of all rounds the share with an interval, and of these the share that held the truth.

    `carried` is the share with an interval of the rounds in which eight units or clusters or more
    are not like the rest; None where such rounds are fewer than fifty.
    """

    given: float
    covered: float
    carried: float | None = None


# ---------------------------------------------------------------------------- what is rated


def unequal(rng, clusters=30):
    """Which cluster each unit stands in: 5 to 40 units each."""
    return np.repeat(np.arange(clusters), rng.integers(5, 41, clusters))


def rare_label(rng, carrying, stray=0.0):
    """Half the units of a few clusters are a 2, which each of two raters misses once in seven.

    Elsewhere a 2 is given by mistake, as often as `stray` says.
    """
    cluster = unequal(rng)
    half = rng.random(cluster.max() + 1) < carrying
    two = half[cluster] & (rng.random(len(cluster)) < 0.5)
    seen = rng.random((len(cluster), 2)) < np.where(two, 0.85, stray)[:, None]
    return 1 + seen, cluster


def rare_truth(carrying, stray=0.0):
    two = carrying / 2
    apart = two * 2 * 0.85 * 0.15 + (1 - two) * 2 * stray * (1 - stray)
    share = two * 0.85 + (1 - two) * stray
    return 1 - apart / (2 * share * (1 - share))


def leveled(rng, units, raters=3, middle=3.2, spread=1.0, noise=0.7, severity=0.0):
    """Levels of units, raters who differ in severity, and noise, on 1 to 5."""
    level = rng.normal(middle, spread, (units, 1)) + severity
    return np.clip(np.rint(level + rng.normal(0, noise, (units, raters))), 1, 5).astype(int), None


def with_single(rng, units):
    """Units that two raters rated among three hundred that one did."""
    pairs = leveled(rng, units, 2)[0].astype(float)
    single = np.full((300, 2), np.nan)
    single[:, 0] = leveled(rng, 300, 1)[0].ravel()
    return np.vstack([pairs, single]), None


def other_raters(rng, units):
    return leveled(rng, units, severity=rng.normal(0, 0.25, 3))


def shares(rng, share, clusters, alike):
    """Yes or no in unequal clusters; `alike` is the correlation of two answers of one cluster."""
    cluster = unequal(rng, clusters)
    more = 1 / alike - 1
    own = rng.beta(share * more, (1 - share) * more, clusters)
    return (rng.random(len(cluster)) < own[cluster]).astype(int)[:, None], cluster


# ---------------------------------------------------------------------------- what is estimated


def nominal(table, cluster, **how):
    return alpha(Ratings(table, scale=TWO, cluster=cluster), **how)


def ordinal(table, cluster, **how):
    return alpha(Ratings(table, scale=FIVE, cluster=cluster), "ordinal", **how)


def agreed(table, cluster, **how):
    return agreement(Ratings(table, scale=FIVE, cluster=cluster), **how)


def share_of(table, cluster, **how):
    return proportion(Ratings(table, scale=[0, 1], cluster=cluster), [1], **how)


def sums_of(statistic, scale, table, cluster):
    """The sums per unit or cluster, how many are alike, the statistic of their total, its link."""
    coded = Ratings(table, scale=scale, cluster=cluster)
    made = statistic(coded)
    rows, weights = rows_to_resample(made, coded.patterns)
    return rows, weights, made.values, getattr(made, "link", FISHER)


def sums_of_share(table, cluster):
    hits = np.bincount(cluster, table.ravel())
    return np.column_stack([hits, np.bincount(cluster)]), np.ones(len(hits), int), ratio, LOGIT


BY_NOMINAL = partial(sums_of, NominalAlpha, TWO)
BY_ORDINAL = partial(sums_of, lambda coded: OrdinalAlpha(), FIVE)
BY_AGREEMENT = partial(sums_of, lambda coded: ObservedAgreement(np.eye(5)), FIVE)


def truth_of(estimate, draw, blocks=1):
    """The value of very many units; of raters like these, of many blocks of other pairs."""
    rng = np.random.default_rng(99)
    tables = [draw(rng)[0] for _ in range(blocks)]
    return estimate(np.vstack(tables), None, interval=None).value


def pairs_anew(rng, units=50_000):
    """Two raters of their own for each unit stand for endless raters."""
    level = rng.normal(3.2, 1.0, (units, 1)) + rng.normal(0, 0.25, (units, 2))
    return np.clip(np.rint(level + rng.normal(0, 0.7, (units, 2))), 1, 5).astype(int), None


def designs():
    """All of them, easiest to name first."""
    found = [
        Design(
            f"rare label in {carrying:.0%} of 30 unequal clusters",
            partial(rare_label, carrying=carrying),
            nominal,
            rare_truth(carrying),
            BY_NOMINAL,
        )
        for carrying in (0.03, 0.05, 0.08, 0.15, 0.4)
    ]
    two = truth_of(ordinal, partial(leveled, units=200_000, raters=2))
    found += [
        Design(
            f"{n} pairable units among 300", partial(with_single, units=n), ordinal, two, BY_ORDINAL
        )
        for n in (6, 10, 20)
    ]
    for said, how in (
        ("81 % in the top level, α .70", {"middle": 5.6, "spread": 1.2, "noise": 0.4}),
        ("81 % in the top level, α .40", {"middle": 5.6, "noise": 0.8}),
        ("83 % in the top level, α .26", {"middle": 5.8, "spread": 0.9, "noise": 1.0}),
        ("95 % in the top level, α .47", {"middle": 6.3, "noise": 0.5}),
    ):
        truth = truth_of(ordinal, partial(leveled, units=200_000, **how))
        found += [
            Design(
                f"{said}, {n} units", partial(leveled, units=n, **how), ordinal, truth, BY_ORDINAL
            )
            for n in (30, 50)
        ]
    top = {"middle": 6.3, "noise": 0.5}
    found.append(
        Design(
            "agreement of 95 %, 50 units",
            partial(leveled, units=50, **top),
            agreed,
            truth_of(agreed, partial(leveled, units=200_000, **top)),
            BY_AGREEMENT,
        )
    )
    three = truth_of(ordinal, partial(leveled, units=200_000))
    endless = truth_of(ordinal, pairs_anew, 4)
    for n in (20, 50):
        found += [
            Design(f"3 raters, {n} units", partial(leveled, units=n), ordinal, three, BY_ORDINAL),
            Design(
                f"3 raters, {n} units, raters like these",
                partial(other_raters, units=n),
                ordinal,
                endless,
                BY_ORDINAL,
                like=True,
            ),
        ]
    found += [
        Design(
            f"share of {share:.0%} over {n} unequal clusters, {alike:g} alike",
            partial(shares, share=share, clusters=n, alike=alike),
            share_of,
            share,
            sums_of_share,
        )
        for share, n, alike in (
            *((0.02, 30, 0.2), (0.05, 20, 0.2), (0.05, 20, 0.5)),
            *((0.95, 50, 0.2), (0.98, 20, 0.1)),
        )
    ]
    return found


# ---------------------------------------------------------------------------- how often it held


def plain_jackknife(rows, weights, values, link):
    """As often taught: undefined values are dropped, and n − 1 degrees of freedom taken."""
    total = weights @ rows
    here, without = link.there(values(total[None, :])), link.there(values(total - rows))
    exists = np.isfinite(without)
    weights, without = weights[exists], without[exists]
    n = weights.sum()
    if n < 3 or not np.isfinite(here).all():
        return None
    squares = weights @ (without - weights @ without / n) ** 2 * (n - 1) / n
    reach = stdtrit(n - 1, 0.975) * np.sqrt(squares)
    return link.back(here - reach)[0], link.back(here + reach)[0]


def ends(design, method, table, cluster, seed):
    if method == "plain jackknife":
        return plain_jackknife(*design.sums(table, cluster))
    drawn = Interval("bootstrap", draws=RESAMPLES, seed=seed)
    how = {"interval": drawn} if method == "bootstrap" else {}
    found = design.estimate(table, cluster, **how)
    if design.like and method == "ours":
        return (found.low_like, found.high_like) if found.low_like is not None else None
    return (found.low, found.high) if found.low is not None else None


def carrying(table, cluster):
    """Units rated more than once, or clusters, that do not show the commonest value alone."""
    values, counts = np.unique(table[np.isfinite(table)], return_counts=True)
    apart = ((table != values[counts.argmax()]) & np.isfinite(table)).any(axis=1)
    if table.shape[1] > 1:
        apart &= np.isfinite(table).sum(axis=1) > 1
    return apart.sum() if cluster is None else len(np.unique(cluster[apart]))


def coverage(design, method="ours", rounds=2000, seed=1):
    """How often an interval was given, and held."""
    rng = np.random.default_rng(seed)
    given, held, carried = [], [], []
    for number in range(rounds):
        table, cluster = design.draw(rng)
        found = ends(design, method, table, cluster, number)
        given.append(found is not None)
        if carrying(table, cluster) >= 8:
            carried.append(found is not None)
        if found is not None:
            held.append(found[0] <= design.truth <= found[1])
    return Held(
        float(np.mean(given)),
        float(np.mean(held)) if held else float("nan"),
        float(np.mean(carried)) if len(carried) >= 50 else None,
    )
