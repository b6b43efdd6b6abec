"""A long frame becomes a units × raters table of codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

# Answers per piece, so that the cell numbers stay in the processor's cache.
PIECE = 1 << 16
# A range of rater numbers this short is taken as it is, gaps and all.
FEW = 16


def one_question(frame: pd.DataFrame) -> pd.DataFrame:
    """A round's own frame (item, part, rater, number …) as unit, rater, value.

    Only given answers of the first replicate are kept; several questions at once are refused.
    """
    if "question" in frame.columns and frame["question"].nunique() > 1:
        named = ", ".join(map(str, frame["question"].unique()[:4]))
        raise ValueError(f"answers to several questions ({named}): keep those to one")
    if "status" in frame.columns:
        frame = frame[frame["status"].astype(object) == "answered"]
    if "replicate" in frame.columns:
        frame = frame[frame["replicate"] == 1]
    values = frame["value"]
    if "number" in frame.columns and frame["number"].notna().any():
        values = frame["number"]
    units = frame["item"]
    if "part" in frame.columns and frame["part"].nunique() > 1:
        units = units.astype(str) + " part " + frame["part"].astype(str)
    return frame.assign(unit=units, value=values)


def identities(column: pd.Series, few: bool = False) -> tuple[np.ndarray, Any]:
    """Integer codes for units or raters, and the labels they stand for.

    Numbers in between that nobody used make empty rows, which count for nothing; where there
    are `few` labels they would make empty columns, so only a short range is taken as it is.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _named(column, column.cat.codes.to_numpy()), column.cat.categories
    if column.dtype.kind in "iu" and len(column):
        values = column.to_numpy()
        low, high = _span(values)
        if high - low < (FEW if few else 2 * len(values)):
            return (values if low == 0 else values - low), pd.RangeIndex(low, high + 1)
    if few or len(column) < PIECE or column.dtype.kind in "f":
        codes, labels = pd.factorize(column, sort=False)
        return _named(column, codes), labels
    return _by_runs(column)


def _span(values: np.ndarray) -> tuple[int, int]:
    """Least and greatest, reading the column from memory once."""
    pieces = [values[start : start + PIECE] for start in range(0, len(values), PIECE)]
    ends = [(piece.min(), piece.max()) for piece in pieces]
    return int(min(low for low, _ in ends)), int(max(high for _, high in ends))


def _by_runs(column: pd.Series) -> tuple[np.ndarray, Any]:
    """A frame mostly lists a unit's answers together, so each run of equal names is looked up
    once."""
    missing = column.isna().to_numpy()
    if missing.any():
        return _named(column, np.where(missing, -1, 0)), pd.Index([])
    names = column.array
    starts = np.empty(len(names), dtype=bool)
    starts[0] = True
    starts[1:] = np.asarray(names[1:] != names[:-1])
    where = np.flatnonzero(starts)
    codes, labels = pd.factorize(column.iloc[where], sort=False)
    return np.repeat(codes, np.diff(where, append=len(names))), labels


def _named(column: pd.Series, codes: np.ndarray) -> np.ndarray:
    if len(codes) and codes.min() < 0:
        row = int(np.flatnonzero(codes < 0)[0])
        raise ValueError(f"row {row} has no {column.name}: fill it in")
    return codes


def scatter(
    units: np.ndarray,
    raters: np.ndarray,
    codes: np.ndarray,
    shape: tuple[int, int],
    keep: str | None,
) -> tuple[np.ndarray, int]:
    """The table, and how many answers went into it; of two by one rater the last one stays."""
    table = np.zeros(shape[0] * shape[1], dtype=codes.dtype)
    placed = 0
    starts = range(0, len(codes), PIECE)
    for start in reversed(starts) if keep == "first" else starts:
        part = slice(start, start + PIECE)
        given = codes[part]
        cells = np.multiply(units[part], shape[1], dtype=np.int64)
        cells += raters[part]
        if not given.all():
            # A missing answer must not wipe out a given one by the same rater.
            cells, given = cells[given > 0], given[given > 0]
        if keep == "first":
            cells, given = cells[::-1], given[::-1]
        table[cells] = given
        placed += len(given)
    return table.reshape(shape), placed


def refuse_twice(
    units: np.ndarray, raters: np.ndarray, codes: np.ndarray, names: tuple[Any, Any]
) -> None:
    """Name the first who answered a unit twice."""
    given = codes > 0
    width = len(names[1])
    cells = units[given].astype(np.int64) * width + raters[given]
    found, counts = np.unique(cells, return_counts=True)
    twice = found[counts > 1]
    named = [f"{names[1][c % width]} on {names[0][c // width]}" for c in twice[:3]]
    more = f" and {len(twice) - 3} more" if len(twice) > 3 else ""
    raise ValueError(
        f"answered twice: {', '.join(named)}{more}. Remove one, or pass keep='first' or 'last'."
    )
