"""Means, spreads and weighted means of answers, and overall scores made of several questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from raterbook.analysis.averages import Additive, Entries, add_up, infer_cells, ratio
from raterbook.analysis.averages.means import mean_of, median_of, sd_of
from raterbook.analysis.averages.proportions import proportion_of
from raterbook.analysis.averages.weighted import weighted_mean_of, weighted_mean_within_of
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Interval
from raterbook.analysis.intervals.resampling import LOGIT
from raterbook.analysis.ratings.patterns import divide
from raterbook.numbers.counted import Board, listed
from raterbook.numbers.measures import Finding, Task, computes, nothing, unpaired
from raterbook.protocols.measures import is_adjusted
from raterbook.protocols.statistics import PROPORTION

SINGLE: dict[str, Callable[..., Any]] = {
    "mean": mean_of,
    "sd": sd_of,
    "median": median_of,
    "weighted_mean": weighted_mean_of,
    "weighted_mean_within": weighted_mean_within_of,
}


@computes(*SINGLE)
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


@computes("overall_mean", "overall_sd", "overall_computed_mean")
def overall(task: Task) -> list[Finding]:
    """The mean of each rater's mean over the questions, missing ones left out."""
    row, columns, who = row_means(task, task.questions)
    cells = task.board.cells(np.isfinite(row), columns, x=row)
    make = sd_of if task.statistic == "overall_sd" else mean_of
    estimate = make(cells, task.options)
    return [Finding(None, replace(estimate, statistic=task.statistic), cells.unit, raters=who)]


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
    return divide(total, n), columns, who


@computes("adjusted_share")
def adjusted(task: Task) -> list[Finding]:
    """The share of ratings whose stated overall is half a point or more off the criteria's mean.

    The first question is the overall that was stated; the others are the criteria.
    """
    stated_name, *criteria = task.questions
    row, columns, who = row_means(task, criteria)
    grid = task.board.grid(stated_name)
    stated = grid.numbers()[:, columns]
    both = np.isfinite(stated) & np.isfinite(row) & task.mask[:, None]
    moved = is_adjusted(stated, row)
    cells = task.board.cells(both, columns, hit=moved.astype(float), of=both.astype(float))
    estimate = proportion_of("adjusted_share", cells, task.options)
    return [Finding(stated_name, estimate, cells.unit, raters=who)]


# How far raters of one unit lie apart (NeuReg), and how scores spread over ranges of the scale.


APART = ("evaluator_variance", "evaluator_sd")
# Percentages have no ranges of one.
MOST = 20


@computes(*APART, "score_ranges")
def spread(task: Task) -> list[Finding]:
    """One finding per question, and one of each rating's mean over them where there are several.

    Score ranges only speak of the latter, or of the one question there is.
    """
    compute = _apart if task.statistic in APART else _ranges
    found = []
    for question in task.questions:
        if task.statistic in APART or len(task.questions) == 1:
            found += compute(task, question, [question])
    if len(task.questions) != 1:
        found += compute(task, None, task.questions)
    return found


def _apart(task: Task, question: str | None, questions: list[str]) -> list[Finding]:
    """The variance of a unit's ratings (divided by their number), or its root, over units.

    The root is averaged, not taken of the average. Units rated once show nothing.
    """
    scores, columns, who = row_means(task, questions)
    given = np.isfinite(scores)
    given &= given.sum(axis=1, keepdims=True) >= 2
    cells = task.board.cells(given, columns, x=scores)
    if not len(cells):
        missing = nothing(task.statistic, unpaired(np.isfinite(scores)))
        return [Finding(question, missing, cells.unit, raters=who)]
    root = task.statistic == "evaluator_sd"
    # Around a whole number near their mean squares do not cancel, and equal ones differ by nothing.
    middle = float(np.round(cells.numbers["x"].mean()))

    def rows(part: Entries) -> np.ndarray:
        x = part.numbers["x"] - middle
        sums, clusters = part.per_unit(np.ones(len(part)), x, x**2)
        n = sums[:, 0]
        variance = np.maximum(sums[:, 2] / n - (sums[:, 1] / n) ** 2, 0.0)
        met = n >= 2
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes, (np.where(met, np.sqrt(variance) if root else variance, 0.0), met))

    estimate = infer_cells(
        Additive(task.statistic, rows, ratio, reason="no_pairable_units"), cells, task.options
    )
    return [Finding(question, estimate, cells.unit, raters=who)]


def _ranges(task: Task, question: str | None, questions: list[str]) -> list[Finding]:
    """The share of ratings from one whole score up to the next; the top one counts itself in."""
    scores, columns, who = row_means(task, questions)
    given = np.isfinite(scores)
    cells = task.board.cells(given, columns, x=scores, of=np.ones(scores.shape))
    if not len(cells):
        missing = nothing(task.statistic, "no_ratings")
        return [Finding(question, missing, cells.unit, raters=who)]
    x = cells.numbers["x"]
    low, high = _ends(task, questions, x)
    if high - low > MOST:
        missing = nothing(task.statistic, "too_many_values")
        return [Finding(question, missing, cells.unit, raters=who)]
    found = []
    for start in range(low, max(high, low + 1)):
        last = start + 1 >= high
        # A mean of thirds may miss its whole score by a hair.
        inside = (x >= start - 1e-9) & ((x < start + 1 - 1e-9) | last)
        hits = Entries(
            cells.unit,
            cells.rater,
            cells.cluster,
            {"hit": inside.astype(float), "of": cells.numbers["of"]},
            cells.raters,
        )
        estimate = proportion_of(task.statistic, hits, task.options)
        label = {"label": f"[{start}, {start + 1}{']' if last else ')'}"}
        found.append(Finding(question, estimate, cells.unit, label, raters=who))
    return found


def _ends(task: Task, questions: list[str], x: np.ndarray) -> tuple[int, int]:
    """The declared ends of the scale, or those of the scores."""
    points = [x, *(task.board.grid(question).scale.numbers for question in questions)]
    known = np.concatenate(points)
    return int(np.floor(known.min())), int(np.ceil(known.max()))


# Proportions of answers: those that are so, among those that count.


LEVELLED = (
    "proportion_accurate",
    "proportion_inaccurate",
    "proportion_severely_inaccurate",
    "proportion_residual",
    "severe_any_issue",
)


@computes(PROPORTION, *LEVELLED, "proportion_excluded", "missing_severity")
def shares(task: Task) -> list[Finding]:
    """Hits over answers that count, pooled over raters and units; one finding per question.

    The STEM shares also come by sentence (majority of its ratings) and by response (mean of each
    response's share), and where severities are missing with those taken as severe: a severity is
    whatever `is` asks for besides the measure's own question.
    """
    found = []
    for question in task.questions:
        wanted, among = task.measure.get("is"), task.measure.get("of")
        columns, who = task.board.counted([question, *_named(wanted), *_named(among)])
        name = task.grid(question).question
        of = holds(task, question, among, columns) & task.mask[:, None]
        open_ = np.zeros_like(of)
        if task.statistic == "missing_severity":
            hit = of & (task.board.grid(question).codes[:, columns] == 0)
        else:
            hit = of & holds(task, question, wanted, columns)
            open_ = _left_open(task, question, wanted, of, columns)
        warnings = ("missing_severity",) if open_.any() else ()
        pooled, units = _pooled(task, hit, of, columns, warnings)
        found.append(Finding(name, pooled, units, raters=who))
        for level, (estimate, units) in _levels(task, hit, of, open_, columns).items():
            found.append(Finding(name, estimate, units, {"level": level}, raters=who))
    return found


def _pooled(
    task: Task,
    hit: np.ndarray,
    of: np.ndarray,
    columns: np.ndarray,
    warnings: tuple[str, ...] = (),
) -> tuple[Estimate, np.ndarray]:
    cells = task.board.cells(of, columns, hit=hit.astype(float), of=of.astype(float))
    estimate = proportion_of(task.statistic, cells, task.options, warnings=warnings)
    return estimate, cells.unit


def _levels(
    task: Task, hit: np.ndarray, of: np.ndarray, open_: np.ndarray, columns: np.ndarray
) -> dict[str, tuple[Estimate, np.ndarray]]:
    if task.statistic not in LEVELLED or not of.any():
        return {}
    board, name, options = task.board, task.statistic, task.options
    found = {
        "sentence": by_sentence(board, name, hit, of, options),
        "response": by_response(board, name, hit, of, columns, options),
    }
    if open_.any():
        found["missing taken as severe"] = _pooled(task, hit | open_, of, columns)
    return found


def _named(share: Any) -> list[str]:
    return list(share) if isinstance(share, dict) else []


def holds(task: Task, question: str, share: Any, columns: np.ndarray) -> np.ndarray:
    """Where the condition holds; a mapping must hold for all its questions at once."""
    if share is None:
        return task.grid(question).codes[:, columns] > 0
    if isinstance(share, dict):
        holds = np.ones((task.board.n_units, len(columns)), dtype=bool)
        for name, values in share.items():
            holds &= task.board.grid(name).means(values)[:, columns]
        return holds
    return task.grid(question).means(listed(share))[:, columns]


def _left_open(
    task: Task, question: str, wanted: Any, of: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Where another question that `is` asks for was left open, though all that is known holds."""
    open_ = np.zeros_like(of)
    if not isinstance(wanted, dict) or question not in wanted:
        return open_
    possible = of & task.board.grid(question).means(wanted[question])[:, columns]
    for name in wanted:
        if name != question:
            grid = task.board.grid(name)
            unanswered = grid.codes[:, columns] == 0
            possible &= unanswered | grid.means(wanted[name])[:, columns]
            open_ |= unanswered
    return np.asarray(possible & open_)


# A share of ratings seen from other levels: by sentence, by response, and at its upper bound.


def by_sentence(
    board: Board, name: str, hit: np.ndarray, of: np.ndarray, options: Interval
) -> tuple[Estimate, np.ndarray]:
    """The share of sentences of which more than half of the judging ratings say so."""
    judged, said = of.sum(axis=1), hit.sum(axis=1)
    wins = (said * 2 > judged).astype(float)
    given = judged > 0
    cells = board.unit_cells(given, hit=wins, of=given.astype(float))
    estimate = proportion_of(name, cells, options)
    raters = int(of.any(axis=0).sum())
    return replace(estimate, n_raters=raters, n_ratings=int(judged.sum())), cells.unit


def by_response(
    board: Board,
    name: str,
    hit: np.ndarray,
    of: np.ndarray,
    columns: np.ndarray,
    options: Interval,
) -> tuple[Estimate, np.ndarray]:
    """The mean over responses of each response's own share, long and short ones counting alike."""
    cells = board.cells(of, columns, hit=hit.astype(float), of=of.astype(float))
    by_owner = replace(cells, unit=board.owner[cells.unit])

    def rows(part: Entries) -> np.ndarray:
        sums, clusters = part.per_unit(part.numbers["hit"], part.numbers["of"])
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes.ravel(), (sums[:, 0] / sums[:, 1], np.ones(len(sums))))

    estimate = infer_cells(
        Additive(name, rows, ratio, link=LOGIT, reason="zero_denominator"), by_owner, options
    )
    return estimate, cells.unit
