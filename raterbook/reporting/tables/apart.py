"""How far a rater's scores lie from somebody else's, item by item: bias and limits of agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted
from .lean import margin

ENOUGH = 10  # items before limits of agreement say anything
REACH = 1.96


@dataclass(frozen=True)
class Apart:
    """One line an item (`middle`, `gap`), and what they amount to.

    `gap` is the first rater's score minus the others' mean, averaged over the questions both
    answered; about 95 % of items lie between `low` and `high`.
    """

    points: pd.DataFrame
    bias: float
    margin: float
    low: float
    high: float


def apart(
    counted: Counted, first: str, others: list[str], coverage: float = 0.95
) -> Apart | None:
    """None where fewer than ten items have a score of both on one scale."""
    parts = []
    for question in one_scale(counted):
        rows = counted.of(question.id, counted.given)
        table = counted.table(question, rows[rows["rater"].isin([first, *others])])
        theirs = [name for name in others if name in table and name != first]
        if first not in table or not theirs:
            continue
        mean = table[theirs].mean(axis=1)
        both = pd.DataFrame({"gap": table[first] - mean, "middle": (table[first] + mean) / 2})
        parts.append(both.dropna())
    points = pd.concat(parts).groupby(level=0, sort=True).mean() if parts else pd.DataFrame()
    if len(points) < ENOUGH:
        return None
    gap = points["gap"].to_numpy()
    bias, spread = float(gap.mean()), float(gap.std(ddof=1))
    ends = bias - REACH * spread, bias + REACH * spread
    return Apart(points, bias, margin(gap, coverage), *ends)


def one_scale(counted: Counted) -> list[Any]:
    """The numeric questions that share the commonest scale: points can be averaged over them."""
    found: dict[tuple[float, float], list[Any]] = {}
    for question in counted.numeric():
        found.setdefault((question.min, question.max), []).append(question)
    return max(found.values(), key=len) if found else []


def furthest(leans: pd.DataFrame) -> tuple[str, str] | None:
    """The most severe and the most lenient rater."""
    if len(leans) < 2:
        return None
    return str(leans["rater"].iloc[0]), str(leans["rater"].iloc[-1])


def jitter(many: int, width: float) -> np.ndarray:
    """Small steps aside that are the same on every run and never repeat."""
    golden = 0.6180339887498949
    return width * ((np.arange(1, many + 1) * golden) % 1 - 0.5)
