"""How far raters of one unit lie apart (NeuReg), and how scores spread over ranges of the scale."""

from __future__ import annotations

import numpy as np

from analysis.cells import Cells, add_up, infer_cells, ratio
from analysis.measures.averages import row_means
from analysis.measures.finding import Finding, Task, nothing
from analysis.proportions import proportion_of

APART = ("evaluator_variance", "evaluator_sd")
NAMES = (*APART, "score_ranges")
# Percentages have no ranges of one.
MOST = 20


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
        missing = nothing(task.statistic, _why(scores))
        return [Finding(question, missing, cells.unit, raters=who)]
    root = task.statistic == "evaluator_sd"

    def rows(part: Cells) -> np.ndarray:
        # Around three, so that squares do not cancel.
        x = part.numbers["x"] - 3.0
        sums, clusters = part.per_unit(np.ones(len(part)), x, x**2)
        n = sums[:, 0]
        variance = np.maximum(sums[:, 2] / n - (sums[:, 1] / n) ** 2, 0.0)
        met = n >= 2
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes, (np.where(met, np.sqrt(variance) if root else variance, 0.0), met))

    estimate = infer_cells(
        task.statistic, cells, rows, ratio, task.options, reason="no_pairable_units"
    )
    return [Finding(question, estimate, cells.unit, raters=who)]


def _why(scores: np.ndarray) -> str:
    answered = np.isfinite(scores).any(axis=0).sum()
    return {0: "no_ratings", 1: "single_rater"}.get(int(answered), "no_pairable_units")


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
        hits = Cells(
            cells.unit,
            cells.rater,
            cells.cluster,
            {"hit": inside * 1.0, "of": cells.numbers["of"]},
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
