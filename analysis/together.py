"""Several coefficients of the same ratings, counted once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from analysis.alpha import alpha_statistic, refuse_labels
from analysis.chance import ObservedAgreement, SharedChance
from analysis.estimate import Estimate
from analysis.gwet import within_weights
from analysis.icc import IntraclassCorrelation
from analysis.infer import infer
from analysis.kappa import kappa_statistic, undefined_pairs
from analysis.options import Options
from analysis.pairs import PairKappa
from analysis.patterns import Patterns, find_patterns
from analysis.ratings import Ratings, read
from analysis.weights import MOST, agreement_weights

ALPHAS = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
PAIRED = ("kappa_cohen", "kappa_raters", "kappa_weighted_quadratic")
NAMES = (
    *ALPHAS,
    *PAIRED,
    "kappa_fleiss",
    "ac1",
    "ac2",
    "percent_agreement",
    "percent_within_one",
    "icc_2_1",
)
ORDERED = frozenset(
    {
        *ALPHAS[1:],
        "kappa_weighted_quadratic",
        "ac2",
        "percent_within_one",
        "icc_2_1",
    }
)


def coefficients(
    ratings: Any,
    names: Iterable[str] = NAMES,
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> dict[str, Estimate]:
    """The named coefficients of one set of ratings; together they cost little more than one."""
    names = list(names)
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ValueError(f"unknown coefficient {unknown[0]!r}: choose {', '.join(NAMES)}")
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    for name in names:
        if name in ORDERED:
            refuse_labels(coded, name)
    patterns = find_patterns(coded)
    options = Options(interval, resamples, coverage, seed)
    return {name: coefficient(name, coded, patterns, options) for name in names}


def coefficient(name: str, coded: Ratings, patterns: Patterns, options: Options) -> Estimate:
    """One coefficient from ratings whose patterns are counted already."""
    if len(coded.scale) > MOST and name not in (*ALPHAS, "icc_2_1"):
        return Estimate(None, statistic=name, reason="too_many_values")
    statistic = statistic_named(name, coded)
    warnings: tuple[str, ...] = ()
    if isinstance(statistic, PairKappa):
        warnings = undefined_pairs(statistic, patterns)
    elif name in ("ac1", "ac2") and not coded.declared:
        warnings = ("scale_inferred",)
    return replace(infer(statistic, coded, patterns, options, warnings=warnings), statistic=name)


def statistic_named(name: str, coded: Ratings) -> Any:
    """The statistic behind a name of the protocol's vocabulary."""
    if name in ALPHAS:
        return alpha_statistic(name.removeprefix("alpha_"), coded)
    if name in PAIRED:
        weights = "quadratic" if name == "kappa_weighted_quadratic" else "identity"
        return kappa_statistic("light", weights, coded)
    if name == "kappa_fleiss":
        return kappa_statistic("fleiss", "identity", coded)
    if name in ("ac1", "ac2"):
        weights = "quadratic" if name == "ac2" else "identity"
        return SharedChance(agreement_weights(weights, coded.numbers), "gwet", name)
    if name == "icc_2_1":
        return IntraclassCorrelation("ICC2", coded.numbers, coded.codes.shape[1])
    within = 1.0 if name == "percent_within_one" else 0.0
    return ObservedAgreement(within_weights(coded.numbers, within), name)
