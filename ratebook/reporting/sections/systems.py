"""Systems side by side, and pair by pair on the same cases."""

from __future__ import annotations

from typing import Any

from ..section import Section, paragraph, table
from ..words import estimate, listing, name_of, signed

SHOWN = ("mean", "overall_mean", "overall_computed_mean")


def systems(report: Any) -> Section | None:
    if report.system is None:
        return None
    rows = lines_of(report)
    pairs = differences(report)
    if not rows and not pairs:
        return None
    parts = []
    said = finding(report, pairs)
    if rows:
        from ..figures.dots import dots_figure

        several = {row["line"] for row in rows}
        title = said or f"{listing(report.system_names)} by {len(several)} numbers"
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
        lines = [
            (
                report.label(row["question"]),
                row["group"]["systems"],
                points(row["estimate"], row["share"]),
                span(row),
                "yes" if decided(row) else "no",
                row["n_items"],
            )
            for row in pairs
        ]
        head = ("Question", "Pair", "Difference", "Interval", "Beyond chance", "Items")
        parts.append(table(head, lines, "Differences on the same cases", text=2))
        if len(pairs) > 3:
            parts.append(
                paragraph(
                    f"{len(pairs)} comparisons at once: one in twenty would look real by chance "
                    "alone. Trust those whose interval is far from 0.",
                    "soft",
                )
            )
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


def differences(report: Any) -> list[dict[str, Any]]:
    """The difference rows; those of labels are shares."""
    choice = {q.id for q in report.protocol.questions if q.type == "choice"}
    return [
        {**row, "share": row["question"] in choice}
        for row in report.numbers.rows
        if row["statistic"] == "difference"
        and row["estimate"] is not None
        and set(row["group"] or ()) == {"systems"}
    ]


def decided(row: dict[str, Any]) -> bool:
    return row["low"] is not None and (row["low"] > 0 or row["high"] < 0)


def points(value: float, share: bool) -> str:
    return f"{signed(100 * value, 1)} points" if share else signed(value)


def span(row: dict[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    by, places = (100, 1) if row["share"] else (1, 2)
    return f"{signed(by * row['low'], places)} to {signed(by * row['high'], places)}"


def finding(report: Any, pairs: list[dict[str, Any]]) -> str | None:
    """Two systems: where the one is ahead and where the other."""
    if len(report.system_names) != 2 or not pairs:
        return None
    first, second = pairs[0]["group"]["systems"].split(" − ")
    ahead: dict[str, list[str]] = {first: [], second: []}
    open_ = []
    for row in pairs:
        label = report.label(row["question"])
        if decided(row):
            ahead[first if row["estimate"] > 0 else second].append(label)
        else:
            open_.append(label)
    said = [f"{name} is ahead on {listing(on)}" for name, on in ahead.items() if on]
    if open_ and said:
        said.append(f"undecided on {listing(open_)}")
    if not said:
        return f"{first} and {second} cannot be told apart"
    return "; ".join(said).replace("; undecided", ", undecided")
