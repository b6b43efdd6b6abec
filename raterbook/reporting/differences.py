"""Two systems on the same cases: whether a difference is shown, and how it is said.

A difference is shown where its own interval leaves out zero and its p, corrected as the protocol
says for all comparisons of the round, is small enough. Two intervals side by side decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .cautions import marks
from .measures import asked_of
from .rows import is_comparison
from .words import is_share, name_of, reason, signed

CORRECTIONS = {"holm": "Holm", "benjamini-hochberg": "Benjamini–Hochberg"}
OF = {"overall_mean": "difference_overall", "overall_computed_mean": "difference_overall"}


def comparisons(report: Any) -> list[dict[str, Any]]:
    """Every pair of systems by every number they are compared on, undefined ones too."""
    return [row for row in report.numbers.rows if is_comparison(row)]


def compared(report: Any) -> int:
    """How many comparisons the correction is for."""
    return sum(row["p_corrected"] is not None for row in report.numbers.rows)


def corrections(report: Any) -> list[str]:
    """How the comparisons are corrected for their number; empty where they are not."""
    rows = [row for row in report.numbers.rows if row["p_corrected"] is not None]
    found = {row["correction"] for row in rows}
    return [said for name, said in CORRECTIONS.items() if name in found]


def of_many(report: Any, words: str) -> str:
    """“ among 6 comparisons”; nothing where there are not several to correct for."""
    many = compared(report)
    return f"{words} {many} comparisons" if many > 1 and corrections(report) else ""


def comparison(
    report: Any, statistic: str, question: str | None, first: str, second: str
) -> dict[str, Any] | None:
    """The comparison behind a number, as first − second; None where there is none."""
    found = comparisons(report)
    wanted = OF.get(statistic, f"difference_{statistic}")
    if statistic == "mean" or is_labelled(report, statistic, question):
        wanted = "difference"
    if statistic in OF and not any(row["statistic"] == wanted for row in found):
        # One question is all there is, and compared by itself.
        asked = {row["question"] for row in found if row["statistic"] == "difference"}
        wanted, question = "difference", next(iter(asked)) if len(asked) == 1 else None
    for row in found:
        if row["statistic"] != wanted or (wanted == "difference" and row["question"] != question):
            continue
        if pair_of(row) == (first, second):
            return row
        if pair_of(row) == (second, first):
            return turned(row)
    return None


def is_labelled(report: Any, statistic: str, question: str | None) -> bool:
    """Whether the protocol compares systems by just this share of a question's labels."""
    measures = [measure.to_dict() for measure in report.protocol.measures]

    def shares(name: str) -> list[tuple[Any, Any]]:
        return [
            (measure.get("is"), measure.get("of"))
            for measure in measures
            if measure["statistic"] == name and question in asked_of(measure)
        ]

    return any(share in shares("difference") for share in shares(statistic))


def pair_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """The two systems of a comparison, as first − second."""
    names: tuple[str, str] = row["group"]["systems"].names
    return names


def turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same comparison the other way round."""
    new = {**row, "group": {"systems": row["group"]["systems"].turned}}
    for name, other in (("low", "high"), ("low_like", "high_like")):
        new[name], new[other] = (None if row[end] is None else -row[end] for end in (other, name))
    new["estimate"] = None if row["estimate"] is None else -row["estimate"]
    return new


def excludes_zero(row: Mapping[str, Any]) -> bool:
    return row["low"] is not None and (row["low"] > 0 or row["high"] < 0)


def is_shown(row: Mapping[str, Any], coverage: float) -> bool:
    """Whether the difference stands, corrected for how many were looked at."""
    p = row["p_corrected"]
    return excludes_zero(row) and (p is None or p < 1 - coverage)


def in_points(report: Any, row: Mapping[str, Any]) -> bool:
    """Whether it is a difference of shares, which is said in percentage points."""
    choice = {question.id for question in report.protocol.questions if question.type == "choice"}
    of_labels = row["statistic"] == "difference" and row["question"] in choice
    return of_labels or is_share(row["statistic"])


def label(report: Any, row: Mapping[str, Any]) -> str:
    """What the systems are compared on."""
    if row["statistic"] == "difference":
        return str(report.label(row["question"]))
    if row["statistic"] == "difference_overall":
        return "All together"
    return name_of(row["statistic"].removeprefix("difference_")) + report.whose(row["question"])


def amount(row: Mapping[str, Any], points: bool) -> str:
    """+0.37, or +13.4 points."""
    return f"{signed(100 * row['estimate'], 1)} points" if points else signed(row["estimate"])


def span(row: Mapping[str, Any], points: bool) -> str:
    """+0.18 to +0.56, with its marks; empty without an interval."""
    if row["low"] is None:
        return ""
    by, places = (100, 1) if points else (1, 2)
    return f"{signed(by * row['low'], places)} to {signed(by * row['high'], places)}{marks(row)}"


def no_interval(row: Mapping[str, Any]) -> str:
    """Why there is no interval, within a sentence."""
    if row["reason"] == "no_spread_for_interval":
        return "all cases differ by the same amount"
    return reason(row["reason"])


def outcome(report: Any, row: Mapping[str, Any] | None) -> str:
    """The end of a sentence: the difference, its interval, and what it shows."""
    if row is None:
        return "they were not compared case by case"
    if row["estimate"] is None:
        return reason(row["reason"])
    points = in_points(report, row)
    said = f"a difference of {amount(row, points).lstrip('+')}"
    if row["low"] is None:
        return f"{said} without an interval ({no_interval(row)}), which shows nothing"
    said += f" ({span(row, points).replace('+', '')})"
    if is_shown(row, report.parameters.coverage):
        return said
    if excludes_zero(row):
        return f"{said}, which is no longer beyond chance{of_many(report, ' among')}"
    return said


def opening(report: Any, row: Mapping[str, Any] | None, ahead: str, names: list[str]) -> str:
    """The beginning of a sentence: `ahead` where the difference is shown, else that it is not."""
    if row is not None and is_shown(row, report.parameters.coverage):
        return ahead
    if row is None or row["estimate"] is None or row["low"] is None:
        return f"{names[0]} and {names[1]} could not be compared"
    return f"No difference shown between {names[0]} and {names[1]}"
