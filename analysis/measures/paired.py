"""Systems in pairs on the same cases: by recall, by precision, and by how often labels match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from analysis.cells import Cells, infer_cells
from analysis.compare import paired_difference
from analysis.estimate import Estimate
from analysis.measures import questeval
from analysis.measures.consensus import consensus
from analysis.measures.finding import Finding, Task, nothing
from analysis.measures.systems import corrected

PREFIX = "difference_"
MATCH = "percent_match"
NAMES = tuple(PREFIX + name for name in (*questeval.NAMES, MATCH))
NONE = np.zeros(0, dtype=int)


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
    With several pairs the method carries each p and the one corrected by Holm.
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
    traced = questeval.trace(task)
    name = task.statistic.removeprefix(PREFIX)
    _, first, answers = np.unique(traced.item, return_index=True, return_counts=True)
    return Samples(
        traced.unit[first],
        *questeval.per_sample(name, traced),
        answers,
        traced.raters,
        ("unscored_answers",) if traced.unscored else (),
    )


def _matches(task: Task, question: str) -> Samples:
    """Where people's consensus is the automatic label."""
    grid = task.grid(question)
    columns, _ = task.board.counted([question])
    said = consensus(task.board, grid, columns)
    others = task.board.columns_of("automatic")
    label = grid.codes[:, others].max(axis=1) if len(others) else np.zeros_like(said)
    unit = np.flatnonzero((said > 0) & (label > 0) & task.mask)
    one = np.ones(len(unit))
    people = int(grid.codes[np.ix_(unit, columns)].any(axis=0).sum())
    return Samples(unit, (said == label)[unit] * 1.0, one, one < 1, one, people)


def _pairs(task: Task, question: str, samples: Samples, aggregate: str | None) -> list[Finding]:
    board = task.board
    who = board.counted([question])[1]
    column = str(task.measure.get("system") or "model")
    pairs: list[Finding] = []
    if column in board.first.columns:
        named = board.first[column].astype(object).iloc[samples.unit]
        system = np.where(named.notna(), named.astype(str), "")
        for a, b in combinations(sorted(set(system) - {""}), 2):
            estimate, units = _difference(task, samples, system, (a, b), aggregate)
            group = {"systems": f"{a} − {b}"}
            pairs.append(Finding(question, estimate, units, group, aggregate, who))
    if not pairs:
        missing = nothing(task.statistic, "no_common_cases")
        return [Finding(question, missing, NONE, aggregate=aggregate, raters=who)]
    return corrected(task, pairs)


def _difference(
    task: Task, samples: Samples, system: np.ndarray, pair: tuple[str, str], aggregate: str | None
) -> tuple[Estimate, np.ndarray]:
    board = task.board
    top, bottom = samples.top, samples.bottom
    if aggregate == "compatible":
        top = np.where(samples.upstream_zero, 0.0, _share(top, bottom))
        bottom = np.ones(len(top))
    case, first = board.case[samples.unit], system == pair[0]
    there = bottom > 0
    both = set(case[first & there]) & set(case[(system == pair[1]) & there])
    keep = there & np.isin(system, pair) & np.isin(case, list(both))
    cells = Cells(
        case[keep],
        np.zeros(keep.sum(), dtype=int),
        board.cluster[samples.unit[keep]],
        {
            "x": _share(top, bottom)[keep],
            "first": first[keep] * 1.0,
            "top": top[keep],
            "bottom": bottom[keep],
        },
    )
    found = (
        _pooled(task, cells) if aggregate == "micro" else paired_difference(cells, **task.options)
    )
    if found.se is not None and found.se < 1e-12:
        # All cases differ by the same amount: that shows no spread, and yet is not certain.
        found = replace(found, low=None, high=None, se=None, reason="no_spread")
    found = replace(
        found,
        statistic=task.statistic,
        n_raters=samples.raters if keep.any() else 0,
        n_ratings=int(samples.answers[keep].sum()),
        warnings=(*samples.warnings, *found.warnings),
    )
    return found, samples.unit[keep]


def _pooled(task: Task, cells: Cells) -> Estimate:
    def rows(part: Cells) -> np.ndarray:
        top, bottom, first = (part.numbers[name] for name in ("top", "bottom", "first"))
        return part.per_cluster(
            first * top, first * bottom, (1 - first) * top, (1 - first) * bottom
        )

    def gap(totals: np.ndarray) -> np.ndarray:
        a, n, b, m = totals.T
        there = (n > 0) & (m > 0)
        return np.where(there, _share(a, n) - _share(b, m), np.nan)

    return infer_cells(
        "difference", cells, rows, gap, **{"reason": "no_common_cases", **task.options}
    )


def _share(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    return np.divide(top, bottom, out=np.zeros_like(top, dtype=float), where=bottom > 0)
