"""What is needed to match older papers: other coefficients, tests, and words for a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.coefficients.alpha import Alpha, NominalAlpha
from raterbook.analysis.coefficients.gwet import (
    SharedChance,
    inferred,
    is_identity,
    weights_name,
    weights_on,
)
from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import Interval, Wish
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import TOLERANCE, count_values


def brennan_prediger(
    ratings: Any,
    weights: str | Sequence[Any] | np.ndarray = "identity",
    *,
    scale: Sequence[Any] | None = None,
    interval: Wish = "jackknife",
) -> Estimate:
    """Brennan–Prediger: agreement beyond what guessing evenly among the values would give.

    >>> brennan_prediger([[1, 1], [1, 1], [1, 2], [2, 2]], scale=[1, 2], interval=None)
    <brennan_prediger: 0.5000; 4 units, 2 raters, 8 ratings>
    """
    coded = read(ratings, scale)
    statistic = SharedChance(weights_on(coded, weights), "uniform", "brennan_prediger")
    return infer(statistic, coded, Interval.of(interval), warnings=inferred(coded))


def alpha_gwet(
    ratings: Any,
    weights: str | Sequence[Any] | np.ndarray = "identity",
    *,
    scale: Sequence[Any] | None = None,
    interval: Wish = "jackknife",
) -> Estimate:
    """Alpha with Gwet's agreement weights; for ordinal data not Krippendorff's number.

    On Krippendorff's four observers it is .834 where `alpha(level="ordinal")` is .815.

    >>> alpha_gwet([[1, 1], [2, 2], [3, 3], [3, 4]], "linear", interval=None)
    <alpha_gwet_linear: 0.8000; 4 units, 2 raters, 8 ratings>
    """
    coded = read(ratings, scale)
    statistic = Alpha(1 - weights_on(coded, weights))
    statistic.name, statistic.later_variance = f"alpha_gwet_{weights_name(weights)}", True
    return infer(statistic, coded, Interval.of(interval))


def alpha_by_category(
    ratings: Any, *, scale: Sequence[Any] | None = None, interval: Wish = "jackknife"
) -> dict[Any, Estimate]:
    """Alpha for each value against all others: which value the raters can tell apart.

    >>> alpha_by_category([[1, 1], [2, 2], [3, 3], [3, 2]], interval=None)[1]
    <alpha_nominal: 1.0000; 4 units, 2 raters, 8 ratings>
    """
    return _by_category(read(ratings, scale), NominalAlpha, Interval.of(interval))


def kappa_by_category(
    ratings: Any, *, scale: Sequence[Any] | None = None, interval: Wish = "jackknife"
) -> dict[Any, Estimate]:
    """Fleiss' kappa for each value against all others (Fleiss 1971).

    >>> kappa_by_category([[1, 1], [2, 2], [3, 3], [3, 2]], interval=None)[2]
    <kappa_fleiss_category: 0.4667; 4 units, 2 raters, 8 ratings; high_agreement_low_coefficient>
    """

    def fleiss(pair: Coded) -> SharedChance:
        return SharedChance(np.eye(2), "fleiss", "kappa_fleiss_category")

    return _by_category(read(ratings, scale), fleiss, Interval.of(interval))


def _by_category(
    coded: Coded, statistic: Callable[[Coded], Any], wish: Interval
) -> dict[Any, Estimate]:
    found = {}
    for code, value in enumerate(coded.scale, start=1):
        pair = coded.against_rest(code)
        found[value] = infer(statistic(pair), pair, wish)
    return found


# Words for a coefficient, and how probable each word is given its standard error.

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

    >>> benchmark(0.7, 0.1)[["word", "cumulative"]].round(3).head(2)
                 word  cumulative
    0  almost perfect       0.158
    1     substantial       0.841
    """
    check_name("scale", scale, SCALES)
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
    chosen[int(np.argmax(reached >= SURE))] = True
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


# Kappa against chance: large-sample standard errors and z, as older papers report them.


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
) -> KappaTest:
    """Large-sample test of Cohen's kappa (Fleiss, Cohen and Everitt 1969) or Fleiss' (1979).

    Fleiss' needs every unit rated equally often. Other raters' intervals are better served by
    `kappa`; this exists to match published z values.

    >>> round(kappa_test([[1, 1]] * 20 + [[2, 2]] * 15 + [[1, 2]] * 5).z, 3)
    4.899
    """
    coded = read(ratings, scale).apart("an older formula")
    if kind not in ("cohen", "fleiss"):
        raise ValueError(f"unknown kind {kind!r}: choose cohen or fleiss")
    if kind == "fleiss":
        if not is_identity(weights):
            raise ValueError(f"fleiss takes no weights (weights={weights!r}): leave them out")
        return _fleiss(coded.codes, len(coded.scale))
    if coded.codes.shape[1] > 2:
        raise ValueError(f"cohen compares two raters and there are {coded.codes.shape[1]}")
    matrix = weights_on(coded, weights)
    if coded.codes.shape[1] < 2:
        return KappaTest(None, reason="no_pairable_units")
    return _cohen(coded.codes, matrix)


def _cohen(codes: np.ndarray, w: np.ndarray) -> KappaTest:
    both = codes[(codes > 0).all(axis=1)].astype(np.int64)
    n, q = len(both), len(w)
    if not n:
        return KappaTest(None, reason="no_pairable_units")
    p = np.bincount((both[:, 0] - 1) * q + both[:, 1] - 1, minlength=q * q).reshape(q, q) / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    chance = np.outer(rows, columns)
    observed, expected = float((w * p).sum()), float((w * chance).sum())
    if isclose(expected, 1.0, rel_tol=TOLERANCE):
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
    m = m[m > 0]
    if not len(m) or m.max() < 2:
        return KappaTest(None, reason="no_pairable_units")
    if m.min() != m.max():
        return KappaTest(None, reason="unbalanced")
    n, k = len(m), float(m[0])
    share = h.sum(axis=0) / (n * k)
    expected = float((share**2).sum())
    if isclose(expected, 1.0, rel_tol=TOLERANCE):
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
    if isclose(se0, 0.0, abs_tol=1e-15):
        return KappaTest(float(kappa), se, se0, reason="no_spread")
    z = float(kappa / se0)
    return KappaTest(float(kappa), se, se0, z, float(2 * ndtr(-abs(z))))
