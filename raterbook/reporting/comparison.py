"""Rounds of one protocol in order: the same number over rounds, and what changed beyond doubt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..numbers.number import LEADING, is_untrusted
from ..protocols.comparisons import facts
from ..protocols.statistics import alphas, followed
from .words import capital, count, listing, name_of, number

Labels = Mapping[str, str]  # what questions are called, by id

# What is worth following; one α a question, the first of these that a round has.
MOST_PANELS = 9
USUAL = 0.95  # coverage, of documents that do not say


def panels(
    documents: Sequence[Mapping[str, Any]], statistics: Iterable[str], labels: Labels
) -> list[dict[str, Any]]:
    """One entry for each number that two rounds have: its title and its points in order.

    `documents` are numbers.json in the order of the rounds. A point carries the hash of its
    question's wording, so that a line can break where the wording changed.
    """
    found: dict[tuple[str, str | None], dict[str, Any]] = {}
    for at, document in enumerate(documents):
        for row in main_rows(document, statistics):
            key = (row["statistic"], row["question"])
            called = {"title": title(row, labels), "label": short_title(row, labels)}
            panel = found.setdefault(key, {**called, "key": key, "points": []})
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
            whole = row["group"] is None and row["aggregate"] in LEADING
            if row["statistic"] != statistic or not whole or row["estimate"] is None:
                continue
            place = (facts(statistic).is_alpha, row["question"])
            if place[0] and place in seen:
                continue
            seen.add(place)
            kept.append(row)
    return kept


def label(question: str, labels: Labels) -> str:
    """What a question is called; of one without a label, its id in words."""
    return labels.get(question) or capital(question.replace("_", " "))


def title(row: Mapping[str, Any], labels: Labels) -> str:
    said = short_title(row, labels)
    return f"α {said}" if facts(row["statistic"]).is_alpha else said


def short_title(row: Mapping[str, Any], labels: Labels) -> str:
    """The same where it is clear that an α is spoken of."""
    question = label(row["question"], labels) if row["question"] else ""
    if row.get("raters") == "model":  # levels and agreement of people and of models are not alike
        question = f"{question} (by models)".strip()
    if row["statistic"] == "mean" or facts(row["statistic"]).is_alpha:
        return question
    return f"{name_of(row['statistic'])} {question}".strip()


def wording(document: Mapping[str, Any], question: str | None) -> str:
    """The question's hash; of numbers over several questions, the protocol's."""
    hashes = document["data"].get("questions", {})
    return str(hashes.get(question, "")) if question else str(document["data"]["protocol"])


@dataclass(frozen=True)
class Change:
    """One number of two rounds: its row in each, and whether it moved beyond the joint margin.

    `moved` is None where nobody can say: an interval is missing or cannot be trusted, or the
    question was `reworded` and is another one.
    """

    old: Mapping[str, Any]
    new: Mapping[str, Any]
    reworded: bool
    moved: bool | None

    @property
    def verb(self) -> str:
        return "rose" if self.new["estimate"] > self.old["estimate"] else "fell"

    @property
    def is_agreement(self) -> bool:
        return facts(self.new["statistic"]).is_alpha


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Every number that both rounds have, in the order of the page."""
    worth = (*alphas(), *followed())
    before = {(row["statistic"], row["question"]): row for row in main_rows(old, worth)}
    found = []
    for row in main_rows(new, worth):
        other = before.get((row["statistic"], row["question"]))
        if other is not None:
            reworded = wording(old, row["question"]) != wording(new, row["question"])
            found.append(Change(other, row, reworded, None if reworded else apart(other, row)))
    return found


def sentences(found: Sequence[Change], labels: Labels) -> list[str]:
    """What moved beyond the joint margin, and which questions were worded anew."""
    said = [
        f"{title(each.new, labels)} {each.verb} from "
        f"{number(each.old['estimate'], each.new['statistic'])} to "
        f"{number(each.new['estimate'], each.new['statistic'])}."
        for each in found
        if each.moved
    ]
    anew = [each.new["question"] for each in found if each.reworded and each.new["question"]]
    if anew:
        names = ", ".join(label(name, labels) for name in dict.fromkeys(anew))
        said.append(f"Worded anew, and so not comparable: {names}.")
    return said


def by_chance(
    found: Sequence[Change], documents: Sequence[Mapping[str, Any]], same_items: bool = False
) -> str:
    """How many of the numbers compared moved, and how many do where nothing has changed.

    `apart` errs about as often as one interval misses, and nothing corrects it for how many
    numbers are compared. On the same items chance moves less, as what the items bring is in both;
    with other raters more, as intervals speak of those who answered.
    """
    compared = [each for each in found if each.moved is not None]
    moved = sum(bool(each.moved) for each in compared)
    # Of two rounds with intervals of their own width, the one that misses more often.
    coverage = min(each.get("parameters", {}).get("coverage", USUAL) for each in documents)
    expected = len(compared) * (1 - coverage)
    shown = f"{expected:.2g}" if expected < 10 else f"{expected:.0f}"
    chance, items = ("fewer than", "the same") if same_items else ("about", "the same kind of")
    return (
        f"Of {count(len(compared), 'number')} compared, {moved:,} moved. Had nothing changed, "
        f"{chance} {shown} would have by chance alone with {items} items and the same raters; "
        "with other raters, more."
    )


def moves(what: str, found: Sequence[Mapping[str, Any]]) -> str:
    """What rose and what fell from the last round but one to the last, beyond the joint margin."""
    sides: dict[str, list[str]] = {"rose": [], "fell": []}
    for panel in found:
        old, new = panel["points"][-2:]
        if old["wording"] == new["wording"] and apart(old, new):
            side = "rose" if new["estimate"] > old["estimate"] else "fell"
            sides[side].append(panel["label"])
    said = [f"{verb} on {listing(names, limit=4)}" for verb, names in sides.items() if names]
    if not said:
        return f"{what}: no number moved beyond the joint margin"
    return f"{what} {' and '.join(said)}, beyond the joint margin"


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


def whose(change: Change) -> str:
    """Ahead of a number that models' answers stand behind, in one round or in both."""
    by = [row.get("raters") == "model" for row in (change.old, change.new)]
    return "By models: " if all(by) else "By models in one of the two: " if any(by) else ""


def summary(found: Sequence[Change]) -> str:
    """One sentence: whether agreement and results moved at all."""
    parts = []
    asked = [each for each in found if each.is_agreement and not each.reworded]
    sides = {
        verb: sum(bool(each.moved) and each.verb == verb for each in asked)
        for verb in ("rose", "fell")
    }
    if any(sides.values()):
        both = " and ".join(f"{verb} on {many}" for verb, many in sides.items() if many)
        parts.append(f"agreement {both} of {count(len(asked), 'question')}")
    others = sum(bool(each.moved) for each in found if not each.is_agreement)
    if others:
        parts.append(f"{count(others, 'result')} moved")
    if parts:
        return capital("; ".join(parts)) + "."
    if any(each.reworded and each.new["question"] for each in found):
        return "Some questions were worded anew."
    return "Nothing moved beyond the joint margin."
