"""RAGQuestEval: how much of the reference's content another text carries, and how rightly."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.cells import add_up, ratio
from analysis.estimate import Estimate
from analysis.intervals import Sample, estimated, interval_of
from analysis.links import LOGIT
from analysis.measures.finding import Finding, Task
from analysis.measures.trace import QUESTION, Trace, trace
from analysis.options import Options

NAMES = ("recall", "recall_over_all", "precision", "precision_over_kept", "precision_over_all")
AGGREGATES = ("macro", "micro", "compatible")


def questeval(task: Task) -> list[Finding]:
    """Macro, micro and compatible aggregates; the last counts upstream's zeros."""
    wanted = task.measure.get("tokeniser")
    several = [wanted] if isinstance(wanted, str) else list(wanted or [])
    found = []
    for tokeniser in several or ["auto"]:
        traced = trace(task, tokeniser)
        group = {"tokeniser": tokeniser} if several else {}
        for aggregate in AGGREGATES:
            estimate = aggregated(task.statistic, traced, aggregate, task.options)
            found.append(Finding(QUESTION, estimate, traced.unit, group, aggregate, _who(task)))
        found += [
            Finding(
                QUESTION,
                aggregated(task.statistic, alone, "macro", task.options),
                alone.unit,
                {**group, "rater": rater},
                "macro",
                [rater],
            )
            for rater, alone in _each_alone(task, tokeniser)
        ]
    return found


def _each_alone(task: Task, tokeniser: str) -> list[tuple[str, Trace]]:
    """Where several raters answered, what each says alone: people and models side by side."""
    board = task.board
    given = board.grid(QUESTION).codes[task.mask].any(axis=0)
    raters = [
        rater
        for rater, answered in zip(board.raters, given, strict=True)
        if answered and (board.named is None or rater in board.named)
    ]
    return [(r, trace(task, tokeniser, (r,))) for r in raters] if len(raters) > 1 else []


def _who(task: Task) -> Any:
    return task.board.counted([QUESTION])[1]


def aggregated(name: str, traced: Trace, aggregate: str, options: Options) -> Estimate:
    """The statistic over samples (macro), over questions (micro), or with upstream's zeros."""
    top, bottom, upstream_zero = per_sample(name, traced)
    samples, first = np.unique(traced.item, return_index=True)
    clusters = traced.cluster[first]
    common: dict[str, Any] = {
        "statistic": name,
        "coverage": options.coverage,
        "n_units": len(samples),
        "n_raters": traced.raters,
        "n_ratings": int(traced.answers.sum()),
        "warnings": ("unscored_answers",) if traced.unscored else (),
    }
    if not len(samples):
        return Estimate(None, reason="no_questions", **common)
    if aggregate == "micro":
        parts = (top, bottom)
    else:
        own = np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
        if aggregate == "compatible":
            parts = (np.where(upstream_zero, 0.0, own), np.ones(len(own)))
        else:
            parts = (own * (bottom > 0), (bottom > 0).astype(float))
    if parts[1].sum() <= 0:
        return Estimate(None, reason=_why(name, traced), **common)
    _, codes = np.unique(clusters, return_inverse=True)
    rows = add_up(codes.ravel(), parts)
    value = float(rows[:, 0].sum() / rows[:, 1].sum())
    if options.interval is None:
        return Estimate(value, **common)
    ones = np.ones(len(rows), dtype=np.int64)
    sample = Sample(rows, ones, "clusters", "cluster", sizes=rows[:, 1])
    found = interval_of(ratio, sample, options, link=LOGIT, edge=None)
    common["warnings"] = (*common["warnings"], *found.warnings)
    return estimated(value, found, options, **common)


def per_sample(name: str, traced: Trace) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numerator and denominator of each sample, and where upstream's code returns zero."""
    _, codes = np.unique(traced.item, return_inverse=True)
    ref, both, asked = traced.from_reference, traced.both, np.ones(len(traced.unit))
    top, bottom = {
        "recall": (both, ref),
        "recall_over_all": (traced.from_text, asked),
        "precision": (traced.f1, both),
        "precision_over_kept": (traced.f1, ref),
        "precision_over_all": (traced.f1, asked),
    }[name]
    if not len(codes):
        return np.zeros(0), np.zeros(0), np.zeros(0, bool)
    sums = add_up(codes.ravel(), (top, bottom, ref, both))
    return sums[:, 0], sums[:, 1], (sums[:, 2] == 0) | (sums[:, 3] == 0)


def _why(name: str, traced: Trace) -> str:
    if not traced.from_reference.any() and name in ("recall", "precision", "precision_over_kept"):
        return "no_gt_answerable"
    return "no_answered"
