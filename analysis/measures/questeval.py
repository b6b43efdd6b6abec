"""RAGQuestEval: how much of the reference's content another text carries, and how rightly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.cells import add_up
from analysis.estimate import Estimate
from analysis.intervals import interval_of
from analysis.links import LOGIT, PLAIN
from analysis.measures.consensus import consensus
from analysis.measures.finding import Finding, Task
from analysis.tokens import is_unanswerable, token_f1

NAMES = ("recall", "recall_over_all", "precision", "precision_over_kept", "precision_over_all")
AGGREGATES = ("macro", "micro", "compatible")
QUESTION = "generated_answer"


@dataclass(frozen=True)
class Trace:
    """One entry per question and generated text: who could answer it, and how alike."""

    unit: np.ndarray
    item: np.ndarray
    cluster: np.ndarray
    from_reference: np.ndarray
    from_text: np.ndarray
    f1: np.ndarray
    raters: int
    unscored: bool


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
    return found


def _who(task: Task) -> Any:
    return task.board.counted([QUESTION])[1]


def trace(task: Task, tokeniser: str = "auto") -> Trace:
    """Align each generated text's answers with the reference's, question by question."""
    board = task.board
    generated, raters = _answers(task, QUESTION)
    reference, more = _answers(task, "reference_answer")
    dropped = _dropped(task)
    by_case = {(board.case[u], board.part[u]): text for u, text in reference.items()}
    kept = []
    for unit, text in generated.items():
        place = (board.case[unit], board.part[unit])
        if not task.mask[unit] or place in dropped:
            continue
        if place in by_case:
            kept.append((unit, by_case[place], text))
    scores = [
        0.0 if is_unanswerable(a) or is_unanswerable(b) else token_f1(a, b, tokeniser)
        for _, a, b in kept
    ]
    units = np.array([entry[0] for entry in kept], dtype=int)
    return Trace(
        units,
        board.owner[units],
        board.cluster[units],
        np.array([not is_unanswerable(a) for _, a, _ in kept], dtype=float),
        np.array([not is_unanswerable(b) for _, _, b in kept], dtype=float),
        np.array(scores),
        len(raters | more),
        _unscored(task, generated, by_case, dropped),
    )


def _answers(task: Task, question: str) -> tuple[dict[int, str], set[int]]:
    """One text per unit: the adjudicator's, else a person's, else a model's."""
    board, grid = task.board, task.board.grid(question)
    found: dict[int, str] = {}
    raters: set[int] = set()
    kinds = ("adjudicator", "human", "model", "automatic", "key")
    columns = [c for kind in kinds for c in board.columns_of(kind)]
    if board.named is not None:
        named = [c for c in columns if board.raters[c] in board.named]
        # References often come from someone else than the raters a report is narrowed to.
        columns = named if grid.codes[:, named].any() else columns
    for column in columns:
        for unit in np.flatnonzero(grid.codes[:, column]):
            if int(unit) not in found:
                found[int(unit)] = str(grid.scale.values[grid.codes[unit, column] - 1])
                raters.add(int(column))
    return found, raters


def _dropped(task: Task) -> set[tuple[int, int]]:
    board = task.board
    if "keep" not in board.questions and "keep" not in board.question_names:
        return set()
    grid = board.grid("keep")
    columns, _ = board.counted(["keep"])
    said = consensus(board, grid, columns)
    gone = said == grid.scale.code("drop") if grid.scale.code("drop") else np.zeros(len(said), bool)
    return {(board.case[u], board.part[u]) for u in np.flatnonzero(gone & (said > 0))}


def _unscored(
    task: Task, generated: dict[int, str], by_case: dict[Any, str], dropped: set[Any]
) -> bool:
    """Whether some question was answered on one side only; it is never aligned by position."""
    board = task.board
    answered = {(board.owner[u], board.part[u]) for u in generated}
    owners = {board.owner[u]: board.case[u] for u in generated if task.mask[u]}
    for owner, case in owners.items():
        parts = {part for c, part in by_case if c == case and (c, part) not in dropped}
        mine = {part for o, part in answered if o == owner and (case, part) not in dropped}
        if parts != mine:
            return True
    return False


def aggregated(name: str, traced: Trace, aggregate: str, options: dict[str, Any]) -> Estimate:
    """The statistic over samples (macro), over questions (micro), or with upstream's zeros."""
    top, bottom, upstream_zero = per_sample(name, traced)
    samples, first = np.unique(traced.item, return_index=True)
    clusters = traced.cluster[first]
    common: dict[str, Any] = {
        "statistic": name,
        "coverage": options.get("coverage", 0.95),
        "n_units": len(samples),
        "n_raters": traced.raters,
        "n_ratings": len(traced.unit),
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
    interval = options.get("interval", "jackknife")
    if interval is None:
        return Estimate(value, **common)
    found = interval_of(
        lambda t: np.divide(t[:, 0], t[:, 1], out=np.full(len(t), np.nan), where=t[:, 1] > 0),
        rows,
        np.ones(len(rows), dtype=np.int64),
        link=LOGIT if 0 < value < 1 else PLAIN,
        unit="clusters",
        edge=None,
        **{**options, "interval": "jackknife" if interval == "analytic" else interval},
    )
    return Estimate(
        value,
        found.low,
        found.high,
        se=found.se,
        method=found.method,
        reason=found.reason,
        **common,
    )


def per_sample(name: str, traced: Trace) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numerator and denominator of each sample, and where upstream's code returns zero."""
    _, codes = np.unique(traced.item, return_inverse=True)
    ref, gen = traced.from_reference, traced.from_text
    both = ref * gen
    tops = {
        "recall": both,
        "recall_over_all": gen,
        "precision": traced.f1 * both,
        "precision_over_kept": traced.f1 * both,
        "precision_over_all": traced.f1 * both,
    }
    bottoms = {
        "recall": ref,
        "recall_over_all": np.ones(len(ref)),
        "precision": both,
        "precision_over_kept": ref,
        "precision_over_all": np.ones(len(ref)),
    }
    if not len(codes):
        return np.zeros(0), np.zeros(0), np.zeros(0, bool)
    sums = add_up(codes.ravel(), (tops[name], bottoms[name], ref, both))
    return sums[:, 0], sums[:, 1], (sums[:, 2] == 0) | (sums[:, 3] == 0)


def _why(name: str, traced: Trace) -> str:
    if not traced.from_reference.any() and name in ("recall", "precision", "precision_over_kept"):
        return "no_gt_answerable"
    return "no_answered"
