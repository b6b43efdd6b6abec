"""Intervals of a proportion of independent answers."""

from __future__ import annotations

import numpy as np

METHODS = ("wilson", "clopper-pearson", "normal")


def limits(count: float, total: float, method: str, coverage: float) -> tuple[float, float]:
    """The ends of the interval for count / total, exactly 0 or 1 where nothing lies beyond."""
    from scipy.special import betaincinv, ndtri

    tail = (1 - coverage) / 2
    p, z = count / total, float(ndtri(1 - tail))
    if method == "wilson":
        middle = (p + z**2 / (2 * total)) / (1 + z**2 / total)
        reach = z * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2)) / (1 + z**2 / total)
        low = 0.0 if count == 0 else float(middle - reach)
        return low, 1.0 if count == total else float(middle + reach)
    if method == "clopper-pearson":
        low = 0.0 if count == 0 else float(betaincinv(count, total - count + 1, tail))
        high = 1.0 if count == total else float(betaincinv(count + 1, total - count, 1 - tail))
        return low, high
    reach = z * np.sqrt(p * (1 - p) / total)
    return float(max(p - reach, 0.0)), float(min(p + reach, 1.0))
