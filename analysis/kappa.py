"""Kappa in its kinds: Cohen, Scott, Fleiss, Conger, Light."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from analysis.alpha import refuse_labels
from analysis.chance import OwnChance, SharedChance
from analysis.estimate import Estimate
from analysis.infer import infer
from analysis.options import Options
from analysis.pairs import PairKappa
from analysis.patterns import Patterns, find_patterns
from analysis.ratings import Ratings, read
from analysis.weights import agreement_weights, is_identity

KINDS = ("cohen", "scott", "fleiss", "conger", "light")


def kappa(
    ratings: Any,
    kind: str | None = None,
    weights: str | Sequence[Any] | np.ndarray = "identity",
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> Estimate:
    """Kappa: 1 is perfect agreement, 0 what chance gives, below 0 less than chance.

    `kind` is cohen (two raters), scott (two raters, joint chance), fleiss (any number, joint
    chance), conger (any number, each rater's own chance) or light (mean of Cohen's over pairs);
    without one, cohen for two raters and light for more. `weights` is a name (identity, linear,
    quadratic, ordinal, radical, ratio, circular, bipolar) or a q × q matrix. Without a value,
    and with the reason, when chance alone would agree perfectly.

    >>> kappa([[1, 1], [1, 1], [2, 2], [1, 2]], interval=None)
    <kappa_cohen: 0.5000; 4 units, 2 raters, 8 ratings>
    """
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    if kind is None:
        kind = "cohen" if coded.codes.shape[1] <= 2 else "light"
    check_kind(kind, coded)
    if isinstance(weights, str) and not is_identity(weights):
        refuse_labels(coded, f"weights {weights!r}")
    statistic = kappa_statistic(kind, weights, coded)
    patterns = find_patterns(coded)
    return infer(
        statistic,
        coded,
        patterns,
        Options(interval, resamples, coverage, seed),
        warnings=undefined_pairs(statistic, patterns) if kind == "light" else (),
    )


def check_kind(kind: str, coded: Ratings) -> None:
    """Refuse a kind that does not exist or does not fit the number of raters."""
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}: choose {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if kind in ("cohen", "scott") and coded.codes.shape[1] > 2:
        n = coded.codes.shape[1]
        raise ValueError(
            f"{kind} compares two raters and there are {n}: name two with raters=, "
            "or choose light, fleiss or conger"
        )


def kappa_statistic(kind: str, weights: Any, coded: Ratings) -> Any:
    """The statistic that computes this kind of kappa on this scale."""
    matrix = agreement_weights(weights, coded.numbers)
    name = f"kappa_{kind}" if is_identity(weights) else f"kappa_{kind}_{weights_name(weights)}"
    if kind == "fleiss":
        return SharedChance(matrix, "fleiss", name)
    if kind == "conger":
        return OwnChance(matrix, name)
    return PairKappa(matrix, name, own=kind != "scott")


def weights_name(weights: Any) -> str:
    """The name of the weights, "custom" for a matrix."""
    if is_identity(weights):
        return "identity"
    return weights if isinstance(weights, str) else "custom"


def undefined_pairs(statistic: PairKappa, patterns: Patterns) -> tuple[str, ...]:
    """A warning where some pair of raters has no kappa."""
    if patterns.codes.shape[1] < 2 or not len(patterns.codes):
        return ()
    found = statistic.each_pair(statistic.total(patterns).reshape(-1, 1 + 2 * patterns.q))
    exists = np.isfinite(found).sum()
    width = patterns.codes.shape[1]
    return ("undefined_pairs",) if 0 < exists < width * (width - 1) // 2 else ()
