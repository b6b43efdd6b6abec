"""The alternative-annotator test: may a model stand in for a person? (Calderon et al., ACL 2025)

Items that share a source are not independent, so each person's test counts clusters; the plain
test stands beside it as it was published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations
from math import isclose
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages.means import adjust
from raterbook.analysis.comparison import (
    Ratio,
    drawn_anew,
    numbered_clusters,
    of_all,
    of_clusters,
    over_clusters,
    p_within_bounds,
    ratio_over_clusters,
)
from raterbook.analysis.estimate import Estimate, sentence
from raterbook.analysis.intervals import Interval, Wish, estimated
from raterbook.analysis.intervals.resampling import LOGIT, PLAIN, Link, Values
from raterbook.analysis.ratings import Coded, read

LEAST = 30  # items a person must have rated beside others
FEWEST_CLUSTERS = 8  # below, no verdict
ROUGH_CLUSTERS = 20  # below, it is said
MOST_LEFT_OUT = 30  # persons; above, who is left out stays among those the others are compared with
DIGITS = 9  # beyond them is rounding
LEVEL = 0.05  # the chance of a false pass, of a test that is made once
CORRECTION = "benjamini-yekutieli"


@dataclass(frozen=True)
class Duels:
    """Who was as near to the others as the other: items × persons, NaN where nobody can tell.

    `model` is 1 where the model was at least as near as the person, `person` the reverse; a tie
    gives both.
    """

    model: np.ndarray
    person: np.ndarray
    cluster: np.ndarray
    persons: tuple[Any, ...]

    @property
    def gap(self) -> np.ndarray:
        """d, how much more often the person was nearer."""
        return np.asarray(self.person - self.model)

    @classmethod
    def pooled(cls, several: Sequence[Duels], persons: Sequence[Any]) -> Duels:
        """Those of several questions together: the persons in this order, clusters by number."""
        names = tuple(persons)

        def wide(table: np.ndarray, persons: tuple[Any, ...]) -> np.ndarray:
            found = np.full((len(table), len(names)), np.nan)
            found[:, [names.index(name) for name in persons]] = table
            return found

        return cls(
            np.vstack([wide(each.model, each.persons) for each in several]),
            np.vstack([wide(each.person, each.persons) for each in several]),
            np.concatenate([each.cluster for each in several]),
            names,
        )


@dataclass(frozen=True)
class PersonTest:
    """One person against the model: H0 says the person is nearer by ε or more.

    `p` counts clusters, `p_plain` items, as published; `p_worse` is that of the person being
    nearer by no more than ε. Rejections are after Benjamini and Yekutieli.
    """

    rater: Any
    difference: Ratio
    advantage: float
    p: float
    p_plain: float
    p_worse: float
    rejected: bool = False
    rejected_plain: bool = False
    worse: bool = False


@dataclass(frozen=True)
class AnnotatorTest:
    """May the model stand in for these persons, and for persons like them.

    `winning_rate` is the share of persons the model may stand in for, which at .5 or more passes;
    `advantage` how often it is at least as near as a person. `passes` is None, with a `reason`,
    where nothing can be said; `passes_anew` speaks of persons drawn anew, by the upper end
    `highest_anew` of how much nearer a person is, and is None below three persons.
    """

    epsilon: float
    persons: tuple[PersonTest, ...]
    left_out: Mapping[Any, int]
    advantage: Estimate
    highest_anew: float | None
    n_clusters: int
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    level: float = LEVEL

    @property
    def winning_rate(self) -> float | None:
        """ω, over clusters."""
        return _share([each.rejected for each in self.persons])

    @property
    def winning_rate_plain(self) -> float | None:
        """ω as published, as if no items shared a cluster."""
        return _share([each.rejected_plain for each in self.persons])

    @property
    def passes(self) -> bool | None:
        rate = self.winning_rate
        return None if self.reason is not None or rate is None else rate >= 0.5

    @property
    def passes_plain(self) -> bool | None:
        rate = self.winning_rate_plain
        return None if rate is None else rate >= 0.5

    @property
    def passes_anew(self) -> bool | None:
        if self.reason is not None or self.highest_anew is None:
            return None
        return self.highest_anew < self.epsilon

    @property
    def fails(self) -> bool:
        """Whether half of the persons or more are shown to be nearer by more than ε."""
        worse = _share([each.worse for each in self.persons])
        return self.reason is None and worse is not None and worse >= 0.5

    @property
    def design_effect(self) -> float | None:
        """The persons' median: how many times more certain the plain test takes itself to be."""
        known = [each.difference.design_effect for each in self.persons]
        known = [value for value in known if np.isfinite(value)]
        return float(np.median(known)) if known else None

    def frame(self) -> pd.DataFrame:
        """A row per person."""
        return pd.DataFrame(
            [
                {
                    "rater": each.rater,
                    "n_items": each.difference.n,
                    "n_clusters": each.difference.clusters,
                    "design_effect": each.difference.design_effect,
                    "n_independent": each.difference.n_independent,
                    "difference": each.difference.value,
                    "advantage": each.advantage,
                    "p": each.p,
                    "rejected": each.rejected,
                    "p_plain": each.p_plain,
                    "rejected_plain": each.rejected_plain,
                }
                for each in self.persons
            ]
        )

    def __repr__(self) -> str:
        if not self.persons:
            return f"<alternative annotator: none, {self.reason}>"
        said = {True: "passes", False: "does not pass", None: f"no verdict, {self.reason}"}
        return (
            f"<alternative annotator: {said[self.passes]} at ε {self.epsilon:g}; winning rate "
            f"{self.winning_rate:.2f} (plain {self.winning_rate_plain:.2f}), advantage "
            f"{self.advantage.value:.4f}; {len(self.persons)} persons, {self.n_clusters} clusters>"
        )

    def _repr_html_(self) -> str:
        notes = [sentence(code) for code in (self.reason, *self.warnings) if code]
        table = self.frame().to_html(index=False, float_format="{:.3f}".format, escape=True)
        return f"<p>{escape(repr(self)[1:-1])}</p>{table}" + "".join(
            f"<p>{escape(note)}</p>" for note in notes
        )


def _share(each: Sequence[bool]) -> float | None:
    return sum(each) / len(each) if each else None


def alternative_annotator_test(
    ratings: Any,
    model: Any,
    *,
    epsilon: float = 0.15,
    least: int = LEAST,
    matched: bool | None = None,
    interval: Wish = "jackknife",
) -> AnnotatorTest:
    """May the rater `model` stand in for the others, each compared with all but themselves?

    On each item that a person, the model and one more person rated, the nearer one to the other
    persons wins: by root mean squared distance, of labels (`matched`) by how often they are the
    same. Each person with `least` items is tested for not being nearer by `epsilon` or more, over
    clusters with G − 1 degrees of freedom, and corrected for the number of persons after Benjamini
    and Yekutieli. `epsilon` is said before looking: .2 for experts, .15 for skilled people, .1 for
    crowds.

    >>> table = [[5, 5, 5, 5], [4, 4, 3, 4], [3, 4, 3, 3], [2, 2, 2, 1], [4, 5, 4, 4], [1, 1, 2, 1]]
    >>> found = alternative_annotator_test(table, 3, epsilon=0.2, least=6)
    >>> round(found.persons[0].p_plain, 3), found.reason
    (0.425, 'too_few_clusters')
    """
    coded = read(ratings).apart("a test of persons")
    coded.only([model])  # refuses a rater who is not there
    persons = [name for name in coded.raters if name != model]
    table, own = coded.only(persons), coded.only([model])
    same = coded.labels and not coded.declared if matched is None else matched

    def without(kept: Sequence[int]) -> Duels:
        return duels(table.only([persons[j] for j in kept]), own.codes[:, 0], same)

    return tested(without, len(persons), epsilon=epsilon, least=least, wish=Interval.of(interval))


def duels(coded: Coded, own: np.ndarray, matched: bool) -> Duels:
    """Each person and the model, whose codes are `own`, against the other persons."""
    codes, points = coded.codes, np.append(np.nan, coded.numbers)
    x, f = points[codes], points[own]
    model, person = np.full(x.shape, np.nan), np.full(x.shape, np.nan)
    met = (own > 0) & (np.asfortranarray(codes > 0).sum(axis=1) > 1)
    for j in range(x.shape[1]):
        rows = np.flatnonzero((codes[:, j] > 0) & met)
        others = np.asfortranarray(np.delete(x[rows], j, axis=1))  # added up person by person
        far = [_distance(others, of[rows], matched) for of in (f, x[:, j])]
        gap = np.round(far[0] - far[1], DIGITS)
        model[rows, j], person[rows, j] = gap <= 0, gap >= 0
    cluster = np.arange(len(x)) if coded.clusters is None else coded.clusters
    return Duels(model, person, cluster, coded.raters)


def _distance(others: np.ndarray, of: np.ndarray, matched: bool) -> np.ndarray:
    """How far the others are, as a sum over those who rated: the same number for both sides."""
    gap = others - of[:, None]
    each = (np.round(gap, DIGITS) != 0).astype(float) if matched else gap**2
    return np.asarray(np.where(np.isfinite(others), each, 0.0).sum(axis=1))


def tested(
    made: Callable[[Sequence[int]], Duels],
    persons: int,
    *,
    epsilon: float,
    least: int,
    wish: Interval,
    level: float = LEVEL,  # noqa: PT028  (no test of pytest's)
) -> AnnotatorTest:
    """The test of the duels that `made` makes for some of the persons, who go by their places.

    `level` is the chance of a false pass; at one of several looks it is the look's own, which t
    over few clusters does not keep so far out: there p is never below that of values within bounds.
    """
    if not -1 <= epsilon <= 1:
        raise ValueError(f"epsilon={epsilon!r}: give a share such as .15")
    everybody = list(range(persons))
    every: Duels = made(everybody)
    given = np.isfinite(every.gap)
    many = given.sum(axis=0)
    left_out = {every.persons[j]: int(many[j]) for j in everybody if many[j] < least}
    kept = [j for j in everybody if many[j] >= least]
    n_clusters = len(np.unique(every.cluster[given.any(axis=1)]))
    warnings = ("persons_left_out",) if left_out and kept else ()
    looks = not isclose(level, LEVEL)
    found = tuple(_person(every, j, epsilon, looks) for j in kept)
    if not kept:
        nothing = Estimate(None, statistic="advantage", reason="too_few_persons")
        return AnnotatorTest(
            epsilon, (), left_out, nothing, None, n_clusters, "too_few_persons", warnings, level
        )
    fewest = min(each.difference.clusters for each in found)
    reason = "too_few_clusters" if fewest < FEWEST_CLUSTERS else None
    if FEWEST_CLUSTERS <= fewest < ROUGH_CLUSTERS:
        warnings = (*warnings, "under_twenty_clusters")
    found = _rejected(found, level)

    def of(part: Duels, places: Sequence[int], table: str) -> tuple[np.ndarray, Values]:
        return _rows(part, [part.persons.index(every.persons[j]) for j in places], table)

    def without(j: int) -> list[float]:
        rest = [k for k in kept if k != j]
        part = made([k for k in everybody if k != j]) if persons <= MOST_LEFT_OUT else every
        both = (of(part, rest, table) for table in ("model", "gap"))
        return [of_all(values, rows) for rows, values in both]

    left = [without(j) for j in kept] if len(kept) >= 3 else []
    each = dict(zip(("model", "gap"), np.array(left).reshape(len(left), 2).T, strict=True))
    advantage = _advantage(*of(every, kept, "model"), each["model"], every, kept, wish)
    rows, values = of(every, kept, "gap")
    highest = None
    if len(kept) >= 3 and reason is None:
        # The level on one side, as the persons' own tests have it.
        ends = drawn_anew(rows, values, of_all(values, rows), each["gap"], 1 - 2 * level, PLAIN)
        highest = None if ends is None else ends[1]
    return AnnotatorTest(
        epsilon, found, left_out, advantage, highest, n_clusters, reason, warnings, level
    )


def _person(every: Duels, j: int, epsilon: float, looks: bool) -> PersonTest:
    there = np.isfinite(every.gap[:, j])
    d, cluster = every.gap[there, j], every.cluster[there]
    over = ratio_over_clusters(d, cluster)
    plain = ratio_over_clusters(d, np.arange(len(d)))
    least = [p_within_bounds(s * d, cluster, s * epsilon) if looks else 0.0 for s in (1, -1)]
    return PersonTest(
        every.persons[j],
        over,
        float(every.model[there, j].mean()),
        max(_p(over, epsilon), least[0]),
        _p(plain, epsilon),
        max(_p(replace(over, value=-over.value), -epsilon), least[1]),
    )


def _p(found: Ratio, epsilon: float) -> float:
    """P(T < t) with G − 1 degrees of freedom; without spread the mean alone decides."""
    from scipy.special import stdtr

    if not np.isfinite(found.se):
        return 1.0
    if found.se == 0:
        return 0.0 if found.value < epsilon else 1.0
    return float(stdtr(found.clusters - 1, (found.value - epsilon) / found.se))


def _rejected(found: Sequence[PersonTest], at: float) -> tuple[PersonTest, ...]:
    after = [
        adjust([getattr(each, name) for each in found], CORRECTION)
        for name in ("p", "p_plain", "p_worse")
    ]
    return tuple(
        replace(each, rejected=_is(p, at), rejected_plain=_is(plain, at), worse=_is(worse, at))
        for each, p, plain, worse in zip(found, *after, strict=True)
    )


def jointly(tests: Sequence[AnnotatorTest], level: float = LEVEL) -> list[AnnotatorTest]:
    """The tests of several models, each p corrected for all persons of all models together.

    >>> tables = [[[1, 1, 1, 1], [2, 2, 2, 1], [3, 3, 3, 3]] * 12] * 2
    >>> one, other = jointly([alternative_annotator_test(table, 3) for table in tables])
    >>> one.winning_rate == other.winning_rate
    True
    """
    every = _rejected([each for test in tests for each in test.persons], level)
    ends = np.cumsum([0, *(len(test.persons) for test in tests)])
    return [
        replace(test, persons=every[start:end])
        for test, start, end in zip(tests, ends[:-1], ends[1:], strict=True)
    ]


@dataclass(frozen=True)
class ModelPair:
    """How much oftener the first model is at least as near to the others than the second is.

    `p` is of no difference, `p_corrected` after Benjamini and Yekutieli over all pairs.
    """

    first: Any
    second: Any
    difference: Estimate
    p: float | None
    p_corrected: float | None = None


def pairs_of_models(
    made: Mapping[Any, Callable[[Sequence[int]], Duels]],
    persons: int,
    *,
    least: int = LEAST,
    wish: Interval,
) -> list[ModelPair]:
    """Every two models, item by item in each person's place, where both answered.

    `made` gives each model's duels for some of the persons, rows of all models being the same.
    """
    everybody = list(range(persons))
    alone = [[k for k in everybody if k != j] for j in everybody]
    few = persons <= MOST_LEFT_OUT and wish.leaves_out(persons)
    every = {name: (of(everybody), [of(kept) for kept in alone] if few else [])
             for name, of in made.items()}  # fmt: skip
    found = []
    for first, second in combinations(every, 2):
        (one, without_one), (two, without_two) = every[first], every[second]
        gap = _between(one, two)
        many = np.isfinite(gap.model).sum(axis=0)
        kept = [j for j in everybody if many[j] >= least]
        if not kept:
            nothing = Estimate(None, statistic="advantage", reason="too_few_persons")
            found.append(ModelPair(first, second, nothing, None))
            continue
        left = [_between(a, b) for a, b in zip(without_one, without_two, strict=True)]
        each = [_rho(part, [k for k in kept if k != j], gap) for j, part in enumerate(left)]
        rows, values = _rows(gap, kept, "model")
        anew = np.array([each[j] for j in kept]) if few and len(kept) >= 3 else np.zeros(0)
        line = _advantage(rows, values, anew, gap, kept, wish, PLAIN)
        found.append(ModelPair(first, second, line, line.p))
    after = adjust([each.p for each in found], CORRECTION)
    return [replace(each, p_corrected=p) for each, p in zip(found, after, strict=True)]


def _between(one: Duels, two: Duels) -> Duels:
    """Duels of two models on the same rows, as one table of what is between them."""
    gap = one.model - two.model
    return replace(one, model=gap, person=-gap)


def _rho(part: Duels, places: Sequence[int], every: Duels) -> float:
    names = [part.persons.index(every.persons[j]) for j in places]
    rows, values = _rows(part, names, "model")
    return of_all(values, rows)


def _is(p: float | None, at: float) -> bool:
    return p is not None and p <= at


def _rows(part: Duels, kept: Sequence[int], table: str) -> tuple[np.ndarray, Values]:
    """Per cluster each person's sum and number; the mean over persons of what they make."""
    x = getattr(part, table)[:, kept]
    given = np.isfinite(x)
    used = given.any(axis=1)
    codes = numbered_clusters(part.cluster[used])
    rows = np.zeros((len(np.bincount(codes)), 2 * len(kept)))
    for j in range(len(kept)):
        rows[:, j] = np.bincount(codes, np.where(given, x, 0.0)[used, j], len(rows))
        rows[:, len(kept) + j] = np.bincount(codes, given[used, j], len(rows))

    def values(totals: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((totals[:, : len(kept)] / totals[:, len(kept) :]).mean(axis=1))

    return rows, values


def _advantage(
    rows: np.ndarray,
    values: Values,
    each: np.ndarray,
    every: Duels,
    kept: Sequence[int],
    wish: Interval,
    link: Link = LOGIT,
) -> Estimate:
    """ρ, the mean over persons of how often the model is at least as near."""
    used = np.isfinite(every.model[:, kept])
    rho = of_all(values, rows)
    common: dict[str, Any] = {
        "statistic": "advantage",
        "coverage": wish.coverage,
        "n_units": int(used.any(axis=1).sum()),
        "n_raters": len(kept),
        "n_ratings": int(used.sum()),
        "raters": tuple(every.persons[j] for j in kept),
    }
    sizes = rows[:, len(kept) :].sum(axis=1)
    like = each if wish.method == "jackknife" else None
    found = over_clusters(values, of_clusters(rows, sizes), wish, link, like)
    return estimated(rho, found, wish, warnings=found.warnings, **common)
