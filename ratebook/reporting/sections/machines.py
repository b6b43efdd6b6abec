"""Automatic and model raters against people: how often the same, and where they part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..section import Section, heading, paragraph, table
from ..tables.pairs import consensus, crossed
from ..words import count, estimate, name_of, number, percent, signed

MACHINES = ("automatic", "model")
COMPARED = ["percent_match", "kappa_human_auto", "exact", "within_one", "mae", "bias", "spearman"]


def machines(report: Any) -> Section | None:
    """None where every rater is a person, or the models are the ones who count."""
    found = pairs(report)
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
        scores = [scores_against(report, machine, q) for q in asked if q.is_numeric]
        if scores:
            head = ("Question", "Units", "The same", "Within one", "Against the mean", "Distance")
            parts.append(table(head, scores, f"{machine} against the people, question by question"))
    parts.append(declared(report))
    return Section("Machines against people", "".join(parts))


def pairs(report: Any) -> list[tuple[str, str, Any]]:
    """(machine, kind, question) for everything answered by people and by the machine."""
    counted = report.counted
    if counted.kind != "human":
        return []
    given = counted.given[counted.given["rater_kind"].isin(MACHINES)]
    counting = set(counted.raters())
    found = []
    for (kind, rater), rows in given.groupby(["rater_kind", "rater"], sort=True):
        if rater in counting:
            continue
        answered = set(rows["question"].unique())
        for question in [*counted.labelled(), *counted.numeric()]:
            if question.id in answered:
                found.append((str(rater), str(kind), question))
    return found


def both(report: Any, machine: str, question: Any) -> tuple[pd.Series, pd.Series]:
    """The machine's labels and the people's consensus, as codes by unit."""
    given = report.counted.given
    own = report.counted.table(question, given[given["rater"].eq(machine)]).iloc[:, 0]
    theirs = consensus(report.counted.table(question))
    final = report.counted.table(question, given[given["rater_kind"].eq("adjudicator")])
    if len(final):
        theirs = consensus(final).combine_first(theirs)
    return own, theirs


def labels_against(report: Any, machine: str, question: Any) -> str:
    own, theirs = both(report, machine, question)
    scale = [str(value) for value in question.values]
    matrix = crossed(own, theirs, scale)
    total = int(matrix.to_numpy().sum())
    if not total:
        return paragraph(f"{question.label}: no item has a label of {machine} and of the people.")
    said = f"{machine} gives the people’s label in {np.trace(matrix):,} of {total:,}"
    if worst := error_of(matrix):
        said += f"; its commonest error is {worst[0]} where people say {worst[1]} ({worst[2]})"
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
    more = "The people’s label is the one more than half of them gave."
    if open_:
        verb = "is" if open_ == 1 else "are"
        more += f" {count(open_, 'item')} without such a majority {verb} left out."
    return report.picture(f"against-{machine}-{question.id}", drawn, alt, more)


def error_of(matrix: pd.DataFrame) -> tuple[str, str, int] | None:
    """Machine's label, people's label, how often: the largest cell off the diagonal."""
    cells = matrix.to_numpy(copy=True)
    np.fill_diagonal(cells, 0)
    if not cells.any():
        return None
    row, column = np.unravel_index(int(cells.argmax()), cells.shape)
    return str(matrix.index[row]), str(matrix.columns[column]), int(cells[row, column])


def commonest_error(report: Any) -> str | None:
    """“Commonest error: checker SUPPORTED, people NO EVIDENCE, 8 of 15.”"""
    for machine, kind, question in pairs(report):
        if question.type != "choice" or kind != "automatic":
            continue
        matrix = crossed(*both(report, machine, question), [str(v) for v in question.values])
        worst = error_of(matrix)
        if worst:
            wrong = int(matrix.to_numpy().sum() - np.trace(matrix))
            return (
                f"Commonest error: checker {worst[0]}, people {worst[1]} "
                f"({worst[2]:,} of {wrong:,} mismatches)."
            )
    return None


def scores_against(report: Any, machine: str, question: Any) -> tuple[object, ...]:
    given = report.counted.given
    own = report.counted.table(question, given[given["rater"].eq(machine)]).iloc[:, 0]
    people = report.counted.table(question)
    mine = own.reindex(people.index)
    apart = people.sub(mine, axis=0).abs()
    gap = (mine - people.mean(axis=1)).dropna()
    pairs_ = int(apart.notna().to_numpy().sum())
    if not pairs_:
        return (question.label, 0, "–", "–", "–", "–")
    return (
        question.label,
        f"{len(gap):,}",
        f"{percent(float((apart == 0).to_numpy().sum()) / pairs_)} %",
        f"{percent(float((apart <= 1).to_numpy().sum()) / pairs_)} %",
        signed(float(gap.mean())),
        number(float(gap.abs().mean())),
    )


def declared(report: Any) -> str:
    """What the protocol itself measures of machine and people, each person too."""
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
                    estimate(row),
                    row["n_items"],
                )
            )
    if not lines or all(line[3].startswith("none") for line in lines):
        return ""
    head = ("Compared with", "Question", "Number", "Estimate", "Items")
    inside = table(
        head,
        sorted(lines, key=lambda line: (line[2], line[1])),
        "Machine against consensus and against each rater",
        text=3,
    )
    return f"<details><summary>Against each rater</summary>{inside}</details>"
