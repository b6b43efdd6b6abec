"""Agreement among the raters who count."""

from __future__ import annotations

import numpy as np

from analysis.measures.finding import Finding, Task
from analysis.together import NAMES, coefficient

__all__ = ["NAMES", "agreement"]


def agreement(task: Task) -> list[Finding]:
    """One finding per question; coefficients of the same ratings share one count."""
    found = []
    for question, grid in zip(task.questions, task.each_grid(), strict=True):
        columns, who = task.board.counted([_asked(task, question)])
        coded, patterns = task.board.patterns(grid, columns, task.mask)
        units = np.asarray(coded.units)[coded.rating_counts() >= 2]
        estimate = coefficient(task.statistic, coded, patterns, task.options)
        found.append(Finding(grid.question, estimate, units, raters=who))
    return found


def _asked(task: Task, question: str) -> str:
    recode = task.measure.get("recode") or {}
    return task.source(recode[question]) if question in recode else question
