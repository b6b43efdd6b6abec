"""Whether stated confidence means anything, and what weighting by it does to the means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted
from .lean import margin


def confident(counted: Counted) -> pd.DataFrame:
    """unit, subject, rater, question, x, c, error: answers with a confidence (0 to 1).

    `error` is the distance from the mean of the other raters on the same unit and question.
    """
    parts = []
    for question in counted.numeric():
        rows = counted.of(question.id)
        c = rows["confidence"].to_numpy(dtype=float, na_value=np.nan) / 100
        if not np.isfinite(c).any():
            continue
        x = rows["number"].to_numpy(dtype=float, na_value=np.nan)
        unit = pd.factorize(rows["unit"])[0]
        total, many = np.bincount(unit, x), np.bincount(unit)
        others = many[unit] - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.where(others > 0, np.abs(x - (total[unit] - x) / others), np.nan)
        parts.append(
            pd.DataFrame(
                {
                    "subject": rows["subject"].to_numpy(),
                    "rater": rows["rater"].to_numpy(),
                    "question": question.id,
                    "x": x,
                    "c": c,
                    "error": error,
                }
            )
        )
    if not parts:
        return pd.DataFrame(columns=["subject", "rater", "question", "x", "c", "error"])
    return pd.concat(parts, ignore_index=True).dropna(subset=["c", "x"])


def weighting(rows: pd.DataFrame, coverage: float = 0.95) -> dict[str, Any] | None:
    """What weighting moves: plain, weighted, their difference with its interval, and why.

    The interval of the difference is a jackknife over items. `slope` is the within-rater slope of
    error on confidence: below 0, surer answers were closer to the others'; `reach` is how many of
    its standard errors it must be from 0.
    """
    if not len(rows) or rows["c"].sum() == 0:
        return None
    grouped = rows.assign(cx=rows["c"] * rows["x"], one=1.0).groupby("subject", sort=True)
    sums = grouped[["x", "one", "cx", "c"]].sum().to_numpy()
    total = sums.sum(axis=0)
    plain, weighted = total[0] / total[1], total[2] / total[3]
    found: dict[str, Any] = {"plain": plain, "weighted": weighted, "difference": weighted - plain}
    found |= {"low": None, "high": None, "items": len(sums), "raters": rows["rater"].nunique()}
    rest = total - sums
    usable = (rest[:, 1] > 0) & (rest[:, 3] > 0)
    if usable.sum() >= 2:
        without = rest[usable, 2] / rest[usable, 3] - rest[usable, 0] / rest[usable, 1]
        n = len(without)
        # Pseudo-values make the jackknife a mean, whose margin is the t interval's.
        half = margin(n * (weighted - plain) - (n - 1) * without, coverage)
        found |= {"low": found["difference"] - half, "high": found["difference"] + half}
    within = rows.dropna(subset=["error"])
    centred = within["c"] - within.groupby("rater")["c"].transform("mean")
    spread = float((centred**2).sum())
    found["slope"] = float((centred * within["error"]).sum() / spread) if spread > 1e-12 else None
    found["slope_se"] = None
    if found["slope"] is not None:
        left = within["error"] - within.groupby("rater")["error"].transform("mean")
        score = (centred * (left - found["slope"] * centred)).groupby(within["subject"]).sum()
        found["slope_se"] = float(np.sqrt((score**2).sum()) / spread)
        from scipy.special import ndtri

        found["reach"] = float(ndtri(0.5 + coverage / 2))
    return found


def calibration(rows: pd.DataFrame, coverage: float = 0.95) -> pd.DataFrame:
    """confidence, error, margin, n: mean distance from the others by stated confidence."""
    usable = rows.dropna(subset=["error"])
    levels = (usable["c"] * 10).round() * 10
    found = []
    for level, part in usable.groupby(levels, sort=True):
        error = part["error"].to_numpy()
        found.append((float(level), float(error.mean()), margin(error, coverage), len(error)))
    return pd.DataFrame(found, columns=["confidence", "error", "margin", "n"])


def constant(rows: pd.DataFrame) -> pd.DataFrame:
    """rater, mean, sd, share: of the answers that carry the rater's commonest confidence."""
    found = [
        (rater, own["c"].mean(), own["c"].std(ddof=0), own["c"].value_counts(normalize=True).max())
        for rater, own in rows.groupby("rater", sort=True)
    ]
    return pd.DataFrame(found, columns=["rater", "mean", "sd", "share"])
