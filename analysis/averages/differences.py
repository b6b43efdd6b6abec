"""Several systems on the same cases: differences, paired, and corrected for their number."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.averages.answers import Entries, add_up, infer_cells, ratio
from analysis.estimate import Estimate
from analysis.intervals.interval import USUAL, Options
from analysis.ratings.long import identities
from analysis.ratings.ratings import cluster_codes, one_label

CORRECTIONS = ("holm", "benjamini-hochberg", "none")


def adjust(p: Iterable[float | None], correction: str = "holm") -> list[float | None]:
    """p-values corrected for their number; those that are absent stay absent.

    `holm` keeps the chance of any false finding, `benjamini-hochberg` the share of false ones
    among the findings.
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
    elif correction == "benjamini-hochberg":
        steps = given[order] * (m / np.arange(1, m + 1))
        adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    found: list[float | None] = [None] * len(p)
    for place, value in zip(there, adjusted, strict=True):
        found[place] = float(value)
    return found


def p_value(estimate: Estimate) -> float | None:
    """Two-sided p of a difference being zero, by the t of its jackknife."""
    if estimate.value is None or not estimate.se or estimate.df is None:
        return None
    from scipy.special import stdtr

    return float(2 * stdtr(estimate.df, -abs(estimate.value) / estimate.se))


def compare_systems(
    frame: pd.DataFrame,
    *,
    system: str = "system",
    case: str = "case",
    value: str = "value",
    rater: str | None = "rater",
    cluster: str | None = None,
    correction: str = "holm",
    coverage: float = 0.95,
) -> pd.DataFrame:
    """Every pair of systems over the cases that both answered.

    One row per pair: systems ("a − b"), estimate (mean of a − mean of b), low, high, p, adjusted,
    correction, n_cases. Values may be scores, or 0 and 1 for a proportion. Intervals are not
    corrected; `adjusted` is. Cases, or the clusters they stand in, are what is resampled; a case
    without a cluster stands alone, and an answer without a case or a system is refused.
    """
    needed = (system, case, value, *([] if cluster is None else [cluster]))
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise ValueError(f"the frame has no column {missing[0]!r}")
    frame = frame[frame[value].notna()]
    if frame[system].isna().any():
        raise ValueError(f"row {frame[system].isna().argmax()} has no {system}: fill it in")
    named = identities(frame[case], few=True)
    cases = clusters = named.places()
    if cluster is not None:
        clusters = cluster_codes(one_label(frame[cluster], cases, named.labels, "case"))[cases]
    raters = np.zeros(len(frame), dtype=int)
    if rater is not None and rater in frame.columns:
        raters, _ = pd.factorize(frame[rater], sort=True)
    labels = frame[system].astype(str).to_numpy()
    x = frame[value].to_numpy(dtype=float)
    rows, found = [], []
    for a, b in combinations(sorted(set(labels)), 2):
        common = np.intersect1d(cases[labels == a], cases[labels == b])
        keep = np.isin(cases, common) & np.isin(labels, [a, b])
        cells = Entries(
            cases[keep],
            raters[keep],
            clusters[keep],
            {"x": x[keep], "first": (labels[keep] == a) * 1.0},
        )
        estimate = paired_difference(cells, Options(coverage=coverage))
        found.append(p_value(estimate))
        rows.append(
            {
                "systems": f"{a} − {b}",
                "estimate": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "low_like": estimate.low_like,
                "high_like": estimate.high_like,
                "p": found[-1],
                "n_cases": len(common),
                "reason": estimate.reason,
            }
        )
    adjusted = adjust(found, correction)
    for row, p in zip(rows, adjusted, strict=True):
        row.update(adjusted=p, correction=correction)
    return pd.DataFrame(rows)


def pooled_difference(cells: Entries, options: Options = USUAL) -> Estimate:
    """Share of the first system − share of the second, each Σ x / Σ of over all its answers."""

    def rows(part: Entries) -> np.ndarray:
        x, of, first = (part.numbers[name] for name in ("x", "of", "first"))
        return part.per_cluster(first * x, first * of, (1 - first) * x, (1 - first) * of)

    return infer_cells("difference", cells, rows, _gap, options, reason="no_common_cases")


def _gap(totals: np.ndarray) -> np.ndarray:
    a, n, b, m = totals.T
    there = (n > 0) & (m > 0)
    gap = a / np.where(there, n, 1.0) - b / np.where(there, m, 1.0)
    return np.where(there, gap, np.nan)


def paired_difference(cells: Entries, options: Options = USUAL) -> Estimate:
    """Mean of the first system − mean of the second, each case's two means set against each other.

    Cases count the same, however many raters or sentences each system had there.
    """

    def rows(part: Entries) -> np.ndarray:
        x, first = part.numbers["x"], part.numbers["first"]
        sums, clusters = part.per_unit(first * x, first, (1 - first) * x, 1 - first)
        both = (sums[:, 1] > 0) & (sums[:, 3] > 0)
        safe = np.where(both[:, None], sums, 1.0)
        gap = np.where(both, safe[:, 0] / safe[:, 1] - safe[:, 2] / safe[:, 3], 0.0)
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes, (gap, both * 1.0))

    return infer_cells(
        "difference",
        cells,
        rows,
        ratio,
        options,
        reason="no_common_cases",
    )
