"""Published closed-form intervals, by name, for those who must match a paper.

Gwet's variances (Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5) linearise a
coefficient unit by unit. They count units that only one rater rated as if they told something
about agreement, so with missing ratings they come out too wide; the jackknife is the default.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.coefficients.statistic import point
from analysis.intervals.interval import Ends
from analysis.ratings.patterns import Patterns

# Each unit's share in a coefficient, and how many units have that share.
Shares = tuple[np.ndarray, np.ndarray]


def analytic_interval(statistic: Any, patterns: Patterns, coverage: float) -> Ends | None:
    """The interval that the statistic's own paper gives; None where there is none."""
    if hasattr(statistic, "published_ends"):
        ends = statistic.published_ends(patterns, coverage)
        if isinstance(ends, str):
            return Ends(reason=ends)
        low, high = ends
        return Ends(low, high, method="F distribution (Shrout and Fleiss 1979)")
    given = statistic.unit_shares(patterns) if hasattr(statistic, "unit_shares") else None
    if given is None:
        return None
    # For two raters without gaps the published variance comes from the contingency table,
    # which divides by n where the one for raw ratings divides by n − 1.
    from_table = patterns.codes.shape[1] == 2 and bool(patterns.codes.all())
    return _gwet_interval(point(statistic, patterns), given, from_table, coverage)


def per_pairable(paired: np.ndarray, weights: np.ndarray) -> float:
    return float(weights.sum() / (weights @ paired))


def linear(
    agreed: np.ndarray, paired: np.ndarray, weights: np.ndarray, expected: float, own: np.ndarray
) -> np.ndarray:
    each = per_pairable(paired, weights) * (agreed - expected * paired) / (1 - expected)
    value = weights @ each / weights.sum()
    return np.asarray(each - 2 * (1 - value) * (own - expected) / (1 - expected))


def _gwet_interval(value: float, shares: Shares, from_table: bool, coverage: float) -> Ends:
    from scipy.special import stdtrit

    units, weights = shares
    n = int(weights.sum())
    if n < 2:
        return Ends(reason="too_few_units_for_interval")
    middle = float(weights @ units) / n
    se = float(np.sqrt(weights @ (units - middle) ** 2 / (n * (n - (0 if from_table else 1)))))
    reach = float(stdtrit(n - 1, 0.5 + coverage / 2)) * se
    method = f"Gwet's linearised variance over {n} units, t, cut at 1"
    return Ends(value - reach, min(value + reach, 1.0), se=se, method=method)
