"""RAGQuestEval: how much of the reference's content another text carries, and how rightly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.board import Board
from analysis.cells import add_up, ratio
from analysis.estimate import Estimate
from analysis.intervals import estimated, interval_of
from analysis.links import LOGIT, PLAIN
from analysis.measures.consensus import consensus
from analysis.measures.finding import Finding, Task
from analysis.options import Options
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
    unscored: frozenset[int]  # items of which a question was answered on one side only


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


def trace(task: Task, tokeniser: str = "auto", named: tuple[Any, ...] | None = None) -> Trace:
    """The trace of the task's units; `named` narrows it to some raters."""
    board = task.board
    if named is None and board.named is not None:
        named = tuple(board.named)
    key = ("questeval", tokeniser, named)
    if key not in board.kept:
        board.kept[key] = _whole_trace(board, tokeniser, named)
    whole: Trace = board.kept[key]
    keep = task.mask[whole.unit]
    part = {
        name: getattr(whole, name)[keep]
        for name in ("unit", "item", "cluster", "from_reference", "from_text", "f1")
    }
    return replace(whole, **part, unscored=whole.unscored & set(board.owner[task.mask]))


def _whole_trace(board: Board, tokeniser: str, named: tuple[Any, ...] | None) -> Trace:
    """Each generated text's answers beside the reference's, question by question.

    Nothing is ever aligned by position.
    """
    generated, raters = _answers(board, QUESTION, named)
    reference, more = _answers(board, "reference_answer", named)
    dropped = _dropped(board, named)
    by_case = {(board.case[u], board.part[u]): text for u, text in reference.items()}
    kept = []
    for unit, text in generated.items():
        place = (board.case[unit], board.part[unit])
        if place not in dropped and place in by_case:
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
        _unscored(board, generated, by_case, dropped),
    )


def _answers(
    board: Board, question: str, named: tuple[Any, ...] | None
) -> tuple[dict[int, str], set[int]]:
    """One text per unit, the adjudicator's first.

    From the reference a person's stands before a model's, unit by unit. From the generated text
    those count who count everywhere: people where any person answered, else models.
    """
    grid = board.grid(question)
    found: dict[int, str] = {}
    raters: set[int] = set()
    kinds = ["adjudicator", "human", "model", "automatic", "key"]
    if question == QUESTION and grid.codes[:, board.columns_of("human")].any():
        kinds = kinds[:2]
    columns = [c for kind in kinds for c in board.columns_of(kind)]
    if named is not None:
        own = [c for c, rater in enumerate(board.raters) if rater in named]
        # References often come from someone else than the raters a report is narrowed to.
        columns = own if grid.codes[:, own].any() else columns
    for column in columns:
        for unit in np.flatnonzero(grid.codes[:, column]):
            if int(unit) not in found:
                found[int(unit)] = str(grid.scale.values[grid.codes[unit, column] - 1])
                raters.add(int(column))
    return found, raters


def _dropped(board: Board, named: tuple[Any, ...] | None) -> set[tuple[int, int]]:
    if "keep" not in board.questions and "keep" not in board.question_names:
        return set()
    grid = board.grid("keep")
    columns, _ = board.counted(["keep"])
    if named is not None:
        columns = np.array([c for c, r in enumerate(board.raters) if r in named], dtype=int)
    said = consensus(board, grid, columns)
    gone = said == grid.scale.code("drop") if grid.scale.code("drop") else np.zeros(len(said), bool)
    return {(board.case[u], board.part[u]) for u in np.flatnonzero(gone & (said > 0))}


def _unscored(
    board: Board, generated: dict[int, str], by_case: dict[Any, str], dropped: set[Any]
) -> frozenset[int]:
    """The items of which some question was answered on one side only."""
    asked: dict[int, set[int]] = {}
    for case, part in by_case.keys() - dropped:
        asked.setdefault(case, set()).add(part)
    said: dict[int, set[int]] = {}
    cases = {}
    for unit in generated:
        owner, case, part = int(board.owner[unit]), board.case[unit], board.part[unit]
        cases[owner] = case
        mine = said.setdefault(owner, set())
        if (case, part) not in dropped:
            mine.add(part)
    return frozenset(
        owner for owner, mine in said.items() if mine != asked.get(cases[owner], set())
    )


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
    if options.interval is None:
        return Estimate(value, **common)
    found = interval_of(
        ratio,
        rows,
        np.ones(len(rows), dtype=np.int64),
        options,
        link=LOGIT if 0 < value < 1 else PLAIN,
        unit="clusters",
        edge=None,
    )
    common["warnings"] = (*common["warnings"], *found.warnings)
    return estimated(value, found, options, **common)


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
