"""Whose answers to RAGQuestEval's questions count, and how alike the two sides are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import add_up, ratio
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Interval, UnitSums, estimated, interval_of
from raterbook.analysis.intervals.resampling import LOGIT
from raterbook.analysis.ratings.patterns import divide
from raterbook.analysis.text import token_f1
from raterbook.numbers.counted import Board, consensus, listed
from raterbook.numbers.measures import Finding, Task, computes
from raterbook.protocols.conditions import is_unanswerable
from raterbook.rounds.model import STANDING

QUESTION = "generated_answer"
NEVER = len(STANDING)
PLACES = {kind: place for place, kind in enumerate(STANDING)}


@dataclass(frozen=True)
class Trace:
    """One entry per question and generated text: who could answer it, and how alike.

    Of k answers from the reference and m from the text, each of the k × m pairs weighs 1/(k·m).
    """

    unit: np.ndarray
    item: np.ndarray
    cluster: np.ndarray
    from_reference: np.ndarray  # the weight of the pairs with an answer from the reference
    from_text: np.ndarray
    both: np.ndarray
    f1: np.ndarray  # summed over the pairs by weight, 0 where one of the two has no answer
    answers: np.ndarray  # how many from the text
    raters: int
    unscored: frozenset[int]  # items of which a question was answered on one side only


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
        each.name: getattr(whole, each.name)[keep]
        for each in fields(Trace)
        if each.name not in ("raters", "unscored")
    }
    return replace(whole, **part, unscored=whole.unscored & set(board.owner[task.mask]))


def _whole_trace(board: Board, tokeniser: str, named: tuple[Any, ...] | None) -> Trace:
    """Each generated text's answers beside the reference's, question by question.

    Nothing is ever aligned by position.
    """
    generated, raters = _answers(board, QUESTION, named)
    reference, more = _answers(board, "reference_answer", named)
    dropped = _dropped(board, named)
    by_case = {(board.case[u], board.part[u]): texts for u, texts in reference.items()}
    units, weights = [], []
    for at, texts in generated.items():
        place = (board.case[at], board.part[at])
        if place not in dropped and place in by_case:
            units.append(at)
            weights.append((*_paired(by_case[place], texts, tokeniser), len(texts)))
    unit = np.array(units, dtype=int)
    # In the order of their names, so that sums do not turn on who answered first.
    names = board.first["item"].astype(object).where(board.of_item, board.first["case"])
    item, _ = pd.factorize(names.to_numpy()[unit].astype(str), sort=True)
    of_reference, of_text, both, f1, answers = (
        np.array(weights, dtype=float).reshape(len(weights), 5).T
    )
    return Trace(
        unit,
        item,
        board.cluster[unit],
        of_reference,
        of_text,
        both,
        f1,
        answers,
        len(raters | more),
        _unscored(board, generated, by_case, dropped),
    )


def _paired(
    reference: list[str], generated: list[str], tokeniser: str
) -> tuple[float, float, float, float]:
    """The weight with an answer from the reference, from the text, from both, and the F1 of these.

    Counts of equal texts are added up in the order of the texts, so that nobody's name matters.
    """
    a, b = (
        Counter(text for text in texts if not is_unanswerable(text))
        for texts in (reference, generated)
    )
    k, m = len(reference), len(generated)
    shared = sum(
        n * times * token_f1(one, other, tokeniser)
        for one, n in sorted(a.items())
        for other, times in sorted(b.items())
    )
    # Products of counts before the division: rounding must not set 1 apart from 1.
    return a.total() / k, b.total() / m, a.total() * b.total() / (k * m), shared / (k * m)


def _answers(
    board: Board, question: str, named: tuple[Any, ...] | None
) -> tuple[dict[int, list[str]], set[int]]:
    """The texts that count by unit, and the columns of those who gave them."""
    grid = board.grid(question)
    rank = np.where(grid.codes > 0, _standing(board, question, named), NEVER)
    counts = (rank == rank.min(axis=1, initial=NEVER, keepdims=True)) & (rank < NEVER)
    units, columns = np.nonzero(counts)
    found: dict[int, list[str]] = {}
    for unit, code in zip(units.tolist(), grid.codes[units, columns].tolist(), strict=True):
        found.setdefault(unit, []).append(str(grid.scale.values[code - 1]))
    return found, set(columns.tolist())


def _standing(board: Board, question: str, named: tuple[Any, ...] | None) -> np.ndarray:
    """Each column's place in line; where several raters answered, the first in line count.

    From the reference the kinds stand in line unit by unit. From the generated text those count
    who count everywhere: people where any person answered, else models, else those named; an
    adjudicator's answer stands alone.
    """
    answered = np.asarray((board.grid(question).codes > 0).any(axis=0))
    own = (
        None if named is None else np.array([rater in named for rater in board.raters], dtype=bool)
    )
    return in_line(question, board.kinds, answered, own)


def in_line(
    question: str, kinds: Iterable[str], answered: np.ndarray, own: np.ndarray | None
) -> np.ndarray:
    """The same of raters, or rows, of these kinds; `own` are those named, where any are."""
    rank = np.array([PLACES.get(kind, NEVER) for kind in kinds], dtype=int)
    person = PLACES["human"]
    if own is not None:
        if question == QUESTION:
            return np.where(own, np.minimum(rank, person), NEVER)
        # References often come from someone else than the raters a report is narrowed to.
        return np.where(own, rank, NEVER) if (answered & own).any() else rank
    if question == QUESTION and (answered & (rank == person)).any():
        return np.where(rank <= person, rank, NEVER)
    return rank


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
    board: Board,
    generated: dict[int, list[str]],
    by_case: dict[Any, list[str]],
    dropped: set[Any],
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


# RAGQuestEval: how much of the reference's content another text carries, and how rightly.


NAMES = ("recall", "recall_over_all", "precision", "precision_over_kept", "precision_over_all")
AGGREGATES = ("macro", "micro", "compatible")


@computes(*NAMES)
def questeval(task: Task) -> list[Finding]:
    """Macro, micro and compatible aggregates; the last counts upstream's zeros."""
    wanted = task.measure.get("tokeniser")
    several = listed(wanted or [])
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


def aggregated(name: str, traced: Trace, aggregate: str, options: Interval) -> Estimate:
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
    parts = parts_of(aggregate, top, bottom, upstream_zero)
    if parts[1].sum() <= 0:
        return Estimate(None, reason=_why(name, traced), **common)
    _, codes = np.unique(clusters, return_inverse=True)
    rows = add_up(codes.ravel(), parts)
    value = float(rows[:, 0].sum() / rows[:, 1].sum())
    if options.method is None:
        return Estimate(value, **common)
    ones = np.ones(len(rows), dtype=np.int64)
    sample = UnitSums(rows, ones, "clusters", "cluster", sizes=rows[:, 1])
    found = interval_of(ratio, sample, options, link=LOGIT)
    common["warnings"] = (*common["warnings"], *found.warnings)
    return estimated(value, found, options, **common)


def parts_of(
    aggregate: str | None, top: np.ndarray, bottom: np.ndarray, upstream_zero: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What each sample adds to the number, and to what that is divided by."""
    if aggregate == "micro":
        return top, bottom
    own = divide(top, bottom, 0.0)
    if aggregate == "compatible":
        return np.where(upstream_zero, 0.0, own), np.ones(len(own))
    return own, (bottom > 0).astype(float)


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
    sums = add_up(codes.ravel(), (top, bottom, ref, both))
    return sums[:, 0], sums[:, 1], (sums[:, 2] == 0) | (sums[:, 3] == 0)


def _why(name: str, traced: Trace) -> str:
    if not traced.from_reference.any() and name in ("recall", "precision", "precision_over_kept"):
        return "no_gt_answerable"
    return "no_answered"
