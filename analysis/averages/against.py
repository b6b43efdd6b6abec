"""One rater against the others, and against a reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import Additive, Entries, infer_cells, ratio, unit_means
from raterbook.analysis.averages.means import largest, mean_of, one_by_one, read_numbers
from raterbook.analysis.averages.proportions import proportion_of
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import Interval, Wish
from raterbook.analysis.intervals.resampling import FISHER, PLAIN
from raterbook.analysis.ratings.patterns import divide, how_many, numbered


def severity(ratings: Any, *, interval: Wish = "jackknife") -> pd.DataFrame:
    """How far each rater lies above (lenient) or below (severe) the others on the same units.

    One row per rater: mean, estimate (mean of own rating − mean of the others'), low, high,
    n_units and n_ratings; None where a rater shares no unit.

    >>> severity([[4, 5], [2, 4], [3, 3]], interval=None)[["rater", "mean", "estimate"]]
       rater  mean  estimate
    0      0   3.0      -1.0
    1      1   4.0       1.0
    """
    cells = one_by_one(read_numbers(ratings).apart("severity"))
    wish = Interval.of(interval)
    apart, size = _from_others(cells), largest(cells.numbers["x"])
    found = []
    for rater in np.unique(cells.rater):
        own = cells.numbers["x"][cells.rater == rater]
        estimate = infer_cells(
            Additive(
                "severity",
                lambda part: part.per_cluster(part.numbers["gap"], np.ones(len(part))),
                ratio,
                reason="no_pairable_units",
                size=size,
            ),
            apart.where(apart.rater == rater),
            wish,
        )
        found.append(
            {
                "rater": cells.raters[rater],
                "mean": float(own.mean()),
                "sd": float(own.std(ddof=1)) if len(own) > 1 else None,
                "estimate": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "n_units": estimate.n_units,
                "n_ratings": len(own),
            }
        )
    names = ["rater", "mean", "sd", "estimate", "low", "high", "n_units", "n_ratings"]
    return pd.DataFrame(found, columns=names)


def _from_others(cells: Entries) -> Entries:
    """Each rating of a shared unit, less the mean of the others' ratings of it."""
    x = cells.numbers["x"]
    if not len(cells):
        return Entries(cells.unit, cells.rater, cells.cluster, {"gap": x}, cells.raters)
    units = numbered(cells.unit)[2]
    many = np.bincount(units)
    gap = np.bincount(units, x)[units]  # step by step in one array: there is a number an answer
    gap -= x
    gap /= np.maximum(many - 1, 1)[units]
    np.subtract(x, gap, out=gap)
    met = (many > 1)[units]
    found = Entries(cells.unit, cells.rater, cells.cluster, {"gap": gap}, cells.raters)
    return found if met.all() else found.where(met)


# Clusters × different pairs of values: beyond, an interval would not fit into memory.
MOST_CELLS = 50_000_000
COMPARISONS = ("exact", "within_one", "mae", "bias", "spearman", "exact_halves", "macro_f1_halves")


def against(
    ratings: Any,
    rater: Any,
    *,
    names: Iterable[str] = COMPARISONS[:5],
    interval: Wish = "jackknife",
) -> pd.DataFrame:
    """One rater against all others on the units of both.

    One row per statistic, its name and the fields of its estimate. exact and within_one are the
    share of the others' ratings met, averaged over units; mae, bias and spearman compare with the
    others' mean; so do exact_halves and macro_f1_halves, to the nearest half. Without a value, and
    with the reason, where the two sides share no unit.

    >>> found = against([[4, 5, 4], [2, 2, 3], [3, 1, 3]], 2, interval=None)
    >>> found[["statistic", "estimate", "n_units"]].round(3)
        statistic  estimate  n_units
    0       exact     0.333        3
    1  within_one     0.833        3
    2         mae     0.833        3
    3        bias     0.500        3
    4    spearman     1.000        3
    """
    found = estimates_against(ratings, rater, names, Interval.of(interval))
    return pd.DataFrame(
        [
            {
                "statistic": made.statistic,
                "estimate": made.value,
                "low": made.low,
                "high": made.high,
                "n_units": made.n_units,
                "n_raters": made.n_raters,
                "reason": made.reason,
            }
            for made in found
        ]
    )


def estimates_against(
    ratings: Any, rater: Any, names: Iterable[str], wish: Interval
) -> list[Estimate]:
    """The same as estimates."""
    coded, names = read_numbers(ratings).apart("a comparison of raters"), list(names)
    for name in names:
        check_name("comparison", name, COMPARISONS)
    coded.only([rater])
    is_own = np.array([name == rater for name in coded.raters])
    x = np.append(np.nan, coded.numbers)[coded.codes]
    own, others = x[:, is_own][:, 0], x[:, ~is_own]
    units = np.flatnonzero(np.isfinite(own) & np.isfinite(others).any(axis=1))
    own, others = own[units], others[units]
    clusters, called = units, coded.units
    if coded.clusters is not None:
        clusters, called = coded.clusters[units], coded.cluster_names
    found = []
    for name in names:
        made = Estimate(None, reason="no_comparison")
        if len(units):
            numbers = values_against(name, others, own)
            one = np.zeros(len(units), dtype=int)
            made = compared(name, Entries(units, one, clusters, numbers, (rater,), called), wish)
        raters = int(np.isfinite(others).any(axis=0).sum()) + 1
        found.append(replace(made, statistic=name, n_units=len(units), n_raters=raters))
    return found


def values_against(
    name: str, others: np.ndarray, own: np.ndarray, middle: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """What a comparison goes through, unit by unit, of all others' values and one's own.

    `middle` is the others' mean, where it is known already.
    """
    if name in ("exact", "within_one"):
        reach = 1.0 if name == "within_one" else 0.0
        given = np.isfinite(others)
        near = given & (np.abs(others - own[:, None]) <= reach + 1e-9)
        return {"hit": near.sum(axis=1) / given.sum(axis=1), "of": np.ones(len(own))}
    middle = unit_means(others) if middle is None else middle
    if name == "exact_halves":
        hit = _in_halves(middle) == _in_halves(own)
        return {"hit": hit.astype(float), "of": np.ones(len(own))}
    if name == "mae":
        return {"x": np.abs(own - middle)}
    if name == "bias":
        return {"x": own - middle}
    return {"others": middle, "own": own}


def _in_halves(x: np.ndarray) -> np.ndarray:
    """How many halves, to the nearest; ties to the even, as Python rounds (4.25 → 8, 4.75 → 10)."""
    return np.asarray(np.round(x * 2))


def compared(name: str, cells: Entries, wish: Interval) -> Estimate:
    """One of `COMPARISONS`, from `values_against`."""
    if name in ("exact", "within_one", "exact_halves"):
        return proportion_of(name, cells, wish)
    if name in ("mae", "bias"):
        return mean_of(cells, wish, name)
    return _paired(name, cells, wish)


def _paired(name: str, cells: Entries, wish: Interval) -> Estimate:
    """A statistic of how often each pair of values (others's, own's) is met.

    Those counts add up over clusters, so its interval is made as everyone else's is.
    """
    others, own = cells.numbers["others"], cells.numbers["own"]
    if name == "macro_f1_halves":
        others, own = _in_halves(others), _in_halves(own)
    pairs, codes = pairs_met(others, own)
    _, clusters = np.unique(cells.cluster, return_inverse=True)
    too_many = how_many(clusters) * len(pairs) > MOST_CELLS

    def rows(part: Entries) -> np.ndarray:
        of = np.zeros(len(part), dtype=int) if too_many else clusters.ravel()
        counts = np.zeros((how_many(of), len(pairs)))
        np.add.at(counts, (of, codes), 1.0)
        return counts

    def values(totals: np.ndarray) -> np.ndarray:
        return (spearman_of if name == "spearman" else _macro_f1)(pairs, totals)

    wanted = replace(wish, method=None) if too_many else wish
    link = FISHER if name == "spearman" else PLAIN
    number = Additive(name, rows, values, link, "no_spread")
    found = infer_cells(number, cells, wanted)
    if too_many and found.value is not None and wish.method is not None:
        found = replace(found, reason="too_many_values")
    return found


def pairs_met(others: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different pairs of values in order, and which of them each entry is.

    >>> pairs_met(np.array([2.0, 1.0, 2.0]), np.array([3.0, 3.0, 3.0]))[1].tolist()
    [1, 0, 1]
    """
    # Without an inverse there is no sorting, and of few values the place is soon found.
    first, second = np.unique(others), np.unique(own)
    places = np.searchsorted(first, others) * len(second) + np.searchsorted(second, own)
    met, _, codes = numbered(places)
    return np.column_stack([first[met // len(second)], second[met % len(second)]]), codes


def spearman_of(pairs: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Rank correlations of the values in `pairs`, each met as often as a row of `totals` says."""
    a, b = (_ranks(side, totals) for side in pairs.T)
    both = (totals * a * b).sum(axis=1)
    each = (totals * a**2).sum(axis=1) * (totals * b**2).sum(axis=1)
    return divide(both, np.sqrt(each))


def _ranks(side: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """The mid-rank of each pair's value, from the middle of all, by the counts of each row."""
    order = side.argsort(kind="stable")
    first = np.flatnonzero(np.diff(side[order], prepend=np.nan) != 0)
    counts = np.add.reduceat(totals[:, order], first, axis=1)
    ranks = np.cumsum(counts, axis=1) - (counts + totals.sum(axis=1, keepdims=True)) / 2
    return np.asarray(ranks[:, np.searchsorted(side[order][first], side)])


def _macro_f1(pairs: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """F1 averaged over the values that either side gave."""
    total, classes = np.zeros(len(totals)), np.zeros(len(totals))
    for value in np.unique(pairs):
        of_others, of_own = (pairs == value).T
        given = totals[:, of_others].sum(axis=1) + totals[:, of_own].sum(axis=1)
        met = totals[:, of_others & of_own].sum(axis=1)
        total += divide(2 * met, given, 0.0)
        classes += given > 0
    return divide(total, classes)
