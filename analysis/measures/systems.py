"""Systems against each other on the same cases."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from analysis.cells import Cells, infer_cells
from analysis.measures.finding import Finding, Task, nothing
from analysis.measures.shares import _holds


def differences(task: Task) -> list[Finding]:
    """Mean or proportion of one system minus another's, over cases that both answered."""
    board = task.board
    column = str(task.measure.get("system") or "model")
    found = []
    for question in task.questions:
        grid = task.grid(question)
        columns, who = board.counted([question])
        if column not in board.first.columns:
            found.append(
                Finding(grid.question, nothing("difference", "no_common_cases"), np.zeros(0, int))
            )
            continue
        system = board.first[column].astype(object).to_numpy()
        hit, of = _sums(task, question, columns)
        names = sorted({str(name) for name in system[task.mask & of.any(axis=1)] if _is(name)})
        for a, b in combinations(names, 2):
            estimate, units = _difference(task, columns, system, hit, of, (a, b))
            group = {"systems": f"{a} − {b}"}
            found.append(Finding(grid.question, estimate, units, group, raters=who))
        if len(names) < 2:
            found.append(
                Finding(
                    grid.question,
                    nothing("difference", "no_common_cases"),
                    np.zeros(0, int),
                    raters=who,
                )
            )
    return found


def _is(name: Any) -> bool:
    return name is not None and name == name and str(name) != ""


def _sums(task: Task, question: str, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is added up and what it is divided by, units × raters."""
    grid = task.grid(question)
    if "is" in task.measure or "of" in task.measure:
        of = _holds(task, question, task.measure.get("of"), columns) & task.mask[:, None]
        hit = of & _holds(task, question, task.measure.get("is"), columns)
        return hit.astype(float), of.astype(float)
    given = (grid.codes[:, columns] > 0) & task.mask[:, None]
    return np.where(given, np.nan_to_num(grid.numbers()[:, columns]), 0.0), given.astype(float)


def _difference(
    task: Task,
    columns: np.ndarray,
    system: np.ndarray,
    hit: np.ndarray,
    of: np.ndarray,
    pair: tuple[str, str],
) -> tuple[Any, np.ndarray]:
    board = task.board
    sides = [np.array([str(name) == side for name in system]) for side in pair]
    answered = of.any(axis=1) & task.mask
    cases = [set(board.case[answered & side]) for side in sides]
    common = np.isin(board.case, list(cases[0] & cases[1]))
    given = (of > 0) & (common & (sides[0] | sides[1]))[:, None]
    cells = board.cells(
        given,
        columns,
        hit=hit,
        of=of,
        first=np.repeat(sides[0][:, None] * 1.0, len(columns), axis=1),
    )
    if not len(cells):
        return nothing("difference", "no_common_cases"), cells.unit

    def rows(part: Cells) -> np.ndarray:
        first = part.numbers["first"]
        hits, ofs = part.numbers["hit"], part.numbers["of"]
        return part.per_cluster(first * hits, first * ofs, (1 - first) * hits, (1 - first) * ofs)

    estimate = infer_cells(
        "difference", cells, rows, _gap, **{"reason": "no_common_cases", **task.options}
    )
    return estimate, cells.unit


def _gap(totals: np.ndarray) -> np.ndarray:
    a, n, b, m = totals.T
    there = (n > 0) & (m > 0)
    blank = np.full(len(totals), np.nan)
    return np.where(there, a / np.where(there, n, 1) - b / np.where(there, m, 1), blank)
