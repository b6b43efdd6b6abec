"""Rounds of one protocol in order: the same number over rounds, and what changed beyond doubt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .cautions import is_untrusted
from .words import capital, listing, name_of, number

Labels = Mapping[str, str]  # what questions are called, by id

# What is worth following; one α a question, the first of these that a round has.
AGREEMENT = ("alpha_ordinal", "alpha_nominal", "alpha_interval")
LEVELS = ("overall_mean", "overall_computed_mean", "mean", "percent_match", "recall", "precision")
MOST_PANELS = 9


def panels(
    documents: Sequence[Mapping[str, Any]], statistics: Iterable[str], labels: Labels
) -> list[dict]:
    """One entry for each number that two rounds have: its title and its points in order.

    `documents` are numbers.json in the order of the rounds. A point carries the hash of its
    question's wording, so that a line can break where the wording changed.
    """
    found: dict[tuple[str, str | None], dict[str, Any]] = {}
    for at, document in enumerate(documents):
        for row in main_rows(document, statistics):
            key = (row["statistic"], row["question"])
            panel = found.setdefault(key, {"title": title(row, labels), "key": key, "points": []})
            panel["points"].append(
                {
                    "at": at,
                    "estimate": row["estimate"],
                    "low": row["low"],
                    "high": row["high"],
                    "warnings": row["warnings"],
                    "wording": wording(document, row["question"]),
                }
            )
    return [panel for panel in found.values() if len(panel["points"]) > 1]


def main_rows(document: Mapping[str, Any], statistics: Iterable[str]) -> list[Mapping[str, Any]]:
    """Whole-round rows with a value; of several α of one question, the first kind alone."""
    kept: list[Mapping[str, Any]] = []
    seen: set[tuple[bool, str | None]] = set()
    for statistic in statistics:
        for row in document["numbers"]:
            whole = row["group"] is None and row["aggregate"] in (None, "macro")
            if row["statistic"] != statistic or not whole or row["estimate"] is None:
                continue
            place = (statistic.startswith("alpha_"), row["question"])
            if place[0] and place in seen:
                continue
            seen.add(place)
            kept.append(row)
    return kept


def label(question: str, labels: Labels) -> str:
    """What a question is called; of one without a label, its id in words."""
    return labels.get(question) or capital(question.replace("_", " "))


def title(row: Mapping[str, Any], labels: Labels) -> str:
    question = label(row["question"], labels) if row["question"] else ""
    if row["statistic"].startswith("alpha_"):
        return f"α {question}"
    if row["statistic"] == "mean":
        return question
    return f"{name_of(row['statistic'])} {question}".strip()


def wording(document: Mapping[str, Any], question: str | None) -> str:
    """The question's hash; of numbers over several questions, the protocol's."""
    hashes = document["data"].get("questions", {})
    return str(hashes.get(question, "")) if question else str(document["data"]["protocol"])


def changes(old: Mapping[str, Any], new: Mapping[str, Any], labels: Labels) -> list[str]:
    """Sentences on what moved beyond the intervals, and on questions that were worded anew."""
    before = {(r["statistic"], r["question"]): r for r in main_rows(old, (*AGREEMENT, *LEVELS))}
    said, reworded = [], []
    for row in main_rows(new, (*AGREEMENT, *LEVELS)):
        other = before.get((row["statistic"], row["question"]))
        if other is None:
            continue
        if wording(old, row["question"]) != wording(new, row["question"]):
            if row["question"] and row["question"] not in reworded:
                reworded.append(row["question"])
            continue
        if apart(other, row):
            verb = "rose" if row["estimate"] > other["estimate"] else "fell"
            said.append(
                f"{title(row, labels)} {verb} from {number(other['estimate'], row['statistic'])} "
                f"to {number(row['estimate'], row['statistic'])}."
            )
    if reworded:
        names = ", ".join(label(name, labels) for name in reworded)
        said.append(f"Worded anew, and so not comparable: {names}.")
    return said


def moves(what: str, found: Sequence[Mapping[str, Any]]) -> str:
    """What rose and what fell from the last round but one to the last, beyond the intervals."""
    sides: dict[str, list[str]] = {"rose": [], "fell": []}
    for panel in found:
        old, new = panel["points"][-2:]
        if old["wording"] == new["wording"] and apart(old, new):
            side = "rose" if new["estimate"] > old["estimate"] else "fell"
            sides[side].append(panel["title"].removeprefix("α "))
    said = [f"{verb} on {listing(names, limit=4)}" for verb, names in sides.items() if names]
    if not said:
        return f"{what}: no number moved beyond the intervals"
    return f"{what} {' and '.join(said)}, beyond the intervals"


def apart(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool | None:
    """Whether two independent estimates differ by more than their joint margin.

    The halves of the intervals that face each other are added as independent errors are. None
    where an interval is missing or cannot be trusted: nobody can say, so nothing is said to have
    moved.
    """
    if any(row["low"] is None or is_untrusted(row) for row in (old, new)):
        return None
    below, above = sorted((old, new), key=lambda row: row["estimate"])
    margin = math.hypot(above["estimate"] - above["low"], below["high"] - below["estimate"])
    return bool(above["estimate"] - below["estimate"] > margin)
