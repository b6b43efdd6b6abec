"""Two rounds of one protocol side by side, on the items they share where they share some."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from .compute import Numbers, compute, frame_of
from .index import write_index
from .page import fill
from .parameters import checked
from .place import ReportError, write_whole
from .section import bullets, heading, paragraph, safe, table, with_legend
from .trends import AGREEMENT, LEVELS, apart, changes, label, main_rows
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
    moved = changes(old, new, labels)
    on = (
        f"On the {count(shared, 'item')} both rounds have."
        if shared
        else "The rounds have no items in common, so differences may come from the items."
    )
    parts = [
        f'<p class="kicker">{safe(protocol.title)}</p><h1>{safe(title)}</h1>',
        paragraph(summary(old, new, moved), "verdict"),
        paragraph(on, "soft"),
    ]
    if moved:
        parts.append(heading("Beyond the intervals") + bullets(moved))
    before = {(r["statistic"], r["question"]): r for r in main_rows(old, (*AGREEMENT, *LEVELS))}
    lines = []
    for row in main_rows(new, (*AGREEMENT, *LEVELS)):
        other = before.get((row["statistic"], row["question"]))
        if other is None:
            continue
        lines.append(
            (
                label(row["question"], labels) if row["question"] else "All",
                name_of(row["statistic"]),
                estimate(other),
                estimate(row),
                signed(row["estimate"] - other["estimate"]),
                MOVED[apart(other, row)],
            )
        )
    head = ("Question", "Number", found[0].round, found[1].round, "Change", "Beyond the intervals")
    parts.append(table(head, lines, "Number by number", text=2))
    return with_legend("".join(parts))


def as_document(numbers: Numbers) -> dict[str, Any]:
    return {"round": numbers.round, "data": numbers.data, "numbers": numbers.rows}


def summary(old: dict[str, Any], new: dict[str, Any], moved: list[str]) -> str:
    """One sentence: whether agreement and results moved at all."""
    if not moved:
        return "Nothing moved beyond the intervals."
    rose = sum("α" in line and " rose " in line for line in moved)
    fell = sum("α" in line and " fell " in line for line in moved)
    asked = len(main_rows(new, AGREEMENT))
    parts = []
    if rose or fell:
        both = (
            f"rose on {rose}"
            if not fell
            else f"fell on {fell}"
            if not rose
            else (f"rose on {rose} and fell on {fell}")
        )
        parts.append(f"agreement {both} of {count(asked, 'question')}")
    others = sum("α" not in line and (" rose " in line or " fell " in line) for line in moved)
    if others:
        parts.append(f"{count(others, 'result')} moved")
    return capital("; ".join(parts) or "Some questions were worded anew") + "."
