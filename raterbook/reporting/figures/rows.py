"""A line a question, rater or system: estimates with their intervals, and shares as bars."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pandas as pd

from ...numbers.number import is_carried
from ...protocols.statistics import FIRM, TENTATIVE
from ..words import DECIDED, count, estimated, judged, listing, name_of, number, signed
from . import ACCENT, INK, LINE, PAPER, SOFT, axes, folds, ink_on, legend_above, names, titled

# A coefficient for each question with both its intervals, and the usual thresholds.


# Krippendorff's customary bounds: conclusions from .8, tentative ones from .667.
THRESHOLDS = {TENTATIVE: "tentative .667", FIRM: "firm .8"}
ALIKE = 0.05  # a smaller difference ranks nothing


def forest_figure(rows: list[dict[str, Any]], exact: dict[str, float]) -> Any:
    """Thick: for these raters; thin: for raters like these. Exact agreement stands at the right."""
    rows = sorted(rows, key=lambda row: row["estimate"])
    ax = axes(1.25 + 0.34 * len(rows))
    for place, row in enumerate(rows):
        if row["low_like"] is not None:
            ax.plot([row["low_like"], row["high_like"]], [place] * 2, color=SOFT, linewidth=1)
        if row["low"] is not None:
            ax.plot(
                [row["low"], row["high"]],
                [place] * 2,
                color=INK,
                linewidth=3.2,
                solid_capstyle="butt",
            )
        # At the end of the scale a mark is drawn whole.
        ax.plot(row["estimate"], place, "o", color=INK, markersize=6.5, clip_on=False)
        if row["question"] in exact:
            ax.text(
                1.03,
                place,
                number(exact[row["question"]], "percent_agreement"),
                va="center",
                color=INK,
                fontsize=9,
                transform=ax.get_yaxis_transform(),
            )
    for bound, words in THRESHOLDS.items():
        ax.axvline(bound, linestyle=":", color=ACCENT, linewidth=1.3, zorder=0)
        side = 1 if bound == FIRM else -1
        ax.annotate(
            words,
            (bound, len(rows) - 0.42),
            (3 * side, 0),
            textcoords="offset points",
            fontsize=8,
            color=ACCENT,
            ha="right" if side < 0 else "left",
            va="bottom",
        )
    if exact:
        ax.text(
            1.03,
            len(rows) - 0.42,
            "exact",
            fontsize=8,
            color=SOFT,
            va="bottom",
            transform=ax.get_yaxis_transform(),
        )
    ax.set_yticks(range(len(rows)), line_names(rows))
    ax.set_ylim(-0.6, len(rows) - 0.1)
    lows = [row[end] for row in rows for end in ("low", "low_like", "estimate")]
    ax.set_xlim(min(-0.02, *(low for low in lows if low is not None)), 1)
    like = any(row["low_like"] is not None for row in rows)
    which = "thick: these raters, thin: raters like these" if like else "lines: these raters"
    ax.set_xlabel(f"{name_of(usual(rows))}\n{which}")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    return titled(ax, forest_finding(rows))


def nearest_figure(rows: list[dict[str, Any]], said: str) -> Any:
    """A line a model, the nearest at the top: how often it is as near to the others as a person."""
    rows = rows[::-1]
    ax = axes(1.15 + 0.34 * len(rows))
    for place, row in enumerate(rows):
        if row["low_like"] is not None:
            ax.plot([row["low_like"], row["high_like"]], [place] * 2, color=SOFT, linewidth=1)
        if row["low"] is not None:
            ends = [row["low"], row["high"]]
            ax.plot(ends, [place] * 2, color=INK, linewidth=3.2, solid_capstyle="butt")
        ax.plot(row["advantage"], place, "o", color=INK, markersize=6.5, clip_on=False)
    ax.set_yticks(range(len(rows)), folds(row["model"] for row in rows))
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    like = any(row["low_like"] is not None for row in rows)
    which = "thick: these raters, thin: raters like these" if like else "lines: these raters"
    ax.set_xlabel(f"as near to the others as a person\n{which}")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    return titled(ax, said)


def usual(rows: list[dict[str, Any]]) -> str:
    """The coefficient most questions have, else the first; the scales of the others differ."""
    kinds = [row["statistic"] for row in rows]
    return max(dict.fromkeys(kinds), key=kinds.count)


def line_names(rows: list[dict[str, Any]]) -> list[str]:
    """A question with another coefficient than the axis names says so."""
    return [
        label
        if row["statistic"] == usual(rows)
        else f"{label}\n({row['statistic'].removeprefix('alpha_')})"
        for row, label in zip(rows, folds(row["label"] for row in rows), strict=True)
    ]


def forest_finding(rows: list[dict[str, Any]]) -> str:
    """Best and worst in words, among questions on one kind of scale; of the others their α."""
    alike = [row for row in rows if row["statistic"] == usual(rows)]
    others = [row for row in rows if row["statistic"] != usual(rows)]
    best = max(alike, key=lambda row: row["estimate"])
    worst = min(alike, key=lambda row: row["estimate"])
    low, high = (f"α\u00a0{judged(row['estimate'], bound_of)}" for row in (worst, best))
    beside = ""
    if others:
        found = sorted(row["estimate"] for row in others)
        names = listing([row["label"] for row in others], limit=3)
        span = " to ".join(dict.fromkeys(number(value) for value in (found[0], found[-1])))
        beside = f"; on {names} α\u00a0{span}"
    sure = all(is_carried(row, bound_of) for row in alike)
    begun = "Agreement" if sure else "By the estimate alone, agreement"
    if len(alike) == 1:
        said = f"{begun} on {best['label']} {bound_of(best['estimate'])}: {high}"
        return said + (", without an interval" if best["low"] is None else "") + beside
    near = best["estimate"] - worst["estimate"] < ALIKE
    if near and bound_of(best["estimate"]) == bound_of(worst["estimate"]):
        what = "both questions" if len(alike) == 2 else f"all {len(alike)} questions"
        if others:
            what = listing([row["label"] for row in alike], limit=3)
        span = low if low == high else f"{low} to {judged(best['estimate'], bound_of)}"
        said = f"{begun} on {what} {bound_of(worst['estimate'])}: {span}"
        none = all(row["low"] is None for row in alike)
        return said + (", without intervals" if none else "") + beside
    said = f"Agreement is highest on {best['label']} ({high}), lowest on {worst['label']} ({low})"
    if others:  # the α of another kind of scale may lie higher, and ranks nothing
        said = f"Of {len(alike)} questions on like scales, agreement is highest on "
        said += f"{best['label']} ({high}), lowest on {worst['label']} ({low})"
    ends = best["low"], worst["high"]
    if None in ends:
        return f"{said}, without intervals{beside}"
    return (said if ends[0] > ends[1] else f"{said}; their intervals overlap") + beside


def bound_of(value: float) -> str:
    """Where a value lies against the customary bounds."""
    if value >= FIRM:
        return "reaches the firm bound"
    return (
        "lies between tentative and firm" if value >= TENTATIVE else "is below the tentative bound"
    )


# Estimates with their intervals against the targets.


def targets_figure(targets: list[dict[str, Any]]) -> Any:
    """One line a target: the estimate, its interval, and the bound as a dotted mark."""
    ax = axes(0.95 + 0.62 * len(targets))
    span = [t[end] for t in targets for end in ("low", "high", "value", "target")]
    known = [value for value in span if value is not None]
    room = 0.12 * ((max(known) - min(known)) or 1.0)
    first, last = min(known) - room, max(known) + room
    for place, target in enumerate(reversed(targets)):
        value, low, high = target["value"], target["low"], target["high"]
        if low is not None and high is not None:
            ax.plot([low, high], [place] * 2, color=INK, linewidth=2.4, solid_capstyle="butt")
        ax.plot(value, place, "o", color=INK, markersize=7)
        bound = target["target"]
        ax.plot([bound] * 2, [place - 0.3, place + 0.3], ":", color=ACCENT, linewidth=2)
        sign = "≥" if target["direction"] == "at_least" else "≤"
        ax.text(
            bound,
            place + 0.34,
            f"target {sign} {number(bound, target['statistic'])}",
            fontsize=8.5,
            color=ACCENT,
            ha=_inward(bound, first, last),
            va="bottom",
        )
        ax.text(
            value,
            place - 0.16,
            estimated(target),
            fontsize=8.5,
            color=INK,
            ha="left" if value >= bound else "right",  # away from the bound
            va="top",
        )
    called = folds(target["name"] for target in targets)
    labels = [
        f"{label}\n{DECIDED[target['verdict']]}"
        for label, target in zip(called[::-1], reversed(targets), strict=True)
    ]
    ax.set_yticks(range(len(targets)), labels)
    ax.set_ylim(-0.6, len(targets) - 0.25)
    ax.set_xlim(first, last)
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    ax.tick_params(axis="x", labelcolor=SOFT)
    return titled(ax, targets_finding(targets))


def _inward(value: float, first: float, last: float) -> str:
    """How words stand at a value between the ends of an axis, so that they cross neither."""
    share = (value - first) / (last - first)
    return "left" if share < 1 / 6 else "right" if share > 5 / 6 else "center"


def targets_finding(targets: list[dict[str, Any]]) -> str:
    """“1 of 3 targets met, 2 not decided.”"""
    if all(target["verdict"] == "undecided" for target in targets):
        return (
            "The target is not decided"
            if len(targets) == 1
            else (f"None of the {len(targets)} targets is decided")
        )
    said = [
        f"{found} {words}"
        for verdict, words in DECIDED.items()
        if (found := sum(target["verdict"] == verdict for target in targets))
    ]
    return f"Of {count(len(targets), 'target')}: " + ", ".join(said)


# Systems side by side: one line a question, one sign a system, with intervals.


SIGNS = ("o", "D", "s", "^", "v", "P", "X", "*")


def dots_figure(rows: list[dict[str, Any]], systems: list[str], said: str, xlabel: str) -> Any:
    """`rows` hold line, system, estimate, low, high; the first system is filled, others hollow."""
    lines = list(dict.fromkeys(row["line"] for row in rows))
    ax = axes(1.3 + (0.14 + 0.15 * len(systems)) * len(lines))
    step = 0.62 / max(len(systems), 1)
    called = names(systems)
    for row in rows:
        at = systems.index(row["system"])
        place = len(lines) - 1 - lines.index(row["line"]) + 0.31 - step * (at + 0.5)
        if row["low"] is not None:
            ax.plot([row["low"], row["high"]], [place] * 2, color=SOFT, linewidth=1.6, zorder=1)
        ax.plot(
            row["estimate"],
            place,
            SIGNS[at % len(SIGNS)],
            color=INK,
            markersize=6.5,
            markerfacecolor=INK if at == 0 else PAPER,
            markeredgewidth=1.3,
            zorder=2,
            label=called[at] if row["line"] == lines[0] else None,
        )
    ax.set_yticks(range(len(lines)), folds(lines[::-1]))
    ax.set_ylim(-0.55, len(lines) - 0.45)
    ax.set_xlabel(xlabel)
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    if len(systems) > 1:
        legend_above(ax, 4)
    return titled(ax, said)


# Plain and weighted means with their intervals, over a strip of the items' own means.


BINS = 48  # twelve to a point of a five-point scale
MARKS = (
    ("mean", "plain mean", "o", INK, 0.24),
    ("weighted", "weighted by confidence", "D", PAPER, 0.02),
)


def means_figure(rows: list[dict[str, Any]], ends: tuple[float, float], said: str) -> Any:
    """`rows` hold label, items (an array), mean and weighted, each (estimate, low, high)."""
    ax = axes(1.15 + 0.47 * len(rows))
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
    ax.set_yticks(range(len(rows)), folds(row["label"] for row in reversed(rows)))
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


# Each rater against the others: severe to the left, lenient to the right.


LEAST = 0.25  # points to each side at least, so that trifles look like trifles


def at_the_side(ax: Any, place: float, text: str) -> None:
    """A number to the right of its line, outside the axes."""
    ax.text(
        1.02, place, text, va="center", color=INK, fontsize=9, transform=ax.get_yaxis_transform()
    )


def lean_figure(leans: pd.DataFrame, said: str) -> Any:
    """The lean with its interval; a hollow arrow from the first to the last third of the round."""
    ax = axes(1.15 + 0.36 * len(leans))
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
        at_the_side(ax, place, signed(row.lean))
    ax.axvline(0, linestyle=":", color=ACCENT, linewidth=1.5, zorder=0)
    ax.set_yticks(range(len(leans)), names(leans["rater"]))
    ax.set_ylim(-0.6, len(leans) - 0.4)
    ends = leans[["lean", "low", "high", "early", "late"]].to_numpy(float)
    reach = max(np.nanmax(np.abs(ends)), LEAST) if np.isfinite(ends).any() else 0.5
    ax.set_xlim(-1.15 * reach - 0.05, 1.15 * reach + 0.05)
    arrow = "\narrow: from the first third of the items to the last" if arrows else ""
    ax.set_xlabel(f"points against the others{arrow}")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    return titled(ax, said)


def strict_figure(rows: pd.DataFrame, said: str) -> Any:
    """Severities with their intervals, the strict to the left as in the figure of leans."""
    ax = axes(1.15 + 0.36 * len(rows))
    for place, row in enumerate(rows[::-1].itertuples()):
        ax.plot([row.low, row.high], [place] * 2, color=INK, linewidth=2.4, solid_capstyle="butt")
        ax.plot(row.severity, place, "o", color=INK, markersize=7)
        at_the_side(ax, place, signed(row.severity))
    ax.axvline(0, linestyle=":", color=ACCENT, linewidth=1.5, zorder=0)
    ax.set_yticks(range(len(rows)), names(rows["called"][::-1]))
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ends = rows[["severity", "low", "high"]].to_numpy(float)
    reach = 1.15 * max(float(np.nanmax(np.abs(ends))), LEAST)
    ax.set_xlim(reach, -reach)
    ax.set_xlabel("severity in logits: strict to the left, lenient to the right")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    return titled(ax, said)


# Diverging bars: how the answers to each question spread over its scale.


ACROSS = 58  # letters on one line of the legend
# From dark to light, so that order survives greyscale: a low score is the dark end.
STOPS = ("#7f2704", "#c4561b", "#e9b184", "#c3d6e8", "#e9f1f8")
# Labels are no better or worse than one another: one hue, from light to dark.
HUE = ("#e9f1f8", "#a9c0da", "#6f93bd", "#3d679b", "#173a66")


def colours(levels: int, ordered: bool = True) -> list[str]:
    """As many steps of colour as there are levels, apart in greyscale too."""
    stops = STOPS if ordered else HUE[: max(levels, 3)]
    ramp = matplotlib.colors.LinearSegmentedColormap.from_list("levels", stops)
    return [matplotlib.colors.to_hex(ramp(step)) for step in np.linspace(0, 1, levels)]


def likert_figure(
    shares: pd.DataFrame, labels: dict[str, str], said: str, ordered: bool = True
) -> Any:
    """One bar a question; ordered scales are centred on their middle, labels start at the left."""
    levels = len(shares.columns)
    letters = sum(len(labels.get(str(level), str(level))) + 5 for level in shares.columns)
    lines = -(-letters // ACROSS)
    across = -(-levels // lines)
    ax = axes(0.62 + 0.36 * len(shares) + 0.2 * lines)
    values = shares.to_numpy()[::-1]
    middle = (levels - 1) / 2
    weights = np.clip(middle - np.arange(levels) + 0.5, 0, 1) if ordered else np.zeros(levels)
    left = -(values * weights).sum(axis=1)
    paints = colours(levels, ordered)
    for index in range(levels):
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
    ax.set_yticks(range(len(values)), folds(shares.index[::-1]))
    if ordered:
        ax.axvline(0, color=INK, linewidth=0.8, zorder=0)  # behind: it would strike figures out
    ax.set_xticks([])
    ax.margins(x=0.02)
    ax.tick_params(axis="y", pad=6)
    ax.spines[["bottom", "left"]].set_visible(False)
    ax.legend(  # named here: a label that begins with “_” would be left out
        ax.containers,
        [labels.get(str(level), str(level)) for level in shares.columns],
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
