"""A coefficient for each question with both its intervals, and the usual thresholds."""

from __future__ import annotations

from typing import Any

from ..words import name_of, number
from .draw import ACCENT, INK, LINE, SOFT, axes, name, titled

# Krippendorff's customary bounds: conclusions from .8, tentative ones from .667.
THRESHOLDS = {0.667: "tentative .667", 0.8: "firm .8"}


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
        ax.text(
            bound,
            len(rows) - 0.42,
            words,
            fontsize=8,
            color=ACCENT,
            ha="right" if bound < 0.7 else "left",
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
    ax.set_yticks(range(len(rows)), [name(row["label"]) for row in rows])
    ax.set_ylim(-0.6, len(rows) - 0.1)
    lows = [row[end] for row in rows for end in ("low", "low_like", "estimate")]
    ax.set_xlim(min(-0.02, *(low for low in lows if low is not None)), 1)
    what = name_of(rows[0]["statistic"])
    ax.set_xlabel(f"{what}  ·  thick: these raters, thin: raters like these")
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    return titled(ax, finding(rows))


def finding(rows: list[dict[str, Any]]) -> str:
    """Best and worst in words; one question by itself against the thresholds."""
    best = max(rows, key=lambda row: row["estimate"])
    worst = min(rows, key=lambda row: row["estimate"])
    if len(rows) == 1:
        value = best["estimate"]
        said = "firm" if value >= 0.8 else "tentative" if value >= 0.667 else "weak"
        return f"Agreement on {best['label']} is {said}: α {number(value)}"
    return (
        f"Raters agree best on {best['label']} (α {number(best['estimate'])}), "
        f"least on {worst['label']} (α {number(worst['estimate'])})"
    )
