"""Whether a question's values are what a measure needs: numbers, an order, or anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from analysis.catalogue import takes
from analysis.measures.finding import Finding, Task, nothing

# One number of all the questions together.
TOGETHER = (
    *("overall_mean", "overall_sd", "overall_computed_mean", "difference_overall"),
    *("adjusted_share", "score_ranges"),
)
BESIDE = ("evaluator_variance", "evaluator_sd")  # one of each question, and one of all


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
