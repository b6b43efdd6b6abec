"""The same numbers by group: question type, prompt style, domain; crossed groups as a matrix."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..html import NOTHING, Markup, Section, heading, join, table
from ..words import cell, group_name, in_protocol_order, name_of, number, say

OWN = {"rater", "label", "systems", "raters", "tokeniser", "level"}
MOST_VALUES = 12


def breakdowns(report: Any) -> Section | None:
    """The same numbers by group; two groups crossed as a matrix."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in report.numbers.rows:
        keys = tuple(row["group"] or ())
        if row["statistic"].startswith("weighted_mean"):
            continue  # beside the plain means they would triple every table; numbers.csv has them
        own = not keys or OWN & set(keys) or keys == (report.system,)
        if not own and row["aggregate"] in (None, "macro"):
            groups.setdefault(keys, []).append(row)
    parts = []
    for keys, rows in sorted(groups.items(), key=lambda entry: (-len(entry[0]), entry[0])):
        parts.append(matrix(report, keys, rows) if len(keys) == 2 else lines(report, keys, rows))
    inside = join(parts)
    return Section("Breakdowns", inside, folded=True) if inside else None


def column_name(report: Any, column: str) -> str:
    field = report.protocol.item.fields.get(column)
    return field.label if field else column.replace("_", " ").capitalize()


def matrix(report: Any, keys: tuple[str, ...], rows: list[dict[str, Any]]) -> Markup:
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
    from ..figures.grids import heat_figure

    drawn = heat_figure(cells, said, lambda value: number(value, statistic), names[0], names[1])
    each = "; ".join(f"{', '.join(place_of(report, keys, row))}: {say(row)}" for row in kept)
    title = f"{names[0]} × {names[1].lower()}"
    caption = f"{what}; the intervals stand in numbers.csv."
    picture = report.picture(f"by-{keys[0]}-{keys[1]}", drawn, f"{said}. {each}.", caption)
    return heading(title) + picture


def place_of(report: Any, keys: tuple[str, ...], row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(group_name(report.protocol, key, row["group"][key]) for key in keys)


def lines(report: Any, keys: tuple[str, ...], rows: list[dict[str, Any]]) -> Markup:
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
    numbers: dict[tuple[str | None, str], dict[tuple[str, ...], dict]] = {}
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


def line_name(report: Any, question: str | None, statistic: str, mixed: bool) -> tuple[str, ...]:
    """The question, or the number itself where it is over all questions."""
    if not mixed:
        return (report.label(question) if question else name_of(statistic),)
    return (report.label(question) if question else "All together", name_of(statistic))
