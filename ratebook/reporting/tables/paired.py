"""Two systems on the same cases, by a mean over several questions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .counted import Counted
from .lean import margin


def overall_gap(
    counted: Counted, column: str, first: str, second: str, cluster: str | None = None
) -> tuple[float, float, float] | None:
    """Mean score of one system minus another's over common cases, with its interval.

    Cases of one cluster are resampled together, as everywhere.
    """
    per_case = case_means(counted, column)
    if first not in per_case or second not in per_case:
        return None
    gaps = (per_case[first] - per_case[second]).dropna()
    groups = gaps.index
    if cluster is not None:
        rows = counted.people.drop_duplicates("case")
        owner = rows.set_index(rows["case"].astype(str))[cluster].astype(object)
        groups = owner.reindex(gaps.index).astype(str)
    if len(set(groups)) < 2:
        return None
    middle = float(gaps.mean())
    residual = (gaps - middle).groupby(np.asarray(groups)).sum().to_numpy()
    # The mean of the clusters' sums, scaled: with one case a cluster this is the t interval.
    half = margin(residual) * len(residual) / len(gaps)
    return middle, middle - half, middle + half


def case_means(counted: Counted, column: str) -> pd.DataFrame:
    """Case × system: the mean of all scores on integer scales."""
    ids = [question.id for question in counted.numeric() if question.values]
    rows = counted.people[counted.people["question"].isin(ids)]
    keys = [rows["case"].astype(str), rows[column].astype(str)]
    return rows["number"].astype(float).groupby(keys).mean().unstack()


def leaders(counted: Counted, column: str) -> dict[str, str]:
    """Rater → the system that is ahead when this rater is left out; "" stands for nobody."""
    found = {}
    for rater in ("", *counted.raters()):
        rest = counted.people[counted.people["rater"].ne(rater)]
        means = case_means(Counted(rest, rest, counted.kind, counted.questions), column).mean()
        if len(means) and np.isfinite(means).any():
            found[rater] = str(means.idxmax())
    return found
