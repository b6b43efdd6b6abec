"""Burn-up: the ratings so far against all that were planned."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .draw import ACCENT, INK, LINE, axes, titled


def burnup_figure(curve: pd.DataFrame, unit: str, planned: int, said: str, ax: Any = None) -> Any:
    """Every sitting is a step; the dotted line is the plan, where there is one."""
    ax = ax if ax is not None else axes(2.1)
    last = curve.iloc[-1]
    ax.step(curve["time"], curve["ratings"], where="post", color=INK, linewidth=1.8)
    ax.plot(last["time"], last["ratings"], "o", color=INK, markersize=5)
    if planned:
        ax.axhline(planned, linestyle=":", color=ACCENT, linewidth=1.5)
        ax.annotate(
            f"planned: {planned:,}",
            (0, planned),
            (4, 3),
            textcoords="offset points",
            fontsize=8.5,
            color=ACCENT,
            va="bottom",
        )
    ax.set_xlim(0, 1.04 * last["time"])
    ax.set_ylim(0, 1.18 * max(planned, last["ratings"]))
    ax.set_xlabel(f"{unit} since the first answer")
    ax.set_ylabel("ratings")
    ax.grid(axis="y", color=LINE, linewidth=0.5)
    return titled(ax, said)
