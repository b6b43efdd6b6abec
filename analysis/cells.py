"""Answers one by one, for statistics that add up numbers: means, proportions, weighted means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.estimate import Estimate
from analysis.intervals import check_options, interval_of
from analysis.links import PLAIN, Link


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
    *,
    link: Link = PLAIN,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    reason: str = "no_ratings",
    warnings: tuple[str, ...] = (),
    beside: dict[str, Any] | None = None,
) -> Estimate:
    """The estimate made from per-cluster sums; the raters' share comes from leaving each out."""
    check_options(interval, coverage, resamples)
    names = tuple(cells.raters[i] for i in np.unique(cells.rater)) if cells.raters else ()
    common: dict[str, Any] = {
        "statistic": name,
        "coverage": coverage,
        "raters": names,
        "warnings": warnings,
        "beside": beside or {},
        **cells.counts(),
    }
    if not len(cells):
        return Estimate(None, reason=reason, **common)
    rows = rows_of(cells)
    value = float(values(rows.sum(axis=0)[None, :])[0])
    if not np.isfinite(value):
        return Estimate(None, reason=reason, **common)
    if interval is None:
        return Estimate(value, **common)
    like = None
    present = np.unique(cells.rater)
    if interval == "jackknife" and len(present) >= 3:
        like = np.array([_without(cells, rater, rows_of, values) for rater in present])
    found = interval_of(
        values,
        rows,
        np.ones(len(rows), dtype=np.int64),
        link=link,
        interval="jackknife" if interval == "analytic" else interval,
        coverage=coverage,
        resamples=resamples,
        seed=seed,
        without_rater=like,
        edge=None,
        unit="clusters",
    )
    return Estimate(
        value,
        found.low,
        found.high,
        found.low_like,
        found.high_like,
        found.se,
        found.df,
        method=found.method,
        reason=found.reason,
        seed=seed if interval in ("bootstrap", "bca") else None,
        **{**common, "warnings": (*warnings, *found.warnings)},
    )


def _without(
    cells: Cells, rater: int, rows_of: Rows, values: Callable[[np.ndarray], np.ndarray]
) -> float:
    rest = cells.where(cells.rater != rater)
    if not len(rest):
        return float("nan")
    return float(values(rows_of(rest).sum(axis=0)[None, :])[0])


def ratio(totals: np.ndarray) -> np.ndarray:
    """First sum over second, NaN where the second is zero."""
    blank = np.full(len(totals), np.nan)
    return np.divide(totals[:, 0], totals[:, 1], out=blank, where=np.abs(totals[:, 1]) > 1e-12)
