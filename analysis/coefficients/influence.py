"""Who and what makes a coefficient: alpha without each rater, and without each unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.coefficients.alpha import alpha_statistic
from analysis.coefficients.statistic import point
from analysis.intervals.raters import without_each_rater
from analysis.ratings.ratings import Coded, name_key, read


def influence(
    ratings: Any,
    level: str | Callable[[Any, Any], float] = "nominal",
    *,
    of: str = "raters",
    scale: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """Alpha without each of the raters or units in turn, and what its leaving changes.

    One row per rater (`of="raters"`), or per unit, the most influential first: its name, the
    estimate without it, change. A rater whose leaving raises alpha is one the others disagree
    with; a unit, one that splits the raters.

    >>> influence([[1, 1, 2], [2, 2, 2], [3, 3, 1]]).round(3)
       rater  estimate  change
    0      0     0.091  -0.294
    1      1     0.091  -0.294
    2      2     1.000   0.615
    """
    if of not in ("raters", "units"):
        raise ValueError(f"of={of!r}: choose raters or units")
    coded = read(ratings, scale)
    statistic = alpha_statistic(level, coded)
    return (_of_raters if of == "raters" else _of_units)(statistic, coded)


def _of_raters(statistic: Any, coded: Coded) -> pd.DataFrame:
    patterns = coded.patterns
    whole = point(statistic, patterns) if len(patterns.codes) else float("nan")
    names = [coded.raters[j] for j in np.flatnonzero(patterns.codes.any(axis=0))]
    without = without_each_rater(statistic, patterns) if names else np.zeros(0)
    return pd.DataFrame({"rater": names, "estimate": without, "change": without - whole})


def _of_units(statistic: Any, coded: Coded) -> pd.DataFrame:
    coded = coded.rows(np.flatnonzero(coded.codes.any(axis=1)))
    codes, inverse = np.unique(coded.codes, axis=0, return_inverse=True)
    weights = np.bincount(inverse.ravel(), minlength=len(codes))
    rows = statistic.sums(codes.astype(np.int32), len(coded.scale))
    total = weights @ rows
    whole = statistic.values(total[None, :])[0] if len(rows) else float("nan")
    without = statistic.values(total - rows)[inverse.ravel()] if len(rows) else np.zeros(0)
    found = pd.DataFrame({"unit": coded.units, "estimate": without, "change": without - whole})
    # Those of equal influence follow their names; what differs by rounding is equal.
    size = np.round(-np.abs(found["change"].to_numpy()), 12)
    place = {unit: i for i, unit in enumerate(sorted(coded.units, key=name_key))}
    order = np.lexsort(([place[unit] for unit in coded.units], size))
    return found.iloc[order].reset_index(drop=True)
