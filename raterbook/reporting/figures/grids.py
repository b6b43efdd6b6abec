"""A small matrix with its figures in the cells: raters, confusions, breakdowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
import pandas as pd

from .draw import INK, SOFT, WIDTH, axes, folded, ink_on, name, style, titled

SMALL = 7.4  # points; smaller words below columns are set aslant instead
PALE, DEEP = "#f3f6fa", "#1d4f8b"


def heat_figure(
    table: pd.DataFrame,
    said: str,
    write: Callable[[float], str],
    rows: str = "",
    columns: str = "",
    low: float | None = None,
    high: float | None = None,
    ax: Any = None,
) -> Any:
    """Darker is more; every cell carries its figure, so that colour is never needed."""
    import seaborn
    from matplotlib.colors import LinearSegmentedColormap

    cells = table.to_numpy(float)
    wide = min(WIDTH, max(3.9, 1.9 + 0.75 * len(table.T)))
    beside = [folded(row, 16) for row in table.index]
    below = [folded(column, 11, 3) for column in table.columns]
    size = letters(beside, below, wide)
    if aslant := size < SMALL:
        below = [name(column, 26) for column in table.columns]
    more = max((label.count("\n") for label in below), default=0)
    if aslant:  # they hang down by their length
        more = round(0.27 * max(map(len, below)))
    ax = ax if ax is not None else axes(1.15 + 0.33 * len(table) + 0.13 * more, wide)
    finite = cells[np.isfinite(cells)]
    low = float(finite.min()) if low is None and len(finite) else low or 0.0
    high = float(finite.max()) if high is None and len(finite) else high or 1.0
    shown = np.vectorize(lambda value: write(value) if np.isfinite(value) else "", otypes=[str])
    top = high if high > low else low + 1
    ramp = LinearSegmentedColormap.from_list("cells", [PALE, DEEP])
    with style():
        seaborn.heatmap(
            cells,
            ax=ax,
            annot=shown(cells) if cells.size else False,
            fmt="",
            annot_kws={"fontsize": 9},
            cmap=ramp,
            vmin=low,
            vmax=top,
            cbar=False,
            linewidths=0.8,
            linecolor=SOFT,
            xticklabels=below,
            yticklabels=beside,
        )
    for text in ax.texts:
        value = cells[int(text.get_position()[1]), int(text.get_position()[0])]
        text.set_color(ink_on(ramp((value - low) / (top - low))))
    ax.set_xlabel(columns)
    ax.set_ylabel(rows)
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(axis="x", rotation=0, length=0, labelsize=max(size, 8.5) if aslant else size)
    if aslant:
        for label in ax.get_xticklabels():
            label.set(rotation=28, ha="right", rotation_mode="anchor")
    return titled(ax, said)


def letters(beside: list[str], below: list[str], wide: float) -> float:
    """The size at which the longest word below a column fits its column, in points."""
    left = 0.45 + 0.075 * max((len(line) for row in beside for line in row.split("\n")), default=0)
    longest = max((len(line) for column in below for line in column.split("\n")), default=1)
    room = (wide - left) / max(len(below), 1)
    return float(np.clip(9 * room / (0.088 * max(longest, 1)), 5, 9))


# Diverging bars: how the answers to each question spread over its scale.


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
