"""Means, spreads and weighted means of answers, and overall scores made of several questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from analysis.means import mean_of, median_of, sd_of
from analysis.measures.finding import Finding, Task
from analysis.proportions import proportion_of
from analysis.weighted import weighted_mean_of, weighted_mean_within_of

SINGLE: dict[str, Callable[..., Any]] = {
    "mean": mean_of,
    "sd": sd_of,
    "median": median_of,
    "weighted_mean": weighted_mean_of,
    "weighted_mean_within": weighted_mean_within_of,
}
OVERALL = ("overall_mean", "overall_sd", "overall_computed_mean")
# A stated overall this far from the criteria's mean was adjusted, not rounded.
ADJUSTED = 0.5


def averages(task: Task) -> list[Finding]:
    """One finding per question."""
    found = []
    for question, grid in zip(task.questions, task.each_grid(), strict=True):
        columns, who = task.board.counted([question])
        codes = grid.codes[:, columns] * task.mask[:, None]
        x = np.append(np.nan, grid.scale.numbers)[codes]
        c = np.full(x.shape, np.nan)
        if grid.confidence is not None:
            c = grid.confidence[:, columns]
        cells = task.board.cells(codes > 0, columns, x=x, c=c)
        estimate = SINGLE[task.statistic](cells, task.options)
        used = cells.where(np.isfinite(cells.numbers["c"])) if "weight" in task.statistic else cells
        found.append(Finding(grid.question, estimate, used.unit, raters=who))
    return found


def overall(task: Task) -> list[Finding]:
    """The mean of each rater's mean over the questions, missing ones left out."""
    row, columns, who = row_means(task, task.questions)
    cells = task.board.cells(np.isfinite(row), columns, x=row)
    make = sd_of if task.statistic == "overall_sd" else mean_of
    estimate = make(cells, task.options)
    return [Finding(None, _named(estimate, task.statistic), cells.unit, raters=who)]


def row_means(task: Task, questions: list[str]) -> tuple[np.ndarray, np.ndarray, Any]:
    """Each rater's mean over the questions they answered, units × counted raters."""
    columns, who = task.board.counted(questions)
    shape = (task.board.n_units, len(columns))
    total, n = np.zeros(shape), np.zeros(shape)
    for question in questions:
        grid = task.board.grid(question)
        codes = grid.codes[:, columns] * task.mask[:, None]
        total += np.append(0.0, grid.scale.numbers)[codes]
        n += codes > 0
    return np.divide(total, n, out=np.full(shape, np.nan), where=n > 0), columns, who


def adjusted(task: Task) -> list[Finding]:
    """The share of ratings whose stated overall is half a point or more off the criteria's mean.

    The first question is the overall that was stated; the others are the criteria, or, where it
    stands alone, those of the round's `overall_computed_mean`.
    """
    stated_name, *criteria = task.questions
    row, columns, who = row_means(task, criteria or _criteria(task))
    _, stated_by = task.board.counted([stated_name])
    grid = task.board.grid(stated_name)
    stated = grid.numbers()[:, columns]
    both = np.isfinite(stated) & np.isfinite(row) & task.mask[:, None]
    # Thirds and sixths do not come out exactly, so the edge gets a hair's breadth.
    moved = np.abs(stated - row) >= ADJUSTED - 1e-9
    cells = task.board.cells(both, columns, hit=moved * 1.0, of=both * 1.0)
    estimate = proportion_of("adjusted_share", cells, task.options)
    return [Finding(stated_name, estimate, cells.unit, raters=who or stated_by)]


def _criteria(task: Task) -> list[str]:
    """The questions behind the computed overall, as another measure names them."""
    for measure in task.all_measures:
        if measure.get("statistic") == "overall_computed_mean":
            asked = measure.get("question") or []
            return [asked] if isinstance(asked, str) else list(asked)
    raise ValueError(
        "adjusted_share needs the criteria: name them after the stated overall, or ask for "
        "overall_computed_mean of them"
    )


def _named(estimate: Any, name: str) -> Any:
    return replace(estimate, statistic=name)
