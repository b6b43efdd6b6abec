"""Systems × shares, in the form “91.1 ± 2.3”, with what the shares leave out."""

from __future__ import annotations

from typing import Any

from ..cautions import marks
from ..names import NAMES
from ..section import Section, paragraph, table
from ..tables.values import value_name
from ..words import capital, count, interval, name_of, number, percent

CAPTION = (
    "Per cent of the ratings ± half of the interval; by its ends where ± would go below 0 or "
    "above 100"
)
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
        head = ("System", *(share_name(report, s) for s in by), "Ratings")
        parts.append(table(head, lines, CAPTION))
    rest = [
        (share_name(report, s), half_width(whole(report, s)), count_of(whole(report, s)))
        for s in alone
    ]
    if rest:
        caption = "Further shares" if by else CAPTION
        parts.append(table(("Share", "Per cent", "Ratings"), rest, caption))
    parts += [paragraph(line, "soft") for line in notes(report)]
    return Section("Shares", "".join(parts), folded=bool(report.numbers.targets))


def share_name(report: Any, statistic: str) -> str:
    """As elsewhere on the page, and by models where they are the ones who answered."""
    row = whole(report, statistic)
    return called(report, statistic) + (report.whose(row["question"]) if row else "")


def called(report: Any, statistic: str) -> str:
    """By its own name, or as the option it counts is called."""
    for measure in report.protocol.measures:
        if measure.statistic != statistic or statistic in NAMES:
            continue
        if measure.label:
            return str(measure.label)
        asked = [q for q in report.protocol.questions if q.id in (measure.question or ())]
        if isinstance(measure.is_, tuple) and len(asked) == len(measure.is_) == 1:
            return capital(value_name(asked[0], measure.is_[0]))
    return name_of(statistic)


def one(report: Any, statistic: str, system: str) -> dict[str, Any] | None:
    rows = report.by(statistic, report.system)
    return next((row for row in rows if str(row["group"][report.system]) == system), None)


def whole(report: Any, statistic: str) -> dict[str, Any] | None:
    return report.numbers.get(statistic)


def half_width(row: dict[str, Any] | None) -> str:
    """`88.3 ± 4.1`; by its ends where ± would leave what is possible."""
    if row is None or row["estimate"] is None:
        return "–"
    text = f"{100 * row['estimate']:.1f}"
    if row["low"] is None:
        return text
    half = (row["high"] - row["low"]) / 2
    if not half <= row["estimate"] <= 1 - half:
        return f"{text} ({interval(row['low'], row['high'], row['statistic'])}){marks(row)}"
    return f"{text} ± {100 * half:.1f}{marks(row)}"


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
