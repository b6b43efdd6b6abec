"""Whether stated confidence says anything: three means side by side and what tells them apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.bootstrap import in_order
from analysis.cells import Cells, add_up, infer_cells
from analysis.estimate import Estimate
from analysis.links import FISHER
from analysis.means import mean_of
from analysis.options import USUAL, Options
from analysis.weighted import (
    confident_cells,
    weighted_mean_of,
    weighted_mean_within_of,
    with_confidence,
)

# Below these nothing can be said about whether surer ratings are better.
FEWEST_RATERS, FEWEST_ITEMS = 3, 30


@dataclass(frozen=True)
class Confidence:
    """The plain mean, both weighted ones, and whether weighting is justified.

    `difference` is weighted − plain; `correlation` is of confidence and score; `closeness` is the
    change in a rating's distance from the other raters' mean for one more point of confidence,
    within a rater: below zero where surer ratings are closer. `effective_n` is Kish's, and
    `largest_share` the weight that one rater carries.
    """

    plain: Estimate
    weighted: Estimate
    within: Estimate
    difference: Estimate
    correlation: Estimate
    closeness: Estimate
    raters: pd.DataFrame
    effective_n: float | None
    largest_share: float | None
    sentence: str


def confidence(
    values: Any,
    given: Any = None,
    *,
    scale: Sequence[Any] | None = None,
    interval: str | None = "jackknife",
    resamples: int = 2000,
    coverage: float = 0.95,
    seed: int = 0,
    cluster: Any = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> Confidence:
    """Compare the plain mean with those weighted by confidence, over answers that carry one.

    `values` is a long frame with unit, rater, value and confidence, or lists of values and of
    confidences.
    """
    cells = confident_cells(values, given, scale=scale, cluster=cluster, raters=raters, keep=keep)
    return confidence_of(cells, Options(interval, resamples, coverage, seed))


def confidence_of(cells: Cells, options: Options = USUAL) -> Confidence:
    """The same from answers read already, with the numbers x and c."""
    cells, _ = with_confidence(cells)
    c = cells.numbers["c"]
    plain, weighted = mean_of(cells, options), weighted_mean_of(cells, options)
    difference = infer_cells(
        "weighted_minus_plain", cells, _both_rows, _gap, options, reason="no_confidence"
    )
    correlation = infer_cells(
        "correlation_of_confidence_and_score",
        cells,
        _product_rows,
        _correlation,
        options,
        link=FISHER,
        reason="no_spread",
    )
    closeness = _closeness(cells, options)
    total, squares = float(c.sum()), float((c**2).sum())
    own = add_up(cells.rater, (c,))[:, 0] if len(cells) else np.zeros(0)
    return Confidence(
        plain,
        weighted,
        weighted_mean_within_of(cells, options),
        difference,
        correlation,
        closeness,
        _by_rater(cells),
        total**2 / squares if squares > 0 else None,
        float(own.max() / total) if total > 0 else None,
        _sentence(plain, weighted, difference, correlation, closeness),
    )


def _both_rows(part: Cells) -> np.ndarray:
    x, c = part.numbers["x"], part.numbers["c"]
    return part.per_cluster(c * x, c, x, np.ones(len(part)))


def _gap(totals: np.ndarray) -> np.ndarray:
    cx, c, x, n = totals.T
    there = (c > 1e-12) & (n > 0)
    gap = cx / np.where(there, c, 1.0) - x / np.where(there, n, 1.0)
    return np.where(there, gap, np.nan)


def _product_rows(part: Cells) -> np.ndarray:
    x, c = part.numbers["x"] - 3.0, part.numbers["c"]
    return part.per_cluster(np.ones(len(part)), x, c, x * x, c * c, x * c)


def _correlation(totals: np.ndarray) -> np.ndarray:
    n, x, c, xx, cc, xc = totals.T
    n = np.maximum(n, 1e-12)
    spread = (xx - x * x / n) * (cc - c * c / n)
    there = spread > 1e-12 * np.maximum(xx * cc, 1e-300)
    root = np.sqrt(np.where(there, spread, 1.0))
    return np.where(there, np.clip((xc - x * c / n) / root, -1, 1), np.nan)


def _closeness(cells: Cells, options: Options) -> Estimate:
    """Distance from the others' mean against confidence, each rater around their own averages."""
    name = "change_in_distance_per_point_of_confidence"
    if not len(cells):
        return Estimate(None, statistic=name, reason="no_confidence")
    _, units = np.unique(cells.unit, return_inverse=True)
    sums = add_up(units, (cells.numbers["x"], np.ones(len(cells))))[units]
    others = sums[:, 1] - 1
    met = others > 0
    rest = (sums[:, 0] - cells.numbers["x"]) / np.where(met, others, 1)
    apart = np.abs(cells.numbers["x"] - rest)
    with_distance = Cells(
        cells.unit, cells.rater, cells.cluster, {**cells.numbers, "d": apart}, cells.raters
    ).where(met)
    # Raters stand in the order of what they gave, so that no draw depends on their names.
    x, c = cells.numbers["x"], cells.numbers["c"]
    own = add_up(cells.rater, (np.ones(len(c)), x, c, x * x, c * c, x * c))
    order = in_order(own, np.zeros(len(own)))

    def rows(part: Cells) -> np.ndarray:
        c, d = part.numbers["c"], part.numbers["d"]
        mine = [part.rater == rater for rater in order]
        columns = [m * column for m in mine for column in (np.ones(len(c)), c, d, c * c, c * d)]
        return part.per_cluster(*columns)

    reason = "single_rater" if len(np.unique(cells.rater)) < 2 else "no_spread"
    return infer_cells(name, with_distance, rows, _slope, options, reason=reason)


def _slope(totals: np.ndarray) -> np.ndarray:
    n, c, d, cc, cd = totals.reshape(len(totals), -1, 5).transpose(2, 0, 1)
    n = np.maximum(n, 1e-12)
    across = (cc - c * c / n).sum(axis=1)
    there = across > 1e-12 * np.maximum(cc.sum(axis=1), 1e-300)
    return np.where(there, (cd - c * d / n).sum(axis=1) / np.where(there, across, 1.0), np.nan)


def _by_rater(cells: Cells) -> pd.DataFrame:
    found = []
    for rater in np.unique(cells.rater):
        c = cells.numbers["c"][cells.rater == rater]
        _, counts = np.unique(c, return_counts=True)
        found.append(
            {
                "rater": cells.raters[rater] if cells.raters else rater,
                "mean": float(c.mean()),
                "sd": float(c.std(ddof=1)) if len(c) > 1 else None,
                "share_constant": float(counts.max() / len(c)),
                "n_ratings": len(c),
            }
        )
    columns = ["rater", "mean", "sd", "share_constant", "n_ratings"]
    return pd.DataFrame(found, columns=columns)


def _sentence(
    plain: Estimate,
    weighted: Estimate,
    difference: Estimate,
    correlation: Estimate,
    closeness: Estimate,
) -> str:
    if plain.value is None or weighted.value is None or difference.value is None:
        return "No answer carries a confidence."
    moved = f"Weighting by stated confidence moves the mean from {plain.value:.2f} to "
    moved += f"{weighted.value:.2f} ({difference.value:+.2f}"
    known = difference.low is not None and difference.high is not None
    if known:
        moved += f"; {difference.low:.2f} to {difference.high:.2f}"
    moved += ")"
    if known and difference.low * difference.high > 0:  # type: ignore[operator]
        high = (correlation.value or difference.value) > 0
        moved += f", because raters were surer of {'high' if high else 'low'} scores."
    else:
        moved += ", which may be chance."
    enough = plain.n_raters >= FEWEST_RATERS and plain.n_units >= FEWEST_ITEMS
    if not enough or closeness.value is None or closeness.high is None:
        return f"{moved} Whether surer ratings are better: Cannot be checked here."
    if closeness.high < 0:
        return f"{moved} Surer ratings were closer to other raters'. Use the weighted mean."
    return f"{moved} Surer ratings were not closer to other raters'. Use the plain mean."
