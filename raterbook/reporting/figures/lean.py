"""Each rater against the others: severe to the left, lenient to the right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..words import signed
from .draw import ACCENT, INK, LINE, SOFT, axes, name, titled

LEAST = 0.25  # points to each side at least, so that trifles look like trifles


def lean_figure(leans: pd.DataFrame, said: str, ax: Any = None) -> Any:
    """The lean with its interval; a hollow arrow from the first to the last third of the round."""
    ax = ax if ax is not None else axes(1.15 + 0.36 * len(leans))
    arrows = False
    for place, row in enumerate(leans.itertuples()):
        ax.plot([row.low, row.high], [place] * 2, color=INK, linewidth=2.4, solid_capstyle="butt")
        ax.plot(row.lean, place, "o", color=INK, markersize=7)
        if np.isfinite(row.early) and abs(row.late - row.early) > 0.05:
            arrows = True
            ax.annotate(
                "",
                (row.late, place - 0.27),
                (row.early, place - 0.27),
                arrowprops={"arrowstyle": "->", "color": SOFT, "linewidth": 1},
            )
        ax.text(
            1.02,
            place,
            signed(row.lean),
            va="center",
            color=INK,
            fontsize=9,
            transform=ax.get_yaxis_transform(),
        )
    ax.axvline(0, linestyle=":", color=ACCENT, linewidth=1.5, zorder=0)
    ax.set_yticks(range(len(leans)), [name(rater) for rater in leans["rater"]])
    ax.set_ylim(-0.6, len(leans) - 0.4)
    ends = leans[["lean", "low", "high", "early", "late"]].to_numpy(float)
    reach = max(np.nanmax(np.abs(ends)), LEAST) if np.isfinite(ends).any() else 0.5
    ax.set_xlim(-1.15 * reach - 0.05, 1.15 * reach + 0.05)
    arrow = "\narrow: from the first third of the items to the last" if arrows else ""
    ax.set_xlabel(f"points against the others{arrow}")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    return titled(ax, said)
