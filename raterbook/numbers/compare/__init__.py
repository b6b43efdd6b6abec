"""A model beside people, question by question: may it replace them, assist them, or not?

What people and the model answered is compared as numbers.json does; beside each number stands that
of a person who is left out in turn, since two people are not one mind either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from raterbook.analysis.intervals import USUAL, Interval
from raterbook.analysis.ratings import Coded

from ...protocols.statistics import alpha_at
from ...rounds import Round
from ..compute import cluster_of, frame_of, questions_of
from ..counted import MACHINES, Board, Grid
from ..parameters import Parameters, checked
from ..targets import Sight, refuse_hidden
from .comparison import Compared, Comparison, Shown, Verdict, verdict_of

EPSILON = 0.15
OF_LABELS = ("exact", "kappa")  # of the statistics, those that need no numbers


def compare(
    stored: Round,
    model: str | None = None,
    *,
    epsilon: float = EPSILON,
    inclusion: str | None = None,
    **parameters: Any,
) -> Comparison:
    """The model's answers beside people's: question by question, together, and by group.

    Without a name it is the round's only model. `epsilon` is how much oftener a person may be
    nearer to the others (.2 for experts, .15 for skilled people, .1 for crowds), to be said before
    looking. `inclusion` is the item column that says with which chance each item came to people,
    where people rated some items only. Further parameters are those of a report: questions,
    raters, groups, coverage, pseudonyms.
    """
    if not 0 <= epsilon < 0.5:
        raise ValueError(f"epsilon {epsilon!r}: give a share from 0 to .5, such as .15")
    given = checked(stored.name, parameters)
    sight = refuse_hidden(stored, given.coverage)
    given = given if sight is None else sight.parameters(given)
    model = the_model(stored, model)
    extra = [inclusion] if inclusion is not None and inclusion not in given.groups else []
    frame = frame_of(stored, replace(given, groups=(*given.groups, *extra)), sight=sight)
    sides = sides_of(stored, frame, model, given, sight)
    sides = replace(sides, epsilon=epsilon, inclusion=inclusion)
    columns = [name for name in frame.columns if name in stored_groups(stored, given)]
    found = comparison_of(sides, given, columns)
    if found is None:
        raise ValueError(
            f"{stored.name}: {model} and people answered no item both; import people's answers, "
            f"or let the model judge: raterbook judge {stored.name} --model {model}"
        )
    return found


def sides_of(
    stored: Round,
    frame: pd.DataFrame,
    model: str,
    given: Parameters,
    sight: Sight | None = None,
) -> Sides:
    """The model and the people of a round's frame, tested at the level of the round's look."""
    board = Board(frame, questions_of(stored.protocol), cluster=cluster_of(frame))
    wish = replace(USUAL, coverage=given.coverage)
    level = 0.05 if sight is None else sight.level(sides=1)
    return Sides(stored, board, model, EPSILON, None, wish, given.raters, level, sight)


def comparison_of(
    sides: Sides, given: Parameters, columns: Iterable[str] = ()
) -> Comparison | None:
    """All questions both sides answered, then by the groups of these columns; None without any."""
    wanted = [q for q in sides.stored.protocol.questions if q.is_score or q.is_label]
    if given.questions is not None:
        wanted = [q for q in wanted if q.id in given.questions]
    wanted = [q for q in wanted if sides.both(q.id).any()]
    if not wanted:
        return None
    parts = _parts(sides, wanted, sides.board.everything, {})
    for column in columns:
        labels = sides.board.first[column].astype(object)
        for value in sorted(labels.dropna().unique(), key=str):
            mask = labels.eq(value).to_numpy()
            rich = [q for q in wanted if (sides.both(q.id) & mask).sum() >= LEAST]
            if rich and not mask.all():
                parts += _parts(sides, rich, mask, {column: value})
    name, notes = sides.stored.name, sides.notes()
    return Comparison(name, sides.model, sides.epsilon, tuple(parts), given.coverage, notes)


def stored_groups(stored: Round, given: Parameters) -> tuple[str, ...]:
    """The item columns that numbers are broken down by: the protocol's and those asked for."""
    return tuple(dict.fromkeys([*stored.protocol.item.groups, *given.groups]))


def the_model(stored: Round, name: str | None) -> str:
    """The rater of this name, who must be no person; without a name the round's only model."""
    kinds = {each.name: each.kind for each in stored.raters()}
    models = [each for each, kind in kinds.items() if kind in MACHINES]
    known = ", ".join(models) or "none yet"
    if name is None:
        if len(models) != 1:
            raise ValueError(f"{stored.name}: name the model to compare ({known}).")
        return models[0]
    if name not in kinds:
        raise ValueError(f"{stored.name} has no model {name!r}; its models: {known}.")
    if name not in models:
        raise ValueError(
            f"{name} is a rater of kind {kinds[name]} in {stored.name}: name a model ({known})."
        )
    return name


@dataclass(frozen=True)
class Sides:
    """The answers of both sides of one round."""

    stored: Round
    board: Board
    model: str
    epsilon: float
    inclusion: str | None
    wish: Interval
    raters: tuple[str, ...] | None = None
    level: float = 0.05  # of the test
    sight: Sight | None = None

    @property
    def own(self) -> int:
        """The model's column; the board may call nobody so."""
        names = [str(name) for name in self.board.raters]
        return names.index(self.model) if self.model in names else -1

    def people(self, grid: Grid) -> np.ndarray:
        columns = self.board.columns_of("human")
        if self.raters is not None:
            names = [str(self.board.raters[column]) in self.raters for column in columns]
            columns = columns[np.array(names, dtype=bool)]
        return np.asarray(columns[grid.codes[:, columns].any(axis=0)])

    def both(self, question: str) -> np.ndarray:
        """The units that people and the model answered."""
        grid = self.board.grid(question)
        if self.own < 0:
            return np.zeros(self.board.n_units, dtype=bool)
        people = grid.codes[:, self.people(grid)].any(axis=1)
        return np.asarray(people & (grid.codes[:, self.own] > 0))

    def chances(self, units: np.ndarray, rated: np.ndarray) -> np.ndarray | None:
        """With which chance each unit's item came to people; None where nobody knows."""
        if self.inclusion is not None:
            column = self.board.first[self.inclusion].astype(object).iloc[units]
            return _shares(column, self.inclusion, self.board.first["item"].iloc[units])
        if self.double is None:
            return None
        items = [str(item) for item in self.board.first["item"].astype(object).iloc[units]]
        drawn, chance = set(self.double["items"]), self.double["chance"]
        # Items that came to the round later go to everybody.
        beyond = {item for item in chance if item not in drawn}
        if any(item in beyond for item, said in zip(items, rated, strict=True) if said):
            return None  # somebody chose to rate what was not drawn
        return np.array([chance.get(item, 1.0) for item in items], dtype=float)

    @property
    def double(self) -> dict[str, Any] | None:
        """Which items were drawn for people to rate beside a model, where some were."""
        found: dict[str, Any] | None = json.loads(self.stored.options).get("double")
        return found

    def notes(self) -> tuple[str, ...]:
        """What has to be known of the comparison as a whole."""
        models = int((self.board.kinds == "model").sum())
        several = (
            f"{models} models of this round can be compared: each verdict is of one alone, and "
            "nothing corrects for the choice of the best.",
        )
        return (several if models > 1 else ()) + self.of_double() + self.of_look()

    def of_look(self) -> tuple[str, ...]:
        """At which level a round with declared looks tests by now."""
        if self.sight is None:
            return ()
        return (f"{self.sight.standing('')}Persons are tested at {self.level:.3g}.",)

    def of_double(self) -> tuple[str, ...]:
        drawn = self.double
        if drawn is None or self.inclusion is not None:
            return ()
        items = self.board.first["item"].astype(object).astype(str)
        human = self.board.kinds[self.board.rater_codes] == "human"
        rated = set(items.iloc[np.unique(self.board.unit_codes[human])]) & set(drawn["items"])
        said = f"People rate {drawn['n']:,} of {drawn['of']:,} items, drawn by chance"
        left = drawn["n"] - len(rated)
        more = f"; {left:,} of them nobody has rated yet, as if by chance too." if left else "."
        return (said + more,)


def _shares(column: Iterable[Any], name: str, items: Iterable[Any]) -> np.ndarray:
    found = []
    for value, item in zip(column, items, strict=True):
        try:
            share = float("nan") if value is None or value != value else float(value)
        except ValueError:
            share = -1.0
        if not (share != share or 0 <= share <= 1):
            raise ValueError(f"item {item}, column {name}: {value!r} is no chance: give 0 to 1")
        found.append(share)
    return np.array(found)


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
    columns = np.append(people, sides.own)
    both = sides.both(question.id) & mask
    coded = board.ratings(grid, columns, both)
    matched = question.level == "nominal" or not question.level
    names = STATISTICS if question.is_score else OF_LABELS
    against = [name for name in names if name in COMPARISONS]
    plain = tuple(estimates_against(coded, coded.raters[-1], against, wish))
    model = coded.raters[-1]
    beside = tuple(beside_persons(coded, model, names=names, matched=matched, interval=wish))
    test = _tested(sides, [(coded, matched)])
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
        grid = sides.board.grid(question.id)
        both = sides.both(question.id) & mask
        coded = sides.board.ratings(grid, np.append(sides.people(grid), sides.own), both)
        units = np.asarray(coded.units)
        coded = replace(coded, clusters=sides.board.cluster[units])
        several.append((coded, question.level == "nominal" or not question.level))
    units = np.unique(np.concatenate([np.asarray(coded.units) for coded, _ in several]))
    found = Compared(
        None,
        group,
        sides.board.n_items(units),
        sum(part.unanswered for part in each),
        (),
        (),
        (),
        _tested(sides, several),
        (),
        Verdict("", ""),
    )
    return replace(found, verdict=verdict_of(found, sides.model, each))


def _tested(sides: Sides, several: Sequence[tuple[Coded, bool]]) -> AnnotatorTest:
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
        epsilon=sides.epsilon,
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
    known = rated.all() or chances is not None
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
