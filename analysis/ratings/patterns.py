"""Distinct rating patterns and how often each occurs.

Every coefficient here depends on the units only through these multiplicities, so after one pass
nothing costs more for a million units than for a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

# Rows per step of the counting pass: a step stays in the processor's cache.
STEP = 8_192
# The same where each rater's answers lie together, and a step goes through them one by one.
LONG_STEP = 131_072
# Numbers per step of whatever is wide, so that memory stays bounded.
CELLS = 2_097_152
# With more places than this for each code, codes are sorted and not counted.
SPARSE = 8
# Up to here whole numbers are exact in single precision.
EXACT = 16_777_216
# What lies no farther from zero is rounding.
TOLERANCE = 1e-12


def steps(n: int, width: int) -> list[slice]:
    """Some of n rows of this width at a time."""
    step = 1 + CELLS // (1 + width)
    return [slice(at, at + step) for at in range(0, n, step)]


class AnswerList(NamedTuple):
    """One entry per answer in the patterns: which pattern, whose column, which value.

    Of thousands of raters hardly any answered a unit; this holds those that did.
    """

    pattern: np.ndarray
    rater: np.ndarray
    code: np.ndarray


@dataclass(frozen=True)
class Patterns:
    """`codes` has one row per distinct pattern, `weights` how many units show it.

    `blocks` are the resampling units where clusters are declared: for each (cluster, pattern)
    that occurs, the cluster, the pattern and the count.
    """

    codes: np.ndarray
    weights: np.ndarray
    q: int
    blocks: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    @property
    def n_units(self) -> int:
        return int(self.weights.sum())

    @cached_property
    def rated(self) -> np.ndarray:
        """How many raters answered, per pattern."""
        return np.asarray(np.count_nonzero(self.codes, axis=1))

    @cached_property
    def answers(self) -> AnswerList:
        """The answers one by one, pattern after pattern."""
        pattern, rater = np.nonzero(self.codes)
        return AnswerList(pattern, rater, self.codes[pattern, rater])

    def forget_raters(self) -> Patterns:
        """Patterns that differ only in who gave which value become one."""
        return self.merged[0]

    @cached_property
    def merged(self) -> tuple[Patterns, np.ndarray]:
        """The same, and which of them each pattern became; as wide as the most answers of one."""
        codes = np.sort(self.codes, axis=1)[:, ::-1][:, : self.rated.max(initial=1)]
        inverse, distinct = _group(codes, self.q)
        weights = np.bincount(inverse, self.weights, len(distinct)).astype(np.int64)
        blocks = self.blocks
        if blocks is not None:
            blocks = (blocks[0], inverse[blocks[1]], blocks[2])
        return Patterns(distinct, weights, self.q, blocks), inverse

    def without_rater(self, rater: int) -> Patterns:
        """The same units with one rater's answers taken away."""
        codes = np.delete(self.codes, rater, axis=1)
        return Patterns(codes, self.weights, self.q, self.blocks)

    def raters_in_order(self) -> Patterns:
        """The same with raters ordered by what they answered, however they are called.

        Units are told apart by what they show of each kind of rater, and raters by what they
        gave to each kind of unit, until neither tells more; raters who are then still alike can
        change places without changing anything.
        """
        width = self.codes.shape[1]
        clusters, which, counts = self.blocks or (
            np.arange(len(self.codes)),
            np.arange(len(self.codes)),
            self.weights,
        )
        kind, kinds = np.zeros(width, dtype=np.int64), 0
        while how_many(kind) > kinds:
            kinds = how_many(kind)
            shown = np.sort(self._numbered(kind), axis=1)
            entry = np.column_stack([distinct_rows(shown)[1][which], counts])
            together = pd.Series(map(tuple, entry.tolist())).groupby(clusters).agg(sorted)
            of_cluster = together.map(str).rank(method="dense").astype(int)
            entry = distinct_rows(np.column_stack([of_cluster.loc[clusters], entry]))[1]
            gave = np.sort(self._numbered(entry[:, None], which), axis=0)
            kind = distinct_rows(np.column_stack([kind, gave.T]))[1]
        return replace(self, codes=self.codes[:, np.argsort(kind, kind="stable")])

    def _numbered(self, kind: np.ndarray, which: Any = slice(None)) -> np.ndarray:
        """One number for each kind and what stands in its cell."""
        cells = np.broadcast_arrays(kind, self.codes[which])
        shape = (how_many(kind.ravel()), self.q + 1)
        return np.asarray(np.ravel_multi_index(tuple(cells), shape))


def in_runs(start: np.ndarray, many: np.ndarray) -> np.ndarray:
    """The numbers from each start on, so many of each, one after another.

    >>> in_runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    first = np.cumsum(many) - many
    return np.repeat(start - first, many) + np.arange(many.sum())


def nothing(of: Any) -> Any:
    """Where there is nothing, or less, but for rounding."""
    return of <= TOLERANCE


def divide(top: np.ndarray, bottom: np.ndarray, blank: float = np.nan) -> np.ndarray:
    """top / bottom, blank where there is nothing, or less, to divide by."""
    found = np.full(np.broadcast_shapes(top.shape, bottom.shape), blank)
    return np.asarray(np.divide(top, bottom, out=found, where=bottom > TOLERANCE))


def _room(codes: np.ndarray) -> int | None:
    """How many places counting these codes takes; None where sorting them costs less."""
    size = int(codes.max(initial=-1)) + 1
    return None if size > SPARSE * len(codes) or codes.min(initial=0) < 0 else size


def ranked(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different codes in order, and which of them each code is.

    The same as `np.unique` says, by counting: codes are small whole numbers.
    """
    size = _room(codes)
    if size is None:
        found, place = np.unique(codes, return_inverse=True)
        return found, place.ravel()
    there = np.zeros(size, dtype=bool)
    there[codes] = True
    # Narrow, as there may be eight places to a code.
    place = np.cumsum(there, dtype=np.min_scalar_type(size))
    return np.flatnonzero(there), place[codes].astype(np.int64) - 1


def numbered(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different codes in order, where each comes first, and which of them each code is."""
    found, place = ranked(codes)
    first = np.empty(len(found), dtype=np.int64)
    first[place[::-1]] = np.arange(len(codes))[::-1]  # of equal ones, what is written last stays
    return found, first, place


def how_many(codes: np.ndarray) -> int:
    """How many different codes there are."""
    size = _room(codes)
    if size is None:
        return len(np.unique(codes))
    there = np.zeros(size, dtype=bool)
    there[codes] = True
    return int(np.count_nonzero(there))


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows in order, and for each row the place of its like among them."""
    kinds, kind = np.unique(rows, axis=0, return_inverse=True)
    return kinds, kind.ravel()  # NumPy 2.0.0 makes it a column


def find_patterns(
    codes: np.ndarray,
    q: int,
    clusters: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> Patterns:
    """Count the patterns of units × raters of codes; units that nobody rated are left out.

    Each row stands for as many units as `times` says, for one if it says nothing.
    """
    if clusters is not None:
        return _with_clusters(codes, q, clusters, times)
    if times is not None:
        inverse, distinct = _group(codes, q)
        weights = np.bincount(inverse, times, len(distinct)).astype(np.int64)
        seen = distinct.any(axis=1)
        return Patterns(distinct[seen], weights[seen], q)
    n, width = codes.shape
    size = (q + 1) ** width
    if size <= SPARSE * n:
        totals = np.zeros(size, dtype=np.int64)
        step = STEP if codes.flags.c_contiguous else LONG_STEP
        for start in range(0, n, step):
            np.add.at(totals, _keys(codes[start : start + step], q), 1)
        totals[0] = 0
        keys = np.flatnonzero(totals)
        return Patterns(spell(keys, q, width), totals[keys], q)
    inverse, distinct = _group(codes, q)
    weights = np.bincount(inverse, minlength=len(distinct))
    seen = distinct.any(axis=1)
    return Patterns(distinct[seen], weights[seen], q)


def _keys(codes: np.ndarray, q: int) -> np.ndarray:
    """One integer per unit: its codes as digits in base q + 1."""
    digits = (q + 1) ** codes.shape[1]
    if digits <= EXACT and codes.flags.c_contiguous:
        # A matrix product is the fastest way to add them up.
        powers = (q + 1.0) ** np.arange(codes.shape[1])[::-1]
        # Small whole numbers throughout, yet some BLAS kernels raise the flag for what lies in
        # the unused lanes of their vectors.
        with np.errstate(invalid="ignore", over="ignore"):
            return (codes.astype(np.float32) @ powers.astype(np.float32)).astype(np.int64)
    kind = np.min_scalar_type(digits)
    keys: np.ndarray = codes[:, 0].astype(kind) if codes.shape[1] else np.zeros(len(codes), kind)
    for column in codes.T[1:]:
        keys *= q + 1
        keys += column.astype(kind)
    return keys.astype(np.int64, copy=False)


def spell(keys: np.ndarray, q: int, width: int) -> np.ndarray:
    """The codes that are the digits of these numbers in base q + 1."""
    codes = np.zeros((len(keys), width), dtype=np.int32)
    for j in reversed(range(width)):
        keys, codes[:, j] = np.divmod(keys, q + 1)
    return codes


def _group(codes: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray]:
    """For each unit the number of its pattern, and the distinct patterns in sorted order."""
    n, width = codes.shape
    if (q + 1) ** width <= np.iinfo(np.int64).max:
        keys, inverse = ranked(_keys(codes, q))
        return inverse, spell(keys, q, width)
    # No integer can hold the pattern, so repeats are not worth searching for; only the order
    # is made independent of the units' order. Bytes from the highest on sort as the codes do.
    rows = np.ascontiguousarray(codes.astype(np.min_scalar_type(q).newbyteorder(">")))
    order = np.argsort(rows.view(f"V{rows.itemsize * width}").ravel(), kind="stable")
    inverse = np.empty(n, dtype=np.int64)
    inverse[order] = np.arange(n)
    return inverse, codes[order].astype(np.int32)


def _with_clusters(
    codes: np.ndarray, q: int, clusters: np.ndarray, times: np.ndarray | None
) -> Patterns:
    rated = codes.any(axis=1)
    inverse, distinct = _group(codes[rated], q)
    _, clusters = np.unique(clusters[rated], return_inverse=True)
    of_row = None if times is None else times[rated]
    weights = np.bincount(inverse, of_row, len(distinct)).astype(np.int64)
    width = len(distinct)
    keys, block = np.unique(clusters.ravel() * width + inverse, return_inverse=True)
    counts = np.bincount(block.ravel(), of_row, len(keys)).astype(np.int64)
    blocks = (keys // width, keys % width, counts)
    return Patterns(distinct, weights, q, blocks)


def count_values(codes: np.ndarray, q: int) -> np.ndarray:
    """How many raters gave each of the q values, row by row."""
    counts = np.zeros((len(codes), q + 1))
    rows = np.arange(len(codes))
    for j in range(codes.shape[1]):
        counts[rows, codes[:, j]] += 1
    return counts[:, 1:]
