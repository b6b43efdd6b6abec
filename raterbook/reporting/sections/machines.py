"""Automatic and model raters against people: how often the same, and where they part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..measures import HALVES
from ..section import Section, fold, heading, paragraph, table
from ..tables.apart import apart
from ..tables.pairs import commonest, crossed, settled
from ..tables.values import value_names
from ..words import cell, count, estimate, listing, name_of, signed_estimate
from .apart import DOTS, sentence

FIRST = ("exact", "within_one", "mae", "bias")
FURTHER = ("spearman", *HALVES)
COMPARED = ["percent_match", "kappa_human_auto"]


def machines(report: Any) -> Section | None:
    """None where every rater is a person, or the models are the ones who count."""
    found = report.counted.machines()
    if not found:
        return None
    parts = []
    for machine, kind in dict.fromkeys((machine, kind) for machine, kind, _ in found):
        asked = [question for name, _, question in found if name == machine]
        what = {"automatic": "the automatic label", "model": "the model"}[kind]
        parts.append(heading(f"{machine}, {what}"))
        for question in asked:
            if question.type == "choice":
                parts.append(labels_against(report, machine, question))
        scales = [question for question in asked if question.is_numeric]
        if scales:
            parts.append(differences(report, machine))
            parts.append(scores_against(report, machine, scales))
    parts.append(declared(report))
    return Section("Machines against people", "".join(parts))


def differences(report: Any, machine: str) -> str:
    """Bland and Altman: is the machine off, and by how much on which items."""
    rows = report.counted.people
    people = sorted(rows.loc[rows["rater_kind"].eq("human"), "rater"].unique())
    found = apart(report.counted, machine, people, report.parameters.coverage)
    if found is None:
        return ""
    from ..figures.apart import apart_figure

    whom = "the people’s mean" if len(people) > 1 else people[0]
    said = sentence(found, machine, whom)
    drawn = apart_figure(found, machine, "people" if len(people) > 1 else people[0], said)
    alt = f"{said}, over {count(len(found.points), 'item')}."
    return report.picture(f"differences-{machine}", drawn, alt, DOTS)


def both(report: Any, machine: str, question: Any) -> tuple[pd.Series, pd.Series]:
    """The machine's labels and the people's consensus, as codes by unit."""
    given = report.counted.given
    own = report.counted.table(question, given[given["rater"].eq(machine)]).iloc[:, 0]
    return own, settled(report.counted, question)


def labels_against(report: Any, machine: str, question: Any) -> str:
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
    from ..figures.heat import heat_figure

    drawn = heat_figure(
        matrix, said, lambda value: f"{value:,.0f}", rows=f"{machine} says", columns="people say"
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
            more += f" Set against each person, it gives the same label in {estimate(row)}."
    return report.picture(f"against-{machine}-{question.id}", drawn, alt, more)


def commonest_error(report: Any) -> str | None:
    """“Commonest error: checker SUPPORTED, people NO EVIDENCE, 8 of 15.”"""
    for machine, kind, question in report.counted.machines():
        if question.type != "choice" or kind != "automatic":
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


def people_of(report: Any) -> str:
    """“the people”, or the one person there is."""
    given = report.counted.people
    names = given.loc[given["rater_kind"].eq("human"), "rater"].unique()
    return str(names[0]) if len(names) == 1 else "the people"


def scores_against(report: Any, machine: str, scales: list[Any]) -> str:
    """The numbers of numbers.json, question by question; what does not fit a desk is folded."""
    whom = people_of(report)
    one = whom != "the people"
    caption = f"{machine} against {whom}, question by question"
    made = comparisons(report, machine, scales, FIRST, caption)
    mean = f"{whom}’s scores" if one else "the people’s mean"
    note = f"Distance and bias (above 0, the scores are higher): against {mean}."
    if not one:
        note = "The same and within one level: against each person, averaged over items. " + note
    further = f"Against {mean}: the order of the items"
    if report.rows(HALVES[0], rater=machine):
        further += ", and both rounded to the nearest half point"
    rest = comparisons(report, machine, scales, FURTHER, further)
    return made + paragraph(note, "soft") + fold("In what order", rest)


def comparisons(
    report: Any, machine: str, scales: list[Any], statistics: tuple[str, ...], caption: str
) -> str:
    statistics = tuple(s for s in statistics if report.rows(s, rater=machine))
    rows = {
        (question.id, statistic): row
        for question in scales
        for statistic in statistics
        for row in report.rows(statistic, question.id, rater=machine)
    }
    if not rows:
        return ""
    lines = []
    for question in scales:
        own = [rows.get((question.id, statistic)) for statistic in statistics]
        cells = [
            signed_estimate(row) if row and row["statistic"] == "bias" else cell(row) for row in own
        ]
        items = max((row["n_items"] for row in own if row is not None), default=0)
        lines.append((question.label, items, *cells))
    head = ("Question", "Items", *(name_of(statistic) for statistic in statistics))
    return table(head, lines, caption)


def declared(report: Any) -> str:
    """What the protocol itself measures of an automatic label and people, each person too."""
    lines = []
    for row in report.numbers.rows:
        group = row["group"] or {}
        if row["statistic"] in COMPARED and not set(group) - {"rater"}:
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
        return ""
    head = ("Compared with", "Question", "Number", "Estimate", "Items")
    inside = table(
        head,
        sorted(lines, key=lambda line: (line[2], line[1])),
        "Machine against consensus and against each rater",
        text=3,
    )
    return fold("Against each rater", inside)
