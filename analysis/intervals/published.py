"""Published closed-form intervals, by name, for those who must match a paper.

Gwet's variances (Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5) linearise a
coefficient unit by unit. They count units that only one rater rated as if they told something
about agreement, so with missing ratings they come out too wide; the jackknife is the default.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.agreement.alpha import Alpha, IntervalAlpha, NominalAlpha
from analysis.agreement.gwet import (
    ObservedAgreement,
    OwnChance,
    SharedChance,
    agreement_within,
    indicators,
)
from analysis.agreement.icc import IntraclassCorrelation, f_interval
from analysis.agreement.kappa import PairKappa
from analysis.agreement.statistic import point
from analysis.intervals.interval import Interval
from analysis.ratings.patterns import Patterns, count_values


def analytic_interval(statistic: Any, patterns: Patterns, coverage: float) -> Interval | None:
    """The interval that the statistic's own paper gives; None where there is none."""
    if isinstance(statistic, IntraclassCorrelation):
        x = np.append(0.0, statistic.numbers)[patterns.codes]
        ends = f_interval(statistic.form, x, patterns.weights, coverage)
        if isinstance(ends, str):
            return Interval(reason=ends)
        return Interval(*ends, method="F distribution (Shrout and Fleiss 1979)")
    given = _unit_values(statistic, patterns)
    if given is None:
        return None
    units, weights = given
    value = point(statistic, patterns)
    # For two raters without gaps the published variance comes from the contingency table,
    # which divides by n where the one for raw ratings divides by n − 1.
    from_table = patterns.codes.shape[1] == 2 and bool(patterns.codes.all())
    return _gwet_interval(value, units, weights, from_table, coverage)


def _unit_values(statistic: Any, patterns: Patterns) -> tuple[np.ndarray, np.ndarray] | None:
    """Each unit's share in the coefficient, and how many units have that share."""
    if isinstance(statistic, PairKappa) and patterns.codes.shape[1] == 2:
        both = (patterns.codes > 0).all(axis=1)
        patterns = Patterns(patterns.codes[both], patterns.weights[both], patterns.q)
        return _pair(statistic, patterns), patterns.weights
    if isinstance(statistic, OwnChance):
        return _own(statistic, patterns), patterns.weights
    if isinstance(statistic, SharedChance):
        return _shared(statistic, patterns), patterns.weights
    if isinstance(statistic, ObservedAgreement):
        agreed, paired, _ = agreement_within(patterns.codes, patterns.q, statistic.weights)
        return agreed * _per_pairable(paired, patterns.weights), patterns.weights
    if isinstance(statistic, NominalAlpha):
        statistic = Alpha(1 - np.eye(patterns.q))
    if isinstance(statistic, IntervalAlpha) and statistic.name == "alpha_interval":
        statistic = Alpha(np.subtract.outer(statistic.numbers, statistic.numbers) ** 2)
    if isinstance(statistic, Alpha):
        met = (patterns.codes > 0).sum(axis=1) >= 2
        return _alpha(statistic, patterns, met), patterns.weights[met]
    return None


def _per_pairable(paired: np.ndarray, weights: np.ndarray) -> float:
    return float(weights.sum() / (weights @ paired))


def _pair(statistic: PairKappa, patterns: Patterns) -> np.ndarray:
    """For two raters; weights may count first and second another way than second and first."""
    w, weights, q = statistic.weights, patterns.weights, patterns.q
    first, second = patterns.codes.T - 1
    of_first, of_second = (
        np.bincount(given, weights, q) / weights.sum() for given in (first, second)
    )
    if not statistic.own:
        of_first = of_second = (of_first + of_second) / 2
    near_first, near_second = w.T @ of_first, w @ of_second
    if statistic.own:
        own = (near_second[first] + near_first[second]) / 2
    else:
        near = (near_first + near_second) / 2
        own = (near[first] + near[second]) / 2
    expected = float(of_first @ near_second)
    return _linear(w[first, second], np.ones(len(first)), weights, expected, own)


def _shared(statistic: SharedChance, patterns: Patterns) -> np.ndarray:
    w, weights = statistic.weights, patterns.weights
    agreed, paired, shares = agreement_within(patterns.codes, patterns.q, w)
    share = weights @ shares / weights.sum()
    expected = float(statistic.expected(share[None, :])[0])
    if statistic.chance == "fleiss":
        own = shares @ ((w @ share + share @ w) / 2)
    elif statistic.chance == "gwet":
        q = len(w)
        own = w.sum() / (q * (q - 1)) * (shares @ (1 - share))
    else:
        own = np.full(len(shares), expected)
    return _linear(agreed, paired, weights, expected, own)


def _own(statistic: OwnChance, patterns: Patterns) -> np.ndarray:
    # Who answered nothing has no shares.
    codes = patterns.codes[:, patterns.codes.any(axis=0)]
    q, weights = patterns.q, patterns.weights
    w, n, r = statistic.weights, float(weights.sum()), codes.shape[1]
    agreed, paired, _ = agreement_within(codes, q, w)
    shown = indicators(codes, q).reshape(len(codes), r, q)
    answered = np.einsum("p,pgk->g", weights, shown)
    share = np.einsum("p,pgk->gk", weights, shown) / answered[:, None]
    # A rater's shares, as this unit alone would have them, centred on the rater's own.
    given = shown.sum(axis=2)
    moved = share + (n / answered)[:, None] * (shown - given[:, :, None] * share)
    others = share.sum(axis=0) - share
    half = (w + w.T) / 2
    pairs = r * (r - 1)
    own = np.einsum("pgk,kl,gl->p", moved, half, others) / pairs
    expected = float(np.einsum("gk,kl,gl->", share, half, others)) / pairs
    return _linear(agreed, paired, weights, expected, own)


def _linear(
    agreed: np.ndarray, paired: np.ndarray, weights: np.ndarray, expected: float, own: np.ndarray
) -> np.ndarray:
    each = _per_pairable(paired, weights) * (agreed - expected * paired) / (1 - expected)
    value = weights @ each / weights.sum()
    return np.asarray(each - 2 * (1 - value) * (own - expected) / (1 - expected))


def _alpha(statistic: Alpha, patterns: Patterns, met: np.ndarray) -> np.ndarray:
    h, weights = count_values(patterns.codes[met], patterns.q), patterns.weights[met]
    w = 1 - statistic.delta / max(float(statistic.delta.max()), 1e-300)
    m, n = h.sum(axis=1), float(weights.sum())
    typical = float(weights @ m) / n
    share = weights @ h / (n * typical)
    agreed = (h * (h @ w - 1)).sum(axis=1) / (typical * (m - 1))
    observed = float(weights @ agreed) / n
    more = (m - typical) / typical
    expected = float(share @ w @ share)
    # The published variance leaves alpha's small-sample correction out, and so does this.
    value = (observed - expected) / (1 - expected)
    own = h @ ((w @ share + share @ w) / 2) / typical - expected * more
    if statistic.later_variance:
        small = 1 / (n * typical)
        observed = (1 - small) * observed + small
    each = agreed - observed * more - expected
    return np.asarray((each - 2 * (1 - value) * (own - expected)) / (1 - expected))


def _gwet_interval(
    value: float, units: np.ndarray, weights: np.ndarray, from_table: bool, coverage: float
) -> Interval:
    from scipy.special import stdtrit

    n = int(weights.sum())
    if n < 2:
        return Interval(reason="too_few_units_for_interval")
    middle = float(weights @ units) / n
    se = float(np.sqrt(weights @ (units - middle) ** 2 / (n * (n - (0 if from_table else 1)))))
    reach = float(stdtrit(n - 1, 0.5 + coverage / 2)) * se
    method = f"Gwet's linearised variance over {n} units, t, cut at 1"
    return Interval(value - reach, min(value + reach, 1.0), se=se, method=method)
