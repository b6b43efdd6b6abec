"""Means weighted by the raters' stated confidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.cells import Cells, add_up, infer_cells, ratio
from analysis.estimate import Estimate
from analysis.jackknife import t_interval
from analysis.labels import as_numbers
from analysis.links import PLAIN
from analysis.means import as_table, cells_of, gone_through, is_list
from analysis.options import USUAL, Options
from analysis.ratings import is_long

NONE_GIVEN = "no confidences: give a column confidence, or one confidence for each value"


def weighted_mean(
    values: Any,
    confidence: Any = None,
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
    """Σ c·x / Σ c: the mean in which surer answers count more.

    `values` and `confidence` are lists of equal length, or `values` is a long frame with the
    columns unit, rater, value and confidence. Answers without a confidence are left out. Without
    a value when no answer has one, or all are zero.

    >>> weighted_mean([4, 5, 3], [1.0, 0.8, 0.5], interval=None)
    <weighted_mean: 4.1304; 3 units, 1 raters, 3 ratings>
    """
    cells = confident_cells(
        values, confidence, scale=scale, cluster=cluster, raters=raters, keep=keep
    )
    return weighted_mean_of(cells, Options(interval, resamples, coverage, seed))


def confident_cells(
    values: Any,
    confidence: Any = None,
    *,
    scale: Sequence[Any] | None = None,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> Cells:
    """Answers with the numbers x and c; c is NaN where no confidence was given."""
    values = gone_through(values)
    if isinstance(values, pd.DataFrame) and is_long(values):
        if "confidence" not in values.columns:
            values = values.assign(confidence=_in_rows(confidence, values))
        elif confidence is not None:
            raise ValueError("there are a column confidence and confidence=: give one of them")
        confidence = "confidence"
    elif confidence is None:
        raise ValueError(NONE_GIVEN)
    elif is_list(values):
        confidence = as_table(_in_rows(confidence, values))
        if len(confidence) != len(values):
            raise ValueError(
                f"{len(values)} values and {len(confidence)} confidences: give one for each"
            )
    return cells_of(
        values, scale=scale, cluster=cluster, raters=raters, keep=keep, confidence=confidence
    )


def _in_rows(confidence: Any, values: Any) -> Any:
    """One confidence per row: by the labels where both have some, else by place."""
    if confidence is None:
        raise ValueError(NONE_GIVEN)
    if isinstance(confidence, pd.DataFrame):
        raise ValueError("a frame of confidences beside a long frame: put them into a column")
    if not isinstance(confidence, pd.Series):
        given = confidence if isinstance(confidence, np.ndarray) else list(confidence)
        if isinstance(values, pd.DataFrame):
            if len(given) != len(values):
                raise ValueError(
                    f"{len(values)} values and {len(given)} confidences: give one for each"
                )
            return pd.Series(as_numbers(given, "confidence"), index=values.index)
        return given
    if not isinstance(values, (pd.Series, pd.DataFrame)) or confidence.index.equals(values.index):
        return confidence
    if confidence.index.has_duplicates:
        twice = confidence.index[confidence.index.duplicated()][0]
        raise ValueError(f"the confidences have the label {twice} twice")
    lost = values.index[~values.index.isin(confidence.index)]
    if len(lost):
        raise ValueError(f"the confidences have no {lost[0]}: they are matched by their labels")
    return confidence.reindex(values.index)


def weighted_mean_of(cells: Cells, options: Options = USUAL) -> Estimate:
    """Σ c·x / Σ c over the answers that carry a confidence."""
    given, warnings = with_confidence(cells)

    def rows(part: Cells) -> np.ndarray:
        c, x = part.numbers["c"], part.numbers["x"]
        return part.per_cluster(c * x, c)

    reason = "zero_weight" if len(given) else "no_confidence"
    found = infer_cells(
        "weighted_mean",
        given,
        rows,
        ratio,
        options,
        reason=reason,
        warnings=warnings,
    )
    if options.interval != "analytic" or found.value is None or found.low is None:
        return found
    return _linearised(found, rows(given))


def _linearised(found: Estimate, rows: np.ndarray) -> Estimate:
    """The interval from Σ (c (x − mean))² over clusters, which is least squares' HC0."""
    assert found.value is not None
    gaps = rows[:, 0] - found.value * rows[:, 1]
    variance = float((gaps**2).sum() / rows[:, 1].sum() ** 2)
    low, high = t_interval(found.value, variance, len(rows) - 1, found.coverage, PLAIN)
    method = f"linearised over {len(rows)} clusters, t"
    return replace(found, low=low, high=high, se=float(np.sqrt(variance)), method=method)


def weighted_mean_within_of(cells: Cells, options: Options = USUAL) -> Estimate:
    """Items count the same; within one, each rater weighs by confidence over their own mean.

    So neither raters who are always sure nor items that make everyone sure pull the mean.
    """
    given, warnings = with_confidence(cells)
    if len(given):
        own = add_up(given.rater, (given.numbers["c"], np.ones(len(given))))
        typical = np.divide(own[:, 0], own[:, 1], out=np.ones(len(own)), where=own[:, 0] > 0)
        relative = given.numbers["c"] / typical[given.rater]
        given = Cells(
            given.unit,
            given.rater,
            given.cluster,
            {"x": given.numbers["x"], "c": relative},
            given.raters,
        )

    def rows(part: Cells) -> np.ndarray:
        c, x = part.numbers["c"], part.numbers["x"]
        sums, clusters = part.per_unit(c * x, c)
        weighed = sums[:, 1] > 1e-12
        inside = np.divide(sums[:, 0], sums[:, 1], out=np.zeros(len(sums)), where=weighed)
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes, (inside, weighed.astype(float)))

    reason = "zero_weight" if len(given) else "no_confidence"
    return infer_cells(
        "weighted_mean_within",
        given,
        rows,
        ratio,
        options,
        reason=reason,
        warnings=warnings,
    )


def with_confidence(cells: Cells) -> tuple[Cells, tuple[str, ...]]:
    """The answers that carry a confidence, and a warning where some do not."""
    c = cells.numbers["c"]
    if (c < 0).any():
        raise ValueError(f"confidence {c[c < 0][0]:g} is negative: give 0 to 100")
    has = np.isfinite(c)
    left_out = ("answers_without_confidence",) if has.any() and not has.all() else ()
    return cells.where(has), left_out
