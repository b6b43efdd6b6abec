"""A model beside people, question by question: may it replace them, assist them, or not?

What people and the model answered is compared as numbers.json does; beside each number stands that
of a person who is left out in turn, since two people are not one mind either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import unit_means
from raterbook.analysis.averages.against import COMPARISONS, estimates_against
from raterbook.analysis.coefficients.tables import coefficient
from raterbook.analysis.comparison import ratio_over_clusters
from raterbook.analysis.comparison.annotators import LEAST, AnnotatorTest, Duels, duels, tested
from raterbook.analysis.comparison.corrected import ppi_mean, rogan_gladen
from raterbook.analysis.comparison.persons import STATISTICS, beside_persons
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.ratings import Coded

from ...protocols.statistics import alpha_at
from ...rounds import Round, RoundError
from ..counted import Grid
from ..parameters import Parameters, checked
from ..targets import Sight, in_sight, refuse_hidden
from .comparison import Compared, Comparison, Shown, Verdict, verdict_of
from .habits import with_habits
from .ranking import Ranking, ranking_of
from .rows import numbers_of
from .sides import (
    EVERY,
    Sides,
    board_of,
    frame_with,
    in_clusters,
    is_matched,
    sides_of,
    the_model,
    the_models,
)
from .strictness import Strictness, severities, strictness

OF_LABELS = ("exact", "kappa")  # of the statistics, those that need no numbers


def compare(
    stored: Round,
    model: str | None = None,
    *,
    epsilon: float | str | Mapping[str, float] | None = None,
    inclusion: str | None = None,
    **parameters: Any,
) -> Comparison:
    """The model's answers beside people's: question by question, together, and by group.

    Without a name it is the round's only model. `epsilon` is how much oftener a person may be
    nearer to the others, to be said before looking: a share, `experts` (.2), `skilled` (.15) or
    `crowd` (.1), or by question, `{"tone": .2, "overall": .1}`, where all together are `overall`.
    `inclusion` is the item column that says with which chance each item came to people,
    where people rated some items only. Further parameters are those of a report: questions,
    raters, groups, coverage, pseudonyms, and columns: `["length=answer", "order=shown"]`.
    """
    given, sight = parameters_of(stored, epsilon, inclusion, parameters)
    model = the_model(stored, model)
    frame = frame_with(stored, given, sight)
    sides = sides_of(stored, frame, model, given, sight=sight)
    found = comparison_of(sides, given, grouped(stored, frame, given))
    if found is None:
        raise RoundError(nothing_to_compare(stored.name, model))
    return with_severity(found, strictness_of([sides], given))


def parameters_of(
    stored: Round, epsilon: Any, inclusion: str | None, further: Mapping[str, Any]
) -> tuple[Parameters, Sight | None]:
    """A comparison's parameters, at the coverage of what may be seen by now, and that.

    What may be said in short joins those of a report.
    """
    given = dict(further)
    if epsilon is not None:
        given["epsilon"] = epsilon
    found = checked(stored.name, given)
    extra = () if inclusion is None else (f"inclusion={inclusion}",)
    found = replace(found, columns=(*found.columns, *extra))
    return in_sight(stored, found, refuse_hidden)


def nothing_to_compare(round: str, model: str) -> str:
    return (
        f"{round}: {model} and people answered no item both; import people's answers, "
        f"or let the model judge: raterbook judge {round} --model {model}"
    )


def comparison_of(
    sides: Sides, given: Parameters, columns: Iterable[str] = (), habits: bool = True
) -> Comparison | None:
    """All questions both sides answered, then by the groups of these columns; None without any.

    Of all items, the model's habits and its confidence too, where they are wanted.
    """
    wanted = [q for q in sides.stored.protocol.questions if q.is_score or q.is_label]
    if given.questions is not None:
        wanted = [q for q in wanted if q.id in given.questions]
    wanted = [q for q in wanted if sides.both(q.id).any()]
    if not wanted:
        return None
    parts = _parts(sides, wanted, sides.board.everything, {})
    if habits:
        parts = with_habits(sides, wanted, parts, columns)
    for column in columns:
        labels = sides.board.first[column].astype(object)
        for value in sorted(labels.dropna().unique(), key=str):
            mask = labels.eq(value).to_numpy()
            rich = [q for q in wanted if (sides.both(q.id) & mask).sum() >= LEAST]
            if rich and not mask.all():
                parts += _parts(sides, rich, mask, {column: value})
    name, notes = sides.stored.name, sides.notes()
    return Comparison(name, sides.model, tuple(parts), given.coverage, notes)


def strictness_of(several: Sequence[Sides], given: Parameters) -> Strictness | None:
    """One model of all raters for all comparisons: the round's models and people."""
    if not several:
        return None
    stored, board, frame = several[0].stored, several[0].board, several[0].frame
    asked = [q for q in stored.protocol.questions
             if given.questions is None or q.id in given.questions]  # fmt: skip
    machines = [str(board.raters[at]) for at in board.columns_of("model")]
    models = dict.fromkeys([*machines, *(sides.model for sides in several)])
    if given.raters is not None and frame is not None:
        board = board_of(stored, frame, given.raters)
    system, wish = stored.protocol.item.system, several[0].wish
    return strictness(board, asked, models=models, system=system, interval=wish)


def with_severity(found: Comparison, strict: Strictness | None) -> Comparison:
    """The comparison with the model's severity beside people's."""
    if strict is None:
        return found
    whole, own = found.overall, severities(strict, found.model)
    parts = (replace(each, severity=own) if each is whole else each for each in found.parts)
    return replace(found, parts=tuple(parts))


def grouped(stored: Round, frame: pd.DataFrame, given: Parameters) -> list[str]:
    """The item columns of the frame that numbers are broken down by: the protocol's, and others."""
    wanted = {*stored.protocol.item.groups, *given.groups}
    return [name for name in frame.columns if name in wanted]


def judged(
    stored: Round, given: Parameters, frame: pd.DataFrame, sight: Sight | None = None
) -> list[dict[str, Any]]:
    """The rows of numbers.json that a report asks for with `judge`; none where it asks for none."""
    if not given.judge:
        return []
    every = beside_people(stored, frame, given, sight)
    numbers = [number for _, found in every.values() for number in numbers_of(found)]
    if every:
        numbers += ranking_of(stored.name, every).numbers()
    return [number.row() for number in numbers]


def beside_people(
    stored: Round, frame: pd.DataFrame, given: Parameters, sight: Sight | None = None
) -> dict[str, tuple[Sides, Comparison]]:
    """Each model asked for: the sides and their comparison; those named must have one."""
    if not given.judge:
        return {}
    models = the_models(stored, given.judge)
    if given.columns:
        frame = frame_with(stored, given, sight)
    board, columns = board_of(stored, frame), grouped(stored, frame, given)
    every = {}
    for model in models:
        sides = sides_of(stored, frame, model, given, board, sight)
        found = comparison_of(sides, given, columns)
        if found is None and model in given.judge:
            raise RoundError(nothing_to_compare(stored.name, model))
        if found is not None:
            every[model] = sides, found
    strict = strictness_of([sides for sides, _ in every.values()], given)
    return {name: (sides, with_severity(each, strict)) for name, (sides, each) in every.items()}


def rank(
    stored: Round,
    models: Sequence[str] = (EVERY,),
    *,
    epsilon: float | str | Mapping[str, float] | None = None,
    inclusion: str | None = None,
    **parameters: Any,
) -> Ranking:
    """Several models beside the same people, each test corrected for all of them.

    Without names, every model of the round that people can be set beside. The rest is as for
    `compare`, whose comparisons are in `comparisons`, each of one model alone.
    """
    parameters["judge"] = list(models)
    given, sight = parameters_of(stored, epsilon, inclusion, parameters)
    found = beside_people(stored, frame_with(stored, given, sight), given, sight)
    if len(found) < 2:
        only = ", ".join(found) or "none"
        automatic = [each.name for each in stored.raters() if each.kind == "automatic"]
        alone = next(iter([*found, *automatic]), None)
        remedy = f"--model {alone} compares it alone; " if alone else ""
        raise RoundError(
            f"{stored.name}: a ranking needs two models that answered items people did ({only}): "
            f"{remedy}raterbook judge {stored.name} --model NAME asks a model."
        )
    return ranking_of(stored.name, found)


def _parts(
    sides: Sides, wanted: Sequence[Any], mask: np.ndarray, group: Mapping[str, Any]
) -> list[Compared]:
    """All questions together first, then each."""
    each = [_compared(sides, question, mask, group) for question in wanted]
    return [_together(sides, wanted, each, mask, group), *each] if len(each) > 1 else each


def _compared(sides: Sides, question: Any, mask: np.ndarray, group: Mapping[str, Any]) -> Compared:
    board, wish = sides.board, sides.wish
    grid = board.grid(question.id)
    people = sides.people(grid)
    both = sides.both(question.id) & mask
    coded, matched = sides.coded(question.id, mask), is_matched(question.level)
    names = STATISTICS if question.is_score else OF_LABELS
    against = [name for name in names if name in COMPARISONS]
    plain = tuple(estimates_against(coded, coded.raters[-1], against, wish))
    model = coded.raters[-1]
    beside = tuple(beside_persons(coded, model, names=names, matched=matched, interval=wish))
    test = _tested(sides, [(coded, matched)], sides.epsilon_of([question.id]))
    seen = grid.codes[:, people].any(axis=1) & mask
    found = Compared(
        question.id,
        group,
        board.n_items(np.flatnonzero(both)),
        int((seen & ~both).sum()),
        plain,
        beside,
        _alphas(sides, grid, people, both, question.level),
        test,
        tuple(_means(sides, question, grid, mask)),
        Verdict("", ""),
    )
    return replace(found, verdict=verdict_of(found, sides.model))


def _together(
    sides: Sides,
    wanted: Sequence[Any],
    each: Sequence[Compared],
    mask: np.ndarray,
    group: Mapping[str, Any],
) -> Compared:
    """The test of all questions at once: a case, or its cluster, is one draw."""
    several = []
    for question in wanted:
        coded = in_clusters(sides.coded(question.id, mask), sides.board)
        several.append((coded, is_matched(question.level)))
    units = np.unique(np.concatenate([np.asarray(coded.units) for coded, _ in several]))
    found = Compared(
        None,
        group,
        sides.board.n_items(units),
        sum(part.unanswered for part in each),
        (),
        (),
        (),
        _tested(sides, several, sides.epsilon_of([q.id for q in wanted], together=True)),
        (),
        Verdict("", ""),
    )
    return replace(found, verdict=verdict_of(found, sides.model, each))


def _tested(sides: Sides, several: Sequence[tuple[Coded, bool]], epsilon: float) -> AnnotatorTest:
    """The alternative-annotator test of these questions' answers, the model's being the last."""
    persons = list(dict.fromkeys(name for coded, _ in several for name in coded.raters[:-1]))

    def made(kept: Sequence[int]) -> Duels:
        names = [persons[j] for j in kept]
        found = []
        for coded, matched in several:
            own = coded.codes[:, -1]
            table = coded.only([name for name in names if name in coded.raters])
            found.append(duels(table, own, matched))
        return Duels.pooled(found, names)

    return tested(
        made,
        len(persons),
        epsilon=epsilon,
        least=LEAST,
        wish=sides.wish,
        level=sides.level,
    )


def _alphas(
    sides: Sides, grid: Grid, people: np.ndarray, both: np.ndarray, level: str | None
) -> tuple[Estimate, ...]:
    """α of the people, and with the model among them, on the same units."""
    paired = both & ((grid.codes[:, people] > 0).sum(axis=1) > 1)
    if not paired.any():
        return ()
    coded = sides.board.ratings(grid, np.append(people, sides.own), paired)
    name = alpha_at(level)
    return tuple(
        coefficient(name, each, sides.wish) for each in (coded.only(coded.raters[:-1]), coded)
    )


def _means(sides: Sides, question: Any, grid: Grid, mask: np.ndarray) -> list[Shown]:
    """The mean of scores, or the share of each label, from all items the model answered."""
    own = (grid.codes[:, sides.own] > 0) & mask
    units = np.flatnonzero(own)
    codes = grid.codes[np.ix_(units, np.append(sides.people(grid), sides.own))]
    rated = codes[:, :-1].any(axis=1)
    clusters = sides.board.cluster[units]
    chances = None if rated.all() else sides.chances(units, rated)
    known = bool(rated.all()) or chances is not None
    if question.is_score:
        x = np.append(np.nan, grid.scale.numbers)[codes]
        return [_shown(None, x, clusters, chances, known, sides)]
    found = []
    for code, label in enumerate(grid.scale.values, start=1):
        x = np.where(codes > 0, (codes == code).astype(float), np.nan)
        found.append(_shown(str(label), x, clusters, chances, known, sides))
    return found


def _shown(
    label: str | None,
    x: np.ndarray,
    clusters: np.ndarray,
    chances: np.ndarray | None,
    known: bool,
    sides: Sides,
) -> Shown:
    table, own = x[:, :-1], x[:, -1]
    found = ppi_mean(table, own, cluster=clusters, inclusion=_uneven(chances), interval=sides.wish)
    alone = ppi_mean(table, own, cluster=clusters, interval=sides.wish) if found.value is None \
        else found  # fmt: skip
    people, model = (alone.beside[name] for name in ("people", "model"))
    by_rates = None
    if np.isfinite(table).any(axis=1).all():
        found = Estimate(None, statistic="ppi_mean", reason="nothing_to_correct")
    elif not known:
        found = Estimate(None, statistic="ppi_mean", reason="inclusion_unknown")
    elif label is not None and _uneven(chances) is None:
        by_rates = _by_rates(table, own, clusters, sides.wish.coverage)
    return Shown(label, people, model, found, by_rates)


def _uneven(chances: np.ndarray | None) -> np.ndarray | None:
    """Chances that are all alike weigh nothing."""
    if chances is None or (np.isfinite(chances).all() and np.ptp(chances) < 1e-12 < chances.min()):
        return None
    return chances


def _by_rates(
    table: np.ndarray, own: np.ndarray, clusters: np.ndarray, coverage: float
) -> Estimate:
    """Rogan and Gladen's, each count divided by its design effect."""
    share = unit_means(table)
    yes, no, unknown = share > 0.5, share < 0.5, np.isnan(share)

    def counts(hit: np.ndarray, keep: np.ndarray) -> tuple[float, float]:
        if not keep.any():
            return 0.0, 0.0
        found = ratio_over_clusters(hit[keep].astype(float), clusters[keep])
        effect = found.design_effect if np.isfinite(found.design_effect) else 1.0
        n = found.n / max(effect, 1.0)
        return found.value * n, n

    right, wrong = counts(own > 0.5, yes), counts(own < 0.5, no)
    return rogan_gladen(right, wrong, counts(own > 0.5, unknown), coverage=coverage)
