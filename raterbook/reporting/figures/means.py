"""Plain and weighted means with their intervals, over a strip of the items' own means."""

from __future__ import annotations

from typing import Any

import numpy as np

from .draw import INK, LINE, PAPER, SOFT, axes, folded, legend_above, titled

BINS = 48  # twelve to a point of a five-point scale
MARKS = (
    ("mean", "plain mean", "o", INK, 0.24),
    ("weighted", "weighted by confidence", "D", PAPER, 0.02),
)


def means_figure(
    rows: list[dict[str, Any]], ends: tuple[float, float], said: str, ax: Any = None
) -> Any:
    """`rows` hold label, items (an array), mean and weighted, each (estimate, low, high)."""
    ax = ax if ax is not None else axes(1.15 + 0.47 * len(rows))
    for place, row in enumerate(reversed(rows)):
        strip(ax, row["items"], ends, place - 0.42)
        for kind, words, sign, fill, up in MARKS:
            value, low, high = row[kind]
            if low is not None:
                ax.plot([low, high], [place + up] * 2, color=SOFT, linewidth=1.6, zorder=1)
            ax.plot(
                value,
                place + up,
                sign,
                color=INK,
                markerfacecolor=fill,
                markersize=6 if sign == "o" else 5.2,
                markeredgewidth=1.2,
                zorder=2,
                label=words if place == 0 else None,
            )
    ax.set_yticks(range(len(rows)), [folded(row["label"]) for row in reversed(rows)])
    ax.set_ylim(-0.5, len(rows) - 0.45)
    room = 0.02 * (ends[1] - ends[0])
    ax.set_xlim(ends[0] - room, ends[1] + room)
    ax.set_xlabel("score  ·  strip: the means of the single items")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    legend_above(ax, 2)
    return titled(ax, said)


def strip(ax: Any, items: np.ndarray, ends: tuple[float, float], foot: float) -> None:
    """One upright mark a bin, as high as it has items: one path, however many items there are."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    many, edges = np.histogram(items, BINS, ends)
    at = ((edges[1:] + edges[:-1]) / 2)[many > 0]
    high = foot + 0.3 * many[many > 0] / max(int(many.max()), 1)
    if not len(at):
        return
    corners = np.column_stack([np.repeat(at, 2), np.ravel([np.full(len(at), foot), high], "F")])
    codes = np.tile([Path.MOVETO, Path.LINETO], len(at))
    ax.add_patch(PathPatch(Path(corners, codes), edgecolor=SOFT, linewidth=2.2, zorder=1))
