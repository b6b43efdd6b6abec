"""How large must the next round be? The widths of its intervals, from this round as a pilot.

A unit is what the number is of (an item, a sentence, a case two systems share); a round of N items
is taken to have as many of them an item as this one. What it costs is taken from measured time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.assumption import assumed
from raterbook.analysis.averages import unit_means
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.forecast import (
    FORECAST,
    Components,
    Design,
    of_coefficient,
    of_numbers,
    width_of,
)
from raterbook.analysis.intervals import USUAL
from raterbook.analysis.intervals.resampling import LOGIT, PLAIN
from raterbook.analysis.ratings.patterns import divide

from ..protocols.comparisons import facts
from ..protocols.problems import hint
from ..rounds import Round, RoundError
from ..rounds.plan import draw
from .averages import holds, row_means
from .compute import ranges_of
from .counted import Board, subjects
from .measures import Task, asked_of, cluster_of, frame_of, questions_of, wanted
from .number import Pair, PairName
from .parameters import Parameters
from .targets import refuse_hidden

USUAL_SIZES = (0.5, 1, 2, 4, 8)  # times this round's items, where none are named
POWER = 0.8  # of the test that a difference is none
ENDLESS = 10**6  # items, where only raters are left to differ
COLUMNS = (
    *("number", "statistic", "question", "items", "raters", "per_item", "cluster_size"),
    *("estimate", "low", "high", "width", "low_like", "high_like", "width_like"),
    *("finds", "design_effect", "hours", "money", "reason"),
)


@dataclass(frozen=True)
class Outlook:
    """One number of the round, with what its width is made of, and its units in an item."""

    statistic: str
    question: str | None
    pair: Pair | None
    components: Components
    per_item: float
    span: float = 1.0  # from the least value it can have to the greatest
    assumed: bool = False

    @property
    def name(self) -> str:
        found = self.statistic + (f":{self.question}" if self.question else "")
        return found + (f"[systems={PairName(*self.pair)}]" if self.pair else "")

    def design(self, size: Size) -> Design:
        """The round to be, in this number's units."""
        cluster = size.cluster_size
        units = None if cluster is None else max(cluster * self.per_item, 1.0)
        return Design(max(size.items * self.per_item, 1.0), size.raters, size.per_item, units)

    def at(self, size: Size, coverage: float) -> Estimate:
        return self.components.at(self.design(size), coverage)

    def items(self, width: float, size: Size, coverage: float, like: bool = False) -> int | None:
        """The fewest items whose interval is no wider; None where no number is enough."""
        units = self.components.needed(width, self.design(size), coverage, like)
        return None if units is None else int(np.ceil(units / self.per_item - 1e-9))

    def between(self, size: Size) -> tuple[int, int] | None:
        """The fewest items as far as this round's units can tell, at two standard errors."""
        doubt = self.components.doubt(self.design(size))
        if doubt is None:
            return None
        # Items go with the square of the width.
        factor = float(np.exp(4 * np.sqrt(doubt)))
        return int(np.floor(size.items / factor)), int(np.ceil(size.items * factor))

    def widths(self, size: Size, coverage: float) -> tuple[float, float] | None:
        """The same of the width: how narrow and how wide the interval may come out."""
        width, doubt = width_of(self.at(size, coverage)), self.components.doubt(self.design(size))
        if width is None or doubt is None:
            return None
        factor = float(np.exp(2 * np.sqrt(doubt)))
        return width / factor, min(width * factor, self.span)


@dataclass(frozen=True)
class Size:
    """A round to be, as people order it: in items."""

    items: int
    raters: int
    per_item: int
    cluster_size: float | None = None


@dataclass(frozen=True)
class Cost:
    """Seconds a rating of an item takes a person, and what a model's ratings of one item cost."""

    seconds: float | None = None
    money: float | None = None
    models: tuple[str, ...] = ()

    def hours(self, size: Size) -> float | None:
        return None if self.seconds is None else size.items * size.per_item * self.seconds / 3600

    def dollars(self, size: Size) -> float | None:
        return None if self.money is None else size.items * self.money


@dataclass(frozen=True)
class Forecast:
    """What is to be expected of rounds of other sizes, and which items to rate twice first."""

    round: str
    numbers: tuple[Outlook, ...]
    sizes: tuple[Size, ...]
    pilot: Size
    cost: Cost
    coverage: float
    width: float | None = None
    first: tuple[str, ...] = ()

    def priced(self, money: Mapping[str, float]) -> Forecast:
        """The same with what each model costs an item."""
        if not money:
            return self
        cost = replace(self.cost, money=sum(money.values()), models=tuple(sorted(money)))
        return replace(self, cost=cost)

    def frame(self) -> pd.DataFrame:
        """A row for each number and size: the width for both scopes, and the cost."""
        rows = [self._row(each, size) for each in self.numbers for size in self.sizes]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def _row(self, each: Outlook, size: Size) -> dict[str, Any]:
        found = each.at(size, self.coverage)
        effect = None
        if found.low is not None:
            effect = each.components.design_effect(each.design(size))
        return {
            "number": each.name,
            "statistic": each.statistic,
            "question": each.question,
            "items": size.items,
            "raters": size.raters,
            "per_item": size.per_item,
            "cluster_size": size.cluster_size,
            "estimate": found.value,
            "low": found.low,
            "high": found.high,
            "width": width_of(found),
            "low_like": found.low_like,
            "high_like": found.high_like,
            "width_like": width_of(found, like=True),
            "finds": smallest(found) if each.pair else None,
            "design_effect": effect,
            "hours": self.cost.hours(size),
            "money": self.cost.dollars(size),
            "reason": found.reason,
        }

    def known(self, size: Size) -> list[Outlook]:
        """The numbers whose width this round can tell for such a design."""
        large = replace(size, items=ENDLESS)
        return [each for each in self.numbers if each.at(large, self.coverage).low is not None]

    def needed(self, width: float, size: Size) -> tuple[Outlook, int | None]:
        """The number that needs most items for this width, and how many; None for out of reach."""
        found = [(each, each.items(width, size, self.coverage)) for each in self.known(size)]
        return max(found, key=lambda pair: np.inf if pair[1] is None else pair[1])

    def design(self) -> Size | None:
        """Of the designs asked for, that which takes the fewest ratings for the width.

        The first there is, without a width; None where there is no forecast at all.
        """
        every = {replace(size, items=0): size for size in self.sizes if self.known(size)}
        if self.width is None or not every:
            return next(iter(every.values()), None)
        wanted = self.width

        def ratings(size: Size) -> float:
            items = self.needed(wanted, size)[1]
            # A design that cannot tell all numbers comes after those that can.
            missing = len(self.numbers) - len(self.known(size))
            return np.inf if items is None else items * size.per_item * 10.0 ** (9 * missing)

        return min(every.values(), key=ratings)


def smallest(found: Estimate, power: float = POWER) -> float | None:
    """The smallest true difference that so large a share of such rounds tells from none."""
    width = width_of(found)
    if width is None or found.df is None:
        return None
    from scipy.special import stdtrit

    beyond, within = stdtrit(found.df, [0.5 + found.coverage / 2, power])
    return float(width / 2 * (1 + within / beyond))


def forecast(
    stored: Round,
    *,
    measures: Sequence[str] = (),
    sizes: Mapping[str, Sequence[float]] | None = None,
    width: float | None = None,
    coverage: float = 0.95,
    assume: Mapping[str, tuple[float, float]] | None = None,
) -> Forecast:
    """What rounds of other sizes would show, with this one as the pilot.

    `measures` are names as in numbers.json, or of questions; `sizes` the items, raters, per_item
    and cluster_size to try; `assume` a coefficient's value, with how alike the units of a cluster
    are, in place of the round's own.
    """
    if width is not None and not 0 < width < np.inf:
        raise RoundError(f"width {width!r} is no width: give a number above 0, such as .2")
    parameters = Parameters(stored.name, coverage=coverage)
    frame = frame_of(stored, parameters, sight=refuse_hidden(stored))
    asked, protocol = questions_of(stored.protocol), stored.protocol
    board = Board(frame, asked, cluster=cluster_of(frame))
    n_items = len(np.unique(board.owner[board.of_item])) or len(np.unique(board.owner))
    beforehand = [
        assumption(board, name, *given, n_items) for name, given in (assume or {}).items()
    ]
    if not n_items or not len(board.counted(asked)[0]):
        raise RoundError(f"{stored.name} has no answers that count, so it is no pilot.")
    declared = wanted(protocol, frame, parameters)
    own = outlooks(board, declared, n_items, ranges_of(protocol))
    taken = {each.name for each in beforehand}
    every = beforehand + [each for each in own if each.name not in taken]
    chosen = choose(every, measures, stored.name) if measures else leading(every, protocol)
    if not chosen:
        raise RoundError(
            f"{stored.name} has no number whose width can be told beforehand: that is possible of "
            "agreement, means, shares and differences of means."
        )
    pilot = pilot_of(chosen, n_items)
    return Forecast(
        stored.name,
        tuple(chosen),
        tuple(sizes_of(pilot, sizes or {})),
        pilot,
        cost_of(board),
        coverage,
        width,
        twice_first(board, stored.name),
    )


def outlooks(
    board: Board,
    measures: Sequence[Mapping[str, Any]],
    n_items: int,
    ranges: Mapping[str, tuple[float, float]],
) -> list[Outlook]:
    """The components of all numbers over the whole round that there is a forecast of."""
    found: dict[str, Outlook] = {}
    for measure in measures:
        task = Task(board, dict(measure), board.everything, USUAL)
        for question, pair, made in _components(task):
            per_item = made.units / n_items if made.units else 1.0
            ends = [ranges[name] for name in asked_of(measure) if name in ranges]
            is_plain = facts(task.statistic).kind in ("mean", "difference")
            span = max((b - a for a, b in ends), default=1.0) if is_plain else 1.0
            each = Outlook(task.statistic, question, pair, made, per_item, span)
            found.setdefault(each.name, each)
    return list(found.values())


def _components(task: Task) -> list[tuple[str | None, Pair | None, Components]]:
    name, board = task.statistic, task.board
    about = facts(name)
    if name == "overall_mean":
        row, _, _ = row_means(task, task.questions)
        return [(None, None, of_numbers(row, board.cluster, PLAIN, name))]
    found: list[tuple[str | None, Pair | None, Components]] = []
    for question in asked_of(task.measure):
        grid = task.grid(question)
        columns, _ = board.counted([question])
        if name in FORECAST and len(columns):
            coded, _ = board.patterns(grid, columns, task.mask)
            found.append((grid.question, None, of_coefficient(coded, name)))
        elif name == "mean" and not grid.scale.labels:
            found.append((question, None, of_numbers(grid.numbers()[:, columns], board.cluster)))
        elif about.is_proportion:
            of = holds(task, question, task.measure.get("of"), columns)
            hit = of & holds(task, question, task.measure.get("is"), columns)
            x = np.where(of, hit.astype(float), np.nan)
            found.append((grid.question, None, of_numbers(x, board.cluster, LOGIT, name)))
        elif name == "difference" and not grid.scale.labels and "is" not in task.measure:
            found += [
                (question, pair, made)
                for pair, made in _differences(task, grid.numbers()[:, columns])
            ]
    return found


def _differences(task: Task, x: np.ndarray) -> list[tuple[Pair, Components]]:
    """Of one system's mean minus another's: per case and rater, where raters rated both."""
    board = task.board
    column = str(task.measure.get("system") or "model")
    if column not in board.first.columns:
        return []
    names = board.first[column].astype(object)
    system = np.where(names.notna(), names.astype(str), "")
    known = sorted(set(system[np.isfinite(x).any(axis=1)]) - {""})
    cases = int(board.case.max()) + 1
    cluster = np.zeros(cases, dtype=np.int64)
    cluster[board.case] = board.cluster
    means = {name: _by_case(x, board.case, system == name, cases) for name in known}
    found = []
    for place, first in enumerate(known):
        for second in known[place + 1 :]:
            gap = means[first] - means[second]
            both = [np.isfinite(means[name]).any(axis=1) for name in (first, second)]
            if np.isfinite(gap).any(axis=1).sum() < (both[0] & both[1]).sum():
                # Other people rated the other system: a case then has one difference.
                one, other = (unit_means(means[name]) for name in (first, second))
                gap = (one - other)[:, None]
            if np.isfinite(gap).any():
                made = of_numbers(gap, cluster, PLAIN, "difference")
                own = float(np.nanmean(unit_means(means[first]) - unit_means(means[second])))
                found.append(((first, second), replace(made, value=own)))
    return found


def _by_case(x: np.ndarray, case: np.ndarray, keep: np.ndarray, cases: int) -> np.ndarray:
    """The mean of each rater's answers to a case; NaN where there is none."""
    given = np.isfinite(x) & keep[:, None]
    total, many = np.zeros((cases, x.shape[1])), np.zeros((cases, x.shape[1]))
    np.add.at(total, case, np.where(given, x, 0.0))
    np.add.at(many, case, given)
    return divide(total, many)


def assumption(board: Board, name: str, value: float, alike: float, n_items: int) -> Outlook:
    """A coefficient of a value that is assumed, over values as often given as in this round."""
    statistic, _, question = name.partition(":")
    if question not in board.questions:
        known = ", ".join(board.questions)
        raise RoundError(f"assume {name!r}: write STATISTIC:QUESTION, a question of {known}")
    grid = board.grid(question)
    codes = grid.codes[:, board.counted([question])[0]]
    given = np.bincount(codes[codes > 0], minlength=len(grid.scale.values) + 1)[1:]
    # A value that nobody gave yet may be given.
    made = assumed(statistic, value, (given + 0.5).tolist(), alike=alike)
    rated = codes.any(axis=1)
    sizes = np.bincount(board.cluster[rated])
    sizes = sizes[sizes > 0]
    if len(sizes):
        unequal = float((sizes**2).sum() / sizes.sum())
        made = replace(made, size=float(sizes.mean()), unequal=unequal)
    per_item = float(rated.sum()) / max(n_items, 1) or 1.0
    return Outlook(statistic, question, None, made, per_item, assumed=True)


def choose(every: Sequence[Outlook], measures: Sequence[str], name: str) -> list[Outlook]:
    """Those that are named, by statistic, question or both."""
    found: dict[str, Outlook] = {}
    for text in measures:
        fitting = [
            each
            for each in every
            if text in (each.name, each.statistic, each.question, each.name.partition("[")[0])
        ]
        if not fitting:
            known = [each.name for each in every]
            there = ", ".join(dict.fromkeys([each.statistic for each in every])) or "none"
            raise RoundError(
                f"{name}: no forecast of {text!r}; there are those of {there}.{hint(text, known)}"
            )
        found |= {each.name: each for each in fitting}
    return list(found.values())


def leading(every: Sequence[Outlook], protocol: Any) -> list[Outlook]:
    """Each question's α at its level, means, shares, differences, and what has a target."""
    levels = {question.id: question.level for question in protocol.questions}
    targets = {(target.statistic, target.question) for target in protocol.targets}

    beside = {question.id for question in protocol.questions if question.covers}

    def leads(each: Outlook) -> bool:
        if each.question in beside:
            return False  # how sure somebody was is said of other answers
        about = facts(each.statistic)
        if each.statistic in FORECAST:
            aimed = {(each.statistic, each.question), (each.statistic, None)} & targets
            return bool(aimed) or levels.get(each.question or "") in about.levels
        return True

    return [each for each in every if each.assumed or leads(each)] or list(every)


def pilot_of(numbers: Sequence[Outlook], n_items: int) -> Size:
    """This round's own size: raters, ratings of an item, both as they count for most numbers."""
    there = [each.components for each in numbers if each.components.n_raters]
    if not there:
        return Size(n_items, 1, 1)
    raters = max(each.n_raters for each in there)
    usual = round(float(np.median([each.per_unit for each in there])))
    return Size(n_items, raters, max(1, min(raters, usual)))


def sizes_of(pilot: Size, given: Mapping[str, Sequence[float]]) -> list[Size]:
    """All that is asked for, in every combination; what is not named stays as it is."""
    sizes: Sequence[float | None] = given.get("cluster_size") or [None]
    items = given.get("items") or [max(3, round(pilot.items * by)) for by in USUAL_SIZES]
    found = []
    for raters in given.get("raters") or [pilot.raters]:
        usual = raters if pilot.per_item == pilot.raters else min(pilot.per_item, raters)
        for per_item in given.get("per_item") or [usual]:
            for cluster in sizes:
                for many in items:
                    if min(raters, per_item, many, 1 if cluster is None else cluster) < 1:
                        raise RoundError("items, raters, ratings and cluster sizes begin at 1")
                    if per_item > raters:
                        raise RoundError(
                            f"{per_item:g} ratings an item are more than {raters:g} raters can "
                            "give: ask for fewer, or for more raters"
                        )
                    found.append(Size(int(many), int(raters), int(per_item), cluster))
    return found


def cost_of(board: Board) -> Cost:
    """What a person needs for an item, the mean over raters of their median."""
    frame = board.frame
    if "seconds" not in frame:
        return Cost()
    people = frame[frame["rater_kind"].astype(str).eq("human") & frame["seconds"].notna()]
    if not len(people):
        return Cost()
    each = people["seconds"].astype(float)
    each = each.groupby([people["rater"].astype(str), subjects(people)]).sum()
    # A break that was not noticed would count for hundreds of answers.
    usual = each.groupby(level=0).median()
    return Cost(float(usual.mean()))


def twice_first(board: Board, name: str) -> tuple[str, ...]:
    """Items one person rated, in the order a second should: one of every cluster, then the next.

    Within that the order is by chance: picked for being hard, they would bias every number.
    """
    people = board.frame["rater_kind"].astype(str).eq("human").to_numpy()
    item = board.frame["item"].astype(object)
    by_item: dict[str, set[Any]] = {}
    cluster: dict[str, Any] = {}
    at = board.cluster[board.unit_codes]
    for place in np.flatnonzero(people & item.notna().to_numpy()):
        by_item.setdefault(str(item.iloc[place]), set()).add(board.rater_codes[place])
        cluster[str(item.iloc[place])] = at[place]
    taken: dict[Any, int] = {}
    for each, raters in by_item.items():
        if len(raters) > 1:
            taken[cluster[each]] = taken.get(cluster[each], 0) + 1
    turns = []
    once = sorted((each for each, raters in by_item.items() if len(raters) == 1))
    for each in sorted(once, key=lambda one: draw("twice", name, one)):
        turn = taken[cluster[each]] = taken.get(cluster[each], 0) + 1
        turns.append((turn, draw("twice", name, each), each))
    return tuple(each for _, _, each in sorted(turns))
