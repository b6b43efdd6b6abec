"""People against a rater of another kind, such as the label that came with the data (HALO)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.agreement.infer import infer
from analysis.agreement.kappa import kappa_statistic
from analysis.averages.answers import Cells, infer_cells, ratio
from analysis.averages.proportions import proportion_of
from analysis.estimate import Estimate
from analysis.intervals.interval import Options
from analysis.intervals.resampling import FISHER, PLAIN
from analysis.ratings.patterns import find_patterns
from analysis.ratings.ratings import Ratings
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
            units = np.flatnonzero(both & (of > 0))
            shape = ((both & (of > 0))[:, None], np.zeros(1, dtype=int))
            cells = task.board.cells(*shape, hit=hit[:, None], of=of[:, None])
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
    return infer(statistic, pair, find_patterns(pair), task.options)


# A judge against people: how often right, how far off, how high, in what order.


OF_A_MODEL = ("exact", "within_one", "mae", "bias", "spearman", "exact_halves", "macro_f1_halves")
# Clusters × different pairs of values: beyond, an interval would not fit into memory.
MOST_CELLS = 50_000_000


@computes(*OF_A_MODEL)
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
            estimate, units = _compared_with_people(task, x[:, columns], x[:, other], columns)
            name = {"rater": task.board.raters[other]}
            found.append(Finding(grid.question, estimate, units, name, raters=who))
    return found


def _compared_with_people(
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
        task.board.cluster_names,
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
    return paired(name, cells, options)


def paired(name: str, cells: Cells, options: Options) -> Estimate:
    """A statistic of how often each pair of values (people's, judge's) is met.

    Those counts add up over clusters, so its interval is made as everyone else's is.
    """
    people, judge = cells.numbers["people"], cells.numbers["judge"]
    if name == "macro_f1_halves":
        people, judge = halves(people), halves(judge)
    pairs, codes = np.unique(np.column_stack([people, judge]), axis=0, return_inverse=True)
    _, clusters = np.unique(cells.cluster, return_inverse=True)
    too_many = (int(clusters.max()) + 1) * len(pairs) > MOST_CELLS

    def rows(part: Cells) -> np.ndarray:
        of = np.zeros(len(part), dtype=int) if too_many else clusters.ravel()
        counts = np.zeros((int(of.max()) + 1, len(pairs)))
        np.add.at(counts, (of, codes.ravel()), 1.0)
        return counts

    def values(totals: np.ndarray) -> np.ndarray:
        return (spearman if name == "spearman" else macro_f1)(pairs, totals)

    wanted = replace(options, interval=None) if too_many else options
    link = FISHER if name == "spearman" else PLAIN
    found = infer_cells(name, cells, rows, values, wanted, link=link, reason="no_spread")
    if too_many and found.value is not None and options.interval is not None:
        found = replace(found, reason="too_many_values")
    return found


def spearman(pairs: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Rank correlations of the values in `pairs`, each met as often as a row of `totals` says."""
    n = totals.sum(axis=1, keepdims=True)
    centred = []
    for side in pairs.T:
        ranks = _ranks(side, totals)
        centred.append(ranks - (totals * ranks).sum(axis=1, keepdims=True) / np.maximum(n, 1))
    a, b = centred
    both = (totals * a * b).sum(axis=1)
    each = (totals * a**2).sum(axis=1) * (totals * b**2).sum(axis=1)
    # Squares of half ranks: what is no rounding error is far above this.
    there = (each > 1e-6) & (n[:, 0] >= 2)
    return np.where(there, both / np.sqrt(np.where(there, each, 1.0)), np.nan)


def _ranks(side: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """The mid-rank of each pair's value, by the counts of each row."""
    order = side.argsort(kind="stable")
    first = np.flatnonzero(np.diff(side[order], prepend=np.nan) != 0)
    counts = np.add.reduceat(totals[:, order], first, axis=1)
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return ranks[:, np.searchsorted(side[order][first], side)]


def macro_f1(pairs: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """F1 averaged over the values that either side gave."""
    total, classes = np.zeros(len(totals)), np.zeros(len(totals))
    for value in np.unique(pairs):
        of_people, of_judge = (pairs == value).T
        given = totals[:, of_people].sum(axis=1) + totals[:, of_judge].sum(axis=1)
        met = totals[:, of_people & of_judge].sum(axis=1)
        total += np.where(given > 0, 2 * met / np.where(given > 0, given, 1.0), 0.0)
        classes += given > 0
    return np.where(classes > 0, total / np.maximum(classes, 1), np.nan)
