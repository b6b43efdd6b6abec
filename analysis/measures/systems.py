"""Systems against each other on the same cases."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from analysis.cells import Cells, infer_cells
from analysis.compare import adjust, p_value, paired_difference
from analysis.estimate import Estimate
from analysis.measures.averages import row_means
from analysis.measures.finding import Finding, Task, nothing
from analysis.measures.shares import holds

NONE = np.zeros(0, dtype=int)
CALLED = {"holm": "Holm", "benjamini-hochberg": "Benjamini–Hochberg"}


def differences(task: Task) -> list[Finding]:
    """Mean or proportion of one system minus another's, over cases that both answered.

    The measure's `system` names the column (model if it names none). With several pairs the
    method carries each p, how many were compared, and the p corrected for that.
    """
    board = task.board
    column = str(task.measure.get("system") or "model")
    found = []
    for question in task.questions:
        grid = task.grid(question)
        columns, who = board.counted([question])
        pairs: list[Finding] = []
        if column in board.first.columns:
            names = board.first[column].astype(object)
            system = np.where(names.notna(), names.astype(str), "")
            hit, of = _sums(task, question, columns)
            known = sorted({name for name in system[task.mask & of.any(axis=1)] if name})
            for a, b in combinations(known, 2):
                estimate, units = _difference(task, columns, system, hit, of, (a, b))
                group = {"systems": f"{a} − {b}"}
                pairs.append(Finding(grid.question, estimate, units, group, raters=who))
        if not pairs:
            missing = nothing("difference", "no_common_cases")
            pairs = [Finding(grid.question, missing, NONE, raters=who)]
        found += corrected(task, pairs)
    return found


def overall_difference(task: Task) -> list[Finding]:
    """The same of each rating's mean over the questions, as `overall_mean` takes it."""
    board = task.board
    column = str(task.measure.get("system") or "model")
    questions = [name for name in task.questions if name != "overall"] or task.questions
    row, columns, who = row_means(task, questions)
    given, pairs = np.isfinite(row), []
    if column in board.first.columns:
        names = board.first[column].astype(object)
        system = np.where(names.notna(), names.astype(str), "")
        known = sorted({name for name in system[given.any(axis=1)] if name})
        scores = np.where(given, row, 0.0)
        for a, b in combinations(known, 2):
            estimate, units = _difference(task, columns, system, scores, given * 1.0, (a, b))
            group = {"systems": f"{a} − {b}"}
            pairs.append(Finding(None, estimate, units, group, raters=who))
    if not pairs:
        return [Finding(None, nothing(task.statistic, "no_common_cases"), NONE, raters=who)]
    return corrected(task, pairs)


def corrected(task: Task, pairs: list[Finding]) -> list[Finding]:
    """The pairs with what is known of chance written into their methods.

    The measure's `correction` is holm, benjamini-hochberg or none.
    """
    correction = str(task.measure.get("correction") or "holm")
    each = [p_value(pair.estimate) for pair in pairs]
    after = adjust(each, correction)
    compared = sum(p is not None for p in each)
    found = []
    for pair, p, final in zip(pairs, each, after, strict=True):
        if p is None or final is None:
            found.append(pair)
            continue
        said = f"{pair.estimate.method}; p {p:.3g}"
        if compared > 1 and correction == "none":
            said += f", not corrected for {compared} pairs"
        elif compared > 1:
            said += f", {final:.3g} after {CALLED[correction]} over {compared} pairs"
        beside = {**pair.estimate.beside, "p": p}
        estimate = replace(pair.estimate, method=said, beside=beside)
        found.append(replace(pair, estimate=estimate))
    return found


def _is_share(task: Task) -> bool:
    return task.measure.get("is") is not None or task.measure.get("of") is not None


def _sums(task: Task, question: str, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is added up and what it is divided by, units × raters."""
    grid = task.grid(question)
    if _is_share(task):
        of = holds(task, question, task.measure.get("of"), columns) & task.mask[:, None]
        hit = of & holds(task, question, task.measure.get("is"), columns)
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
) -> tuple[Estimate, np.ndarray]:
    board = task.board
    sides = [system == side for side in pair]
    answered = of.any(axis=1) & task.mask
    shared = set(board.case[answered & sides[0]]) & set(board.case[answered & sides[1]])
    common = np.isin(board.case, list(shared)) & (sides[0] | sides[1])
    given = (of > 0) & common[:, None]
    first = np.repeat(sides[0][:, None] * 1.0, len(columns), axis=1)
    cells = board.cells(given, columns, x=hit, first=first)
    if _is_share(task):
        return _share_difference(cells, task.options), cells.unit
    # Each case's two means are set against each other, so the case is the unit here.
    by_case = replace(cells, unit=board.case[cells.unit])
    return paired_difference(by_case, **task.options), cells.unit


def _share_difference(cells: Cells, options: dict[str, Any]) -> Estimate:
    """Shares are pooled over ratings, as the shares of each system are."""

    def rows(part: Cells) -> np.ndarray:
        first, hit = part.numbers["first"], part.numbers["x"]
        return part.per_cluster(first * hit, first, (1 - first) * hit, 1 - first)

    return infer_cells("difference", cells, rows, _gap, **{"reason": "no_common_cases", **options})


def _gap(totals: np.ndarray) -> np.ndarray:
    a, n, b, m = totals.T
    there = (n > 0) & (m > 0)
    gap = a / np.where(there, n, 1.0) - b / np.where(there, m, 1.0)
    return np.where(there, gap, np.nan)
