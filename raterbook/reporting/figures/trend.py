"""Numbers over rounds in small multiples; a line breaks where the wording changed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .draw import INK, LINE, SOFT, WIDTH, axes, folded, titled

ACROSS = 3


def trend_figure(panels: list[dict[str, Any]], rounds: list[str], said: str) -> Any:
    """`panels` hold title and points (round index, estimate, low, high, wording)."""
    down = -(-len(panels) // ACROSS)
    grid = axes(0.6 + 1.3 * down, WIDTH, nrows=down, ncols=ACROSS, squeeze=False, sharey=False)
    lows = [p["estimate"] if p["low"] is None else p["low"] for q in panels for p in q["points"]]
    bottom = min(0.0, *lows) if min(lows) < 0.2 else min(lows) - 0.05
    for ax, panel in zip(grid.flat, panels, strict=False):
        points = panel["points"]
        for start, end in pairwise(points):
            if start["wording"] != end["wording"]:
                ax.axvline((start["at"] + end["at"]) / 2, linestyle=":", color=SOFT)
                continue
            pair = [start, end]
            ax.plot([p["at"] for p in pair], [p["estimate"] for p in pair], color=INK)
            if all(p["low"] is not None for p in pair):
                ax.fill_between(
                    [p["at"] for p in pair],
                    [p["low"] for p in pair],
                    [p["high"] for p in pair],
                    color=LINE,
                    alpha=0.6,
                    linewidth=0,
                )
        for point in points:
            if point["low"] is not None:
                ax.plot([point["at"]] * 2, [point["low"], point["high"]], color=SOFT, linewidth=1)
            ax.plot(point["at"], point["estimate"], "o", color=INK, markersize=5)
        if panel["key"][0].startswith("alpha_"):
            ax.set_ylim(bottom, 1)  # one scale, so that the panels can be compared
        ax.set_title(folded(panel["title"], 19), fontsize=9.5, fontweight="normal", pad=4)
        ax.set_xticks(
            range(len(rounds)),
            [str(number + 1) for number in range(len(rounds))],
            fontsize=8,
        )
        ax.set_xlim(-0.4, len(rounds) - 0.6)
        ax.grid(axis="y", color=LINE, linewidth=0.5)
    for ax in list(grid.flat)[len(panels) :]:
        ax.set_axis_off()
    titled(np.asarray(grid).flat[0], said)
    return grid
