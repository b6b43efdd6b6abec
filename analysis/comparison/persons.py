"""A model beside each person: both against the other persons, on the same items.

How near a model comes to people says little by itself: two people are not one mind either. So each
person is left out in turn, and the person and the model are compared with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from raterbook.analysis.averages import add_up, ratio, unit_means
from raterbook.analysis.averages.against import (
    MOST_CELLS,
    pairs_met,
    spearman_of,
    values_against,
)
from raterbook.analysis.comparison import (
    numbered_clusters,
    of_all,
    of_clusters,
    over_clusters,
)
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import Interval, Wish, estimated
from raterbook.analysis.intervals.resampling import FISHER, LOGIT, PLAIN, Link, Values
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import divide, nothing

RATIOS = ("exact", "within_one", "mae", "bias")
STATISTICS = (*RATIOS, "spearman", "kappa")
LINKS = {"exact": LOGIT, "within_one": LOGIT, "spearman": FISHER, "kappa": FISHER}
LEAST = 10  # items a person must have rated beside others
MOST_PERSONS = 15  # of κ, which goes through all pairs
MOST_TURNED = 4_000_000  # numbers kept from one statistic to the next


@dataclass(frozen=True)
class Contrast:
    """One statistic of the model, of the persons as each stands to the rest, and what is between.

    The first is the mean over persons of the model in that person's place.
    """

    statistic: str
    model: Estimate
    persons: Estimate
    difference: Estimate


@dataclass(frozen=True)
class SideSums:
    """Sums per cluster, and what a row of totals makes of them."""

    rows: np.ndarray
    values: Values
    known: float | None = None

    @cached_property
    def whole(self) -> float:
        """What all clusters together make."""
        return of_all(self.values, self.rows) if self.known is None else self.known


def beside_persons(
    ratings: Any,
    model: Any,
    *,
    names: Iterable[str] = STATISTICS,
    matched: bool = False,
    interval: Wish = "jackknife",
) -> list[Contrast]:
    """Each statistic of the model in each person's place, and of that person, against the others.

    exact and within_one are the share of the others' ratings met; mae, bias and spearman compare
    with the others' mean; kappa is the mean over pairs, with quadratic weights, of labels
    (`matched`) without. Persons with fewer than ten items beside others are left out.

    >>> table = [[1, 1, 2], [2, 2, 2], [3, 4, 3], [4, 4, 4], [5, 5, 4]] * 2
    >>> [found] = beside_persons(table, 2, names=["exact"], interval=None)
    >>> found.model.value, found.persons.value, round(found.difference.value, 3)
    (0.5, 0.8, -0.3)
    """
    names, wish = list(names), Interval.of(interval)
    for name in names:
        check_name("statistic", name, STATISTICS)
    people, own = both_sides(ratings, model)
    crowd, turned = Persons.of(people), turns_of(people, own)
    size = crowd.sizes.shape[0]

    def made(name: str) -> Made:
        if name == "kappa":
            return lambda kept: _pairs(people.only([people.raters[j] for j in kept]), own, matched)
        return lambda kept: turned(kept).blocks(
            lambda turn, value: block_of(name, turn, value, size)
        )

    too_many = len(people.raters) > MOST_PERSONS
    return [
        absent(name, "too_many_raters_for_interval") if name == "kappa" and too_many
        else contrast(name, crowd, made(name), wish, LINKS.get(name, PLAIN))
        for name in names
    ]  # fmt: skip


def both_sides(ratings: Any, model: Any) -> tuple[Coded, np.ndarray]:
    """The persons with ten items or more beside others, where the model answered, and its codes."""
    coded = read(ratings).apart("a comparison of persons")
    own = coded.only([model]).codes[:, 0]
    people = coded.only([name for name in coded.raters if name != model])
    there = own > 0
    own, people = own[there], people.rows(there)
    many = beside_others(people).sum(axis=0)
    return people.only([people.raters[j] for j in np.flatnonzero(many >= LEAST)]), own


def beside_others(people: Coded) -> np.ndarray:
    """Units × persons: where a person answered and another one did."""
    given = people.codes > 0
    return np.asarray(given & (given.sum(axis=1) > 1)[:, None])


Places = Sequence[int]
# The model's sums and the persons', of the persons at these places.
Made = Callable[[Places], tuple[SideSums, SideSums]]


@dataclass(frozen=True)
class Persons:
    """The persons a model stands beside, and how much they rated in each cluster."""

    names: tuple[Any, ...]
    n_units: int
    n_ratings: int
    sizes: np.ndarray
    least: int = 2  # persons without whom there is nothing to say
    reason: str = "no_spread"  # why there is no value where there is none
    df: float = np.inf  # at most, where some clusters make most of the spread

    @classmethod
    def of(cls, people: Coded) -> Persons:
        """Those who rated units that another of them rated too."""
        used = beside_others(people)
        sizes = add_up(clusters_of(people), (used.sum(axis=1).astype(float),))
        return cls(people.raters, int(used.any(axis=1).sum()), int(used.sum()), sizes[:, 0])


def absent(name: str, reason: str) -> Contrast:
    """Nothing of the model, of persons and between, and why."""
    nothing = Estimate(None, statistic=name, reason=reason)
    return Contrast(name, nothing, nothing, nothing)


def contrast(name: str, crowd: Persons, made: Made, wish: Interval, link: Link = PLAIN) -> Contrast:
    """What the sums of both sides make, with intervals over clusters and for persons like these."""
    persons = len(crowd.names)
    if persons < crowd.least:
        return absent(name, "too_few_persons")
    pair = made(range(persons))
    each: list[np.ndarray] = []
    if wish.leaves_out(persons):
        for j in range(persons):
            others = made([k for k in range(persons) if k != j])
            each.append(np.array([side.whole for side in others]))
    left = np.array(each).reshape(len(each), 2)
    rows = np.hstack([side.rows for side in pair])
    cut = pair[0].rows.shape[1]

    sides = [_once(side.values) for side in pair]  # asked by themselves and for what is between

    def model(totals: np.ndarray) -> np.ndarray:
        return sides[0](totals[:, :cut])

    def person(totals: np.ndarray) -> np.ndarray:
        return sides[1](totals[:, cut:])

    def gap(totals: np.ndarray) -> np.ndarray:
        return np.asarray(model(totals) - person(totals))

    def estimate(values: Values, without: np.ndarray, on: Link) -> Estimate:
        return _estimate(name, crowd, rows, (values, without, on), wish)

    return Contrast(
        name,
        estimate(model, left[:, 0], link),
        estimate(person, left[:, 1], link),
        estimate(gap, left[:, 0] - left[:, 1], PLAIN),
    )


def _estimate(
    name: str,
    crowd: Persons,
    rows: np.ndarray,
    number: tuple[Values, np.ndarray, Link],
    wish: Interval,
) -> Estimate:
    values, without, link = number
    common: dict[str, Any] = {
        "statistic": name,
        "coverage": wish.coverage,
        "n_units": crowd.n_units,
        "n_raters": len(crowd.names),
        "n_ratings": crowd.n_ratings,
        "raters": crowd.names,
    }
    theta = of_all(values, rows)
    if not np.isfinite(theta):
        return Estimate(None, reason=crowd.reason, **common)
    if wish.method is not None and rows.size > MOST_CELLS:
        return Estimate(theta, reason="too_many_values", **common)
    found = over_clusters(values, of_clusters(rows, crowd.sizes, crowd.df), wish, link, without)
    return estimated(theta, found, wish, warnings=found.warnings, **common)


def clusters_of(people: Coded) -> np.ndarray:
    clusters = np.arange(people.n_units) if people.clusters is None else people.clusters
    return numbered_clusters(clusters)


def _pairs(people: Coded, own: np.ndarray, matched: bool) -> tuple[SideSums, SideSums]:
    """Cohen's κ of the model and each person, and of each pair of persons."""
    points = np.append(np.nan, people.numbers)
    x, f, clusters = points[people.codes], points[own], clusters_of(people)
    size = len(np.bincount(clusters))
    one, two = np.triu_indices(x.shape[1], 1)
    return (
        _kappas(np.broadcast_to(f[:, None], x.shape), x, clusters, size, matched),
        _kappas(x[:, one], x[:, two], clusters, size, matched),
    )


def kappas_of(turn: PersonTurn, value: np.ndarray, size: int, matched: bool) -> SideSums:
    """Cohen's κ of `value` and each other person, on one person's units."""
    beside = np.broadcast_to(value[:, None], turn.others.shape)
    return _kappas(beside, turn.others, turn.clusters, size, matched)


@dataclass(frozen=True)
class PersonTurn:
    """One person's turn: the units they and others rated, and what everybody said there."""

    units: np.ndarray
    clusters: np.ndarray
    person: np.ndarray
    model: np.ndarray
    others: np.ndarray

    @cached_property
    def middle(self) -> np.ndarray:
        """The others' mean, which most statistics ask for."""
        return unit_means(self.others)

    @cached_property
    def one_mind(self) -> np.ndarray:
        """Where the others gave one value, and where they differ."""
        return one_mind(self.others)

    def where(self, keep: np.ndarray) -> PersonTurn:
        """Only these units."""
        found = PersonTurn(*(getattr(self, each.name)[keep] for each in fields(self)))
        return replace(found, others=np.asfortranarray(found.others))


def one_mind(others: np.ndarray) -> np.ndarray:
    """1 where two others or more gave one value, 0 where they differ, NaN where one is alone."""
    given = np.isfinite(others).sum(axis=1)
    low = np.nanmin(others, axis=1, initial=np.inf)
    high = np.nanmax(others, axis=1, initial=-np.inf)
    return np.where(given < 2, np.nan, nothing(high - low).astype(float))


def turns(people: Coded, own: np.ndarray) -> Iterator[PersonTurn]:
    """Each person's, against the other persons."""
    points = np.append(np.nan, people.numbers)
    x, f, clusters = points[people.codes], points[own], clusters_of(people)
    for j in range(x.shape[1]):
        others = np.delete(x, j, axis=1)
        units = np.flatnonzero(np.isfinite(x[:, j]) & np.isfinite(others).any(axis=1))
        # Added up person by person, which is the quicker way through many units.
        others = np.asfortranarray(others[units])
        yield PersonTurn(units, clusters[units], x[units, j], f[units], others)


@dataclass(frozen=True)
class Turned:
    """Some persons' turns, and how many clusters the units have."""

    turns: tuple[PersonTurn, ...]
    size: int

    def where(self, keep: Callable[[PersonTurn], np.ndarray]) -> Turned:
        """On these units of each turn."""
        return Turned(tuple(turn.where(keep(turn)) for turn in self.turns), self.size)

    def blocks(
        self, make: Callable[[PersonTurn, np.ndarray], SideSums]
    ) -> tuple[SideSums, SideSums]:
        """The model's sums in each person's place and the person's."""
        model = [make(turn, turn.model) for turn in self.turns]
        person = [make(turn, turn.person) for turn in self.turns]
        return together(model, self.size), together(person, self.size)


def turns_of(people: Coded, own: np.ndarray) -> Callable[[Places], Turned]:
    """The turns of the persons at these places."""
    size = len(np.bincount(clusters_of(people)))

    def of(kept: tuple[int, ...]) -> Turned:
        return Turned(tuple(turns(people.only([people.raters[j] for j in kept]), own)), size)

    return remembered(of, people)


def remembered(
    of: Callable[[tuple[int, ...]], Turned], people: Coded
) -> Callable[[Places], Turned]:
    """The same, made once for every statistic, while turns are small."""
    units, persons = people.codes.shape
    known = lru_cache(max(MOST_TURNED // max(units * persons * (persons + 4), 1), 1))(of)
    return lambda kept: known(tuple(kept))


def block_of(name: str, turn: PersonTurn, value: np.ndarray, size: int) -> SideSums:
    """A comparison's ratio of sums, or the counts of each pair of values."""
    numbers, clusters = values_against(name, turn.others, value, turn.middle), turn.clusters
    if "own" in numbers:
        pairs, codes = pairs_met(numbers["others"], numbers["own"])
        met = np.bincount(clusters * len(pairs) + codes, minlength=size * len(pairs))
        counts = met.astype(float).reshape(size, len(pairs))
        return SideSums(counts, lambda totals: spearman_of(pairs, totals))
    x = numbers.get("x", numbers.get("hit"))
    one = np.ones(len(clusters))
    return SideSums(summed((x if x is not None else one, one), clusters, size), ratio)


def _once(values: Values) -> Values:
    """The same, computed once for the same totals: each side's serve itself and the difference."""
    known: dict[tuple[int, int], np.ndarray] = {}

    def of(totals: np.ndarray) -> np.ndarray:
        key = (len(totals), hash(totals.tobytes()))
        if key not in known:
            known[key] = values(totals)
        return known[key]

    return of


def summed(columns: Sequence[np.ndarray], clusters: np.ndarray, size: int) -> np.ndarray:
    return np.column_stack([np.bincount(clusters, column, size) for column in columns])


Kappa = Callable[[np.ndarray], np.ndarray]  # of sums of a pair, which are the last axis


def _kappas(
    a: np.ndarray, b: np.ndarray, clusters: np.ndarray, size: int, matched: bool
) -> SideSums:
    """Cohen's κ of each column of `a` and that of `b`; the mean of those that have one."""
    at, pair = np.nonzero(np.isfinite(a) & np.isfinite(b))
    columns, kappa = (_labels_apart if matched else _numbers_apart)(a[at, pair], b[at, pair])
    many = a.shape[1]
    rows = summed(columns, clusters[at] * many + pair, size * many).reshape(
        size, many, len(columns)
    )
    kept = np.isfinite(kappa(rows.sum(axis=0)))
    if not kept.any():
        return _nothing(size)

    def values(totals: np.ndarray) -> np.ndarray:
        each = totals.reshape(len(totals), kept.sum(), len(columns))
        return np.asarray(kappa(each).mean(axis=1))

    return SideSums(rows[:, kept].reshape(size, kept.sum() * len(columns)), values)


def _numbers_apart(a: np.ndarray, b: np.ndarray) -> tuple[list[np.ndarray], Kappa]:
    """κ with quadratic weights, which needs no more than sums of squares."""

    def kappa(sums: np.ndarray) -> np.ndarray:
        n, one, two, squares, other, product = np.moveaxis(sums, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = (squares + other - 2 * product) / n
            chance = (squares + other) / n - 2 * one * two / n**2
            return 1 - divide(apart, chance)

    return [np.ones(len(a)), a, b, a**2, b**2, a * b], kappa


def _labels_apart(a: np.ndarray, b: np.ndarray) -> tuple[list[np.ndarray], Kappa]:
    """κ of labels: how often both are each label, and each of them is."""
    labels = np.union1d(a, b)
    first, second = ((side[:, None] == labels).astype(float) for side in (a, b))
    q = len(labels)

    def kappa(sums: np.ndarray) -> np.ndarray:
        n = sums[..., 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = (sums[..., 2 : 2 + q] * sums[..., 2 + q :]).sum(axis=-1) / n**2
            return np.asarray((sums[..., 1] / n - chance) / (1 - chance))

    return [np.ones(len(a)), (a == b).astype(float), *first.T, *second.T], kappa


def _nothing(size: int) -> SideSums:
    return SideSums(np.zeros((size, 1)), lambda totals: np.full(len(totals), np.nan))


def together(blocks: Sequence[SideSums], size: int) -> SideSums:
    """The mean of those blocks that have a value."""
    blocks = [each for each in blocks if np.isfinite(each.whole)]
    if not blocks:
        return _nothing(size)
    ends = np.cumsum([each.rows.shape[1] for each in blocks])
    starts = [0, *ends[:-1]]

    def values(totals: np.ndarray) -> np.ndarray:
        found = [
            each.values(totals[:, start:end])
            for each, start, end in zip(blocks, starts, ends, strict=True)
        ]
        return np.asarray(np.mean(found, axis=0))

    mean = float(np.mean([each.whole for each in blocks]))
    return SideSums(np.hstack([each.rows for each in blocks]), values, mean)
