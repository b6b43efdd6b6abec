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
from ..words import count, number, percent, ranging, signed, spanned, value_name
from .raters import points

if TYPE_CHECKING:
    from ..report import Report

MOST = 20
FAST = 0.6  # of the others’ time for the same answers
LONG = 2  # times as long as chance makes a stretch of so common an answer


def conduct(report: Report) -> Section | None:
    """How raters worked: when, how fast, against gold items, asked twice, uniform answers."""
    parts = [
        burnup(report),
        compared(report, gold(report), "Against the key", "of the key’s answers"),
        compared(report, repeats(report), "Asked twice", "the same answer again"),
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


def compared(report: Report, rows: pd.DataFrame, title: str, what: str) -> Markup:
    """What is the same of each rater's answers; the fewest where others have more on the same."""
    if not len(rows):
        return NOTHING
    many = rows.groupby("rater")["value"].agg(["mean", "size"]).sort_values("mean", kind="stable")
    lines = [
        (report.rater_name(rater), f"{percent(one['mean'])} %", f"{int(one['size']):,}")
        for rater, one in many.head(MOST).iterrows()
    ]
    counts = rows[rows["rater"].isin(report.counted.raters())]
    least = furthest(beside(counts, report.parameters.coverage), -1)
    if len(many) == 1:
        who = report.rater_name(many.index[0])
        said = f"{who}: {percent(many['mean'].iloc[0])} % {what}, of "
        said += f"{count(int(many['size'].iloc[0]), 'answer')}."
    elif least is not None:
        said = (
            f"{report.rater_name(least.rater)} has the fewest: {percent(least.own)} % {what}, the "
            f"others on the same {percent(least.others)} % ({points(least)})."
        )
    else:
        said = (
            f"{ranging(*many['mean'].iloc[[0, -1]])} % {what}, of {spanned(many['size'])} "
            f"answers each; no {report.people} is shown to have fewer than the others on the same."
        )
    made = table(("Rater", "The same", "Answers"), lines, f"Share that is {what}")
    return heading(title) + paragraph(said) + made


def pace(report: Report) -> Markup:
    found = times(report.counted, report.parameters.coverage, report.cluster)
    if not len(found):
        return NOTHING
    fast = found[(found["ratio"] < FAST) & (found["high"] < 1)]
    said = f"No {report.people} is shown to be conspicuously fast."
    if len(fast):
        quickest: Any = next(fast.sort_values("ratio").itertuples())
        said = (
            f"{report.rater_name(quickest.rater)} takes {percent(quickest.ratio)} % of the others’ "
            f"time for the same answers ({between(quickest)}): fast enough to ask whether the "
            "items were read."
        )
    lines = [
        (
            report.rater_name(r.rater),
            seconds(r.seconds),
            f"{100 * r.ratio:.0f} %" if r.ratio == r.ratio else "–",
            between(r),
            f"{r.n:,}",
        )
        for r in found.head(MOST).itertuples()
    ]
    head = ("Rater", "Median per answer", "Of the others’ time", "Interval", "Answers")
    caption = "Time per answer, and beside the median of the others for the same answers"
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
        said = f"All scores are equal on {percent(high)} % of the items of each {report.people}"
    elif most is None:
        said = (
            f"All scores are equal on {ranging(low, high)} % of a {report.people}’s items; no "
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
    said = (
        "Nobody is shown to repeat one answer for longer than chance explains, by the times of "
        "answers."
    )
    if len(long):
        worst = long.sort_values(["p", "rater"]).iloc[0]
        alone = "and the others’ answers to the same items do not explain it"
        if len(report.counted.raters()) < 2:
            alone = "if the items came in no order of their own"
        said = (
            f"{report.rater_name(worst.rater)} answers “{value_name(asked, worst.value)}” "
            f"{worst.run:,} times in a row, by the times of the {worst.n:,} answers, where chance "
            f"makes about {worst.expected:.0f}, {alone}: look at these items again."
        )
    head = ("Rater", "Answer", "In a row", "In random order about", "Answers")
    title = f"Longest stretch of one answer to {report.label(asked.id)}"
    made = table(head, lines, title, text=2)
    return heading("Uniform answers") + paragraph(said) + made


ENOUGH = 10  # items before a share says anything about a rater


def times(counted: Counted, coverage: float = 0.95, cluster: str | None = None) -> pd.DataFrame:
    """rater, seconds, ratio, low, high, n; empty where times were not taken.

    `seconds` is the median by answer. `ratio` compares with the median of the others for the same
    answer, as some items take anybody longer; it is the median over what is drawn together. Its
    interval is from order statistics, corrected for the number of raters, and NaN below ten draws.
    """
    columns = ["rater", "seconds", "ratio", "low", "high", "n"]
    rows = counted.people.dropna(subset=["seconds"])
    if not len(rows):
        return pd.DataFrame(columns=columns)
    spent = rows["seconds"].astype(float)
    others = of_others(rows.groupby(["question", "unit"], observed=True).ngroup(), spent)
    ratio = spent / others.where(others > 0)
    grouped = spent.groupby(rows["rater"])
    found = pd.DataFrame({"seconds": grouped.median(), "n": grouped.size()})
    drawn = [rows["rater"], cluster_of(rows, cluster)]
    by_item = ratio.groupby([*drawn, rows["subject"]]).median().dropna()
    by_draw = by_item.groupby(level=[0, 1]).median()
    found["ratio"] = by_draw.groupby(level=0).median()
    risk = (1 - coverage) / len(found)
    own = {rater: values.to_numpy() for rater, values in by_draw.groupby(level=0)}
    ends = [
        middle_between(own[rater], risk) if len(own.get(rater, ())) >= ENOUGH else (np.nan, np.nan)
        for rater in found.index
    ]
    found["low"], found["high"] = zip(*ends, strict=True)
    return found.sort_values("seconds", kind="stable").reset_index(names="rater")[columns]


def of_others(cell: pd.Series, values: pd.Series) -> pd.Series:
    """The median of the other values of the same cell, by its number; NaN where there is none."""
    code, given = cell.to_numpy(), values.to_numpy(float)
    order = np.lexsort((given, code))
    ordered = given[order]
    many = np.bincount(code)
    first = np.cumsum(many) - many
    place, rest = np.empty(len(code), dtype=int), many[code] - 1
    place[order] = np.arange(len(code)) - first[code[order]]

    def other(rank: np.ndarray) -> np.ndarray:
        """The value of this rank among the others."""
        at = first[code] + rank + (rank >= place)
        return np.asarray(ordered[np.minimum(at, len(ordered) - 1)])

    middle = (other(np.maximum(rest - 1, 0) // 2) + other(rest // 2)) / 2
    return pd.Series(np.where(rest > 0, middle, np.nan), values.index)


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
    log(n (1 − p)) / log(1 / p), and `p` the chance of one as long or longer: in random order, or
    with how often others give it to the items of the stretch, as these may come in an order of
    their own.
    """
    rows = counted.of(question.id)
    said = pd.Series(codes(rows, question), rows.index)
    found = []
    for rater, mine in rows.groupby("rater", sort=True):
        own = in_order(mine)
        if own is None:
            continue
        given = said[own.index].to_numpy()
        edges = np.flatnonzero(np.r_[True, given[1:] != given[:-1], True])
        runs = np.diff(edges)
        if len(runs):
            at = int(runs.argmax())
            first, run, n = int(edges[at]), int(runs[at]), len(own)
            mark, common = given[first], float((given == given[first]).mean())
            likely = chance_of_run(n, common, run)
            if run > LONG * chance_run(n, common):
                items = own["unit"].iloc[first : first + run]
                there = rows["unit"].isin(items) & rows["rater"].ne(rater)
                share = share_there(rows.loc[there, "rater"], said[there].eq(mark), run)
                likely = max(likely, chance_of_run(n, share, run))
            found.append((rater, own["value"].iloc[first], run, chance_run(n, common), likely, n))
    return pd.DataFrame(found, columns=["rater", "value", "run", "expected", "p", "n"])


def share_there(raters: pd.Series, same: pd.Series, run: int) -> float:
    """How often others gave this answer there: all together, or the one who gave it most often of
    those who answered half of it."""
    if not len(same):
        return 0.0
    each = same.groupby(raters.astype(str)).agg(["mean", "size"])
    most = each.loc[each["size"] >= run / 2, "mean"].max()
    return float(np.nanmax([same.mean(), most]))


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


PLACE = ["item", "case", "part", "question"]


def repeats(report: Report) -> pd.DataFrame:
    """unit, rater, cluster, value: is an answer given again the same as the first?"""
    if not report.frame["replicate"].gt(1).any():
        return pd.DataFrame()
    found = given_again(report.frame, *([report.cluster] if report.cluster else []))
    return as_drawn(found, [*PLACE, "replicate"], report.cluster)


def gold(report: Report) -> pd.DataFrame:
    """The same of answers and the key's, on gold items or wherever a key answered."""
    frame = report.frame
    rows = frame[frame["status"].astype(object).eq("answered") & frame["replicate"].eq(1)]
    kinds = rows["rater_kind"].astype(object)
    if not kinds.eq("key").any():
        return pd.DataFrame()
    closed = {q.id for q in report.counted.questions if q.kind.is_judgement}
    more = [report.cluster] if report.cluster else []
    plain = rows[[*PLACE, *more, "rater", "value"]].astype(object)
    plain[PLACE] = plain[PLACE].where(plain[PLACE].notna(), "")
    plain = plain[plain["question"].isin(closed)]
    key = plain[kinds.loc[plain.index].eq("key")].drop_duplicates(PLACE)[[*PLACE, "value"]]
    theirs = plain[kinds.loc[plain.index].isin(["human", "model"])]
    both = theirs.merge(key, on=PLACE, suffixes=("", "_key"))
    same = both["value"].astype(str).eq(both["value_key"].astype(str))
    return as_drawn(both.assign(same=same), PLACE, report.cluster)


def as_drawn(both: pd.DataFrame, place: list[str], cluster: str | None) -> pd.DataFrame:
    """As `beside` takes it: what was answered is the unit, and its cluster the draw."""
    unit = both.groupby(place, observed=True, dropna=False).ngroup()
    drawn, same = cluster_of(both, cluster), both["same"].astype(float)
    return pd.DataFrame(
        {"unit": unit, "rater": both["rater"].astype(str), "cluster": drawn, "value": same}
    )


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
