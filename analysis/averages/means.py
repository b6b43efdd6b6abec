"""Means, standard deviations and medians of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.agreement.infer import called
from analysis.agreement.statistic import rows_to_resample
from analysis.averages.answers import Entries, infer_cells, ratio
from analysis.estimate import Estimate
from analysis.intervals import resampling
from analysis.intervals.interval import DRAWN, USUAL, Options, UnitSums, estimated, interval_of
from analysis.intervals.raters import leave_raters_out
from analysis.intervals.resampling import LOG, PLAIN
from analysis.ratings.patterns import find_patterns
from analysis.ratings.ratings import Ratings, read

ROUNDING = 1e-12


def cells_of(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
    confidence: Any = None,
) -> Entries:
    """The answers of a long frame, a table or a plain list of values, one by one.

    With `confidence` they carry it as the number c, NaN where none was given.
    """
    return _one_by_one(
        _read(
            ratings, scale=scale, cluster=cluster, raters=raters, keep=keep, confidence=confidence
        )
    )


def _read(ratings: Any, **given: Any) -> Ratings:
    ratings = gone_through(ratings)
    if is_list(ratings):
        ratings = as_table(ratings)
    coded = read(ratings, **given)
    if coded.labels and not coded.declared and len(coded.scale):
        raise ValueError(
            f"a mean needs numbers and the values are labels ({coded.scale[0]!r}): "
            "pass numbers, or scale=[…] from lowest to highest"
        )
    return coded


def _one_by_one(coded: Ratings) -> Entries:
    unit, rater = np.nonzero(coded.codes)
    x = coded.numbers[coded.codes[unit, rater] - 1] if len(unit) else np.zeros(0)
    clusters = unit if coded.clusters is None else coded.clusters[unit]
    numbers = {"x": x}
    if coded.confidence is not None:
        numbers["c"] = coded.confidence[unit, rater]
    named = coded.units if coded.clusters is None else coded.cluster_names
    return Entries(unit, rater, clusters, numbers, coded.raters, named)


def gone_through(values: Any) -> Any:
    """What can only be gone through once, as a list."""
    return list(values) if isinstance(values, (Iterator, range)) else values


def is_list(ratings: Any) -> bool:
    """Whether these are one rater's values in a row."""
    if isinstance(ratings, (pd.Series, np.ndarray)):
        return ratings.ndim == 1
    if isinstance(ratings, (list, tuple)):
        rows = (list, tuple, np.ndarray)
        return not any(isinstance(v, rows) and v is not np.ma.masked for v in ratings)
    return False


def as_table(values: Any) -> Any:
    """A list of values as a table of one rater, with the labels that a series has."""
    if isinstance(values, pd.Series):
        return values.rename("value").to_frame()
    return [[value] for value in values]


def mean(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> Estimate:
    """The mean of all ratings given; every rating counts the same.

    Without a value when nobody answered.
    """
    coded = _read(ratings, scale=scale, cluster=cluster, raters=raters, keep=keep)
    options = Options(interval, resamples, coverage, seed)
    if interval in DRAWN:
        return mean_of(_one_by_one(coded), options)
    return _mean_of_patterns(coded, options)


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


def _mean_of_patterns(coded: Ratings, options: Options) -> Estimate:
    """The mean of all ratings as `mean_of` has it, without going through them one by one."""
    statistic, patterns = _Mean(coded.numbers), find_patterns(coded)
    answered = np.unique(patterns.answers.rater)
    common: dict[str, Any] = {
        "statistic": "mean",
        "coverage": options.coverage,
        "raters": tuple(coded.raters[rater] for rater in answered),
        "n_units": patterns.n_units,
        "n_raters": len(answered),
        "n_ratings": int(patterns.weights @ patterns.rated),
    }
    if not len(answered):
        return Estimate(None, reason="no_ratings", **common)
    rows, weights = rows_to_resample(statistic, patterns.forget_raters())
    value = float(statistic.values((weights @ rows)[None, :])[0])
    if options.interval is None:
        return Estimate(value, **common)
    with_raters = options.interval == "jackknife" and len(answered) >= 3
    left = leave_raters_out(statistic, patterns) if with_raters else None
    alone = patterns.blocks is None
    sample = UnitSums(
        rows, weights, "clusters", "unit" if alone else "cluster", sizes=rows[:, 1].astype(float)
    )
    found = interval_of(statistic.values, sample, options, link=PLAIN, left=left, edge=None)
    return estimated(
        value,
        found,
        options,
        called=lambda row: called(coded, patterns.forget_raters(), row, exchangeable=True),
        leaving=common["raters"],
        warnings=found.warnings,
        **common,
    )


def mean_of(cells: Entries, options: Options = USUAL) -> Estimate:
    """The mean of the numbers `x`."""
    return infer_cells(
        "mean",
        cells,
        lambda part: part.per_cluster(part.numbers["x"], np.ones(len(part))),
        ratio,
        options,
    )


def sd_of(cells: Entries, options: Options = USUAL) -> Estimate:
    """The sample standard deviation (n − 1) of all ratings."""
    # Squares of numbers far from zero would cancel, so they are taken around the mean.
    middle = float(cells.numbers["x"].mean()) if len(cells) else 0.0

    def rows(part: Entries) -> np.ndarray:
        x = part.numbers["x"] - middle
        return part.per_cluster(x, x**2, np.ones(len(part)))

    return infer_cells("sd", cells, rows, _deviation, options, link=LOG, reason="too_few_units")


def _deviation(totals: np.ndarray) -> np.ndarray:
    total, squares, n = totals.T
    spread = squares - total**2 / np.maximum(n, 1)
    # Of equal values the two differ by rounding, which is no spread.
    spread = np.where(spread > ROUNDING * squares, spread, 0.0)
    return np.where(n > 1, np.sqrt(spread / np.maximum(n - 1, 1)), np.nan)


def median_of(cells: Entries, options: Options = USUAL) -> Estimate:
    """The median of all ratings; its interval is a percentile bootstrap whatever was asked.

    The jackknife of a median does not converge, so it is not offered.
    """
    points = np.unique(cells.numbers["x"])

    def rows(part: Entries) -> np.ndarray:
        place = np.searchsorted(points, part.numbers["x"])
        return part.per_cluster(*(1.0 * (place == k) for k in range(len(points))))

    def middle(totals: np.ndarray) -> np.ndarray:
        return _median(totals, points)

    found = infer_cells("median", cells, rows, middle, replace(options, interval=None))
    if options.interval is None or found.value is None or len(points) > 500:
        return found
    if len(points) == 1:
        return replace(found, reason="no_spread_for_interval")
    sums = rows(cells)
    seed, resamples = options.seed, options.resamples
    weights = np.ones(len(sums), dtype=np.int64)
    drawn = resampling.draw(middle, sums, weights, resamples, seed)
    ends = resampling.percentile(drawn, options.coverage)
    method = f"percentile bootstrap over {len(sums)} clusters, {resamples} draws, seed {seed}"
    if ends is None or len(sums) < 3:
        return replace(found, reason="too_few_units_for_interval")
    return replace(found, low=ends[0], high=ends[1], method=method, seed=seed)


def _median(totals: np.ndarray, points: np.ndarray) -> np.ndarray:
    reached = np.cumsum(totals, axis=1)
    n = reached[:, -1:]
    below = (reached < np.floor((n + 1) / 2)).sum(axis=1)
    above = (reached < np.ceil((n + 1) / 2)).sum(axis=1)
    last = len(points) - 1
    return np.asarray((points[np.minimum(below, last)] + points[np.minimum(above, last)]) / 2)


def sd(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> Estimate:
    """The sample standard deviation (n − 1) of all ratings given."""
    cells = cells_of(ratings, scale=scale, cluster=cluster, raters=raters, keep=keep)
    return sd_of(cells, Options(interval, resamples, coverage, seed))


def median(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> Estimate:
    """The median of all ratings given, with a bootstrap's interval."""
    cells = cells_of(ratings, scale=scale, cluster=cluster, raters=raters, keep=keep)
    return median_of(cells, Options(interval, resamples, coverage, seed))
