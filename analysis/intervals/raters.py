"""A statistic when raters leave: each in turn, alone and together with one unit.

A rater who leaves changes the units they answered, and nothing else; so that is all that is looked
at again, however many raters there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from raterbook.analysis.coefficients import (
    LARGE,
    Coefficient,
    Paired,
    by_chance,
    in_groups,
    rows_to_resample,
)
from raterbook.analysis.intervals.resampling import LeftOut, Values, leave_one_out
from raterbook.analysis.ratings.patterns import Patterns, in_runs, ranked, steps


@dataclass(frozen=True)
class Departures:
    """What the total loses with a unit, with a rater, and with a unit once a rater is gone.

    `values` makes the statistic of totals. A unit takes a row of `kinds` along, units of one
    `kind` the same; `weights` says how many units each entry stands for. A rater takes a row of
    `own`. The entries of `unit`, `rater` and `place` are who answered what: with that rater gone,
    that unit takes the row `rest[place]`.
    """

    values: Values
    total: np.ndarray
    kinds: np.ndarray
    kind: np.ndarray
    weights: np.ndarray
    own: np.ndarray
    unit: np.ndarray
    rater: np.ndarray
    rest: np.ndarray
    place: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """What each unit takes along."""
        return np.asarray(self.kinds[self.kind])

    def without_units(self, totals: np.ndarray) -> np.ndarray:
        """The statistic of sums of `rows`, which need not add up to the total."""
        return self.values(self.total - (self.weights @ self.rows - totals))

    def bounded(self) -> Departures:
        """The same, or groups of units where all of them would fill memory."""
        if len(self.kinds) * len(self.own) <= LARGE:
            return self
        group, which, counts = by_chance(self.weights)
        size = int(group.max()) + 1
        rows = self.rows
        kinds = np.zeros((size, rows.shape[1]))
        np.add.at(kinds, group, rows[which] * counts[:, None])
        # Every answer in each of the groups that its unit is in.
        first = np.searchsorted(which, self.unit)
        many = np.searchsorted(which, self.unit, side="right") - first
        answer = np.repeat(np.arange(len(many)), many)
        share = in_runs(first, many)
        met, entry = ranked(self.rater[answer] * size + group[share])
        lost = np.zeros((len(met), rows.shape[1]))
        each = rows[self.unit[answer]]
        each -= self.rest[self.place[answer]]
        each *= counts[share][:, None]
        np.add.at(lost, entry, each)
        rater, unit = np.divmod(met, size)
        return replace(
            self,
            kinds=kinds,
            kind=np.arange(size),
            weights=np.ones(size, dtype=np.int64),
            unit=unit,
            rater=rater,
            rest=kinds[unit] - lost,
            place=np.arange(len(met)),
        )

    def without_raters(self) -> np.ndarray:
        """The statistic without each rater in turn."""
        return self._of(len(self.own), lambda part: self.total - self.own[part])

    def left_out(self) -> LeftOut:
        """The same, and without one unit as well."""
        each = self.without_raters()
        size = max(len(self.rest), 1)
        alike, entry = ranked(self.rater * size + self.place)
        raters, places = np.divmod(alike, size)
        gone = self.total - self.own
        met = self._of(len(alike), lambda part: gone[raters[part]] - self.rest[places[part]])
        apart = self._apart(gone, each)
        return LeftOut(each, apart, self.kind, self.weights, self.unit, self.rater, met[entry])

    def _apart(self, gone: np.ndarray, each: np.ndarray) -> np.ndarray:
        """The statistic without a rater and a unit of each kind that they did not answer."""
        shape = len(self.kinds), len(gone)
        cells = self.kind[self.unit] * shape[1] + self.rater
        answered = np.bincount(cells, self.weights[self.unit], shape[0] * shape[1])
        units = np.bincount(self.kind, self.weights, shape[0])
        there = units[:, None] > answered.reshape(shape)
        found = np.tile(each, (shape[0], 1))
        kinds, raters = np.nonzero(there)
        found[kinds, raters] = self._of(
            len(kinds), lambda part: gone[raters[part]] - self.kinds[kinds[part]]
        )
        return found

    def _of(self, n: int, totals: Callable[[slice], np.ndarray]) -> np.ndarray:
        """The statistic of n totals, some at a time, so that memory stays bounded."""
        found = np.empty(n)
        for part in steps(n, len(self.total)):
            found[part] = self.values(totals(part))
        return found


def without_each_rater(statistic: Coefficient, patterns: Patterns) -> np.ndarray:
    """The statistic without each rater in turn; raters who answered nothing are not counted."""
    if statistic.exchangeable or isinstance(statistic, Paired):
        return departures(statistic, patterns).without_raters()
    return _one_by_one(statistic, patterns).each


def leave_raters_out(statistic: Coefficient, patterns: Patterns) -> LeftOut:
    """The same, and without one unit as well."""
    if statistic.exchangeable or isinstance(statistic, Paired):
        return departures(statistic, patterns).left_out()
    return _one_by_one(statistic, patterns)


def _one_by_one(statistic: Coefficient, patterns: Patterns) -> LeftOut:
    """For statistics of who gave which value that know no shorter way: all once more per rater."""
    each, both = [], []
    weights = np.zeros(0, dtype=np.int64)
    for rater in np.unique(patterns.answers.rater):
        rows, weights = rows_to_resample(statistic, patterns.without_rater(int(rater)))
        total = weights @ rows
        each.append(float(statistic.values(total[None, :])[0]))
        both.append(leave_one_out(statistic.values, rows, total))
    none = np.zeros(0, dtype=np.int64)
    table = np.array(both).T
    return LeftOut(np.array(each), table, np.arange(len(table)), weights, none, none, np.zeros(0))


def departures(statistic: Coefficient, patterns: Patterns) -> Departures:
    """What leaves with units and raters."""
    if isinstance(statistic, Paired):
        found: Departures = statistic.departures(patterns)
        return found
    answers, q = patterns.answers, patterns.q
    names, rater = ranked(answers.rater)
    kinds, kind = patterns.merged
    # What is left of a unit is the same whoever of those with one value is gone.
    lighter, place = ranked(kind[answers.pattern] * (q + 1) + answers.code)
    before, code = np.divmod(lighter, q + 1)
    left = _Left(statistic, q, kinds.codes, _without(kinds.codes[before], code), before)
    if patterns.blocks is not None or left.large or len(kinds.codes) * len(names) > LARGE:
        return _by_cluster(left, patterns, rater, place, kind)
    rows, rest = left.kinds, left.rest
    own = np.zeros((len(names), rows.shape[1]))
    alike, entry = ranked(rater * len(lighter) + place)
    many = np.bincount(entry, patterns.weights[answers.pattern], len(alike))
    raters, places = np.divmod(alike, max(len(lighter), 1))
    for part in steps(len(alike), rows.shape[1]):
        taken = (rows[before[places[part]]] - rest[places[part]]) * many[part][:, None]
        add_rows(own, raters[part], taken)
    return Departures(
        statistic.values,
        kinds.weights @ rows,
        rows,
        kind,
        patterns.weights,
        own,
        answers.pattern,
        rater,
        rest,
        place,
    )


class _Left:
    """The sums of each kind of unit, and of what is left of it without one answer."""

    def __init__(
        self,
        statistic: Coefficient,
        q: int,
        codes: np.ndarray,
        lighter: np.ndarray,
        before: np.ndarray,
    ) -> None:
        self.statistic, self.q, self.codes, self.lighter = statistic, q, codes, lighter
        self.before = before
        self.width = int(statistic.sums(codes[:0], q).shape[1])
        self.large = (len(codes) + len(lighter)) * self.width > LARGE
        if not self.large:
            self.kinds, self.rest = statistic.sums(codes, q), statistic.sums(lighter, q)

    def rows(self, kinds: np.ndarray) -> np.ndarray:
        if self.large:
            return self.statistic.sums(self.codes[kinds], self.q)
        return np.asarray(self.kinds[kinds])

    def taken(self, places: np.ndarray) -> np.ndarray:
        """What one answer takes along from its unit."""
        if self.large:
            rest = self.statistic.sums(self.lighter[places], self.q)
        else:
            rest = self.rest[places]
        return np.asarray(self.rows(self.before[places]) - rest)


def _by_cluster(
    left: _Left, patterns: Patterns, rater: np.ndarray, place: np.ndarray, kind: np.ndarray
) -> Departures:
    """Clusters leave whole; where they would fill memory, groups of units do."""
    answers, raters = patterns.answers, len(np.bincount(rater))
    if patterns.blocks is None:
        which = np.arange(len(patterns.codes))
        cluster, counts = which, patterns.weights
    else:
        cluster, which, counts = patterns.blocks
    many = patterns.rated[which]
    size = len(np.bincount(cluster))
    if max(size * raters, size * left.width, int(many.sum()) * left.width) > LARGE:
        cluster, which, counts = in_groups(patterns)
        many, size = patterns.rated[which], int(cluster.max()) + 1
    rows = np.zeros((size, left.width))
    for part in steps(len(which), left.width):
        add_rows(rows, cluster[part], left.rows(kind[which[part]]) * counts[part][:, None])
    # Every answer of every pattern of a cluster, rater by rater.
    start = np.searchsorted(answers.pattern, which)
    answer = in_runs(start, many)
    key = rater[answer] * size + np.repeat(cluster, many)
    order = np.argsort(key, kind="stable")
    found, pair = np.unique(key[order], return_inverse=True)
    places, times = place[answer][order], np.repeat(counts, many)[order]
    gone = np.zeros((len(found), left.width))
    for part in steps(len(order), left.width):
        add_rows(gone, pair.ravel()[part], left.taken(places[part]) * times[part][:, None])
    who, unit = np.divmod(found, size)
    own = np.zeros((raters, left.width))
    add_rows(own, who, gone)
    return Departures(
        left.statistic.values,
        rows.sum(axis=0),
        rows,
        np.arange(size),
        np.ones(size, dtype=np.int64),
        own,
        unit,
        who,
        rows[unit] - gone,
        np.arange(len(found)),
    )


def _without(codes: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Each row of sorted codes without one of that code."""
    place = (codes == code[:, None]).argmax(axis=1)
    keep = np.arange(codes.shape[1]) != place[:, None]
    return np.asarray(codes[keep].reshape(len(codes), codes.shape[1] - 1))


def add_rows(sums: np.ndarray, to: np.ndarray, rows: np.ndarray) -> None:
    """Add rows to those sums, where equal numbers of `to` mostly stand together."""
    if len(to):
        starts = np.flatnonzero(np.r_[True, to[1:] != to[:-1]])
        np.add.at(sums, to[starts], np.add.reduceat(rows, starts, axis=0))
