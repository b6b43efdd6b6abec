"""Values as codes: what counts as missing, which scale holds, and where its values lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

# A table of distances or of weights between the values of a scale has the square of so many cells.
MOST_VALUES = 2000


def declared(scale: Iterable[Any] | None) -> list[Any] | None:
    """The scale as a list of plain values, whatever it was given as."""
    if scale is None:
        return None
    if isinstance(scale, (str, set, frozenset)):
        why = "its letters are no values" if isinstance(scale, str) else "a set has no order"
        raise ValueError(f"scale={scale!r}: {why}, give a list")
    values = [value.item() if isinstance(value, np.generic) else value for value in scale]
    if any(_missing(_objects(values))):
        raise ValueError("the scale names a missing value: leave it out, missing is no answer")
    return values


def code_values(
    values: Any, scale: Sequence[Any] | None
) -> tuple[np.ndarray, tuple[Any, ...], np.ndarray, bool]:
    """Codes of the same shape (0 is missing), the scale, its positions, and whether it is labels.

    None, NaN, pd.NA, the empty string and what is masked are missing and never become a value; a
    label spelled "nan" is a label. Positions are the numbers themselves, or 1, 2, 3 … for labels.
    A declared scale of numbers, or of texts that are numbers, reads "4" and 4 alike.
    """
    array = _as_array(values)
    positions = None if scale is None else _positions(scale)
    if array.dtype.kind in "iuf" and (scale is None or positions is not None):
        return _code_numbers(array, scale, positions)
    flat = array.astype(object).ravel()
    missing = _missing(flat)
    present = flat[~missing]
    numbers = np.full(len(flat), np.nan)
    if positions is not None and scale is not None:
        numbers[~missing] = _read_onto(present, scale)
    elif scale is None and all(map(_is_number, present)):
        numbers[~missing] = present.astype(float)
    else:
        return _code_labels(flat, missing, array.shape, scale)
    return _code_numbers(numbers.reshape(array.shape), scale, positions)


def as_numbers(values: Any, what: str) -> np.ndarray:
    """Numbers of the same shape, NaN where nothing was given; texts that are numbers are read."""
    array = _as_array(values)
    if array.dtype.kind in "iuf":
        return array.astype(float)
    flat = array.ravel()
    missing = _missing(flat)
    found = np.full(len(flat), np.nan)
    for i in np.flatnonzero(~missing):
        number = _number(flat[i])
        if number is None:
            raise ValueError(f"{what} {flat[i]!r} is not a number")
        found[i] = number
    return found.reshape(array.shape)


def confidence_in_rows(confidence: Any, values: Any) -> Any:
    """One confidence per row: by the labels where both have some, else by place."""
    if isinstance(confidence, pd.DataFrame):
        raise ValueError("a frame of confidences beside a long frame: put them into a column")
    if not isinstance(confidence, pd.Series):
        given = confidence if isinstance(confidence, np.ndarray) else list(confidence)
        if isinstance(values, pd.DataFrame):
            if len(given) != len(values):
                raise ValueError(
                    f"{len(values)} values and {len(given)} confidences: give one for each"
                )
            return pd.Series(as_numbers(given, "confidence"), index=values.index)
        return given
    if not isinstance(values, (pd.Series, pd.DataFrame)) or confidence.index.equals(values.index):
        return confidence
    if confidence.index.has_duplicates:
        twice = confidence.index[confidence.index.duplicated()][0]
        raise ValueError(f"the confidences have the label {twice} twice")
    lost = values.index[~values.index.isin(confidence.index)]
    if len(lost):
        raise ValueError(f"the confidences have no {lost[0]}: they are matched by their labels")
    return confidence.reindex(values.index)


def _positions(scale: Sequence[Any]) -> np.ndarray | None:
    """Where the scale's values lie; None where they are labels."""
    if any(isinstance(value, (bool, np.bool_)) for value in scale):
        return None
    found = [_number(value) for value in scale]
    labels = any(number is None for number in found) or len(set(found)) < len(found)
    if labels and not all(map(_is_number, scale)):
        return None
    return np.asarray(found, dtype=float)


def _number(value: Any) -> float | None:
    """A number, or a text that is one: "4", "2.5", but not "nan" or "1_000"."""
    if isinstance(value, Real):
        return float(value)
    if not isinstance(value, str) or "_" in value:
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if np.isfinite(found) else None


def _read_onto(present: np.ndarray, scale: Sequence[Any]) -> np.ndarray:
    """Answers as numbers, each of a few spellings looked up once."""
    where, seen = pd.factorize(_objects(map(_hashable, present)), sort=False)
    read = [_number(value) for value in seen]
    for value, number in zip(seen, read, strict=True):
        if number is None:
            _refuse(value, scale)
    return np.asarray(np.array(read, dtype=float)[where])


def _objects(values: Iterable[Any]) -> np.ndarray:
    """One entry per value, sets and pairs among them."""
    values = list(values)
    found = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        found[i] = value
    return found


def _as_array(values: Any) -> np.ndarray:
    if isinstance(values, pd.Series):
        if isinstance(values.dtype, pd.CategoricalDtype):
            # Decoding through the few categories costs less than one object per row.
            categories = values.cat.categories.to_numpy()
            if categories.dtype.kind in "iuf":
                decoded = np.append(categories.astype(float), np.nan)
                return np.asarray(decoded[values.cat.codes.to_numpy()])
            padded = np.empty(len(categories) + 1, dtype=object)
            padded[:-1] = categories
            return np.asarray(padded[values.cat.codes.to_numpy()])
        if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf":
            return np.asarray(values.to_numpy())
        return np.asarray(values.to_numpy(dtype=object))
    if np.ma.isMaskedArray(values):
        hidden = np.ma.getmaskarray(values)
        shown = np.ma.getdata(values)
        shown = shown.astype(float if shown.dtype.kind in "iuf" else object)
        shown[hidden] = np.nan if shown.dtype.kind == "f" else None
        return shown
    array = np.asarray(values)
    return array if array.dtype.kind in "iuf" else array.astype(object)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _missing(flat: np.ndarray) -> np.ndarray:
    missing = np.asarray(pd.isna(flat), dtype=bool)
    blank = np.fromiter((isinstance(v, str) and v.strip() == "" for v in flat), bool, len(flat))
    masked = np.fromiter((v is np.ma.masked for v in flat), bool, len(flat))
    return np.asarray(missing | blank | masked)


def _code_numbers(
    array: np.ndarray, scale: Sequence[Any] | None, positions: np.ndarray | None
) -> tuple[np.ndarray, tuple[Any, ...], np.ndarray, bool]:
    small = whole_numbers(array)
    if small is not None:
        coded = _code_bytes(small, scale, positions)
        if coded is not None:
            return coded
    if scale is not None and positions is not None:
        _refuse_repeats(scale)
        order = np.argsort(positions)
        return _look_up(array, positions, order, scale), tuple(scale), positions, False
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError("an infinite rating: remove it or leave it empty")
    present = np.unique(array[~np.isnan(array)] if array.dtype.kind == "f" else array)
    positions = present.astype(float)
    order = np.arange(len(positions))
    found = tuple(v.item() for v in present)
    if all(float(v).is_integer() for v in found):
        found = tuple(int(v) for v in found)
    return _look_up(array, positions, order, found), found, positions, False


def _code_bytes(
    small: np.ndarray, scale: Sequence[Any] | None, positions: np.ndarray | None
) -> tuple[np.ndarray, tuple[Any, ...], np.ndarray, bool] | None:
    """The codes of small whole numbers; None where the scale has others, or lacks one."""
    used = values_used(small)
    found = used if positions is None else [int(p) if p.is_integer() else 0 for p in positions]
    if not set(used) <= set(found) or len(set(found)) < len(found):
        return None
    if not all(0 < value <= LARGEST for value in found):
        return None
    codes = onto_scale(small, found)
    return codes, tuple(scale or found), np.array(found, dtype=float), False


def _look_up(
    array: np.ndarray, positions: np.ndarray, order: np.ndarray, scale: Sequence[Any]
) -> np.ndarray:
    codes = np.zeros(array.shape, dtype=small_type(len(positions)))
    if array.size == 0:
        return codes
    given = ~np.isnan(array) if array.dtype.kind == "f" else np.ones(array.shape, dtype=bool)
    values = array[given]
    if len(positions) == 0:
        if values.size:
            raise ValueError(f"rating {values[0]!r} but the scale has no values")
        return codes
    ordered = positions[order]
    slot = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    wrong = ordered[slot] != values
    if wrong.any():
        _refuse(values[wrong][0].item(), scale)
    codes[given] = order[slot] + 1
    return codes


def _code_labels(
    flat: np.ndarray, missing: np.ndarray, shape: tuple[int, ...], scale: Sequence[Any] | None
) -> tuple[np.ndarray, tuple[Any, ...], np.ndarray, bool]:
    present = flat[~missing]
    present = _objects(map(_hashable, present))
    where, seen = pd.factorize(present, sort=False)
    if scale is None:
        order = sorted(range(len(seen)), key=lambda i: _sort_key(seen[i]))
        found = tuple(seen[i] for i in order)
    else:
        _refuse_repeats(scale)
        found = tuple(_hashable(value) for value in scale)
    place = {value: i + 1 for i, value in enumerate(found)}
    for value in seen:
        if value not in place:
            _refuse(value, found)
    to_code = np.array([place[value] for value in seen], dtype=small_type(len(found)))
    codes = np.zeros(len(flat), dtype=small_type(len(found)))
    if len(present):
        codes[~missing] = to_code[where]
    return codes.reshape(shape), found, np.arange(1.0, len(found) + 1), True


def _hashable(value: Any) -> Any:
    return frozenset(value) if isinstance(value, (set, list, tuple)) else value


def _sort_key(value: Any) -> tuple[str, Any]:
    if isinstance(value, frozenset):
        return "set", tuple(sorted(map(str, value)))
    if isinstance(value, Real):
        return "number", float(value)
    return type(value).__name__, str(value)


def small_type(q: int) -> np.dtype[Any]:
    """Whole numbers that hold the codes 0 to q and one more."""
    return np.min_scalar_type(-q - 2)


def _refuse_repeats(scale: Sequence[Any]) -> None:
    seen: set[Any] = set()
    for value in map(_hashable, scale):
        if value in seen:
            raise ValueError(f"the scale names {value!r} twice")
        seen.add(value)


def _refuse(value: Any, scale: Sequence[Any]) -> None:
    shown = ", ".join(map(str, scale[:12])) + (" …" if len(scale) > 12 else "")
    raise ValueError(f"rating {value!r} is not on the scale: {shown}")


# Ratings that are small whole numbers, coded at the speed of reading them.
#
# Most scales are 1 to 5. Turning such a column into one byte per rating takes a few passes over a
# piece that stays in the processor's cache; sorting the values would take fifty times as long.


# Entries per piece: eight bytes each, a few buffers, well inside a second-level cache.
PIECE = 32_768
LARGEST = 126


def whole_numbers(array: np.ndarray) -> np.ndarray | None:
    """One byte per rating, 0 where it is NaN; None unless all are whole and within 1 to 126."""
    if array.dtype.kind in "iu":
        return _from_integers(array)
    if array.dtype != np.float64 or not array.size:
        return None
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        turned = whole_numbers(array.T)
        return None if turned is None else turned.T
    if not array.flags.c_contiguous:
        return None
    flat = array.ravel()
    coded = np.empty(len(flat), dtype=np.int8)
    again, same = np.empty(PIECE), np.empty(PIECE, dtype=bool)
    there = 0
    with np.errstate(invalid="ignore"):
        for start in range(0, len(flat), PIECE):
            given, bytes_ = flat[start : start + PIECE], coded[start : start + PIECE]
            n = _code_piece(given, bytes_, again[: len(given)], same[: len(given)])
            if n is None:
                return None
            there += n
    # A zero among the ratings is no zero for what is missing.
    if np.count_nonzero(coded) != there or int(coded.min()) < 0:
        return None
    return coded.reshape(array.shape)


def _code_piece(
    given: np.ndarray, coded: np.ndarray, again: np.ndarray, same: np.ndarray
) -> int | None:
    """Fill one piece and count its ratings; None where one is not a whole number within reach.

    Counting is much cheaper than comparing, so a byte is compared with its rating once.
    """
    np.copyto(coded, given, casting="unsafe")
    np.copyto(again, coded)
    np.equal(again, given, out=same)
    n = int(np.count_nonzero(same))
    if n < len(given):
        missing = np.isnan(given, out=same)
        # Only what is missing may differ from its byte.
        if n + np.count_nonzero(missing) < len(given):
            return None
        if np.count_nonzero(coded) != n:
            # A processor that makes something else of NaN.
            coded[missing] = 0
    return n


def _from_integers(array: np.ndarray) -> np.ndarray | None:
    if not array.size or not 0 < array.min() <= array.max() <= LARGEST:
        return None
    return array.astype(np.int8)


def values_used(coded: np.ndarray) -> list[int]:
    """The values that occur, from one byte per rating."""
    high = int(coded.max(initial=0))
    # Mostly the first ratings show all values.
    first = coded[:PIECE]
    return [v for v in range(1, high + 1) if (first == v).any() or (coded == v).any()]


def onto_scale(coded: np.ndarray, values: list[int]) -> np.ndarray:
    """Codes 1, 2, 3 … for these values; the same array where the values are 1, 2, 3 … already."""
    if values == list(range(1, len(values) + 1)):
        return coded
    place = np.zeros(LARGEST + 1, dtype=np.int8)
    place[values] = np.arange(1, len(values) + 1)
    return np.asarray(place[coded])
