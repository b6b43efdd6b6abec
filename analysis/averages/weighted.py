"""Means weighted by the raters' stated confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import Additive, Entries, add_up, infer_cells, ratio
from raterbook.analysis.averages.means import cells_of, largest, mean_of
from raterbook.analysis.estimate import Estimate, How
from raterbook.analysis.intervals import USUAL, Interval, Wish
from raterbook.analysis.intervals.resampling import FISHER, PLAIN, in_order, t_interval
from raterbook.analysis.ratings import Coded, Ratings
from raterbook.analysis.ratings.engine import is_engines
from raterbook.analysis.ratings.patterns import TOLERANCE, divide

NONE_GIVEN = "no confidences: give a column confidence, or one confidence for each value"


def weighted_mean(values: Any, confidence: Any = None, *, interval: Wish = "jackknife") -> Estimate:
    """Σ c·x / Σ c: the mean in which surer answers count more.

    `values` and `confidence` are lists of equal length, or `values` is a long frame with the
    columns unit, rater, value and confidence. Answers without a confidence are left out. Without
    a value when no answer has one, or all are zero.

    >>> weighted_mean([4, 5, 3], [1.0, 0.8, 0.5], interval=None)
    <weighted_mean: 4.1304; 3 units, 1 raters, 3 ratings>
    """
    if is_engines(values):
        values = Ratings(values, confidence=confidence)
        confidence = None
    if isinstance(values, Coded) and values.source is not None:
        if confidence is not None:
            raise ValueError("these ratings are read already: give confidence= to Ratings(…)")
        cells, lacking = _added_up(values)
        found = weighted_mean_of(cells, Interval.of(interval))
        more = (*found.warnings, "answers_without_confidence") if lacking else found.warnings
        return replace(found, warnings=more)
    return weighted_mean_of(confident_cells(values, confidence), Interval.of(interval))


def _added_up(coded: Coded) -> tuple[Entries, bool]:
    """What an engine added up by cluster and rater, and whether some answers lack a confidence.

    An entry has the mean confidence of its answers and the weighted mean of their values.
    """
    coded.needs_numbers("a mean")
    sums, units, lacking = coded.source.sums(coded.raters)
    place = {name: j for j, name in enumerate(coded.raters)}
    order = sums.sort_values(["cluster", "alone", "rater"])
    cluster, names = pd.factorize(order["cluster"], sort=True)
    own, alone = pd.factorize(order["alone"], sort=True)
    cluster = np.where(cluster < 0, len(names) + own, cluster)
    names = np.append(names, np.full(len(alone), None))
    c, cx = order["c"].to_numpy(float), order["cx"].to_numpy(float)
    n = order["n"].to_numpy(np.int64)
    rater = np.array([place[name] for name in order["rater"]], dtype=np.int64)
    numbers = {"x": divide(cx, c, 0.0), "c": c / n}
    cells = Entries(cluster, rater, cluster, numbers, coded.raters, names, n, units=units)
    return cells, lacking


def confident_cells(values: Any, confidence: Any = None) -> Entries:
    """Answers with the numbers x and c; c is NaN where no confidence was given."""
    if not isinstance(values, Coded):
        values = Ratings(values, confidence=confidence)
    elif confidence is not None:
        raise ValueError("these ratings are read already: give confidence= to Ratings(…)")
    if values.times is not None:
        raise ValueError(
            "this goes through the answers one by one: take them out of the engine's table "
            "(to_pandas())"
        )
    if values.confidence is None:
        raise ValueError(NONE_GIVEN)
    return cells_of(values)


def weighted_mean_of(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """Σ c·x / Σ c over the answers that carry a confidence."""
    given, warnings = with_confidence(cells)

    def rows(part: Entries) -> np.ndarray:
        c, x = part.numbers["c"], part.numbers["x"]
        return part.per_cluster(c * x, c)

    reason = "zero_weight" if len(given) else "no_confidence"
    number = Additive("weighted_mean", rows, ratio, reason=reason, size=largest(given.numbers["x"]))
    found = infer_cells(number, given, wish, warnings=warnings)
    if wish.method != "analytic" or found.value is None or found.low is None:
        return found
    return _linearised(found, rows(given))


def _linearised(found: Estimate, rows: np.ndarray) -> Estimate:
    """The interval from Σ (c (x − mean))² over clusters, which is least squares' HC0."""
    assert found.value is not None
    gaps = rows[:, 0] - found.value * rows[:, 1]
    variance = float((gaps**2).sum() / rows[:, 1].sum() ** 2)
    low, high = t_interval(found.value, variance, len(rows) - 1, found.coverage, PLAIN)
    method = How("linearised", len(rows), "clusters", reach="t")
    return replace(found, low=low, high=high, se=float(np.sqrt(variance)), method=method)


def weighted_mean_within_of(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """Items count the same; within one, each rater weighs by confidence over their own mean.

    So neither raters who are always sure nor items that make everyone sure pull the mean.
    """
    given, warnings = with_confidence(cells)
    own = add_up(given.rater, (given.numbers["c"], np.ones(len(given))))
    relative = divide(given.numbers["c"], divide(*own.T)[given.rater], 0.0)
    numbers = {"x": given.numbers["x"], "c": relative}
    given = Entries(given.unit, given.rater, given.cluster, numbers, given.raters)

    def rows(part: Entries) -> np.ndarray:
        c, x = part.numbers["c"], part.numbers["x"]
        sums, clusters = part.per_unit(c * x, c)
        inside = divide(*sums.T)
        weighed = np.isfinite(inside)
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes, (np.where(weighed, inside, 0.0), weighed.astype(float)))

    reason = "zero_weight" if len(given) else "no_confidence"
    size = largest(given.numbers["x"])
    number = Additive("weighted_mean_within", rows, ratio, reason=reason, size=size)
    return infer_cells(number, given, wish, warnings=warnings)


def with_confidence(cells: Entries) -> tuple[Entries, tuple[str, ...]]:
    """The answers that carry a confidence, and a warning where some do not."""
    c = cells.numbers["c"]
    if (c < 0).any():
        raise ValueError(f"confidence {c[c < 0][0]:g} is negative: give 0 to 100")
    has = np.isfinite(c)
    left_out = ("answers_without_confidence",) if has.any() and not has.all() else ()
    return cells.where(has), left_out


# Whether stated confidence says anything: three means side by side and what tells them apart.


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


def confidence(values: Any, given: Any = None, *, interval: Wish = "jackknife") -> Confidence:
    """Compare the plain mean with those weighted by confidence, over answers that carry one.

    `values` is a long frame with unit, rater, value and confidence, or lists of values and of
    confidences.

    >>> confidence([4, 5, 3], [100, 80, 50], interval=None).sentence[:59]
    'Weighting by stated confidence moves the mean from 4.00 to '
    """
    return confidence_of(confident_cells(values, given), Interval.of(interval))


def confidence_of(cells: Entries, wish: Interval = USUAL) -> Confidence:
    """The same from answers read already, with the numbers x and c."""
    cells, _ = with_confidence(cells)
    c = cells.numbers["c"]
    plain, weighted = mean_of(cells, wish), weighted_mean_of(cells, wish)
    difference = moved_by_weighting(cells, wish)
    correlation = _together(cells, wish)
    closeness = _closeness(cells, wish)
    total, squares = float(c.sum()), float((c**2).sum())
    own = add_up(cells.rater, (c,))
    return Confidence(
        plain,
        weighted,
        weighted_mean_within_of(cells, wish),
        difference,
        correlation,
        closeness,
        _by_rater(cells),
        total**2 / squares if squares else None,
        float(own.max() / total) if total else None,
        _sentence(plain, weighted, difference, closeness),
    )


def moved_by_weighting(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """The weighted mean − the plain one, of answers that carry a confidence."""
    size = largest(cells.numbers["x"])
    number = Additive("weighted_minus_plain", _both_rows, _gap, reason="no_confidence", size=size)
    return infer_cells(number, cells, wish)


def _both_rows(part: Entries) -> np.ndarray:
    x, c = part.numbers["x"], part.numbers["c"]
    return part.per_cluster(c * x, c, x, np.ones(len(part)))


def _gap(totals: np.ndarray) -> np.ndarray:
    cx, c, x, n = totals.T
    return np.asarray(divide(cx, c) - divide(x, n))


def _together(cells: Entries, wish: Interval) -> Estimate:
    """The correlation of confidence and score."""
    # Squares of numbers far from zero would cancel.
    middle = float(cells.numbers["x"].mean()) if len(cells) else 0.0

    def rows(part: Entries) -> np.ndarray:
        x, c = part.numbers["x"] - middle, part.numbers["c"]
        return part.per_cluster(np.ones(len(part)), x, c, x * x, c * c, x * c)

    name = "correlation_of_confidence_and_score"
    number = Additive(name, rows, _correlation, link=FISHER, reason="no_spread")
    return infer_cells(number, cells, wish)


def _correlation(totals: np.ndarray) -> np.ndarray:
    n, x, c, xx, cc, xc = totals.T
    n = np.maximum(n, 1e-12)
    spread = (xx - x * x / n) * (cc - c * c / n)
    there = spread > TOLERANCE * xx * cc
    root = np.sqrt(np.where(there, spread, 1.0))
    return np.where(there, np.clip((xc - x * c / n) / root, -1, 1), np.nan)


def _closeness(cells: Entries, wish: Interval) -> Estimate:
    """Distance from the others' mean against confidence, each rater around their own averages."""
    name = "change_in_distance_per_point_of_confidence"
    if not len(cells):
        return Estimate(None, statistic=name, reason="no_confidence")
    _, units = np.unique(cells.unit, return_inverse=True)
    sums = add_up(units, (cells.numbers["x"], np.ones(len(cells))))[units]
    rest = divide(sums[:, 0] - cells.numbers["x"], sums[:, 1] - 1)
    apart = np.abs(cells.numbers["x"] - rest)
    with_distance = Entries(
        cells.unit, cells.rater, cells.cluster, {**cells.numbers, "d": apart}, cells.raters
    ).where(np.isfinite(rest))
    # Raters stand in the order of what they gave, so that no draw depends on their names.
    x, c = cells.numbers["x"], cells.numbers["c"]
    own = add_up(cells.rater, (np.ones(len(c)), x, c, x * c))
    order = in_order(own, np.zeros(len(own)))

    def rows(part: Entries) -> np.ndarray:
        c, d = part.numbers["c"], part.numbers["d"]
        mine = [part.rater == rater for rater in order]
        columns = [m * column for m in mine for column in (np.ones(len(c)), c, d, c * c, c * d)]
        return part.per_cluster(*columns)

    reason = "single_rater" if len(np.unique(cells.rater)) < 2 else "no_spread"
    return infer_cells(Additive(name, rows, _slope, reason=reason), with_distance, wish)


def _slope(totals: np.ndarray) -> np.ndarray:
    n, c, d, cc, cd = (totals[:, at::5] for at in range(5))
    n = np.maximum(n, 1e-12)
    across = (cc - c * c / n).sum(axis=1)
    there = across > TOLERANCE * cc.sum(axis=1)
    return np.where(there, (cd - c * d / n).sum(axis=1) / np.where(there, across, 1.0), np.nan)


def _by_rater(cells: Entries) -> pd.DataFrame:
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
    closeness: Estimate,
) -> str:
    if plain.value is None or weighted.value is None or difference.value is None:
        return "No answer carries a confidence."
    moved = f"Weighting by stated confidence moves the mean from {plain.value:.2f} to "
    moved += f"{weighted.value:.2f} ({difference.value:+.2f}"
    beyond = False
    if difference.low is not None:  # an interval has both of its ends
        assert difference.high is not None
        moved += f"; {difference.low:.2f} to {difference.high:.2f}"
        beyond = not difference.low <= 0 <= difference.high
    moved += ")"
    if beyond:
        scores = "high" if difference.value > 0 else "low"
        moved += f", because raters were surer of {scores} scores."
    else:
        moved += ", which may be chance."
    enough = plain.n_raters >= FEWEST_RATERS and plain.n_units >= FEWEST_ITEMS
    if not enough or closeness.value is None or closeness.high is None:
        return f"{moved} Whether surer ratings are better: Cannot be checked here."
    if closeness.high < 0:
        return f"{moved} Surer ratings were closer to other raters'. Use the weighted mean."
    return f"{moved} Surer ratings were not closer to other raters'. Use the plain mean."
