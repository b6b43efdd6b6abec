"""Differences against their mean (Bland and Altman): is one rater off, and by how much where."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tables.apart import Apart, jitter
from ..words import signed
from .draw import ACCENT, INK, LINE, SOFT, axes, name, titled

MOST = 300  # dots; more hide each other and make the page heavy


def apart_figure(found: Apart, first: str, second: str, said: str, ax: Any = None) -> Any:
    """One dot an item, moved a little aside; the mean difference and where 95 % of items lie."""
    ax = ax if ax is not None else axes(2.9)
    points = found.points
    if len(points) > MOST:
        points = points.iloc[np.linspace(0, len(points) - 1, MOST).round().astype(int)]
    reach = float(points["gap"].abs().max()) or 1.0
    middle = points["middle"] + jitter(len(points), 0.05)
    gap = points["gap"] + jitter(len(points), 0.04 * reach)[::-1]
    ax.plot(middle, gap, "o", color=SOFT, markersize=3.6, markerfacecolor="none", zorder=1)
    ax.axhline(0, linestyle=":", color=ACCENT, linewidth=1.5, zorder=0)
    lines = ((found.bias, "-", "mean"), (found.low, "--", ""), (found.high, "--", ""))
    for value, dash, word in lines:
        ax.axhline(value, linestyle=dash, color=INK, linewidth=1.2)
        ax.text(
            1.02,
            value,
            f"{word} {signed(value)}".strip(),
            va="center",
            color=INK,
            fontsize=8.5,
            transform=ax.get_yaxis_transform(),
        )
    ends = [found.low, found.high, float(gap.min()), float(gap.max()), 0.0]
    room = 0.08 * (max(ends) - min(ends))
    ax.set_ylim(min(ends) - room, max(ends) + room)
    ax.set_xlabel("mean of the two")
    ax.set_ylabel(f"{name(first, 14)} − {name(second, 14)}")
    ax.grid(axis="y", color=LINE, linewidth=0.5)
    return titled(ax, said)
