"""How far raters of one item lie apart, and over which ranges of the scale their scores spread."""

from __future__ import annotations

import re
from typing import Any

from ..section import heading, table
from ..words import cell, count, estimate, name_of

APART = ("evaluator_variance", "evaluator_sd")
RANGE = re.compile(r"\[(-?\d+), (-?\d+)([])])")


def scattered(report: Any) -> str:
    """Both parts, each where the protocol asks for it."""
    return apart(report) + ranges(report)


def apart(report: Any) -> str:
    """One line a question, and one of each rating's mean over them."""
    rows = {
        (row["question"], statistic): row
        for statistic in APART
        for row in report.rows(statistic)
        if row["estimate"] is not None
    }
    if not rows:
        return ""
    lines = []
    for question in dict.fromkeys(question for question, _ in rows):
        own = [rows.get((question, statistic)) for statistic in APART]
        items = max(row["n_items"] for row in own if row)
        lines.append((named(report, question), *(cell(row) for row in own), items))
    head = ("Question", *(name_of(statistic) for statistic in APART), "Items")
    caption = "Within an item, averaged over the items that two or more rated"
    return heading("How far raters lie apart") + table(head, lines, caption)


def ranges(report: Any) -> str:
    """The share of ratings whose mean over the questions falls in each range."""
    rows = [row for row in report.by("score_ranges", "label") if row["estimate"] is not None]
    rows = [row for row in rows if row["question"] is None] or rows
    if not rows:
        return ""
    what = named(report, rows[0]["question"])
    lines = [(words(str(row["group"]["label"])), estimate(row)) for row in rows]
    caption = f"{what}: share of {count(rows[0]['n_ratings'], 'rating')} in each range"
    return heading("Where the scores lie") + table(("Range", "Share"), lines, caption)


def named(report: Any, question: str | None) -> str:
    return report.label(question) if question else "Mean over the questions"


def words(label: str) -> str:
    """`[3, 4)` as “3 to below 4”, and `[4, 5]` as “4 to 5”."""
    found = RANGE.fullmatch(label)
    if found is None:
        return label
    low, high, closed = found.groups()
    return f"{low} to {high}" if closed == "]" else f"{low} to below {high}"
