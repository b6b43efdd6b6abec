"""The same numbers by group: question type, prompt style, domain; crossed groups as a matrix."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..section import Section, heading, table
from ..words import estimate, interval, name_of, number

OWN = {"rater", "label", "systems", "raters", "tokeniser", "level"}
MOST_VALUES = 12


def breakdowns(report: Any) -> Section | None:
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
    inside = "".join(part for part in parts if part)
    return Section("Breakdowns", inside, folded=True) if inside else None


def column_name(report: Any, column: str) -> str:
    field = report.protocol.item.fields.get(column)
    return field.label if field else column.replace("_", " ").capitalize()


def readable(value: object) -> str:
    return str(value).replace("_", " ")


def matrix(report: Any, keys: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    """Two groups crossed: a heat map of the first statistic that has them."""
    statistic = rows[0]["statistic"]
    kept = [row for row in rows if row["statistic"] == statistic and row["estimate"] is not None]
    if len(kept) < 4:
        return lines(report, keys, rows)
    cells = pd.DataFrame(
        [
            (readable(r["group"][keys[0]]), readable(r["group"][keys[1]]), r["estimate"])
            for r in kept
        ],
        columns=["row", "column", "value"],
    ).pivot(index="row", columns="column", values="value")
    names = [column_name(report, key) for key in keys]
    flat = cells.stack()
    best, worst = flat.idxmax(), flat.idxmin()
    said = (
        f"{name_of(statistic)} is highest for {best[0]}, {best[1]} "
        f"({number(flat[best], statistic)}) and lowest for {worst[0]}, {worst[1]} "
        f"({number(flat[worst], statistic)})"
    )
    from ..figures.heat import heat_figure

    drawn = heat_figure(cells, said, lambda value: number(value, statistic), names[0], names[1])
    alt = (
        said
        + ". "
        + "; ".join(
            f"{row['group'][keys[0]]}, {row['group'][keys[1]]}: {estimate(row)}" for row in kept
        )
    )
    title = f"{names[0]} × {names[1].lower()}"
    return heading(title) + report.picture(f"by-{keys[0]}-{keys[1]}", drawn, alt)


def lines(report: Any, keys: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    """One line a number, one column a group value."""
    values = sorted({tuple(readable(row["group"][key]) for key in keys) for row in rows})
    if len(values) < 2:
        return ""
    cut = values[:MOST_VALUES]
    numbers: dict[tuple[str, str], dict[tuple[str, ...], dict]] = {}
    for row in rows:
        line = (
            report.label(row["question"]) if row["question"] else "All together",
            name_of(row["statistic"]),
        )
        at = tuple(readable(row["group"][key]) for key in keys)
        numbers.setdefault(line, {})[at] = row
    body = [
        (*line, *(cell(found.get(value)) for value in cut))
        for line, found in numbers.items()
        if any(row["estimate"] is not None for row in found.values())
    ]
    if not body:
        return ""
    title = "By " + " and ".join(column_name(report, key).lower() for key in keys)
    if len(values) > len(cut):
        title += f" (the first {len(cut)} of {len(values):,} values)"
    head = ("Question", "Number", *(", ".join(value) for value in cut))
    return heading(title) + table(head, body, title, text=2)


def cell(row: dict[str, Any] | None) -> str:
    if row is None or row["estimate"] is None:
        return "–"
    text = number(row["estimate"], row["statistic"])
    between = interval(row["low"], row["high"], row["statistic"])
    return f"{text} ({between})" if between else text
