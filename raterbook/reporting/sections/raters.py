"""Rater by rater: who leans which way, who agrees with whom, what leaving one out would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from raterbook.analysis import Interval
from raterbook.analysis.comparison.rasch import Rasch

from ...numbers.compare.strictness import WELL_FITTED, Strictness, strictness
from ...numbers.counted import Board
from ...numbers.measures import questions_of
from ..html import NOTHING, Section, heading, join, paragraph, table
from ..leanings import FEWEST, apart, beyond, concord, furthest, habit, habits, shown
from ..pairs import agreement_matrix
from ..words import (
    CAUTIONS,
    SIGNED,
    VISIBLE,
    count,
    interval,
    listing,
    number,
    percent,
    ranging,
    reason,
    signed,
    spanned,
    value_names,
)
from .machines import dots, sentence
from .trust import coefficients

if TYPE_CHECKING:
    from ..report import Report

ENOUGH = 2
FELT = 0.02  # points by which a system's mean is moved, before it is spoken of
MOST = 14  # more do not fit a figure; the table then shows both ends


def raters(report: Report) -> Section | None:
    """Rater by rater: who leans which way, who agrees with whom, what leaving one out does."""
    counted = report.counted
    if len(counted.raters()) < 2:
        return None
    parts = [lean(report), strict(report), ends(report), labels(report), matrix(report)]
    parts.append(left_out(report))
    inside = join(parts)
    return Section("Rater by rater", inside, folded=True) if inside else None


def lean(report: Report) -> Markup:
    found = report.leans
    found = found[found["n"] >= ENOUGH]  # of one item there is no interval
    if len(found) < 2:
        return NOTHING
    drawn = found
    if len(found) > MOST:  # of many some always lie far out: only those shown to are named
        drawn = outermost(shown(report), "lean")
    from ..figures.rows import lean_figure

    said = finding(report)
    if len(found) > MOST:
        items = spanned(found["n"])
        said += f"; {len(found):,} raters, {items} items each"
        said += f", lie {interval(found['lean'].min(), found['lean'].max(), SIGNED)} points"
        said += " from the others"
    if not len(drawn):
        return heading("Severity") + paragraph(f"{said}.")
    drawn = drawn.assign(rater=[report.rater_name(name) for name in drawn["rater"]])
    alt = (
        said
        + ". "
        + "; ".join(
            f"{row.rater} {signed(row.lean)} ({between(row) or 'no interval'}){few(row)}"
            for row in drawn.itertuples()
        )
    )
    caption = (
        "Each score against the mean of the other raters on the same item and question. "
        "Severity on a scale that ends shows smaller than it is. "
    )
    corrected = f"corrected for {len(found):,} {report.people}s."
    if len(found) > MOST:
        caption += f"Intervals are {corrected}"
    else:
        caption += f"The intervals drawn are each {report.people}’s own; nobody is called severe "
        caption += f"or lenient but by a wider one, {corrected}"
    if len(drawn) < len(found):
        caption += f" Of {len(found):,} raters the {len(drawn)} furthest of those shown to lean."
    picture = report.picture("severity", lean_figure(drawn, said), alt, caption)
    lines = [
        (
            row.rater,
            signed(row.lean),
            (between(row) or "–") + few(row),
            drift(row),
            number(row.noise) if np.isfinite(row.noise) else "–",
            row.n,
        )
        for row in drawn.itertuples()
    ]
    head = ("Rater", "Against the others", "Interval", "Drift", "Scatter", "Items")
    note = (
        "Drift: the last third of a rater’s items against the first. Scatter: how far single "
        "scores spread around the rater’s own lean."
    )
    made = table(head, lines, "Severity, drift and scatter, in points of the scale")
    return heading("Severity") + picture + made + paragraph(note, "soft")


def outermost(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """As many as a figure holds, those furthest from 0, in order."""
    kept = rows.loc[rows[by].abs().sort_values(kind="stable").index[-MOST:]]
    return kept.sort_values([by, "rater"])


def strict(report: Report) -> Markup:
    """How strict each rater is by the many-facet Rasch model, models beside people among them."""
    found = strictness_of(report)
    if found is None or found.rasch.reason == "single_rater":
        return NOTHING
    title, made = heading("How strict each rater is"), found.rasch
    if made.reason:
        said = f"No severities by a model of raters: {reason(made.reason)}."
        return title + paragraph(said)
    rows = made.raters.dropna(subset=["severity"]).sort_values(["severity", "rater"])
    many = len(rows)
    rows = rows.assign(called=[rasch_name(report, found, name) for name in rows["rater"]])
    said = strictest(report, made, rows)
    drawn = rows
    if many > MOST:
        drawn = outermost(rows, "severity")
    alt = f"{said}. " + "; ".join(
        f"{row.called} {signed(row.severity)} ({between(row) or 'no interval'})"
        for row in drawn.itertuples()
    )
    asked = listing([report.label(name) for name in found.questions])
    those = whom = found.centre[0]
    if len(found.centre) > 1:
        human = all(report.kinds.get(name) == "human" for name in found.centre)
        names = ("person", "people") if human else (report.people,)
        whom = f"the mean of {(those := count(len(found.centre), *names))}"
    caption = (
        f"Severity in logits against {whom}, from {asked}, with items as hard or easy as they "
        "are: it does not hang on which items came to whom. The intervals are corrected for "
        f"{many:,} raters."
    )
    from ..figures.rows import strict_figure

    picture = report.picture("strictness", strict_figure(drawn, said), alt, caption)
    lines = [
        (
            row.called,
            signed(row.severity),
            between(row) or "–",
            signed(row.points),
            number(row.infit),
            number(row.outfit),
            int(row.n_ratings),
        )
        for row in drawn.itertuples()
    ]
    head = ("Rater", "Severity", "Interval", "Points", "Infit", "Outfit", "Scores")
    note = (
        f"Points: how much higher than {whom} a rater scores these items. Infit and "
        f"outfit are 1 where the model holds; above {WELL_FITTED:g} a rater’s scores follow it "
        "little. Above 0 is strict here; in points against the others, where they are shown, a "
        "strict rater lies below 0, and who else rated the same items counts in it."
    )
    notes = [*made.notes(), *(
        [f"No intervals: {reason(why)}."] if (why := rows["reason"].iloc[0]) else []
    )]  # fmt: skip
    table_made = table(head, lines, "Severity by the many-facet Rasch model, and how well it fits")
    told = join([paragraph(each) for each in [*fair(made, those), *notes]])
    return title + picture + table_made + told + paragraph(note, "soft")


def strictness_of(report: Report) -> Strictness | None:
    """The model of the round's raters, at a coverage corrected for how many may be named."""
    models = dict.fromkeys(name for name, kind, _ in report.counted.machines() if kind == "model")
    coverage = report.parameters.coverage
    many = len(report.counted.raters()) + len(models)
    return strictness(
        Board(report.frame, questions_of(report.protocol), cluster=report.cluster,
              raters=report.parameters.raters),
        [q for q in report.counted.asked() if q.is_score],
        models=models,
        system=report.system,
        interval=Interval(coverage=1 - (1 - coverage) / max(many, 1)),
    )  # fmt: skip


def rasch_name(report: Report, found: Strictness, rater: str) -> str:
    return f"{rater} (model)" if rater in found.models else report.rater_name(str(rater))


def strictest(report: Report, made: Rasch, rows: pd.DataFrame) -> str:
    """Who is shown to be strict and who lenient, by intervals corrected for their number."""
    if report.copies or made.n_clusters < FEWEST or rows["low"].isna().all():
        return f"Severities of {count(len(rows), 'rater')}"
    said = []
    for word, named in (
        ("strict", rows[beyond(rows) & (rows["severity"] > 0)][::-1]),
        ("lenient", rows[beyond(rows) & (rows["severity"] < 0)]),
    ):
        if len(named):
            row: Any = next(named.itertuples())
            how_far = f"{signed(row.severity)} logits; {between(row)}"
            said.append(f"{row.called} is {word}{of_several(named)} ({how_far})")
    return ", ".join(said) or "No rater is shown to be stricter or more lenient than the others"


def fair(made: Rasch, those: str) -> list[str]:
    """What systems' means were had everybody who counts scored everything, where that differs."""
    moved = made.fair[made.fair.difference.abs() >= FELT]
    return [
        f"{row.group} has a mean of {number(row.plain)} by {those}; had each of them scored all "
        f"its items, it would be {number(row.adjusted)} ({signed(row.difference)}"
        + (f"; {said}" if (said := between(row)) else "")
        + ")."
        for row in moved.itertuples()
    ]


def drift(row: Any) -> str:
    """+0.20 (+0.05 to +0.35), where the order of the answers is known."""
    moved = row.late - row.early
    if not np.isfinite(moved):
        return "–"
    return f"{signed(moved)} ({interval(row.drift_low, row.drift_high, SIGNED)})"


def between(row: Any) -> str:
    """−0.37 to −0.12; empty without an interval."""
    return interval(row.low, row.high, SIGNED)


def few(row: Any) -> str:
    """The mark of an interval of few independent units."""
    return CAUTIONS["few_clusters"].mark if between(row) and row.clusters < FEWEST else ""


def of_several(rows: pd.DataFrame) -> str:
    return f", furthest of {len(rows)} who are" if len(rows) > 1 else ""


def finding(report: Report) -> str:
    """Who is shown to be severe and who lenient; each by an interval of their own."""
    found = shown(report)
    severe, lenient = found[found["high"] < 0], found[found["low"] > 0]
    said = []
    for rows, words in ((severe, "severe"), (lenient[::-1], "lenient")):
        if len(rows):
            row: Any = next(rows.itertuples())
            how_far = f"{signed(row.lean)} points; {between(row)}"
            said.append(f"{report.rater_name(row.rater)} is {words}{of_several(rows)} ({how_far})")
    if not said and report.leans["clusters"].max() < FEWEST:
        few = f"Fewer than {FEWEST} independent units ({report.independent})"
        return f"{few} show of no {report.people} that they are severe or lenient"
    return ", ".join(said) or f"No {report.people} is shown to be severe or lenient"


def ends(report: Report) -> Markup:
    """The most severe and the most lenient rater, item by item."""
    order = report.leans["rater"].astype(str).to_list()
    if len(order) < 2:
        return NOTHING
    pair = order[0], order[-1]
    if len(report.counted.raters()) > 2:
        # Of many raters two always lie furthest apart; both are named where both are shown to lean.
        kept = shown(report)
        if not len(kept) or not (kept["lean"].min() < 0 < kept["lean"].max()):
            return NOTHING
    # Of many pairs it is the one furthest apart: its interval is corrected for their number.
    pairs = len(order) * (len(order) - 1) / 2
    coverage = 1 - (1 - report.parameters.coverage) / pairs
    found = apart(report.counted, pair[0], [pair[1]], coverage, report.cluster)
    if found is None:
        return NOTHING
    from ..figures.planes import apart_figure

    said = sentence(found, *pair, persons=True)
    alt = f"{said}, over {count(len(found.points), 'item')}."
    drawn = apart_figure(found, *pair, said)
    title, caption = "Item by item", dots(found)
    if pairs > 1:
        title = "The two furthest apart"
        caption += f" The interval is corrected for {pairs:,.0f} pairs."
    return heading(title) + report.picture("differences", drawn, alt, caption)


def labels(report: Report) -> Markup:
    parts = []
    for question in report.counted.labelled():
        found = habits(report.counted, question)
        if len(found) < 2:
            continue
        spread = found.max() - found.min()
        widest = str(spread.idxmax())
        column = found[widest]
        names = value_names(question)
        many = report.counted.of(question.id).groupby("rater").size()
        said = (
            f"“{names[widest]}” is {ranging(column.min(), column.max())} % of a "
            f"{report.people}’s answers, of which each gave {spanned(many)}"
        )
        units = report.counted.of(question.id)["unit"].nunique()
        said += "." if many.min() == units else "; not all answered the same items."
        own = habit(report.counted, question, report.parameters.coverage, report.cluster)
        apart_from = own[beyond(own)]
        if own["n"].max() < FEWEST:
            said += (
                f" Fewer than {FEWEST} independent units ({report.independent}) are behind it, "
                f"which show of no {report.people} that they use a label more or less than the "
                "others."
            )
        if len(apart_from) and not report.copies:
            row: Any = next(apart_from.loc[[apart_from["gap"].abs().idxmax()]].itertuples())
            said += (
                f" {report.rater_name(row.rater)} says “{names[row.label]}” in "
                f"{percent(row.own)} % of answers, the others on the same items in "
                f"{percent(row.others)} % ({points(row)})."
            )
        lines = [
            (report.rater_name(name), *(f"{percent(v)} %" for v in row), int(many[name]))
            for name, row in found.head(MOST).iterrows()
        ]
        label = report.label(question.id)
        caption = f"Share of each rater’s answers to {label}"
        if len(found) > MOST:
            caption += f", the first {MOST} of {len(found):,} by name"
        parts.append(
            heading(f"{label}: how each rater uses the labels")
            + paragraph(said)
            + table(
                ("Rater", *(names[str(value)] for value in found.columns), "Answers"),
                lines,
                caption,
            )
        )
    return join(parts)


def points(row: Any) -> str:
    """“a difference of 16 points; 8 to 24”: own share − the others’, with its interval."""
    low, high = sorted((abs(row.low), abs(row.high)))
    return f"a difference of {100 * abs(row.gap):.0f} points; {100 * low:.0f} to {100 * high:.0f}"


def agreeing(report: Report, row: Any) -> str:
    """“r5 agrees with the others more than they with one another: …”."""
    side = "less" if row.gap < 0 else "more"
    return (
        f"{report.rater_name(row.rater)} agrees with the others {side} than they with one "
        f"another: {percent(row.own)} % of common answers are the same, where theirs are in "
        f"{percent(row.others)} % ({points(row)})"
    )


def matrix(report: Report, asked: list[Any] | None = None) -> Markup:
    """Who gives whose answers, on these questions or on all that have values."""
    counted = report.counted
    if asked is None:
        asked = [q for q in [*counted.numeric(), *counted.labelled()] if q.values]
        own = report.concord
    else:
        own = concord(counted, asked, report.parameters.coverage, report.cluster)
    if len(own) < 3:
        return NOTHING
    ends = [] if report.copies else [furthest(own, 1), furthest(own, -1)]
    named = [agreeing(report, row) for row in ends if row is not None]
    names = counted.raters()
    said = "; ".join(named)
    if report.copies:
        said = "Per cent of common answers that are the same"
    elif not named:
        said = (
            f"{len(names):,} {report.people}s give the others’ answer in "
            f"{ranging(own['own'].min(), own['own'].max())} % of common answers, over "
            f"{spanned(own['n'])} independent {'unit' if own['n'].max() == 1 else 'units'} each; "
        )
        said += (
            f"fewer than {FEWEST} show of nobody that they agree more or less than the others"
            if own["n"].max() < FEWEST
            else "nobody is shown to agree more or less than the others"
        )
    if len(names) > MOST:
        return heading("Who agrees with whom") + paragraph(f"{said}.")
    from ..figures.planes import heat_figure

    found = agreement_matrix(counted, asked)
    found.index = found.columns = pd.Index([report.rater_name(name) for name in names])
    drawn = heat_figure(found, said, percent, ends=(0, 1))  # a point is no darker than it is
    alt = (
        said
        + ". "
        + "; ".join(
            f"{a} and {b} {percent(found.loc[a, b])} %"
            for i, a in enumerate(found.index)
            for b in found.columns[i + 1 :]
            if np.isfinite(found.loc[a, b])
        )
    )
    caption = (
        "Per cent of the answers two raters have in common that are the very same, on all they "
        "share. Who agrees more or less is judged on the units that three or more rated."
    )
    return heading("Who agrees with whom") + report.picture("raters", drawn, alt, caption)


def left_out(report: Report) -> Markup:
    """α without each rater: who holds agreement down."""
    names = report.counted.raters()
    if not 3 <= len(names) <= MOST:
        return NOTHING
    import raterbook.analysis as analysis

    lines = {name: [report.rater_name(name)] for name in names}
    head = ["Without"]
    now = ["nobody"]
    rise: dict[tuple[str, str], tuple[float, float]] = {}
    for row in coefficients(report):
        asked = report.question(row["question"])
        if asked is None:
            continue
        scale = list(range(len(asked.values or ()))) if asked.is_label else asked.values
        found = analysis.influence(
            report.counted.table(asked), row["statistic"].removeprefix("alpha_"), scale=scale
        ).set_index("rater")
        head.append(report.label(asked.id))
        now.append(number(row["estimate"]))
        for name in names:
            # Who did not answer here changes nothing.
            without = found.loc[name].iloc[0] if name in found.index else row["estimate"]
            lines[name].append(number(without if np.isfinite(without) else None))
            if np.isfinite(without):
                rise[name, head[-1]] = row["estimate"], without
    if len(head) == 1 or not rise:
        return NOTHING
    if report.copies:
        said = "As long as answers look copied, what leaving a rater out changes says little."
    else:
        said = dropping(report, rise)
    return (
        heading("Leaving one rater out")
        + paragraph(said)
        + table(head, [now, *lines.values()], "Krippendorff’s α without each rater")
    )


def dropping(report: Report, rise: dict[tuple[str, str], tuple[float, float]]) -> str:
    """Where leaving one out raises α most, on one question and over all of them."""
    (rater, question), (before, after) = max(rise.items(), key=lambda each: gain(each[1]))
    if after - before < VISIBLE:
        return "Leaving out no single rater raises α on any question."
    said = (
        f"Leaving one rater out raises α most on {question}, without "
        f"{report.rater_name(rater)}: from {number(before)} to {number(after)} "
        f"({signed(after - before)})"
    )
    raters = dict.fromkeys(name for name, _ in rise)
    means = {
        name: float(np.mean([gain(ends) for (who, _), ends in rise.items() if who == name]))
        for name in raters
    }
    questions = {asked for _, asked in rise}
    if len(questions) > 1:
        best = max(means, key=lambda name: means[name])
        said += (
            f"; averaged over {len(questions)} questions, most without "
            f"{report.rater_name(best)} ({signed(means[best])})"
        )
    return f"{said}. On these answers; there is always one without whom α is highest."


def gain(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]
