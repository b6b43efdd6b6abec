"""What a number of a round is called and where it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def statistic_of(address: str) -> tuple[str, str]:
    """The statistic of an address, and what stands behind it, which may hold any sign."""
    found = re.match(r"(\w*):?(.*)", address, re.S)
    assert found is not None  # matches every text
    return found[1], found[2]


def address(row: Mapping[str, Any]) -> str:
    """`recall:generated_answer[aggregate=macro, model=atlas-2]`: this number and no other."""
    text = str(row["statistic"]) + (f":{row['question']}" if row["question"] else "")
    inside = ", ".join(places(row))
    return f"{text}[{inside}]" if inside else text


def places(row: Mapping[str, Any]) -> list[str]:
    """`aggregate=macro`, `model=atlas-2`: the reading and the group, each as one word."""
    found = {"aggregate": row["aggregate"]} if row["aggregate"] else {}
    return [f"{name}={value}" for name, value in {**found, **(row["group"] or {})}.items()]


ROW = (
    *("question", "group", "statistic", "estimate", "low", "high", "low_like", "high_like"),
    *("raters", "n_items", "n_raters", "n_ratings", "method", "p", "p_holm"),
    *("p_corrected", "correction", "reason"),
    *("aggregate", "warnings"),
)


# Where raters hardly ever differ, no interval covers as often as it says.
UNTRUSTED = "too_few_disagreements"


def is_untrusted(row: Mapping[str, Any]) -> bool:
    """Whether nothing may be decided by the interval of this number, or of this target."""
    return UNTRUSTED in (row.get("warnings") or ())
