"""From additive sums to an interval, by the method named."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis import bootstrap
from analysis.jackknife import Values, both_sources, leave_one_out, spread, t_interval
from analysis.limits import limits
from analysis.links import EDGE, LOGIT, Link

METHODS = ("jackknife", "bootstrap", "bca", "analytic")
# Below this many clusters the leave-one-out values are too few to speak of a spread.
FEWEST = 3
# Below this the t distribution carries more than the data do.
ROUGH = 10


@dataclass(frozen=True)
class Interval:
    """Ends for these raters and for raters like these; what could not be had is None."""

    low: float | None = None
    high: float | None = None
    low_like: float | None = None
    high_like: float | None = None
    se: float | None = None
    df: float | None = None
    method: str = ""
    reason: str | None = None
    warnings: tuple[str, ...] = ()


def check_options(interval: str | None, coverage: float, resamples: int) -> None:
    """Refuse a method, a coverage or a number of resamples that does not exist."""
    if interval is not None and interval not in METHODS:
        raise ValueError(f"unknown interval {interval!r}: choose {', '.join(METHODS)} or None")
    if not 0 < coverage < 1:
        raise ValueError(f"coverage {coverage!r} is not between 0 and 1: .95 is usual")
    if resamples < 1:
        raise ValueError(f"resamples={resamples!r}: at least 1")


def interval_of(
    values: Values,
    rows: np.ndarray,
    weights: np.ndarray,
    *,
    link: Link,
    interval: str = "jackknife",
    coverage: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    without_rater: np.ndarray | None = None,
    edge: float | None = 1.0,
    unit: str = "units",
) -> Interval:
    """The interval of the statistic whose sums are `rows`, each occurring `weights` times.

    `without_rater` holds the statistic without each rater in turn, where raters like these are
    to be spoken of. At `edge` (perfect agreement) the units show no spread, so there is none.
    """
    total = weights @ rows
    theta = float(values(total[None, :])[0])
    n = int(weights.sum())
    if n < FEWEST:
        return Interval(reason="too_few_units_for_interval")
    if link is LOGIT and (theta <= EDGE or theta >= 1 - EDGE):
        # A share at the end of its range shows no spread, and yet is not certain.
        used = int(weights[rows.any(axis=1)].sum())
        ends = limits(round(theta) * used, used, "wilson", coverage)
        return Interval(*ends, se=0.0, method=f"Wilson on {used} {unit}")
    without = leave_one_out(values, rows, total)
    units = spread(theta, without, weights, link)
    if units is None:
        return Interval(reason="too_few_units_for_interval")
    if edge is not None and abs(theta) >= edge - 1e-12 and units.raw_variance < 1e-24:
        return Interval(reason="no_disagreement_for_interval")
    se = float(np.sqrt(units.raw_variance))
    if interval in ("bootstrap", "bca"):
        drawn = bootstrap.draw(values, rows, weights, resamples, seed)
        found = (
            bootstrap.percentile(drawn, coverage)
            if interval == "bootstrap"
            else bootstrap.bca(drawn, theta, without, weights, coverage)
        )
        if found is None:
            return Interval(reason="too_few_units_for_interval")
        name = "percentile bootstrap" if interval == "bootstrap" else "BCa bootstrap"
        return Interval(
            *found, se=se, method=f"{name} over {n} {unit}, {resamples} draws, seed {seed}"
        )
    warnings = ("few_clusters",) if units.n < ROUGH else ()
    low, high = t_interval(theta, units.variance, units.n - 1, coverage, link)
    method = f"jackknife over {n} {unit} on {link.name}, t"
    like: tuple[float | None, float | None] = (None, None)
    if without_rater is not None and len(without_rater) >= 3:
        raters = spread(theta, without_rater, np.ones(len(without_rater), dtype=int), link)
        if raters is not None and raters.n >= 3 and raters.on_link == units.on_link:
            variance, df = both_sources(units, raters)
            like = t_interval(theta, variance, df, coverage, link)
            method += f"; raters like these: and over {raters.n} raters"
    return Interval(low, high, *like, se=se, df=units.n - 1, method=method, warnings=warnings)
