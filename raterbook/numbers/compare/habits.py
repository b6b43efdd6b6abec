"""How a model rates in a round beside people: its scale, likings, confidence and moods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.comparison.annotators import LEAST as LEAST_TESTED
from raterbook.analysis.comparison.annotators import AnnotatorTest, Duels, duels, tested
from raterbook.analysis.comparison.confidence import Calibration, calibration
from raterbook.analysis.comparison.habits import (
    AGREED,
    SPLIT,
    GroupApart,
    by_agreement,
    groups_apart,
    habits,
    halo_effect,
    same_again,
    split_duels,
)
from raterbook.analysis.comparison.persons import LEAST, Contrast
from raterbook.analysis.ratings import Coded

from ..counted import Grid
from ..measures import drawn_with
from .comparison import Compared
from .sides import Sides, in_clusters, is_matched
from .strictness import likeness


def with_habits(
    sides: Sides, wanted: Sequence[Any], parts: Sequence[Compared], columns: Iterable[str]
) -> list[Compared]:
    """The parts of the whole round, with what the model does otherwise than people."""
    questions = {question.id: question for question in wanted}
    columns, found = list(columns), []
    for part in parts:
        if part.question is None:
            found.append(replace(part, habits=_of_all(sides, wanted)))
            continue
        asked = questions[part.question]
        coded = sides.coded(asked.id)
        found.append(
            replace(
                part,
                habits=_of_one(sides, asked, coded),
                unsure=likeness(
                    coded, coded.raters[-1], labels=asked.is_label, interval=sides.wish
                ),
                agreed=_by_agreement(sides, asked, coded),
                split=_split(sides, asked, coded),
                apart=_groups(sides, asked, coded, columns),
                calibration=_calibrated(sides, asked, coded),
            )
        )
    return found


def _of_all(sides: Sides, wanted: Sequence[Any]) -> tuple[Contrast, ...]:
    """How alike the model's scores on several questions are, beside each person's."""
    scores = [question for question in wanted if question.is_score]
    if len(scores) < 2:
        return ()
    several = [in_clusters(sides.coded(question.id), sides.board) for question in scores]
    return (halo_effect(several, several[0].raters[-1], interval=sides.wish),)


def _of_one(sides: Sides, question: Any, coded: Coded) -> tuple[Contrast, ...]:
    found: list[Contrast] = []
    if question.is_score:
        length, family = _lengths(sides), _family(sides)
        found += habits(coded, coded.raters[-1], length=length, family=family, interval=sides.wish)
    found += [each for each in (_again(sides, question), _flipped(sides, question)) if each]
    return tuple(found)


def _lengths(sides: Sides) -> Any:
    """How long each unit's text is, in characters; None where no column was named."""
    column = sides.columns.get("length")
    if column is None:
        return None
    texts = sides.board.first[column].astype(object)
    return np.array([np.nan if text is None or text != text else len(str(text)) for text in texts])


def _family(sides: Sides) -> Any:
    """Whether each unit's output is of the model's own family: `COLUMN=ITS OWN`."""
    place = sides.columns.get("family")
    if place is None:
        return None
    column, _, own = place.partition("=")
    labels = sides.board.first[column].astype(object)
    return np.where(labels.notna(), labels.astype(str).eq(own).astype(float), np.nan)


def _by_agreement(
    sides: Sides, question: Any, coded: Coded
) -> tuple[tuple[str, tuple[Contrast, ...]], ...]:
    names, model = SPLIT if question.is_score else ("exact", "kappa"), coded.raters[-1]
    matched = is_matched(question.level)
    found = by_agreement(coded, model, names=names, matched=matched, interval=sides.wish)
    there = {which: tuple(lines) for which, lines in found.items()}
    some = any(line.model.value is not None for lines in found.values() for line in lines)
    return tuple(there.items()) if some else ()


def _split(sides: Sides, question: Any, coded: Coded) -> tuple[tuple[str, AnnotatorTest], ...]:
    """The test where the others are of one mind, and where they are apart; of three persons."""
    persons, own = coded.raters[:-1], coded.codes[:, -1]
    if len(persons) < 3:
        return ()
    matched = is_matched(question.level)
    epsilon = sides.epsilon_of([question.id])

    @cache
    def every(kept: tuple[int, ...]) -> tuple[Coded, Duels]:
        people = coded.only([persons[j] for j in kept])
        return people, duels(people, own, matched)

    def test(alike: bool) -> AnnotatorTest:
        def made(kept: Sequence[int]) -> Duels:
            return split_duels(*every(tuple(kept)), alike)

        return tested(
            made,
            len(persons),
            epsilon=epsilon,
            least=LEAST_TESTED,
            wish=sides.wish,
            level=sides.level,
        )

    return tuple((which, test(alike)) for which, alike in AGREED.items())


def _groups(
    sides: Sides, question: Any, coded: Coded, columns: Sequence[str]
) -> tuple[GroupApart, ...]:
    """By the columns that numbers are broken down by, the system's among them."""
    system = sides.stored.protocol.item.system
    first = sides.board.first
    names = [name for name in dict.fromkeys([*columns, system or ""]) if name in first.columns]
    labels = {name: first[name].astype(object).to_numpy() for name in names}
    return tuple(
        groups_apart(
            coded,
            coded.raters[-1],
            labels,
            matched=not question.is_score,
            interval=sides.wish,
        )
    )


def _calibrated(sides: Sides, question: Any, coded: Coded) -> Calibration | None:
    grid = sides.board.grid(question.id)
    if grid.confidence is None:
        return None
    columns = np.append(sides.people(grid), sides.own)
    stated = grid.confidence[np.ix_(np.asarray(coded.units), columns)] / 100
    if np.isfinite(stated[:, -1]).sum() < LEAST:
        return None
    return calibration(coded, coded.raters[-1], stated, interval=sides.wish)


# What is asked more than once: the same again, or with the two answers the other way round.


def _again(sides: Sides, question: Any) -> Contrast | None:
    """How often an answer that was asked for again is the same."""
    frame = sides.frame
    if frame is None or not frame["replicate"].gt(1).any():
        return None
    rows = frame[frame["question"].astype(object).eq(question.id)]
    rows = rows[rows["rater"].astype(object).isin([*map(str, sides.names), sides.model])]
    if not rows["replicate"].gt(1).any():
        return None
    both = given_again(rows.assign(cluster=drawn_with(rows)), "cluster")
    places = ["item", "case", "part", "replicate", "cluster"]
    table = both.pivot(index=places, columns="rater", values="same").astype(float)
    if sides.model not in table:
        return None
    table = table.reindex(columns=[*(n for n in table if n != sides.model), sides.model])
    clusters = table.index.get_level_values("cluster").to_numpy()
    return same_again("stability", table.to_numpy(float), clusters, list(table), sides.wish)


def given_again(frame: pd.DataFrame, *more: str) -> pd.DataFrame:
    """Answers given again, with `more` columns of theirs: is each the `same` as the first?"""
    keys = ["rater", "item", "case", "part", "question"]
    rows = frame[frame["status"].astype(object).eq("answered")]
    plain = rows[[*keys, "value", "replicate", *more]].copy()
    for column in (*keys, "value"):
        plain[column] = plain[column].astype(object).where(plain[column].notna(), "").astype(str)
    first = plain.loc[plain["replicate"].eq(1), [*keys, "value"]]
    both = plain[plain["replicate"].gt(1)].merge(first, on=keys, suffixes=("", "_first"))
    return both.assign(same=both["value"].eq(both["value_first"]))


def _flipped(sides: Sides, question: Any) -> Contrast | None:
    """How often the choice changes where two answers change places.

    Items of one case (and system) that differ in the column `order` show the same two the other
    way round; the question's first two values then say the opposite.
    """
    column = sides.columns.get("order")
    if column is None or question.is_score:
        return None
    board, grid = sides.board, sides.board.grid(question.id)
    pairs = _pairs(sides, grid, column)
    if not len(pairs):
        return None
    columns = np.append(sides.people(grid), sides.own)
    other_way = np.arange(len(grid.scale.values) + 1)
    other_way[[1, 2]] = 2, 1
    first, second = (grid.codes[np.ix_(pairs[:, side], columns)] for side in (0, 1))
    both = (first > 0) & (second > 0)
    changed = np.where(both, (first != other_way[second]).astype(float), np.nan)
    if np.isnan(changed[:, -1]).all():
        return None
    names = [board.raters[at] for at in columns]
    return same_again("flips", changed, board.cluster[pairs[:, 0]], names, sides.wish)


def _pairs(sides: Sides, grid: Grid, column: str) -> np.ndarray:
    """Two units a row: one case, one part, one system, and two orders."""
    board = sides.board
    order, system = board.first[column].astype(object), sides.stored.protocol.item.system
    made_by = board.first[system].astype(object) if system in board.first else order.map(str) * 0
    found: dict[tuple[Any, ...], list[int]] = {}
    for unit in np.flatnonzero(grid.codes.any(axis=1)):
        if order[unit] is not None and order[unit] == order[unit]:
            key = (board.case[unit], board.part[unit], str(made_by[unit]))
            found.setdefault(key, []).append(int(unit))
    return np.array(
        [
            sorted(units, key=lambda unit: str(order[unit]))
            for units in found.values()
            if len(units) == 2 and order[units[0]] != order[units[1]]
        ],
        dtype=int,
    ).reshape(-1, 2)
