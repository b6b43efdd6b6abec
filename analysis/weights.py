"""Agreement weights: 1 where two values count as the same, less the further they lie apart.

The formulas are those of Gwet, Handbook of Inter-Rater Reliability, 4th edition, chapter 3; the
scale's own numbers make them, not the ranks of the values that happened to be used.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

# A table of weights has the square of this many cells.
MOST = 2000
NAMES = (
    "identity",
    "linear",
    "quadratic",
    "ordinal",
    "radical",
    "ratio",
    "circular",
    "bipolar",
)


def agreement_weights(weights: Any, numbers: np.ndarray) -> np.ndarray:
    """The q × q matrix for a name in `NAMES`, or the matrix given, checked."""
    if len(numbers) > MOST:
        raise ValueError(
            f"{len(numbers):,} different values: weights need a scale of at most {MOST:,}; "
            "use alpha(level='interval') or icc for continuous scores"
        )
    if is_identity(weights):
        return np.eye(len(numbers))
    if not isinstance(weights, str):
        return _checked(np.asarray(weights, dtype=float), len(numbers))
    if weights not in NAMES:
        raise ValueError(f"unknown weights {weights!r}: choose {', '.join(NAMES[:-1])} or bipolar")
    q = len(numbers)
    if q < 2:
        return np.eye(q)
    return _named(weights, np.asarray(numbers, dtype=float))


def is_identity(weights: Any) -> bool:
    """Whether only equal values count as agreement, so that no order is needed."""
    return weights is None or (isinstance(weights, str) and weights in ("identity", "unweighted"))


def _named(name: str, x: np.ndarray) -> np.ndarray:
    gap = np.abs(x[:, None] - x[None, :])
    total = x[:, None] + x[None, :]
    low, high = x.min(), x.max()
    width = high - low
    if name == "linear":
        return 1 - gap / width
    if name == "quadratic":
        return 1 - (gap / width) ** 2
    if name == "radical":
        return 1 - np.sqrt(gap / width)
    if name == "ordinal":
        return _ordinal(len(x))
    if name == "ratio":
        if low < 0 or high + low == 0:
            raise ValueError("ratio weights need a scale of numbers that are not negative")
        share = np.divide(gap, total, out=np.zeros_like(gap), where=total != 0)
        return 1 - share**2 / (width / (high + low)) ** 2
    if name == "circular":
        turned = np.sin(np.pi * gap / (width + 1)) ** 2
        return 1 - turned / turned.max()
    room = (total - 2 * low) * (2 * high - total)
    apart = np.divide(gap**2, room, out=np.zeros_like(gap), where=room > 0)
    return 1 - apart / apart.max()


def _ordinal(q: int) -> np.ndarray:
    # How many pairs of values lie between two values, both included.
    between = np.array(
        [[comb(abs(k - m) + 1, 2) if k != m else 0 for m in range(q)] for k in range(q)],
        dtype=float,
    )
    return 1 - between / between.max()


def _checked(matrix: np.ndarray, q: int) -> np.ndarray:
    if matrix.shape != (q, q):
        raise ValueError(f"weights are {matrix.shape}, the scale has {q} values: give {q} × {q}")
    if not np.isfinite(matrix).all():
        raise ValueError("weights must be finite numbers")
    if not np.allclose(np.diag(matrix), 1):
        raise ValueError("weights must be 1 on the diagonal: a value agrees with itself")
    return matrix
