"""Agreement among the raters who count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from raterbook.analysis.averages import Entries
from raterbook.analysis.averages.proportions import proportion_of
from raterbook.analysis.coefficients.tables import NAMES, coefficient
from raterbook.analysis.comparison.rasch import Rasch, rasch
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import DRAWN, Interval
from raterbook.analysis.ratings.patterns import count_values
from raterbook.numbers.counted import Board, Grid
from raterbook.numbers.measures import Finding, Task, computes, nothing, unpaired, without_ties


@computes(*NAMES)
def agreement(task: Task) -> list[Finding]:
    """One finding per question; coefficients of the same ratings share one count."""
    found = []
    for question, grid in zip(task.questions, task.each_grid(), strict=True):
        columns, who = task.board.counted([_asked(task, question)])
        coded, _ = task.board.patterns(grid, columns, task.mask)
        units = np.asarray(coded.units)[coded.rating_counts() >= 2]
        estimate = coefficient(task.statistic, coded, task.options)
        found.append(Finding(grid.question, estimate, units, raters=who))
    return found


def _asked(task: Task, question: str) -> str:
    recode = task.measure.get("recode") or {}
    return task.source(recode[question]) if question in recode else question


# How strict each rater is, by a model of raters.


def severity_model(
    board: Board, grids: Iterable[Grid], columns: np.ndarray, mask: np.ndarray, **given: Any
) -> Rasch:
    """The many-facet Rasch model of these raters' answers, a grid a criterion.

    Units of a case or a cluster stand together on every question. Thresholds are each question's
    own where their scales differ. `given` is what `rasch` takes.
    """
    several = {}
    for grid in grids:
        coded = board.ratings(grid, columns, mask)
        own, names = board.cluster[np.asarray(coded.units)], np.asarray(board.cluster_names)
        several[grid.question] = replace(coded, clusters=own, cluster_names=names).answering()
    partial = len({coded.scale for coded in several.values()}) > 1
    return rasch(several, partial=partial, **given)


@computes("severity_logits")
def severities(task: Task) -> list[Finding]:
    """One finding per rater, over all questions of the measure together."""
    columns, who = task.board.counted(task.questions)
    grids = task.each_grid()
    given = np.any([(grid.codes[:, columns] > 0).any(axis=1) for grid in grids], axis=0)
    units = np.flatnonzero(given & task.mask)
    model = severity_model(task.board, grids, columns, task.mask, interval=_intervals(task))
    found = [
        Finding(None, estimate, units, group={"rater": rater}, raters=who)
        for rater, estimate in severities_of(model, task.statistic).items()
    ]
    return found or [Finding(None, nothing(task.statistic, "no_ratings"), units, raters=who)]


def severities_of(model: Rasch, statistic: str) -> dict[Any, Estimate]:
    """Each rater's severity in logits."""
    found = {}
    for row in model.raters.to_dict("records"):
        ends = [row[name] for name in ("severity", "low", "high", "se")]
        value, low, high, se = (None if x is None or not np.isfinite(x) else float(x) for x in ends)
        found[row["rater"]] = Estimate(
            value, low, high, se=se, statistic=statistic, coverage=model.coverage,
            method=model.method, n_units=int(row["n_units"]), n_raters=1,
            n_ratings=int(row["n_ratings"]), reason=row["reason"] or model.reason,
            warnings=model.warnings,
        )  # fmt: skip
    return found


def _intervals(task: Task) -> Interval:
    """By the jackknife where the report asks for draws, which a model of raters does not make."""
    drawn = task.options.method in DRAWN
    return replace(task.options, method="jackknife") if drawn else task.options


# Full agreement, majority and none (NeuReg): three shares that add up to one.


OF_MAJORITIES = ("full_agreement", "majority", "no_majority")


@computes(*OF_MAJORITIES)
def majorities(task: Task) -> list[Finding]:
    """Per question over units with as many ratings as most have; with several also per unit.

    How many raters a unit has decides how easily all or most agree, so units with another number
    are left out; who they are may differ. For a unit as a whole the three are: a majority on all
    questions, on some, on none.
    """
    columns, who = task.board.counted(task.questions)
    found, exists, whole = [], [], task.mask.copy()
    of_whole, uneven = np.zeros((len(whole), len(columns)), dtype=bool), False
    for question in task.questions:
        grid = task.grid(question)
        codes = grid.codes[:, columns]
        given = codes > 0
        rated = given.sum(axis=1)
        size = usual_number(rated)
        complete = task.mask & (rated == size) & (size >= 2)
        counts = count_values(codes, len(grid.scale.values))
        top = counts.max(axis=1) if counts.shape[1] else np.zeros(len(codes))
        majority = top * 2 > rated
        exists.append(majority)
        whole &= complete
        of_whole |= given
        left_out = bool((task.mask & (rated >= 2) & ~complete).any())
        uneven |= left_out
        kind = np.where(top == rated, 0, np.where(majority, 1, 2))
        found.append(_finding(task, grid.question, complete, kind, given, who, left_out))
    if len(exists) > 1:
        reached = np.column_stack(exists).sum(axis=1)
        kind = np.where(reached == len(exists), 0, np.where(reached > 0, 1, 2))
        found.append(_finding(task, None, whole, kind, of_whole, who, uneven))
    return found


def usual_number(rated: np.ndarray) -> int:
    """The number of ratings that most units have, from two on; of two such, the larger.

    1 where no unit has two.
    """
    counts = np.bincount(rated[rated >= 2], minlength=2)
    return int(len(counts) - 1 - counts[::-1].argmax())


def _finding(
    task: Task,
    question: str | None,
    complete: np.ndarray,
    kind: np.ndarray,
    given: np.ndarray,
    who: object,
    uneven: bool,
) -> Finding:
    units = np.flatnonzero(complete)
    if not len(units):
        missing = nothing(task.statistic, unpaired(given[task.mask], "no_complete_units"))
        return Finding(question, missing, units, raters=who)
    hit = (kind == OF_MAJORITIES.index(task.statistic)).astype(float)
    cells = task.board.unit_cells(complete, hit=hit, of=complete.astype(float))
    warnings = ("uneven_units",) if uneven else ()
    estimate = proportion_of(task.statistic, cells, task.options, warnings=warnings)
    raters, ratings = int(given[units].any(axis=0).sum()), int(given[units].sum())
    estimate = replace(estimate, n_raters=raters, n_ratings=ratings)
    return Finding(question, estimate, units, raters=who)


@computes("evaluator_agreement")
def evaluator_agreement(task: Task) -> list[Finding]:
    """How often a rater gave the commonest value, for all raters and for each, ties left out.

    `tie: first` in the measure counts the first rater's value as the commonest one instead.
    """
    columns, who = task.board.counted(task.questions)
    found = []
    pooled_hit, pooled_of, pooled, tied = [], [], [], False
    for question in task.questions:
        grid = task.grid(question)
        codes = grid.codes[:, columns] * task.mask[:, None]
        common = modal(codes, len(grid.scale.values), task.measure.get("tie"))
        rated = (codes > 0).sum(axis=1) >= 2
        met = rated & (common > 0)
        tied |= bool((rated & (common == 0)).any())
        given = codes > 0
        of = given & met[:, None]
        hit = of & (codes == common[:, None])
        pooled_hit.append(hit)
        pooled_of.append(of)
        pooled.append(given)
        why = unpaired(given, "no_consensus")
        found += _rates(task, grid.question, [hit], [of], (columns, who), why)
    if len(task.questions) > 1:
        why = unpaired(np.vstack(pooled), "no_consensus")
        found += _rates(task, None, pooled_hit, pooled_of, (columns, who), why)
    return [without_ties(finding) for finding in found] if tied else found


def modal(codes: np.ndarray, q: int, tie: str | None = None) -> np.ndarray:
    """The commonest value; a tie gives 0, or with tie="first" the tied value met first."""
    counts = count_values(codes, q)
    if not q:
        return np.zeros(len(codes), dtype=np.int64)
    top = counts.max(axis=1)
    tied = counts == top[:, None]
    single = (tied.sum(axis=1) == 1) & (top > 0)
    found = np.where(single, counts.argmax(axis=1) + 1, 0)
    if tie == "first":
        for i in np.flatnonzero(~single & (top > 0)):
            found[i] = next(c for c in codes[i] if c and tied[i, c - 1])
    return found


def _rates(
    task: Task,
    question: str | None,
    hits: list[np.ndarray],
    ofs: list[np.ndarray],
    counted: tuple[np.ndarray, object],
    why: str,
) -> list[Finding]:
    columns, who = counted
    hit = np.sum(hits, axis=0).astype(float)
    of = np.sum(ofs, axis=0).astype(float)
    cells = task.board.cells(of > 0, columns, hit=hit, of=of)
    if not len(cells):
        return [Finding(question, nothing(task.statistic, why), cells.unit, raters=who)]
    found = [Finding(question, _rate(task, cells), cells.unit, raters=who)]
    for column in columns:
        own = cells.where(cells.rater == column)
        name = {"rater": task.board.raters[column]}
        found.append(Finding(question, _rate(task, own), own.unit, name, raters=who))
    return found


def _rate(task: Task, cells: Entries) -> Estimate:
    found = proportion_of(task.statistic, cells, task.options)
    total = found.beside.get("total")
    return replace(found, n_ratings=int(total)) if total else found
