"""How strict each rater of a round is, people and models together, by the many-facet Rasch model;
and how a model stands to what people make of an item where they are unsure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from raterbook.analysis.comparison.habits import same_again
from raterbook.analysis.comparison.labels import dawid_skene
from raterbook.analysis.comparison.persons import Contrast, absent, clusters_of
from raterbook.analysis.comparison.rasch import Rasch
from raterbook.analysis.comparison.uncertainty import distance
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Interval, Wish
from raterbook.analysis.ratings import Coded

from ..agreement import severities_of, severity_model
from ..counted import Board, Grid

WELL_FITTED = 1.5  # mean squares above which a rater is less predictable than the model has them


@dataclass(frozen=True)
class Strictness:
    """The model of a round's raters: of which questions, and who of them are models.

    `centre` are those whose severities average 0, people where there are any.
    """

    rasch: Rasch
    questions: tuple[str, ...]
    models: tuple[str, ...]
    centre: tuple[str, ...]


def strictness(
    board: Board,
    questions: Iterable[Any],
    *,
    models: Iterable[str] = (),
    system: str | None = None,
    interval: Wish = "jackknife",
) -> Strictness | None:
    """Of the scores on the commonest scale, by those who count and these models beside them.

    Means of systems are of those who count. None where nobody scored on any one scale.
    """
    of: dict[tuple[Any, ...], list[Grid]] = {}
    scores = [q for q in questions if q.is_score and q.id in board.question_names]
    kinds = {q.id: board.counted([q.id])[1] for q in scores}
    by_people = "human" in kinds.values()  # else models count, or whoever was named
    for question in scores:
        if not by_people or kinds[question.id] == "human":
            grid = board.grid(question.id)
            if grid.scale.values:
                of.setdefault(tuple(grid.scale.values), []).append(grid)
    if not of:
        return None
    grids = max(of.values(), key=len)
    names = [str(name) for name in board.raters]
    counted, _ = board.counted([grid.question for grid in grids])
    beside = [names.index(name) for name in models if name in names]
    beside = [column for column in beside if column not in counted]
    columns = np.append(counted, beside).astype(int)
    given = np.any([grid.codes > 0 for grid in grids], axis=0)
    centre = tuple(board.raters[column] for column in counted if given[:, column].any())
    if not centre:
        return None
    groups = _systems(board, np.flatnonzero(given[:, columns].any(axis=1)), system)
    how = {"groups": groups, "centre": centre, "interval": interval}
    found = severity_model(board, grids, columns, board.everything, **how)
    asked = tuple(grid.question for grid in grids)
    models = tuple(names[column] for column in beside)
    return Strictness(found, asked, models, tuple(map(str, centre)))


def severities(found: Strictness, model: str) -> tuple[tuple[str | None, Estimate], ...]:
    """The model's severity in logits, where people's mean is 0, and how far people's reach."""
    each = severities_of(found.rasch, "severity_beside")
    centre = [each[name] for name in each if str(name) in found.centre]
    people = sorted((e for e in centre if e.value is not None), key=float)
    own = next((e for name, e in each.items() if str(name) == model), None)
    if own is None:
        return ()
    if len(people) < 2:
        return ((None, own),)
    return ((None, own), ("strictest person", people[-1]), ("most lenient person", people[0]))


def _systems(board: Board, units: np.ndarray, column: str | None) -> dict[Any, str] | None:
    """Each of these units' system; None where one has none, or there is but one."""
    if not column or column not in board.first.columns:
        return None
    labels = board.first[column].astype(object)
    if labels.iloc[units].isna().any() or labels.iloc[units].nunique() < 2:
        return None
    return {unit: str(labels.iloc[unit]) for unit in units}


def likeness(coded: Coded, model: Any, *, labels: bool, interval: Wish) -> tuple[Contrast, ...]:
    """The model beside people where these are unsure: by labels how often each gives what the
    others' answers make likeliest, which its interval takes as given, by scores how far each lies
    from the others' distribution."""
    if not labels:
        far = distance(coded, model, interval=interval)
        return (Contrast("distance", far.in_place, far.persons, far.difference),)
    name = "label_accuracy"
    found = dawid_skene(coded, without=model, interval=None)
    own = found.raters.set_index("rater").loc[model]
    if own["accuracy"] is None:
        return (absent(name, own["reason"]),)
    names = [rater for rater in coded.raters if rater != model]
    hits = found.hits[[*names, model]].to_numpy(dtype=float)
    line = same_again(name, hits, clusters_of(coded), [*names, model], Interval.of(interval))
    if line.persons.value is not None:
        return (line,)
    none = absent(name, "too_few_for_truth")
    return (replace(none, model=line.model),)
