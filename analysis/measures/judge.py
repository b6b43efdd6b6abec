"""A judge against people: how often right, how far off, how high, in what order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.cells import Cells, infer_cells, ratio
from analysis.estimate import Estimate
from analysis.jackknife import spread, t_interval
from analysis.links import FISHER, PLAIN, Link
from analysis.measures.finding import Finding, Task, nothing
from analysis.options import Options
from analysis.proportions import proportion_of

NAMES = ("exact", "within_one", "mae", "bias", "spearman", "exact_halves", "macro_f1_halves")


def judged(task: Task) -> list[Finding]:
    """Each rater of the other kind (models unless `of` names one) against the people.

    `exact` and `within_one` compare with each person and average over units; the others compare
    with the people's mean, which labels do not have; those are only the same or not.
    """
    kind = task.measure.get("of")
    found = []
    for question in task.questions:
        grid = task.grid(question)
        x = grid.numbers()
        columns, who = task.board.counted([question])
        others = task.board.columns_of(kind if isinstance(kind, str) else "model")
        others = np.array([c for c in others if c not in columns and grid.codes[:, c].any()])
        if not len(others) or not len(columns):
            estimate = nothing(task.statistic, "no_comparison")
            found.append(Finding(grid.question, estimate, np.zeros(0, int), raters=who))
            continue
        for other in others:
            estimate, units = _compare(task, x[:, columns], x[:, other], columns)
            name = {"rater": task.board.raters[other]}
            found.append(Finding(grid.question, estimate, units, name, raters=who))
    return found


def _compare(
    task: Task, people: np.ndarray, judge: np.ndarray, columns: np.ndarray
) -> tuple[Estimate, np.ndarray]:
    n = np.isfinite(people).sum(axis=1)
    both = np.isfinite(judge) & (n > 0) & task.mask
    units = np.flatnonzero(both)
    if not len(units):
        return nothing(task.statistic, "no_comparison"), units
    people, judge = people[units], judge[units]
    middle = np.nansum(people, axis=1) / n[units]
    numbers = _numbers(task.statistic, people, middle, judge)
    cells = Cells(
        units,
        np.zeros(len(units), dtype=int),
        task.board.cluster[units],
        numbers,
        ("judge",),
    )
    estimate = _estimate(task.statistic, cells, task.options)
    estimate = replace(
        estimate,
        statistic=task.statistic,
        n_raters=int(np.isfinite(people).any(axis=0).sum()) + 1,
        n_ratings=int(np.isfinite(people).sum() + len(units)),
    )
    return estimate, units


def _numbers(
    name: str, people: np.ndarray, middle: np.ndarray, judge: np.ndarray
) -> dict[str, np.ndarray]:
    if name in ("exact", "within_one"):
        reach = 1.0 if name == "within_one" else 0.0
        given = np.isfinite(people)
        near = given & (np.abs(people - judge[:, None]) <= reach + 1e-9)
        return {"hit": near.sum(axis=1) / given.sum(axis=1), "of": np.ones(len(judge))}
    if name == "exact_halves":
        return {"hit": (halves(middle) == halves(judge)) * 1.0, "of": np.ones(len(judge))}
    if name == "mae":
        return {"x": np.abs(judge - middle)}
    if name == "bias":
        return {"x": judge - middle}
    return {"people": middle, "judge": judge}


def halves(x: np.ndarray) -> np.ndarray:
    """To the nearest half, ties to the even half, as Python rounds (4.25 → 4, 4.75 → 5)."""
    return np.asarray(np.round(x * 2) / 2)


def _estimate(name: str, cells: Cells, options: Options) -> Estimate:
    if name in ("exact", "within_one", "exact_halves"):
        return proportion_of(name, cells, options)
    if name in ("mae", "bias"):
        return infer_cells(
            name,
            cells,
            lambda part: part.per_cluster(part.numbers["x"], np.ones(len(part))),
            ratio,
            options,
        )
    make = spearman_rows if name == "spearman" else f1_rows
    value, without = make(cells)
    return _from_leaving_out(value, without, options, FISHER if name == "spearman" else PLAIN)


def spearman_rows(cells: Cells) -> tuple[float, np.ndarray]:
    """Rank correlation, and without each cluster."""
    return _each(cells, _spearman)


def f1_rows(cells: Cells) -> tuple[float, np.ndarray]:
    """Macro-F1 over the half-point classes, and without each cluster."""
    return _each(cells, _macro_f1)


def _each(cells: Cells, of: Any) -> tuple[float, np.ndarray]:
    people, judge = cells.numbers["people"], cells.numbers["judge"]
    names = np.unique(cells.cluster)
    without = [of(people[cells.cluster != name], judge[cells.cluster != name]) for name in names]
    return of(people, judge), np.array(without)


def _spearman(people: np.ndarray, judge: np.ndarray) -> float:
    a, b = _ranks(people), _ranks(judge)
    if len(a) < 2 or a.std() == 0 or b.std() == 0:
        return float("nan")
    return float(((a - a.mean()) * (b - b.mean())).mean() / (a.std() * b.std()))


def _ranks(x: np.ndarray) -> np.ndarray:
    _, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes.ravel()])


def _macro_f1(people: np.ndarray, judge: np.ndarray) -> float:
    if not len(people):
        return float("nan")
    a, b = halves(people), halves(judge)
    scores = [
        2 * np.sum((a == k) & (b == k)) / (np.sum(a == k) + np.sum(b == k))
        for k in np.union1d(a, b)
    ]
    return float(np.mean(scores))


def _from_leaving_out(value: float, without: np.ndarray, options: Options, link: Link) -> Estimate:
    coverage = options.coverage
    if not np.isfinite(value):
        return Estimate(None, reason="no_spread", coverage=coverage)
    if options.interval is None:
        return Estimate(value, coverage=coverage)
    found = spread(value, without, np.ones(len(without), dtype=int), link)
    if found is None or len(without) < 3 or found.raw_variance < 1e-24:
        return Estimate(value, reason="too_few_units_for_interval", coverage=coverage)
    low, high = t_interval(value, found.variance, found.n - 1, coverage, link)
    method = f"jackknife over {found.n} clusters on {link.name}, t"
    se = float(np.sqrt(found.raw_variance))
    return Estimate(value, low, high, se=se, method=method, coverage=coverage)
