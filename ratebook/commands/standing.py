"""How a round stands, as lines a person reads: `ratebook status`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS = ("rater", "kind", "assigned", "complete", "begun", "missing", "flagged", "answers")


def standing(found: Mapping[str, Any]) -> str:
    """One line on the round, one on what is missing, then a line for every rater."""
    parts = f", {found['parts']:,} parts" if found["parts"] else ""
    lines = [
        f"{found['round']}: {found['protocol']}, {found['state']} since {found['since'][:16]}",
        f"  {found['items']:,} items in {found['cases']:,} cases{parts}; "
        f"{found['answers']:,} answers, the last at {(found['last_answer_at'] or 'never')[:16]}",
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
    if not found["raters"]:
        return "nobody has been asked yet: import answers, or open it with --raters"
    if found["complete"]:
        return "complete"
    lacking = [
        f"{found['missing']:,} required answers missing" if found["missing"] else "",
        f"{found['unfinished']:,} assigned items not finished" if found["unfinished"] else "",
    ]
    return "; ".join(part for part in lacking if part)


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
