"""Systems side by side, and pair by pair on the same cases."""

from __future__ import annotations

from typing import Any

from ..differences import (
    amount,
    compared,
    comparisons,
    corrections,
    in_points,
    is_shown,
    label,
    no_interval,
    pair_of,
    span,
)
from ..section import Section, paragraph, table
from ..words import estimate, listing, name_of

SHOWN = ("mean", "overall_mean", "overall_computed_mean")


def systems(report: Any) -> Section | None:
    if report.system is None:
        return None
    rows = lines_of(report)
    pairs = comparisons(report)
    if not rows and not pairs:
        return None
    parts = []
    said = finding(report, pairs)
    if rows:
        from ..figures.dots import dots_figure

        title = said or ranked(rows)
        share = rows[0]["share"]
        drawn = dots_figure(
            [{**row, **scaled(row)} for row in rows],
            report.system_names,
            title,
            "per cent of the answers" if share else "mean score, with its interval",
        )
        alt = (
            title
            + ". "
            + "; ".join(f"{row['line']}, {row['system']}: {row['shown']}" for row in rows)
        )
        parts.append(report.picture("systems", drawn, alt))
    if pairs:
        parts.append(pairs_table(report, pairs))
    return Section("Systems compared", "".join(parts))


def lines_of(report: Any) -> list[dict[str, Any]]:
    """One entry a question and system: means of scores, else the first shares."""
    found = []
    for statistic in SHOWN:
        for row in report.by(statistic, report.system):
            line = report.label(row["question"]) if row["question"] else "All together"
            found.append((line, row))
    confidence = [q.id for q in report.protocol.questions if q.type == "percent"]
    found = [(line, row) for line, row in found if row["question"] not in confidence]
    if not found:
        found = [
            (name_of(row["statistic"]), row)
            for row in report.numbers.rows
            if row["statistic"].startswith(("proportion_", "severe_any", "recall", "precision"))
            and row["group"]
            and list(row["group"]) == [report.system]
            and row["aggregate"] in (None, "macro")
        ]
    return [
        {
            "line": line,
            "system": str(row["group"][report.system]),
            "estimate": row["estimate"],
            "low": row["low"],
            "high": row["high"],
            "shown": estimate(row),
            "share": row["statistic"] not in SHOWN,
        }
        for line, row in found
        if row["estimate"] is not None
    ]


def scaled(row: dict[str, Any]) -> dict[str, Any]:
    """Shares in per cent, as they are read."""
    by = 100 if row["share"] else 1
    return {end: None if row[end] is None else by * row[end] for end in ("estimate", "low", "high")}


def pairs_table(report: Any, pairs: list[dict[str, Any]]) -> str:
    """Every comparison, with what it shows once corrected for their number."""
    lines = []
    for row in pairs:
        points = in_points(report, row)
        none = row["estimate"] is None
        lines.append(
            (
                label(report, row),
                row["group"]["systems"],
                "–" if none else amount(row, points),
                span(row, points) or no_interval(row),
                "–" if row["p_corrected"] is None else small(row["p_corrected"]),
                "cannot be said"
                if row["low"] is None
                else ("yes" if is_shown(row, report.parameters.coverage) else "no"),
                row["n_items"],
            )
        )
    many = compared(report)
    by = " or ".join(corrections(report))
    corrected = "p, corrected" if many > 1 and by else "p"
    head = ("Question", "Pair", "Difference", "Interval", corrected, "Beyond chance", "Items")
    made = table(head, lines, "Differences on the same cases", text=2)
    below = f"{1 - report.parameters.coverage:.2g}"
    if many > 1 and by:
        made += paragraph(
            f"{many} comparisons: each p is corrected by {by} for that number, and a difference "
            f"counts as beyond chance only where its corrected p is below {below}. The intervals "
            "are each comparison’s own.",
            "soft",
        )
    elif many > 1:
        made += paragraph(
            f"{many} comparisons: as the protocol asks, no p is corrected for that number, so some "
            f"may be below {below} by chance alone.",
            "soft",
        )
    return made


def small(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def ranked(rows: list[dict[str, Any]]) -> str:
    """Of many systems, who is highest and lowest on the first number."""
    own = [row for row in rows if row["line"] == rows[0]["line"]]
    best, worst = (pick(own, key=lambda row: row["estimate"]) for pick in (max, min))
    if best["estimate"] == worst["estimate"]:
        return f"{best['line']} is the same for every system, {best['shown']}"
    return (
        f"{best['line']} is highest for {best['system']}, {best['shown']}, "
        f"and lowest for {worst['system']}, {worst['shown']}"
    )


def finding(report: Any, pairs: list[dict[str, Any]]) -> str | None:
    """Two systems: where the one is ahead and where the other, and where nothing is shown."""
    pairs = [row for row in pairs if row["estimate"] is not None]
    if len(report.system_names) != 2 or not pairs:
        return None
    first, second = pair_of(pairs[0])
    ahead: dict[str, list[str]] = {first: [], second: []}
    open_ = []
    for row in pairs:
        if is_shown(row, report.parameters.coverage):
            ahead[first if row["estimate"] > 0 else second].append(label(report, row))
        else:
            open_.append(label(report, row))
    said = [f"{name} is ahead on {listing(on)}" for name, on in ahead.items() if on]
    if not said:
        return f"No difference shown between {first} and {second}"
    return "; ".join(said) + (f"; no difference shown on {listing(open_)}" if open_ else "")
