"""The items on which raters differ most: those worth reading first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted
from .pairs import consensus


def disagreements(counted: Counted, questions: list[Any]) -> pd.Series:
    """Unit → how far its raters are apart, summed over questions, the widest first.

    For a scale the distance between highest and lowest answer, as a share of the scale; for
    labels the share of raters outside the commonest one. Units with one rater are not listed.
    """
    found: list[pd.Series] = []
    for question in questions:
        table = counted.table(question)
        cells = table.to_numpy(float)
        many = np.isfinite(cells).sum(axis=1)
        if question.is_numeric:
            apart = (fold(cells, np.fmax) - fold(cells, np.fmin)) / (question.max - question.min)
        else:
            top = np.zeros(len(cells))
            for value in np.unique(cells[np.isfinite(cells)]):
                top = np.maximum(top, (cells == value).sum(axis=1))
            apart = 1 - top / np.maximum(many, 1)
            if question.level == "ordinal":
                width = (fold(cells, np.fmax) - fold(cells, np.fmin)) / (len(question.values) - 1)
                apart = (apart + width) / 2
        found.append(pd.Series(apart, index=table.index)[many >= 2])
    if not found:
        return pd.Series(dtype=float)
    total = pd.concat(found, axis=1).sum(axis=1)
    order = np.lexsort((total.index.to_numpy(dtype=object).astype(str), -total.to_numpy()))
    total = total.iloc[order]
    return total[total > 0]


def fold(cells: np.ndarray, how: Any) -> np.ndarray:
    """Highest or lowest of each row, missing ones left out."""
    return how.reduce(cells, axis=1) if cells.size else np.zeros(len(cells))


def against_machine(counted: Counted, question: Any, machine: str) -> pd.DataFrame:
    """unit, people, machine (codes): where the people's consensus and a machine label differ."""
    theirs = consensus(counted.table(question))
    rows = counted.given[counted.given["rater"].eq(machine)]
    own = counted.table(question, rows)
    if not len(own):
        return pd.DataFrame(columns=["unit", "people", "machine"])
    both = pd.concat([theirs, own.iloc[:, 0]], axis=1, keys=["people", "machine"]).dropna()
    both = both[both["people"] != both["machine"]].sort_index()
    return both.rename_axis("unit").reset_index()


def answers_to(counted: Counted, unit: str, texts: pd.DataFrame) -> pd.DataFrame:
    """rater, rater_kind, question, value of everything said about a unit and the whole it is in."""
    whole = unit.split(" · ")[0]
    rows = counted.given[counted.given["unit"].eq(unit)]
    said = texts[texts["unit"].isin([unit, whole])]
    found = pd.concat([rows, said])[["rater", "rater_kind", "question", "value"]]
    return found.drop_duplicates(["rater", "question"]).sort_values(["rater_kind", "rater"])
