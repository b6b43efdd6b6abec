"""People against a rater of another kind, such as the label that came with the data (HALO)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.board import Grid
from analysis.infer import infer
from analysis.kappa import kappa_statistic
from analysis.measures.consensus import consensus
from analysis.measures.finding import Finding, Task, nothing
from analysis.patterns import find_patterns
from analysis.proportions import proportion_of
from analysis.ratings import Ratings

LABELLED = ("agreement_jaccard", "agreement_of_auto", "agreement_of_human", "agreement_specific")
NAMES = ("percent_match", "kappa_human_auto", *LABELLED)


def against_reference(task: Task) -> list[Finding]:
    """The people's consensus, then each person alone, against the other kind of rater."""
    found = []
    for question in task.questions:
        grid = task.grid(question)
        columns, who = task.board.counted([question])
        kind = task.measure.get("of")
        others = task.board.columns_of(kind if isinstance(kind, str) else "automatic")
        other = grid.codes[:, others].max(axis=1) if len(others) else np.zeros(task.board.n_units)
        other = other.astype(np.int64) * task.mask
        joint = consensus(task.board, grid, columns)
        found += _compare(task, grid, joint, other, {}, who)
        for column in columns:
            name = {"rater": task.board.raters[column]}
            found += _compare(task, grid, grid.codes[:, column], other, name, who)
    return found


def _compare(
    task: Task, grid: Grid, human: np.ndarray, other: np.ndarray, group: dict[str, Any], who: Any
) -> list[Finding]:
    both = (human > 0) & (other > 0)
    units = np.flatnonzero(both)
    if task.statistic in LABELLED:
        return [
            Finding(
                grid.question,
                _share(task, human, other, both, code, who),
                units,
                {**group, "label": label},
                raters=who,
            )
            for code, label in enumerate(grid.scale.values, start=1)
        ]
    if task.statistic == "percent_match":
        estimate = _share(task, human, other, both, None, who)
    else:
        estimate = _kappa(task, grid, human[units], other[units], units)
    return [Finding(grid.question, estimate, units, group, raters=who)]


def _share(
    task: Task, human: np.ndarray, other: np.ndarray, both: np.ndarray, code: int | None, who: Any
) -> Any:
    """Matches over what the statistic counts; twice the matches over both sides for the specific
    agreement."""
    if code is None:
        hit, of = (human == other).astype(float), np.ones(len(human))
    else:
        h, o = (human == code).astype(float), (other == code).astype(float)
        hit = h * o
        of = {
            "agreement_jaccard": np.maximum(h, o),
            "agreement_of_auto": o,
            "agreement_of_human": h,
            "agreement_specific": h + o,
        }[task.statistic]
        if task.statistic == "agreement_specific":
            hit = 2 * hit
    cells = task.board.cells(
        both[:, None], np.zeros(1, dtype=int), hit=hit[:, None], of=of[:, None]
    )
    if not len(cells):
        return nothing(task.statistic, "no_comparison" if human.any() else "no_ratings")
    return proportion_of(task.statistic, cells, **task.options)


def _kappa(task: Task, grid: Grid, human: np.ndarray, other: np.ndarray, units: np.ndarray) -> Any:
    if not len(units):
        return nothing("kappa_human_auto", "no_comparison")
    pair = Ratings(
        np.column_stack([human, other]).astype(np.int32),
        tuple(grid.scale.values),
        grid.scale.numbers,
        grid.scale.declared,
        grid.scale.labels,
        units,
        ("people", "automatic"),
        task.board.shared_clusters(units),
    )
    statistic = kappa_statistic("cohen", "identity", pair)
    statistic.name = "kappa_human_auto"
    return infer(statistic, pair, find_patterns(pair), **task.options)
