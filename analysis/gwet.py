"""Gwet's AC1 and AC2, Brennan–Prediger, percent agreement, and alpha with Gwet's weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from analysis.alpha import Alpha, refuse_labels
from analysis.chance import ObservedAgreement, SharedChance
from analysis.estimate import Estimate
from analysis.infer import infer
from analysis.kappa import weights_name
from analysis.options import Options
from analysis.patterns import find_patterns
from analysis.ratings import Ratings, read
from analysis.weights import MOST, agreement_weights, is_identity


def gwet(
    ratings: Any,
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
    """Gwet's AC1 (AC2 with weights): agreement beyond chance that a common value does not sink.

    1 is perfect, 0 is chance. Chance depends on how many values the scale has, so declare
    `scale`; otherwise the values seen are taken and `scale_inferred` says so.
    """
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    name = "ac1" if is_identity(weights) else "ac2"
    return _shared(coded, weights, "gwet", name, Options(interval, resamples, coverage, seed))


def brennan_prediger(
    ratings: Any,
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
    """Brennan–Prediger: agreement beyond what guessing evenly among the values would give."""
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    name = "brennan_prediger"
    return _shared(coded, weights, "uniform", name, Options(interval, resamples, coverage, seed))


def percent_agreement(
    ratings: Any,
    within: float = 0,
    *,
    weights: str | Sequence[Any] | np.ndarray | None = None,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> Estimate:
    """The share of pairs of raters that agree, averaged over units; chance is not removed.

    `within=1` also counts pairs one step apart as agreeing.
    """
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    if within and weights is not None:
        raise ValueError(f"within={within!r} and weights={weights!r}: give one of them")
    if within < 0:
        raise ValueError(f"within={within!r}: 0 for equal values, 1 for one step apart")
    if within:
        refuse_labels(coded, f"within={within!r}")
    if isinstance(weights, str) and not is_identity(weights):
        refuse_labels(coded, f"weights {weights!r}")
    matrix = (
        agreement_weights(weights, coded.numbers)
        if weights is not None
        else within_weights(coded.numbers, within)
    )
    name = "percent_within_one" if within == 1 else "percent_agreement"
    return infer(
        ObservedAgreement(matrix, name),
        coded,
        find_patterns(coded),
        Options(interval, resamples, coverage, seed),
    )


def alpha_gwet(
    ratings: Any,
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
    """Alpha with Gwet's agreement weights; for ordinal data not Krippendorff's number.

    On Krippendorff's four observers it is .834 where `alpha(level="ordinal")` is .815.
    """
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    if isinstance(weights, str) and not is_identity(weights):
        refuse_labels(coded, f"weights {weights!r}")
    return infer(
        alpha_gwet_statistic(weights, coded),
        coded,
        find_patterns(coded),
        Options(interval, resamples, coverage, seed),
    )


def alpha_gwet_statistic(weights: Any, coded: Ratings) -> Alpha:
    """Alpha whose disagreement is 1 − weight."""
    statistic = Alpha(1 - agreement_weights(weights, coded.numbers))
    statistic.name = f"alpha_gwet_{weights_name(weights)}"
    statistic.later_variance = True
    return statistic


def within_weights(numbers: np.ndarray, within: float) -> np.ndarray:
    """1 where two values lie at most `within` apart."""
    if len(numbers) > MOST:
        raise ValueError(f"{len(numbers):,} different values: round them to at most {MOST:,}")
    return (np.abs(numbers[:, None] - numbers[None, :]) <= within + 1e-9).astype(float)


def _shared(
    coded: Ratings,
    weights: Any,
    chance: str,
    name: str,
    options: Options,
) -> Estimate:
    if isinstance(weights, str) and not is_identity(weights):
        refuse_labels(coded, f"weights {weights!r}")
    statistic = SharedChance(agreement_weights(weights, coded.numbers), chance, name)
    return infer(
        statistic,
        coded,
        find_patterns(coded),
        options,
        warnings=() if coded.declared else ("scale_inferred",),
    )
