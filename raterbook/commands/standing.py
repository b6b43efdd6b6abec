"""How a round stands, as lines a person reads: `raterbook status`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..rounds.exchange.problems import counted
from ..rounds.status import crowd

COLUMNS = ("rater", "kind", "assigned", "complete", "begun", "missing", "flagged", "answers")


def standing(found: Mapping[str, Any]) -> str:
    """One line on the round, one on what is missing, then a line for every rater."""
    parts = f", {counted(found['parts'], 'part')}" if found["parts"] else ""
    last = found["last_answer_at"]
    when = f", the last at {last[:16].replace('T', ' ')}" if last else ""
    since = found["since"][:16].replace("T", " ")
    lines = [
        f"{found['round']}: {found['protocol']}, {found['state']} since {since} (UTC)",
        f"  {counted(found['items'], 'item')} in {counted(found['cases'], 'case')}{parts}; "
        f"{counted(found['answers'], 'answer')}{when}",
        f"  {missing(found)}",
    ]
    raters = found["raters"]
    if raters:
        rows = [[said(rater, name) for name in COLUMNS] for rater in raters]
        lines += ["  " + line for line in aligned([list(COLUMNS), *rows])]
    for flag in found["flagged"]:
        reason = f": {flag['reason']}" if flag["reason"] else ""
        lines.append(f"  flagged by {flag['rater']}, {flag['item']}{reason}")
    return "\n".join(lines)


def missing(found: Mapping[str, Any]) -> str:
    """What is not there yet; only people are asked for something, models answer what they do."""
    if all(rater["kind"] == "automatic" for rater in found["raters"]):
        return "nobody has been asked yet: import answers, or open it with --raters"
    if found["complete"]:
        return "complete"
    of_cases = found["missing_of_cases"]
    about = f" ({of_cases:,} of them about a case as a whole)" if of_cases else ""
    lacking = [
        f"{counted(found['missing'], 'required answer')} missing{about}{unplanned(found)}"
        if found["missing"]
        else "",
        f"{counted(found['unfinished'], 'assigned item')} not finished"
        if found["unfinished"]
        else "",
        f"{counted(found['left_to_models'], 'item')} not answered whole by a model"
        if found["left_to_models"]
        else "",
        f"{found['without_parts']:,} without the parts to ask about: bring them with "
        "`raterbook parts … --take`, or write questions with `raterbook questions`"
        if found["without_parts"]
        else "",
    ]
    return "; ".join(part for part in lacking if part) or "nobody counts: all were excluded"


def unplanned(found: Mapping[str, Any]) -> str:
    """What “missing” rests on where a file brought many people with few items each."""
    thin = crowd(found)
    if thin is None:
        return ""
    people, mean = thin
    return (f" if all {people:,} people are to answer about every item: items have {mean:.3g} "
            "people on average, and no plan says how many they should have (open with --per-item)")


def said(rater: Mapping[str, Any], name: str) -> str:
    value = rater[name]
    if name == "rater" and rater["excluded"]:
        return f"{value} (excluded: {rater['excluded']})"
    return f"{value:,}" if isinstance(value, int) else str(value)


def aligned(rows: Sequence[Sequence[str]], words: int = 2) -> list[str]:
    """Words to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
