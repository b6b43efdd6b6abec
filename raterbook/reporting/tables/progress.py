"""How the ratings of a round came in over time; a rating is one rater's of one item."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .counted import Counted

ENOUGH = 10  # different times before a curve shows anything
UNITS = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0))
TICKS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
STEPS = 120  # points of the curve


def progress(frame: pd.DataFrame, counted: Counted) -> tuple[pd.DataFrame, str] | None:
    """(time, ratings) and the unit of time; a rating counts from its first answer on.

    None for answers without times of their own, such as a file taken in at once.
    """
    answered = frame["status"].astype(object).eq("answered") & frame["item"].notna()
    who = frame["rater"].isin(counted.people["rater"].unique())
    rows = frame[answered & who & frame["replicate"].eq(1)]
    if not len(rows) or rows["answered_at"].isna().any():
        return None
    pairs = [rows["rater"].astype(object), rows["item"].astype(object)]
    begun = np.sort(rows["answered_at"].groupby(pairs).min().astype("int64").to_numpy())
    seconds = (begun - begun[0]) / TICKS[rows["answered_at"].dt.unit]
    fitting = [unit for unit in UNITS if seconds[-1] >= 2 * unit[1]]
    if len(np.unique(begun)) < ENOUGH or not fitting:
        return None
    unit, length = fitting[0]
    chosen = np.unique(np.linspace(0, len(begun) - 1, STEPS).round().astype(int))
    return pd.DataFrame({"time": seconds[chosen] / length, "ratings": chosen + 1}), unit


def when(curve: pd.DataFrame, share: float) -> float:
    """The time at which this share of the ratings was in."""
    reached = curve["ratings"] >= share * curve["ratings"].iloc[-1]
    return float(curve.loc[reached, "time"].iloc[0])
