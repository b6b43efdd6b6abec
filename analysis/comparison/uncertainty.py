"""How far a model's answers lie from people's where people are unsure: Jensen–Shannon by bins.

Units are put into bins by the people's lower median, and in each bin the distribution of the
model's answers is set against that of people's. A model that is simply one more person does not
come out at 0, as bins are made by whom it is compared with; so it is read beside what a person
scores who is left out, and what one half of the people scores against the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from raterbook.analysis.comparison import of_all
from raterbook.analysis.comparison.persons import LEAST, MOST_PERSONS, beside_others
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Ends, Interval, UnitSums, Wish, estimated, interval_of
from raterbook.analysis.intervals.resampling import PLAIN
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import divide

MOST_SPLITS = 40
MOST_LEVELS = 20  # more are hardly met twice in a bin


@dataclass(frozen=True)
class Distance:
    """The model against all people, and against the others in each person's place.

    `model` against all people is the published number. `in_place` is the model in each person's
    place, `persons` each person there, `difference` the first minus the second: above 0 the model
    lies further from people than they do from one another. `halves` is one half of the people
    against the other. The first two and the last are larger than 0 for anybody, and larger still
    with few units: only the difference says something of the model alone.
    """

    model: Estimate
    in_place: Estimate
    persons: Estimate
    difference: Estimate
    halves: float | None

    def __repr__(self) -> str:
        return f"<distance: {self.model!r}; difference {self.difference!r}>"


def distance(ratings: Any, model: Any, *, interval: Wish = "jackknife") -> Distance:
    """Binned Jensen–Shannon distance of the rater `model` from the others, in natural logarithms.

    Over bins b of n_b units, Σ n_b/n · √((KL(P‖M) + KL(Q‖M))/2): P are people's answers, Q the
    model's, M half of each. Intervals are those of the jackknife over units or clusters.

    >>> people = ["554", "443", "222", "545", "232", "444"]
    >>> table = [[*map(int, each), own] for each, own in zip(people, [5, 4, 3, 5, 3, 5])]
    >>> round(distance(table, 3, interval=None).model.value, 4)
    0.5132
    """
    coded, wish = read(ratings), Interval.of(interval)
    coded.needs_an_order("a median")
    own = coded.only([model]).codes[:, 0]
    people = coded.only([name for name in coded.raters if name != model])
    there = (own > 0) & (people.codes > 0).any(axis=1)
    own, people = own[there], people.rows(there)
    given = people.codes > 0
    persons = [int(j) for j in np.flatnonzero(beside_others(people).sum(axis=0) >= LEAST)]
    q = len(coded.scale)
    if q > MOST_LEVELS:
        none = Estimate(None, statistic="distance", reason="too_many_values")
        return Distance(none, none, none, none, None)
    alone = _estimate("distance", people, [_block(people.codes, own, q)], [], wish)
    why = "too_few_persons" if len(persons) < 2 else None
    why = "too_many_raters_for_interval" if len(persons) > MOST_PERSONS else why
    if why is not None:
        none = Estimate(None, statistic="distance", reason=why)
        return Distance(alone, none, none, none, None)
    models, each = [], []
    for j in persons:
        others = np.delete(people.codes, j, axis=1)
        models.append(_block(others, np.where(given[:, j], own, 0), q))
        each.append(_block(others, people.codes[:, j], q))
    return Distance(
        alone,
        _estimate("distance", people, models, [], wish),
        _estimate("distance", people, each, [], wish),
        _estimate("distance_difference", people, models, each, wish),
        split_half(people, q),
    )


def lower_medians(codes: np.ndarray) -> np.ndarray:
    """The lower median of each row's codes; 0 where there are none."""
    placed = np.sort(np.where(codes > 0, codes, np.iinfo(codes.dtype).max), axis=1)
    many = (codes > 0).sum(axis=1)
    return np.where(many > 0, placed[np.arange(len(codes)), (many - 1) // 2], 0)


def _block(people: np.ndarray, own: np.ndarray, q: int) -> np.ndarray:
    """Unit by unit: a one at its bin, how often people gave each level there, and the model's.

    Shape units × bins × (1 + 2q); nothing where either side is missing.
    """
    bins = lower_medians(people)
    units = np.flatnonzero((bins > 0) & (own > 0))
    table = np.zeros((len(own), q, _width(q)), dtype=np.float32)
    table[units, bins[units] - 1, 0] = 1.0
    for column in people[units].T:
        said = column > 0
        table[units[said], bins[units[said]] - 1, column[said]] += 1.0  # a unit once a column
    table[units, bins[units] - 1, q + own[units]] = 1.0
    return table.reshape(len(own), q * _width(q))


def _width(q: int) -> int:
    """How many sums a bin has."""
    return 1 + 2 * q


def _value(totals: np.ndarray, q: int) -> np.ndarray:
    """The distance, a row of sums a time."""
    table = totals.reshape(len(totals), q, _width(q))
    n, p, other = table[:, :, 0], table[:, :, 1 : 1 + q], table[:, :, 1 + q :]
    p, other = (_shares(each) for each in (p, other))
    middle = (p + other) / 2
    both = (_divergence(p, middle) + _divergence(other, middle)) / 2
    whole = n.sum(axis=1)
    found = (n * np.sqrt(np.maximum(both, 0.0))).sum(axis=1)
    return divide(found, whole)


def _shares(counts: np.ndarray) -> np.ndarray:
    return divide(counts, counts.sum(axis=-1, keepdims=True), 0.0)


def _divergence(p: np.ndarray, of: np.ndarray) -> np.ndarray:
    from scipy.special import rel_entr

    return np.asarray(rel_entr(p, of).sum(axis=-1))


def _estimate(
    name: str,
    people: Coded,
    blocks: Sequence[np.ndarray],
    less: Sequence[np.ndarray],
    wish: Interval,
) -> Estimate:
    """The mean over blocks, minus that over the `less`, with its interval over clusters."""
    q = len(people.scale)
    clusters = np.arange(people.n_units) if people.clusters is None else people.clusters
    order = np.argsort(clusters, kind="stable")
    _, first = np.unique(clusters[order], return_index=True)
    size = len(first)
    rows = [np.add.reduceat(each[order], first) if size else each for each in (*blocks, *less)]
    table, width = np.hstack(rows), q * _width(q)

    def values(totals: np.ndarray) -> np.ndarray:
        found = [_value(totals[:, at : at + width], q) for at in range(0, table.shape[1], width)]
        made = np.mean(found[: len(blocks)], axis=0)
        return np.asarray(made - np.mean(found[len(blocks) :], axis=0) if less else made)

    used = people.codes > 0
    common: dict[str, Any] = {
        "statistic": name,
        "coverage": wish.coverage,
        "n_units": int(blocks[0].any(axis=1).sum()),
        "n_raters": int(used.any(axis=0).sum()),
        "n_ratings": int(used.sum()),
        "raters": people.raters,
    }
    if not len(table):
        return Estimate(None, reason="no_comparison", **common)
    theta = of_all(values, table)
    if not np.isfinite(theta):
        return Estimate(None, reason="no_comparison", **common)
    found = Ends()
    if wish.method is not None:
        one = "unit" if people.clusters is None else "cluster"
        sample = UnitSums(table, np.ones(size, dtype=np.int64), f"{one}s", one)
        found = interval_of(values, sample, replace(wish, method="jackknife"), link=PLAIN)
    return estimated(theta, found, wish, warnings=found.warnings, **common)


def split_half(people: Coded, q: int) -> float | None:
    """The mean distance of one half of the people from the other, over ways to halve them.

    Each half makes the bins in turn. All ways where there are few, else evenly chosen ones.
    """
    persons = list(range(people.codes.shape[1]))
    ways = list(combinations(persons, len(persons) // 2))
    ways = ways[:: max(len(ways) // MOST_SPLITS, 1)]
    found = []
    for half in ways:
        rest = [j for j in persons if j not in half]
        for first, second in ((list(half), rest), (rest, list(half))):
            blocks = (_block(people.codes[:, first], people.codes[:, j], q) for j in second)
            total = np.sum([block.sum(axis=0) for block in blocks], axis=0)
            found.append(float(_value(total[None, :], q)[0]))
    found = [each for each in found if np.isfinite(each)]
    return float(np.mean(found)) if found else None
