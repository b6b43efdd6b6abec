"""What a model does otherwise than people: how far it spreads, what it likes, where it parts.

Each is had of the model in a person's place and of that person, on the same items against the same
others, as the statistics of `persons` are: a habit that people have as well is none of the model's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from raterbook.analysis.averages import ratio
from raterbook.analysis.averages.against import values_against
from raterbook.analysis.averages.means import adjust
from raterbook.analysis.comparison import numbered_clusters
from raterbook.analysis.comparison.annotators import Duels
from raterbook.analysis.comparison.persons import (
    LINKS,
    MOST_PERSONS,
    Contrast,
    Made,
    Persons,
    PersonTurn,
    Places,
    SideSums,
    Turned,
    absent,
    beside_others,
    block_of,
    both_sides,
    clusters_of,
    contrast,
    kappas_of,
    one_mind,
    remembered,
    summed,
    together,
    turns_of,
)
from raterbook.analysis.intervals import Interval, Wish
from raterbook.analysis.intervals.resampling import FISHER, LOGIT, PLAIN, effective
from raterbook.analysis.ratings import Coded
from raterbook.analysis.ratings.patterns import divide, nothing

HABITS = ("spread", "range_slope", "length_slope", "own_family")
SPLIT = ("exact", "within_one", "mae", "bias", "spearman", "kappa")
AGREED = {"agreed": True, "apart": False}
LEAST_OF_GROUP = 10  # items inside a group, and outside
OUTSIDE = 25  # units outside the commonest value, below which no method has κ's interval right


def habits(
    ratings: Any,
    model: Any,
    *,
    length: Mapping[Any, float] | None = None,
    family: Mapping[Any, bool | None] | None = None,
    interval: Wish = "jackknife",
) -> list[Contrast]:
    """How a rater uses a scale, beside persons.

    spread is the standard deviation of own scores over that of the others' scores; range_slope,
    how many points higher a score is where the others' mean is a point higher; length_slope,
    how many points higher a text is scored that is twice as long (`length` by unit), where the
    others' mean is the same; own_family, how much higher than the others the model scores outputs
    of its own family (`family` by unit) than other outputs. The last two are left out where they
    are not given.

    >>> table = [[1, 2, 2], [3, 3, 3], [2, 2, 3], [5, 4, 4], [4, 4, 3]] * 4
    >>> for found in habits(table, 2, interval=None):
    ...     print(found.statistic, round(found.model.value, 3))
    spread 0.577
    range_slope 0.45
    """
    people, own = both_sides(ratings, model)
    crowd, wish = Persons.of(people), Interval.of(interval)
    makers: dict[str, Callable[[PersonTurn, np.ndarray], SideSums]] = {
        "spread": lambda turn, value: _spread(turn, value, size),
        "range_slope": lambda turn, value: _range_slope(turn, value, size),
    }
    size = len(np.bincount(clusters_of(people)))
    if length is not None:
        with np.errstate(divide="ignore"):
            doublings = np.log2(_known(length, people.units))
        known = np.isfinite(doublings)
        doublings -= doublings[known].mean() if known.any() else 0.0
        makers["length_slope"] = lambda turn, value: _slope(
            turn, value, doublings[turn.units], size
        )
    if family is not None:
        inside = _known(family, people.units)
        makers["own_family"] = lambda turn, value: _contrast(
            "bias", turn, value, inside[turn.units], size
        )

    turned = turns_of(people, own)

    def of(make: Callable[[PersonTurn, np.ndarray], SideSums]) -> Made:
        return lambda kept: turned(kept).blocks(make)

    crowds = {} if family is None else {"own_family": _parted(crowd, people, inside)}
    return [
        contrast(name, crowds.get(name, crowd), of(make), wish) for name, make in makers.items()
    ]


def _parted(crowd: Persons, people: Coded, inside: np.ndarray) -> Persons:
    """With the degrees of freedom of a mean inside less that outside.

    A group that is the smaller makes most of the spread, and clusters of the other do not help to
    know it (Satterthwaite 1946, of clusters alike).
    """
    many = beside_others(people).sum(axis=1).astype(float)
    sides = [np.where(np.isfinite(inside), part, 0.0) * many for part in (inside, 1 - inside)]
    each = [np.bincount(clusters_of(people), side) for side in sides]
    if not all(side.sum() for side in each):
        return crowd
    # What each cluster adds to the variance: as much a rating, in either mean.
    shares = sum(side / side.sum() ** 2 for side in each)
    return replace(crowd, df=max(effective(shares, np.ones(len(shares))) - 1, 1.0))


def _known(values: Any, units: Any) -> np.ndarray:
    """The number of each unit, NaN where there is none."""
    found = [values[unit] for unit in units]
    return np.array([np.nan if v is None or not v >= 0 else float(v) for v in found]).astype(float)


def _spread(turn: PersonTurn, value: np.ndarray, size: int) -> SideSums:
    """The standard deviation of own values over that of the others' single ones."""
    given = np.isfinite(turn.others)
    middle = float(np.nanmean(turn.others)) if given.any() else 0.0
    y, o = value - middle, np.where(given, turn.others - middle, 0.0)
    many = given.sum(axis=1).astype(float)
    columns = (np.ones(len(y)), y, y**2, many, o.sum(axis=1), (o**2).sum(axis=1))
    rows = summed(columns, turn.clusters, size)

    def values(totals: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            n, y, yy, m, o, oo = totals.T
            of, beside = yy / n - (y / n) ** 2, oo / m - (o / m) ** 2
            of = np.where(nothing(of), 0.0, of)  # rounding is no spread
            return np.asarray(np.sqrt(divide(of, beside)))

    return SideSums(rows, values)


def _range_slope(turn: PersonTurn, value: np.ndarray, size: int) -> SideSums:
    """Own points by a point of the others' mean."""
    p, y = (x - (float(x.mean()) if len(x) else 0.0) for x in (turn.middle, value))
    rows = summed((np.ones(len(p)), p, y, p**2, p * y), turn.clusters, size)

    def values(totals: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            n, p, y, pp, py = totals.T
            beside = pp / n - (p / n) ** 2
            return divide(py / n - p * y / n**2, beside)

    return SideSums(rows, values)


def _slope(turn: PersonTurn, value: np.ndarray, long: np.ndarray, size: int) -> SideSums:
    """Points by doubling of the length, the others' mean being equal."""
    known = np.isfinite(long)
    turn, value, long = turn.where(known), value[known], long[known]
    p = turn.middle
    p = p - (float(p.mean()) if len(p) else 0.0)
    columns = (np.ones(len(p)), p, long, value, p**2, long**2, p * long, p * value, long * value)
    rows = summed(columns, turn.clusters, size)

    def values(totals: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            n, p, x, y, pp, xx, px, py, xy = totals.T
            spp, sxx = pp / n - (p / n) ** 2, xx / n - (x / n) ** 2
            spx, spy, sxy = px / n - p * x / n**2, py / n - p * y / n**2, xy / n - x * y / n**2
            both = sxx * spp - spx**2
            # Where the others never differ there is nothing to hold equal.
            apart = np.round(divide(both, sxx * spp), 9)
            held = divide(sxy * spp - spx * spy, np.where(apart > 0, both, 0.0))
            return np.where(nothing(spp), divide(sxy, sxx), held)

    return SideSums(rows, values)


def _contrast(
    name: str, turn: PersonTurn, value: np.ndarray, inside: np.ndarray, size: int
) -> SideSums:
    """A comparison's mean inside less that outside."""
    known = np.isfinite(inside)
    turn, value, inside = turn.where(known), value[known], inside[known]
    numbers = values_against(name, turn.others, value, turn.middle)
    x = numbers.get("x", numbers.get("hit"))
    assert x is not None  # of those that are means
    outside = 1 - inside
    rows = summed((inside, inside * x, outside, outside * x), turn.clusters, size)

    def values(totals: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            n, one, m, two = totals.T
            return np.asarray(one / n - two / m)

    return SideSums(rows, values)


def by_agreement(
    ratings: Any,
    model: Any,
    *,
    names: Iterable[str] = SPLIT,
    matched: bool = False,
    interval: Wish = "jackknife",
) -> dict[str, list[Contrast]]:
    """The statistics of `names` where all others were of one mind, and where they were apart.

    The others are those but the person whose place it is, so three persons are needed; a person
    who agrees makes no unit an easy one for themselves. κ is that of the rater and each other, of
    labels (`matched`) without weights.
    """
    people, own = both_sides(ratings, model)
    crowd, wish, names = Persons.of(people), Interval.of(interval), list(names)
    if len(people.raters) < 3:
        return {which: [absent(name, "too_few_persons") for name in names] for which in AGREED}
    size = len(np.bincount(clusters_of(people)))
    too_many = len(people.raters) > MOST_PERSONS

    every = turns_of(people, own)

    def of(alike: bool) -> list[Contrast]:
        turned = remembered(
            lambda kept: every(kept).where(lambda turn: turn.one_mind == alike), people
        )

        def made(name: str) -> Made:
            def block(turn: PersonTurn, value: np.ndarray) -> SideSums:
                if name == "kappa":
                    return kappas_of(turn, value, size, matched)
                return block_of(name, turn, value, size)

            return lambda kept: turned(kept).blocks(block)

        def line(name: str) -> Contrast:
            if name == "kappa" and too_many:
                return absent(name, "too_many_raters_for_interval")
            found = contrast(name, crowd, made(name), wish, LINKS.get(name, PLAIN))
            few = name == "kappa" and _outside(turned(range(len(people.raters)))) < OUTSIDE
            return _warned(found, "too_few_disagreements") if few else found

        return [line(name) for name in names]

    return {which: of(alike) for which, alike in AGREED.items()}


def _outside(turned: Turned) -> int:
    """How many units have another value than the others' commonest."""
    values = np.concatenate([turn.others.ravel() for turn in turned.turns])
    values = values[np.isfinite(values)]
    if not len(values):
        return 0
    known, many = np.unique(values, return_counts=True)
    commonest = known[many.argmax()]
    there = [
        turn.units[(np.isfinite(turn.others) & (turn.others != commonest)).any(axis=1)]
        for turn in turned.turns
    ]
    return len(np.unique(np.concatenate(there)))


def _warned(line: Contrast, warning: str) -> Contrast:
    sides = (line.model, line.persons, line.difference)
    return Contrast(
        line.statistic, *(replace(each, warnings=(*each.warnings, warning)) for each in sides)
    )


def split_duels(people: Coded, every: Duels, alike: bool) -> Duels:
    """Those where all others were of one mind, or were apart, person by person."""
    x = np.append(np.nan, people.numbers)[people.codes]
    keep = np.zeros(x.shape, dtype=bool)
    for j in range(x.shape[1]):
        keep[:, j] = one_mind(np.delete(x, j, axis=1)) == alike
    model, person = (np.where(keep, side, np.nan) for side in (every.model, every.person))
    return replace(every, model=model, person=person)


@dataclass(frozen=True)
class GroupApart:
    """How much further from people the model is inside a group of items than outside it.

    `p` is that of the model parting as much more there as persons do; `p_corrected` after Holm
    over all groups looked at.
    """

    column: str
    value: Any
    n_items: int
    found: Contrast
    p: float | None
    p_corrected: float | None = None


def groups_apart(
    ratings: Any,
    model: Any,
    groups: Mapping[str, Mapping[Any, Any]],
    *,
    matched: bool = False,
    interval: Wish = "jackknife",
) -> list[GroupApart]:
    """Of each value of each column (`groups`: column → unit → value), distance inside − outside.

    Of scores it is the distance to the others' mean, of labels (`matched`) the share not met.
    Items that are hard for everybody part persons too: what is the model's own is the difference.
    """
    people, own = both_sides(ratings, model)
    crowd, wish = Persons.of(people), Interval.of(interval)
    size = len(np.bincount(clusters_of(people)))
    found, turned = [], turns_of(people, own)
    for column, labels in groups.items():
        given = np.array([labels[unit] for unit in people.units], dtype=object)
        known = np.array([label is not None and label == label for label in given])
        for value in sorted(set(given[known]), key=str):
            inside = np.where(known, (given == value).astype(float), np.nan)
            many = int((inside == 1).sum())
            if min(many, int((inside == 0).sum())) < LEAST_OF_GROUP:
                continue
            made = _parting(turned, inside, matched, size)
            line = contrast("apart", _parted(crowd, people, inside), made, wish)
            found.append(GroupApart(column, value, many, line, line.difference.p))
    after = adjust([each.p for each in found], "holm")
    return [replace(each, p_corrected=p) for each, p in zip(found, after, strict=True)]


def _parting(
    turned: Callable[[Places], Turned], inside: np.ndarray, matched: bool, size: int
) -> Made:
    def make(turn: PersonTurn, value: np.ndarray) -> SideSums:
        if not matched:
            return _contrast("mae", turn, value, inside[turn.units], size)
        hit = _contrast("exact", turn, value, inside[turn.units], size)
        return SideSums(hit.rows, lambda totals: -hit.values(totals))

    return lambda kept: turned(kept).blocks(make)


def halo_effect(several: Sequence[Any], model: Any, *, interval: Wish = "jackknife") -> Contrast:
    """How alike one rater's scores on several questions are: the mean correlation of two of them.

    `several` are the ratings of each question, by the same raters on units of the same names. The
    model stands beside each person on the items that both answered.
    """
    wish = Interval.of(interval)
    sides = [both_sides(each, model) for each in several]
    names = tuple(dict.fromkeys(name for people, _ in sides for name in people.raters))
    pairs = list(combinations(range(len(sides)), 2))
    if not pairs or len(names) > MOST_PERSONS:
        why = "no_questions" if not pairs else "too_many_raters_for_interval"
        return absent("halo_effect", why)
    units = list(dict.fromkeys(unit for people, _ in sides for unit in people.units))
    place = {unit: at for at, unit in enumerate(units)}
    of_unit: dict[Any, Any] = {}
    tables = np.full((len(sides), len(units), len(names) + 1), np.nan)
    for at, (people, own) in enumerate(sides):
        points = np.append(np.nan, people.numbers)
        rows = [place[unit] for unit in people.units]
        for j, name in enumerate(people.raters):
            tables[at, rows, names.index(name)] = points[people.codes[:, j]]
        tables[at, rows, -1] = points[own]
        labels = people.units if people.clusters is None else people.clusters
        of_unit |= dict(zip(people.units, labels, strict=True))
    clusters = np.unique([of_unit[unit] for unit in units], return_inverse=True)[1].ravel()
    size = len(np.bincount(clusters))

    def made(kept: Places) -> tuple[SideSums, SideSums]:
        model_: list[SideSums] = []
        person: list[SideSums] = []
        for j in kept:
            for a, b in pairs:
                there = np.isfinite(tables[[a, b]][:, :, [j, -1]]).all(axis=(0, 2))
                for found, who in ((model_, -1), (person, j)):
                    x, y = tables[a, there, who], tables[b, there, who]
                    found.append(_correlation(x, y, clusters[there], size))
        return together(model_, size), together(person, size)

    given = np.isfinite(tables[:, :, :-1]) & np.isfinite(tables[:, :, -1:])
    sizes = np.bincount(clusters, given.sum(axis=(0, 2)).astype(float), size)
    many = int(given.any(axis=(0, 2)).sum())
    crowd = Persons(names, many, int(given.sum()), sizes, least=1)
    return contrast("halo_effect", crowd, made, wish, FISHER)


def _correlation(x: np.ndarray, y: np.ndarray, clusters: np.ndarray, size: int) -> SideSums:
    """Pearson's, from sums around the means."""
    if len(x):
        x, y = x - x.mean(), y - y.mean()
    rows = summed((np.ones(len(x)), x, y, x**2, y**2, x * y), clusters, size)

    def values(totals: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            n, x, y, xx, yy, xy = totals.T
            of = (xx - x**2 / n) * (yy - y**2 / n)
            return divide(xy - x * y / n, np.sqrt(np.where(nothing(of), 0.0, of)))

    return SideSums(rows, values)


def same_again(
    name: str, hits: np.ndarray, clusters: np.ndarray, raters: Sequence[Any], wish: Interval
) -> Contrast:
    """How often it happens to each rater that is asked twice: 0 or 1 by pair, NaN where not asked.

    The last rater is the model. For answers asked for again, for pairs shown in both orders, and
    for whatever else is met or not; no person is needed.
    """
    codes = numbered_clusters(clusters)
    size, both = len(np.bincount(codes)), np.isfinite(hits)
    persons = [j for j in range(hits.shape[1] - 1) if both[:, j].any()]

    def of(j: int) -> SideSums:
        columns = (np.where(both, hits, 0.0)[:, j], both[:, j].astype(float))
        return SideSums(summed(columns, codes, size), ratio)

    def made(kept: Places) -> tuple[SideSums, SideSums]:
        return of(-1), together([of(persons[j]) for j in kept], size)

    sizes = np.bincount(codes, both.sum(axis=1).astype(float), size)
    who = tuple(raters[j] for j in persons)
    crowd = Persons(who, int(both[:, -1].sum()), int(both.sum()), sizes, 0, "zero_denominator")
    return contrast(name, crowd, made, wish, LOGIT)
