"""Ratings that an engine holds (an Ibis table): it counts, and the patterns alone come here.

Two steps of grouping make the patterns: what raters gave to each unit as one number, then how many
units share that number. DuckDB, PostgreSQL, Spark and whatever else Ibis speaks to do the same
whole-number arithmetic, so each finds the same patterns, and all that follows is the same code.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.ratings.long import UNIT_COLUMNS, name_key
from raterbook.analysis.ratings.patterns import spell
from raterbook.analysis.ratings.values import code_values, small_type

# Raters whose answers are counted apart: one bit each in a whole number of the engine, with room
# for those of raters who answered twice.
MOST_RATERS = 40
LARGEST = 17_592_186_044_416
# Answers of more raters than that are read one by one, up to so many.
IN_MEMORY = 16_777_216
# Distinct patterns (of each cluster) that are fetched, and cells of a table made of them.
MOST_PATTERNS, MOST_CELLS = 33_554_432, 268_435_456
# Different values, times raters, that a first look brings.
MOST_VALUES = 65_536


def is_engines(data: Any) -> bool:
    """Whether this is an Ibis table; Ibis itself is not imported for the question."""
    kind = type(data)
    return kind.__module__.startswith("ibis.") and hasattr(data, "group_by")


def fetched(expression: Any) -> pd.DataFrame:
    """The rows of an expression, by Arrow."""
    with warnings.catch_warnings():
        # What Ibis asks of engines and of pandas, some of these call deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        found: pd.DataFrame = expression.to_pyarrow().to_pandas()
    return found


@dataclass(frozen=True)
class Held:
    """An engine's table with the columns unit, rater, value, and cluster or confidence if any."""

    table: Any
    cluster: bool
    confidence: bool

    @classmethod
    def of(cls, data: Any, cluster: Any, confidence: Any) -> Held:
        """The columns by their names; a wrong name is refused with those there are."""
        names = list(data.columns)
        unit = next((name for name in UNIT_COLUMNS if name in names), None)
        lost = [name for name in ("rater", "value") if name not in names]
        if unit is None or lost:
            what = "unit" if unit is None else lost[0]
            known = ", ".join(names[:8])
            raise ValueError(
                f"the engine's table has no column {what!r} (it has {known}): rename it so"
            )
        if cluster is not None and not isinstance(cluster, str):
            raise ValueError("clusters of an engine's table are a column: give its name")
        sure = confidence if confidence is not None else "confidence"
        if not isinstance(sure, str):
            raise ValueError("confidences of an engine's table are a column: give its name")
        if confidence is not None and sure not in names:
            raise ValueError(f"no column {sure!r} of confidences")
        if cluster is not None and cluster not in names:
            raise ValueError(f"no column {cluster!r} to cluster by")
        taken = {"unit": data[unit], "rater": data["rater"], "value": data["value"]}
        if cluster is not None:
            taken["cluster"] = data[cluster]
        if sure in names:
            taken["confidence"] = data[sure].cast("float64")
        if taken["value"].type().is_decimal():
            taken["value"] = taken["value"].cast("float64")
        return cls(data.select(**taken), cluster is not None, sure in names)

    def seen(self) -> pd.DataFrame:
        """Each rater's values and how often, refused where a row names nobody or nothing."""
        table = self.table
        if table.value.type().is_floating():
            table = table.mutate(value=table.value.nullif(float("nan")))
        found = fetched(
            table.group_by("rater", "value")
            .agg(n=table.count(), nameless=table.count(where=table.unit.isnull()))
            .limit(MOST_VALUES + 1)
        )
        if len(found) > MOST_VALUES:
            raise ValueError(
                f"more than {MOST_VALUES:,} different answers of raters: round the values, or name "
                "the raters with raters="
            )
        for rows, what in (
            (found["nameless"].sum(), "unit"),
            (found.loc[found["rater"].isna(), "n"].sum(), "rater"),
        ):
            if rows:
                raise ValueError(f"{int(rows):,} rows have no {what}: fill it in")
        return found

    def frame(self, most: int | None = None) -> pd.DataFrame:
        """All answers, one by one, or so many of them."""
        return fetched(self.table if most is None else self.table.limit(most))

    def coded(self, values: Sequence[Any], codes: np.ndarray) -> Any:
        """The given answers with a whole number for each value."""
        table = self.table
        given = [(v, int(c)) for v, c in zip(values, codes, strict=True) if c]
        code = _looked_up(table.value, given)
        table = table.mutate(code=code)
        return table.filter(table.code > 0)


def _looked_up(column: Any, given: Sequence[tuple[Any, int]]) -> Any:
    """The number that each value stands for, 0 for any other; neighbours need no looking up."""
    first, low = given[0][1], given[0][0]
    if column.type().is_integer() and all(value - low == code - first for value, code in given):
        high = max(value for value, _ in given)
        least = min(value for value, _ in given)
        inside = column.between(int(least), int(high))
        return inside.ifelse(column.cast("int64") - int(low) + first, 0)
    plain = [(value.item() if isinstance(value, np.generic) else value, n) for value, n in given]
    return column.cases(*plain, else_=0)


@dataclass(frozen=True)
class EngineCounts:
    """What an engine counted: a row of codes for each pattern, and how many units show it.

    Where there are clusters a pattern stands once for each that shows it. `units` names one of a
    row's units.
    """

    codes: np.ndarray
    times: np.ndarray
    units: np.ndarray
    clusters: np.ndarray | None
    cluster_names: np.ndarray | None


def count(held: Held, given: Any, raters: Sequence[Any], q: int) -> EngineCounts:
    """The patterns of these raters, counted where the answers lie."""
    given = given.filter(given.rater.isin([_plain(name) for name in raters]))
    most = 1
    while (q + 1) ** (most + 1) < LARGEST:
        most += 1
    parts = [range(at, min(at + most, len(raters))) for at in range(0, len(raters), most)]
    keys = {
        f"key{k}": _sum_of(
            given.code, given.rater, {raters[j]: (q + 1) ** (part[-1] - j) for j in part}
        )
        for k, part in enumerate(parts)
    }
    bit = given.rater.cases(*[(_plain(name), 1 << j) for j, name in enumerate(raters)])
    columns = {**keys, "who": bit.cast("int64").sum().cast("int64"), "n": given.count()}
    if held.cluster:
        columns |= {"cluster": given["cluster"].min(), "other": given["cluster"].max()}
    units = given.group_by("unit").agg(**columns)
    # Who answered and how often is the same in all units of a pattern, unless somebody did twice.
    by = [units[name] for name in (*keys, "who", "n")]
    asked = {"times": units.count(), "name": units.unit.min()}
    if held.cluster:
        # A unit without a cluster stands for itself.
        alone = units["cluster"].isnull().ifelse(units.unit, None)
        by += [units["cluster"], alone.name("alone")]
        asked["split"] = units.count(where=units["cluster"] != units["other"])
    found = fetched(units.group_by(by).agg(**asked).limit(MOST_PATTERNS + 1))
    if (np.bitwise_count(found["who"].to_numpy(np.int64)) != found["n"]).any():
        _refuse_twice(given)
    if held.cluster and found["split"].any():
        _refuse_split(given)
    if len(found) > MOST_PATTERNS or len(found) * len(raters) > MOST_CELLS:
        raise ValueError(
            f"more than {min(MOST_PATTERNS, MOST_CELLS // len(raters)):,} different patterns of "
            f"ratings: name fewer raters with raters=, or larger clusters"
        )
    return _spelled(found, [len(part) for part in parts], q, held.cluster)


def _sum_of(code: Any, rater: Any, powers: dict[Any, int]) -> Any:
    weight = rater.cases(*[(_plain(name), power) for name, power in powers.items()], else_=0)
    return (code.cast("int64") * weight.cast("int64")).sum().cast("int64")


def _spelled(found: pd.DataFrame, widths: Sequence[int], q: int, cluster: bool) -> EngineCounts:
    """Patterns in the order of their codes (and clusters' names), whichever came first."""
    keys = [found[f"key{k}"].to_numpy(np.int64) for k in range(len(widths))]
    clusters, names, order = None, None, np.lexsort(keys[::-1])
    if cluster:
        clusters, labels = pd.factorize(found["cluster"], sort=True)
        own = clusters < 0
        if own.any():
            clusters[own] = len(labels) + pd.factorize(found.loc[own, "alone"], sort=True)[0]
        names = np.full(len(np.bincount(clusters)), None, dtype=object)
        names[: len(labels)] = labels
        order = np.lexsort([*keys[::-1], clusters])
        clusters = clusters[order]
    codes = np.hstack(
        [spell(key[order], q, width) for key, width in zip(keys, widths, strict=True)]
    )
    return EngineCounts(
        codes.astype(small_type(q)),
        found["times"].to_numpy(np.int64)[order],
        found["name"].to_numpy(object)[order],
        clusters,
        names,
    )


def _refuse_twice(given: Any) -> None:
    cells = given.group_by("unit", "rater").agg(n=given.count())
    twice = cells.filter(cells.n > 1)
    many = int(fetched(twice.aggregate(n=twice.count()))["n"][0])
    shown = fetched(twice.order_by("unit", "rater").limit(3))
    named = [f"{row.rater} on {row.unit}" for row in shown.itertuples()]
    more = f" and {many - 3:,} more" if many > 3 else ""
    raise ValueError(f"answered twice: {', '.join(named)}{more}. Remove one in the table.")


def _refuse_split(given: Any) -> None:
    cells = given.group_by("unit").agg(one=given["cluster"].min(), two=given["cluster"].max())
    row = fetched(cells.filter(cells.one != cells.two).order_by("unit").limit(1)).iloc[0]
    raise ValueError(
        f"unit {row.unit} stands in two clusters, {row.one!r} and {row.two!r}: give it one"
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def read(
    held: Held, scale: Sequence[Any] | None, raters: Sequence[Any] | None
) -> dict[str, Any] | pd.DataFrame:
    """What makes `Coded` of an engine's table; so many raters that none is apart: the answers."""
    seen = held.seen()
    values = seen["value"].drop_duplicates()
    codes, found, numbers, labels = code_values(values, scale)
    place = dict(zip(values, codes, strict=True)) if len(values) else {}
    answered = seen[np.array([bool(place.get(value)) for value in seen["value"]], dtype=bool)]
    names = sorted(answered["rater"].unique().tolist(), key=name_key)
    wanted = names if raters is None else named_raters(raters, names)
    if not wanted:
        return held.frame(0)
    if len(wanted) > MOST_RATERS:
        total = int(answered["n"].sum())
        if total <= IN_MEMORY:
            return held.frame()
        raise ValueError(
            f"{len(wanted):,} raters gave {total:,} answers, too many to be read one by one: name "
            f"at most {MOST_RATERS} raters with raters="
        )
    given = held.coded(values.tolist(), codes)
    counted = count(held, given, wanted, len(found))
    return {
        "codes": counted.codes,
        "scale": found,
        "numbers": numbers,
        "declared": scale is not None,
        "labels": labels,
        "units": counted.units,
        "raters": tuple(wanted),
        "clusters": counted.clusters,
        "cluster_names": counted.cluster_names,
        "times": counted.times,
        "source": Weighed(held, given, numbers) if held.confidence else None,
    }


def named_raters(wanted: Sequence[Any], names: Sequence[Any]) -> list[Any]:
    """The raters asked for; whom nobody knows is refused with those there are."""
    missing = [name for name in wanted if name not in names]
    if missing:
        raise ValueError(
            f"no rater {missing[0]!r} here: the raters are {', '.join(map(str, names))}"
        )
    return list(wanted)


@dataclass(frozen=True)
class Weighed:
    """Answers with a confidence: the engine adds them up by cluster (or unit) and rater."""

    held: Held
    given: Any
    numbers: np.ndarray

    def sums(self, raters: Sequence[Any]) -> tuple[pd.DataFrame, int, bool]:
        """A row per cluster and rater: n, Σ c, Σ c·x; the number of units; whether some lack c."""
        given = self.given.filter(self.given.rater.isin([_plain(name) for name in raters]))
        places = [(code, float(x)) for code, x in enumerate(self.numbers, 1)]
        x = given.code.cast("int64").cases(*places, else_=0.0)
        sure = given.confidence.nullif(float("nan"))
        given = given.mutate(x=x, sure=sure)
        has = given.filter(given.sure.notnull())
        whole = fetched(
            given.aggregate(
                all=given.count(),
                n=given.count(where=given.sure.notnull()),
                least=given.sure.min(),
                units=given.unit.nunique(where=given.sure.notnull()),
            )
        )
        if int(whole["n"][0]) and float(whole["least"][0]) < 0:
            least = float(whole["least"][0])
            raise ValueError(f"confidence {least:g} is negative: give 0 to 100")
        if not self.held.cluster and int(whole["n"][0]) > IN_MEMORY:
            raise ValueError(
                f"{int(whole['n'][0]):,} answers with a confidence, and each unit stands for "
                "itself: name a column of clusters with cluster="
            )
        if self.held.cluster:
            # As among the patterns: a unit without a cluster stands for itself.
            alone = has["cluster"].isnull().ifelse(has.unit, None)
            rows = has.group_by(cluster=has["cluster"], alone=alone, rater=has.rater)
        else:
            rows = has.group_by(cluster=has.unit, alone=has.unit, rater=has.rater)
        found = fetched(rows.agg(n=has.count(), c=has.sure.sum(), cx=(has.sure * has.x).sum()))
        units = int(whole["units"][0])
        return found, units, int(whole["all"][0]) > int(whole["n"][0])
