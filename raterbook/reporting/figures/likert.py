"""Diverging bars: how the answers to each question spread over its scale."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pandas as pd

from .draw import INK, SOFT, axes, folded, ink_on, titled

LEGEND = 58  # letters on one line of it
# From dark to light, so that order survives greyscale: a low score is the dark end.
STOPS = ("#7f2704", "#c4561b", "#e9b184", "#c3d6e8", "#e9f1f8")
# Labels are no better or worse than one another: one hue, from light to dark.
PLAIN = ("#e9f1f8", "#a9c0da", "#6f93bd", "#3d679b", "#173a66")


def colours(levels: int, ordered: bool = True) -> list[str]:
    """As many steps of colour as there are levels, apart in greyscale too."""
    stops = STOPS if ordered else PLAIN[: max(levels, 3)]
    ramp = matplotlib.colors.LinearSegmentedColormap.from_list("levels", stops)
    return [matplotlib.colors.to_hex(ramp(step)) for step in np.linspace(0, 1, levels)]


def likert_figure(
    shares: pd.DataFrame, labels: dict[str, str], said: str, ordered: bool = True, ax: Any = None
) -> Any:
    """One bar a question; ordered scales are centred on their middle, labels start at the left."""
    levels = len(shares.columns)
    letters = sum(len(labels.get(str(level), str(level))) + 5 for level in shares.columns)
    lines = -(-letters // LEGEND)
    across = -(-levels // lines)
    ax = ax if ax is not None else axes(0.62 + 0.36 * len(shares) + 0.2 * lines)
    values = shares.to_numpy()[::-1]
    middle = (levels - 1) / 2
    weights = np.clip(middle - np.arange(levels) + 0.5, 0, 1) if ordered else np.zeros(levels)
    left = -(values * weights).sum(axis=1)
    paints = colours(levels, ordered)
    for index, level in enumerate(shares.columns):
        width = values[:, index]
        ink = ink_on(paints[index])
        ax.barh(
            range(len(values)),
            width,
            left=left,
            color=paints[index],
            edgecolor=SOFT,
            linewidth=0.5,
            height=0.72,
            label=labels.get(str(level), str(level)),
        )
        for place, (start, share) in enumerate(zip(left, width, strict=True)):
            if share >= 0.045:
                ax.text(
                    start + share / 2,
                    place,
                    f"{100 * share:.0f}",
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    color=ink,
                )
        left = left + width
    ax.set_yticks(range(len(values)), [folded(row) for row in shares.index[::-1]])
    if ordered:
        ax.axvline(0, color=INK, linewidth=0.8, zorder=0)  # behind: it would strike figures out
    ax.set_xticks([])
    ax.margins(x=0.02)
    ax.tick_params(axis="y", pad=6)
    ax.spines[["bottom", "left"]].set_visible(False)
    ax.legend(
        ncols=across,
        loc="upper left",
        bbox_to_anchor=(0, -0.02),
        frameon=False,
        labelcolor=INK,
        fontsize=8.5,
        handlelength=1,
        handleheight=1,
        columnspacing=1.2,
        borderpad=0,
    )
    return titled(ax, said)
