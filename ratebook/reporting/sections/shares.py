"""Systems × shares, in the form “91.1 ± 2.3”, with what the shares leave out."""

from __future__ import annotations

from typing import Any

from ..section import Section, paragraph, table
from ..words import count, name_of, number, percent

ASIDE = ("proportion_excluded", "missing_severity")


def shares(report: Any) -> Section | None:
    statistics = list(
        dict.fromkeys(
            row["statistic"]
            for row in report.numbers.rows
            if row["statistic"].startswith(("proportion_", "severe_any"))
        )
    )
    kept = [s for s in statistics if report.rows(s)]
    if not any(row["estimate"] is not None for s in kept for row in report.rows(s)):
        return None
    by = [s for s in kept if s not in ASIDE and report.system and report.by(s, report.system)]
    alone = [s for s in kept if s not in by]
    parts = []
    if by:
        lines = [
            (
                system,
                *(half_width(one(report, s, system)) for s in by),
                count_of(one(report, by[0], system)),
            )
            for system in report.system_names
        ]
        lines.append(
            ("All", *(half_width(whole(report, s)) for s in by), count_of(whole(report, by[0])))
        )
        head = ("System", *(name_of(s) for s in by), "Ratings")
        parts.append(table(head, lines, "Per cent of the ratings ± half of the interval"))
        alone = [s for s in alone if s not in by]
    rest = [(name_of(s), half_width(whole(report, s)), count_of(whole(report, s))) for s in alone]
    if rest:
        caption = "Further shares" if by else "Shares of the ratings"
        parts.append(table(("Share", "Per cent", "Ratings"), rest, caption))
    parts += [paragraph(line, "soft") for line in notes(report)]
    return Section("Shares", "".join(parts), folded=bool(report.numbers.targets))


def one(report: Any, statistic: str, system: str) -> dict[str, Any] | None:
    rows = report.by(statistic, report.system)
    return next((row for row in rows if str(row["group"][report.system]) == system), None)


def whole(report: Any, statistic: str) -> dict[str, Any] | None:
    return next(iter(report.rows(statistic)), None)


def half_width(row: dict[str, Any] | None) -> str:
    """`88.3 ± 4.1`."""
    if row is None or row["estimate"] is None:
        return "–"
    text = f"{100 * row['estimate']:.1f}"
    if row["low"] is None:
        return text
    return f"{text} ± {50 * (row['high'] - row['low']):.1f}"


def count_of(row: dict[str, Any] | None) -> str:
    return f"{row['n_ratings']:,}" if row else "–"


def notes(report: Any) -> list[str]:
    """What the shares leave out, and how far a missing answer could move them."""
    said = []
    excluded = whole(report, "proportion_excluded")
    if excluded and excluded["estimate"]:
        said.append(
            f"{percent(excluded['estimate'])} % of the ratings could not be assessed or made no "
            "claim; they are in no other share."
        )
    missing = whole(report, "missing_severity")
    severe = whole(report, "proportion_severely_inaccurate")
    if missing and missing["estimate"] and severe and severe["estimate"] is not None:
        without = round(missing["estimate"] * missing["n_ratings"])
        high = severe["estimate"] + without / max(severe["n_ratings"], 1)
        said.append(
            f"{count(without, 'rating')} of a faulty sentence lack a severity and count as not "
            f"severe: were all of them severe, the share would be at most {number(high, 'recall')} "
            f"instead of {number(severe['estimate'], 'recall')}."
        )
    residual = whole(report, "proportion_residual")
    if residual and residual["estimate"]:
        said.append(
            "Accurate and inaccurate do not add up to all: the rest is disputed or unsupported."
        )
    return said
