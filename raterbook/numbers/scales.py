"""The scale of a question: its values in order, their positions, and what a value is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from raterbook.protocols import TYPES


@dataclass(frozen=True)
class Scale:
    """Values in order. Code c stands for `values[c - 1]`, whose position is `numbers[c - 1]`."""

    values: tuple[Any, ...]
    numbers: np.ndarray
    declared: bool
    labels: bool

    def code(self, value: Any) -> int:
        """The code of a value, however it is written (3, 3.0 or "3"); 0 if it is not on it."""
        for i, known in enumerate(self.values):
            if known == value or str(known) == str(value):
                return i + 1
        number = _number(value)
        if number is not None and not self.labels:
            found = np.flatnonzero(self.numbers == number)
            return int(found[0]) + 1 if len(found) else 0
        return 0


def scale_of(question: Mapping[str, Any], answers: pd.DataFrame) -> tuple[Scale, np.ndarray]:
    """The question's scale and the answers' codes (0 where there is no value).

    Numbers between the declared ones (an overall of 3.5) are added to the scale.
    """
    declared = question.get("scale")
    numeric = question.get("type") in TYPES and TYPES[question["type"]].is_numeric
    if question.get("type") is None or (numeric and declared is None):
        numeric = "number" in answers.columns and bool(
            answers["number"].notna().any() or not len(answers)
        )
    positions = None if declared is None else [_number(value) for value in declared]
    if positions is not None and any(p is None for p in positions):
        numeric = False
    if numeric and "number" in answers.columns:
        numbers = answers["number"].to_numpy(dtype=float, na_value=np.nan)
        return _numeric(numbers, positions)
    return _labelled(answers["value"], declared)


def _numeric(numbers: np.ndarray, positions: list[Any] | None) -> tuple[Scale, np.ndarray]:
    given = np.isfinite(numbers)
    seen = np.unique(numbers[given])
    if positions is None:
        points, declared = seen, False
    else:
        points, declared = np.union1d(np.asarray(positions, dtype=float), seen), True
    codes = np.zeros(len(numbers), dtype=np.int32)
    codes[given] = np.searchsorted(points, numbers[given]) + 1
    values = tuple(int(p) if float(p).is_integer() else float(p) for p in points)
    return Scale(values, points, declared, labels=False), codes


def _labelled(column: pd.Series, declared: Any) -> tuple[Scale, np.ndarray]:
    texts = column.astype(object)
    where, seen = pd.factorize(texts, sort=False)
    known = [str(value) for value in declared] if declared is not None else []
    names = [str(value) for value in seen]
    # A value outside the declared options is kept as one more, never dropped in silence.
    extra = sorted(set(names) - set(known) - {""})
    values = tuple(declared or ()) + tuple(extra)
    place = {str(value): i + 1 for i, value in enumerate(values)}
    to_code = np.array([*(place.get(name, 0) for name in names), 0], dtype=np.int32)
    numbers = np.arange(1.0, len(values) + 1)
    return Scale(values, numbers, declared is not None, labels=True), to_code[where]


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, Real):
        return float(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def recoded(scale: Scale, codes: np.ndarray, groups: Mapping[str, Any]) -> tuple[Scale, np.ndarray]:
    """New values made of old ones; old values in no group are left out."""
    to_new = np.zeros(len(scale.values) + 1, dtype=np.int32)
    for new, olds in enumerate(groups.values(), start=1):
        for old in olds if isinstance(olds, (list, tuple)) else [olds]:
            code = scale.code(old)
            if code:
                to_new[code] = new
    values = tuple(groups)
    return Scale(values, np.arange(1.0, len(values) + 1), True, labels=True), to_new[codes]
