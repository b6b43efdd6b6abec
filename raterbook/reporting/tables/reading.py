"""The items on which raters differ most: those worth reading first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted, codes
from .pairs import settled


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
    theirs = settled(counted, question)
    rows = counted.given[counted.given["rater"].eq(machine)]
    own = counted.table(question, rows)
    if not len(own):
        return pd.DataFrame(columns=["unit", "people", "machine"])
    both = pd.concat([theirs, own.iloc[:, 0]], axis=1, keys=["people", "machine"]).dropna()
    both = both[both["people"] != both["machine"]].sort_index()
    return both.rename_axis("unit").reset_index()


def answers_to(
    counted: Counted, place: tuple[str, int], case: str, texts: pd.DataFrame
) -> pd.DataFrame:
    """rater, rater_kind, question, value: all that was said about a unit.

    With it what was said of the whole it belongs to in words, and of the same part of its case.
    """
    name, part = place
    given = counted.given
    rows = given[given["subject"].isin([name, case]) & given["part"].fillna(0).eq(part)]
    said = texts[texts["subject"].eq(name) & texts["part"].fillna(0).isin([0, part])]
    found = pd.concat([rows, said])[["rater", "rater_kind", "question", "value"]]
    return found.drop_duplicates(["rater", "question"]).sort_values(["rater_kind", "rater"])


def worth(
    counted: Counted,
    apart: pd.Series,
    texts: pd.DataFrame,
    machine: tuple[str, Any] | None = None,
) -> pd.Series:
    """How much a unit has to tell: disagreement, comments, and a machine that differs."""
    total = apart.copy()
    if len(texts):
        notes = texts.groupby("unit").size().reindex(total.index).fillna(0)
        total += 0.02 * notes.clip(upper=3)
    if machine is not None:
        wrong = against_machine(counted, machine[1], machine[0])["unit"]
        total[total.index.isin(wrong)] += 0.25
    names = total.index.to_numpy(dtype=object).astype(str)
    return total.iloc[np.lexsort((names, -total.round(9).to_numpy()))]


def range_of(counted: Counted, unit: str, questions: list[Any]) -> tuple[Any, list[str]] | None:
    """The question on which a unit's raters differ most, and the values they gave, in order.

    As in `disagreements`: by shares of the scale, or of the raters outside the commonest label.
    """
    rows = counted.people[counted.people["unit"].eq(unit)]
    best: tuple[float, Any, list[str]] | None = None
    for question in questions:
        own = rows[rows["question"].eq(question.id)]
        found = codes(own, question)
        given, many = np.unique(found[np.isfinite(found)], return_counts=True)
        if len(given) < 2:
            continue
        if question.is_numeric:  # 20 in a hundred are less than one level of five
            width = float(given[-1] - given[0]) / (question.max - question.min)
        else:
            width = float(1 - many.max() / many.sum())
        if best is None or width > best[0]:
            names = [f"{value:g}" for value in given]
            if not question.is_numeric:
                names = [str(question.values[int(value)]) for value in given]
            best = (width, question, names)
    return None if best is None else best[1:]
