"""Estimates with their intervals against the targets."""

from __future__ import annotations

from typing import Any

from ..targets import estimated
from ..words import DECIDED, count, number
from .draw import ACCENT, INK, LINE, SOFT, axes, folded, titled


def targets_figure(targets: list[dict[str, Any]], ax: Any = None) -> Any:
    """One line a target: the estimate, its interval, and the bound as a dotted mark."""
    ax = ax if ax is not None else axes(0.95 + 0.62 * len(targets))
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
            ha="center",
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
    labels = [
        f"{folded(target['name'])}\n{DECIDED[target['verdict']]}" for target in reversed(targets)
    ]
    ax.set_yticks(range(len(targets)), labels)
    ax.set_ylim(-0.6, len(targets) - 0.25)
    span = [t[end] for t in targets for end in ("low", "high", "value", "target")]
    known = [value for value in span if value is not None]
    edge = 0.12 * ((max(known) - min(known)) or 1.0)
    ax.set_xlim(min(known) - edge, max(known) + edge)
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    ax.tick_params(axis="x", labelcolor=SOFT)
    return titled(ax, finding(targets))


def finding(targets: list[dict[str, Any]]) -> str:
    """“1 of 3 targets met, 2 not decided.”"""
    if all(target["verdict"] == "undecided" for target in targets):
        return (
            "The target is not decided"
            if len(targets) == 1
            else (f"None of the {len(targets)} targets is decided")
        )
    said = [
        f"{found} {words}"
        for verdict, words in (("met", "met"), ("missed", "missed"), ("undecided", "not decided"))
        if (found := sum(target["verdict"] == verdict for target in targets))
    ]
    return f"Of {count(len(targets), 'target')}: " + ", ".join(said)
