"""How far apart two values are, for Krippendorff's alpha (squared differences)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LEVELS = ("nominal", "ordinal", "interval", "ratio", "circular", "bipolar", "absolute")
# A table of distances has the square of this many cells.
MOST = 2000
SETS = ("jaccard", "masi")
# Levels that need an order, so that labels are refused unless the scale is declared.
ORDERED = frozenset(LEVELS[1:])


def check_level(level: Any) -> None:
    """Refuse a level that does not exist, naming those that do."""
    if callable(level) or level in LEVELS or level in SETS:
        return
    raise ValueError(
        f"Unknown level {level!r}: choose {', '.join(LEVELS[:-1])} or {LEVELS[-1]}; "
        f"{' or '.join(SETS)} for sets; or give a distance(a, b)"
    )


def distances(level: str | Callable[[Any, Any], float], scale: Any, x: np.ndarray) -> np.ndarray:
    """The q × q matrix of distances; for "ordinal" see `alpha`, where it depends on the counts.

    Formulas: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section E.
    """
    if len(scale) > MOST:
        raise ValueError(
            f"{len(scale):,} different values: level {level!r} needs at most {MOST:,}; "
            "nominal, ordinal and interval take any number"
        )
    if callable(level):
        return _from_function(level, scale)
    if level in SETS:
        return _from_function(jaccard if level == "jaccard" else masi, scale)
    gap = x[:, None] - x[None, :]
    total = x[:, None] + x[None, :]
    if level == "nominal":
        return (gap != 0).astype(float)
    if level == "absolute":
        return np.abs(gap)
    if level == "interval":
        return gap**2
    if level == "ratio":
        if len(x) and x.min() < 0:
            raise ValueError(f"ratio level with a negative value {x.min():g}: use interval")
        return np.divide(gap, total, out=np.zeros_like(gap), where=total != 0) ** 2
    low, high = x.min(), x.max()
    if level == "circular":
        return np.asarray(np.sin(np.pi * gap / (high - low + 1)) ** 2)
    room = (total - 2 * low) * (2 * high - total)
    return np.divide(gap**2, room, out=np.zeros_like(gap), where=room > 0)


def _from_function(distance: Callable[[Any, Any], float], scale: Any) -> np.ndarray:
    matrix = np.array([[float(distance(a, b)) for b in scale] for a in scale])
    matrix = matrix.reshape(len(scale), len(scale))
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError("a distance must be a finite number that is not negative")
    if not np.allclose(matrix, matrix.T) or np.diag(matrix).any():
        raise ValueError("a distance must be symmetric, and 0 from a value to itself")
    return matrix


def jaccard(a: Any, b: Any) -> float:
    """The share of the labels in either set that are not in both."""
    a, b = frozenset(a), frozenset(b)
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def masi(a: Any, b: Any) -> float:
    """Jaccard weighted down for partial overlap (Passonneau 2006): 1, 2/3, 1/3 or 0."""
    a, b = frozenset(a), frozenset(b)
    if a == b:
        return 0.0
    if a <= b or b <= a:
        kept = 2 / 3
    else:
        kept = 1 / 3 if a & b else 0.0
    return 1 - (1 - jaccard(a, b)) * kept
