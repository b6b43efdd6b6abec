"""Ratings as small integers: units × raters, 0 where nobody answered."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.labels import code_values
from analysis.longform import identities, one_question, refuse_twice, scatter

UNIT_COLUMNS = ("unit", "item")


@dataclass(frozen=True)
class Ratings:
    """Coded ratings. Code c stands for `scale[c - 1]`; `numbers` are the scale's positions."""

    codes: np.ndarray
    scale: tuple[Any, ...]
    numbers: np.ndarray
    declared: bool
    labels: bool
    units: Any
    raters: tuple[Any, ...]
    clusters: np.ndarray | None = None

    @property
    def n_units(self) -> int:
        return int(self.codes.shape[0])

    def rating_counts(self) -> np.ndarray:
        """How many raters answered each unit."""
        return np.count_nonzero(self.codes, axis=1)

    def only(self, raters: Iterable[Any]) -> Ratings:
        """The same units, these raters."""
        wanted = list(raters)
        missing = [name for name in wanted if name not in self.raters]
        if missing:
            known = ", ".join(map(str, self.raters))
            raise ValueError(f"no rater {missing[0]!r} here: the raters are {known}")
        columns = [self.raters.index(name) for name in wanted]
        return self._with(codes=self.codes[:, columns], raters=tuple(wanted))

    def rows(self, keep: np.ndarray) -> Ratings:
        """The same raters, these units (a boolean mask or positions)."""
        clusters = None if self.clusters is None else self.clusters[keep]
        return self._with(codes=self.codes[keep], units=self.units[keep], clusters=clusters)

    def _with(self, **changes: Any) -> Ratings:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return Ratings(**{**fields, **changes})


def read(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    raters: Iterable[Any] | None = None,
    cluster: Any = None,
    keep: str | None = None,
) -> Ratings:
    """Ratings from a long frame (unit, rater, value), a units × raters table, or an array.

    `cluster` is a column of the long frame, or one label per unit. Two answers by one rater to
    one unit are an error unless `keep` says "first" or "last".
    """
    if isinstance(ratings, Ratings):
        coded = ratings
        if cluster is not None:
            coded = coded._with(clusters=_cluster_codes(cluster, coded.n_units))
    elif _is_long(ratings):
        coded = _from_long(ratings, scale, cluster, keep)
    else:
        coded = _from_table(ratings, scale, cluster)
    return coded if raters is None else coded.only(raters)


def _is_long(ratings: Any) -> bool:
    if not isinstance(ratings, pd.DataFrame):
        return False
    columns = set(map(str, ratings.columns))
    return {"rater", "value"} <= columns and any(name in columns for name in UNIT_COLUMNS)


def _from_table(ratings: Any, scale: Sequence[Any] | None, cluster: Any) -> Ratings:
    if isinstance(ratings, pd.DataFrame):
        units = ratings.index
        raters: tuple[Any, ...] = tuple(ratings.columns)
        values = _plain_array(ratings)
    else:
        values = ratings if isinstance(ratings, np.ndarray) else _object_table(ratings)
        if values.ndim != 2:
            raise ValueError(
                f"ratings have {values.ndim} dimension(s): give units × raters, "
                "or a long frame with unit, rater and value"
            )
        units = pd.RangeIndex(len(values))
        raters = tuple(range(values.shape[1]))
    if len(set(raters)) < len(raters):
        twice = next(name for name in raters if raters.count(name) > 1)
        raise ValueError(f"rater {twice!r} has two columns: give each rater one")
    codes, found, numbers, labels = code_values(values, scale)
    clusters = None if cluster is None else _cluster_codes(cluster, len(codes))
    return Ratings(codes, found, numbers, scale is not None, labels, units, raters, clusters)


def _plain_array(table: pd.DataFrame) -> np.ndarray:
    kinds = {dtype.kind if isinstance(dtype, np.dtype) else "O" for dtype in table.dtypes}
    if kinds <= set("iuf") or kinds == {"b"}:
        return table.to_numpy()
    return table.astype(object).to_numpy()


def _object_table(rows: Any) -> np.ndarray:
    rows = list(rows)
    if not all(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        raise ValueError("ratings are a plain list: give units × raters, one list per unit")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise ValueError(f"rows differ in length ({min(widths)} to {max(widths)}): pad with None")
    table = np.empty((len(rows), widths.pop() if widths else 0), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            table[i, j] = value
    return table


def _from_long(
    frame: pd.DataFrame, scale: Sequence[Any] | None, cluster: Any, keep: str | None
) -> Ratings:
    if keep not in (None, "first", "last"):
        raise ValueError(f"keep={keep!r}: choose 'first' or 'last'")
    if "unit" not in frame.columns:
        frame = one_question(frame)
    codes, found, numbers, labels = code_values(frame["value"], scale)
    for guess in (True, False):
        units = identities(frame["unit"], guess=guess)
        raters = identities(frame["rater"], few=True, guess=guess)
        scattered = scatter(units, raters, codes, keep)
        if scattered is not None:
            break
    assert scattered is not None
    table, placed = scattered
    if keep is None and np.count_nonzero(table) < placed:
        refuse_twice(units, raters, codes)
    clusters = None
    if cluster is not None:
        clusters = _clusters_of_long(frame, cluster, units.places(), len(table))
    names = raters.labels
    # Mostly the first units show that every rater answered something.
    if not table[:256].any(axis=0).all():
        answered = table.any(axis=0)
        table, names = table[:, answered], names[answered]
    return Ratings(
        table, found, numbers, scale is not None, labels, units.labels, tuple(names), clusters
    )


def _cluster_codes(cluster: Any, n: int) -> np.ndarray:
    labels = pd.Series(np.asarray(cluster, dtype=object))
    if len(labels) != n:
        raise ValueError(f"{len(labels)} cluster labels for {n} units: give one per unit")
    codes, _ = pd.factorize(labels, sort=False)
    # A unit without a cluster stands for itself.
    alone = codes < 0
    codes = codes.astype(np.int64)
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(alone.sum())
    return codes


def _clusters_of_long(
    frame: pd.DataFrame, cluster: Any, unit_codes: np.ndarray, n: int
) -> np.ndarray:
    if isinstance(cluster, Hashable) and cluster in frame.columns:
        first = np.zeros(n, dtype=np.int64)
        first[unit_codes[::-1]] = np.arange(len(frame))[::-1]
        labels = frame[cluster].to_numpy(dtype=object)[first]
        return _cluster_codes(labels, n)
    if isinstance(cluster, str):
        raise ValueError(f"no column {cluster!r} to cluster by")
    return _cluster_codes(cluster, n)
