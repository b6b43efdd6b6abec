"""Two rounds of one protocol side by side, on the items they share where they share some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..numbers.compute import Numbers, compute, frame_of
from ..numbers.parameters import checked
from .html import fill, render, with_legend
from .index import Change, by_chance, changes, label, sentences, write_index
from .run import ReportError, write_whole
from .words import capital, count, estimate, name_of, signed

MOVED = {True: "yes", False: "no", None: "cannot be said"}
ENOUGH = 5  # common items, below which each round keeps all of its own


def compare(
    workspace: Any, first: str, second: str, parameters: Mapping[str, Any] | None = None
) -> Path:
    """Write reports/FIRST-vs-SECOND.html and return its path."""
    rounds = [workspace.store.round(name) for name in (first, second)]
    kinds = [stored.protocol.name for stored in rounds]
    if kinds[0] != kinds[1]:
        raise ReportError(
            f"{first} follows {kinds[0]} and {second} {kinds[1]}: only rounds of one protocol can "
            "be compared."
        )
    given = [checked(stored.name, parameters or {}) for stored in rounds]
    frames, shared = common([frame_of(*each) for each in zip(rounds, given, strict=True)])
    found = [compute(*each) for each in zip(rounds, given, frames, strict=True)]
    workspace.reports.mkdir(parents=True, exist_ok=True)
    file = Path(workspace.reports) / f"{first}-vs-{second}.html"
    title = f"{first} and {second}"
    text = fill(title, body(title, found, rounds[0].protocol, shared), home="index.html")
    write_whole(file, text)
    write_index(Path(workspace.reports), workspace.rounds())
    return file


def common(frames: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], int]:
    """Both frames cut to the items they share, and how many; 0 where these are too few."""
    keys = [set(frame["item"].dropna().unique()) for frame in frames]
    both = keys[0] & keys[1]
    if len(both) < ENOUGH or keys[0] == keys[1]:
        return frames, len(both) if keys[0] == keys[1] else 0
    cases = [set(f.loc[f["item"].isin(both), "case"].dropna().unique()) for f in frames]
    kept = [
        frame[frame["item"].isin(both) | (frame["item"].isna() & frame["case"].isin(cases[0]))]
        for frame in frames
    ]
    return kept, len(both)


def body(title: str, found: list[Numbers], protocol: Any, shared: int) -> str:
    old, new = (as_document(numbers) for numbers in found)
    labels = {question.id: question.label for question in protocol.questions}
    both = changes(old, new)
    on = (
        f"On the {count(shared, 'item')} both rounds have."
        if shared
        else "The rounds have no items in common, so differences may come from the items."
    )
    lines = [
        (
            whose(each) + (label(each.new["question"], labels) if each.new["question"] else "All"),
            name_of(each.new["statistic"]),
            estimate(each.old),
            estimate(each.new),
            signed(each.new["estimate"] - each.old["estimate"]),
            "worded anew" if each.reworded else MOVED[each.moved],
        )
        for each in both
    ]
    head = ("Question", "Number", found[0].round, found[1].round, "Change", "Beyond the intervals")
    made = render(
        "comparison",
        protocol=protocol.title,
        title=title,
        verdict=summary(both),
        on=on,
        moved=sentences(both, labels),
        chance=by_chance(both, (old, new), bool(shared)) if any(e.moved for e in both) else "",
        head=head,
        lines=lines,
    )
    return with_legend(made)


def whose(change: Change) -> str:
    """Ahead of a number that models' answers stand behind, in one round or in both."""
    by = [row.get("raters") == "model" for row in (change.old, change.new)]
    return "By models: " if all(by) else "By models in one of the two: " if any(by) else ""


def as_document(numbers: Numbers) -> dict[str, Any]:
    return {
        "round": numbers.round,
        "parameters": numbers.parameters,
        "data": numbers.data,
        "numbers": numbers.rows,
    }


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
    return "Nothing moved beyond the intervals."
