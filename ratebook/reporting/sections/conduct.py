"""How raters worked: gold items, answers given twice, time, uniform answers."""

from __future__ import annotations

from typing import Any

from ..section import Section, heading, paragraph, table
from ..tables.conduct import ENOUGH, gold, longest_runs, repeats, times, uniform
from ..words import count, percent

MOST = 20
FAST = 0.6  # of the usual time for the same question


def conduct(report: Any) -> Section | None:
    parts = [
        compared(gold(report.frame, report.counted), "Against the key", "of the key’s answers"),
        compared(repeats(report.frame), "Asked twice", "the same answer again"),
        pace(report),
        flat(report),
    ]
    inside = "".join(part for part in parts if part)
    return Section("How raters worked", inside, folded=True) if inside else None


def compared(found: Any, title: str, what: str) -> str:
    if not len(found):
        return ""
    rows = found.sort_values(["share", "rater"], kind="stable")
    lines = [(r.rater, f"{percent(r.share)} %", f"{r.n:,}") for r in rows.head(MOST).itertuples()]
    worst = rows.iloc[0]
    said = (
        f"{worst.rater} has the fewest: {percent(worst.share)} % {what}, of "
        f"{count(worst.n, 'answer')}."
    )
    return heading(title) + paragraph(said) + table(("Rater", "The same", "Answers"), lines, title)


def pace(report: Any) -> str:
    found = times(report.counted)
    if not len(found):
        return ""
    fast = found[found["ratio"] < FAST]
    said = "Nobody was conspicuously fast."
    if len(fast):
        quickest = fast.sort_values("ratio").iloc[0]
        said = (
            f"{quickest.rater} takes {percent(quickest.ratio)} % of the usual time for the same "
            "questions: fast enough to ask whether the items were read."
        )
    lines = [
        (r.rater, f"{r.seconds:.0f} s", f"{percent(r.ratio)} %", f"{r.n:,}")
        for r in found.head(MOST).itertuples()
    ]
    head = ("Rater", "Median per answer", "Of the usual time", "Answers")
    return heading("Time") + paragraph(said) + table(head, lines, "Time per answer")


def flat(report: Any) -> str:
    """Items with one and the same score throughout, and long stretches of one answer."""
    found = uniform(report.counted)
    if len(found):
        rows = found[found["n"] >= ENOUGH]
        lines = [
            (r.rater, f"{percent(r.share)} %", f"{r.n:,}") for r in rows.head(MOST).itertuples()
        ]
        note = "Where most items deserve the top score, uniform answers are no carelessness."
        head = ("Rater", "All scores equal", "Items")
        made = table(head, lines, "Items scored alike on all questions")
        return heading("Uniform answers") + made + paragraph(note, "soft") if lines else ""
    return stretches(report)


def stretches(report: Any) -> str:
    """The longest stretch of one answer, where there are labels instead of scores."""
    labelled = report.counted.labelled()
    if not labelled:
        return ""
    runs = longest_runs(report.counted, labelled[0])
    lines = [(r.rater, r.value, r.run, f"{r.n:,}") for r in runs.head(MOST).itertuples()]
    if not lines:
        return ""
    head = ("Rater", "Answer", "In a row", "Of answers")
    return heading("Uniform answers") + table(
        head, lines, f"Longest stretch of one answer to {labelled[0].label}", text=2
    )
