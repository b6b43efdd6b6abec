"""Proportions of answers: those that are so, among those that count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.averages.answers import Additive, Entries, add_up, infer_cells, ratio
from analysis.averages.proportions import proportion_of
from analysis.estimate import Estimate
from analysis.intervals.interval import Interval
from analysis.intervals.resampling import LOGIT
from raterbook.numbers.counted import Board
from raterbook.numbers.measures import Finding, Task, computes
from raterbook.protocols.statistics import PROPORTION

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
    values = share if isinstance(share, (list, tuple)) else [share]
    return task.grid(question).means(values)[:, columns]


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
    given = (judged > 0)[:, None]
    cells = board.cells(given, np.zeros(1, dtype=int), hit=wins[:, None], of=given.astype(float))
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
