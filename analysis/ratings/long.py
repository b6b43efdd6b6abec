"""A long frame becomes a units × raters table of codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

# What a long frame's units may be called.
UNIT_COLUMNS = ("unit", "item")
# What its columns may be called; the first name of each is the one an error asks for.
COLUMNS = {"unit": UNIT_COLUMNS, "rater": ("rater",), "value": ("value",)}
# Answers per piece, so that the cell numbers stay in the processor's cache.
PIECE = 65_536
# A range of rater numbers this short is taken as it is, gaps and all.
FEW = 16


def one_question(frame: pd.DataFrame) -> pd.DataFrame:
    """A round's own frame (item, part, rater, number …) as unit, rater, value.

    Only the answers that count are kept; several questions at once are refused.
    """
    if "question" in frame.columns and frame["question"].nunique() > 1:
        named = ", ".join(map(str, frame["question"].unique()[:4]))
        raise ValueError(f"answers to several questions ({named}): keep those to one")
    frame = that_count(frame)
    values = frame["value"]
    if "number" in frame.columns and frame["number"].notna().any():
        values = frame["number"]
    units = frame["item"]
    if "case" in frame.columns and units.isna().any():
        # Some questions are asked of a case, whatever its items.
        units = units.astype(object).where(units.notna(), frame["case"].astype(object))
    if "part" in frame.columns and frame["part"].nunique() > 1:
        units = units.astype(str) + " part " + frame["part"].astype(str)
    return frame.assign(unit=units, value=values)


def refuse_mistaken(frame: pd.DataFrame) -> None:
    """A table whose names are those of a long frame, or of a table turned round, is neither."""
    if frame.columns.nlevels > 1:
        raise ValueError(
            f"the columns have {frame.columns.nlevels} levels: keep one, which names the raters"
        )
    index = [str(name) for name in frame.index.names if name is not None]
    columns = {_meant(name): str(name) for name in frame.columns}
    across = _meant(frame.columns.name)
    words = [word for word in COLUMNS if word in columns]
    indexed = [word for word in COLUMNS if word in map(_meant, index)]
    if not words and ("rater" in indexed or across == "unit") and frame.index.nlevels == 1:
        raise ValueError("the rows are raters here: turn the table round (.T), units × raters")
    if not words and "rater" not in indexed:
        return
    if words == ["value"] and len(frame.columns) == 1 and not indexed:
        return  # one rater's answers
    said = []
    for word in COLUMNS:
        if word in columns:
            if columns[word] not in COLUMNS[word]:
                said.append(f"the column {columns[word]!r} must be called {word!r}")
        elif word in indexed:
            said.append(f"{word} is in the index, use reset_index()")
        else:
            said.append(f"there is no column {word!r}")
    known = ", ".join(map(str, list(frame.columns)[:8]))
    table = "; for a table put the units into the index" if words == ["unit"] else ""
    raise ValueError(
        f"this looks like a long frame of unit, rater, value, but {', '.join(said)} "
        f"(the columns are {known}){table}"
    )


def _meant(name: Any) -> str | None:
    """Which column of a long frame a name stands for, however it is spelled."""
    plain = str(name).strip().lower()
    return next((word for word, names in COLUMNS.items() if plain in names), None)


def name_key(name: Any) -> tuple[str, Any]:
    """Names of one kind in their own order, whatever else stands among them."""
    if isinstance(name, Real):
        return "", float(name)
    return type(name).__name__, str(name)


def that_count(frame: pd.DataFrame) -> pd.DataFrame:
    """The answers that count of a round's own frame: given, first replicate, to main items."""
    keep = _is_given(frame)
    if "status" in frame.columns:
        keep &= _means(frame["status"], "answered")
    if "replicate" in frame.columns:
        keep &= frame["replicate"].fillna(1).astype(int).to_numpy() == 1
    if "role" in frame.columns:
        keep &= _means(frame["role"], "main") | frame["role"].isna().to_numpy()
    return frame if keep.all() else frame[keep]


def _means(column: pd.Series, word: str) -> np.ndarray:
    """Where the column says this word."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    return np.asarray((column == word).to_numpy(), dtype=bool)


def _is_given(frame: pd.DataFrame) -> np.ndarray:
    """Where there is a value at all: blank is as good as missing."""
    value = frame["value"]
    if isinstance(value.dtype, pd.CategoricalDtype):
        blank = [str(each).strip() == "" for each in value.cat.categories]
        given = np.append(~np.array(blank, dtype=bool), False)[value.cat.codes.to_numpy()]
    else:
        given = (value.notna() & (value.astype(str).str.strip() != "")).to_numpy()
    if "number" in frame.columns:
        given = given | frame["number"].notna().to_numpy()
    return np.array(given, dtype=bool)


@dataclass(frozen=True)
class Identities:
    """Who or what each row speaks of: `codes − low` is its place among the `labels`.

    Codes that are not `checked` may lie outside; whoever goes through them sees to that.
    """

    codes: np.ndarray
    labels: Any
    low: int = 0
    checked: bool = True

    def places(self) -> np.ndarray:
        """The places of all rows."""
        return self.codes.astype(np.int64) - self.low

    def hold(self, piece: np.ndarray) -> bool:
        """Whether these codes stand for labels."""
        if self.checked:
            return True
        if self.low == 0 and piece.dtype.kind == "i":
            # Read without a sign, what lies below zero is very large.
            return bool(np.maximum.reduce(piece.view(f"u{piece.itemsize}")) < len(self.labels))
        return bool(self.low <= piece.min() <= piece.max() < self.low + len(self.labels))


def identities(column: pd.Series, few: bool = False, guess: bool = False) -> Identities:
    """Units or raters as whole numbers, and the labels they stand for.

    Numbers in between that nobody used make empty rows, which count for nothing; where there
    are `few` labels they would make empty columns, so only a short range is taken as it is.
    A `guess` looks for least and greatest at both ends of the column only.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.array.codes
        if not guess:
            _refuse_unnamed(column, codes < 0)
        return Identities(codes, column.cat.categories, checked=not guess)
    whole = column.dtype.kind in "iu"
    # To look for what NumPy's whole numbers cannot hold would be a pass over them.
    if not (whole and isinstance(column.dtype, np.dtype)) and column.hasnans:
        _refuse_unnamed(column, column.isna().to_numpy())
    if whole and column.dtype != np.uint64 and len(column):
        values = column.to_numpy()
        low, high = _span(values, guess)
        if high - low < (FEW if few else 2 * len(values)):
            return Identities(values, pd.RangeIndex(low, high + 1), low, checked=not guess)
    if few or len(column) < PIECE or column.dtype.kind in "f":
        codes, labels = pd.factorize(column, sort=False)
        _refuse_unnamed(column, codes < 0)
        return Identities(codes, labels)
    return _by_runs(column)


def _span(values: np.ndarray, guess: bool) -> tuple[int, int]:
    """Least and greatest, of the column's ends alone for a guess."""
    looked = (values[:PIECE], values[-PIECE:]) if guess else (values,)
    return min(int(each.min()) for each in looked), max(int(each.max()) for each in looked)


def _by_runs(column: pd.Series) -> Identities:
    """A frame mostly lists a unit's answers together, so each run of equal names is looked up
    once."""
    _refuse_unnamed(column, column.isna().to_numpy())
    names = column.array
    starts = np.empty(len(names), dtype=bool)
    starts[0] = True
    starts[1:] = np.asarray(names[1:] != names[:-1])
    where = np.flatnonzero(starts)
    heads = column.iloc[where]
    if _ascending(heads):  # then every run is another name, and none needs looking up
        return Identities(np.cumsum(starts) - 1, pd.Index(heads))
    codes, labels = pd.factorize(heads, sort=False)
    return Identities(np.repeat(codes, np.diff(where, append=len(names))), labels)


def _ascending(names: pd.Series) -> bool:
    """Whether each name comes after the one before it: by its letters, or longer ones later.

    The second is the order of item 9, item 10, item 11.
    """
    if not isinstance(names.dtype, pd.StringDtype):
        return False
    values = names.array
    later = np.asarray(values[1:] > values[:-1], dtype=bool)
    if later.all():
        return True
    length = names.str.len().to_numpy()
    return bool(((length[1:] > length[:-1]) | (later & (length[1:] == length[:-1]))).all())


def _refuse_unnamed(column: pd.Series, missing: np.ndarray) -> None:
    if missing.any():
        raise ValueError(f"row {missing.argmax()} has no {column.name}: fill it in")


def scatter(
    units: Identities, raters: Identities, codes: np.ndarray, keep: str | None
) -> tuple[np.ndarray, int] | None:
    """The table, and how many answers went into it; of two by one rater the last one stays.

    Each rater's answers lie together in memory, which makes counting patterns a few passes over
    whole columns. None where units or raters lie outside what was guessed.
    """
    height, width = len(units.labels), len(raters.labels)
    table = np.zeros(height * width, dtype=codes.dtype)
    cells = _cells_of(height * width, height, units.low + raters.low * height)
    placed = 0
    starts = range(0, len(codes), PIECE)
    for start in reversed(starts) if keep == "first" else starts:
        part = slice(start, start + PIECE)
        given, of_units, of_raters = codes[part], units.codes[part], raters.codes[part]
        if not (units.hold(of_units) and raters.hold(of_raters)):
            return None
        where = cells(of_units, of_raters)
        n = int(np.count_nonzero(given))
        if n < len(given):
            # A missing answer must not wipe out a given one by the same rater.
            where, given = where[given > 0], given[given > 0]
        if keep == "first":
            where, given = where[::-1], given[::-1]
        table[where] = given
        placed += n
    return table.reshape(width, height).T, placed


def _cells_of(
    size: int, height: int, before: int
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Cell numbers of a piece of rows, in the narrowest integers that hold them."""
    narrow: Any = np.int32 if size + abs(before) <= np.iinfo(np.int32).max else np.int64
    one, other = np.empty((2, PIECE), dtype=narrow)
    whole = np.empty(PIECE, dtype=np.intp)

    def cells(units: np.ndarray, raters: np.ndarray) -> np.ndarray:
        n = len(units)
        if units.dtype == raters.dtype == whole.dtype:
            # As wide as they are read, which saves every change of width.
            place = np.multiply(raters, height, out=whole[:n])
            place += units
            if before:
                place -= before
            return np.asarray(place)
        found = one[:n]
        np.copyto(found, raters, casting="unsafe")
        found *= height
        if before:
            found -= before
        if units.dtype != narrow:
            np.copyto(other[:n], units, casting="unsafe")
            units = other[:n]
        found += units
        np.copyto(whole[:n], found)
        return whole[:n]

    return cells


def refuse_twice(units: Identities, raters: Identities, codes: np.ndarray) -> None:
    """Name the first who answered a unit twice."""
    given = codes > 0
    width = len(raters.labels)
    cells = units.places()[given] * width + raters.places()[given]
    found, counts = np.unique(cells, return_counts=True)
    twice = found[counts > 1]
    named = [f"{raters.labels[c % width]} on {units.labels[c // width]}" for c in twice[:3]]
    more = f" and {len(twice) - 3} more" if len(twice) > 3 else ""
    raise ValueError(
        f"answered twice: {', '.join(named)}{more}. Remove one, or pass keep='first' or 'last'."
    )


def one_label(column: pd.Series, places: np.ndarray, names: Any, what: str = "unit") -> list[Any]:
    """The label that all rows of a unit carry; rows without one say nothing."""
    codes, labels = pd.factorize(column, sort=False)
    of_unit = np.full(len(names), -1, dtype=np.int64)
    given = codes >= 0
    of_unit[places[given]] = codes[given]
    other = given & (of_unit[places] != codes)
    if other.any():
        row = int(np.flatnonzero(other)[0])
        one, two = labels[codes[row]], labels[of_unit[places[row]]]
        raise ValueError(
            f"{what} {names[places[row]]} stands in two clusters, {one!r} and {two!r}: give it one"
        )
    called = np.full(len(labels) + 1, None, dtype=object)  # the last for those without one
    called[:-1] = np.asarray(labels, dtype=object)
    found: list[Any] = called[of_unit].tolist()
    return found


def cluster_codes(labels: Sequence[Any]) -> np.ndarray:
    """A number for each label; whatever has none stands for itself."""
    codes, known = pd.factorize(pd.Series(list(labels), dtype=object), sort=False)
    alone = codes < 0
    codes = codes.astype(np.int64)
    codes[alone] = len(known) + np.arange(alone.sum())
    return np.asarray(codes)
