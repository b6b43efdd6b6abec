"""Kappa in its kinds: Cohen, Scott, Fleiss, Conger, Light."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from raterbook.analysis.coefficients import GROUPS, LARGE, Paired
from raterbook.analysis.coefficients.gwet import (
    OwnChance,
    SharedChance,
    beyond_chance,
    is_identity,
    weights_name,
    weights_on,
)
from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import Interval, Shares, Wish, linear
from raterbook.analysis.intervals.raters import Departures
from raterbook.analysis.intervals.resampling import FISHER
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import Patterns, distinct_rows, divide, in_runs, steps

ENOUGH_SHARED = 10  # units of a pair, below which κ's bias shows beside its interval
KINDS = ("cohen", "scott", "fleiss", "conger", "light")


def kappa(
    ratings: Any,
    kind: str | None = None,
    weights: str | Sequence[Any] | np.ndarray = "identity",
    *,
    scale: Sequence[Any] | None = None,
    interval: Wish = "jackknife",
) -> Estimate:
    """Kappa: 1 is perfect agreement, 0 what chance gives, below 0 less than chance.

    `kind` is cohen (two raters), scott (two raters, joint chance), fleiss (any number, joint
    chance), conger (any number, each rater's own chance) or light (mean of Cohen's over pairs);
    without one, cohen for two raters and light for more. `weights` is a name (identity, linear,
    quadratic, ordinal, radical, ratio, circular, bipolar) or a q × q matrix. Without a value,
    and with the reason, when chance alone would agree perfectly.

    >>> kappa([[1, 1], [1, 1], [2, 2], [1, 2]], interval=None)
    <kappa_cohen: 0.5000; 4 units, 2 raters, 8 ratings>
    """
    coded = read(ratings, scale)
    if kind is None:
        kind = "cohen" if coded.codes.shape[1] <= 2 else "light"
    check_kind(kind, coded)
    statistic = kappa_statistic(kind, weights, coded)
    warnings = undefined_pairs(statistic, coded.patterns) if kind == "light" else ()
    return infer(statistic, coded, Interval.of(interval), warnings=warnings)


def check_kind(kind: str, coded: Coded) -> None:
    """Refuse a kind that does not exist or does not fit the number of raters."""
    check_name("kind", kind, KINDS)
    if kind in ("cohen", "scott") and coded.codes.shape[1] > 2:
        n = coded.codes.shape[1]
        raise ValueError(
            f"{kind} compares two raters and there are {n}: name two with raters=, "
            "or choose light, fleiss or conger"
        )


def kappa_statistic(kind: str, weights: Any, coded: Coded) -> Any:
    """The statistic that computes this kind of kappa on this scale."""
    matrix = weights_on(coded, weights)
    name = f"kappa_{kind}" if is_identity(weights) else f"kappa_{kind}_{weights_name(weights)}"
    if kind == "fleiss":
        return SharedChance(matrix, "fleiss", name)
    if kind == "conger":
        return OwnChance(matrix, name)
    return PairKappa(matrix, name, own=kind != "scott")


def undefined_pairs(statistic: PairKappa, patterns: Patterns) -> tuple[str, ...]:
    """A warning where some pair of raters has no kappa."""
    found = statistic.each_pair(statistic.by_pair(patterns, met(patterns)))
    exists = np.isfinite(found).sum()
    width = patterns.codes.shape[1]
    return ("undefined_pairs",) if 0 < exists < width * (width - 1) // 2 else ()


# Kappa for pairs of raters: Cohen's for one pair, Light's as the mean over all of them.


class PairKappa(Paired):
    """Mean over pairs of raters of Cohen's kappa (`own=True`) or Scott's pi (`own=False`).

    Each pair uses the units that both rated. Units are drawn jointly for all pairs, because
    pairs share raters and their kappas move together.
    """

    exchangeable = False
    link = FISHER

    def __init__(self, weights: np.ndarray, name: str = "kappa_cohen", own: bool = True) -> None:
        self.weights, self.name, self.own = weights, name, own
        self.pairs: tuple[np.ndarray, np.ndarray] | None = None

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        """Per pattern and pair: the agreement weight, then the two raters' values."""
        pairs = self.pairs
        first, second = np.triu_indices(codes.shape[1], 1) if pairs is None else pairs
        cells = self._cells(codes[:, first], codes[:, second], q)
        return cells.reshape(len(codes), len(first) * (1 + 2 * q))

    def _cells(self, first: np.ndarray, second: np.ndarray, q: int) -> np.ndarray:
        """The sums of meetings of two raters, along a last axis of 1 + 2q; zero without either."""
        padded = np.zeros((q + 1, q + 1))
        padded[1:, 1:] = self.weights
        both = (first > 0) & (second > 0)
        shown = np.arange(1, q + 1)
        cells = np.empty((*first.shape, 1 + 2 * q))
        cells[..., 0] = padded[first, second]
        cells[..., 1 : q + 1] = both[..., None] & (first[..., None] == shown)
        cells[..., q + 1 :] = both[..., None] & (second[..., None] == shown)
        return cells

    def among(self, patterns: Patterns) -> PairKappa:
        """The same for the pairs that met: of a crowd's pairs, most never do."""
        found = PairKappa(self.weights, self.name, self.own)
        found.pairs = np.divmod(met(patterns), patterns.codes.shape[1])
        return found

    def total(self, patterns: Patterns) -> np.ndarray:
        """`sums` over all units, of the pairs that met."""
        return self.by_pair(patterns, met(patterns)).ravel()

    def by_pair(self, patterns: Patterns, pairs: np.ndarray) -> np.ndarray:
        """The same, a row for each of these pairs."""
        q = patterns.q
        size = len(pairs) * (q + 1) ** 2
        seen = np.zeros(size) if size <= LARGE else None
        totals = np.zeros((len(pairs), 1 + 2 * q))
        for one, other in meetings(patterns):
            pair, first, second, unit = _met_at(patterns, pairs, one, other)
            weights = patterns.weights[unit]
            if seen is not None:
                seen += np.bincount((pair * (q + 1) + first) * (q + 1) + second, weights, size)
            else:
                np.add.at(totals, pair, self._cells(first, second, q) * weights[:, None])
        if seen is not None:
            table = seen.reshape(len(pairs), q + 1, q + 1)[:, 1:, 1:]
            totals[:, 0] = (table * self.weights).sum(axis=(1, 2))
            totals[:, 1 : q + 1], totals[:, q + 1 :] = table.sum(axis=2), table.sum(axis=1)
        return totals

    def is_thin(self, patterns: Patterns) -> bool:
        """Whether raters take turns, so that the κ of a pair comes from a handful of units.

        κ of few units is biased downwards, and the mean of many such has a narrow interval beside
        the truth: of 20 raters, three for each of 200 units, it holds .56 in a third of the rounds.
        """
        q = patterns.q
        totals = self.by_pair(patterns, met(patterns))
        shared = totals[np.isfinite(self.each_pair(totals)), 1 : q + 1].sum(axis=1)
        n = patterns.weights[patterns.rated >= 2].sum()
        return len(shared) > 1 and bool(np.median(shared) < min(ENOUGH_SHARED, n / 2))

    def departures(self, patterns: Patterns) -> Departures:
        """Who leaves takes along the kappas of their pairs, or changes them.

        A unit changes the kappas of those who met on it; a rater's are gone.
        """
        pairs, width = met(patterns), patterns.codes.shape[1]
        totals = self.by_pair(patterns, pairs)
        kappas = _counted(self.each_pair(totals))
        own = np.zeros((width, 2))
        for side in np.divmod(pairs, width):
            np.add.at(own, side, kappas)
        found = self._by_unit if patterns.blocks is None else self._by_cluster
        units, weights, unit, rater, lost = found(patterns, pairs, totals, kappas)
        names = np.unique(patterns.answers.rater)
        kinds, kind = distinct_rows(units)
        return Departures(
            _mean,
            kappas.sum(axis=0),
            kinds,
            kind,
            weights,
            own[names],
            unit,
            np.searchsorted(names, rater),
            units[unit] - lost,
            np.arange(len(unit)),
        ).bounded()

    def _by_unit(
        self, patterns: Patterns, pairs: np.ndarray, totals: np.ndarray, kappas: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        answers, q = patterns.answers, patterns.q
        lost = np.zeros((len(answers.code), 2))
        units = np.zeros((len(patterns.codes), 2))
        for one, other in meetings(patterns):
            pair, first, second, unit = _met_at(patterns, pairs, one, other)
            kinds, kind = np.unique(
                (pair * (q + 1) + first) * (q + 1) + second, return_inverse=True
            )
            pair, of_kind = np.divmod(kinds, (q + 1) ** 2)
            gone = self._cells(*np.divmod(of_kind, q + 1), q)
            change = (kappas[pair] - _counted(self.each_pair(totals[pair] - gone)))[kind.ravel()]
            for column in range(2):
                units[:, column] += np.bincount(unit, change[:, column], len(units))
                lost[:, column] += np.bincount(one, change[:, column], len(lost))
                lost[:, column] += np.bincount(other, change[:, column], len(lost))
        return units, patterns.weights, answers.pattern, answers.rater, lost

    def _by_cluster(
        self, patterns: Patterns, pairs: np.ndarray, totals: np.ndarray, kappas: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        assert patterns.blocks is not None
        cluster, which, counts = patterns.blocks
        size, width = len(np.bincount(cluster)), patterns.codes.shape[1]
        none = np.zeros(0, dtype=np.int64)
        parts = [(none,) * 4, *(_met_at(patterns, pairs, *each) for each in meetings(patterns))]
        pair, first, second, unit = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(unit, kind="stable")
        many = np.bincount(unit, minlength=len(patterns.codes))
        start = (np.cumsum(many) - many)[which]
        many = many[which]
        at = order[in_runs(start, many)]
        times, where = np.repeat(counts, many), np.repeat(cluster, many)
        if len(np.unique(where * len(pairs) + pair[at])) * totals.shape[1] > LARGE:
            size, where = GROUPS, where % GROUPS
        found, entry = np.unique(where * len(pairs) + pair[at], return_inverse=True)
        gone = np.zeros((len(found), totals.shape[1]))
        for part in steps(len(at), totals.shape[1]):
            cells = self._cells(first[at[part]], second[at[part]], patterns.q)
            np.add.at(gone, entry.ravel()[part], cells * times[part][:, None])
        where, of_pair = np.divmod(found, len(pairs))
        change = kappas[of_pair] - _counted(self.each_pair(totals[of_pair] - gone))
        units = np.zeros((size, 2))
        np.add.at(units, where, change)
        both = np.concatenate([where * width + side for side in np.divmod(pairs[of_pair], width)])
        met_by, entry = np.unique(both, return_inverse=True)
        lost = np.zeros((len(met_by), 2))
        np.add.at(lost, entry.ravel(), np.vstack([change, change]))
        return units, np.ones(size, dtype=np.int64), *np.divmod(met_by, width), lost

    def values(self, totals: np.ndarray) -> np.ndarray:
        width = 1 + 2 * len(self.weights)
        cells = totals.reshape(len(totals) * (totals.shape[1] // width), width)
        found = self.each_pair(cells).reshape(len(totals), totals.shape[1] // width)
        exists = np.isfinite(found)
        return divide(np.where(exists, found, 0.0).sum(axis=1), exists.sum(axis=1).astype(float))

    def each_pair(self, cells: np.ndarray) -> np.ndarray:
        """Kappa of each pair (rows of sums), NaN where a pair never met or never varied."""
        q = len(self.weights)
        agreed, first, second = cells[:, 0], cells[:, 1 : q + 1], cells[:, q + 1 :]
        n = first.sum(axis=1)
        if not self.own:
            first = second = (first + second) / 2
        expected = ((first @ self.weights) * second).sum(axis=1)
        return beyond_chance(divide(agreed, n), divide(expected, n**2))

    def unit_shares(self, patterns: Patterns) -> Shares | None:
        """What each unit of two raters adds; weights need not be the same both ways round."""
        if patterns.codes.shape[1] != 2:
            return None
        both = (patterns.codes > 0).all(axis=1)
        patterns = Patterns(patterns.codes[both], patterns.weights[both], patterns.q)
        w, weights, q = self.weights, patterns.weights, patterns.q
        if not self.own:
            return SharedChance(w, "fleiss", self.name).unit_shares(patterns)
        first, second = patterns.codes.T - 1
        of_first, of_second = (
            np.bincount(given, weights, q) / weights.sum() for given in (first, second)
        )
        near_first, near_second = w.T @ of_first, w @ of_second
        own = (near_second[first] + near_first[second]) / 2
        expected = float(of_first @ near_second)
        each = linear(w[first, second], np.ones(len(first)), weights, expected, own)
        return each, weights


def _counted(kappas: np.ndarray) -> np.ndarray:
    """Each kappa, zero where there is none, and whether there is one."""
    exists = np.isfinite(kappas)
    return np.column_stack([np.where(exists, kappas, 0.0), exists])


def _mean(totals: np.ndarray) -> np.ndarray:
    return divide(totals[:, 0], np.rint(totals[:, 1]))


def meetings(patterns: Patterns) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two answers to one unit, by their places among the answers; some at a time."""
    m = patterns.rated
    start = np.cumsum(m) - m
    for many in np.unique(m[m >= 2]).tolist():
        one, other = np.triu_indices(many, 1)
        starts = start[m == many]
        for part in steps(len(starts), len(one)):
            yield (starts[part, None] + one).ravel(), (starts[part, None] + other).ravel()


def met(patterns: Patterns) -> np.ndarray:
    """The pairs of raters who met on a unit, as first × raters + second."""
    width, rater = patterns.codes.shape[1], patterns.answers.rater
    found = [np.unique(rater[a] * width + rater[b]) for a, b in meetings(patterns)]
    return np.unique(np.concatenate([np.array([], dtype=np.int64), *found]))


def _met_at(
    patterns: Patterns, pairs: np.ndarray, one: np.ndarray, other: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Of meetings the number of the pair, the two values, and the unit."""
    answers = patterns.answers
    key = answers.rater[one] * patterns.codes.shape[1] + answers.rater[other]
    pair = np.searchsorted(pairs, key)
    return pair, answers.code[one], answers.code[other], answers.pattern[one]
