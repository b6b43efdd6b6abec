"""How raters worked: when, how fast, against gold items, asked twice, uniform answers."""

from __future__ import annotations

from typing import Any

from ..section import Section, heading, paragraph, table
from ..tables.conduct import ENOUGH, gold, longest_runs, repeats, times, uniform
from ..tables.progress import progress, when
from ..tables.values import value_name
from ..words import count, number, percent

MOST = 20
FAST = 0.6  # of the usual time for the same question
LONG = 2  # times as long as chance makes a stretch of so common an answer


def conduct(report: Any) -> Section | None:
    parts = [
        burnup(report),
        compared(gold(report.frame, report.counted), "Against the key", "of the key’s answers"),
        compared(repeats(report.frame), "Asked twice", "the same answer again"),
        pace(report),
        flat(report),
    ]
    inside = "".join(part for part in parts if part)
    return Section("How raters worked", inside, folded=True) if inside else None


def burnup(report: Any) -> str:
    """How the ratings came in, where answers have times of their own."""
    found = progress(report.frame, report.counted)
    if found is None:
        return ""
    curve, unit = found
    given, last = int(curve["ratings"].iloc[-1]), float(curve["time"].iloc[-1])
    one = unit.removesuffix("s")
    many = planned(report)
    said = f"Half of the {given:,} ratings were in after {spell(when(curve, 0.5), one)}, "
    said += f"the last after {spell(last, one)}"
    if many > given:
        said += f"; {many - given:,} of the {many:,} planned have no answer"
    from ..figures.burnup import burnup_figure

    quarters = ", ".join(
        f"{percent(share)} % after {spell(when(curve, share), one)}" for share in (0.25, 0.75)
    )
    drawn = burnup_figure(curve, unit, many, said)
    caption = "A rating is one rater’s of one item; it counts from its first answer on."
    return heading("Progress") + report.picture("progress", drawn, f"{said}; {quarters}.", caption)


def planned(report: Any) -> int:
    """Rater by rater the items of their plans; 0 where any counts without a plan."""
    own = [report.asked.plans.get(name, 0) for name in report.counted.raters()]
    return sum(own) if all(own) else 0


def spell(time: float, unit: str) -> str:
    """“3.5 days”, “1 hour”."""
    shown = f"{time:.1f}".removesuffix(".0")
    return f"{shown} {unit if shown == '1' else unit + 's'}"


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
    made = table(("Rater", "The same", "Answers"), lines, f"Share that is {what}")
    return heading(title) + paragraph(said) + made


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
        (r.rater, seconds(r.seconds), f"{percent(r.ratio)} %", f"{r.n:,}")
        for r in found.head(MOST).itertuples()
    ]
    head = ("Rater", "Median per answer", "Of the usual time", "Answers")
    caption = "Time per answer; usual is the median of all raters for the same question"
    return heading("Time") + paragraph(said) + table(head, lines, caption)


def seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 10 else f"{number(value)[:-1]} s"


def flat(report: Any) -> str:
    """Items with one and the same score throughout, and long stretches of one answer."""
    found = uniform(report.counted)
    if not len(found):
        return stretches(report)
    rows = found[found["n"] >= ENOUGH].sort_values(["share", "rater"], ascending=[False, True])
    if not len(rows):
        return ""
    most, least = rows.iloc[0], rows.iloc[-1]
    said = f"{most.rater} gives one and the same score on all questions of an item most often"
    said += f" ({percent(most.share)} %), {least.rater} least often ({percent(least.share)} %)"
    note = "Where most items deserve the top score, uniform answers are no carelessness."
    if len(rows) == 1 or most.share == least.share:
        said = f"All scores are equal on {percent(most.share)} % of the items of each rater"
    lines = [(r.rater, f"{percent(r.share)} %", f"{r.n:,}") for r in rows.head(MOST).itertuples()]
    made = table(("Rater", "All scores equal", "Items"), lines, "Items scored alike throughout")
    return heading("Uniform answers") + paragraph(f"{said}.") + made + paragraph(note, "soft")


def stretches(report: Any) -> str:
    """The longest stretch of one answer, where there are labels instead of scores."""
    labelled = report.counted.labelled()
    if not labelled:
        return ""
    asked = labelled[0]
    runs = longest_runs(report.counted, asked)
    runs = runs[runs["n"] >= ENOUGH]
    rows = runs.head(MOST).itertuples()
    lines = [
        (r.rater, value_name(asked, r.value), r.run, f"{r.expected:.0f}", f"{r.n:,}") for r in rows
    ]
    if not lines:
        return ""
    long = runs[runs["run"] > LONG * runs["expected"]].sort_values("run", ascending=False)
    said = "Nobody repeats one answer for longer than chance explains."
    if len(long):
        worst = long.iloc[0]
        said = (
            f"{worst.rater} answers “{value_name(asked, worst.value)}” {worst.run:,} times in a "
            f"row, where chance makes about {worst.expected:.0f}: look at these items again."
        )
    head = ("Rater", "Answer", "In a row", "By chance about", "Answers")
    made = table(head, lines, f"Longest stretch of one answer to {asked.label}", text=2)
    return heading("Uniform answers") + paragraph(said) + made
