"""The next round's size, to read: lines for a terminal, and a panel with live curves."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.forecast import width_of

from ..numbers.forecast import ENDLESS, POWER, Forecast, Outlook, Size, sizes_of
from .figures import in_both_lights, svg
from .figures.planes import width_figure
from .html import Section, figure, join, paragraph
from .shown import aligned
from .words import count, number, reason

FIRST = 10  # items to rate twice that a terminal shows
ROWS = 61  # lines of a terminal
POINTS = 40  # along a curve
MOST_FIRST = 2000  # of the items to rate twice that a program is told
MOST = 500  # raters, ratings and units that a slider reaches


def lines(found: Forecast) -> list[str]:
    """The recommendation, the widths of each number by size, and what to rate twice first."""
    rows = [["number", "raters", "each", "items", "these", "like these", "hours"]]
    tested, priced = any(each.pair for each in found.numbers), found.cost.money is not None
    rows[0] += ["finds"] * tested + ["USD"] * priced
    missing = {}
    for row in found.frame().astype(object).to_dict("records"):
        if not isinstance(row["width"], float) or np.isnan(row["width"]):
            missing[row["number"], row["raters"], row["per_item"]] = row["reason"]
            continue
        shown = [
            row["number"],
            f"{row['raters']:,}",
            f"{row['per_item']:,}",
            f"{row['items']:,}",
            number(row["width"]),
            number(None if pd.isna(row["width_like"]) else row["width_like"]),
            "–" if pd.isna(row["hours"]) else f"{row['hours']:,.1f}",
        ]
        finds = None if pd.isna(row["finds"]) else row["finds"]
        paid = f"{row['money']:,.2f}" if priced else ""
        rows.append([*shown, *[number(finds)] * tested, *[paid] * priced])
    said = [sentence(found), ""]
    if len(rows) > 1:
        said += ["Width of the interval, for these raters and for raters like these:"]
        said += [f"  {line}" for line in aligned(rows[:ROWS], words=1)]
    if tested and len(rows) > 1:
        said.append(f"  finds: the difference that {POWER:.0%} of such rounds tell from none.")
    if len(rows) > ROWS:
        left = len(rows) - ROWS
        said.append(f"  … and {left:,} more: --measure names some, --json gives all.")
    for (name, raters, each), why in missing.items():
        said.append(f"{name}, {raters:,} raters, {each:,} ratings each: {reason(why)}.")
    if found.first:
        names = ", ".join(found.first[:FIRST])
        more = f" and {len(found.first) - FIRST:,} more" if len(found.first) > FIRST else ""
        said += ["", f"Rated once; rate these a second time first: {names}{more}."]
    return said


def to_json(found: Forecast) -> str:
    """Full precision, stable order, never NaN."""
    records = found.frame().astype(object)
    rows = records.where(records.notna(), None).to_dict("records")
    document = {
        "round": found.round,
        "coverage": found.coverage,
        "pilot": vars(found.pilot),
        "width": found.width,
        "recommendation": sentence(found),
        "forecast": rows,
        "rate_twice_first": list(found.first[:MOST_FIRST]),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def finding(found: Forecast) -> str:
    """The recommendation in the words of a title."""
    return _recommended(found)[0]


def sentence(found: Forecast) -> str:
    """How large the next round must be, as far as this one can tell."""
    head, more = _recommended(found)
    size = found.design()
    return f"{head}{more}" if size is None else f"{head}{more} {_of_raters(found, size)}"


def _recommended(found: Forecast) -> tuple[str, str]:
    """What was found, and how sure that is."""
    size = found.design()
    if size is None:
        reasons = {each.at(found.pilot, found.coverage).notes()[0] for each in found.numbers}
        why = f"{found.round} cannot tell how wide an interval will be"
        return why, f": {min(reasons)}"
    return _for_more(found, size) if found.width is None else _for_width(found, size, found.width)


def _for_width(found: Forecast, size: Size, width: float) -> tuple[str, str]:
    each, items = found.needed(width, size)
    if items is None:
        return f"No number of items makes the interval of {each.name} as narrow as {width:g}", "."
    several = len(found.known(size)) > 1
    every = "every interval" if several else f"the interval of {each.name}"
    head = (
        f"About {items:,} items, {count(size.per_item, 'rating')} each by {who(found, size)}, make "
        f"{every} no wider than {width:g}"
    )
    ends = each.between(replace(size, items=items))
    if each.assumed:
        sure = f"that rests on an assumed value of {number(each.components.value)}"
    elif ends is None:
        sure = f"how far {found.pilot.items:,} items can tell that is not known"
    else:
        low, high = ends
        sure = f"as far as {found.pilot.items:,} items can tell, {low:,} to {high:,}"
    which = f"; {each.name} needs most" if several else ""
    return head, f"{which}; {sure}.{price(found, replace(size, items=items))}"


WISH = " --width, or width in plan.ipynb, says how narrow it has to be."


def _for_more(found: Forecast, size: Size) -> tuple[str, str]:
    once, double = (replace(size, items=by * found.pilot.items) for by in (1, 2))
    there = {
        each: (width, after)
        for each in found.known(size)
        if (width := width_of(each.at(once, found.coverage))) is not None
        and (after := width_of(each.at(double, found.coverage))) is not None
    }
    if not there:
        return f"{found.pilot.items:,} items are too few to tell what twice as many would show", "."
    each = max(there, key=lambda one: there[one][0] / one.span)
    width, after = there[each]
    head = (
        f"With {double.items:,} items in place of {once.items:,}, the interval of {each.name} "
        f"would be about {number(after)} wide in place of {number(width)}"
    )
    rests = "; its value is assumed" if each.assumed else ""
    if not each.assumed and (ends := each.widths(double, found.coverage)) is not None:
        rests = f"; as far as {found.pilot.items:,} items can tell, {number(ends[0])} to "
        rests += f"{number(ends[1])}"
    return head, f", for {who(found, size)}{rests}.{price(found, double)}{WISH}"


def who(found: Forecast, size: Size) -> str:
    these = "these " if size.raters == found.pilot.raters else ""
    return f"{these}{size.raters:,} rater{'s' * (size.raters != 1)}"


def _of_raters(found: Forecast, size: Size) -> str:
    """What raters like these add, which no number of items takes away."""
    endless = replace(size, items=ENDLESS)
    left = [
        (width, each)
        for each in found.known(size)
        if (width := width_of(each.at(endless, found.coverage), like=True)) is not None
    ]
    if not left and all(each.assumed for each in found.known(size)):
        return "An assumption tells of these raters, not of raters like these."
    if not left:
        return "Of raters like these nothing can be said: that takes three or more of them."
    width, each = max(left, key=lambda pair: pair[0] / pair[1].span)
    few = found.pilot.raters
    said = (
        f"For raters like these, {each.name} stays about {width:.2f} wide however many items "
        f"{size.raters:,} raters rate"
    )
    if f"{width:.2f}" == "0.00":
        said = (
            f"For raters like these the interval narrows as for these, as {found.round} shows "
            f"nothing but its items that sets its {few:,} raters apart"
        )
    # A variance of few raters is known to a factor of two or more.
    return said + (f", which {few:,} raters tell only roughly." if few < 8 else ".")


def price(found: Forecast, size: Size) -> str:
    """“ That is about 12 hours of rating and 3.10 USD.”; empty where neither is known."""
    hours, dollars = found.cost.hours(size), found.cost.dollars(size)
    said = [] if hours is None else [f"{hours:,.1f} hours of rating"]
    said += [] if dollars is None else [f"{dollars:,.2f} USD for {', '.join(found.cost.models)}"]
    return f" That is about {' and '.join(said)}." if said else ""


def curve(found: Forecast, each: Outlook, size: Size) -> pd.DataFrame:
    """Width by items, from a quarter of this round's to sixteen times as many."""
    here = max(found.pilot.items, 4)
    many = np.unique(np.geomspace(max(here / 4, 3), here * 16, POINTS).round().astype(int))
    sizes = tuple(replace(size, items=int(items)) for items in many)
    return replace(found, numbers=(each,), sizes=sizes).frame()


def section(found: Forecast, each: Outlook, size: Size) -> Section:
    """One number's curve, with the finding above it and the cost below."""
    alone = replace(found, numbers=(each,), sizes=(size,))
    said = sentence(alone).replace(WISH, "")  # here a box asks for it
    curves = curve(found, each, size)
    if curves["width"].isna().all():
        why = curves["reason"].iloc[-1]
        return Section(each.name, paragraph(f"{each.name}: {reason(why)}."))
    drawn = width_figure(curves, found.pilot.items, found.width, finding(alone))
    picture = in_both_lights(svg(drawn))
    effect = curves["design_effect"].dropna()
    note = f"{count(size.raters, 'rater')}, {count(size.per_item, 'rating')} an item"
    if len(effect):
        note += f", design effect {effect.iloc[-1]:.2f}"
    return Section(
        each.name, join([figure(picture, said), paragraph(said), paragraph(note, "soft")])
    )


def panel(found: Forecast) -> Any:
    """Widgets: a number, raters, ratings, cluster size and width; the curve follows them."""
    import ipywidgets

    from ..widgets import PANEL, Keyboard, row

    def whole(value: int, words: str) -> Any:
        return ipywidgets.BoundedIntText(value, min=1, max=MOST, description=words)

    here = found.pilot
    named = {each.name: each for each in found.numbers}
    which = ipywidgets.Dropdown(options=list(named), description="Number")
    raters, per_item = whole(here.raters, "Raters"), whole(here.per_item, "Ratings each")
    cluster = ipywidgets.BoundedFloatText(0, min=0, max=MOST, description="Cluster size")
    wanted = ipywidgets.BoundedFloatText(found.width or 0, min=0, max=1000, step=0.05)
    wanted.description = "Width"
    page = ipywidgets.HTML()

    def draw(_: Any = None) -> None:
        given = {"raters": [raters.value], "per_item": [min(per_item.value, raters.value)]}
        if cluster.value >= 1:
            given["cluster_size"] = [cluster.value]
        size = sizes_of(here, {**given, "items": [here.items]})[0]
        now = replace(found, width=wanted.value or None)
        page.value = section(now, named[which.value], size)._repr_html_()

    boxes = [which, raters, per_item, cluster, wanted]
    for box in boxes:
        box.style.description_width = "7em"  # each of their names whole
        box.observe(draw, "value")
    draw()
    shown = ipywidgets.VBox([row(*boxes[:3]), row(*boxes[3:]), page, Keyboard()])
    return shown.add_class("rb-view").add_class(PANEL).add_class("mathjax_ignore")
