"""Every number a protocol asks for, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.board import Board
from analysis.catalogue import check_measure, measured_by, takes
from analysis.measures.finding import Finding, Task, nothing
from analysis.options import Options

# One number of all the questions together.
TOGETHER = (
    *("overall_mean", "overall_sd", "overall_computed_mean", "difference_overall"),
    *("adjusted_share", "score_ranges"),
)
BESIDE = ("evaluator_variance", "evaluator_sd")  # one of each question, and one of all


def summary(
    frame: pd.DataFrame,
    measures: Iterable[Mapping[str, Any]],
    questions: Mapping[str, Mapping[str, Any]],
    *,
    cluster: str | None = None,
    raters: Sequence[Any] | None = None,
    coverage: float = 0.95,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """One row per measure, question and group, from a round's long frame.

    Only main items, first replicates and given answers count; people count, else models, else
    whoever `raters` names. `cluster` is the column whose values are resampled together, the case
    if none is named. A number that cannot be had is None with its reason, never NaN.
    """
    options = Options(interval, resamples, coverage, seed)
    found = by_measure(frame, measures, questions, options, cluster=cluster, raters=raters)
    return [row for rows in found for row in rows]


def by_measure(
    frame: pd.DataFrame,
    measures: Iterable[Mapping[str, Any]],
    questions: Mapping[str, Mapping[str, Any]],
    options: Options,
    *,
    cluster: str | None = None,
    raters: Sequence[Any] | None = None,
) -> list[list[dict[str, Any]]]:
    """The rows of each measure, in the measures' order."""
    wanted = tuple(dict(measure) for measure in measures)
    board = Board(frame, questions, cluster=cluster, raters=raters)
    found = []
    for measure in wanted:
        check_measure(measure)
        compute = measured_by(str(measure["statistic"]))
        rows: list[dict[str, Any]] = []
        for group, mask in _groups(board, measure.get("by")):
            task = Task(board, measure, mask, options, wanted)
            rows += [_row(board, measure, group, each) for each in fitting(task, compute)]
        found.append(rows)
    return found


def _groups(board: Board, by: Any) -> list[tuple[dict[str, Any], np.ndarray]]:
    """All units, then the units of each group; a unit without the column stands in none."""
    found: list[tuple[dict[str, Any], np.ndarray]] = [({}, board.everything)]
    entries = [by] if isinstance(by, str) else list(by or [])
    for entry in entries:
        columns = [entry] if isinstance(entry, str) else list(entry)
        unknown = [name for name in columns if name not in board.first.columns]
        if unknown:
            raise ValueError(f"the frame has no column {unknown[0]!r} to group by")
        labels = board.first[columns].astype(object)
        known = labels.notna().all(axis=1).to_numpy()
        keys = list(map(tuple, labels.to_numpy()))
        for key in sorted({k for k, has in zip(keys, known, strict=True) if has}, key=_order):
            mask = np.fromiter((k == key for k in keys), bool, len(keys)) & known
            found.append((dict(zip(columns, map(_plain, key), strict=True)), mask))
    return found


def _order(key: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(map(str, key))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _row(
    board: Board, measure: Mapping[str, Any], group: dict[str, Any], found: Finding
) -> dict[str, Any]:
    estimate = found.estimate
    joined = {**group, **found.group}
    return {
        "question": found.question,
        "group": joined or None,
        "statistic": str(measure["statistic"]),
        "estimate": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "low_like": estimate.low_like,
        "high_like": estimate.high_like,
        "raters": found.raters,
        "n_items": board.n_items(found.units),
        "n_raters": estimate.n_raters,
        "n_ratings": estimate.n_ratings,
        "method": estimate.method or None,
        "p": estimate.beside.get("p"),
        "reason": estimate.reason,
        "aggregate": found.aggregate,
        "warnings": list(estimate.warnings),
    }


def fitting(task: Task, compute: Callable[[Task], list[Finding]]) -> list[Finding]:
    """The findings of the questions whose values fit, and the reason for each of the others.

    What is made of several questions together has no value where one of them does not fit.
    """
    unfit = {name: reason for name in task.questions if (reason := why_not(task, name))}
    if not unfit:
        return compute(task)
    reason = next(iter(unfit.values()))
    if task.statistic in TOGETHER:
        of_one = task.statistic == "adjusted_share"
        of_one |= task.statistic == "score_ranges" and len(task.questions) == 1
        name = task.questions[0] if of_one else None
        return [_missing(task, task.questions, name, reason)]
    fit = [name for name in task.questions if name not in unfit]
    found = compute(replace(task, measure={**task.measure, "question": fit})) if fit else []
    of_each = [each for each in found if each.question is not None]
    of_each += [_missing(task, [name], task.called(name), why) for name, why in unfit.items()]
    if task.statistic in BESIDE and len(task.questions) > 1:
        of_each.append(_missing(task, task.questions, None, reason))
    return of_each


def why_not(task: Task, question: str) -> str | None:
    """The reason why the question's values do not fit the measure; None where they do."""
    needed = takes(task.measure)
    if needed not in ("numbers", "order"):
        return None
    if not task.board.grid(question).scale.labels and not task.measure.get("recode"):
        return None
    if needed == "numbers":
        return "not_numeric"
    level = task.board.questions.get(question, {}).get("level")
    return None if level in ("ordinal", "interval", "ratio") else "no_order"


def _missing(task: Task, questions: list[str], question: str | None, reason: str) -> Finding:
    _, who = task.board.counted(questions)
    return Finding(question, nothing(task.statistic, reason), np.zeros(0, int), raters=who)
