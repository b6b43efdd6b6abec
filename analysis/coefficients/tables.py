"""Several coefficients of the same ratings, counted once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise as neighbours
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.coefficients import point
from raterbook.analysis.coefficients.alpha import alpha_statistic, check_level
from raterbook.analysis.coefficients.gwet import (
    ObservedAgreement,
    SharedChance,
    agreement_weights,
    inferred,
    is_identity,
    within_weights,
)
from raterbook.analysis.coefficients.icc import IntraclassCorrelation
from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.coefficients.kappa import (
    PairKappa,
    kappa_statistic,
    meetings,
    undefined_pairs,
)
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import Interval, Wish
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import Patterns
from raterbook.analysis.ratings.values import MOST_VALUES

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
    interval: Wish = "jackknife",
) -> dict[str, Estimate]:
    """The named coefficients of one set of ratings; together they cost little more than one.

    >>> coefficients([[1, 1], [2, 2], [1, 1]], ["alpha_nominal", "ac1"], interval=None)["ac1"]
    <ac1: 1.0000; 3 units, 2 raters, 6 ratings; scale_inferred>
    """
    names = list(names)
    for name in names:
        check_name("coefficient", name, NAMES)
    coded, wish = read(ratings, scale), Interval.of(interval)
    for name in names:
        if name in ORDERED:
            coded.needs_an_order(name)
    return {name: coefficient(name, coded, wish) for name in names}


def coefficient(name: str, coded: Coded, wish: Interval) -> Estimate:
    """One coefficient of ratings whose patterns, once counted, are counted for all."""
    if len(coded.scale) > MOST_VALUES and name not in (*ALPHAS, "icc_2_1"):
        return Estimate(None, statistic=name, reason="too_many_values")
    statistic = statistic_named(name, coded)
    warnings: tuple[str, ...] = ()
    if isinstance(statistic, PairKappa):
        warnings = undefined_pairs(statistic, coded.patterns)
    elif name in ("ac1", "ac2"):
        warnings = inferred(coded)
    return replace(infer(statistic, coded, wish, warnings=warnings), statistic=name)


def statistic_named(name: str, coded: Coded) -> Any:
    """The statistic behind one of the names."""
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


# Every pair of raters by itself, as a raters × raters table.


# Each statistic with the one keyword that is its own.
TAKEN = {"kappa": "weights", "alpha": "level", "percent_agreement": "within"}


def pairwise(
    ratings: Any,
    statistic: str = "kappa",
    *,
    weights: str | Sequence[Any] | np.ndarray = "identity",
    level: str | Callable[[Any, Any], float] = "nominal",
    within: float = 0,
    scale: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """kappa (with weights), alpha (at a level) or percent agreement of each pair of raters.

    NaN on the diagonal and where a pair has no value. The attribute `attrs["n"]` is a table of
    how many units each pair shares.

    >>> pairwise([[1, 1, 2], [2, 2, 2], [1, 2, 1]]).round(2)
         0    1    2
    0  NaN  0.4  0.4
    1  0.4  NaN -0.5
    2  0.4 -0.5  NaN
    """
    check_name("statistic", statistic, TAKEN)
    given = {"weights": not is_identity(weights), "level": level != "nominal", "within": within > 0}
    for name in (name for name, has in given.items() if has and name != TAKEN[statistic]):
        raise ValueError(f"{statistic} takes no {name}=: it takes {TAKEN[statistic]}=")
    check_level(level)
    coded = read(ratings, scale)
    if within:
        coded.needs_an_order(f"within={within!r}")
    compute, patterns = _named(statistic, coded, weights, level, within), coded.patterns
    width, q = len(coded.raters), patterns.q
    found = np.full((width, width), np.nan)
    shared = np.zeros((width, width), dtype=int)
    # The values two raters gave to the units they share; of a crowd's pairs most share none.
    values, counts = _met(patterns)
    pair, both = np.divmod(values, (q + 1) ** 2)
    starts = np.unique(pair, return_index=True)[1]
    for start, end in neighbours([*starts, len(pair)]):
        i, j = divmod(int(pair[start]), width)
        codes = np.column_stack(np.divmod(both[start:end], q + 1))
        shared[i, j] = shared[j, i] = counts[start:end].sum()
        found[i, j] = found[j, i] = point(compute, Patterns(codes, counts[start:end], q))
    names = list(coded.raters)
    table = pd.DataFrame(found, index=names, columns=names)
    table.attrs["n"] = pd.DataFrame(shared, index=names, columns=names)
    return table


def _met(patterns: Patterns) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of raters with the two values they gave, as one number, and to how many units."""
    answers, base = patterns.answers, patterns.q + 1
    keys: list[np.ndarray] = [np.zeros(0, dtype=np.int64)]
    weights: list[np.ndarray] = [np.zeros(0)]
    for one, other in meetings(patterns):
        key = answers.rater[one] * patterns.codes.shape[1] + answers.rater[other]
        key = (key * base + answers.code[one]) * base + answers.code[other]
        found, place = np.unique(key, return_inverse=True)
        keys.append(found)
        weights.append(np.bincount(place.ravel(), patterns.weights[answers.pattern[one]]))
    found, place = np.unique(np.concatenate(keys), return_inverse=True)
    counts = np.bincount(place.ravel(), np.concatenate(weights), len(found))
    return found, counts.astype(np.int64)


def _named(name: str, coded: Coded, weights: Any, level: Any, within: float) -> Any:
    if name == "kappa":
        return kappa_statistic("light", weights, coded)
    if name == "alpha":
        return alpha_statistic(level, coded)
    return ObservedAgreement(within_weights(coded.numbers, within))
