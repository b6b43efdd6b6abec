"""Proportions of answers: those that are so, among those that count."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.measures.finding import Finding, Task
from analysis.proportions import proportion_of

ISSUES = ["inaccurate", "unsupported", "disputed"]
JUDGED = ["accurate", "disputed", "unsupported", "inaccurate"]
# What the STEM protocol's own names mean where a measure does not say it.
USUAL: dict[str, dict[str, Any]] = {
    "proportion_accurate": {"is": ["accurate"], "of": JUDGED},
    "proportion_inaccurate": {"is": ["inaccurate"], "of": JUDGED},
    "proportion_severely_inaccurate": {
        "is": {"accuracy": ["inaccurate"], "severity": ["severe"]},
        "of": JUDGED,
    },
    "proportion_residual": {"is": ["disputed", "unsupported"], "of": JUDGED},
    "proportion_excluded": {"is": ["cannot_assess"], "of": [*JUDGED, "cannot_assess"]},
    "severe_any_issue": {"is": {"accuracy": ISSUES, "severity": ["severe"]}, "of": JUDGED},
    "missing_severity": {"of": {"accuracy": ISSUES}},
}


def shares(task: Task) -> list[Finding]:
    """One finding per question: hits over answers that count, pooled over raters and units."""
    usual = USUAL.get(task.statistic, {})
    asked = task.questions or ["accuracy"]
    found = []
    for question in asked:
        wanted, among = (
            task.measure.get("is", usual.get("is")),
            task.measure.get("of", usual.get("of")),
        )
        columns, who = task.board.counted([question, *_named(wanted), *_named(among)])
        counts = holds(task, question, among, columns) & task.mask[:, None]
        warnings: tuple[str, ...] = ()
        if task.statistic == "missing_severity":
            hit = counts & (task.board.grid(question).codes[:, columns] == 0)
        else:
            hit = counts & holds(task, question, wanted, columns)
            warnings = _unanswered(task, wanted, counts, columns)
        cells = task.board.cells(counts, columns, hit=hit * 1.0, of=counts * 1.0)
        estimate = proportion_of(task.statistic, cells, warnings=warnings, **task.options)
        name = task.grid(question).question
        found.append(Finding(name, estimate, cells.unit, raters=who))
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


def _unanswered(
    task: Task, wanted: Any, counts: np.ndarray, columns: np.ndarray
) -> tuple[str, ...]:
    """A warning where a later question was left open although the first one calls for it."""
    if not isinstance(wanted, dict) or "severity" not in wanted or len(wanted) < 2:
        return ()
    called = counts.copy()
    for name, values in wanted.items():
        if name != "severity":
            called &= task.board.grid(name).means(values)[:, columns]
    open_ = called & (task.board.grid("severity").codes[:, columns] == 0)
    return ("missing_severity",) if open_.any() else ()
