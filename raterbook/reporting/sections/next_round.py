"""What to do before the next round, most useful first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...rounds.marks import crowd
from ..html import Section, bullets
from ..leanings import beyond, furthest, habit, shown
from ..pairs import confusions, worst_pair
from ..words import SIGNED, count, interval, listing, percent, signed, value_name
from .conduct import times, uniform
from .criteria import scales
from .raters import agreeing, between, points
from .reading import copying

if TYPE_CHECKING:
    from ..report import Report

LEANING = 0.15  # scale points that are worth a conversation
APART = 0.08  # shares further apart than this are worth a conversation
HURRIED = 0.5  # of the others’ time for the same answers
MOST = 6


def next_round(report: Report) -> Section | None:
    """What to do before the next round, most useful first."""
    if not len(report.counted.people):
        return None
    advice = [*coaching(report), *labelling(report), *careless(report)]
    advice += [*guide(report), *gaps(report)]
    if not any(report.shared.values()):
        advice.insert(
            0,
            f"Let a second {'person' if report.mixed else report.people} answer part of the "
            "items: agreement needs two.",
        )
    if report.copies:
        advice.insert(0, f"Find out whether {copying(report)} rated apart from each other.")
    return Section("Before the next round", bullets(advice[:MOST])) if advice else None


def coaching(report: Report) -> list[str]:
    """Raters who lean one way beyond their interval, and those who change on the way."""
    found = shown(report)
    said = []
    for words, rows in (
        ("score below the others", found[(found["high"] < 0) & (found["lean"] <= -LEANING)]),
        ("score above the others", found[(found["low"] > 0) & (found["lean"] >= LEANING)]),
    ):
        if len(rows):
            order = rows.sort_values("lean", key=abs, ascending=False, kind="stable")
            who = [
                f"{report.rater_name(row.rater)} ({signed(row.lean)}; {between(row)})"
                for row in order.itertuples()
            ]
            verb = words.replace("score", "scores") if len(rows) == 1 else words
            models = report.counted.kind == "model"
            said.append(
                f"{listing(who)} {verb}: read the prompt again, or report the models apart."
                if models
                else f"Calibrate together: {listing(who)} {verb}."
            )
    for row in report.strict_leans.itertuples():
        moved = row.late - row.early
        if np.isfinite(moved) and abs(moved) >= LEANING and row.drift_low * row.drift_high > 0:
            said.append(
                f"{report.rater_name(row.rater)} grew "
                f"{'stricter' if moved < 0 else 'more lenient'} on the way "
                f"({signed(moved)} from the first to the last third of the items; "
                f"{interval(row.drift_low, row.drift_high, SIGNED)}): shorter sittings, or a "
                "look back at the level descriptions half way."
            )
    return said


def labelling(report: Report) -> list[str]:
    """The rater whose use of a label is furthest from the others', beyond what chance does."""
    said = []
    for question in report.counted.labelled():
        found = habit(report.counted, question, report.parameters.coverage, report.cluster)
        apart = found[beyond(found) & (found["gap"].abs() >= APART)]
        if report.copies or not len(apart) or found["rater"].nunique() < 3:
            continue
        row: Any = next(apart.loc[[apart["gap"].abs().idxmax()]].itertuples())
        said.append(
            f"{report.rater_name(row.rater)} says “{value_name(question, row.label)}” in "
            f"{percent(row.own)} % of answers, the others on the same items in "
            f"{percent(row.others)} % ({points(row)}): read some of them together."
        )
    return said


def careless(report: Report) -> list[str]:
    """Raters who agree with the others clearly less, or take far less time."""
    said = []
    spent = times(report.counted, report.parameters.coverage, report.cluster)
    hurried = spent[(spent["ratio"] < HURRIED) & (spent["high"] < 1)]
    pace = {
        row.rater: f"{percent(row.ratio)} % of the others’ time ({percent(row.low)}–"
        f"{percent(row.high)} %)"
        for row in hurried.itertuples()
    }
    least = None if report.copies else furthest(report.concord, -1)
    if least is not None and least.gap <= -APART:
        also = f", in {pace[least.rater]}" if least.rater in pace else ""
        said.append(f"{agreeing(report, least)}{also}.")
    for rater, shown_ in pace.items():
        if also_said(least, rater, said):
            continue
        said.append(
            f"{report.rater_name(rater)} needs {shown_}: ask whether items are read to the end."
        )
    return said


def also_said(least: Any, rater: str, said: list[str]) -> bool:
    return bool(said) and least is not None and least.rater == rater


def guide(report: Report) -> list[str]:
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


def gaps(report: Report) -> list[str]:
    asked = report.asked
    said = []
    if asked.required and asked.missing / asked.required >= 0.02:
        none = listing([report.protocol.question(name).label for name in asked.unanswered])
        none = f" (no person answered {none})" if none else ""
        missing = f"{asked.missing:,} of {asked.required:,} {asked.what} are missing{none}"
        thin = crowd(report.stored.status()) if asked.planned else None
        if thin is not None:
            people, mean = thin
            said.append(
                f"{missing} if everybody is to answer about every item: items have {mean:.3g} of "
                f"{people:,} people on average, and no plan says how many they should have. If "
                "not everybody was meant, `raterbook assign` with --per-item says so."
            )
        else:
            whom = "ask the raters to fill them" if asked.planned else "let the models go on"
            said.append(f"{missing}: {whom}.")
    flat = uniform(report.counted, report.parameters.coverage, report.cluster)
    for row in flat[(flat["gap"] > 0.25) & (flat["low"] > 0)].itertuples():
        said.append(
            f"{report.rater_name(row.rater)} gave one and the same score on all questions of "
            f"{percent(row.own)} % of the items, the others on the same items in "
            f"{percent(row.others)} % ({points(row)}): ask why."
        )
    return said
