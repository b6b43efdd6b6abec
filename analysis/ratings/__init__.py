"""Ratings as small integers: units × raters, 0 where nobody answered."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.ratings import engine
from raterbook.analysis.ratings.long import (
    UNIT_COLUMNS,
    cluster_codes,
    identities,
    name_key,
    one_label,
    one_question,
    refuse_mistaken,
    refuse_twice,
    scatter,
)
from raterbook.analysis.ratings.patterns import STEP, Patterns, find_patterns
from raterbook.analysis.ratings.values import as_numbers, code_values, confidence_in_rows, declared

APART = 4_194_304  # units that are looked at one by one, where an engine counted them


@dataclass(frozen=True, eq=False, repr=False)
class Coded:
    """Ratings as small integers: code c stands for `scale[c - 1]`, which lies at `numbers[c - 1]`.

    `confidence` has the shape of the codes where it was asked for. `guessed` says that nothing but
    its shape tells which side of a table holds the units, and that the shape is an unusual one.
    `clusters` has a number per unit, `cluster_names` a name per such number; where no units share
    a cluster, they have a name per unit. Where an engine counted, `times` says how many units
    each row stands for, and `source` adds up what codes do not hold.
    """

    codes: np.ndarray
    scale: tuple[Any, ...]
    numbers: np.ndarray
    declared: bool
    labels: bool
    units: Any
    raters: tuple[Any, ...]
    clusters: np.ndarray | None = None
    confidence: np.ndarray | None = None
    guessed: bool = False
    cluster_names: Any = None
    times: np.ndarray | None = None
    source: Any = None

    def __repr__(self) -> str:
        values = ", ".join(map(str, self.scale[:8])) + (" …" if len(self.scale) > 8 else "")
        rated = self.rating_counts()
        given = int(rated.sum() if self.times is None else self.times @ rated)
        return f"<{self.n_units} units × {len(self.raters)} raters, {given} ratings on {values}>"

    @property
    def n_units(self) -> int:
        return int(self.codes.shape[0] if self.times is None else self.times.sum())

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rating patterns, counted once for all that is asked of these ratings."""
        return find_patterns(self.codes, len(self.scale), self.clusters, self.times)

    def rating_counts(self) -> np.ndarray:
        """How many raters answered each row."""
        return np.asarray(np.count_nonzero(self.codes, axis=1))

    def only(self, raters: Iterable[Any]) -> Coded:
        """The same units, these raters."""
        if isinstance(raters, str):
            raise ValueError(f"raters={raters!r}: give a list, [{raters!r}]")
        wanted = list(raters)
        engine.named_raters(wanted, self.raters)
        refuse_twice_named(wanted)
        return self._columns(np.array([self.raters.index(name) for name in wanted], dtype=int))

    def answering(self) -> Coded:
        """The same without raters who answered nothing."""
        # Mostly the first units show that every rater answered something.
        if self.codes[:STEP].any(axis=0).all():
            return self
        return self._columns(np.flatnonzero(self.codes.any(axis=0)))

    def _columns(self, which: np.ndarray) -> Coded:
        # Turned twice, so that each rater's answers stay together in memory where they were.
        along = self.codes.flags.f_contiguous
        codes = self.codes.T[which].T if along else self.codes[:, which]
        sure = None if self.confidence is None else self.confidence[:, which]
        raters = tuple(self.raters[j] for j in which)
        return self._with(codes=codes, confidence=sure, raters=raters)

    def rows(self, keep: np.ndarray) -> Coded:
        """The same raters, these units (a boolean mask or positions)."""
        clusters = None if self.clusters is None else self.clusters[keep]
        sure = None if self.confidence is None else self.confidence[keep]
        found = self._with(
            codes=self.codes[keep], units=self.units[keep], clusters=clusters, confidence=sure
        )
        return found if self.times is None else found._with(times=self.times[keep])

    def against_rest(self, code: int) -> Coded:
        """One value of the scale against any other."""
        two = np.where(self.codes == code, 1, 2) * (self.codes > 0)
        return self._with(
            codes=two.astype(np.int8),
            scale=(self.scale[code - 1], "any other"),
            numbers=np.array([1.0, 2.0]),
            declared=True,
            labels=True,
        )

    def apart(self, what: str = "this") -> Coded:
        """The same with a row for each unit; refused where an engine counted too many."""
        if self.times is None:
            return self
        if self.n_units > APART:
            raise ValueError(
                f"{what} goes through units one by one, and there are {self.n_units:,}: take at "
                f"most {APART:,} of them out of the engine's table"
            )
        alone = np.repeat(np.arange(len(self.codes)), self.times)
        return self._with(times=None).rows(alone)

    def _with(self, **changes: Any) -> Coded:
        return Coded(**{**_fields(self), **changes})

    def needs_an_order(self, what: str) -> None:
        """Labels have no order of their own ("10" sorts before "9"), so the scale must say it."""
        if self.labels and not self.declared and len(self.scale) > 1:
            shown = ", ".join(repr(value) for value in self.scale[:5])
            raise ValueError(
                f"{what} needs an order, and the values are labels ({shown}): "
                "pass scale=[…] from lowest to highest"
            )

    def needs_numbers(self, what: str) -> None:
        """Labels are no numbers, unless a declared scale gives them places."""
        if self.labels and not self.declared and len(self.scale):
            raise ValueError(
                f"{what} needs numbers and the values are labels ({self.scale[0]!r}): "
                "pass numbers, or scale=[…] from lowest to highest"
            )


def _fields(coded: Coded) -> dict[str, Any]:
    return {each.name: getattr(coded, each.name) for each in fields(coded)}


class Ratings(Coded):
    """Ratings, read once and asked often.

    `data` is a long frame (unit, rater, value), one in an engine (an Ibis table), a units × raters
    table, or one rater's values in a row. `scale` lists the possible values, lowest first.
    `cluster` is a column of the long frame, a mapping or a series from units to labels, or, for a
    table, one label per row; units of one cluster are resampled together. `raters` are those to
    keep. Two answers by one rater to one unit are an error unless `keep` says "first" or "last".
    `confidence` is one for each value in the shape of the data, or a long frame's column.

    >>> ratings = Ratings([[1, 1], [2, 2], [3, 3], [3, 4]], scale=[1, 2, 3, 4, 5])
    >>> ratings
    <4 units × 2 raters, 8 ratings on 1, 2, 3, 4, 5>
    """

    def __init__(
        self,
        data: Any,
        scale: Iterable[Any] | None = None,
        cluster: Any = None,
        raters: Iterable[Any] | None = None,
        keep: str | None = None,
        confidence: Any = None,
    ) -> None:
        data = _gone_through(data)
        if is_list(data) and confidence is not None:
            confidence = table_of(confidence_in_rows(confidence, data))
            if len(confidence) != len(data):
                raise ValueError(
                    f"{len(data)} values and {len(confidence)} confidences: give one for each"
                )
        elif isinstance(data, pd.DataFrame) and is_long(data):
            if "confidence" not in data.columns:
                if confidence is not None:
                    data = data.assign(confidence=confidence_in_rows(confidence, data))
            elif confidence is not None:
                raise ValueError("there are a column confidence and confidence=: give one of them")
            confidence = "confidence" if "confidence" in data.columns else None
        if engine.is_engines(data):
            found = _from_engine(data, scale, cluster, (keep, confidence, raters))
        else:
            found = _read(table_of(data), scale, cluster, keep, confidence)
        if raters is not None:
            found = found.only(raters)
        super().__init__(**_fields(found.answering()))


def refuse_twice_named(raters: Sequence[Any]) -> None:
    """A rater counted twice would agree with themselves."""
    for i, name in enumerate(raters):
        if name in raters[:i]:
            raise ValueError(f"raters names {name!r} twice: name each rater once")


def read(ratings: Any, scale: Iterable[Any] | None = None) -> Coded:
    """Ratings as they are, or read from a long frame or a units × raters table."""
    if isinstance(ratings, Coded):
        if scale is not None:
            raise ValueError("these ratings are read already: give scale= to Ratings(…)")
        return ratings
    return _read(ratings, scale, None, None, None).answering()


def _read(
    ratings: Any, scale: Iterable[Any] | None, cluster: Any, keep: str | None, confidence: Any
) -> Coded:
    if keep not in (None, "first", "last"):
        raise ValueError(f"keep={keep!r}: choose 'first' or 'last'")
    if isinstance(ratings, Coded):
        if scale is not None or confidence is not None:
            raise ValueError("these ratings are read already: their scale and confidences stay")
        if cluster is None:
            return ratings
        return _clustered(ratings, _clusters(cluster, ratings))
    if engine.is_engines(ratings):
        return _from_engine(ratings, scale, cluster, (keep, confidence, None))
    if is_long(ratings):
        return _from_long(ratings, declared(scale), cluster, keep, confidence)
    return _from_table(ratings, declared(scale), cluster, confidence)


def _gone_through(values: Any) -> Any:
    """What can only be gone through once, as a list."""
    return list(values) if isinstance(values, (Iterator, range)) else values


def is_list(ratings: Any) -> bool:
    """Whether these are one rater's values in a row."""
    if isinstance(ratings, (pd.Series, np.ndarray)):
        return ratings.ndim == 1
    if isinstance(ratings, (list, tuple)):
        rows = (list, tuple, np.ndarray)
        return not any(isinstance(v, rows) and v is not np.ma.masked for v in ratings)
    return False


def table_of(values: Any) -> Any:
    """One rater's values in a row as a table, with the labels that a series has; else as it is."""
    values = _gone_through(values)
    if isinstance(values, pd.Series):
        return values.rename("value").to_frame()
    return [[value] for value in values] if is_list(values) else values


def is_long(ratings: Any) -> bool:
    """Whether these are a frame of unit, rater, value; one with a mistake is refused."""
    if not isinstance(ratings, pd.DataFrame):
        return False
    columns = list(map(str, ratings.columns))
    found = {"rater", "value"}.issubset(columns) and any(name in columns for name in UNIT_COLUMNS)
    if not found:
        refuse_mistaken(ratings)
        return False
    for name in ("rater", "value", next(name for name in UNIT_COLUMNS if name in columns)):
        if columns.count(name) > 1:
            raise ValueError(f"two columns are called {name!r}: keep one")
    return True


def _from_table(ratings: Any, scale: Sequence[Any] | None, cluster: Any, confidence: Any) -> Coded:
    named = False
    if isinstance(ratings, pd.DataFrame):
        units = ratings.index
        raters: tuple[Any, ...] = tuple(ratings.columns)
        values = _plain_array(ratings)
        named = ratings.columns.name is not None or any(units.names)
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
    guessed = not named and codes.shape[1] > codes.shape[0] > 0
    coded = Coded(codes, found, numbers, scale is not None, labels, units, raters, guessed=guessed)
    if cluster is not None:
        coded = _clustered(coded, _clusters(cluster, coded))
    if confidence is not None:
        coded = coded._with(confidence=_confidences(confidence, ratings, codes))
    return coded


def _confidences(given: Any, ratings: Any, codes: np.ndarray) -> np.ndarray:
    """A confidence for each cell of a table: by the labels where both have some, else by place."""
    if isinstance(given, pd.DataFrame) and isinstance(ratings, pd.DataFrame):
        for axis, what in ((0, "unit"), (1, "rater")):
            own, theirs = ratings.axes[axis], given.axes[axis]
            if theirs.has_duplicates:
                twice = theirs[theirs.duplicated()][0]
                raise ValueError(f"the confidences have the label {twice} twice")
            if own.has_duplicates and not own.equals(theirs):
                raise ValueError(f"two {what}s are called {own[own.duplicated()][0]}")
            lost = codes.any(axis=1 - axis) & ~np.asarray(own.isin(theirs))
            if lost.any():
                raise ValueError(f"the confidences have no {what} {own[lost][0]}")
        given = given.reindex(index=ratings.index, columns=ratings.columns)
    table = as_numbers(given if isinstance(given, np.ndarray) else _rectangle(given), "confidence")
    if table.shape != codes.shape:
        raise ValueError(f"{codes.size} values and {table.size} confidences: give one for each")
    return table


def _rectangle(given: Any) -> np.ndarray:
    return _plain_array(given) if isinstance(given, pd.DataFrame) else _object_table(given)


def _plain_array(table: pd.DataFrame) -> np.ndarray:
    kinds = {dtype.kind if isinstance(dtype, np.dtype) else "O" for dtype in table.dtypes}
    if kinds <= set("iuf"):
        return np.asarray(table.to_numpy())
    return np.asarray(table.astype(object).to_numpy())


def _object_table(rows: Any) -> np.ndarray:
    rows = list(rows)
    if not all(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        raise ValueError("ratings are a plain list: give units × raters, one list per unit")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise ValueError(f"rows differ in length ({min(widths)} to {max(widths)}): pad with None")
    table = np.empty((len(rows), max(widths, default=0)), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            table[i, j] = value
    return table


def _from_engine(
    table: Any, scale: Iterable[Any] | None, cluster: Any, asked: tuple[Any, Any, Any]
) -> Coded:
    keep, confidence, raters = asked
    if keep is not None:
        raise ValueError(f"keep={keep!r}: rows of an engine's table have no order, remove one")
    if isinstance(raters, str):
        raise ValueError(f"raters={raters!r}: give a list, [{raters!r}]")
    raters = None if raters is None else list(raters)
    refuse_twice_named(raters or ())
    held = engine.Held.of(table, cluster, confidence)
    found = engine.read(held, declared(scale), raters)
    if isinstance(found, dict):
        return Coded(**found)
    by = "cluster" if held.cluster else None
    return _from_long(found, declared(scale), by, None, "confidence" if held.confidence else None)


def _from_long(
    frame: pd.DataFrame,
    scale: Sequence[Any] | None,
    cluster: Any,
    keep: str | None,
    confidence: str | None,
) -> Coded:
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
    coded = Coded(
        table, found, numbers, scale is not None, labels, units.labels, tuple(raters.labels)
    )
    if confidence is not None:
        # The rows go the way of their values, so that each confidence stays with its own.
        rows = np.where(codes > 0, np.arange(1, len(codes) + 1), 0)
        rows, _ = scatter(units, raters, rows, keep)  # type: ignore[misc]
        given = as_numbers(frame[confidence], "confidence")
        coded = coded._with(confidence=np.append(np.nan, given)[rows])
    if cluster is not None:
        labelled = _by_unit(cluster, frame, units.places(), coded)
        coded = _clustered(coded, labelled)
    # Raters stand in the order of their names, whichever row came first.
    order = sorted(range(len(coded.raters)), key=lambda j: name_key(coded.raters[j]))
    if order != list(range(len(order))):
        coded = coded._columns(np.array(order))
    return coded.answering()


def _clusters(cluster: Any, coded: Coded) -> list[Any]:
    """The cluster's label of each unit of a table."""
    if isinstance(cluster, (Mapping, pd.Series)):
        return _looked_up(cluster, coded)
    if isinstance(cluster, str):
        raise ValueError(
            f"cluster={cluster!r}: a table has no column of clusters, give a label per unit"
        )
    labels = list(cluster)
    if len(labels) != coded.n_units:
        raise ValueError(
            f"{len(labels)} cluster labels for {coded.n_units} units: give one per unit"
        )
    return labels


def _looked_up(cluster: Any, coded: Coded) -> list[Any]:
    """Each rated unit's label from a mapping or a series; what nobody rated needs none."""
    if isinstance(cluster, pd.Series):
        if cluster.index.has_duplicates:
            twice = cluster.index[cluster.index.duplicated()][0]
            raise ValueError(f"the clusters name unit {twice} twice: name each unit once")
        cluster = cluster.to_dict()
    rated = coded.units[np.flatnonzero(coded.codes.any(axis=1))]
    lost = [unit for unit in rated if unit not in cluster]
    if lost:
        raise ValueError(
            f"no cluster for unit {lost[0]}"
            + (f" and {len(lost) - 1} more" if len(lost) > 1 else "")
            + ": the labels are looked up by the unit's name"
        )
    return [cluster.get(unit) for unit in coded.units]


def _by_unit(cluster: Any, frame: pd.DataFrame, places: np.ndarray, coded: Coded) -> list[Any]:
    """Each unit's label: from a column, a series of the frame's rows, or by the unit's name."""
    if isinstance(cluster, Mapping):
        return _looked_up(cluster, coded)
    if isinstance(cluster, pd.Series):
        if not cluster.index.equals(frame.index):
            return _looked_up(cluster, coded)
        labels = one_label(cluster, places, coded.units)
        if coded.units.isin(cluster.index).all() and not cluster.index.has_duplicates:
            by_name = _looked_up(cluster, coded)
            if not (cluster_codes(by_name) == cluster_codes(labels)).all():
                raise ValueError(
                    "the clusters can be read by row and by unit: put them into a column and "
                    "give its name"
                )
        return labels
    if isinstance(cluster, Hashable) and cluster in frame.columns:
        return one_label(frame[cluster], places, coded.units)
    if isinstance(cluster, str):
        raise ValueError(f"no column {cluster!r} to cluster by")
    raise ValueError(
        "a list of clusters fits a table only, for the units of a long frame have no order: give "
        "the name of a column, or a mapping from units to clusters"
    )


def _clustered(coded: Coded, labels: Sequence[Any]) -> Coded:
    codes = cluster_codes(labels)
    names = np.empty(len(np.bincount(codes)), dtype=object)
    names[codes] = np.fromiter(labels, dtype=object, count=len(codes))
    return coded._with(clusters=codes, cluster_names=names)
