"""Systems side by side, and pair by pair on the same cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...numbers.measures import asked_of
from ...numbers.number import LEADING, excludes_zero, is_comparison, is_shown
from ...numbers.systems import CALLED
from ...protocols.comparisons import facts
from ...protocols.statistics import compared_means, difference_of
from ..html import Section, fold, join, paragraph, table
from ..words import (
    POINTS,
    SIGNED,
    Unit,
    interval,
    is_share,
    listing,
    marks,
    name_of,
    number,
    reason,
    say,
)

if TYPE_CHECKING:
    from ..report import Report

TOGETHER = "All together"
UNFOLDED = 12  # comparisons; more are folded behind how many are beyond chance


def systems(report: Report) -> Section | None:
    """Systems side by side, and pair by pair on the same cases."""
    if report.system is None:
        return None
    rows = lines_of(report)
    pairs = comparisons(report)
    if not rows and not pairs:
        return None
    parts = []
    said = finding(report, pairs)
    if rows:
        from ..figures.rows import SIGNS, dots_figure

        lead = rows[0]["line"]
        shown = rows
        if len(report.system_names) > len(SIGNS):
            # More systems than there are signs: a line each, on what the page leads with.
            lead = next((row["line"] for row in rows if row["line"] == TOGETHER), lead)
            own = sorted((r for r in rows if r["line"] == lead), key=lambda r: -r["estimate"])
            shown = [{**row, "line": row["system"], "system": lead} for row in own]
        title = said or ranked(report, [row for row in rows if row["line"] == lead])
        share = shown[0]["share"]
        what = "per cent of the answers" if share else "mean score, with its interval"
        if shown is not rows:
            what = f"{shown[0]['system']}: {what}"
        drawn = dots_figure(
            [{**row, **scaled(row)} for row in shown],
            report.system_names if shown is rows else [shown[0]["system"]],
            title,
            what,
        )
        alt = (
            title
            + ". "
            + "; ".join(f"{row['line']}, {row['system']}: {row['shown']}" for row in shown)
        )
        parts.append(report.picture("systems", drawn, alt))
        if shown is not rows:
            parts.append(fold("Every number, system by system", by_system(report, rows)))
    if pairs:
        parts.append(pairs_table(report, pairs))
    return Section("Systems compared", join(parts))


def lines_of(report: Report) -> list[dict[str, Any]]:
    """One entry a question and system: means of scores, else the first shares."""
    found = []
    for statistic in compared_means():
        for row in report.by(statistic, report.system):
            line = report.label(row["question"]) if row["question"] else TOGETHER
            found.append((line, row))
    confidence = [q.id for q in report.protocol.questions if q.kind.unit]
    found = [(line, row) for line, row in found if row["question"] not in confidence]
    # Two readings of all questions together are one line, that of the first.
    once = {(line, str(row["group"][report.system])): row for line, row in reversed(found)}
    found = [(line, row) for (line, _), row in reversed(once.items())]
    if not found:
        found = [
            (report.name(row), row)
            for row in report.numbers.rows
            if row["statistic"].startswith(("proportion_", "severe_any", "recall", "precision"))
            and row["group"]
            and list(row["group"]) == [report.system]
            and row["aggregate"] in LEADING
        ]
    return [
        {
            "line": line,
            "system": str(row["group"][report.system]),
            "estimate": row["estimate"],
            "low": row["low"],
            "high": row["high"],
            "shown": say(row),
            "share": row["statistic"] not in compared_means(),
            "statistic": row["statistic"],
            "question": row["question"],
        }
        for line, row in found
        if row["estimate"] is not None
    ]


def by_system(report: Report, rows: list[dict[str, Any]]) -> Markup:
    """System × number, where a figure cannot hold them all."""
    lines = list(dict.fromkeys(row["line"] for row in rows))
    cells = {(row["system"], row["line"]): row["shown"] for row in rows}
    body = [
        (system, *(cells.get((system, line), "–") for line in lines))
        for system in report.system_names
    ]
    return table(("System", *lines), body, "Systems side by side, with their intervals")


def scaled(row: dict[str, Any]) -> dict[str, Any]:
    """Shares in per cent, as they are read."""
    by = 100 if row["share"] else 1
    return {end: None if row[end] is None else by * row[end] for end in ("estimate", "low", "high")}


def pairs_table(report: Report, pairs: list[dict[str, Any]]) -> Markup:
    """Every comparison, with what it shows once corrected for their number."""
    lines = []
    one_each = is_one_each(report)
    for row in pairs:
        unit = unit_for(report, row)
        lines.append(
            (
                label(report, row),
                row["group"]["systems"],
                number(row["estimate"], unit),
                span(row, unit) or no_interval(row),
                "–" if row["p_corrected"] is None else small(row["p_corrected"]),
                "cannot be said"
                if row["low"] is None
                else ("yes" if is_shown(row, report.parameters.coverage) else "no"),
                row["n_items"] // 2 if one_each else row["n_items"],
            )
        )
    many = compared(report)
    by = " or ".join(corrections(report))
    corrected = "p, corrected" if many > 1 and by else "p"
    of = "Cases" if one_each else "Items of both"
    head = ("Question", "Pair", "Difference", "Interval", corrected, "Beyond chance", of)
    made = table(head, lines, "Differences on the same cases", text=2)
    if len(lines) > UNFOLDED:
        beyond = [line for line in lines if line[5] == "yes"]
        made = paragraph(
            f"Of {len(lines):,} comparisons {len(beyond):,} "
            f"{'is' if len(beyond) == 1 else 'are'} beyond chance."
        ) + fold("Every comparison", made)
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


def is_one_each(report: Report) -> bool:
    """Whether a case has one text of each system, so that two texts are one case compared."""
    rows = report.counted.given[["case", "item", report.system]].dropna().drop_duplicates()
    return not rows.duplicated(["case", report.system]).any()


def small(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def ranked(report: Report, rows: list[dict[str, Any]]) -> str:
    """Of many systems, who is highest and lowest on this number, and whether it is shown."""
    best, worst = (pick(rows, key=lambda row: row["estimate"]) for pick in (max, min))
    others = len(report.system_names) > len(rows)  # which have no value
    if len(rows) == 1:
        alone = "; no other system has a value" if others else ""
        return f"{best['line']} is {best['shown']} for {best['system']}{alone}"
    if best["shown"] == worst["shown"]:
        of = "every system with a value" if others else "every system"
        return f"{best['line']} is the same for {of}, {best['shown']}"
    gap = comparison(report, best["statistic"], best["question"], best["system"], worst["system"])
    is_sure = gap is not None and is_shown(gap, report.parameters.coverage)
    return (
        f"{best['line']} is highest for {alike(rows, best)}, {best['shown']}, "
        f"and lowest for {alike(rows, worst)}, {worst['shown']}"
        + ("" if is_sure else "; no difference between the two is shown")
    )


def alike(rows: list[dict[str, Any]], one: dict[str, Any]) -> str:
    """The systems whose number is this one to its last bit."""
    names = [row["system"] for row in rows if row["estimate"] == one["estimate"]]
    return listing(names, limit=3)


def finding(report: Report, pairs: list[dict[str, Any]]) -> str | None:
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


# Two systems on the same cases: whether a difference is shown, and how it is said.
#
# A difference is shown where its own interval leaves out zero and its p, corrected as the protocol
# says for all comparisons of the round, is small enough. Two intervals side by side decide nothing.


def comparisons(report: Report) -> list[dict[str, Any]]:
    """Every pair of systems by every number they are compared on, undefined ones too."""
    return [row for row in report.numbers.rows if is_comparison(row)]


def compared(report: Report) -> int:
    """How many comparisons the correction is for."""
    return sum(row["p_corrected"] is not None for row in report.numbers.rows)


def corrections(report: Report) -> list[str]:
    """How the comparisons are corrected for their number; empty where they are not."""
    rows = [row for row in report.numbers.rows if row["p_corrected"] is not None]
    found = {row["correction"] for row in rows}
    return [said for name, said in CALLED.items() if name in found]


def of_many(report: Report, words: str) -> str:
    """“ among 6 comparisons”; nothing where there are not several to correct for."""
    many = compared(report)
    return f"{words} {many} comparisons" if many > 1 and corrections(report) else ""


def comparison(
    report: Report, statistic: str, question: str | None, first: str, second: str
) -> dict[str, Any] | None:
    """The comparison behind a number, as first − second; None where there is none."""
    found = comparisons(report)
    difference = difference_of(statistic)
    wanted = difference.name if difference else None
    if is_labelled(report, statistic, question):
        wanted = "difference"
    if (
        difference
        and difference.asks == "all"
        and not any(row["statistic"] == wanted for row in found)
    ):
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


def is_labelled(report: Report, statistic: str, question: str | None) -> bool:
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


def in_points(report: Report, row: Mapping[str, Any]) -> bool:
    """Whether it is a difference of shares, which is said in percentage points."""
    choice = {question.id for question in report.protocol.questions if question.is_label}
    of_labels = row["statistic"] == "difference" and row["question"] in choice
    return of_labels or is_share(row["statistic"])


def label(report: Report, row: Mapping[str, Any]) -> str:
    """What the systems are compared on."""
    if row["statistic"] == "difference":
        return str(report.label(row["question"]))
    about = facts(row["statistic"])
    if about.asks == "all":
        return TOGETHER
    return name_of(about.of[0]) + report.whose(row["question"])


def unit_for(report: Report, row: Mapping[str, Any]) -> Unit:
    """A difference of shares is said in percentage points."""
    return POINTS if in_points(report, row) else SIGNED


def span(row: Mapping[str, Any], unit: Unit) -> str:
    """+0.18 to +0.56, with its marks; empty without an interval."""
    return interval(row["low"], row["high"], unit) + marks(row)


def no_interval(row: Mapping[str, Any]) -> str:
    """Why there is no interval, within a sentence."""
    if row["reason"] == "no_spread_for_interval":
        return "all cases differ by the same amount"
    return reason(row["reason"])


def outcome(report: Report, row: Mapping[str, Any] | None) -> str:
    """The end of a sentence: the difference, its interval, and what it shows, if it was made."""
    if row is None:
        return ""
    if row["estimate"] is None:
        return reason(row["reason"])
    unit = unit_for(report, row)
    said = f"a difference of {number(row['estimate'], unit).lstrip('+')}"
    if row["low"] is None:
        return f"{said} without an interval ({no_interval(row)}), which shows nothing"
    said += f" ({span(row, unit).replace('+', '')})"
    if is_shown(row, report.parameters.coverage):
        return said
    if excludes_zero(row):
        return f"{said}, which is no longer beyond chance{of_many(report, ' among')}"
    return said


def opening(report: Report, row: Mapping[str, Any] | None, ahead: str, names: list[str]) -> str:
    """The beginning of a sentence: `ahead` where the difference is shown, else that it is not."""
    if row is not None and is_shown(row, report.parameters.coverage):
        return ahead
    if row is None:
        return f"{names[0]} and {names[1]} were not compared case by case"
    if row["estimate"] is None or row["low"] is None:
        return f"{names[0]} and {names[1]} could not be compared"
    return f"No difference shown between {names[0]} and {names[1]}"
