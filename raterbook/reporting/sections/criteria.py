"""Every question: how its answers spread, their means, the values confused, and all by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...numbers.counted import Counted, codes
from ...numbers.number import LEADING
from ...protocols.statistics import of_family
from ..html import NOTHING, Section, heading, join, table
from ..leanings import one_scale
from ..pairs import confusions, worst_pair
from ..words import (
    VISIBLE,
    cell,
    count,
    group_name,
    in_protocol_order,
    interval,
    listing,
    minus,
    name_of,
    number,
    percent,
    say,
    scale_names,
    signed,
    spanned,
    value_names,
)

if TYPE_CHECKING:
    from ..report import Report


def criteria(report: Report) -> Section | None:
    """Every question: how its answers spread, and their means, plain and weighted."""
    parts = [spread(report, group, place) for place, group in enumerate(scales(report.counted))]
    parts += [weighted(report), means(report)]
    inside = join(parts)
    return Section("Every question", inside) if inside else None


def spread(report: Report, group: list[Any], place: int) -> Markup:
    found = shares(report.counted, group)
    if not len(found):
        return NOTHING
    from ..figures.rows import likert_figure

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


def weighted(report: Report) -> Markup:
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
        return NOTHING
    from ..figures.rows import means_figure

    said = moved(rows)
    alt = "; ".join(
        f"{row['label']} {of_three(row['mean'])}, weighted {of_three(row['weighted'])}"
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
        f"{row['label']} is scored {word}, {of_three(row['mean'])}"
        for row, word in ((order[-1], "highest"), (order[0], "lowest"))
    )
    ends = [
        dict(zip(("estimate", "low", "high"), order[at]["mean"], strict=True)) for at in (-1, 0)
    ]
    said = f"{high}; {low}{overlapping(*ends)}"
    if number(ends[0]["estimate"]) == number(ends[1]["estimate"]):
        said = f"All {len(rows)} questions have a mean of {number(ends[0]['estimate'])}"
    if abs(shift) < VISIBLE:
        return f"{said}; weighting by confidence moves no mean by {VISIBLE:g} or more"
    return f"{said}; weighting by confidence moves {most['label']} most ({signed(shift)})"


def of_three(found: tuple[float, float | None, float | None]) -> str:
    """4.21 (4.07 to 4.35), or the value alone."""
    value, low, high = found
    ends = interval(low, high)
    return number(value) + (f" ({ends})" if ends else "")


def means(report: Report) -> Markup:
    """One line a question; columns the protocol does not ask for are left out."""
    asked = [
        statistic
        for statistic in of_family("central")
        if any(row["estimate"] is not None for row in report.rows(statistic))
    ]
    if not asked:
        return NOTHING
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
        lines.append([report.name(computed), say(computed), *blank])
    caption, further = "Means with their intervals, for these raters", ["Items", "Ratings"]
    if len({items for items, _ in counts}) == 1:  # said once rather than on every line
        caption, further = f"{caption}; {count(counts[0][0], 'item')}", ["Ratings"]
    body = [(*line, *own[-len(further) :]) for line, own in zip(lines, counts, strict=True)]
    return table(("Question", *(name_of(s) for s in asked), *further), body, caption)


def label_of(report: Report, question: str) -> str:
    asked = report.question(question)
    return report.label(question) + (" (0–100)" if asked and asked.kind.unit else "")


def shown(row: dict[str, Any] | None, statistic: str) -> str:
    """Medians and SDs without an interval, which would make the table too wide."""
    if row is None or row["estimate"] is None or statistic not in ("median", "sd"):
        return cell(row)
    if statistic == "sd":
        return number(row["estimate"])
    return minus(f"{row['estimate']:.2f}".rstrip("0").rstrip("."))


# Which values raters confuse with which, in the order of the scale.


ENOUGH = 10  # disagreeing pairs; of fewer a table says nothing


def confusion(report: Report) -> Section | None:
    """Which values raters confuse with which."""
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
    return Section("Confused values", join(parts), folded=True) if parts else None


def one(report: Report, group: list[Any], found: pd.DataFrame, worst: Any, place: int) -> Markup:
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
    from ..figures.planes import heat_figure

    drawn = heat_figure(rows, said, percent, ("one rater said", "another said"), (0, 1))
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


# The same numbers by group: question type, prompt style, domain; crossed groups as a matrix.


OWN = {"rater", "label", "systems", "raters", "tokeniser", "level"}
MOST_VALUES = 12


def breakdowns(report: Report) -> Section | None:
    """The same numbers by group; two groups crossed as a matrix."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in report.numbers.rows:
        keys = tuple(row["group"] or ())
        if row["statistic"].startswith("weighted_mean"):
            continue  # beside the plain means they would triple every table; numbers.csv has them
        own = not keys or OWN & set(keys) or keys == (report.system,)
        if not own and row["aggregate"] in LEADING:
            groups.setdefault(keys, []).append(row)
    parts = []
    for keys, rows in sorted(groups.items(), key=lambda entry: (-len(entry[0]), entry[0])):
        parts.append(matrix(report, keys, rows) if len(keys) == 2 else lines(report, keys, rows))
    inside = join(parts)
    return Section("Breakdowns", inside, folded=True) if inside else None


def column_name(report: Report, column: str) -> str:
    field = report.protocol.item.fields.get(column)
    return field.label if field else column.replace("_", " ").capitalize()


def matrix(report: Report, keys: tuple[str, ...], rows: list[dict[str, Any]]) -> Markup:
    """Two groups crossed: a heat map of the first statistic that has them, if it is one number."""
    statistic = rows[0]["statistic"]
    kept = [row for row in rows if row["statistic"] == statistic and row["estimate"] is not None]
    if len(kept) < 4 or len({row["question"] for row in kept}) > 1:
        return lines(report, keys, rows)
    cells = pd.DataFrame(
        [(*(str(r["group"][key]) for key in keys), r["estimate"]) for r in kept],
        columns=["row", "column", "value"],
    ).pivot(index="row", columns="column", values="value")
    cells = cells.loc[
        in_protocol_order(report.protocol, keys[0], cells.index),
        in_protocol_order(report.protocol, keys[1], cells.columns),
    ]
    cells.index = pd.Index([group_name(report.protocol, keys[0], v) for v in cells.index])
    cells.columns = pd.Index([group_name(report.protocol, keys[1], v) for v in cells.columns])
    names = [column_name(report, key) for key in keys]
    flat = cells.stack()
    known = {place_of(report, keys, row): row for row in kept}
    best, worst = (known[tuple(map(str, at))] for at in (flat.idxmax(), flat.idxmin()))
    what = report.name(kept[0])
    said = (
        f"{what} is highest for {', '.join(place_of(report, keys, best))}, {say(best)}, and "
        f"lowest for {', '.join(place_of(report, keys, worst))}, {say(worst)}"
    )
    if number(best["estimate"], statistic) == number(worst["estimate"], statistic):
        said = f"{what} is {number(best['estimate'], statistic)} in every group"
    said += overlapping(best, worst)
    from ..figures.planes import heat_figure

    drawn = heat_figure(cells, said, lambda value: number(value, statistic), (names[0], names[1]))
    each = "; ".join(f"{', '.join(place_of(report, keys, row))}: {say(row)}" for row in kept)
    title = f"{names[0]} × {names[1].lower()}"
    caption = f"{what}; the intervals stand in numbers.csv."
    picture = report.picture(f"by-{keys[0]}-{keys[1]}", drawn, f"{said}. {each}.", caption)
    return heading(title) + picture


def overlapping(best: dict[str, Any], worst: dict[str, Any]) -> str:
    """What keeps the highest and the lowest of several from being told apart."""
    low, high = best["low"], worst["high"]
    if low is None or high is None:
        return ", without intervals" if low == high else ", without an interval of both"
    return "" if low > high else "; their intervals overlap"


def place_of(report: Report, keys: tuple[str, ...], row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(group_name(report.protocol, key, row["group"][key]) for key in keys)


def lines(report: Report, keys: tuple[str, ...], rows: list[dict[str, Any]]) -> Markup:
    """One line a number, one column a group value."""
    values = {tuple(str(row["group"][key]) for key in keys) for row in rows}
    if len(values) < 2:
        return NOTHING
    places = [
        {value: at for at, value in enumerate(in_protocol_order(report.protocol, key, own))}
        for key, own in zip(keys, ({value[at] for value in values} for at in range(len(keys))))
    ]
    order = sorted(values, key=lambda value: [p[v] for p, v in zip(places, value, strict=True)])
    cut = order[:MOST_VALUES]
    numbers: dict[tuple[str | None, str], dict[tuple[str, ...], dict[str, Any]]] = {}
    for row in rows:
        at = tuple(str(row["group"][key]) for key in keys)
        numbers.setdefault((row["question"], row["statistic"]), {})[at] = row
    known = {
        line: found
        for line, found in numbers.items()
        if any(row["estimate"] is not None for row in found.values())
    }
    if not known:
        return NOTHING
    kinds = {statistic for question, statistic in known if question}
    body = [
        (*line_name(report, *line, len(kinds) != 1), *(cell(found.get(value)) for value in cut))
        for line, found in known.items()
    ]
    by = " and ".join(column_name(report, column).lower() for column in keys)
    what = name_of(next(iter(kinds))) if len(kinds) == 1 else "Numbers"
    caption = f"{what} by {by}, with intervals for these raters"
    if len(order) > len(cut):
        caption += f" (the first {len(cut)} of {len(order):,} values)"
    named = [", ".join(group_name(report.protocol, k, v) for k, v in zip(keys, o)) for o in cut]
    front = 1 if len(kinds) == 1 else 2
    head = (*("Question", "Number")[:front], *named)
    return heading(f"By {by}") + table(head, body, caption, text=front)


def line_name(report: Report, question: str | None, statistic: str, mixed: bool) -> tuple[str, ...]:
    """The question, or the number itself where it is over all questions."""
    if not mixed:
        return (report.label(question) if question else name_of(statistic),)
    return (report.label(question) if question else "All together", name_of(statistic))


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
    found: dict[tuple[Any, ...], list[Any]] = {}
    for question in counted.asked():
        if question.values and question.kind.is_judgement:
            found.setdefault(tuple(map(str, question.values)), []).append(question)
    return list(found.values())
