"""Does stated confidence mean anything: distance from the others by how sure a rater was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .draw import INK, LINE, SOFT, axes, titled


def bins_figure(calibration: pd.DataFrame, said: str, ax: Any = None) -> Any:
    """Mean distance by confidence, with its interval and the number of answers."""
    ax = ax if ax is not None else axes(2.6)
    at, error = calibration["confidence"], calibration["error"]
    half = np.nan_to_num(calibration["margin"].to_numpy(float))
    ax.errorbar(at, error, yerr=half, fmt="o-", color=INK, ecolor=SOFT, linewidth=1.2, markersize=6)
    for row in calibration.itertuples():
        ax.annotate(
            f"n {row.n:,}", (row.confidence, 0), fontsize=8, color=SOFT, ha="center", va="bottom"
        )
    ax.set_xticks(at)
    ax.margins(x=0.07)
    ax.set_ylim(0, 1.25 * float((error + half).max()))
    ax.set_xlabel("stated confidence, %")
    ax.set_ylabel("points from the others")
    ax.grid(axis="y", color=LINE, linewidth=0.5)
    return titled(ax, said)
