"""Systems side by side: one line a question, one sign a system, with intervals."""

from __future__ import annotations

from typing import Any

from .draw import INK, LINE, PAPER, SOFT, axes, folded, legend_above, name, titled

SIGNS = ("o", "D", "s", "^", "v", "P", "X", "*")


def dots_figure(
    rows: list[dict[str, Any]], systems: list[str], said: str, xlabel: str, ax: Any = None
) -> Any:
    """`rows` hold line, system, estimate, low, high; the first system is filled, others hollow."""
    lines = list(dict.fromkeys(row["line"] for row in rows))
    ax = ax if ax is not None else axes(1.3 + (0.14 + 0.15 * len(systems)) * len(lines))
    step = 0.62 / max(len(systems), 1)
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
            label=name(row["system"]) if row["line"] == lines[0] else None,
        )
    ax.set_yticks(range(len(lines)), [folded(line) for line in lines[::-1]])
    ax.set_ylim(-0.55, len(lines) - 0.45)
    ax.set_xlabel(xlabel)
    ax.grid(axis="x", color=LINE, linewidth=0.5)
    if len(systems) > 1:
        legend_above(ax, 4)
    return titled(ax, said)
