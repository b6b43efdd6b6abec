"""Every question: how its answers spread, and their means, plain and weighted."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..section import Section, table
from ..tables.spread import scales, shares
from ..words import estimate, interval, listing, number, percent

CENTRAL = ("mean", "median", "sd", "weighted_mean", "weighted_mean_within")
HEADS = {
    "mean": "Mean",
    "median": "Median",
    "sd": "SD",
    "weighted_mean": "By confidence",
    "weighted_mean_within": "Within items",
}


def criteria(report: Any) -> Section | None:
    parts = [spread(report, group, place) for place, group in enumerate(scales(report.counted))]
    parts.append(means(report))
    inside = "".join(parts)
    return Section("Every question", inside) if inside else None


def spread(report: Any, group: list[Any], place: int) -> str:
    found = shares(report.counted, group)
    if not len(found):
        return ""
    from ..figures.likert import likert_figure

    ordered = group[0].is_numeric
    names = {level.value: level.name for level in group[0].levels}
    labels = {str(v): f"{v} {names[v]}" if v in names else str(v) for v in group[0].values}
    labels |= {option.value: option.label for option in group[0].options}
    found.index = pd.Index([report.label(question) for question in found.index])
    said = finding(found, ordered)
    alt = (
        said
        + ". "
        + "; ".join(
            f"{row}: " + ", ".join(f"{level} {percent(share)} %" for level, share in line.items())
            for row, line in found.iterrows()
        )
    )
    drawn = likert_figure(found, labels, said, ordered=group[0].is_numeric)
    return report.picture(f"answers-{place + 1}", drawn, alt, "Share of the answers, in per cent.")


def finding(found: pd.DataFrame, ordered: bool) -> str:
    """The question with most low answers against the one with fewest; else the commonest answer."""
    if ordered and len(found) > 1 and len(found.columns) > 2:
        low = found.iloc[:, : max(1, len(found.columns) // 2)].sum(axis=1)
        worst, best = low.idxmax(), low.idxmin()
        bottom = listing([str(v) for v in found.columns[: max(1, len(found.columns) // 2)]], "or")
        return (
            f"{worst} is scored {bottom} most often ({percent(low[worst])} %), "
            f"{best} least often ({percent(low[best])} %)"
        )
    most = found.max(axis=1).idxmax()
    level = found.loc[most].idxmax()
    if len(found) == 1:
        return f"{percent(found.loc[most, level])} % of the answers are “{level}”"
    return f"{most}: {percent(found.loc[most, level])} % of the answers are “{level}”"


def means(report: Any) -> str:
    """One line a question; columns the protocol does not ask for are left out."""
    asked = [
        statistic
        for statistic in CENTRAL
        if any(row["estimate"] is not None for row in report.rows(statistic))
    ]
    if not asked:
        return ""
    questions = list(dict.fromkeys(row["question"] for s in asked for row in report.rows(s)))
    lines = []
    for question in questions:
        percent_scale = any(
            q.id == question and q.type == "percent" for q in report.protocol.questions
        )
        line = [report.label(question) + (" (0–100)" if percent_scale else "")]
        for statistic in asked:
            row = next(iter(report.rows(statistic, question)), None)
            line.append(cell(row, statistic))
        some = next(iter(report.rows(asked[0], question)), None)
        lines.append((*line, some["n_items"] if some else "", some["n_ratings"] if some else ""))
    computed = next(iter(report.rows("overall_mean") + report.rows("overall_computed_mean")), None)
    if computed and computed["estimate"] is not None:
        blank = ["–"] * (len(asked) - 1)
        lines.append(
            ("All together", estimate(computed), *blank, computed["n_items"], computed["n_ratings"])
        )
    head = ("Question", *(HEADS[s] for s in asked), "Items", "Answers")
    return table(head, lines, "Means with their intervals, for these raters")


def cell(row: dict[str, Any] | None, statistic: str) -> str:
    if row is None or row["estimate"] is None:
        return "–"
    text = number(row["estimate"])
    if statistic in ("sd", "median"):
        return text
    between = interval(row["low"], row["high"])
    return f"{text} ({between})" if between else text
