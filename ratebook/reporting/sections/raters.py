"""Rater by rater: who leans which way, who agrees with whom, what leaving one out would change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..section import Section, heading, paragraph, table
from ..tables.lean import habits
from ..tables.pairs import agreement_matrix, with_others
from ..tables.values import value_names
from ..words import listing, number, percent, signed
from .apart import ends
from .trust import coefficients

ENOUGH = 2
MOST = 14  # more do not fit a figure; the table then shows both ends


def raters(report: Any) -> Section | None:
    counted = report.counted
    if len(counted.raters()) < 2:
        return None
    parts = [lean(report), ends(report), labels(report), matrix(report), left_out(report)]
    inside = "".join(part for part in parts if part)
    return Section("Rater by rater", inside, folded=True) if inside else None


def lean(report: Any) -> str:
    found = report.leans
    found = found[found["n"] >= ENOUGH]  # of one item there is no interval
    if len(found) < 2:
        return ""
    shown = both_ends(found)
    from ..figures.lean import lean_figure

    said = finding(found)
    alt = (
        said
        + ". "
        + "; ".join(
            f"{row.rater} {signed(row.lean)} ({between(row) or 'no interval'})"
            for row in shown.itertuples()
        )
    )
    caption = (
        "Each score against the mean of the other raters on the same item and question. "
        "Severity on a scale that ends shows smaller than it is."
    )
    if len(shown) < len(found):
        caption += f" The {len(shown)} at the ends of {len(found):,} raters."
    picture = report.picture("severity", lean_figure(shown, said), alt, caption)
    lines = [
        (
            row.rater,
            signed(row.lean),
            between(row) or "–",
            signed(row.late - row.early) if np.isfinite(row.late - row.early) else "–",
            number(row.noise) if np.isfinite(row.noise) else "–",
            row.n,
        )
        for row in shown.itertuples()
    ]
    head = ("Rater", "Against the others", "Interval", "Drift", "Scatter", "Items")
    note = (
        "Drift: the last third of a rater’s items against the first. Scatter: how far single "
        "scores spread around the rater’s own lean."
    )
    made = table(head, lines, "Severity, drift and scatter, in points of the scale")
    return heading("Severity") + picture + made + paragraph(note, "soft")


def between(row: Any) -> str:
    """−0.37 to −0.12; empty without an interval."""
    return f"{signed(row.low)} to {signed(row.high)}" if np.isfinite(row.low) else ""


def both_ends(found: pd.DataFrame) -> pd.DataFrame:
    if len(found) <= MOST:
        return found
    return pd.concat([found.head(MOST // 2), found.tail(MOST // 2)])


def finding(found: pd.DataFrame) -> str:
    severe, lenient = found.iloc[0], found.iloc[-1]
    if not severe.high < 0 and not lenient.low > 0:
        return "No rater is clearly severe or lenient"
    said = []
    if severe.high < 0:
        said.append(f"{severe.rater} is the most severe ({signed(severe.lean)} points)")
    if lenient.low > 0:
        said.append(f"{lenient.rater} the most lenient ({signed(lenient.lean)})")
    return ", ".join(said)


def labels(report: Any) -> str:
    parts = []
    for question in report.counted.labelled():
        found = habits(report.counted, question)
        if len(found) < 2:
            continue
        spread = found.max() - found.min()
        widest = str(spread.idxmax())
        column = found[widest]
        names = value_names(question)
        said = (
            f"{column.idxmax()} uses “{names[widest]}” most ({percent(column.max())} %), "
            f"{column.idxmin()} least ({percent(column.min())} %)"
        )
        lines = [
            (name, *(f"{percent(v)} %" for v in row)) for name, row in found.head(MOST).iterrows()
        ]
        title = heading(f"{question.label}: how each rater uses the labels")
        parts.append(
            title
            + paragraph(said + ".")
            + table(
                ("Rater", *(names[str(value)] for value in found.columns)),
                lines,
                f"Share of each rater’s answers to {question.label}",
            )
        )
    return "".join(parts)


def matrix(report: Any, asked: list[Any] | None = None) -> str:
    """Who gives whose answers, on these questions or on all that have values."""
    counted = report.counted
    asked = asked or [q for q in [*counted.numeric(), *counted.labelled()] if q.values]
    if not asked:
        return ""
    found = agreement_matrix(counted, asked)
    own = with_others(found)
    if len(own) < 3:
        return ""
    said = (
        f"{own.index[-1]} agrees with the others most ({percent(own.iloc[-1])} %), "
        f"{own.index[0]} least ({percent(own.iloc[0])} %)"
    )
    if len(found) > MOST:
        return heading("Who agrees with whom") + paragraph(f"{said}, of {len(found):,} raters.")
    from ..figures.heat import heat_figure

    drawn = heat_figure(found, said, percent)
    alt = (
        said
        + ". "
        + "; ".join(
            f"{a} and {b} {percent(found.loc[a, b])} %"
            for i, a in enumerate(found.index)
            for b in found.columns[i + 1 :]
            if np.isfinite(found.loc[a, b])
        )
    )
    caption = "Per cent of the answers two raters have in common that are the very same."
    return heading("Who agrees with whom") + report.picture("raters", drawn, alt, caption)


def left_out(report: Any) -> str:
    """α without each rater: who holds agreement down."""
    names = report.counted.raters()
    if not 3 <= len(names) <= MOST:
        return ""
    import analysis

    lines = {name: [name] for name in names}
    head = ["Without"]
    now = ["nobody"]
    rise: dict[str, list[float]] = {name: [] for name in names}
    for row in coefficients(report):
        asked = report.question(row["question"])
        if asked is None:
            continue
        scale = list(range(len(asked.values))) if asked.type == "choice" else asked.values
        found = analysis.alpha_without_raters(
            report.counted.table(asked), row["statistic"].removeprefix("alpha_"), scale=scale
        ).set_index("rater")
        head.append(asked.label)
        now.append(number(row["estimate"]))
        for name in names:
            # Who did not answer here changes nothing.
            without, change = found.loc[name] if name in found.index else (row["estimate"], 0.0)
            lines[name].append(number(without if np.isfinite(without) else None))
            if np.isfinite(without):
                rise[name].append(change)
    if len(head) == 1:
        return ""
    means = {name: float(np.mean(values)) for name, values in rise.items() if values}
    best = max(means, key=lambda name: means[name]) if means else None
    said = ""
    if best is not None and means[best] > 0.02:
        said = f"Without {best}, α would be {number(means[best])} higher on average."
    elif best is not None:
        said = f"Leaving out {listing(names, 'or')} would raise α by no more than 0.02."
    return (
        heading("Leaving one rater out")
        + paragraph(said)
        + table(head, [now, *lines.values()], "Krippendorff’s α without each rater")
    )
