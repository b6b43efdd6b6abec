"""Means, standard deviations and medians of ratings, and what two systems' means differ by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import Additive, Entries, add_up, infer_cells, ratio
from raterbook.analysis.coefficients import rows_to_resample
from raterbook.analysis.coefficients.infer import are_groups, called, nameless
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import (
    DRAWN,
    USUAL,
    Interval,
    UnitSums,
    Wish,
    drawn_over,
    estimated,
    interval_of,
    resampling,
)
from raterbook.analysis.intervals.raters import leave_raters_out
from raterbook.analysis.intervals.resampling import LOG, PLAIN
from raterbook.analysis.ratings import Coded, read, table_of
from raterbook.analysis.ratings.long import cluster_codes, one_label
from raterbook.analysis.ratings.patterns import divide

ROUNDING = 1e-12
# Units that are drawn one by one where an engine counted those alike together.
DRAWN_APART = 262_144


def cells_of(ratings: Any, drawn: bool = True) -> Entries:
    """The answers of a long frame, a table or a plain list of values, one by one.

    Where they carry a confidence, it is the number c, NaN where none was given.
    """
    coded = read_numbers(ratings)
    return alike_or_apart(coded, drawn) if coded.times is not None else one_by_one(coded)


def read_numbers(ratings: Any) -> Coded:
    """Ratings, a frame, a table or one rater's values in a row; labels are refused."""
    coded = read(ratings if isinstance(ratings, Coded) else table_of(ratings))
    coded.needs_numbers("a mean")
    return coded


def alike_or_apart(coded: Coded, drawn: bool) -> Entries:
    """The answers an engine counted, those of alike units together.

    What is `drawn` is drawn unit by unit, as if they had been read; clusters stand apart anyway.
    """
    if coded.clusters is None and drawn and coded.n_units <= DRAWN_APART:
        return one_by_one(coded.apart())
    return one_by_one(coded)


def one_by_one(coded: Coded) -> Entries:
    """The answers, each with its number x, and c where confidences were given.

    Units that an engine counted together stay so.
    """
    unit, rater = np.nonzero(coded.codes)
    numbers = {"x": coded.numbers[coded.codes[unit, rater] - 1]}
    if coded.confidence is not None:
        numbers["c"] = coded.confidence[unit, rater]
    return entries(coded, unit, rater, numbers)


def entries(
    coded: Coded, unit: np.ndarray, rater: np.ndarray, numbers: dict[str, np.ndarray]
) -> Entries:
    """These answers with what is known of their units: names, clusters, and how many are alike."""
    alone = coded.clusters is None
    clusters = unit if coded.clusters is None else coded.clusters[unit]
    named = coded.units if alone else coded.cluster_names
    times = None if coded.times is None else coded.times[unit]
    return Entries(
        unit, rater, clusters, numbers, coded.raters, named, times, alone and times is not None
    )


def mean(ratings: Any, *, interval: Wish = "jackknife") -> Estimate:
    """The mean of all ratings given; every rating counts the same.

    Without a value when nobody answered.

    >>> mean([4, 5, 3, 4], interval=None)
    <mean: 4.0000; 4 units, 1 raters, 4 ratings>
    """
    coded, wish = read_numbers(ratings), Interval.of(interval)
    if wish.method in DRAWN:
        return mean_of(alike_or_apart(coded, drawn=True), wish)
    return _mean_of_patterns(coded, wish)


class _Mean:
    """Sum and number of a pattern's ratings: alike units are added up once."""

    name = "mean"
    exchangeable = True

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = np.append(0.0, numbers)

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        return np.column_stack([self.numbers[codes].sum(axis=1), (codes > 0).sum(axis=1)])

    def values(self, totals: np.ndarray) -> np.ndarray:
        return ratio(totals)


def _mean_of_patterns(coded: Coded, wish: Interval) -> Estimate:
    """The mean of all ratings as `mean_of` has it, without going through them one by one."""
    statistic, patterns = _Mean(coded.numbers), coded.patterns
    answered = np.unique(patterns.answers.rater)
    common: dict[str, Any] = {
        "statistic": "mean",
        "coverage": wish.coverage,
        "raters": tuple(coded.raters[rater] for rater in answered),
        "n_units": patterns.n_units,
        "n_raters": len(answered),
        "n_ratings": int(patterns.weights @ patterns.rated),
    }
    if not len(answered):
        return Estimate(None, reason="no_ratings", **common)
    rows, weights = rows_to_resample(statistic, patterns.forget_raters())
    value = float(statistic.values((weights @ rows)[None, :])[0])
    if wish.method is None:
        return Estimate(value, **common)
    left = leave_raters_out(statistic, patterns) if wish.leaves_out(len(answered)) else None
    alone = patterns.blocks is None
    sample = UnitSums(
        rows,
        weights,
        "clusters",
        "unit" if alone else "cluster",
        sizes=rows[:, 1].astype(float),
        size=largest(coded.numbers),
    )
    found = interval_of(statistic.values, sample, wish, link=PLAIN, left=left)
    if are_groups(patterns.forget_raters(), len(rows)):
        found = nameless(found)
    return estimated(
        value,
        found,
        wish,
        called=lambda row: called(coded, patterns.forget_raters(), row, exchangeable=True),
        leaving=common["raters"],
        warnings=found.warnings,
        **common,
    )


def mean_of(cells: Entries, wish: Interval = USUAL, name: str = "mean") -> Estimate:
    """The mean of the numbers `x`."""
    number = Additive(name, sums_of, ratio, size=largest(cells.numbers["x"]))
    return infer_cells(number, cells, wish)


def sums_of(part: Entries) -> np.ndarray:
    """Per cluster the sum of the numbers `x`, and how many there are."""
    return part.per_cluster(part.numbers["x"], np.ones(len(part)))


def largest(numbers: np.ndarray) -> float:
    """The size of the largest of these numbers, by which rounding is told from spread."""
    return float(np.abs(numbers).max(initial=0.0))


def sd_of(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """The sample standard deviation (n − 1) of all ratings."""
    # Squares of numbers far from zero would cancel, so they are taken around the mean.
    middle = float(np.average(cells.numbers["x"], weights=cells.times)) if len(cells) else 0.0

    def rows(part: Entries) -> np.ndarray:
        x = part.numbers["x"] - middle
        return part.per_cluster(x, x**2, np.ones(len(part)))

    size = largest(cells.numbers["x"])
    number = Additive("sd", rows, _deviation, link=LOG, reason="too_few_units", size=size)
    return infer_cells(number, cells, wish)


def _deviation(totals: np.ndarray) -> np.ndarray:
    total, squares, n = totals.T
    spread = squares - divide(total**2, n)
    # Of equal values the two differ by rounding, which is no spread.
    spread = np.where(spread > ROUNDING * squares, spread, 0.0)
    return np.asarray(np.sqrt(divide(spread, n - 1)))


def median_of(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """The median of all ratings; its interval is a percentile bootstrap whatever was asked.

    The jackknife of a median does not converge, so it is not offered.
    """
    points = np.unique(cells.numbers["x"])

    def rows(part: Entries) -> np.ndarray:
        place = np.searchsorted(points, part.numbers["x"])
        return part.per_cluster(*((place == k).astype(float) for k in range(len(points))))

    def middle(totals: np.ndarray) -> np.ndarray:
        return _median(totals, points)

    found = infer_cells(Additive("median", rows, middle), cells, replace(wish, method=None))
    if wish.method is None or found.value is None or len(points) > 500:
        return found
    if len(points) == 1:
        return replace(found, reason="no_spread_for_interval")
    sums = rows(cells)
    seed, resamples = wish.seed, wish.draws
    weights = cells.alike()
    n = int(weights.sum())
    drawn = resampling.draw(middle, sums, weights, resamples, seed)
    ends = resampling.percentile(drawn, wish.coverage)
    method = drawn_over(n, "clusters", replace(wish, method="bootstrap"))
    if ends is None or n < 3:
        return replace(found, reason="too_few_units_for_interval")
    return replace(found, low=ends[0], high=ends[1], method=method, seed=seed)


def _median(totals: np.ndarray, points: np.ndarray) -> np.ndarray:
    reached = np.cumsum(totals, axis=1)
    n = reached[:, -1:]
    below = (reached < np.floor((n + 1) / 2)).sum(axis=1)
    above = (reached < np.ceil((n + 1) / 2)).sum(axis=1)
    return np.asarray((points[below] + points[above]) / 2)


def sd(ratings: Any, *, interval: Wish = "jackknife") -> Estimate:
    """The sample standard deviation (n − 1) of all ratings given.

    >>> sd([4, 5, 3, 4], interval=None)
    <sd: 0.8165; 4 units, 1 raters, 4 ratings>
    """
    wish = Interval.of(interval)
    return sd_of(cells_of(ratings, drawn=wish.method in DRAWN), wish)


def median(ratings: Any, *, interval: Wish = "jackknife") -> Estimate:
    """The median of all ratings given, with a bootstrap's interval.

    >>> median([4, 5, 3, 4], interval=None)
    <median: 4.0000; 4 units, 1 raters, 4 ratings>
    """
    return median_of(cells_of(ratings), Interval.of(interval))


# Several systems on the same cases: differences, paired, and corrected for their number.


CORRECTIONS = ("holm", "benjamini-hochberg", "none", "benjamini-yekutieli")


def adjust(p: Iterable[float | None], correction: str = "holm") -> list[float | None]:
    """p-values corrected for their number; those that are absent stay absent.

    `holm` keeps the chance of any false finding, `benjamini-hochberg` the share of false ones
    among the findings, `benjamini-yekutieli` the same however the tests hang together.

    >>> adjust([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    check_name("correction", correction, CORRECTIONS)
    p = list(p)
    there = [i for i, value in enumerate(p) if value is not None]
    given = np.array([p[i] for i in there], dtype=float)
    m, order = len(given), given.argsort(kind="stable")
    adjusted = given.copy()
    if correction == "holm":
        steps: np.ndarray = given[order] * np.arange(m, 0, -1)
        adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    elif correction != "none":
        steps = given[order] * (m / np.arange(1, m + 1))
        if correction == "benjamini-yekutieli":
            steps = steps * (1 / np.arange(1, m + 1)).sum()
        adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    found: list[float | None] = [None] * len(p)
    for place, value in zip(there, adjusted, strict=True):
        found[place] = float(value)
    return found


def difference(first: Any, second: Any, *, interval: Wish = "jackknife") -> Estimate:
    """Mean of the first − mean of the second over the units of both, set against each other.

    Both are what `mean` takes, such as ratings of one system's answers and of another's to the
    same questions; units go by their names and count the same, however many ratings each has.
    Values may be scores, or 0 and 1 for a proportion. `p` is that of no difference.

    >>> difference([4, 5, 3, 5], [3, 5, 2, 3], interval=None)
    <difference: 1.0000; 4 units, 1 raters, 8 ratings>
    """
    sides = [read_numbers(each) for each in (first, second)]
    if any(side.times is not None for side in sides):
        raise ValueError(
            "a difference sets units against each other by their names: take both sides out of "
            "the engine's table (to_pandas())"
        )
    parts = [one_by_one(side) for side in sides]
    units, names = _together(sides, parts, "unit")
    raters, who = _together(sides, parts, "rater")
    clusters = units
    if any(side.clusters is not None for side in sides):
        given = [
            np.full(len(part), None, dtype=object)
            if side.clusters is None
            else np.asarray(side.cluster_names, dtype=object)[part.cluster]
            for side, part in zip(sides, parts, strict=True)
        ]
        labels = pd.Series(np.concatenate(given), dtype=object)
        clusters = cluster_codes(one_label(labels, units, names))[units]
    x = np.concatenate([part.numbers["x"] for part in parts])
    is_first = np.repeat([1.0, 0.0], [len(part) for part in parts])
    both = np.intersect1d(units[is_first > 0], units[is_first == 0])
    cells = Entries(units, raters, clusters, {"x": x, "first": is_first}, tuple(who))
    return paired_difference(cells.where(np.isin(units, both)), Interval.of(interval))


def _together(sides: list[Coded], parts: list[Entries], what: str) -> tuple[np.ndarray, Any]:
    """Units or raters of both sides as one set of codes, with their names."""
    names = [
        np.asarray(getattr(side, f"{what}s"), dtype=object)[getattr(part, what)]
        for side, part in zip(sides, parts, strict=True)
    ]
    codes, found = pd.factorize(pd.Series(np.concatenate(names), dtype=object), sort=False)
    return codes, found


def pooled_difference(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """Share of the first system − share of the second, each Σ x / Σ of over all its answers."""

    def rows(part: Entries) -> np.ndarray:
        x, of, first = (part.numbers[name] for name in ("x", "of", "first"))
        return part.per_cluster(first * x, first * of, (1 - first) * x, (1 - first) * of)

    return infer_cells(Additive("difference", rows, _gap, reason="no_common_cases"), cells, wish)


def _gap(totals: np.ndarray) -> np.ndarray:
    a, n, b, m = totals.T
    return np.asarray(divide(a, n) - divide(b, m))


def paired_difference(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """Mean of the first system − mean of the second, each case's two means set against each other.

    Cases count the same, however many raters or sentences each system had there.
    """

    def rows(part: Entries) -> np.ndarray:
        x, first = part.numbers["x"], part.numbers["first"]
        sums, clusters = part.per_unit(first * x, first, (1 - first) * x, 1 - first)
        gap = _gap(sums)
        both = np.isfinite(gap)
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes, (np.where(both, gap, 0.0), both.astype(float)))

    size = largest(cells.numbers["x"])
    number = Additive("difference", rows, ratio, reason="no_common_cases", size=size)
    return infer_cells(number, cells, wish)
