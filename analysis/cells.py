"""Answers one by one, for statistics that add up numbers: means, proportions, weighted means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.estimate import Estimate
from analysis.intervals import estimated, interval_of
from analysis.jackknife import LeftOut, leave_one_out
from analysis.links import PLAIN, Link
from analysis.options import USUAL, Options


@dataclass(frozen=True)
class Cells:
    """One entry per answer: its unit, its rater, its cluster (all as codes), and numbers."""

    unit: np.ndarray
    rater: np.ndarray
    cluster: np.ndarray
    numbers: dict[str, np.ndarray]
    raters: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, keep: np.ndarray) -> Cells:
        """Only these answers."""
        return replace(
            self,
            unit=self.unit[keep],
            rater=self.rater[keep],
            cluster=self.cluster[keep],
            numbers={name: column[keep] for name, column in self.numbers.items()},
        )

    def per_cluster(self, *columns: np.ndarray) -> np.ndarray:
        """Sums of per-answer columns in each cluster that has an answer."""
        _, codes = np.unique(self.cluster, return_inverse=True)
        return add_up(codes, columns)

    def per_unit(self, *columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of per-answer columns in each unit, and the cluster of each unit."""
        _, first, codes = np.unique(self.unit, return_index=True, return_inverse=True)
        return add_up(codes, columns), self.cluster[first]

    def counts(self) -> dict[str, int]:
        """How many units, raters and answers there are."""
        return {
            "n_units": len(np.unique(self.unit)),
            "n_raters": len(np.unique(self.rater)),
            "n_ratings": len(self),
        }


def add_up(codes: np.ndarray, columns: tuple[np.ndarray, ...]) -> np.ndarray:
    """Sums of each column over equal codes, one row per code."""
    size = int(codes.max()) + 1 if len(codes) else 0
    return np.column_stack([np.bincount(codes.ravel(), column, size) for column in columns])


Rows = Callable[[Cells], np.ndarray]


def infer_cells(
    name: str,
    cells: Cells,
    rows_of: Rows,
    values: Callable[[np.ndarray], np.ndarray],
    options: Options = USUAL,
    *,
    link: Link = PLAIN,
    reason: str = "no_ratings",
    warnings: tuple[str, ...] = (),
) -> Estimate:
    """The estimate made from per-cluster sums; the raters' share comes from leaving each out.

    `reason` says why there is no value where there is none.
    """
    names = tuple(cells.raters[i] for i in np.unique(cells.rater)) if cells.raters else ()
    common: dict[str, Any] = {
        "statistic": name,
        "coverage": options.coverage,
        "raters": names,
        "warnings": warnings,
        **cells.counts(),
    }
    if not len(cells):
        return Estimate(None, reason=reason, **common)
    rows = rows_of(cells)
    value = float(values(rows.sum(axis=0)[None, :])[0])
    if not np.isfinite(value):
        return Estimate(None, reason=reason, **common)
    if options.interval is None:
        return Estimate(value, **common)
    left = None
    present = np.unique(cells.rater)
    if options.interval == "jackknife" and len(present) >= 3:
        left = _leave_raters_out(cells, present, rows_of, values)
    found = interval_of(
        values,
        rows,
        np.ones(len(rows), dtype=np.int64),
        options,
        link=link,
        left=left,
        edge=None,
        unit="clusters",
    )
    common["warnings"] = (*warnings, *found.warnings)
    return estimated(value, found, options, **common)


def _leave_raters_out(
    cells: Cells,
    present: np.ndarray,
    rows_of: Rows,
    values: Callable[[np.ndarray], np.ndarray],
) -> LeftOut:
    clusters = np.unique(cells.cluster)
    each = np.full(len(present), np.nan)
    both = np.full((len(clusters), len(present)), np.nan)
    for j, rater in enumerate(present):
        rest = cells.where(cells.rater != rater)
        if not len(rest):
            continue
        rows = rows_of(rest)
        total = rows.sum(axis=0)
        # Where only this rater spoke, leaving the cluster out as well changes nothing.
        both[:, j] = each[j] = float(values(total[None, :])[0])
        place = np.searchsorted(clusters, np.unique(rest.cluster))
        both[place, j] = leave_one_out(values, rows, total)
    return LeftOut(each, both, np.ones(len(clusters), dtype=np.int64))


def ratio(totals: np.ndarray) -> np.ndarray:
    """First sum over second, NaN where the second is zero."""
    blank = np.full(len(totals), np.nan)
    return np.divide(totals[:, 0], totals[:, 1], out=blank, where=np.abs(totals[:, 1]) > 1e-12)
