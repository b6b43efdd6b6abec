"""Whose answers to RAGQuestEval's questions count, and how alike the two sides are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.board import Board
from analysis.measures.consensus import consensus
from analysis.measures.finding import Task
from analysis.tokens import is_unanswerable, token_f1

QUESTION = "generated_answer"
# Of the raters who answered a question, those of the first of these kinds count, all alike.
STANDING = ("adjudicator", "human", "model", "automatic", "key")
NEVER = len(STANDING)


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
    of_reference, of_text, both, f1, answers = np.array(weights, dtype=float).reshape(-1, 5).T
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
    answered = (board.grid(question).codes > 0).any(axis=0)
    places = {kind: place for place, kind in enumerate(STANDING)}
    rank = np.array([places.get(kind, NEVER) for kind in board.kinds], dtype=int)
    person = places["human"]
    if named is not None:
        own = np.array([rater in named for rater in board.raters], dtype=bool)
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
