"""Two who scored the same items, difference against mean: in words, and as a figure."""

from __future__ import annotations

from typing import Any

from ..section import heading
from ..tables.apart import Apart, apart, furthest
from ..words import count, number, signed

DOTS = (
    "One dot an item, over the questions both answered on one scale; dots are moved a little so "
    "that none hides another. Dashed: mean ± 1.96 standard deviations."
)


def sentence(found: Apart, first: str, second: str) -> str:
    """“r1 scores 0.56 points below r2; 95 % of items lie between −1.40 and +0.28.”"""
    low, high = found.bias - found.margin, found.bias + found.margin
    if low <= 0 <= high:
        said = f"{first} and {second} score alike on average ({signed(found.bias)} points)"
    else:
        side = "below" if found.bias < 0 else "above"
        said = f"{first} scores {number(abs(found.bias))} points {side} {second} on average"
    return f"{said}; on 95 % of items the difference is {signed(found.low)} to {signed(found.high)}"


def ends(report: Any) -> str:
    """The most severe and the most lenient rater, item by item."""
    pair = furthest(report.leans)
    found = apart(report.counted, pair[0], [pair[1]], report.parameters.coverage) if pair else None
    if pair is None or found is None:
        return ""
    from ..figures.apart import apart_figure

    said = sentence(found, *pair)
    alt = f"{said}, over {count(len(found.points), 'item')}."
    drawn = apart_figure(found, *pair, said)
    title = "The two furthest apart" if len(report.counted.raters()) > 2 else "Item by item"
    return heading(title) + report.picture("differences", drawn, alt, DOTS)
