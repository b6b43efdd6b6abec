"""Ratings that are small whole numbers, coded at the speed of reading them.

Most scales are 1 to 5. Turning such a column into one byte per rating takes a few passes over a
piece that stays in the processor's cache, where sorting the values would take fifty times as long.
"""

from __future__ import annotations

import numpy as np

# Cells per piece: eight bytes each, a few buffers, well inside a second-level cache.
PIECE = 1 << 15
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
    flat = array.reshape(-1)
    coded = np.empty(len(flat), dtype=np.int8)
    again, same = np.empty(PIECE), np.empty(PIECE, dtype=bool)
    with np.errstate(invalid="ignore"):
        for start in range(0, len(flat), PIECE):
            given, bytes_ = flat[start : start + PIECE], coded[start : start + PIECE]
            n = len(given)
            if not _code_piece(given, bytes_, again[:n], same[:n]):
                return None
    return coded.reshape(array.shape)


def _code_piece(given: np.ndarray, coded: np.ndarray, again: np.ndarray, same: np.ndarray) -> bool:
    """Fill one piece; False where a rating is not a whole number within reach.

    Counting is much cheaper than comparing, so a byte is compared with its rating once.
    """
    np.copyto(coded, given, casting="unsafe")
    np.copyto(again, coded)
    np.equal(again, given, out=same)
    n = np.count_nonzero(same)
    if n < len(given):
        missing = np.isnan(given, out=same)
        # Only what is missing may differ from its byte.
        if n + np.count_nonzero(missing) < len(given):
            return False
        if np.count_nonzero(coded) != n:
            # A processor that makes something else of NaN.
            coded[missing] = 0
    # A zero among the ratings is no zero for what is missing.
    return np.count_nonzero(coded) == n and int(coded.min()) >= 0


def _from_integers(array: np.ndarray) -> np.ndarray | None:
    if not array.size or array.min() < 1 or array.max() > LARGEST:
        return None
    return array.astype(np.int8)


def values_used(coded: np.ndarray) -> list[int]:
    """The values that occur, from one byte per rating."""
    high = int(coded.max(initial=0))
    if high > 24:
        return [int(v) for v in np.unique(coded) if v > 0]
    # Mostly the first ratings show all values.
    first = coded[:PIECE]
    return [v for v in range(1, high + 1) if (first == v).any() or (coded == v).any()]


def onto_scale(coded: np.ndarray, values: list[int]) -> np.ndarray:
    """Codes 1, 2, 3 … for these values; the same array where the values are 1, 2, 3 … already."""
    if values == list(range(1, len(values) + 1)):
        return coded
    place = np.zeros(LARGEST + 1, dtype=np.int8)
    place[values] = np.arange(1, len(values) + 1)
    return place[coded]
