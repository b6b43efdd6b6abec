"""Words for a coefficient, and how probable each word is given its standard error."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.estimate import Estimate

# Lower limits, best first, each with the word its author gave it.
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "landis_koch": (
        (0.8, "almost perfect"),
        (0.6, "substantial"),
        (0.4, "moderate"),
        (0.2, "fair"),
        (0.0, "slight"),
        (-1.0, "poor"),
    ),
    "fleiss": ((0.75, "excellent"), (0.4, "intermediate to good"), (-1.0, "poor")),
    "altman": (
        (0.8, "very good"),
        (0.6, "good"),
        (0.4, "moderate"),
        (0.2, "fair"),
        (-1.0, "poor"),
    ),
    "regier": (
        (0.8, "excellent"),
        (0.6, "very good"),
        (0.4, "good"),
        (0.2, "questionable"),
        (-1.0, "unacceptable"),
    ),
    "cicchetti_sparrow": (
        (0.75, "excellent"),
        (0.6, "good"),
        (0.4, "fair"),
        (-1.0, "poor"),
    ),
}
# Gwet's rule: the best word whose cumulative probability reaches this.
SURE = 0.95


def benchmark(
    coefficient: Estimate | float, se: float | None = None, scale: str = "landis_koch"
) -> pd.DataFrame:
    """How probable it is that the true coefficient deserves each word or a better one.

    One row per interval, best first: low, high, word, probability, cumulative, and `chosen` for
    Gwet's choice, the best word that is at least 95 % sure. A word for the estimate alone would
    flatter small samples.
    """
    if scale not in SCALES:
        raise ValueError(f"unknown scale {scale!r}: choose {', '.join(SCALES)}")
    if isinstance(coefficient, Estimate):
        se = coefficient.se if se is None else se
        value = coefficient.value
    else:
        value = coefficient
    if value is None or se is None or not np.isfinite(value) or se < 0:
        raise ValueError("a benchmark needs a coefficient and its standard error")
    from scipy.special import ndtr

    lows = np.array([low for low, _ in SCALES[scale]])
    highs = np.r_[1.0, lows[:-1]]
    # A standard error of nothing puts all probability where the coefficient is.
    width = max(se, 1e-12)
    # The coefficient cannot lie above 1 or below −1, so the normal curve is cut there.
    whole = ndtr((value + 1) / width) - ndtr((value - 1) / width)
    share = (ndtr((value - lows) / width) - ndtr((value - highs) / width)) / whole
    reached = np.cumsum(share)
    chosen = np.zeros(len(lows), dtype=bool)
    chosen[int(np.argmax(reached >= SURE - 1e-12))] = True
    return pd.DataFrame(
        {
            "low": lows,
            "high": highs,
            "word": [word for _, word in SCALES[scale]],
            "probability": share,
            "cumulative": reached,
            "chosen": chosen,
        }
    )
