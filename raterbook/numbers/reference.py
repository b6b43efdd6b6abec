"""People against a rater of another kind, such as the label that came with the data (HALO)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from raterbook.analysis.averages import Entries
from raterbook.analysis.averages.against import COMPARISONS, compared, values_against
from raterbook.analysis.averages.proportions import proportion_of
from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.coefficients.kappa import kappa_statistic
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.ratings import Coded
from raterbook.numbers.counted import Grid, consensus
from raterbook.numbers.measures import Finding, Task, computes, nothing, without_ties
from raterbook.rounds.consensus import strict_majority

LABELLED = ("agreement_jaccard", "agreement_of_auto", "agreement_of_human", "agreement_specific")


@computes("percent_match", "kappa_human_auto", *LABELLED)
def against_reference(task: Task) -> list[Finding]:
    """The people's consensus, then each person alone, against the other kind of rater.

    Several of that kind speak by strict majority, and where they have none nothing is compared;
    then the consensus stands against each of them as well, who otherwise would hide each other.
    """
    found = []
    for question in task.questions:
        grid = task.grid(question)
        columns, who = task.board.counted([question])
        others = references_of(task, grid)
        other = label_of(task, grid)
        joint = consensus(task.board, grid, columns)
        people = int(grid.codes[task.mask][:, columns].any(axis=0).sum())
        of_question = _compare(task, grid, joint, other, {}, who, people)
        for column in columns:
            name = {"rater": task.board.raters[column]}
            of_question += _compare(task, grid, grid.codes[:, column], other, name, who, 1)
        if (grid.codes[task.mask][:, others].any(axis=1) & (other[task.mask] == 0)).any():
            of_question = [without_ties(each) for each in of_question]
        found += of_question
        for column in others if len(others) > 1 else ():
            alone = np.asarray(grid.codes[:, column].astype(np.int64) * task.mask)
            name = {"rater": task.board.raters[column]}
            found += _compare(task, grid, joint, alone, name, who, people)
    return found


def references_of(task: Task, grid: Grid) -> np.ndarray:
    """The columns of the other kind of rater that answered: automatic unless `of` names one."""
    kind = task.measure.get("of")
    columns = task.board.columns_of(kind if isinstance(kind, str) else "automatic")
    return np.asarray(columns[grid.codes[task.mask][:, columns].any(axis=0)])


def label_of(task: Task, grid: Grid) -> np.ndarray:
    """The code each unit has from the other kind of rater, by strict majority; 0 where none has."""
    others = references_of(task, grid)
    return np.asarray(strict_majority(grid.codes[:, others]) * task.mask)


def _compare(
    task: Task,
    grid: Grid,
    human: np.ndarray,
    other: np.ndarray,
    group: dict[str, Any],
    who: Any,
    people: int,
) -> list[Finding]:
    both = (human > 0) & (other > 0)
    asked: list[tuple[dict[str, Any], int | None]] = [(group, None)]
    if task.statistic in LABELLED:
        labels = enumerate(grid.scale.values, start=1)
        asked = [({**group, "label": label}, code) for code, label in labels]
    found = []
    for named, code in asked:
        units = np.flatnonzero(both)
        if not len(units):
            estimate = nothing(task.statistic, _why(human, other, people))
        elif task.statistic == "kappa_human_auto":
            estimate = _kappa(task, grid, human[units], other[units], units)
        else:
            hit, of = _counted(task.statistic, human, other, code)
            cells = task.board.unit_cells(both & (of > 0), hit=hit, of=of)
            units = cells.unit
            estimate = proportion_of(task.statistic, cells, task.options)
        estimate = replace(estimate, n_raters=people if len(units) else 0)
        found.append(Finding(grid.question, estimate, units, named, raters=who))
    return found


def _why(human: np.ndarray, other: np.ndarray, people: int) -> str:
    """Why nothing was compared: nobody answered, they are of no one mind, or on other units."""
    if human.any() or not other.any():
        return "no_comparison"
    return "no_consensus" if people > 1 else "no_ratings"


def _counted(
    name: str, human: np.ndarray, other: np.ndarray, code: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Per unit what is a match and what it is counted out of.

    The specific agreement counts each side's use of the label, so a match counts twice.
    """
    if code is None:
        return (human == other).astype(float), np.ones(len(human))
    h, o = (human == code).astype(float), (other == code).astype(float)
    of = {
        "agreement_jaccard": np.maximum(h, o),
        "agreement_of_auto": o,
        "agreement_of_human": h,
        "agreement_specific": h + o,
    }[name]
    return h * o * (2 if name == "agreement_specific" else 1), of


def _kappa(task: Task, grid: Grid, human: np.ndarray, other: np.ndarray, units: np.ndarray) -> Any:
    clusters, names = task.board.shared_clusters(units)
    pair = Coded(
        np.column_stack([human, other]).astype(np.int32),
        tuple(grid.scale.values),
        grid.scale.numbers,
        grid.scale.declared,
        grid.scale.labels,
        units,
        ("people", "automatic"),
        clusters,
        cluster_names=names,
    )
    statistic = kappa_statistic("cohen", "identity", pair)
    statistic.name = "kappa_human_auto"
    return infer(statistic, pair, task.options)


# A judge against people: how often right, how far off, how high, in what order.


@computes(*COMPARISONS)
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
            estimate, units = _compared_with_people(task, x[:, columns], x[:, other])
            name = {"rater": task.board.raters[other]}
            found.append(Finding(grid.question, estimate, units, name, raters=who))
    return found


def _compared_with_people(
    task: Task, people: np.ndarray, judge: np.ndarray
) -> tuple[Estimate, np.ndarray]:
    both = np.isfinite(judge) & np.isfinite(people).any(axis=1) & task.mask
    units = np.flatnonzero(both)
    if not len(units):
        return nothing(task.statistic, "no_comparison"), units
    people, judge = people[units], judge[units]
    numbers = values_against(task.statistic, people, judge)
    cells = Entries(
        units,
        np.zeros(len(units), dtype=int),
        task.board.cluster[units],
        numbers,
        ("judge",),
        task.board.cluster_names,
    )
    estimate = compared(task.statistic, cells, task.options)
    estimate = replace(
        estimate,
        statistic=task.statistic,
        n_raters=int(np.isfinite(people).any(axis=0).sum()) + 1,
        n_ratings=int(np.isfinite(people).sum() + len(units)),
    )
    return estimate, units
