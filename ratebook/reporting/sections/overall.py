"""A stated overall score against the mean of the criteria: how often it was adjusted, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..section import Section, paragraph, safe, short, table
from ..words import count, estimate, number, signed

ADJUSTED, LISTED = 0.5, 5


def overall(report: Any) -> Section | None:
    row = next(iter(report.rows("adjusted_share")), None)
    if row is None or row["estimate"] is None:
        return None
    question = report.protocol.question(row["question"])
    stated = against_computed(report, question)
    computed = next(iter(report.rows("overall_computed_mean")), None)
    mean = next(iter(report.rows("mean", question.id)), None)
    said = (
        f"In {estimate(row)} of the ratings the stated overall is half a point or more from the "
        "mean of the criteria"
    )
    if mean and computed and mean["estimate"] is not None:
        both = number(mean["estimate"]), number(computed["estimate"])
        said += f"; on average {both[0]} was stated and {both[1]} computed"
    parts = [paragraph(said + ".")]
    if question.levels:
        parts.append(named(question, stated))
    parts.append(why(report, stated))
    return Section("Overall score", "".join(parts), folded=True)


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
        return paragraph("No overall was adjusted.")
    order = np.lexsort((moved["rater"], moved["unit"], -moved["gap"].abs().round(9)))
    texts = report.texts
    reasons = texts[texts["question"].eq("overall_reason")].set_index(["unit", "rater"])["value"]
    lines = []
    for row in moved.iloc[order].head(LISTED).itertuples():
        reason = reasons.get((row.unit, row.rater))
        said = f": “{short(reason, 260)}”" if isinstance(reason, str) else ", without a reason"
        lines.append(
            f"<li><b>{safe(row.unit)}</b>, {safe(row.rater)}: stated "
            f"{number(row.stated)}, computed {number(row.computed)} ({signed(row.gap)})"
            f"{safe(said)}</li>"
        )
    return (
        paragraph(f"{count(len(moved), 'rating')} were adjusted; those that go furthest:")
        + f"<ul>{''.join(lines)}</ul>"
    )
