"""Means, standard deviations and medians of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis import bootstrap
from analysis.cells import Cells, infer_cells, ratio
from analysis.estimate import Estimate
from analysis.links import LOG
from analysis.options import USUAL, Options
from analysis.ratings import read


def cells_of(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
    confidence: Any = None,
) -> Cells:
    """The answers of a long frame, a table or a plain list of values, one by one.

    With `confidence` they carry it as the number c, NaN where none was given.
    """
    if is_list(ratings):
        ratings = as_table(ratings)
    coded = read(
        ratings, scale=scale, cluster=cluster, raters=raters, keep=keep, confidence=confidence
    )
    if coded.labels and not coded.declared and len(coded.scale):
        raise ValueError(
            f"a mean needs numbers and the values are labels ({coded.scale[0]!r}): "
            "pass numbers, or scale=[…] from lowest to highest"
        )
    unit, rater = np.nonzero(coded.codes)
    x = coded.numbers[coded.codes[unit, rater] - 1] if len(unit) else np.zeros(0)
    clusters = unit if coded.clusters is None else coded.clusters[unit]
    numbers = {"x": x}
    if coded.confidence is not None:
        numbers["c"] = coded.confidence[unit, rater]
    return Cells(unit, rater, clusters, numbers, coded.raters)


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
    cells = cells_of(ratings, scale=scale, cluster=cluster, raters=raters, keep=keep)
    return mean_of(cells, Options(interval, resamples, coverage, seed))


def mean_of(cells: Cells, options: Options = USUAL) -> Estimate:
    """The mean of the numbers `x`."""
    return infer_cells(
        "mean",
        cells,
        lambda part: part.per_cluster(part.numbers["x"], np.ones(len(part))),
        ratio,
        options,
    )


def sd_of(cells: Cells, options: Options = USUAL) -> Estimate:
    """The sample standard deviation (n − 1) of all ratings."""
    # Squares of numbers far from zero would cancel, so they are taken around the mean.
    middle = float(cells.numbers["x"].mean()) if len(cells) else 0.0

    def rows(part: Cells) -> np.ndarray:
        x = part.numbers["x"] - middle
        return part.per_cluster(x, x**2, np.ones(len(part)))

    return infer_cells("sd", cells, rows, _deviation, options, link=LOG, reason="too_few_units")


def _deviation(totals: np.ndarray) -> np.ndarray:
    total, squares, n = totals.T
    spread = squares - total**2 / np.maximum(n, 1)
    return np.where(n > 1, np.sqrt(np.maximum(spread, 0) / np.maximum(n - 1, 1)), np.nan)


def median_of(cells: Cells, options: Options = USUAL) -> Estimate:
    """The median of all ratings; its interval is a percentile bootstrap whatever was asked.

    The jackknife of a median does not converge, so it is not offered.
    """
    points = np.unique(cells.numbers["x"])

    def rows(part: Cells) -> np.ndarray:
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
    drawn = bootstrap.draw(middle, sums, weights, resamples, seed)
    ends = bootstrap.percentile(drawn, options.coverage)
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
    return (points[np.minimum(below, last)] + points[np.minimum(above, last)]) / 2


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
