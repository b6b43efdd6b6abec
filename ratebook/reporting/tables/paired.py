"""Which system is ahead by a mean over several questions, and without each rater in turn."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .counted import Counted


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
