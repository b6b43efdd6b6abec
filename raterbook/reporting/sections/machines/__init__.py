"""Automatic and model raters against people: how often the same, and where they part."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ....numbers.compare import comparison_of
from ....numbers.compare.comparison import Comparison
from ....numbers.compare.sides import frame_with, sides_of
from ....numbers.compare.strictness import likeness
from ....protocols.comparisons import facts
from ....protocols.statistics import of_family
from ...html import NOTHING, Section, bullets, fold, heading, join, paragraph, short, table
from ...leanings import FEWEST, NO_SPREAD, Apart, apart
from ...pairs import commonest, crossed, settled
from ...words import (
    CAUTIONS,
    SIGNED,
    VISIBLE,
    cell,
    count,
    interval,
    listing,
    name_of,
    number,
    say,
    signed,
    value_name,
    value_names,
)
from ..reading import against_machine

if TYPE_CHECKING:
    from ...report import Report

KINDS = {"distance": "distance", "label_accuracy": "the likeliest label"}


def machines(report: Report) -> Section | None:
    """Automatic and model raters against people, where people are the ones who count."""
    found = report.counted.machines()
    if not found:
        return None
    parts = []
    for machine, kind in dict.fromkeys((machine, kind) for machine, kind, _ in found):
        asked = [question for name, _, question in found if name == machine]
        what = {"automatic": "the automatic label", "model": "the model"}[kind]
        parts.append(heading(f"{machine}, {what}"))
        for question in asked:
            if question.is_label:
                parts.append(labels_against(report, machine, question))
        scales = [question for question in asked if question.is_numeric]
        if scales:
            parts.append(differences(report, machine))
            parts.append(scores_against(report, machine, scales))
        if kind == "model":
            parts.append(in_the_place_of_people(report, machine))
            parts.append(where_unsure(report, machine, asked))
    parts.append(declared(report))
    return Section("Machines against people", join(parts))


def in_the_place_of_people(report: Report, machine: str) -> Markup:
    """May the model replace people: the sentence, and question by question what it rests on."""
    given, frame = report.parameters, report.frame
    if machine in report.judged:
        found: Comparison | None = report.judged[machine][1]
    else:
        frame = frame_with(report.stored, given, report.sight) if given.columns else frame
        sides = sides_of(report.stored, frame, machine, given, sight=report.sight)
        found = comparison_of(sides, given, habits=False)
    if found is None:
        return NOTHING
    parts = [each for each in found.parts if not each.group]
    said = heading(f"May {machine} replace people?") + paragraph(found.sentence)
    lines = []
    for each in parts:
        near = each.test.advantage
        kappa = next((line for line in each.beside if line.statistic == "kappa"), None)
        lines.append(
            (
                report.label(each.question) if each.question else "All questions",
                each.verdict.kind,
                share_of(near),
                f"{sum(p.rejected for p in each.test.persons)} of {len(each.test.persons)}",
                number(each.test.design_effect),
                *((number(kappa.model.value), number(kappa.persons.value)) if kappa else "––"),
            )
        )
    if not any(each.test.persons for each in parts):
        return said
    head = ("Question", "Verdict", "As near as a person", "Persons it stands in for",
            "Design effect", "κ in a person’s place", "κ of a person")  # fmt: skip
    note = (
        f"Each person is left out in turn, and on each item the one nearer to the others wins; the "
        f"model stands in for a person who is not nearer by ε {found.epsilons} or more, corrected "
        "for the number of persons. A design effect above 1 says how far items of one source are "
        "from independent."
    )
    made = table(head, lines, f"{machine} in the place of people", text=2)
    return said + fold("What it rests on", made + paragraph(note, "soft"))


def where_unsure(report: Report, machine: str, asked: list[Any]) -> Markup:
    """The model beside a person where people are unsure: distances of scores, likeliest labels."""
    sides = sides_of(report.stored, report.frame, machine, report.parameters)
    asked = [question for question in asked if question.is_score or question.is_label]
    coverage = 1 - (1 - report.parameters.coverage) / max(len(asked), 1)
    lines, further, rarer = [], [], []
    for question in asked:
        coded = sides.coded(question.id)
        label = report.label(question.id)
        wish = replace(sides.wish, coverage=coverage)
        for each in likeness(coded, coded.raters[-1], labels=question.is_label, interval=wish):
            if each.model.value is None or each.persons.value is None:
                continue
            gap = each.difference
            kind = "exact" if question.is_label else ""
            lines.append((label, KINDS[each.statistic], number(each.model.value, kind),
                          number(each.persons.value, kind), signed(float(gap)),
                          interval(gap.low, gap.high, SIGNED) or "–"))  # fmt: skip
            if each.statistic == "distance" and round(gap.low or 0.0, 2) > 0:
                further.append(f"{label} ({signed(float(gap))}; {lines[-1][-1]})")
            if each.statistic == "label_accuracy" and round(gap.high or 0.0, 2) < 0:
                rarer.append(f"{label} ({signed(float(gap))}; {lines[-1][-1]})")
    if not lines:
        return NOTHING
    said = f"On no question is {machine} shown to lie further from people than a person does."
    if further:
        said = f"{machine} lies further from people than a person does on {listing(further)}."
    if not any(line[1] == KINDS["distance"] for line in lines):
        said = ""
    if rarer:
        said += (
            f" {machine} gives the likeliest label less often than a person on {listing(rarer)}."
        )
    notes = {
        "distance": "Distance is Jensen–Shannon’s between the answers of the others and of the "
        "model, or of the person in whose place it stands, over items binned by the others’ "
        "median; one more person does not come out at 0. Intervals are corrected for "
        f"{count(len(asked), 'question')}.",
        "label_accuracy": "How often each gives the label that the others’ answers make likeliest "
        "(Dawid and Skene): the model by people alone, a person with the model among the others. "
        "Intervals take the labels so made as given, and are corrected for "
        f"{count(len(asked), 'question')}.",
    }
    note = " ".join(said for kind, said in notes.items()
                    if any(line[1] == KINDS[kind] for line in lines))  # fmt: skip
    head = ("Question", "Number", machine, "A person", "Difference", "Interval")
    made = table(head, lines, f"{machine} where people are unsure", text=2)
    inside = (paragraph(said.strip()) if said else NOTHING) + made + paragraph(note, "soft")
    return fold("Where people are unsure", inside)


def share_of(found: Any) -> str:
    """A share with its interval, or a dash."""
    between = interval(found.low, found.high, "exact")
    return number(found.value, "exact") + (f" ({between})" if between else "")


def differences(report: Report, machine: str) -> Markup:
    """Bland and Altman: is the machine off, and by how much on which items."""
    rows = report.counted.people
    people = sorted(rows.loc[rows["rater_kind"].eq("human"), "rater"].unique())
    found = apart(report.counted, machine, people, report.parameters.coverage, report.cluster)
    if found is None:
        return NOTHING
    from ...figures.planes import apart_figure

    whom = "the people’s mean" if len(people) > 1 else people[0]
    said = sentence(found, machine, whom)
    drawn = apart_figure(found, machine, "people" if len(people) > 1 else people[0], said)
    alt = f"{said}, over {count(len(found.points), 'item')}."
    return report.picture(f"differences-{machine}", drawn, alt, dots(found))


def both(report: Report, machine: str, question: Any) -> tuple[pd.Series, pd.Series]:
    """The machine's labels and the people's consensus, as codes by unit."""
    given = report.counted.given
    own = report.counted.table(question, given[given["rater"].eq(machine)]).iloc[:, 0]
    return own, settled(report.counted, question)


def labels_against(report: Report, machine: str, question: Any) -> Markup:
    given = report.counted.given
    own, theirs = both(report, machine, question)
    scale = list(value_names(question).values())
    matrix = crossed(own, theirs, scale)
    total = int(matrix.to_numpy().sum())
    if not total:
        return paragraph(
            f"{report.label(question.id)}: no item has a label of {machine} and of the people."
        )
    said = f"{machine} gives the people’s label in {np.trace(matrix):,} of {total:,}"
    if worst := commonest(matrix):
        each = [f"{own} where people say {people}" for own, people, _ in worst]
        what = "commonest error is" if len(worst) == 1 else "commonest errors, equally often, are"
        said += f"; its {what} {listing(each)} ({worst[0][2]})"
    open_ = int((theirs.isna() & own.reindex(theirs.index).notna()).sum())
    from ...figures.planes import heat_figure

    drawn = heat_figure(
        matrix, said, lambda value: f"{value:,.0f}", (f"{machine} says", "people say")
    )
    alt = (
        said
        + ". "
        + "; ".join(
            f"{row} by {machine}: "
            + ", ".join(f"{column} {matrix.loc[row, column]:,}" for column in scale)
            for row in scale
        )
    )
    only = people_of(report)
    more = "The people’s label is the one more than half of them gave"
    if only != "the people":
        more = f"The only person is {only}"
    final = given[given["rater_kind"].eq("adjudicator") & given["question"].eq(question.id)]
    more += ", or the adjudicators gave." if len(final) else "."
    if open_:
        verb = "is" if open_ == 1 else "are"
        more += f" {count(open_, 'item')} without such a majority {verb} left out."
    for row in report.rows("exact", question.id, rater=machine):
        if row["estimate"] is not None:
            more += f" Set against each person, it gives the same label in {say(row)}."
    return report.picture(f"against-{machine}-{question.id}", drawn, alt, more)


def commonest_error(report: Report) -> str | None:
    """“Commonest error: checker SUPPORTED, people NO EVIDENCE, 8 of 15.”"""
    for machine, kind, question in report.counted.machines():
        if not question.is_label or kind != "automatic":
            continue
        matrix = crossed(*both(report, machine, question), [*value_names(question).values()])
        worst = commonest(matrix)
        if worst:
            wrong = int(matrix.to_numpy().sum() - np.trace(matrix))
            each = [f"checker {own}, people {people}" for own, people, _ in worst]
            if len(worst) == 1:
                return f"Commonest error: {each[0]} ({worst[0][2]:,} of {wrong:,} mismatches)."
            return (
                f"Commonest errors, equally often: {'; '.join(each)} "
                f"({worst[0][2]:,} of {wrong:,} mismatches each)."
            )
    return None


def people_of(report: Report) -> str:
    """“the people”, or the one person there is."""
    given = report.counted.people
    names = given.loc[given["rater_kind"].eq("human"), "rater"].unique()
    return str(names[0]) if len(names) == 1 else "the people"


def scores_against(report: Report, machine: str, scales: list[Any]) -> Markup:
    """The numbers of numbers.json, question by question; what does not fit a desk is folded."""
    whom = people_of(report)
    one = whom != "the people"
    caption = f"{machine} against {whom}, question by question"
    judged, halves = of_family("judge"), of_family("halves")
    order = [name for name in judged if facts(name).kind == "correlation"]
    first = [name for name in judged if name not in order]
    made = comparisons(report, machine, scales, first, caption)
    mean = f"{whom}’s scores" if one else "the people’s mean"
    note = f"Distance and bias (above 0, the scores are higher): against {mean}."
    if not one:
        note = "The same and within one level: against each person, averaged over items. " + note
    further = f"Against {mean}: the order of the items"
    if report.rows(halves[0], rater=machine):
        further += ", and both rounded to the nearest half point"
    rest = comparisons(report, machine, scales, [*order, *halves], further)
    return made + paragraph(note, "soft") + fold("In what order", rest)


def comparisons(
    report: Report, machine: str, scales: list[Any], statistics: list[str], caption: str
) -> Markup:
    statistics = [name for name in statistics if report.rows(name, rater=machine)]
    rows = {
        (question.id, statistic): row
        for question in scales
        for statistic in statistics
        for row in report.rows(statistic, question.id, rater=machine)
    }
    if not rows:
        return NOTHING
    lines = []
    for question in scales:
        own = [rows.get((question.id, statistic)) for statistic in statistics]
        cells = [
            say(row, SIGNED) if row and row["statistic"] == "bias" else cell(row) for row in own
        ]
        items = max((row["n_items"] for row in own if row is not None), default=0)
        lines.append((question.label, items, *cells))
    head = ("Question", "Items", *(name_of(statistic) for statistic in statistics))
    return table(head, lines, caption)


def declared(report: Report) -> Markup:
    """What the protocol itself measures of an automatic label and people, each person too."""
    lines = []
    for row in report.numbers.rows:
        group = row["group"] or {}
        if facts(row["statistic"]).family == "reference" and not set(group) - {"rater"}:
            who = group.get("rater", "consensus")
            lines.append(
                (
                    who,
                    report.label(row["question"]),
                    name_of(row["statistic"]),
                    cell(row),
                    row["n_items"],
                )
            )
    if all(line[3] == "–" for line in lines):
        return NOTHING
    head = ("Compared with", "Question", "Number", "Estimate", "Items")
    inside = table(
        head,
        sorted(lines, key=lambda line: (line[2], line[1])),
        "Machine against consensus and against each rater",
        text=3,
    )
    return fold("Against each rater", inside)


# Label by label, people against the checker; and what quality control should look at.


LISTED = 20


def labels(report: Report) -> Section | None:
    """Label by label, people against the checker, and what quality control should look at."""
    parts = [per_label(report), control(report)]
    inside = join(parts)
    return Section("Label by label", inside, folded=True) if inside else None


def per_label(report: Report) -> Markup:
    """Four readings of “agreement on a label”; the first is the one usually published."""
    family = of_family("labels")
    found = {
        (row["statistic"], row["group"]["label"]): row
        for statistic in family
        for row in report.by(statistic, "label")
    }
    names = {label: name_of_label(report, row) for (_, label), row in found.items()}
    lines = []
    for label, name in names.items():
        cells = [cell(found.get((statistic, label))) for statistic in family]
        if set(cells) != {"–"}:
            lines.append((name, *cells))
    if not lines:
        return NOTHING
    note = (
        "Where people and checker both say a label, as a share of the items to which either, the "
        "checker, or the people gave it; specific agreement is twice the matches over both counts."
    )
    made = table(
        ("Label", *(facts(statistic).called for statistic in family)),
        lines,
        "Agreement label by label",
    )
    return heading("People against the checker") + made + paragraph(note, "soft")


def name_of_label(report: Report, row: dict[str, Any]) -> str:
    asked = report.question(row["question"])
    label = row["group"]["label"]
    return value_name(asked, label) if asked else str(label)


def control(report: Report) -> Markup:
    """What to look at: mismatches without a note, same context with different labels, no label."""
    machine = next(
        (
            (name, q)
            for name, kind, q in report.counted.machines()
            if kind == "automatic" and q.is_label
        ),
        None,
    )
    if machine is None:
        return NOTHING
    name, question = machine
    scale = list(value_names(question).values())
    wrong = against_machine(report.counted, question, name)
    notes = report.texts
    noted = set(notes["unit"]) if len(notes) else set()
    lines = [
        (
            report.unit_name(row.unit),
            scale[int(row.machine)],
            scale[int(row.people)],
            "yes" if row.unit in noted else "no",
            question_text(report, report.places[row.unit][0]),
        )
        for row in wrong.head(LISTED).itertuples()
    ]
    points = []
    silent = [report.unit_name(row.unit) for row in wrong.itertuples() if row.unit not in noted]
    if silent:
        many = count(len(silent), "mismatch", "mismatches")
        points.append(f"{many} without a note: {listing(silent)}.")
    points += twice(report, question)
    missing = unlabelled(report, question)
    if missing:
        points.append(f"{count(len(missing), 'item')} without any label: {listing(missing)}.")
    if not points and not lines:
        return NOTHING
    made = heading("Quality control") + (bullets(points) if points else "")
    if lines:
        caption = f"Where people and {name} differ"
        if len(wrong) > LISTED:
            caption += f" (the first {LISTED} of {len(wrong):,})"
        made += table(("Item", name, "People", "Note", "Question"), lines, caption, text=5)
    return made


def question_text(report: Report, name: str) -> str:
    item = report.items.get(name)
    return short(item.fields.get("question", ""), 90) if item else ""


def twice(report: Report, question: Any) -> list[str]:
    """The same source text and answer, and yet different labels."""
    said = settled(report.counted, question).dropna()
    seen: dict[tuple[str, ...], dict[float, str]] = {}
    clashes = []
    for key, label in said.items():
        item = report.items.get(str(key))
        if item is None:
            continue
        text = tuple(
            " ".join(str(v).split()).casefold()
            for n, v in sorted(item.fields.items())
            if report.protocol.item.fields[n].show == "long"
        )
        others = seen.setdefault(text, {})
        if text and others and label not in others:
            clashes.append(f"{key} and {next(iter(others.values()))}")
        others.setdefault(float(label), str(key))
    if not clashes:
        return []
    return [f"Same context, different labels: {listing(clashes)}."]


def unlabelled(report: Report, question: Any) -> list[str]:
    given = set(report.counted.of(question.id)["subject"])
    main = [key for key, item in report.items.items() if item.role == "main"]
    return [key for key in main if key not in given]


# Two who scored the same items, difference against mean: in words, and as a figure.


def dots(found: Apart) -> str:
    """What the dots of the figure are."""
    from ...figures.planes import MOST

    many = len(found.points)
    each = "One dot an item" if many <= MOST else f"A dot each for {MOST:,} of {many:,} items"
    return (
        f"{each}, over the questions both answered on one scale; dots are moved a little so that "
        "fewer hide others. Dashed: mean ± 1.96 standard deviations."
    )


def sentence(found: Apart, first: str, second: str, persons: bool = False) -> str:
    """“r1 scores 0.56 points below r2 on average (…); on 94 % of items the difference is …”

    Of two `persons` nothing is shown by fewer than ten independent units.
    """
    low, high = found.bias - found.margin, found.bias + found.margin
    span = interval(low, high, SIGNED)
    few = found.clusters < FEWEST
    span += CAUTIONS["few_clusters"].mark if few and span else ""
    side = "below" if found.bias < 0 else "above"
    far = f"{number(abs(found.bias))} points {side} {second}"
    seen = f"({signed(found.bias)} points{f'; {span}' if span else ''})"
    if found.high - found.low < NO_SPREAD:
        far = far if abs(found.bias) > NO_SPREAD else f"as {second}"
        return f"{first} scores {far} on each of {count(len(found.points), 'item')}"
    if few and persons:
        said = f"Fewer than {FEWEST} independent units show of neither {first} nor {second} that "
        said += f"they score higher {seen}"
    elif low > VISIBLE or high < -VISIBLE:
        said = f"{first} scores {far} on average ({span})"
    else:
        said = f"No difference on average is shown between {first} and {second} {seen}"
    between = interval(found.low, found.high, SIGNED)
    return f"{said}; on {number(found.within, 'exact')} of items the difference is {between}"
