"""From additive sums to an interval, by the method named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis import bootstrap
from analysis.estimate import Estimate
from analysis.jackknife import (
    LeftOut,
    Values,
    counted_twice,
    leave_one_out,
    like_interval,
    spread,
    t_interval,
)
from analysis.limits import limits
from analysis.links import EDGE, LOGIT, Link
from analysis.options import DRAWN, Options

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


def interval_of(
    values: Values,
    rows: np.ndarray,
    weights: np.ndarray,
    options: Options,
    *,
    link: Link,
    left: LeftOut | None = None,
    edge: float | None = 1.0,
    unit: str = "units",
) -> Interval:
    """The interval of the statistic whose sums are `rows`, each occurring `weights` times.

    `left` holds the statistic without each rater, where raters like these are to be spoken of.
    Where a closed form was asked for and there is none, the jackknife stands in. Units that show
    no spread, at `edge` by perfect agreement, give no interval.
    """
    interval, coverage = options.interval, options.coverage
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
    if units.raw_variance < 1e-24:
        # Where all are alike, no width would be claimed from no knowledge of how far they vary.
        return Interval(reason="no_spread_for_interval")
    se = float(np.sqrt(units.raw_variance))
    warnings = ("few_clusters",) if units.n < ROUGH else ()
    if interval in DRAWN:
        drawn = bootstrap.draw(values, rows, weights, options.resamples, options.seed)
        found = (
            bootstrap.percentile(drawn, coverage)
            if interval == "bootstrap"
            else bootstrap.bca(drawn, theta, without, weights, coverage)
        )
        if found is None:
            return Interval(reason="too_few_units_for_interval")
        name = "percentile bootstrap" if interval == "bootstrap" else "BCa bootstrap"
        said = f"{name} over {n} {unit}, {options.resamples} draws, seed {options.seed}"
        return Interval(*found, se=se, df=units.n - 1, method=said, warnings=warnings)
    low, high = t_interval(theta, units.variance, units.n - 1, coverage, link)
    method = f"jackknife over {n} {unit} on {link.name}, t"
    like: tuple[float | None, float | None] = (None, None)
    if left is not None and len(left.each) >= 3:
        raters = spread(theta, left.each, np.ones(len(left.each), dtype=int), link)
        if raters is not None and raters.n >= 3 and raters.on_link == units.on_link:
            twice = counted_twice(theta, left, link)
            like = like_interval(theta, units, raters, twice, coverage, link)
            method += f"; raters like these: and over {raters.n} raters"
    return Interval(low, high, *like, se=se, df=units.n - 1, method=method, warnings=warnings)


def estimated(value: float, found: Interval, options: Options, **common: Any) -> Estimate:
    """The value with the interval that was found for it."""
    return Estimate(
        value,
        found.low,
        found.high,
        found.low_like,
        found.high_like,
        found.se,
        found.df,
        method=found.method,
        reason=found.reason,
        seed=options.seed_used,
        **common,
    )
