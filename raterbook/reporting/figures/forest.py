"""A coefficient for each question with both its intervals, and the usual thresholds."""

from __future__ import annotations

from typing import Any

from ..words import judged, name_of, number
from .draw import ACCENT, INK, LINE, SOFT, axes, folded, titled

# Krippendorff's customary bounds: conclusions from .8, tentative ones from .667.
TENTATIVE, FIRM = 0.667, 0.8
THRESHOLDS = {TENTATIVE: "tentative .667", FIRM: "firm .8"}
ALIKE = 0.05  # a smaller difference ranks nothing


def forest_figure(rows: list[dict[str, Any]], exact: dict[str, float], ax: Any = None) -> Any:
    """Thick: for these raters; thin: for raters like these. Exact agreement stands at the right."""
    rows = sorted(rows, key=lambda row: row["estimate"])
    ax = ax if ax is not None else axes(1.25 + 0.34 * len(rows))
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
        ax.plot(row["estimate"], place, "o", color=INK, markersize=6.5)
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
    ax.set_yticks(range(len(rows)), [line_name(row, rows) for row in rows])
    ax.set_ylim(-0.6, len(rows) - 0.1)
    lows = [row[end] for row in rows for end in ("low", "low_like", "estimate")]
    ax.set_xlim(min(-0.02, *(low for low in lows if low is not None)), 1)
    like = any(row["low_like"] is not None for row in rows)
    which = "thick: these raters, thin: raters like these" if like else "lines: these raters"
    ax.set_xlabel(f"{name_of(usual(rows))}\n{which}")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    return titled(ax, finding(rows))


def usual(rows: list[dict[str, Any]]) -> str:
    """The coefficient most questions have; the scales of the others differ."""
    kinds = [row["statistic"] for row in rows]
    return max(sorted(set(kinds)), key=kinds.count)


def line_name(row: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """A question with another coefficient than the axis names says so."""
    if row["statistic"] == usual(rows):
        return folded(row["label"])
    return f"{folded(row['label'])}\n({row['statistic'].removeprefix('alpha_')})"


def finding(rows: list[dict[str, Any]]) -> str:
    """Best and worst in words, among questions on one kind of scale."""
    alike = [row for row in rows if row["statistic"] == usual(rows)]
    best = max(alike, key=lambda row: row["estimate"])
    worst = min(alike, key=lambda row: row["estimate"])
    low, high = (f"α\u00a0{judged(row['estimate'], bound_of)}" for row in (worst, best))
    if len(alike) == 1:
        return f"Agreement on {best['label']} {bound_of(best['estimate'])}: {high}"
    if best["estimate"] - worst["estimate"] < ALIKE:
        what = "both questions" if len(alike) == 2 else f"all {len(alike)} questions"
        span = low if low == high else f"{low} to {judged(best['estimate'], bound_of)}"
        return f"Agreement on {what} {bound_of(worst['estimate'])}: {span}"
    said = f"Agreement is highest on {best['label']} ({high}), lowest on {worst['label']} ({low})"
    if len(alike) < len(rows):  # the α of another kind of scale may lie higher, and ranks nothing
        said = f"Of {len(alike)} questions on like scales, agreement is highest on "
        said += f"{best['label']} ({high}), lowest on {worst['label']} ({low})"
    ends = best["low"], worst["high"]
    if None in ends:
        return f"{said}, without intervals"
    return said if ends[0] > ends[1] else f"{said}; their intervals overlap"


def bound_of(value: float) -> str:
    """Where a value lies against the customary bounds."""
    if value >= FIRM:
        return "reaches the firm bound"
    return (
        "lies between tentative and firm" if value >= TENTATIVE else "is below the tentative bound"
    )
