"""A model beside each person: both against the other persons, on the same items.

How near a model comes to people says little by itself: two people are not one mind either. So each
person is left out in turn, and the person and the model are compared with the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from raterbook.analysis.averages import add_up, ratio
from raterbook.analysis.averages.against import MOST_CELLS, spearman_of, values_against
from raterbook.analysis.comparison import drawn_anew, for_raters_like_these
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Ends, Interval, UnitSums, Wish, estimated, interval_of
from raterbook.analysis.intervals.resampling import FISHER, LOGIT, PLAIN, Link, Values
from raterbook.analysis.ratings import Coded, read

RATIOS = ("exact", "within_one", "mae", "bias")
STATISTICS = (*RATIOS, "spearman", "kappa")
LINKS = {"exact": LOGIT, "within_one": LOGIT, "spearman": FISHER, "kappa": FISHER}
LEAST = 10  # items a person must have rated beside others
MOST_PERSONS = 15  # of κ, which goes through all pairs


@dataclass(frozen=True)
class Beside:
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


def beside_persons(
    ratings: Any,
    model: Any,
    *,
    names: Iterable[str] = STATISTICS,
    matched: bool = False,
    interval: Wish = "jackknife",
) -> list[Beside]:
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
    unknown = [name for name in names if name not in STATISTICS]
    if unknown:
        raise ValueError(f"unknown statistic {unknown[0]!r}: choose {', '.join(STATISTICS)}")
    coded = read(ratings).apart("a comparison of persons")
    own = coded.only([model]).codes[:, 0]
    people = coded.only([name for name in coded.raters if name != model])
    there = own > 0
    own, people = own[there], people.rows(there)
    given = people.codes > 0
    many = (given & (given.sum(axis=1) > 1)[:, None]).sum(axis=0)
    people = people.only([people.raters[j] for j in np.flatnonzero(many >= LEAST)])
    return [_beside(name, people, own, matched, wish) for name in names]


def _beside(name: str, people: Coded, own: np.ndarray, matched: bool, wish: Interval) -> Beside:
    persons = len(people.raters)
    if persons < 2 or (name == "kappa" and persons > MOST_PERSONS):
        why = "too_few_persons" if persons < 2 else "too_many_raters_for_interval"
        nothing = Estimate(None, statistic=name, reason=why)
        return Beside(name, nothing, nothing, nothing)
    pair = _sides(name, people, own, matched)
    each: list[np.ndarray] = []
    if persons >= 3 and wish.method == "jackknife":
        for j in range(persons):
            rest = people.only([n for n in people.raters if n != people.raters[j]])
            sides = _sides(name, rest, own, matched)
            each.append(np.array([_value(side) for side in sides]))
    link = LINKS.get(name, PLAIN)
    left = np.array(each) if each else np.zeros((0, 2))
    rows = np.hstack([side.rows for side in pair])
    cut = pair[0].rows.shape[1]

    def model(totals: np.ndarray) -> np.ndarray:
        return pair[0].values(totals[:, :cut])

    def person(totals: np.ndarray) -> np.ndarray:
        return pair[1].values(totals[:, cut:])

    def gap(totals: np.ndarray) -> np.ndarray:
        return np.asarray(model(totals) - person(totals))

    def estimate(values: Values, without: np.ndarray, on: Link) -> Estimate:
        return _estimate(name, people, rows, (values, without, on), wish)

    return Beside(
        name,
        estimate(model, left[:, 0], link),
        estimate(person, left[:, 1], link),
        estimate(gap, left[:, 0] - left[:, 1], PLAIN),
    )


def _estimate(
    name: str,
    people: Coded,
    rows: np.ndarray,
    number: tuple[Values, np.ndarray, Link],
    wish: Interval,
) -> Estimate:
    values, without, link = number
    given = people.codes > 0
    used = given & (given.sum(axis=1) > 1)[:, None]
    common: dict[str, Any] = {
        "statistic": name,
        "coverage": wish.coverage,
        "n_units": int(used.any(axis=1).sum()),
        "n_raters": len(people.raters),
        "n_ratings": int(used.sum()),
        "raters": people.raters,
    }
    theta = float(values(rows.sum(axis=0)[None, :])[0])
    if not np.isfinite(theta):
        return Estimate(None, reason="no_spread", **common)
    found = Ends()
    if wish.method is not None and rows.size > MOST_CELLS:
        return Estimate(theta, reason="too_many_values", **common)
    if wish.method is not None:
        sizes = add_up(_clusters(people), (used.sum(axis=1).astype(float),))[:, 0]
        ones = np.ones(len(rows), dtype=np.int64)
        sample = UnitSums(rows, ones, "clusters", "cluster", sizes=sizes)
        found = interval_of(values, sample, wish, link=link, edge=None)
        if found.low is not None and len(without):
            anew = drawn_anew(rows, values, theta, without, wish.coverage, link)
            found = for_raters_like_these(found, anew)
    return estimated(theta, found, wish, warnings=found.warnings, **common)


def _value(side: SideSums) -> float:
    return float(side.values(side.rows.sum(axis=0)[None, :])[0])


def _clusters(people: Coded) -> np.ndarray:
    clusters = np.arange(people.n_units) if people.clusters is None else people.clusters
    return np.unique(clusters, return_inverse=True)[1].ravel()


def _sides(name: str, people: Coded, own: np.ndarray, matched: bool) -> tuple[SideSums, SideSums]:
    """The model and the persons, each the mean of its blocks: over persons, or over pairs."""
    points = np.append(np.nan, people.numbers)
    x, f, clusters = points[people.codes], points[own], _clusters(people)
    size, persons = int(clusters.max(initial=-1)) + 1, range(x.shape[1])
    if name == "kappa":
        make = _labels_apart if matched else _numbers_apart
        with_model = [make(f, x[:, j], clusters, size) for j in persons]
        pairs = [make(x[:, j], x[:, k], clusters, size) for j in persons for k in persons if j < k]
        return _together(with_model, size), _together(pairs, size)
    model: list[SideSums] = []
    person: list[SideSums] = []
    for j in persons:
        others = np.delete(x, j, axis=1)
        units = np.flatnonzero(np.isfinite(x[:, j]) & np.isfinite(others).any(axis=1))
        for found, values in ((model, f), (person, x[:, j])):
            numbers = values_against(name, others[units], values[units])
            found.append(_block(numbers, clusters[units], size))
    return _together(model, size), _together(person, size)


def _block(numbers: dict[str, np.ndarray], clusters: np.ndarray, size: int) -> SideSums:
    """A ratio of sums, or the counts of each pair of values."""
    if "own" in numbers:
        table = np.column_stack([numbers["others"], numbers["own"]])
        pairs, codes = np.unique(table, axis=0, return_inverse=True)
        counts = np.zeros((size, len(pairs)))
        np.add.at(counts, (clusters, codes.ravel()), 1.0)
        return SideSums(counts, lambda totals: spearman_of(pairs, totals))
    x = numbers.get("x", numbers.get("hit"))
    one = np.ones(len(clusters))
    return SideSums(_summed((x if x is not None else one, one), clusters, size), ratio)


def _summed(columns: Sequence[np.ndarray], clusters: np.ndarray, size: int) -> np.ndarray:
    return np.column_stack([np.bincount(clusters, column, size) for column in columns])


def _numbers_apart(a: np.ndarray, b: np.ndarray, clusters: np.ndarray, size: int) -> SideSums:
    """Cohen's κ with quadratic weights, which needs no more than sums of squares."""
    both = np.isfinite(a) & np.isfinite(b)
    a, b, clusters = a[both], b[both], clusters[both]
    rows = _summed((np.ones(len(a)), a, b, a**2, b**2, a * b), clusters, size)

    def values(totals: np.ndarray) -> np.ndarray:
        n, one, two, squares, other, product = totals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = (squares + other - 2 * product) / n
            chance = (squares + other) / n - 2 * one * two / n**2
            return np.asarray(np.where(chance > 1e-12, 1 - apart / chance, np.nan))

    return SideSums(rows, values)


def _labels_apart(a: np.ndarray, b: np.ndarray, clusters: np.ndarray, size: int) -> SideSums:
    """Cohen's κ of labels: how often both are each label, and each of them is."""
    both = np.isfinite(a) & np.isfinite(b)
    a, b, clusters = a[both], b[both], clusters[both]
    labels = np.union1d(a, b)
    first, second = ((side[:, None] == labels).astype(float) for side in (a, b))
    columns = [np.ones(len(a)), (a == b).astype(float), *first.T, *second.T]
    q = len(labels)

    def values(totals: np.ndarray) -> np.ndarray:
        n = totals[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = (totals[:, 2 : 2 + q] * totals[:, 2 + q :]).sum(axis=1) / n**2
            kappa = (totals[:, 1] / n - chance) / (1 - chance)
            return np.asarray(np.where(1 - chance > 1e-12, kappa, np.nan))

    return SideSums(_summed(columns, clusters, size), values)


def _together(blocks: Sequence[SideSums], size: int) -> SideSums:
    """The mean of those blocks that have a value."""
    blocks = [each for each in blocks if np.isfinite(_value(each))]
    if not blocks:
        return SideSums(np.zeros((size, 1)), lambda totals: np.full(len(totals), np.nan))
    ends = np.cumsum([each.rows.shape[1] for each in blocks])
    starts = [0, *ends[:-1]]

    def values(totals: np.ndarray) -> np.ndarray:
        found = [
            each.values(totals[:, start:end])
            for each, start, end in zip(blocks, starts, ends, strict=True)
        ]
        return np.asarray(np.mean(found, axis=0))

    return SideSums(np.hstack([each.rows for each in blocks]), values)
