"""What to do before the next round, most useful first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..section import Section, bullets
from ..tables.conduct import completeness, times, uniform
from ..tables.lean import leans
from ..tables.pairs import agreement_matrix, confusions, with_others, worst_pair
from ..tables.spread import scales
from ..words import count, listing, number, percent, signed
from .targets import settle

LEANING = 0.15  # scale points that are worth a conversation
MOST = 6


def next_round(report: Any) -> Section | None:
    if not len(report.counted.people):
        return None
    advice = [*settle(report)[:2], *coaching(report), *careless(report)]
    advice += [*guide(report), *gaps(report)]
    if len(report.counted.raters()) == 1:
        advice.insert(0, "Let a second rater answer part of the items: agreement needs two.")
    return Section("Before the next round", bullets(advice[:MOST])) if advice else None


def coaching(report: Any) -> list[str]:
    """Raters who lean one way beyond their interval, and those who change on the way."""
    found = leans(report.counted)
    said = []
    for words, rows in (
        ("score below the others", found[(found["high"] < 0) & (found["lean"] <= -LEANING)]),
        ("score above the others", found[(found["low"] > 0) & (found["lean"] >= LEANING)]),
    ):
        if len(rows):
            who = [f"{row.rater} ({signed(row.lean)})" for row in rows.itertuples()]
            verb = words.replace("score", "scores") if len(rows) == 1 else words
            said.append(f"Calibrate together: {listing(who)} {verb}.")
    for row in found.itertuples():
        moved = row.late - row.early
        if np.isfinite(moved) and abs(moved) >= LEANING and row.drift_low * row.drift_high > 0:
            said.append(
                f"{row.rater} grew {'stricter' if moved < 0 else 'more lenient'} on the way "
                f"({signed(moved)} from the first to the last third of the items): shorter sittings, "
                "or a look back at the level descriptions half way."
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
    return said


def hurried(report: Any, rater: str) -> str:
    spent = times(report.counted).set_index("rater")
    if rater not in spent.index or not spent.loc[rater, "ratio"] < 0.6:
        return ""
    return f", in {percent(spent.loc[rater, 'ratio'])} % of the usual time"


def guide(report: Any) -> list[str]:
    """The pair of values confused most, for the guide to settle."""
    said = []
    for group in scales(report.counted):
        worst = worst_pair(confusions(report.counted, group))
        if worst is None or worst[3] < 10 or len(group[0].values) < 3:
            continue
        first, second, share, pairs = worst
        where = report.label(group[0].id) if len(group) == 1 else f"{len(group)} questions"
        said.append(
            f"Tell “{first}” and “{second}” apart in the guide, with an example of each: "
            f"{percent(share)} % of {count(pairs, 'disagreeing pair')} lie between them ({where})."
        )
    return said[:2]


def gaps(report: Any) -> list[str]:
    given, put = completeness(report.frame, report.counted)
    said = []
    if put and (put - given) / put >= 0.02:
        said.append(f"{count(put - given, 'answer')} missing of {put:,}: ask the raters to fill them.")
    flat = uniform(report.counted)
    if len(flat) >= 3:
        usual = flat["share"].median()
        for row in flat[(flat["share"] > usual + 0.25) & (flat["n"] >= 10)].itertuples():
            said.append(
                f"{row.rater} gave one and the same score on all questions of "
                f"{percent(row.share)} % of the items (others: {number(usual, 'percent_')}): ask why."
            )
    return said
