"""A small matrix with its figures in the cells: raters, confusions, breakdowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from .draw import ON_DARK, ON_LIGHT, SOFT, WIDTH, axes, name, style, titled

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
    wide = min(WIDTH + 0.5, max(4.2, 1.9 + 0.75 * len(table.T)))
    ax = ax if ax is not None else axes(1.15 + 0.33 * len(table), wide)
    finite = cells[np.isfinite(cells)]
    low = float(finite.min()) if low is None and len(finite) else low or 0.0
    high = float(finite.max()) if high is None and len(finite) else high or 1.0
    shown = np.vectorize(lambda value: write(value) if np.isfinite(value) else "", otypes=[str])
    with style():
        seaborn.heatmap(
            cells,
            ax=ax,
            annot=shown(cells) if cells.size else False,
            fmt="",
            annot_kws={"fontsize": 9},
            cmap=LinearSegmentedColormap.from_list("cells", [PALE, DEEP]),
            vmin=low,
            vmax=high if high > low else low + 1,
            cbar=False,
            linewidths=0.8,
            linecolor=SOFT,
            xticklabels=[name(column, 14) for column in table.columns],
            yticklabels=[name(row, 22) for row in table.index],
        )
    middle = low + 0.55 * (high - low)
    for text in ax.texts:
        value = cells[int(text.get_position()[1]), int(text.get_position()[0])]
        text.set_color(ON_DARK if value > middle else ON_LIGHT)
    ax.set_xlabel(columns)
    ax.set_ylabel(rows)
    ax.tick_params(axis="y", rotation=0)
    crowded = max((len(str(column)) for column in table.columns), default=0) > 10
    ax.tick_params(axis="x", rotation=0, length=0, labelsize=7.8 if crowded else 9)
    return titled(ax, said)
