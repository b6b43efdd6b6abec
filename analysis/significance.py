"""Kappa against chance: large-sample standard errors and z, as older papers report them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.alpha import refuse_labels
from analysis.patterns import count_values
from analysis.ratings import read
from analysis.weights import agreement_weights, is_identity


@dataclass(frozen=True)
class KappaTest:
    """Kappa, its standard error, the one it would have if only chance agreed, and z = value / se0.

    All fields but the first are None where kappa is undefined.
    """

    value: float | None
    se: float | None = None
    se0: float | None = None
    z: float | None = None
    p: float | None = None
    reason: str | None = None


def kappa_test(
    ratings: Any,
    kind: str = "cohen",
    weights: str | Sequence[Any] | np.ndarray = "identity",
    *,
    scale: Sequence[Any] | None = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> KappaTest:
    """Large-sample test of Cohen's kappa (Fleiss, Cohen and Everitt 1969) or Fleiss' (1979).

    Fleiss' needs every unit rated equally often. Other raters' intervals are better served by
    `kappa`; this exists to match published z values.
    """
    coded = read(ratings, scale=scale, raters=raters, keep=keep)
    if kind not in ("cohen", "fleiss"):
        raise ValueError(f"unknown kind {kind!r}: choose cohen or fleiss")
    if kind == "fleiss":
        if not is_identity(weights):
            raise ValueError(f"fleiss takes no weights (weights={weights!r}): leave them out")
        return _fleiss(coded.codes, len(coded.scale))
    if coded.codes.shape[1] > 2:
        raise ValueError(f"cohen compares two raters and there are {coded.codes.shape[1]}")
    if isinstance(weights, str) and not is_identity(weights):
        refuse_labels(coded, f"weights {weights!r}")
    if coded.codes.shape[1] < 2:
        return KappaTest(None, reason="no_pairable_units")
    return _cohen(coded.codes, agreement_weights(weights, coded.numbers))


def _cohen(codes: np.ndarray, w: np.ndarray) -> KappaTest:
    both = codes[(codes > 0).all(axis=1)].astype(np.int64)
    n, q = len(both), len(w)
    if not n:
        return KappaTest(None, reason="no_pairable_units")
    p = np.bincount((both[:, 0] - 1) * q + both[:, 1] - 1, minlength=q * q).reshape(q, q) / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    chance = np.outer(rows, columns)
    observed, expected = float((w * p).sum()), float((w * chance).sum())
    if 1 - expected < 1e-12:
        return KappaTest(None, reason="no_variation")
    kappa = (observed - expected) / (1 - expected)
    usual = (w @ columns)[:, None] + (rows @ w)[None, :]
    spread = (p * (w - usual * (1 - kappa)) ** 2).sum() - (kappa - expected * (1 - kappa)) ** 2
    by_chance = (chance * (w - usual) ** 2).sum() - expected**2
    below = n * (1 - expected) ** 2
    return _tested(kappa, spread / below, by_chance / below)


def _fleiss(codes: np.ndarray, q: int) -> KappaTest:
    h = count_values(codes, q)
    m = h.sum(axis=1)
    h, m = h[m > 0], m[m > 0]
    if not len(m) or m.max() < 2:
        return KappaTest(None, reason="no_pairable_units")
    if m.min() != m.max():
        return KappaTest(None, reason="unbalanced")
    n, k = len(m), float(m[0])
    share = h.sum(axis=0) / (n * k)
    expected = float((share**2).sum())
    if 1 - expected < 1e-12:
        return KappaTest(None, reason="no_variation")
    observed = float((h * (h - 1)).sum()) / (n * k * (k - 1))
    free = share * (1 - share)
    spread = free.sum() ** 2 - (free * (1 - 2 * share)).sum()
    by_chance = 2 * spread / (free.sum() ** 2 * n * k * (k - 1))
    return _tested((observed - expected) / (1 - expected), None, by_chance)


def _tested(kappa: float, variance: float | None, by_chance: float) -> KappaTest:
    from scipy.special import ndtr

    se = None if variance is None else float(np.sqrt(max(variance, 0.0)))
    se0 = float(np.sqrt(max(by_chance, 0.0)))
    if se0 < 1e-15:
        return KappaTest(float(kappa), se, se0, reason="no_spread")
    z = float(kappa / se0)
    return KappaTest(float(kappa), se, se0, z, float(2 * ndtr(-abs(z))))
