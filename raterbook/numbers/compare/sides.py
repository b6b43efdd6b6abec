"""The answers of a model and of people in one round, and what is known of the items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.comparison.annotators import LEVEL
from raterbook.analysis.intervals import USUAL, Interval
from raterbook.analysis.ratings import Coded

from ...rounds import Round, RoundError
from ..counted import MACHINES, Board, Grid
from ..measures import cluster_of, questions_of
from ..parameters import (
    OVERALL,
    USUAL_EPSILON,
    Parameters,
    check_names,
    columns_of,
    refuse_unknown,
)
from ..targets import Sight


def frame_with(stored: Round, given: Parameters, sight: Sight | None = None) -> pd.DataFrame:
    """The round's answers, with the columns of the items that the comparison looks at."""
    check_names(stored, given)
    wanted = [place.partition("=")[0] for place in given.places.values()]
    if wanted:
        refuse_unknown("columns", wanted, columns_of(stored), stored.name)
    groups = tuple(dict.fromkeys([*given.groups, *wanted]))
    until = None if sight is None else sight.until
    return stored.frame(pseudonyms=given.pseudonyms, groups=groups, until=until)


def board_of(stored: Round, frame: pd.DataFrame, raters: tuple[str, ...] | None = None) -> Board:
    """Everybody's answers, of whom all people count, or those named."""
    asked, cluster = questions_of(stored.protocol), cluster_of(frame)
    return Board(frame, asked, cluster=cluster, raters=raters)


def sides_of(
    stored: Round,
    frame: pd.DataFrame,
    model: str,
    given: Parameters,
    board: Board | None = None,
    sight: Sight | None = None,
) -> Sides:
    """The model and the people of a round's answers, tested at the level of the round's look.

    Several models' sides share one board.
    """
    return Sides(
        stored,
        board or board_of(stored, frame),
        model,
        given.epsilon,
        given.places,
        replace(USUAL, coverage=given.coverage),
        given.raters,
        frame,
        LEVEL if sight is None else sight.level(sides=1),
        sight,
    )


def the_model(stored: Round, name: str | None) -> str:
    """The rater of this name, who must be no person; without a name the round's only model."""
    kinds = {each.name: each.kind for each in stored.raters()}
    models = [each for each, kind in kinds.items() if kind in MACHINES]
    known = ", ".join(models) or "none yet"
    if name is None:
        if len(models) != 1:
            raise RoundError(f"{stored.name}: name the model to compare ({known}).")
        return models[0]
    if name not in kinds:
        raise RoundError(f"{stored.name} has no model {name!r}; its models: {known}.")
    if name not in models:
        raise RoundError(
            f"{name} is a rater of kind {kinds[name]} in {stored.name}: name a model ({known})."
        )
    return name


EVERY = "all"  # in place of names: each model that people can be set beside


def the_models(stored: Round, names: Iterable[str]) -> tuple[str, ...]:
    """The raters of these names, of whom none is a person; `all` are the round's models."""
    found: dict[str, None] = {}
    for name in names:
        every = [each.name for each in stored.raters()]
        if name == EVERY and name not in every:
            found |= dict.fromkeys(each.name for each in stored.raters() if each.kind == "model")
        else:
            found[the_model(stored, name)] = None
    return tuple(found)


def is_matched(level: str | None) -> bool:
    """Whether two answers of this level are the same or not, and no nearer or further."""
    return not level or level == "nominal"


def in_clusters(coded: Coded, board: Board) -> Coded:
    """The same in the board's clusters, so that several questions are drawn together."""
    return replace(coded, clusters=board.cluster[np.asarray(coded.units)])


@dataclass(frozen=True)
class Sides:
    """The answers of both sides of one round."""

    stored: Round
    board: Board
    model: str
    epsilon: float | dict[str, float]  # by question, where it is not the same for all
    columns: Mapping[str, str]  # what stands in which column of the items
    wish: Interval
    raters: tuple[str, ...] | None = None
    frame: pd.DataFrame | None = None  # with what was asked for again
    level: float = LEVEL  # of the test
    sight: Sight | None = None

    def epsilon_of(self, questions: Iterable[str], together: bool = False) -> float:
        """A question's ε; of all together what was said of them, or the least of theirs."""
        said = self.epsilon
        if not isinstance(said, dict):
            return said
        if together and OVERALL in said:
            return said[OVERALL]
        return min(said.get(name, USUAL_EPSILON) for name in questions)

    @property
    def inclusion(self) -> str | None:
        return self.columns.get("inclusion")

    @property
    def own(self) -> int:
        """The model's column; the board may call nobody so."""
        names = [str(name) for name in self.board.raters]
        return names.index(self.model) if self.model in names else -1

    @property
    def names(self) -> list[Any]:
        """The people who count."""
        names = [self.board.raters[column] for column in self.board.columns_of("human")]
        return [n for n in names if self.raters is None or str(n) in self.raters]

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

    def coded(self, question: str, mask: np.ndarray | None = None) -> Coded:
        """What people and the model, who is the last, answered on the units of both."""
        grid, both = self.board.grid(question), self.both(question)
        columns = np.append(self.people(grid), self.own)
        return self.board.ratings(grid, columns, both if mask is None else both & mask)

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
            f"nothing corrects for the choice of the best; raterbook compare {self.stored.name} "
            "--model all does.",
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
            raise RoundError(f"item {item}, column {name}: {value!r} is no chance: give 0 to 1")
        found.append(share)
    return np.array(found)
