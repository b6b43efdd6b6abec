"""Every α and κ once more, by packages that share no code with ours.

krippendorff (GPL) recomputes α and is called nowhere else; statsmodels recomputes κ. What neither
can express says why, and so does every other coefficient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import raterbook.analysis as analysis
from raterbook.numbers.counted import Board, Scale, majority_of, recoded, settled_of
from raterbook.numbers.number import address
from raterbook.protocols.comparisons import facts
from raterbook.rounds.consensus import ADJUDICATOR

TOLERANCE = 1e-9
MOST_RATERS = 60
# Of coefficients that no package a report installs computes; the tests of analysis/ hold them.
PUBLISHED = "no installed package computes it; our tests hold it to published tables"

Row = Mapping[str, Any]
# A package's value, why it has none, and ours where it is of other units than the row's.
Recomputed = tuple[float | None, str | None, float | None]


def checks(
    frame: pd.DataFrame,
    rows: Iterable[Row],
    measures: Iterable[Mapping[str, Any]],
    questions: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """One entry for each coefficient among the rows: the package, its value, whether it agrees."""
    recodes = {
        new: (str(np.ravel(measure["question"])[0]), groups)
        for measure in measures
        for new, groups in (measure.get("recode") or {}).items()
    }
    rated = Rated(Board(frame, questions), recodes)
    return [check(row, rated) for row in rows if facts(row["statistic"]).is_coefficient]


def check(row: Row, rated: Rated) -> dict[str, Any]:
    package = facts(row["statistic"]).package
    value, reason, ours = None, PUBLISHED if row["estimate"] is not None else None, None
    if package is not None:
        value, reason, ours = RECOMPUTE[row["statistic"]](row, rated)
    ours = row["estimate"] if ours is None else ours
    agrees: bool | None = None
    if value is not None and ours is not None:
        agrees = bool(abs(value - ours) <= TOLERANCE)
    elif value is not None:
        agrees, reason = False, f"ours is undefined: {row['reason']}"
    elif ours is None:
        reason = row["reason"] or reason
    return {
        "number": address(row),
        "package": package,
        "value": value,
        "agrees": agrees,
        "reason": reason,
    }


@dataclass
class Rated:
    """The answers the numbers are made of, as units × raters tables of what packages take."""

    board: Board
    recodes: Mapping[str, tuple[str, Mapping[str, Any]]]
    known: dict[str, pd.DataFrame] = field(default_factory=dict)

    def table(self, row: Row) -> pd.DataFrame:
        """The answers of those who count in this row; several coefficients look at the same."""
        key = repr((row["question"], row["group"], row["raters"]))
        if key not in self.known:
            self.known[key] = self.of(row, self.columns(row))
        return self.known[key]

    def columns(self, row: Row) -> np.ndarray:
        """Those of a kind, or of these names."""
        who = row["raters"]
        if isinstance(who, list | tuple):
            return np.flatnonzero(np.isin(self.board.raters, list(who)))
        return self.board.columns_of(str(who or "human"))

    def of(self, row: Row, columns: np.ndarray) -> pd.DataFrame:
        scale, codes = self.coded(row)
        mask = self.board.everything.copy()
        for column, value in (row["group"] or {}).items():
            if column in self.board.first.columns:
                mask &= self.board.first[column].astype(str).eq(str(value)).to_numpy()
        cells = np.append(np.nan, scale.numbers)[codes[np.ix_(mask, columns)]]
        names = [self.board.raters[column] for column in columns]
        found = pd.DataFrame(cells, index=np.flatnonzero(mask), columns=names)
        return found.dropna(how="all").dropna(axis=1, how="all")

    def coded(self, row: Row) -> tuple[Scale, np.ndarray]:
        question, groups = self.recodes.get(row["question"], (row["question"], None))
        grid = self.board.grid(question)
        if groups is None:
            return grid.scale, grid.codes
        return recoded(grid.scale, grid.codes, groups)

    def scale(self, row: Row) -> list[float]:
        """The declared values and those that anybody who counts gave."""
        scale, codes = self.coded(row)
        given = np.unique(codes[:, self.columns(row)])
        asked = self.board.questions.get(row["question"], {}).get("scale") or ()
        declared = [scale.code(value) for value in asked]
        every = range(1, len(scale.values) + 1)
        used = every if scale.labels else sorted({*given.tolist(), *declared} - {0})
        return [float(scale.numbers[code - 1]) for code in used]


def alpha(row: Row, rated: Rated) -> Recomputed:
    import krippendorff

    table = rated.table(row).to_numpy(float)
    pairable = np.isfinite(table).sum(axis=1) >= 2
    values = table[pairable][np.isfinite(table[pairable])]
    if len(np.unique(values)) < 2:
        return None, "no variation: the package refuses a single value", None
    level: Any = facts(row["statistic"]).levels[0]
    return float(krippendorff.alpha(table.T, level_of_measurement=level)), None, None


def cohen(row: Row, rated: Rated) -> Recomputed:
    weights = "quadratic" if row["statistic"].endswith("quadratic") else None
    scale = rated.scale(row)
    if weights and len(set(np.diff(scale).round(9))) > 1:
        said = "values between those of the scale: statsmodels weighs by their places"
        return None, said, None
    return pairwise(rated.table(row), scale, weights)


def pairwise(table: pd.DataFrame, scale: list[float], weights: str | None) -> Recomputed:
    """statsmodels' Cohen's κ of the pair; with more raters the mean over pairs."""
    if table.shape[1] > MOST_RATERS:
        return None, f"{table.shape[1]:,} raters have too many pairs to go through again", None
    found = []
    for a, b in combinations(table.columns, 2):
        both = table[[a, b]].dropna()
        if not len(both):
            continue
        value = cohens(both[a], both[b], scale, weights)
        if value is not None:  # as ours, which leaves such pairs out and warns of it
            found.append(value)
    if not found:
        return None, "no two raters share items that vary", None
    return float(np.mean(found)), None, None


def cohens(a: pd.Series, b: pd.Series, scale: list[float], weights: str | None) -> float | None:
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = np.zeros((len(scale), len(scale)))
    places = pd.Index(scale)
    np.add.at(counts, (places.get_indexer(a), places.get_indexer(b)), 1)
    if (counts > 0).sum() == 1:
        return None if counts.trace() else 0.0
    kappa = cohens_kappa(counts, wt=weights, return_results=False)
    return float(kappa) if np.isfinite(kappa) else None


def fleiss(row: Row, rated: Rated) -> Recomputed:
    """statsmodels' Fleiss' κ, of counts: who rated a unit may differ, how many did may not.

    Where some units have another number of ratings, both are computed for those with the
    commonest number: its value, which they are, and ours of the same units.
    """
    from statsmodels.stats.inter_rater import fleiss_kappa

    scale, table = rated.scale(row), rated.table(row)
    counts = np.stack([(table == value).sum(axis=1) for value in scale], axis=1)
    sizes = counts.sum(axis=1)
    usual = np.bincount(sizes[sizes >= 2]).argmax() if (sizes >= 2).any() else 0
    even = counts[sizes == usual]
    even = even[:, even.sum(axis=0) > 0]
    if even.shape[1] < 2:
        return None, "no variation, or a single rater", None
    value = float(fleiss_kappa(even))
    if len(even) == len(counts):
        return value, None, None
    ours = analysis.kappa(
        table[sizes == usual].to_numpy(float), "fleiss", scale=scale, interval=None
    ).value
    return value, f"on the {len(even):,} of {len(counts):,} units with {usual} ratings", ours


def human_auto(row: Row, rated: Rated) -> Recomputed:
    """The automatic raters' majority against one person or the people's consensus, or one of them.

    People's consensus is the adjudicators' strict majority, else their own, else none.
    """
    group = dict(row["group"] or {})
    rater = group.pop("rater", None)
    row = {**row, "group": group}
    people = rated.table(row)
    machines = rated.of(row, rated.board.columns_of("automatic"))
    if machines.empty:
        return None, "no item has an automatic label", None
    auto = majority_of(machines)
    if rater is not None and rater not in machines:
        label_of = people.get(rater)
    else:
        auto = auto if rater is None else machines[rater]
        label_of = settled_of(people, rated.of(row, rated.board.columns_of(ADJUDICATOR)))
    if label_of is None:
        return None, f"{rater} gave no label", None
    both = pd.concat([auto, label_of], axis=1, keys=["auto", "human"]).dropna()
    if not len(both):
        return None, "no item has both labels", None
    value = cohens(both["auto"], both["human"], rated.scale(row), None)
    return value, None if value is not None else "no variation", None


RECOMPUTE: dict[str, Callable[[Row, Rated], Recomputed]] = {
    **dict.fromkeys(("alpha_nominal", "alpha_ordinal", "alpha_interval"), alpha),
    **dict.fromkeys(("kappa_cohen", "kappa_weighted_quadratic", "kappa_raters"), cohen),
    "kappa_fleiss": fleiss,
    "kappa_human_auto": human_auto,
}
