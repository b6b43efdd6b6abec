"""Several systems on the same cases: differences, paired, and corrected for their number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import Additive, Entries, add_up, infer_cells, ratio
from raterbook.analysis.averages.means import largest, one_by_one, read_numbers
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import USUAL, Interval, Wish
from raterbook.analysis.ratings import Coded
from raterbook.analysis.ratings.long import cluster_codes, one_label
from raterbook.analysis.ratings.patterns import divide

CORRECTIONS = ("holm", "benjamini-hochberg", "none", "benjamini-yekutieli")


def adjust(p: Iterable[float | None], correction: str = "holm") -> list[float | None]:
    """p-values corrected for their number; those that are absent stay absent.

    `holm` keeps the chance of any false finding, `benjamini-hochberg` the share of false ones
    among the findings, `benjamini-yekutieli` the same however the tests hang together.

    >>> adjust([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    if correction not in CORRECTIONS:
        raise ValueError(f"unknown correction {correction!r}: choose {', '.join(CORRECTIONS)}")
    p = list(p)
    there = [i for i, value in enumerate(p) if value is not None]
    given = np.array([p[i] for i in there], dtype=float)
    m, order = len(given), given.argsort(kind="stable")
    adjusted = given.copy()
    if correction == "holm":
        steps: np.ndarray = given[order] * np.arange(m, 0, -1)
        adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    elif correction != "none":
        steps = given[order] * (m / np.arange(1, m + 1))
        if correction == "benjamini-yekutieli":
            steps = steps * (1 / np.arange(1, m + 1)).sum()
        adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    found: list[float | None] = [None] * len(p)
    for place, value in zip(there, adjusted, strict=True):
        found[place] = float(value)
    return found


def difference(first: Any, second: Any, *, interval: Wish = "jackknife") -> Estimate:
    """Mean of the first − mean of the second over the units of both, set against each other.

    Both are what `mean` takes, such as ratings of one system's answers and of another's to the
    same questions; units go by their names and count the same, however many ratings each has.
    Values may be scores, or 0 and 1 for a proportion. `p` is that of no difference.

    >>> difference([4, 5, 3, 5], [3, 5, 2, 3], interval=None)
    <difference: 1.0000; 4 units, 1 raters, 8 ratings>
    """
    sides = [read_numbers(each) for each in (first, second)]
    if any(side.times is not None for side in sides):
        raise ValueError(
            "a difference sets units against each other by their names: take both sides out of "
            "the engine's table (to_pandas())"
        )
    parts = [one_by_one(side) for side in sides]
    units, names = _together(sides, parts, "unit")
    raters, who = _together(sides, parts, "rater")
    clusters = units
    if any(side.clusters is not None for side in sides):
        given = [
            np.full(len(part), None, dtype=object)
            if side.clusters is None
            else np.asarray(side.cluster_names, dtype=object)[part.cluster]
            for side, part in zip(sides, parts, strict=True)
        ]
        labels = pd.Series(np.concatenate(given), dtype=object)
        clusters = cluster_codes(one_label(labels, units, names))[units]
    x = np.concatenate([part.numbers["x"] for part in parts])
    is_first = np.repeat([1.0, 0.0], [len(part) for part in parts])
    both = np.intersect1d(units[is_first > 0], units[is_first == 0])
    cells = Entries(units, raters, clusters, {"x": x, "first": is_first}, tuple(who))
    return paired_difference(cells.where(np.isin(units, both)), Interval.of(interval))


def _together(sides: list[Coded], parts: list[Entries], what: str) -> tuple[np.ndarray, Any]:
    """Units or raters of both sides as one set of codes, with their names."""
    names = [
        np.asarray(getattr(side, f"{what}s"), dtype=object)[getattr(part, what)]
        for side, part in zip(sides, parts, strict=True)
    ]
    codes, found = pd.factorize(pd.Series(np.concatenate(names), dtype=object), sort=False)
    return codes, found


def pooled_difference(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """Share of the first system − share of the second, each Σ x / Σ of over all its answers."""

    def rows(part: Entries) -> np.ndarray:
        x, of, first = (part.numbers[name] for name in ("x", "of", "first"))
        return part.per_cluster(first * x, first * of, (1 - first) * x, (1 - first) * of)

    return infer_cells(Additive("difference", rows, _gap, reason="no_common_cases"), cells, wish)


def _gap(totals: np.ndarray) -> np.ndarray:
    a, n, b, m = totals.T
    return np.asarray(divide(a, n) - divide(b, m))


def paired_difference(cells: Entries, wish: Interval = USUAL) -> Estimate:
    """Mean of the first system − mean of the second, each case's two means set against each other.

    Cases count the same, however many raters or sentences each system had there.
    """

    def rows(part: Entries) -> np.ndarray:
        x, first = part.numbers["x"], part.numbers["first"]
        sums, clusters = part.per_unit(first * x, first, (1 - first) * x, 1 - first)
        gap = _gap(sums)
        both = np.isfinite(gap)
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes, (np.where(both, gap, 0.0), both.astype(float)))

    size = largest(cells.numbers["x"])
    number = Additive("difference", rows, ratio, reason="no_common_cases", size=size)
    return infer_cells(number, cells, wish)
