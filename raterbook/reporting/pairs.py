"""Two raters at a time: how often they agree, which values they confuse, and who copied.

Two whose answers are one another's are named where they agree far beyond what the other pairs do
(their median) and what their own habits make of chance. Both are exact binomial tests over the
items they share, corrected for all pairs; answers to several questions on one item count as one
draw, so that they are not taken for more evidence than they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..numbers.counted import Counted, codes, settled_of

FEWEST = 30  # items two raters share, before their being alike says anything
RISK = 0.001  # of naming any pair of raters by chance
BOUND = 0.05  # of the bound on how often two are apart
SELDOM = 5  # times less often apart than other pairs, by that bound


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
    return settled_of(counted.table(question), final)


@dataclass(frozen=True)
class Copies:
    """Two raters, how many answers they share and how many of these are the same.

    `usual` is the share that is the same between other pairs; None where there is no other pair.
    """

    first: str
    second: str
    same: int
    shared: int
    items: int
    usual: float | None

    @property
    def identical(self) -> bool:
        return self.same == self.shared


def copies(counted: Counted, questions: Iterable[Any]) -> list[Copies]:
    """The pairs of raters who agree too well, the most alike first."""
    answers = counted.people["rater"].value_counts()
    names = sorted(answers[answers >= FEWEST].index)
    asked = [question for question in questions if len(counted.of(question.id))]
    if len(names) < 2 or not asked:
        return []
    pairs = met(counted, asked, names)
    if not len(pairs):
        return []
    risk = RISK / len(pairs)
    share = pairs["same"] / pairs["shared"]
    found = []
    for at, pair in enumerate(pairs.itertuples()):
        # As many draws as items: the answers to one item's questions hang together.
        alike = int(share[at] * pair.items + 1e-9)
        if above(alike, pair.items, pair.chance) > risk:
            continue
        rest = share.drop(at)
        usual = float(rest.median()) if len(rest) else None
        if usual is None and pair.same < pair.shared:
            continue
        if usual is not None and not is_beyond(alike, pair.items, usual, risk):
            continue
        who = names[pair.first], names[pair.second]
        found.append(Copies(*who, pair.same, pair.shared, pair.items, usual))
    return sorted(found, key=lambda each: (-each.same / each.shared, each.first, each.second))


def met(counted: Counted, questions: list[Any], names: list[str]) -> pd.DataFrame:
    """first, second, same, shared, items, chance of all pairs that share enough items.

    `chance` is the share that would be the same if each gave the labels as often as they do,
    but anywhere. Sparse: of a crowd only those are pairs who met.
    """
    from scipy import sparse

    place = {name: at for at, name in enumerate(names)}
    shape = (len(names), len(names))
    same, shared, chance, items = (sparse.csr_matrix(shape) for _ in range(4))
    for question in questions:
        rows = counted.of(question.id)
        given, rater = codes(rows, question), rows["rater"].map(place).to_numpy(float)
        kept = np.isfinite(given) & np.isfinite(rater)
        unit = pd.factorize(rows["unit"])[0]

        def table(cells: np.ndarray, rater: Any = rater, unit: Any = unit) -> Any:
            at = rater[cells].astype(int), unit[cells]
            wide = int(unit.max(initial=0)) + 1
            return sparse.csr_matrix((np.ones(cells.sum()), at), (len(names), wide))

        there = table(kept)
        both = there @ there.T
        expected = sparse.csr_matrix(shape)
        for value in np.unique(given[kept]):
            chosen = table(kept & (given == value))
            same = same + chosen @ chosen.T
            own = chosen @ there.T  # how often each of two gives it on what they share
            expected = expected + own.multiply(own.T)
        shared, items = shared + both, items.maximum(both)
        chance = chance + expected.multiply(both.power(-1))
    found = sparse.coo_matrix(sparse.triu(items, 1))
    kept = found.data >= FEWEST
    if not kept.any():
        return pd.DataFrame(columns=["first", "second", "same", "shared", "chance", "items"])
    at = found.row[kept], found.col[kept]
    of = {
        name: np.asarray(table.tocsr()[at]).ravel()
        for name, table in (("same", same), ("shared", shared), ("chance", chance))
    }
    pairs = pd.DataFrame({"first": at[0], "second": at[1], **of, "items": found.data[kept]})
    pairs["chance"] /= pairs["shared"]
    return pairs.astype({"same": int, "shared": int, "items": int})


def is_beyond(count: int, n: int, usual: float, risk: float) -> bool:
    """Whether a pair is apart so seldom that other pairs' agreement does not explain it.

    Not by chance, and not as two good raters beside a poor one are alike: even the upper bound of
    how often they are apart is a fifth of the usual, and what was seen of it a tenth.
    """
    apart = 1 - usual
    return (
        above(count, n, usual) <= risk
        and (1 - least(count, n, BOUND)) * SELDOM <= apart
        and (1 - count / n) * 2 * SELDOM <= apart
    )


def above(count: int, n: int, share: float) -> float:
    """The chance of so many or more of n."""
    from scipy.special import bdtrc

    return 1.0 if count <= 0 else float(bdtrc(count - 1, n, min(share, 1.0)))


def least(count: int, n: int, risk: float) -> float:
    """The lower Clopper–Pearson bound of a share at this risk."""
    from scipy.special import betaincinv

    return 0.0 if count <= 0 else float(betaincinv(count, n - count + 1, risk))
