"""Two axes: a matrix with its figures, two raters item by item, and numbers over time or rounds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..html import one_line
from ..leanings import Apart
from ..words import signed
from . import (
    ACCENT,
    INK,
    LINE,
    SOFT,
    WIDTH,
    axes,
    folded,
    folds,
    grow,
    ink_on,
    legend_above,
    name,
    names,
    style,
    titled,
)

# A small matrix with its figures in the cells: raters, confusions, breakdowns.


SIDE = 5  # letters beside a row
SMALL = 7.4  # points; smaller words below columns are set aslant instead
PALE, DEEP = "#f3f6fa", "#1d4f8b"


def heat_figure(
    table: pd.DataFrame,
    said: str,
    write: Callable[[float], str],
    called: tuple[str, str] = ("", ""),
    ends: tuple[float, float] | None = None,
) -> Any:
    """Darker is more; every cell carries its figure, so that colour is never needed.

    `called` is what rows and columns stand for, `ends` the palest and the deepest value, else
    those of the table.
    """
    import seaborn
    from matplotlib.colors import LinearSegmentedColormap

    cells = table.to_numpy(float)
    wide = min(WIDTH, max(3.9, 1.9 + 0.75 * len(table.T)))
    beside, below = folds(table.index, 16), folds(table.columns, 11, 3)
    size = letters(beside, below, wide)
    if aslant := size < SMALL:
        below = names(table.columns, 26)
    more = max((label.count("\n") for label in below), default=0)
    if aslant:  # they hang down by their length
        more = round(0.27 * max(map(len, below)))
    ax = axes(1.15 + 0.33 * len(table) + 0.13 * more, wide)
    finite = cells[np.isfinite(cells)]
    seen = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    low, high = ends or seen
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
    rows, columns = (one_line(each) for each in called)
    if len(rows) <= SIDE * (1 + len(table)):
        ax.set_ylabel(rows)
        ax.set_xlabel(folded(columns, 44))
    else:  # it would stand in the title
        ax.set_xlabel(f"rows: {name(rows, 40)}\ncolumns: {name(columns, 40)}")
        grow(ax, 0.17)
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


# Differences against their mean (Bland and Altman): is one rater off, and by how much where.


MOST = 300  # dots; more hide each other and make the page heavy


def apart_figure(found: Apart, first: str, second: str, said: str) -> Any:
    """A dot an item, moved a little aside; the mean difference, and 1.96 deviations either way."""
    ax = axes(2.9)
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
    both = names([first, second], 14)
    ax.set_ylabel((" − " if sum(map(len, both)) < SIDE * 4 else " −\n").join(both))
    ax.grid(axis="y", color=LINE, linewidth=0.5)
    return titled(ax, said)


def jitter(many: int, width: float) -> np.ndarray:
    """Small steps aside that are the same on every run and never repeat."""
    golden = 0.6180339887498949
    return width * ((np.arange(1, many + 1) * golden) % 1 - 0.5)


# Does stated confidence mean anything: distance from the others by how sure a rater was.


def bins_figure(calibration: pd.DataFrame, said: str) -> Any:
    """Mean distance by confidence, with its interval and the number of answers."""
    ax = axes(2.6)
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


# Is a model as often right as it says it is: the share met by stated confidence.


def reliability_figure(bins: pd.DataFrame, said: str) -> Any:
    """A dot a bin with its interval; the dotted line is confidence that is right."""
    ax = axes(2.9)
    at, met = 100 * bins["confidence"], 100 * bins["met"]
    low, high = (100 * bins[end].astype(float).fillna(bins["met"]) for end in ("low", "high"))
    reach = [(met - low).clip(lower=0), (high - met).clip(lower=0)]
    ax.plot([0, 100], [0, 100], linestyle=":", color=ACCENT, linewidth=1.5, zorder=0)
    ax.errorbar(at, met, yerr=reach, fmt="o-", color=INK, ecolor=SOFT, linewidth=1.2, markersize=5)
    ax.set_xlim(max(0.0, float(at.min()) - 8), min(102.0, float(at.max()) + 8))
    ax.set_ylim(0, 102)
    ax.set_xlabel("stated confidence, %")
    ax.set_ylabel("another says the same, %")
    ax.grid(axis="y", color=LINE, linewidth=0.5)
    return titled(ax, said)


# Burn-up: the ratings so far against all that were planned.


def burnup_figure(curve: pd.DataFrame, unit: str, planned: int, said: str) -> Any:
    """Every sitting is a step; the dotted line is the plan, where there is one."""
    ax = axes(2.1)
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


# Numbers over rounds in small multiples; a line breaks where the wording changed.


ACROSS = 3


def trend_figure(panels: list[dict[str, Any]], rounds: list[str], said: str) -> Any:
    """`panels` hold title and points (round index, estimate, low, high, wording)."""
    down = -(-len(panels) // ACROSS)
    grid = axes(0.6 + 1.3 * down, WIDTH, nrows=down, ncols=ACROSS, squeeze=False, sharey=False)
    lows = [p["estimate"] if p["low"] is None else p["low"] for q in panels for p in q["points"]]
    bottom = min(0.0, *lows) if min(lows) < 0.2 else min(lows) - 0.05
    titles = folds((panel["title"] for panel in panels), 19)
    for ax, panel, title in zip(grid.flat, panels, titles, strict=False):
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
            ax.plot(point["at"], point["estimate"], "o", color=INK, markersize=5, clip_on=False)
        if panel["key"][0].startswith("alpha_"):
            ax.set_ylim(bottom, 1)  # one scale, so that the panels can be compared
        ax.set_title(title, fontsize=9.5, fontweight="normal", pad=4)
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


# How wide an interval is to be in rounds of other sizes.


def width_figure(curves: pd.DataFrame, pilot: int, wanted: float | None, said: str) -> Any:
    """Width by items: a line for these raters, a broken one for raters like these."""
    ax = axes(2.9)
    own = curves.dropna(subset=["width"])
    like = own.dropna(subset=["width_like"])
    ax.plot(own["items"], own["width"], color=INK, linewidth=1.8, label="these raters")
    if len(like):
        ax.plot(
            like["items"], like["width_like"], "--", color=SOFT, linewidth=1.5,
            label="raters like these",
        )  # fmt: skip
    ax.axvline(pilot, linestyle=":", color=SOFT, linewidth=1)
    ax.annotate(
        "this round", (pilot, 0), (3, 3), textcoords="offset points", fontsize=8, color=SOFT
    )
    if wanted is not None:
        ax.axhline(wanted, linestyle=":", color=ACCENT, linewidth=1.5)
        ax.annotate(
            f"wanted: {wanted:g}", (float(own["items"].max()), wanted), (0, 3),
            textcoords="offset points", fontsize=8.5, color=ACCENT, ha="right",
        )  # fmt: skip
    top = max(float(own["width"].max()), float(like["width_like"].max()) if len(like) else 0.0)
    ax.set_ylim(0, 1.1 * max(top, wanted or 0.0))
    ax.set_xscale("log")
    ax.set_xticks(*_sizes_on(own["items"]))
    ax.minorticks_off()
    ax.set_xlabel("items")
    ax.set_ylabel("width of the interval")
    ax.grid(axis="y", color=LINE, linewidth=0.5)
    legend_above(ax, 2)
    return titled(ax, said)


def _sizes_on(items: pd.Series) -> tuple[list[int], list[str]]:
    """Round numbers along the axis, five or six of them."""
    low, high = float(items.min()), float(items.max())
    every = [each * 10**power for power in range(8) for each in (1, 2, 5)]
    there = [each for each in every if low <= each <= high] or [int(low)]
    return there, [f"{each:,}" for each in there]
