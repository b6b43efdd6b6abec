"""Who rates high and who rates low, and how the ratings spread over the scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.averages.answers import Entries, add_up, infer_cells, ratio
from analysis.averages.means import cells_of
from analysis.intervals.interval import Options
from analysis.ratings.patterns import count_values
from analysis.ratings.ratings import read


def rater_severity(
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
) -> pd.DataFrame:
    """How far each rater lies above (lenient) or below (severe) the others on the same units.

    One row per rater: mean, estimate (mean of own rating − mean of the others'), low, high,
    n_units and n_ratings; None where a rater shares no unit.
    """
    cells = cells_of(ratings, scale=scale, cluster=cluster, raters=raters, keep=keep)
    apart = _from_others(cells)
    options = Options(interval, resamples, coverage, seed)
    found = []
    for rater in np.unique(cells.rater):
        own = cells.numbers["x"][cells.rater == rater]
        estimate = infer_cells(
            "severity",
            apart.where(apart.rater == rater),
            lambda part: part.per_cluster(part.numbers["gap"], np.ones(len(part))),
            ratio,
            options,
            reason="no_pairable_units",
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
    _, units = np.unique(cells.unit, return_inverse=True)
    sums = add_up(units, (x, np.ones(len(cells))))[units]
    met = sums[:, 1] > 1
    rest = (sums[:, 0] - x) / np.where(met, sums[:, 1] - 1, 1)
    return Entries(cells.unit, cells.rater, cells.cluster, {"gap": x - rest}, cells.raters).where(
        met
    )


def distribution(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> pd.DataFrame:
    """How often each value was given: rater (None for all), value, n, share."""
    coded = read(ratings, scale=scale, raters=raters, keep=keep)
    q = len(coded.scale)
    counts = np.array([count_values(coded.codes[:, [j]], q).sum(axis=0) for j in _each(coded)])
    counts = counts.reshape(len(coded.raters), q)
    rows = []
    for name, own in [(None, counts.sum(axis=0)), *zip(coded.raters, counts, strict=True)]:
        total = own.sum()
        for value, n in zip(coded.scale, own, strict=True):
            share = float(n / total) if total else None
            rows.append({"rater": name, "value": value, "n": int(n), "share": share})
    return pd.DataFrame(rows, columns=["rater", "value", "n", "share"])


def _each(coded: Any) -> range:
    return range(len(coded.raters))


def confusion(ratings: Any, first: Any, second: Any, *, scale: Any = None) -> pd.DataFrame:
    """How two raters' values meet: rows are the first one's values, columns the second's."""
    coded = read(ratings, scale=scale).only([first, second])
    q = len(coded.scale)
    both = coded.codes[coded.codes.all(axis=1)].astype(int)
    counts = np.bincount((both[:, 0] - 1) * q + both[:, 1] - 1, minlength=q * q)
    table = pd.DataFrame(counts.reshape(q, q), index=list(coded.scale), columns=list(coded.scale))
    return table.rename_axis(index=str(first), columns=str(second))
