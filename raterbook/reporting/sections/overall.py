"""A stated overall against the mean of the criteria: how often it was adjusted, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..section import Section, paragraph, safe, table
from ..words import count, interval, number, signed, was
from .quoted import quoted

ADJUSTED, LISTED = 0.5, 5


def overall(report: Any) -> Section | None:
    row = report.numbers.get("adjusted_share")
    if row is None or row["estimate"] is None:
        return None
    question = report.protocol.question(row["question"])
    stated = against_computed(report, question)
    computed = report.numbers.get("overall_computed_mean")
    mean = report.numbers.get("mean", question.id)
    parts = [paragraph(how_many(row))]
    if mean and computed and mean["estimate"] is not None and computed["estimate"] is not None:
        both = number(mean["estimate"]), number(computed["estimate"])
        parts = [
            paragraph(f"{how_many(row)} On average {both[0]} is stated and {both[1]} computed.")
        ]
    if question.levels:
        parts.append(named(question, stated))
    parts.append(why(report, stated))
    return Section("Overall score", "".join(parts), folded=True)


def how_many(row: dict[str, Any]) -> str:
    """“14 of 288 stated overalls (5 %; 2.9–8 %) were adjusted: …”"""
    total = row["n_ratings"]
    some = round(row["estimate"] * total)
    between = interval(row["low"], row["high"], row["statistic"])
    share = number(row["estimate"], row["statistic"]) + (f"; {between}" if between else "")
    return (
        f"{some:,} of {count(total, 'stated overall')} ({share}) {was(some)} adjusted: half a "
        "point or more away from the mean of the same rater’s criteria."
    )


def against_computed(report: Any, question: Any) -> pd.DataFrame:
    """unit, rater, stated, computed for everyone who gave both."""
    people = report.counted.people
    criteria = [
        asked
        for measure in report.protocol.measures
        if measure.statistic == "overall_computed_mean"
        for asked in measure.question or ()
    ]
    rows = people[people["question"].isin(criteria)]
    computed = rows["number"].astype(float).groupby([rows["unit"], rows["rater"]]).mean()
    own = report.counted.of(question.id).set_index(["unit", "rater"])["number"].astype(float)
    both = pd.concat([own, computed], axis=1, keys=["stated", "computed"]).dropna()
    return both.reset_index()


def named(question: Any, stated: pd.DataFrame) -> str:
    """How many overalls have which level's name; halves fall to the lower one."""
    levels = [question.level_of(float(value)) for value in stated["stated"]]
    names = [level.name if level else "–" for level in levels]
    order = [level.name for level in sorted(question.levels, key=lambda level: -level.value)]
    lines = [
        (name, names.count(name), f"{100 * names.count(name) / max(len(names), 1):.0f} %")
        for name in order
    ]
    return table(
        ("Level", "Ratings", "Share"),
        lines,
        "Stated overalls by level; halves count to the lower level",
    )


def why(report: Any, stated: pd.DataFrame) -> str:
    """The adjustments that go furthest, with the reasons given."""
    gap = stated["stated"] - stated["computed"]
    moved = stated.assign(gap=gap)[gap.abs() >= ADJUSTED - 1e-9]
    if not len(moved):
        return ""
    order = np.lexsort((moved["rater"], moved["unit"], -moved["gap"].abs().round(9)))
    texts = report.texts
    reasons = texts[texts["question"].eq("overall_reason")].set_index(["unit", "rater"])["value"]
    lines = []
    for row in moved.iloc[order].head(LISTED).itertuples():
        reason = reasons.get((row.unit, row.rater))
        said = f": {quoted(reason)}" if isinstance(reason, str) else ", without a reason"
        lines.append(
            f"<li><b>{safe(report.unit_name(row.unit))}</b>, {safe(row.rater)}: stated "
            f"{number(row.stated)}, computed {number(row.computed)} ({signed(row.gap)}){said}</li>"
        )
    more = len(moved) > len(lines)
    what = f"The {len(lines)} adjusted furthest" if more else "Those adjusted"
    return paragraph(f"{what}, with the reasons given:") + f"<ul>{''.join(lines)}</ul>"
