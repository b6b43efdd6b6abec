"""Systems in pairs on the same cases: by recall, by precision, and by how often labels match."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analysis.cells import Cells
from analysis.compare import paired_difference, pooled_difference
from analysis.estimate import Estimate
from analysis.measures import questeval
from analysis.measures.consensus import consensus
from analysis.measures.finding import Finding, Task
from analysis.measures.reference import label_of
from analysis.measures.systems import Pair, in_pairs
from analysis.measures.trace import trace

PREFIX = "difference_"
MATCH = "percent_match"
NAMES = tuple(PREFIX + name for name in (*questeval.NAMES, MATCH))


@dataclass(frozen=True)
class Samples:
    """One entry per item: what is added up, out of how much, and where upstream's code gives 0."""

    unit: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    upstream_zero: np.ndarray
    answers: np.ndarray
    raters: int
    warnings: tuple[str, ...] = ()


def paired(task: Task) -> list[Finding]:
    """One system's number minus another's, over the cases where both have it.

    Each case's two numbers are set against each other, so that an easy case is easy for both, and
    cases (or their clusters) are what is resampled. `micro` pools the questions of those cases.
    """
    found: list[Finding] = []
    if task.statistic == PREFIX + MATCH:
        for question in task.questions:
            found += _pairs(task, question, _matches(task, question), None)
        return found
    samples = _coverage(task)
    for aggregate in questeval.AGGREGATES:
        found += _pairs(task, questeval.QUESTION, samples, aggregate)
    return found


def _coverage(task: Task) -> Samples:
    """Each text's recall or precision, as a sum and what it is divided by."""
    traced = trace(task)
    name = task.statistic.removeprefix(PREFIX)
    _, first, codes = np.unique(traced.item, return_index=True, return_inverse=True)
    return Samples(
        traced.unit[first],
        *questeval.per_sample(name, traced),
        np.bincount(codes.ravel(), traced.answers, len(first)),
        traced.raters,
        ("unscored_answers",) if traced.unscored else (),
    )


def _matches(task: Task, question: str) -> Samples:
    """Where people's consensus is the automatic label."""
    grid = task.grid(question)
    columns, _ = task.board.counted([question])
    said, label = consensus(task.board, grid, columns), label_of(task, grid)
    unit = np.flatnonzero((said > 0) & (label > 0) & task.mask)
    one = np.ones(len(unit))
    people = int(grid.codes[np.ix_(unit, columns)].any(axis=0).sum())
    return Samples(unit, (said == label)[unit] * 1.0, one, one < 1, one, people)


def _pairs(task: Task, question: str, samples: Samples, aggregate: str | None) -> list[Finding]:
    board = task.board
    top, bottom, pooled = samples.top, samples.bottom, aggregate == "micro"
    if aggregate == "compatible":
        top = np.where(samples.upstream_zero, 0.0, _share(top, bottom))
        bottom = np.ones(len(top))
    x, there, case = top if pooled else _share(top, bottom), bottom > 0, board.case[samples.unit]

    def compare(systems: np.ndarray, pair: Pair) -> tuple[Estimate, np.ndarray]:
        system = systems[samples.unit]
        first, second = (there & (system == side) for side in pair)
        keep = (first | second) & np.isin(case, np.intersect1d(case[first], case[second]))
        cells = Cells(
            case[keep],
            np.zeros(keep.sum(), dtype=int),
            board.cluster[samples.unit[keep]],
            {"x": x[keep], "of": bottom[keep], "first": first[keep] * 1.0},
            clusters=board.cluster_names,
        )
        found = (pooled_difference if pooled else paired_difference)(cells, task.options)
        found = replace(
            found,
            statistic=task.statistic,
            n_raters=samples.raters if keep.any() else 0,
            n_ratings=int(samples.answers[keep].sum()),
            warnings=(*samples.warnings, *found.warnings),
        )
        return found, samples.unit[keep]

    answered = np.zeros(board.n_units, dtype=bool)
    answered[samples.unit] = True
    return in_pairs(task, question, board.counted([question])[1], answered, compare, aggregate)


def _share(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    return np.divide(top, bottom, out=np.zeros_like(top, dtype=float), where=bottom > 0)
