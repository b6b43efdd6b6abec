"""Two who scored the same items, difference against mean: in words, and as a figure."""

from __future__ import annotations

from typing import Any

from ..section import heading
from ..tables.apart import Apart, apart, furthest
from ..tables.lean import shown
from ..words import count, number, signed

DOTS = (
    "One dot an item, over the questions both answered on one scale; dots are moved a little so "
    "that none hides another. Dashed: mean ± 1.96 standard deviations."
)


def sentence(found: Apart, first: str, second: str) -> str:
    """“r1 scores 0.56 points below r2 on average (…); on 95 % of items the difference is …”"""
    low, high = found.bias - found.margin, found.bias + found.margin
    span = f"{signed(low)} to {signed(high)}"
    if low <= 0 <= high:
        said = f"No difference on average is shown between {first} and {second} "
        said += f"({signed(found.bias)} points; {span})"
    else:
        side = "below" if found.bias < 0 else "above"
        said = f"{first} scores {number(abs(found.bias))} points {side} {second} on average "
        said += f"({span})"
    return f"{said}; on 95 % of items the difference is {signed(found.low)} to {signed(found.high)}"


def ends(report: Any) -> str:
    """The most severe and the most lenient rater, item by item."""
    pair = furthest(report.leans)
    if pair is not None and len(report.counted.raters()) > 2:
        # Of many raters two always lie furthest apart; both are named where both are shown to lean.
        kept = shown(report)
        if not len(kept) or not (kept["lean"].min() < 0 < kept["lean"].max()):
            return ""
    found = apart(report.counted, pair[0], [pair[1]], report.parameters.coverage) if pair else None
    if pair is None or found is None:
        return ""
    from ..figures.apart import apart_figure

    said = sentence(found, *pair)
    alt = f"{said}, over {count(len(found.points), 'item')}."
    drawn = apart_figure(found, *pair, said)
    title = "The two furthest apart" if len(report.counted.raters()) > 2 else "Item by item"
    return heading(title) + report.picture("differences", drawn, alt, DOTS)
