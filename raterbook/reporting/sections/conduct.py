"""How raters worked: when, how fast, against gold items, asked twice, uniform answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...numbers.compare.habits import given_again
from ...numbers.counted import Counted, codes
from ..html import NOTHING, Section, heading, join, paragraph, table
from ..leanings import COLUMNS, DATED, beside, cluster_of, furthest
from ..words import count, number, percent, signed, spanned, value_name
from .raters import points

if TYPE_CHECKING:
    from ..report import Report

MOST = 20
FAST = 0.6  # of the usual time for the same question
LONG = 2  # times as long as chance makes a stretch of so common an answer


def conduct(report: Report) -> Section | None:
    """How raters worked: when, how fast, against gold items, asked twice, uniform answers."""
    parts = [
        burnup(report),
        compared(
            report, gold(report.frame, report.counted), "Against the key", "of the key’s answers"
        ),
        compared(report, repeats(report.frame), "Asked twice", "the same answer again"),
        pace(report),
        flat(report),
    ]
    inside = join(parts)
    return Section("How raters worked", inside, folded=True) if inside else None


def burnup(report: Report) -> Markup:
    """How the ratings came in, where answers have times of their own."""
    found = progress(report.frame, report.counted)
    if found is None:
        return NOTHING
    curve, unit = found
    given, last = int(curve["ratings"].iloc[-1]), float(curve["time"].iloc[-1])
    one = unit.removesuffix("s")
    many = planned(report)
    said = f"Half of the {given:,} ratings were in after {spell(when(curve, 0.5), one)}, "
    said += f"the last after {spell(last, one)}"
    if many > given:
        said += f"; {many - given:,} of the {many:,} planned have no answer"
    from ..figures.planes import burnup_figure

    quarters = ", ".join(
        f"{percent(share)} % after {spell(when(curve, share), one)}" for share in (0.25, 0.75)
    )
    drawn = burnup_figure(curve, unit, many, said)
    caption = "A rating is one rater’s of one item; it counts from its first answer on."
    return heading("Progress") + report.picture("progress", drawn, f"{said}; {quarters}.", caption)


def planned(report: Report) -> int:
    """Rater by rater the items of their plans; 0 where any counts without a plan."""
    own = [report.asked.plans.get(name, 0) for name in report.counted.raters()]
    return sum(own) if all(own) else 0


def spell(time: float, unit: str) -> str:
    """“3.5 days”, “1 hour”."""
    shown = f"{time:.1f}".removesuffix(".0")
    return f"{shown} {unit if shown == '1' else unit + 's'}"


def compared(report: Report, found: Any, title: str, what: str) -> Markup:
    if not len(found):
        return NOTHING
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
    from raterbook.analysis.averages.proportions import proportion_difference

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


def pace(report: Report) -> Markup:
    found = times(report.counted, report.parameters.coverage)
    if not len(found):
        return NOTHING
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


def flat(report: Report) -> Markup:
    """Items with one and the same score throughout, and long stretches of one answer."""
    found = uniform(report.counted, report.parameters.coverage, report.cluster)
    if not len(found):
        return stretches(report)
    rows = found[found["items"] >= ENOUGH].sort_values(["share", "rater"], ascending=[False, True])
    if not len(rows):
        return NOTHING
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


def stretches(report: Report) -> Markup:
    """The longest stretch of one answer, where there are labels, and times to order them by."""
    labelled = report.counted.labelled()
    if not labelled:
        return NOTHING
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
        return NOTHING
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


ENOUGH = 10  # items before a share says anything about a rater


def times(counted: Counted, coverage: float = 0.95) -> pd.DataFrame:
    """rater, seconds, ratio, low, high, n; empty where times were not taken.

    `seconds` is the median by answer. `ratio` compares with what all raters usually need for the
    same question, and is the median by item; its interval is from order statistics, corrected for
    the number of raters, and NaN where there are too few items.
    """
    columns = ["rater", "seconds", "ratio", "low", "high", "n"]
    rows = counted.people.dropna(subset=["seconds"])
    if not len(rows):
        return pd.DataFrame(columns=columns)
    # Questions take different times: each is compared with its own median over all raters.
    seconds = rows["seconds"].astype(float)
    usual = seconds.groupby(rows["question"]).transform("median")
    every = pd.DataFrame(
        {
            "rater": rows["rater"],
            "subject": rows["subject"],
            "seconds": seconds,
            "ratio": seconds / usual.where(usual > 0),
        }
    )
    grouped = every.groupby("rater")
    found = grouped.agg(seconds=("seconds", "median"), n=("seconds", "size"))
    by_item = every.groupby(["rater", "subject"])["ratio"].median().dropna()
    found["ratio"] = by_item.groupby(level="rater").median()
    risk = (1 - coverage) / len(found)
    ends = [
        middle_between(by_item[rater].to_numpy() if rater in by_item else np.zeros(0), risk)
        for rater in found.index
    ]
    found["low"], found["high"] = zip(*ends, strict=True)
    return found.sort_values("seconds", kind="stable").reset_index()[columns]


def middle_between(values: np.ndarray, risk: float) -> tuple[float, float]:
    """The ends of a median's interval: the order statistics that leave it out at this risk."""
    from scipy.special import bdtr

    n = len(values)
    out = int(np.sum(bdtr(np.arange(n), n, 0.5) <= risk / 2))  # how many at each end can go
    if not out:
        return np.nan, np.nan
    ordered = np.sort(values)
    return float(ordered[out - 1]), float(ordered[n - out])


def in_order(rows: pd.DataFrame) -> pd.DataFrame | None:
    """One rater's answers to a question as they came; None where nobody knows their order.

    Answers taken in from a file at once have one time, and the order of a file is no time.
    """
    rows = rows.dropna(subset=["answered_at"])
    if not len(rows) or rows["answered_at"].nunique() < DATED * len(rows):
        return None
    return rows.sort_values(["answered_at", "unit"], kind="stable")


def uniform(counted: Counted, coverage: float = 0.95, cluster: str | None = None) -> pd.DataFrame:
    """The columns of `beside`, with `share` and `items` of all items: one score on three or more.

    `own` and `others` are of the items that others rated too.
    """
    columns = [*COLUMNS, "share", "items"]
    asked = counted.numeric()
    kept = [question for question in asked if question.values]
    if len(kept) < 3:
        return pd.DataFrame(columns=columns)
    needed = ["question", "rater", "unit", "number", "case", *([cluster] if cluster else [])]
    rows = counted.people[list(dict.fromkeys(needed))]
    asked_of = rows["question"].isin([q.id for q in kept])
    rows = rows if asked_of.all() else rows[asked_of]
    of_unit = [name for name in ("case", cluster) if name]
    grouped = rows.groupby(["rater", "unit"], sort=True).agg(
        size=("number", "size"),
        low=("number", "min"),
        high=("number", "max"),
        **{name: (name, "first") for name in of_unit},
    )
    grouped = grouped[grouped["size"] >= 3]
    grouped["cluster"] = cluster_of(grouped, cluster)  # of units, not of their every answer
    grouped["value"] = grouped["low"].eq(grouped["high"]).astype(float)
    shares = grouped["value"].groupby(level="rater").agg(["mean", "size"])
    found = shares.set_axis(["share", "items"], axis=1).reset_index()
    besides = beside(grouped.reset_index(), coverage)
    return found.merge(besides, "left", "rater")[columns]


def longest_runs(counted: Counted, question: Any) -> pd.DataFrame:
    """rater, value, run, expected, p, n: the longest stretch of one answer, in the order given.

    Of raters whose answers have times. `expected` is what chance makes of so common an answer,
    log(n (1 − p)) / log(1 / p), and `p` the chance of one as long or longer.
    """
    found = []
    for rater, rows in counted.of(question.id).groupby("rater", sort=True):
        own = in_order(rows)
        if own is None:
            continue
        given = codes(own, question)
        edges = np.flatnonzero(np.r_[True, given[1:] != given[:-1], True])
        runs = np.diff(edges)
        if len(runs):
            at = int(runs.argmax())
            value = own["value"].iloc[int(edges[at])]
            common = float((given == given[int(edges[at])]).mean())
            run = int(runs[at])
            many = len(own)
            likely = chance_of_run(many, common, run)
            found.append((rater, value, run, chance_run(many, common), likely, many))
    return pd.DataFrame(found, columns=["rater", "value", "run", "expected", "p", "n"])


def chance_of_run(many: int, share: float, run: int) -> float:
    """The chance of a stretch of this length or longer, were the order random.

    Stretches begin about n (1 − p) times, and each reaches the length with p to its power.
    """
    begun = max(many * (1 - share), 0.0) + share
    return float(-np.expm1(-begun * share**run)) if share < 1 else 1.0


def chance_run(many: int, share: float) -> float:
    """The longest stretch to expect of an answer with this share, were the order random."""
    if share >= 1:
        return float(many)
    return float(np.clip(np.log(max(many * (1 - share), 1)) / np.log(1 / share), 1, many))


def repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """rater, share, n: answers given again that are the same as the first."""
    if not frame["replicate"].gt(1).any():
        return pd.DataFrame(columns=["rater", "share", "n"])
    return shares_same(given_again(frame))


def gold(frame: pd.DataFrame, counted: Counted) -> pd.DataFrame:
    """rater, share, n: answers equal to the key's, on gold items or wherever a key answered."""
    rows = frame[frame["status"].astype(object).eq("answered") & frame["replicate"].eq(1)]
    kinds = rows["rater_kind"].astype(object)
    if not kinds.eq("key").any():
        return pd.DataFrame(columns=["rater", "share", "n"])
    closed = {q.id for q in counted.questions if q.kind.is_judgement}
    columns = ["item", "case", "part", "question"]
    plain = rows[[*columns, "rater", "value"]].astype(object)
    plain[columns] = plain[columns].where(plain[columns].notna(), "")
    plain = plain[plain["question"].isin(closed)]
    key = plain[kinds.loc[plain.index].eq("key")].drop_duplicates(columns)
    theirs = plain[kinds.loc[plain.index].isin(["human", "model"])]
    both = theirs.merge(key, on=columns, suffixes=("", "_key"))
    return shares_same(
        both.assign(same=both["value"].astype(str).eq(both["value_key"].astype(str)))
    )


def shares_same(both: pd.DataFrame) -> pd.DataFrame:
    """rater, share, n: how many of a rater's answers are the same as what they are held to."""
    found = both.groupby("rater")["same"].agg(["mean", "size"]).reset_index()
    return found.set_axis(["rater", "share", "n"], axis=1)


# How the ratings of a round came in over time; a rating is one rater's of one item.


ENOUGH_TIMES = 10  # different times before a curve shows anything
UNITS = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0))
TICKS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
STEPS = 120  # points of the curve


def progress(frame: pd.DataFrame, counted: Counted) -> tuple[pd.DataFrame, str] | None:
    """(time, ratings) and the unit of time; a rating counts from its first answer on.

    None for answers without times of their own, such as a file taken in at once.
    """
    answered = frame["status"].astype(object).eq("answered") & frame["item"].notna()
    who = frame["rater"].isin(counted.people["rater"].unique())
    counts = answered & who & frame["replicate"].eq(1)
    rows = frame.loc[counts, ["rater", "item", "answered_at"]]
    if not len(rows) or rows["answered_at"].isna().any():
        return None
    pairs = [rows["rater"].astype(object), rows["item"].astype(object)]
    begun = np.sort(rows["answered_at"].groupby(pairs).min().astype("int64").to_numpy())
    seconds = (begun - begun[0]) / TICKS[rows["answered_at"].dt.unit]
    fitting = [unit for unit in UNITS if seconds[-1] >= 2 * unit[1]]
    if len(np.unique(begun)) < ENOUGH_TIMES or not fitting:
        return None
    unit, length = fitting[0]
    chosen = np.unique(np.linspace(0, len(begun) - 1, STEPS).round().astype(int))
    return pd.DataFrame({"time": seconds[chosen] / length, "ratings": chosen + 1}), unit


def when(curve: pd.DataFrame, share: float) -> float:
    """The time at which this share of the ratings was in."""
    reached = curve["ratings"] >= share * curve["ratings"].iloc[-1]
    return float(curve.loc[reached, "time"].iloc[0])
