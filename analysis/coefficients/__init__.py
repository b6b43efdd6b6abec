"""What a statistic is here: additive sums over units, and a number made from their total.

Because the sums are additive, leaving out a unit or a cluster, or drawing units again, only
changes the total; jackknife and bootstrap never look at the ratings a second time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from raterbook.analysis.ratings.patterns import Patterns, steps

# Above this many cells, units are resampled in groups.
LARGE = 33_554_432
GROUPS = 200


class Coefficient(Protocol):
    """A statistic of coded ratings.

    `exchangeable` says that it does not matter who gave which value. Where they differ from
    the usual, `link` and `single_value_reason` are attributes too; so is `most_raters`, above
    which an interval would take too long. `unit_shares` or `published_ends` give the interval of
    its own paper.
    """

    name: str
    exchangeable: bool

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        """One row of additive sums per pattern."""
        ...

    def values(self, totals: np.ndarray) -> np.ndarray:
        """The statistic for each row of totals, NaN where it is undefined."""
        ...


class Paired(ABC):
    """A statistic of pairs of raters: its sums are those of the pairs that met."""

    @abstractmethod
    def total(self, patterns: Patterns) -> np.ndarray: ...

    @abstractmethod
    def among(self, patterns: Patterns) -> Coefficient: ...

    @abstractmethod
    def departures(self, patterns: Patterns) -> Any: ...

    @abstractmethod
    def is_thin(self, patterns: Patterns) -> bool: ...


class Solved(ABC):
    """A statistic with equations to solve: its value comes from who met whom, and so does why
    there is none."""

    @abstractmethod
    def value(self, patterns: Patterns) -> float: ...

    @abstractmethod
    def why(self, patterns: Patterns) -> str: ...


def width_of(statistic: Coefficient, patterns: Patterns) -> int:
    """How many sums a pattern has."""
    return int(statistic.sums(patterns.codes[:0], patterns.q).shape[1])


def sums_in_steps(statistic: Coefficient, patterns: Patterns) -> Iterator[tuple[slice, np.ndarray]]:
    """The sums of a few patterns at a time, so that memory stays bounded."""
    for part in steps(len(patterns.codes), width_of(statistic, patterns)):
        yield part, statistic.sums(patterns.codes[part], patterns.q)


def total_of(statistic: Coefficient, patterns: Patterns) -> np.ndarray:
    """The sums over all units."""
    if isinstance(statistic, Paired):
        return statistic.total(patterns)
    total = np.zeros(width_of(statistic, patterns))
    for part, rows in sums_in_steps(statistic, patterns):
        total += patterns.weights[part] @ rows
    return total


def point(statistic: Coefficient, patterns: Patterns) -> float:
    """The statistic over all units; NaN where it is undefined."""
    if isinstance(statistic, Solved):
        return statistic.value(patterns)
    return float(statistic.values(total_of(statistic, patterns)[None, :])[0])


def too_large(statistic: Coefficient, patterns: Patterns) -> bool:
    """Whether the sums of all patterns would fill memory."""
    return len(patterns.codes) * width_of(statistic, patterns) > LARGE


def rows_to_resample(statistic: Coefficient, patterns: Patterns) -> tuple[np.ndarray, np.ndarray]:
    """Sums and multiplicities of the resampling units: clusters where declared, else units.

    Where the sums of all units would not fit into memory, units are put into groups, and the groups
    are resampled.
    """
    width = width_of(statistic, patterns)
    if too_large(statistic, patterns):
        return _in_groups(statistic, patterns, width)
    rows = np.vstack([part for _, part in sums_in_steps(statistic, patterns)])
    if patterns.blocks is None:
        return rows, patterns.weights
    clusters, which, counts = patterns.blocks
    starts = np.flatnonzero(np.r_[True, clusters[1:] != clusters[:-1]])
    summed = np.add.reduceat(rows[which] * counts[:, None], starts, axis=0)
    return summed, np.ones(len(summed), dtype=np.int64)


def _in_groups(
    statistic: Coefficient, patterns: Patterns, width: int
) -> tuple[np.ndarray, np.ndarray]:
    summed = np.zeros((GROUPS, width))
    clusters, which, counts = in_groups(patterns)
    for part, rows in sums_in_steps(statistic, patterns):
        here = (which >= part.start) & (which < part.start + len(rows))
        each = rows[which[here] - part.start] * counts[here][:, None]
        np.add.at(summed, clusters[here], each)
    return summed, np.ones(GROUPS, dtype=np.int64)


def in_groups(patterns: Patterns) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Groups of the resampling units: the group, the pattern, and how many units of it are there.

    Clusters come by turns, units by chance.
    """
    if patterns.blocks is not None:
        clusters, which, counts = patterns.blocks
        return clusters % GROUPS, which, counts
    return by_chance(patterns.weights)


def by_chance(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Units in groups by chance, the same every time; each of the `weights` is of units alike.

    By turns, units that are alike would be in all groups, and groups would vary less than their
    units do; all in one group, more.
    """
    units = np.repeat(np.arange(len(weights)), weights)
    group = np.arange(len(units))  # each by itself, where there are no more than groups
    if len(units) > GROUPS:
        group = np.random.default_rng(0).permutation(group) % GROUPS
    found, counts = np.unique(units * GROUPS + group, return_counts=True)
    which, group = np.divmod(found, GROUPS)
    return group, which, counts
