"""How raters worked: when, how fast, against gold items, asked twice, uniform answers."""

from __future__ import annotations

from typing import Any

from ..section import Section, heading, paragraph, table
from ..tables.conduct import ENOUGH, gold, longest_runs, repeats, times, uniform
from ..tables.others import furthest
from ..tables.progress import progress, when
from ..tables.values import value_name
from ..words import count, number, percent, signed, spanned
from .raters import points

MOST = 20
FAST = 0.6  # of the usual time for the same question
LONG = 2  # times as long as chance makes a stretch of so common an answer


def conduct(report: Any) -> Section | None:
    parts = [
        burnup(report),
        compared(
            report, gold(report.frame, report.counted), "Against the key", "of the key’s answers"
        ),
        compared(report, repeats(report.frame), "Asked twice", "the same answer again"),
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


def compared(report: Any, found: Any, title: str, what: str) -> str:
    if not len(found):
        return ""
    rows = found.sort_values(["share", "rater"], kind="stable")
    lines = [
        (report.rater_name(r.rater), f"{percent(r.share)} %", f"{r.n:,}")
        for r in rows.head(MOST).itertuples()
    ]
    worst = rows.iloc[0]
    who = report.rater_name(worst.rater)
    given = f"{percent(worst.share)} % {what}, of {count(worst.n, 'answer')}"
    if len(rows) == 1:
        said = f"{who}: {given}."
    elif (gap := fewest(rows, report.parameters.coverage)) is not None:
        low, high = (f"{100 * end:.0f}" for end in gap)
        said = f"{who} has the fewest: {given}, {low} to {high} points below the others together."
    else:
        said = (
            f"{percent(worst.share)} to {percent(rows['share'].iloc[-1])} % {what}, of "
            f"{spanned(rows['n'])} answers each; no {report.people} is shown to have fewer than "
            "the others."
        )
    made = table(("Rater", "The same", "Answers"), lines, f"Share that is {what}")
    return heading(title) + paragraph(said) + made


def fewest(rows: Any, coverage: float) -> tuple[float, float] | None:
    """How far the lowest share lies below that of all others together; None where by chance.

    Newcombe’s interval, corrected for how many could have been the lowest.
    """
    from analysis.proportions import proportion_difference

    same, n = (rows["share"] * rows["n"]).round(), rows["n"]
    found = proportion_difference(
        same.iloc[1:].sum(),
        n.iloc[1:].sum(),
        same.iloc[0],
        n.iloc[0],
        coverage=1 - (1 - coverage) / len(rows),
    )
    if found.low is None or found.high is None or found.low <= 0:
        return None
    return found.low, found.high


def pace(report: Any) -> str:
    found = times(report.counted, report.parameters.coverage)
    if not len(found):
        return ""
    fast = found[(found["ratio"] < FAST) & (found["high"] < 1)]
    said = f"No {report.people} is shown to be conspicuously fast."
    if len(fast):
        quickest: Any = next(fast.sort_values("ratio").itertuples())
        said = (
            f"{report.rater_name(quickest.rater)} takes {percent(quickest.ratio)} % of the usual "
            f"time for the same questions ({between(quickest)}): fast enough to ask whether the "
            "items were read."
        )
    lines = [
        (
            report.rater_name(r.rater),
            seconds(r.seconds),
            f"{100 * r.ratio:.0f} %",
            between(r),
            f"{r.n:,}",
        )
        for r in found.head(MOST).itertuples()
    ]
    head = ("Rater", "Median per answer", "Of the usual time", "Interval", "Answers")
    caption = "Time per answer; usual is the median of all raters for the same question"
    if len(found) > MOST:
        caption += f"; the first {MOST} of {len(found):,}, the fastest first"
    return heading("Time") + paragraph(said) + table(head, lines, caption)


def between(row: Any) -> str:
    return f"{100 * row.low:.0f}–{100 * row.high:.0f} %" if row.low == row.low else "–"


def seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 10 else f"{number(value)[:-1]} s"


def flat(report: Any) -> str:
    """Items with one and the same score throughout, and long stretches of one answer."""
    found = uniform(report.counted, report.parameters.coverage, report.cluster)
    if not len(found):
        return stretches(report)
    rows = found[found["items"] >= ENOUGH].sort_values(["share", "rater"], ascending=[False, True])
    if not len(rows):
        return ""
    most = None if report.copies else furthest(rows, 1)
    low, high = rows["share"].min(), rows["share"].max()
    if len(rows) == 1:
        who = report.rater_name(rows["rater"].iloc[0])
        said = f"All scores are equal on {percent(high)} % of {who}’s items"
    elif low == high:
        said = f"All scores are equal on {percent(high)} % of the items of each rater"
    elif most is None:
        said = (
            f"All scores are equal on {percent(low)} to {percent(high)} % of a rater’s items; no "
            f"{report.people} is shown to do so more often than the others on the same items"
        )
    else:
        said = (
            f"{report.rater_name(most.rater)} gives one and the same score on all questions of an "
            f"item more often than the others on the same items: {percent(most.own)} % against "
            f"{percent(most.others)} % ({points(most)})"
        )
    note = "Where most items deserve the top score, uniform answers are no carelessness."
    together = bool(rows["gap"].notna().any())
    against = ("Against the others, points",) if together else ()
    lines = [
        (
            report.rater_name(r.rater),
            f"{percent(r.share)} %",
            *((beyond(r),) if together else ()),
            f"{r.items:,}",
        )
        for r in rows.head(MOST).itertuples()
    ]
    caption = "Items scored alike throughout"
    if together:
        caption += f"; intervals corrected for {len(found):,} {report.people}s"
    made = table(("Rater", "All scores equal", *against, "Items"), lines, caption)
    return heading("Uniform answers") + paragraph(f"{said}.") + made + paragraph(note, "soft")


def beyond(row: Any) -> str:
    """`+15 (−3 to +34)`: points above the others on the same items; without what carries none."""
    if row.gap != row.gap:
        return "–"
    ends = f" ({signed(100 * row.low, 0)} to {signed(100 * row.high, 0)})"
    return signed(100 * row.gap, 0) + (ends if row.low == row.low else "")


def stretches(report: Any) -> str:
    """The longest stretch of one answer, where there are labels, and times to order them by."""
    labelled = report.counted.labelled()
    if not labelled:
        return ""
    asked = labelled[0]
    runs = longest_runs(report.counted, asked)
    runs = runs[runs["n"] >= ENOUGH]
    lines = [
        (
            report.rater_name(r.rater),
            value_name(asked, r.value),
            r.run,
            f"{r.expected:.0f}",
            f"{r.n:,}",
        )
        for r in runs.sort_values(["p", "rater"]).head(MOST).itertuples()
    ]
    if not lines:
        return ""
    risk = (1 - report.parameters.coverage) / len(runs)
    long = runs[(runs["run"] > LONG * runs["expected"]) & (runs["p"] < risk)]
    said = "Nobody repeats one answer for longer than chance explains, by the times of answers."
    if len(long):
        worst = long.sort_values(["p", "rater"]).iloc[0]
        said = (
            f"{report.rater_name(worst.rater)} answers “{value_name(asked, worst.value)}” "
            f"{worst.run:,} times in a row, by the times of the {worst.n:,} answers, where chance "
            f"makes about {worst.expected:.0f}: look at these items again."
        )
    head = ("Rater", "Answer", "In a row", "By chance about", "Answers")
    title = f"Longest stretch of one answer to {report.label(asked.id)}"
    made = table(head, lines, title, text=2)
    return heading("Uniform answers") + paragraph(said) + made
