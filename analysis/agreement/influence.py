"""Who and what makes a coefficient: without each rater, without each unit, each value alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.agreement.alpha import ORDERED, alpha_statistic, check_level, refuse_labels
from analysis.agreement.gwet import SharedChance
from analysis.agreement.infer import infer
from analysis.agreement.statistic import point
from analysis.estimate import Estimate
from analysis.intervals.interval import Options
from analysis.intervals.raters import without_each_rater
from analysis.ratings.patterns import count_values, find_patterns
from analysis.ratings.ratings import Ratings, name_key, read


def _read(ratings: Any, level: Any, scale: Any, raters: Any, keep: str | None) -> Ratings:
    check_level(level)
    coded = read(ratings, scale=scale, raters=raters, keep=keep)
    if isinstance(level, str) and level in ORDERED:
        refuse_labels(coded, f"level {level!r}")
    return coded


def alpha_without_raters(
    ratings: Any,
    level: str | Callable[[Any, Any], float] = "nominal",
    *,
    scale: Sequence[Any] | None = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> pd.DataFrame:
    """Alpha without each rater in turn: rater, alpha without them, and what leaving changes.

    A rater whose leaving raises alpha is one the others disagree with.
    """
    coded = _read(ratings, level, scale, raters, keep)
    patterns = find_patterns(coded)
    statistic = alpha_statistic(level, coded)
    whole = point(statistic, patterns) if len(patterns.codes) else float("nan")
    names = [coded.raters[j] for j in np.flatnonzero(patterns.codes.any(axis=0))]
    without = without_each_rater(statistic, patterns) if names else np.zeros(0)
    return pd.DataFrame({"rater": names, "estimate": without, "change": without - whole})


def alpha_without_units(
    ratings: Any,
    level: str | Callable[[Any, Any], float] = "nominal",
    *,
    scale: Sequence[Any] | None = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> pd.DataFrame:
    """Alpha without each unit in turn, most influential first: unit, alpha without it, change.

    A unit whose leaving raises alpha is one that splits the raters.
    """
    coded = _read(ratings, level, scale, raters, keep)
    coded = coded.rows(np.flatnonzero(coded.codes.any(axis=1)))
    statistic = alpha_statistic(level, coded)
    codes, inverse = np.unique(coded.codes, axis=0, return_inverse=True)
    weights = np.bincount(inverse.ravel(), minlength=len(codes))
    rows = statistic.sums(codes.astype(np.int32), len(coded.scale))
    total = weights @ rows
    whole = statistic.values(total[None, :])[0] if len(rows) else float("nan")
    without = statistic.values(total - rows)[inverse.ravel()] if len(rows) else np.zeros(0)
    found = pd.DataFrame({"unit": coded.units, "estimate": without, "change": without - whole})
    # Those of equal influence follow their names; what differs by rounding is equal.
    size = np.round(-np.abs(found["change"].to_numpy()), 12)
    place = {unit: i for i, unit in enumerate(sorted(coded.units, key=name_key))}
    order = np.lexsort(([place[unit] for unit in coded.units], size))
    return found.iloc[order].reset_index(drop=True)


def alpha_by_category(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> dict[Any, Estimate]:
    """Alpha for each value against all others: which value the raters can tell apart."""
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    options = Options(interval, resamples, coverage, seed)
    found = {}
    for code, value in enumerate(coded.scale, start=1):
        pair = _one_against_rest(coded, code)
        statistic = alpha_statistic("nominal", pair)
        found[value] = infer(statistic, pair, find_patterns(pair), options)
    return found


def kappa_by_category(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> dict[Any, Estimate]:
    """Fleiss' kappa for each value against all others (Fleiss 1971)."""
    coded = read(ratings, scale=scale, raters=raters, cluster=cluster, keep=keep)
    options = Options(interval, resamples, coverage, seed)
    found = {}
    for code, value in enumerate(coded.scale, start=1):
        pair = _one_against_rest(coded, code)
        statistic = SharedChance(np.eye(2), "fleiss", "kappa_fleiss_category")
        found[value] = infer(statistic, pair, find_patterns(pair), options)
    return found


def agreement_by_category(
    ratings: Any,
    *,
    scale: Sequence[Any] | None = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> pd.DataFrame:
    """Specific agreement: given that one rater chose the value, how often another does too."""
    coded = read(ratings, scale=scale, raters=raters, keep=keep)
    h = count_values(coded.codes, len(coded.scale))
    m = h.sum(axis=1)
    h, m = h[m >= 2], m[m >= 2]
    # Units weigh as in alpha: each of its ratings counts once, however many raters it had.
    agreed = (h * (h - 1) / np.maximum(m - 1, 1)[:, None]).sum(axis=0)
    used = h.sum(axis=0)
    share = np.divide(agreed, used, out=np.full(len(used), np.nan), where=used > 0)
    return pd.DataFrame(
        {
            "value": list(coded.scale),
            "estimate": [float(s) if np.isfinite(s) else None for s in share],
            "n_ratings": used.astype(int),
        }
    )


def _one_against_rest(coded: Ratings, code: int) -> Ratings:
    two = np.where(coded.codes == 0, 0, np.where(coded.codes == code, 1, 2)).astype(np.int8)
    return Ratings(
        two,
        (coded.scale[code - 1], "any other"),
        np.array([1.0, 2.0]),
        True,
        True,
        coded.units,
        coded.raters,
        coded.clusters,
    )
