"""Means, standard deviations and medians of ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from raterbook.analysis.averages import Additive, Entries, infer_cells, ratio
from raterbook.analysis.coefficients import rows_to_resample
from raterbook.analysis.coefficients.infer import are_groups, called, nameless
from raterbook.analysis.estimate import Estimate
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
    with_raters = wish.method == "jackknife" and len(answered) >= 3
    left = leave_raters_out(statistic, patterns) if with_raters else None
    alone = patterns.blocks is None
    sample = UnitSums(
        rows,
        weights,
        "clusters",
        "unit" if alone else "cluster",
        sizes=rows[:, 1].astype(float),
        size=largest(coded.numbers),
    )
    found = interval_of(statistic.values, sample, wish, link=PLAIN, left=left, edge=None)
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

    size = largest(cells.numbers["x"] - middle)
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
