"""Two raters whose answers look like one another's: said before anything that rests on them."""

from __future__ import annotations

from typing import Any

from ..words import count, listing, percent

LISTED = 3


def copied(report: Any) -> list[str]:
    """A sentence a pair, and what it does to the rest of the page."""
    found = report.copies
    said = []
    for pair in found[:LISTED]:
        who = f"{report.rater_name(pair.first)} and {report.rater_name(pair.second)}"
        same = (
            f"gave the same answer in all {pair.shared:,} answers they have in common"
            if pair.identical
            else f"gave the same answer in {pair.same:,} of {pair.shared:,} they have in common"
        )
        on = f", on {count(pair.items, 'item')}"
        if pair.usual is None:
            said.append(
                f"{who} {same}{on}. With two raters nobody can say whether one column is a copy "
                "of the other: make sure that they rated apart."
            )
        else:
            said.append(
                f"{who} {same}{on}; other pairs do in {percent(pair.usual)} %, by the median. A "
                "copied column looks so, and so do answers that follow another’s: find out how "
                "they came about before anything below is read."
            )
    if len(found) > LISTED:
        said.append(f"So it is with {count(len(found) - LISTED, 'further pair')} of raters.")
    if said and found[0].usual is not None:
        said[-1] += (
            " Agreement is overstated as long as both count, so nobody is named below for "
            "agreeing little with the others."
        )
    return said


def copying(report: Any) -> str:
    """“ana and ben”, for advice."""
    pairs = [f"{pair.first} and {pair.second}" for pair in report.copies]
    return listing(pairs, limit=LISTED)
