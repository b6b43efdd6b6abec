"""Every question: how its answers spread, and their means, plain and weighted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...numbers.counted import Counted, codes
from ...protocols.statistics import of_family
from ..confusions import confusions, worst_pair
from ..html import Section, table
from ..words import (
    VISIBLE,
    cell,
    count,
    estimate,
    interval,
    listing,
    minus,
    name_of,
    number,
    percent,
    scale_names,
    signed,
    spanned,
    value_names,
)
from .machines import one_scale


def criteria(report: Any) -> Section | None:
    parts = [spread(report, group, place) for place, group in enumerate(scales(report.counted))]
    parts += [weighted(report), means(report)]
    inside = "".join(parts)
    return Section("Every question", inside) if inside else None


def spread(report: Any, group: list[Any], place: int) -> str:
    found = shares(report.counted, group)
    if not len(found):
        return ""
    from ..figures.grids import likert_figure

    ordered = group[0].is_numeric
    names = scale_names(group[0])
    keys = set(found.index)
    found.index = pd.Index([report.label(question) for question in found.index])
    said = finding(found, ordered, names)
    lines = "; ".join(
        f"{row}: " + ", ".join(f"{names[str(v)]} {percent(share)} %" for v, share in line.items())
        for row, line in found.iterrows()
    )
    drawn = likert_figure(found, names, said, ordered=ordered)
    many = [len(report.counted.of(question.id)) for question in group if question.id in keys]
    caption = f"Share of the answers, in per cent, of {spanned(many)} answers to a question."
    if ordered:
        caption += " The upright line stands at the middle of the scale."
    return report.picture(f"answers-{place + 1}", drawn, f"{said}. {lines}.", caption)


def finding(found: pd.DataFrame, ordered: bool, names: dict[str, str]) -> str:
    """The question with most low answers against the one with fewest; else the commonest answer."""
    if ordered and len(found) > 1 and len(found.columns) > 2:
        return lowest(found)
    most = found.max(axis=1).idxmax()
    row = found.loc[most]
    top, least = row.idxmax(), row.idxmin()
    if row[top] == 1:
        return f"{most}: all answers are “{names[str(top)]}”"
    if percent(row[top]) == percent(row[least]):
        return f"{most}: every answer is as common as the others"
    said = f"{most}: {percent(row[top])} % of the answers are “{names[str(top)]}”"
    if len(found) > 1 or len(found.columns) == 2:
        return said
    return f"{said}, the fewest “{names[str(least)]}” ({percent(row[least])} %)"


def lowest(found: pd.DataFrame) -> str:
    """Which question has most answers in the lower half of the scale, and which fewest."""
    half = found.columns[: max(1, len(found.columns) // 2)]
    low = found[half].sum(axis=1)
    worst, best = low.idxmax(), low.idxmin()
    bottom = listing([str(value) for value in half], "or")
    if percent(low[worst]) == percent(low[best]):
        if low[worst] == 0:
            return f"Nobody scores {bottom} on any question"
        return f"{percent(low[worst])} % of the answers are {bottom}, on every question alike"
    return (
        f"{listing(alike(low, worst), limit=4)} "
        f"{'is' if len(alike(low, worst)) == 1 else 'are'} scored {bottom} most often "
        f"({percent(low[worst])} %), {listing(alike(low, best), limit=4)} least often "
        f"({percent(low[best])} %)"
    )


def alike(low: pd.Series, one: str) -> list[str]:
    """The questions that show the same share as this one."""
    return [str(name) for name, share in low.items() if percent(share) == percent(low[one])]


def weighted(report: Any) -> str:
    """Plain and weighted means over the items, where raters state how sure they are."""
    rows, ends = [], None
    for question in one_scale(report.counted):
        plain, surer = (
            report.numbers.get(statistic, question.id) for statistic in ("mean", "weighted_mean")
        )
        if not plain or not surer or None in (plain["estimate"], surer["estimate"]):
            continue
        ends = float(question.min), float(question.max)
        items = report.counted.table(question).mean(axis=1).to_numpy()
        three = ("estimate", "low", "high")
        rows.append(
            {
                "label": report.label(question.id),
                "items": items,
                "mean": tuple(plain[end] for end in three),
                "weighted": tuple(surer[end] for end in three),
            }
        )
    if len(rows) < 2 or ends is None:
        return ""
    from ..figures.rows import means_figure

    said = moved(rows)
    alt = "; ".join(
        f"{row['label']} {number(row['mean'][0])} ({interval(*row['mean'][1:])}), "
        f"weighted {number(row['weighted'][0])} ({interval(*row['weighted'][1:])})"
        for row in rows
    )
    caption = "Lines are the intervals, for these raters. Strip: more items, higher marks."
    drawn = means_figure(rows, ends, said)
    return report.picture("means", drawn, f"{said}. {alt}.", caption)


def moved(rows: list[dict[str, Any]]) -> str:
    """Highest and lowest mean, and how far weighting moves any of them."""
    order = sorted(rows, key=lambda row: row["mean"][0])
    most = max(rows, key=lambda row: abs(row["weighted"][0] - row["mean"][0]))
    shift = most["weighted"][0] - most["mean"][0]
    high, low = (
        f"{row['label']} is scored {word}, {number(row['mean'][0])}"
        + (f" ({interval(*row['mean'][1:])})" if row["mean"][1] is not None else "")
        for row, word in ((order[-1], "highest"), (order[0], "lowest"))
    )
    said = f"{high}; {low}"
    if abs(shift) < VISIBLE:
        return f"{said}; weighting by confidence moves no mean by {VISIBLE:g} or more"
    return f"{said}; weighting by confidence moves {most['label']} most ({signed(shift)})"


def means(report: Any) -> str:
    """One line a question; columns the protocol does not ask for are left out."""
    asked = [
        statistic
        for statistic in of_family("central")
        if any(row["estimate"] is not None for row in report.rows(statistic))
    ]
    if not asked:
        return ""
    questions = list(dict.fromkeys(row["question"] for s in asked for row in report.rows(s)))
    lines, counts = [], []
    for question in questions:
        rows = {s: report.numbers.get(s, question) for s in asked}
        if not any(row and row["estimate"] is not None for row in rows.values()):
            continue
        some = next((row for row in rows.values() if row), {"n_items": 0, "n_ratings": 0})
        counts.append((some["n_items"], some["n_ratings"]))
        lines.append([label_of(report, question), *(shown(rows[s], s) for s in asked)])
    get = report.numbers.get
    computed = get("overall_mean") or get("overall_computed_mean")
    if computed and computed["estimate"] is not None:
        blank = ["–"] * (len(asked) - 1)
        counts.append((computed["n_items"], computed["n_ratings"]))
        lines.append([report.name(computed), estimate(computed), *blank])
    caption, further = "Means with their intervals, for these raters", ["Items", "Ratings"]
    if len({items for items, _ in counts}) == 1:  # said once rather than on every line
        caption, further = f"{caption}; {count(counts[0][0], 'item')}", ["Ratings"]
    body = [(*line, *own[-len(further) :]) for line, own in zip(lines, counts, strict=True)]
    return table(("Question", *(name_of(s) for s in asked), *further), body, caption)


def label_of(report: Any, question: str) -> str:
    asked = report.question(question)
    return report.label(question) + (" (0–100)" if asked and asked.type == "percent" else "")


def shown(row: dict[str, Any] | None, statistic: str) -> str:
    """Medians and SDs without an interval, which would make the table too wide."""
    if row is None or row["estimate"] is None or statistic not in ("median", "sd"):
        return cell(row)
    if statistic == "sd":
        return number(row["estimate"])
    return minus(f"{row['estimate']:.2f}".rstrip("0").rstrip("."))


# Which values raters confuse with which, in the order of the scale.


ENOUGH = 10  # disagreeing pairs; of fewer a table says nothing


def confusion(report: Any) -> Section | None:
    if len(report.counted.raters()) < 2:
        return None
    parts = []
    for place, group in enumerate(scales(report.counted)):
        if len(group[0].values) < 3:
            continue
        found = confusions(report.counted, group)
        worst = worst_pair(found)
        if worst is None or worst[3] < ENOUGH:
            continue
        parts.append(one(report, group, found, worst, place))
    return Section("Confused values", "".join(parts), folded=True) if parts else None


def one(report: Any, group: list[Any], found: pd.DataFrame, worst: Any, place: int) -> str:
    first, second, share, pairs = worst
    where = listing([report.label(question.id) for question in group])
    if len(group) > 3:
        where = f"{len(group)} questions"
    names = value_names(group[0])
    said = (
        f"{percent(share)} % of {count(pairs, 'disagreement')} on {where} lie between "
        f"{names[str(first)]} and {names[str(second)]}"
    )
    found = found.rename(index=lambda v: names[str(v)], columns=lambda v: names[str(v)])
    rows = found.div(found.sum(axis=1).where(found.sum(axis=1) > 0), axis=0)
    from ..figures.grids import heat_figure

    drawn = heat_figure(
        rows, said, percent, rows="one rater said", columns="another said", low=0, high=1
    )
    alt = (
        said
        + ". "
        + "; ".join(
            f"where one said {row}, another said "
            + ", ".join(
                f"{column} {percent(value)} %" for column, value in line.items() if value == value
            )
            for row, line in rows.iterrows()
            if line.notna().any()
        )
    )
    return report.picture(
        f"confusion-{place + 1}",
        drawn,
        alt,
        "Read along a row: where one rater said this, what the others said, in per cent.",
    )


# How the answers to each question spread over its scale.


def shares(counted: Counted, questions: list[Any]) -> pd.DataFrame:
    """Question × value, each row adding up to 1; questions share the scale of the first."""
    scale = list(questions[0].values)
    rows = {}
    for question in questions:
        given = codes(counted.of(question.id), question)
        given = given[np.isfinite(given)]
        places = [float(value) for value in scale] if question.is_numeric else range(len(scale))
        if len(given):
            rows[question.id] = [float((given == place).mean()) for place in places]
    return pd.DataFrame.from_dict(rows, orient="index", columns=scale)


def scales(counted: Counted) -> list[list[Any]]:
    """The questions asked, those with the same scale together."""
    found: dict[tuple, list[Any]] = {}
    for question in counted.asked():
        if question.values and question.type in ("scale", "choice"):
            found.setdefault(tuple(map(str, question.values)), []).append(question)
    return list(found.values())
