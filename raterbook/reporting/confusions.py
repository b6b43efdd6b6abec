"""Two raters at a time: how often they agree, and which values they confuse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ..numbers.counted import Counted, codes, majority_of


def agreement_matrix(counted: Counted, questions: Iterable[Any]) -> pd.DataFrame:
    """Rater × rater: the share of their common answers that are the same, over these questions."""
    # Of a crowd's pairs most never met, so that full products would multiply zeros.
    from scipy.sparse import csr_array

    names = counted.raters()
    same = np.zeros((len(names), len(names)))
    both = same.copy()
    for question in questions:
        cells = counted.table(question).reindex(columns=names).to_numpy(float)
        for value in np.unique(cells[np.isfinite(cells)]):
            chosen = csr_array((cells == value).astype(float))
            same += chosen.T @ chosen
        there = csr_array(np.isfinite(cells).astype(float))
        both += there.T @ there
    found = np.divide(same, both, out=np.full_like(same, np.nan), where=both > 0)
    np.fill_diagonal(found, np.nan)
    return pd.DataFrame(found, index=names, columns=names)


def defined_pairs(counted: Counted, question: Any) -> tuple[int, int, int]:
    """How many pairs of raters have a κ of their own, how many there could be, and the units that
    those who share any have in common, by the median.

    Those have a κ who share a unit and do not give one and the same value throughout.
    """
    from scipy import sparse

    rows = counted.of(question.id)
    given = codes(rows, question)
    rows, given = rows[np.isfinite(given)], given[np.isfinite(given)]
    rater, raters = pd.factorize(rows["rater"])
    unit, units = pd.factorize(rows["unit"])

    def shared(chosen: np.ndarray) -> Any:
        at = rater[chosen], unit[chosen]
        table = sparse.csr_matrix((np.ones(chosen.sum()), at), (len(raters), len(units)))
        return sparse.triu(table @ table.T, 1, format="csr")

    both = shared(np.isfinite(given))
    found = both.nnz
    for value in np.unique(given):
        other = both - shared(given == value)
        other.eliminate_zeros()
        found -= both.nnz - other.nnz
    common = int(np.median(both.data)) if both.nnz else 0
    return found, len(raters) * (len(raters) - 1) // 2, common


def confusions(counted: Counted, questions: list[Any]) -> pd.DataFrame:
    """Value × value: how many pairs of raters gave the one and the other; symmetric."""
    scale = list(questions[0].values)
    counts = np.zeros((len(scale), len(scale)))
    for question in questions:
        cells = counted.table(question).to_numpy(float)
        places = [float(v) for v in scale] if question.is_numeric else list(range(len(scale)))
        per_unit = np.stack([(cells == place).sum(axis=1) for place in places], axis=1)
        counts += per_unit.T.astype(float) @ per_unit
        # A rater is not a pair with themselves.
        counts -= np.diag(per_unit.sum(axis=0))
    return pd.DataFrame(counts, index=scale, columns=scale)


def worst_pair(table: pd.DataFrame) -> tuple[Any, Any, float, int] | None:
    """The two values confused most, their share of all disagreeing pairs, and these pairs."""
    cells = table.to_numpy()
    apart = np.triu(cells, 1)
    total = float(apart.sum())
    if not total:
        return None
    row, column = np.unravel_index(int(apart.argmax()), apart.shape)
    return table.index[row], table.columns[column], float(apart[row, column] / total), int(total)


def commonest(table: pd.DataFrame) -> list[tuple[str, str, int]]:
    """Row, column, count of the largest cell off the diagonal; all of them where several tie."""
    cells = table.to_numpy(copy=True)
    np.fill_diagonal(cells, 0)
    most = int(cells.max(initial=0))
    if not most:
        return []
    return [
        (str(table.index[row]), str(table.columns[column]), most)
        for row, column in np.argwhere(cells == most)
    ]


def crossed(first: pd.Series, second: pd.Series, scale: list[Any]) -> pd.DataFrame:
    """Value × value of two label series over the same units, in the order of the scale."""
    both = pd.concat([first, second], axis=1, keys=["first", "second"]).dropna()
    counts = np.zeros((len(scale), len(scale)), dtype=int)
    np.add.at(counts, (both["first"].astype(int), both["second"].astype(int)), 1)
    return pd.DataFrame(counts, index=scale, columns=scale)


def settled(counted: Counted, question: Any) -> pd.Series:
    """The people's label of each unit: the adjudicators' where they settled it, else consensus."""
    given = counted.given
    final = counted.table(question, given[given["rater_kind"].eq("adjudicator")])
    theirs = majority_of(counted.table(question))
    return majority_of(final).combine_first(theirs) if len(final) else theirs
