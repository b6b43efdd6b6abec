"""Scales on which a statistic spreads evenly, so that an interval can be symmetric there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

EDGE = 1e-12


@dataclass(frozen=True)
class Link:
    """A one-to-one map, its inverse and its slope; infinite at the ends of the range."""

    name: str
    there: Callable[[np.ndarray], np.ndarray]
    back: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]


def _atanh(x: np.ndarray) -> np.ndarray:
    inside = np.abs(x) < 1 - EDGE
    return np.where(inside, np.arctanh(np.where(inside, x, 0.0)), np.nan)


def _logit(x: np.ndarray) -> np.ndarray:
    inside = (x > EDGE) & (x < 1 - EDGE)
    safe = np.where(inside, x, 0.5)
    return np.where(inside, np.log(safe / (1 - safe)), np.nan)


def _from_one(x: np.ndarray) -> np.ndarray:
    inside = x < 1 - EDGE
    return np.where(inside, -np.log1p(-np.where(inside, x, 0.0)), np.nan)


def _log(x: np.ndarray) -> np.ndarray:
    return np.where(x > EDGE, np.log(np.where(x > EDGE, x, 1.0)), np.nan)


FISHER = Link("Fisher's z", _atanh, np.tanh, lambda x: 1 / (1 - x**2))
LOGIT = Link("the logit", _logit, lambda z: 1 / (1 + np.exp(-z)), lambda x: 1 / (x * (1 - x)))
# For coefficients at −1 and below, where Fisher's z ends.
FROM_ONE = Link(
    "the logarithm of the distance from 1",
    _from_one,
    lambda z: -np.expm1(-z),
    lambda x: 1 / (1 - x),
)
PLAIN = Link("its own scale", lambda x: x, lambda z: z, np.ones_like)
LOG = Link("the logarithm", _log, np.exp, lambda x: 1 / x)
