"""What to do before the next round, most useful first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..section import Section, bullets
from ..tables.conduct import times, uniform
from ..tables.lean import habits
from ..tables.pairs import agreement_matrix, confusions, with_others, worst_pair
from ..tables.spread import scales
from ..tables.values import value_name
from ..words import count, listing, number, percent, signed

LEANING = 0.15  # scale points that are worth a conversation
HURRIED = 0.5  # of the usual time for the same question
MOST = 6


def next_round(report: Any) -> Section | None:
    if not len(report.counted.people):
        return None
    advice = [*coaching(report), *labelling(report), *careless(report)]
    advice += [*guide(report), *gaps(report)]
    if len(report.counted.raters()) == 1:
        advice.insert(0, "Let a second rater answer part of the items: agreement needs two.")
    return Section("Before the next round", bullets(advice[:MOST])) if advice else None


def coaching(report: Any) -> list[str]:
    """Raters who lean one way beyond their interval, and those who change on the way."""
    found = report.leans
    said = []
    for words, rows in (
        ("score below the others", found[(found["high"] < 0) & (found["lean"] <= -LEANING)]),
        ("score above the others", found[(found["low"] > 0) & (found["lean"] >= LEANING)]),
    ):
        if len(rows):
            who = [f"{row.rater} ({signed(row.lean)})" for row in rows.itertuples()]
            verb = words.replace("score", "scores") if len(rows) == 1 else words
            models = report.counted.kind == "model"
            said.append(
                f"{listing(who)} {verb}: read the prompt again, or report the models apart."
                if models
                else f"Calibrate together: {listing(who)} {verb}."
            )
    for row in found.itertuples():
        moved = row.late - row.early
        if np.isfinite(moved) and abs(moved) >= LEANING and row.drift_low * row.drift_high > 0:
            said.append(
                f"{row.rater} grew {'stricter' if moved < 0 else 'more lenient'} on the way "
                f"({signed(moved)} from the first to the last third of the items): shorter "
                "sittings, or a look back at the level descriptions half way."
            )
    return said


def labelling(report: Any) -> list[str]:
    """The rater whose use of a label is furthest from the others', beyond what chance does."""
    said = []
    for question in report.counted.labelled():
        used = habits(report.counted, question)
        if len(used) < 3:
            continue
        many = report.counted.of(question.id).groupby("rater").size().reindex(used.index)
        others = (used.sum() - used) / (len(used) - 1)
        apart = used - others
        chance = np.sqrt((others * (1 - others)).div(many, axis=0).clip(lower=1e-9))
        rater, label = (apart.abs() / chance).stack().idxmax()
        gap = apart.loc[rater, label]
        if abs(gap) >= 0.08 and abs(gap) > 2.5 * chance.loc[rater, label]:
            said.append(
                f"{rater} says “{value_name(question, label)}” in "
                f"{percent(used.loc[rater, label])} % of answers, the others in "
                f"{percent(others.loc[rater, label])} %: read some of them together."
            )
    return said


def careless(report: Any) -> list[str]:
    """Raters who agree with the others clearly less, or take far less time."""
    counted = report.counted
    asked = [q for q in [*counted.numeric(), *counted.labelled()] if q.values]
    raters = counted.raters()
    said = []
    if len(raters) >= 3:
        own = with_others(agreement_matrix(counted, asked))
        if len(own) >= 3 and own.iloc[1:].mean() - own.iloc[0] >= 0.08:
            who = own.index[0]
            said.append(
                f"{who} agrees with the others least: {percent(own.iloc[0])} % of common answers, "
                f"where the others reach {percent(own.iloc[1:].mean())} %"
                f"{hurried(report, who)}."
            )
    spent = times(counted)
    for row in spent[spent["ratio"] < HURRIED].itertuples():
        if not any(line.startswith(f"{row.rater} agrees") for line in said):
            said.append(
                f"{row.rater} needs {percent(row.ratio)} % of the usual time: ask whether items "
                "are read to the end."
            )
    return said


def hurried(report: Any, rater: str) -> str:
    spent = times(report.counted).set_index("rater")
    if rater not in spent.index or not spent.loc[rater, "ratio"] < HURRIED:
        return ""
    return f", in {percent(spent.loc[rater, 'ratio'])} % of the usual time"


def guide(report: Any) -> list[str]:
    """The pair of values confused most, for the guide to settle."""
    said = []
    for group in scales(report.counted):
        worst = worst_pair(confusions(report.counted, group))
        if worst is None or worst[3] < 10 or len(group[0].values) < 3:
            continue
        first, second = (value_name(group[0], value) for value in worst[:2])
        share, pairs = worst[2:]
        where = report.label(group[0].id) if len(group) == 1 else f"{len(group)} questions"
        said.append(
            f"Tell “{first}” and “{second}” apart in the guide, with an example of each: "
            f"{percent(share)} % of {count(pairs, 'disagreeing pair')} are these two ({where})."
        )
    return said[:2]


def gaps(report: Any) -> list[str]:
    asked = report.asked
    said = []
    if asked.required and asked.missing / asked.required >= 0.02:
        whom = "ask the raters to fill them" if asked.planned else "let the models go on"
        said.append(f"{asked.missing:,} of {asked.required:,} {asked.what} are missing: {whom}.")
    flat = uniform(report.counted)
    if len(flat) >= 3:
        usual = flat["share"].median()
        for row in flat[(flat["share"] > usual + 0.25) & (flat["n"] >= 10)].itertuples():
            said.append(
                f"{row.rater} gave one and the same score on all questions of "
                f"{percent(row.share)} % of the items (usual: {number(usual, 'percent_')}): "
                "ask why."
            )
    return said
