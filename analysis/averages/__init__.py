"""Answers one by one, for statistics that add up numbers: means, proportions, weighted means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import USUAL, Interval, UnitSums, estimated, interval_of
from raterbook.analysis.intervals.raters import Departures, add_rows
from raterbook.analysis.intervals.resampling import PLAIN, LeftOut, Link, Values
from raterbook.analysis.ratings.patterns import distinct_rows, divide, how_many, in_runs, numbered


@dataclass(frozen=True)
class Entries:
    """One entry per answer: its unit, its rater, its cluster (all as codes), and numbers.

    `raters` and `clusters` are the names behind the codes, where they are known. An entry stands
    for as many answers as `times` says; where entries are `whole`, for those of as many clusters
    that are alike, each of one unit. `units` is their number where the codes do not tell.
    """

    unit: np.ndarray
    rater: np.ndarray
    cluster: np.ndarray
    numbers: dict[str, np.ndarray]
    raters: tuple[Any, ...] = ()
    clusters: Any = None
    times: np.ndarray | None = None
    whole: bool = False
    units: int | None = None

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, keep: np.ndarray) -> Entries:
        """Only these answers."""
        return replace(
            self,
            unit=self.unit[keep],
            rater=self.rater[keep],
            cluster=self.cluster[keep],
            numbers={name: column[keep] for name, column in self.numbers.items()},
            times=None if self.times is None else self.times[keep],
        )

    def cluster_name(self, code: int) -> Any:
        """The name of a cluster, where it is known."""
        return None if self.clusters is None else self.clusters[code]

    def per_cluster(self, *columns: np.ndarray) -> np.ndarray:
        """Sums of per-answer columns in each cluster that has an answer."""
        _, _, codes = numbered(self.cluster)
        if self.times is not None and not self.whole:
            columns = tuple(column * self.times for column in columns)
        return add_up(codes, columns)

    def alike(self) -> np.ndarray:
        """How many clusters each cluster that has an answer stands for."""
        _, first, _ = numbered(self.cluster)
        if self.times is None:
            return np.ones(len(first), dtype=np.int64)
        return self.times[first] if self.whole else np.ones(len(first), dtype=np.int64)

    def total(self, rows: np.ndarray) -> np.ndarray:
        """The sum of rows of those clusters."""
        return np.asarray(self.alike() @ rows if self.whole else rows.sum(axis=0))

    def sizes(self) -> np.ndarray:
        """How many answers each of those clusters has."""
        return self.per_cluster(np.ones(len(self)))[:, 0]

    def per_unit(self, *columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of per-answer columns in each unit, and the cluster of each unit."""
        _, first, codes = numbered(self.unit)
        return add_up(codes, columns), self.cluster[first]

    def counts(self) -> dict[str, int]:
        """How many units, raters and answers there are."""
        units, answers = how_many(self.unit), len(self)
        if self.times is not None:
            _, first, _ = numbered(self.unit)
            units, answers = int(self.times[first].sum()), int(self.times.sum())
        return {
            "n_units": units if self.units is None else self.units,
            "n_raters": how_many(self.rater),
            "n_ratings": answers,
        }


def add_up(codes: np.ndarray, columns: tuple[np.ndarray, ...]) -> np.ndarray:
    """Sums of each column over equal codes, one row per code."""
    return np.column_stack([np.bincount(codes.ravel(), column) for column in columns])


AT_ONCE = 262_144  # answers that are added up again without a rater
Rows = Callable[[Entries], np.ndarray]


@dataclass(frozen=True)
class Additive:
    """A number made of sums over clusters: its name, the sums, and the values of their totals.

    `link` is the scale on which it spreads evenly; `reason` says why there is no value where
    there is none; `size` is that of the numbers added up, beside which rounding is nothing.
    """

    name: str
    rows: Rows
    values: Values
    link: Link = PLAIN
    reason: str = "no_ratings"
    size: float = 1.0


def infer_cells(
    number: Additive,
    cells: Entries,
    wish: Interval = USUAL,
    *,
    warnings: tuple[str, ...] = (),
) -> Estimate:
    """The estimate made from per-cluster sums; the raters' share comes from leaving each out."""
    rows_of, values, reason = number.rows, number.values, number.reason
    present = numbered(cells.rater)[0]
    names = tuple(cells.raters[i] for i in present) if cells.raters else ()
    common: dict[str, Any] = {
        "statistic": number.name,
        "coverage": wish.coverage,
        "raters": names,
        "warnings": warnings,
        **cells.counts(),
    }
    if not len(cells):
        return Estimate(None, reason=reason, **common)
    rows, alike = rows_of(cells), cells.alike()
    value = float(values(cells.total(rows)[None, :])[0])
    if not np.isfinite(value):
        return Estimate(None, reason=reason, **common)
    if wish.method is None:
        return Estimate(value, **common)
    left = None
    if wish.leaves_out(len(present)):
        left = raters_left_out(cells, present, rows_of, values)
    present_clusters, _, _ = numbered(cells.cluster)
    sample = UnitSums(
        rows,
        alike,
        "clusters",
        "unit" if int(alike.sum()) == common["n_units"] else "cluster",
        sizes=cells.sizes(),
        size=number.size,
    )
    found = interval_of(values, sample, wish, link=number.link, left=left)
    common["warnings"] = (*warnings, *found.warnings)
    return estimated(
        value,
        found,
        wish,
        called=lambda row: cells.cluster_name(present_clusters[row]),
        leaving=names,
        **common,
    )


def raters_left_out(
    cells: Entries,
    present: np.ndarray,
    rows_of: Rows,
    values: Values,
) -> LeftOut:
    """Without each rater: the sums of the clusters they answered in are made again."""
    _, first, units = numbered(cells.unit)
    # A unit stands in one cluster, that of its first answer.
    _, _, cluster = numbered(cells.cluster[first][units])
    cells = replace(cells, unit=units, cluster=cluster)
    rows, rater, alike = rows_of(cells), np.searchsorted(present, cells.rater), cells.alike()
    met, _, _ = numbered(rater * len(rows) + cells.cluster)
    who, unit = np.divmod(met, len(rows))
    rest = _rows_without(cells, rater, who, unit, rows_of, rows.shape)
    own = np.zeros((len(present), rows.shape[1]))
    add_rows(own, who, (rows[unit] - rest) * alike[unit][:, None])
    kinds, kind = distinct_rows(rows)
    return (
        Departures(
            values,
            cells.total(rows),
            kinds,
            kind,
            alike,
            own,
            unit,
            who,
            rest,
            np.arange(len(met)),
        )
        .bounded()
        .left_out()
    )


def _rows_without(
    cells: Entries,
    rater: np.ndarray,
    who: np.ndarray,
    cluster: np.ndarray,
    rows_of: Rows,
    shape: tuple[int, ...],
) -> np.ndarray:
    """The sums of each of these clusters without that rater, as many at once as memory takes."""
    order = np.argsort(cells.cluster, kind="stable")
    many = np.bincount(cells.cluster)
    starts = np.cumsum(many) - many
    rest = np.zeros((len(who), shape[1]))
    batch = np.cumsum(many[cluster]) // AT_ONCE
    for start, end in zip(*_ends(batch), strict=True):
        sizes = many[cluster[start:end]]
        pair = np.repeat(np.arange(end - start), sizes)
        at = order[in_runs(starts[cluster[start:end]], sizes)]
        keep = rater[at] != who[start:end][pair]
        at, pair = at[keep], pair[keep]
        if len(at):
            again = replace(cells.where(at), unit=pair * len(cells) + cells.unit[at], cluster=pair)
            rest[start + numbered(pair)[0]] = rows_of(again)
    return rest


def _ends(batch: np.ndarray) -> tuple[list[int], list[int]]:
    """Where runs of equal numbers begin and end."""
    starts = np.unique(batch, return_index=True)[1].tolist()
    return starts, [*starts[1:], len(batch)]


def unit_means(table: np.ndarray) -> np.ndarray:
    """The mean of each row, units × raters; NaN where nobody rated."""
    given = np.isfinite(table)
    total, many = np.where(given, table, 0.0).sum(axis=1), given.sum(axis=1)
    return divide(total, many)


def ratio(totals: np.ndarray) -> np.ndarray:
    """First sum over second, NaN where the second is zero."""
    return divide(totals[:, 0], totals[:, 1])
