"""Systems × shares, in the form “91.1 ± 2.3”, with what the shares leave out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...protocols.comparisons import facts
from ...protocols.measures import is_adjusted
from ...protocols.statistics import PROPORTION, STATISTICS, of_family
from ..html import NOTHING, Section, heading, join, paragraph, part, quoted, table
from ..words import (
    capital,
    cell,
    count,
    interval,
    marks,
    name_of,
    number,
    percent,
    reason,
    say,
    signed,
    value_name,
    was,
)

if TYPE_CHECKING:
    from ..report import Report

CAPTION = (
    "Per cent of the ratings ± half of the interval; by its ends where ± would go below 0 or "
    "above 100"
)
ASIDE = ("proportion_excluded", "missing_severity")
MOST_COLUMNS = 6  # shares side by side
Share = tuple[str, str | None]  # a statistic, and the question it is of


def shares(report: Report) -> Section | None:
    """Systems and shares, in the form “91.1 ± 2.3”, with what the shares leave out."""
    found = [row for row in report.numbers.rows if is_listed(row)]
    kept = [
        share
        for share in dict.fromkeys((row["statistic"], row["question"]) for row in found)
        if report.rows(*share)
    ]
    if not any(row["estimate"] is not None for share in kept for row in report.rows(*share)):
        return None
    by = [
        (statistic, question)
        for statistic, question in kept
        if statistic not in ASIDE
        and report.system
        and report.by(statistic, report.system, question)
    ]
    alone = [share for share in kept if share not in by]
    parts = []
    if by:
        parts.append(by_system(report, by))
    rest = [
        (share_name(report, share), half_width(whole(report, *share)), count_of(report, share))
        for share in alone
    ]
    if rest:
        caption = "Further shares" if by else CAPTION
        parts.append(table(("Share", "Per cent", "Ratings"), rest, caption))
    parts += [paragraph(line, "soft") for line in notes(report)]
    return Section("Shares", join(parts), folded=bool(report.numbers.targets))


def is_listed(row: dict[str, Any]) -> bool:
    return row["statistic"].startswith((PROPORTION, "severe_any"))


def by_system(report: Report, kept: list[Share]) -> Markup:
    """A column for each share; a line for each, where the columns would not fit."""
    named = [share_name(report, share) for share in kept]
    systems = report.system_names
    cells = [
        [*(half_width(one(report, *share, system)) for system in systems),
         half_width(whole(report, *share))]
        for share in kept
    ]  # fmt: skip
    if len(kept) > max(MOST_COLUMNS, len(systems)):
        lines = [
            (name, *own, count_of(report, share))
            for name, own, share in zip(named, cells, kept, strict=True)
        ]
        return table(("Share", *systems, "All", "Ratings"), lines, CAPTION)
    first = [*(one(report, *kept[0], system) for system in systems), whole(report, *kept[0])]
    body = [
        (name, *own, f"{row['n_ratings']:,}" if row else "–")
        for name, own, row in zip([*systems, "All"], zip(*cells, strict=True), first, strict=True)
    ]
    return table(("System", *named, "Ratings"), body, CAPTION)


def share_name(report: Report, share: Share) -> str:
    """As elsewhere on the page, and by models where they are the ones who answered."""
    statistic, question = share
    if statistic in report.repeated:
        return f"{report.label(question)}: {called(report, share)}"
    return capital(called(report, share)) + report.whose(question)


def called(report: Report, share: Share) -> str:
    """By its own name, or as the option it counts is called."""
    statistic, question = share
    for measure in report.protocol.measures:
        if measure.statistic != statistic or statistic in STATISTICS:
            continue
        if statistic in report.repeated and question not in (measure.question or ()):
            continue
        if measure.label:
            return str(measure.label)
        asked = [q for q in report.protocol.questions if q.id in (measure.question or ())]
        if isinstance(measure.is_, tuple) and len(asked) == len(measure.is_) == 1:
            return value_name(asked[0], measure.is_[0])
    return name_of(statistic)


def one(report: Report, statistic: str, question: str | None, system: str) -> dict[str, Any] | None:
    rows = report.by(statistic, report.system, question)
    return next((row for row in rows if str(row["group"][report.system]) == system), None)


def whole(report: Report, statistic: str, question: str | None = None) -> dict[str, Any] | None:
    return report.numbers.get(statistic, question)


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


def count_of(report: Report, share: Share) -> str:
    row = whole(report, *share)
    return f"{row['n_ratings']:,}" if row else "–"


def notes(report: Report) -> list[str]:
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


# A stated overall against the mean of the criteria: how often it was adjusted, and why.


LISTED = 5


def overall(report: Report) -> Section | None:
    """A stated overall against the mean of the criteria: how often it was adjusted, and why."""
    row = report.numbers.get("adjusted_share")
    if row is None or row["estimate"] is None:
        return None
    question = report.protocol.question(row["question"])
    stated = against_computed(report, question)
    computed = report.numbers.get("overall_computed_mean")
    mean = report.numbers.get("mean", question.id)
    parts = [paragraph(how_many(row))]
    if mean and computed and mean["estimate"] is not None and computed["estimate"] is not None:
        both = number(mean["estimate"]), number(computed["estimate"])
        parts = [
            paragraph(f"{how_many(row)} On average {both[0]} is stated and {both[1]} computed.")
        ]
    if question.levels:
        parts.append(named(question, stated))
    parts.append(why(report, stated))
    return Section("Overall score", join(parts), folded=True)


def how_many(row: dict[str, Any]) -> str:
    """“14 of 288 stated overalls (5 %; 2.9–8 %) were adjusted: …”"""
    total = row["n_ratings"]
    some = round(row["estimate"] * total)
    between = interval(row["low"], row["high"], row["statistic"])
    share = number(row["estimate"], row["statistic"]) + (f"; {between}" if between else "")
    return (
        f"{some:,} of {count(total, 'stated overall')} ({share}) {was(some)} adjusted: half a "
        "point or more away from the mean of the same rater’s criteria."
    )


def against_computed(report: Report, question: Any) -> pd.DataFrame:
    """unit, rater, stated, computed for everyone who gave both."""
    people = report.counted.people
    criteria = [
        asked
        for measure in report.protocol.measures
        if measure.statistic == "overall_computed_mean"
        for asked in measure.question or ()
    ]
    rows = people[people["question"].isin(criteria)]
    computed = rows["number"].astype(float).groupby([rows["unit"], rows["rater"]]).mean()
    own = report.counted.of(question.id).set_index(["unit", "rater"])["number"].astype(float)
    both = pd.concat([own, computed], axis=1, keys=["stated", "computed"]).dropna()
    return both.reset_index()


def named(question: Any, stated: pd.DataFrame) -> Markup:
    """How many overalls have which level's name; halves fall to the lower one."""
    levels = [question.level_of(float(value)) for value in stated["stated"]]
    names = [level.name if level else "–" for level in levels]
    order = [level.name for level in sorted(question.levels, key=lambda level: -level.value)]
    lines = [
        (name, names.count(name), f"{100 * names.count(name) / max(len(names), 1):.0f} %")
        for name in order
    ]
    return table(
        ("Level", "Ratings", "Share"),
        lines,
        "Stated overalls by level; halves count to the lower level",
    )


def why(report: Report, stated: pd.DataFrame) -> Markup:
    """The adjustments that go furthest, with the reasons given."""
    gap = stated["stated"] - stated["computed"]
    moved = stated.assign(gap=gap)[is_adjusted(stated["stated"], stated["computed"])]
    if not len(moved):
        return NOTHING
    order = np.lexsort((moved["rater"], moved["unit"], -moved["gap"].abs().round(9)))
    texts = report.texts
    reasons = texts[texts["question"].eq("overall_reason")].set_index(["unit", "rater"])["value"]
    lines = []
    for row in moved.iloc[order].head(LISTED).itertuples():
        reason = reasons.get((row.unit, row.rater))
        said = f", {row.rater}: stated {number(row.stated)}, computed {number(row.computed)} "
        said += f"({signed(row.gap)})"
        given = quoted(reason) if isinstance(reason, str) else None
        lines.append((report.unit_name(row.unit), said, given))
    more = len(moved) > len(lines)
    what = f"The {len(lines)} adjusted furthest" if more else "Those adjusted"
    return paragraph(f"{what}, with the reasons given:") + part("adjusted", lines)


# Full agreement, a majority, or none; each rater against the majority; how far all lie apart.


MOST = 20
EVERYONE = "Items that every rater rated"


def majorities(report: Report) -> Section | None:
    """Full agreement, a majority, or none; each rater against the majority."""
    inside = agreed(report) + scattered(report)
    return Section("Majorities", inside, folded=True) if inside else None


def agreed(report: Report) -> Markup:
    """How often all or most of those who rated an item gave the same score."""
    rows = {kind: rows for kind in of_family("majorities") if (rows := report.rows(kind))}
    asked = [row for kind in rows for row in rows[kind]]
    found = {
        (kind, row["question"]): row
        for kind in rows
        for row in rows[kind]
        if row["estimate"] is not None
    }
    lines = []
    for question in dict.fromkeys(row["question"] for row in asked if row["question"]):
        own = [found.get((kind, question)) for kind in rows]
        counted = next((row["n_items"] for row in own if row is not None), None)
        if counted is not None:
            lines.append((report.label(question), *map(cell, own), counted))
    if not asked:
        return against(report)
    if not lines:
        why = reason(asked[0]["reason"])
        if asked[0]["reason"] == "single_rater" and report.mixed:
            why = "only one person answered"  # and a model beside them, which does not count here
        return paragraph(f"No majorities are counted: {why}.") + against(report)
    head = ("Question", *(facts(kind).called for kind in rows), "Items")
    said = summary(found)
    made = (paragraph(said) if said else "") + table(head, lines, caption(found))
    return made + against(report)


def caption(found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """Which items are counted: those that all raters rated, or as many of them as rated most."""
    rows = [row for (_, question), row in found.items() if question]
    if all(row["n_ratings"] >= row["n_raters"] * row["n_items"] for row in rows):
        return EVERYONE
    return f"Items {usual(found)}"


def usual(found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """How often the counted items were rated, as a number where all items were as often."""
    each = {row["n_ratings"] / row["n_items"] for (_, question), row in found.items() if question}
    if uneven(found) or len(each) > 1:
        return "with as many ratings as most have"
    return f"with {each.pop():g} ratings each"


def uneven(found: dict[tuple[str, str | None], dict[str, Any]]) -> bool:
    """Whether items with fewer or more ratings than most are left out anywhere."""
    return any("uneven_units" in row["warnings"] for row in found.values())


def summary(found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """The items as a whole: on how many questions the raters have a majority."""
    everyone = caption(found) == EVERYONE
    whole, some, none = (found.get((kind, None)) for kind in of_family("majorities"))
    if whole is None and everyone:
        return "Only items that every rater rated are counted here."
    if whole is None:
        return "Items with fewer ratings than most are not counted here." if uneven(found) else ""
    rated = "rated by everyone" if everyone else usual(found)
    return (
        f"Of {count(whole['n_items'], 'item')} {rated} on every question, "
        f"{percent(whole['estimate'])} % have a majority on all questions, "
        f"{percent(some['estimate']) if some else '–'} % on some, "
        f"{percent(none['estimate']) if none else '–'} % on none."
    )


def against(report: Report) -> Markup:
    """How often each rater gave the commonest score; ties are left out."""
    rows = report.by("evaluator_agreement", "rater")
    if not rows:
        return NOTHING
    every = sorted({row["group"]["rater"] for row in rows})
    raters = every[:MOST]
    questions = list(dict.fromkeys(row["question"] for row in rows))
    cells = {(row["group"]["rater"], row["question"]): row for row in rows}
    lines = [
        (
            report.rater_name(rater),
            *(cell(cells.get((rater, q))) for q in questions),
        )
        for rater in raters
    ]
    head = ("Rater", *(report.label(q) if q else "All" for q in questions))
    ties = (
        "the first rater’s score wins a tie"
        if report.parameters.ties == "first"
        else "ties are left out"
    )
    return heading("Each rater against the commonest score") + table(
        head,
        lines,
        f"Share of a rater’s scores that are the commonest one, their own among them; {ties}"
        + (f"; the first {MOST} of {len(every):,} by name" if len(every) > MOST else ""),
    )


# How far raters of one item lie apart, and over which ranges of the scale their scores spread.


RANGE = re.compile(r"\[(-?\d+), (-?\d+)([])])")


def scattered(report: Report) -> Markup:
    """Both parts, each where the protocol asks for it."""
    return apart(report) + ranges(report)


def apart(report: Report) -> Markup:
    """One line a question, and one of each rating's mean over them."""
    family = of_family("apart")
    rows = {
        (row["question"], statistic): row
        for statistic in family
        for row in report.rows(statistic)
        if row["estimate"] is not None
    }
    if not rows:
        return NOTHING
    lines = []
    for question in dict.fromkeys(question for question, _ in rows):
        own = [rows.get((question, statistic)) for statistic in family]
        items = max(row["n_items"] for row in own if row)
        lines.append((of_question(report, question), *(cell(row) for row in own), items))
    head = ("Question", *(name_of(statistic) for statistic in family), "Items")
    caption = "Within an item, averaged over the items that two or more rated"
    made = heading("How far raters lie apart") + table(head, lines, caption)
    if any(question is None for question, _ in rows) and some_open(report):
        made += paragraph(
            "The mean over the questions is over those that each rater answered: where raters left "
            "others open, that sets their means apart too.",
            "soft",
        )
    return made


def some_open(report: Report) -> bool:
    """Whether somebody scored an item on some questions and not on others."""
    scored = report.counted.people
    scored = scored[scored["question"].isin([q.id for q in report.counted.numeric() if q.values])]
    many = scored.groupby(["unit", "rater"], observed=True).size()
    return bool(many.nunique() > 1)


def ranges(report: Report) -> Markup:
    """The share of ratings whose mean over the questions falls in each range."""
    rows = [row for row in report.by("score_ranges", "label") if row["estimate"] is not None]
    rows = [row for row in rows if row["question"] is None] or rows
    if not rows:
        return NOTHING
    what = of_question(report, rows[0]["question"])
    lines = [(words(str(row["group"]["label"])), say(row)) for row in rows]
    caption = f"{what}: share of {count(rows[0]['n_ratings'], 'rating')} in each range"
    return heading("Where the scores lie") + table(("Range", "Share"), lines, caption)


def of_question(report: Report, question: str | None) -> str:
    return report.label(question) if question else "Mean over the questions"


def words(label: str) -> str:
    """`[3, 4)` as “3 to below 4”, and `[4, 5]` as “4 to 5”."""
    found = RANGE.fullmatch(label)
    if found is None:
        return label
    low, high, closed = found.groups()
    return f"{low} to {high}" if closed == "]" else f"{low} to below {high}"
