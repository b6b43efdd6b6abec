"""Marks beside numbers whose intervals need a word of caution, and what the marks mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# An invisible joiner before each sign tells our marks from such signs in raters' and models' texts.
JOINER = "\u2060"
MARKS = {
    "few_clusters": JOINER + "†",
    "too_few_disagreements": JOINER + "‡",
    "cut_at_scale": JOINER + "*",
}
SAID = {
    "few_clusters": "fewer than ten independent units behind it, so the interval is rough.",
    "too_few_disagreements": (
        "raters differ on fewer than 25 units, where no method’s interval can be trusted."
    ),
    "cut_at_scale": (
        "the interval would reach beyond what is possible and ends where the scale does."
    ),
}
# Where raters hardly ever differ, no interval covers as often as it says.
UNTRUSTED = "too_few_disagreements"


def is_untrusted(row: Mapping[str, Any]) -> bool:
    """Whether nothing may be decided by the interval of this number, or of this target."""
    return UNTRUSTED in (row.get("warnings") or ())


def marks(row: Mapping[str, Any]) -> str:
    """The marks of a number; none where it has no interval to be careful with."""
    if row.get("low") is None:
        return ""
    return "".join(sign for code, sign in MARKS.items() if code in (row.get("warnings") or ()))


def legend(text: str) -> str:
    """What the marks in this text mean, in one line; empty where there are none."""
    return " ".join(
        f"{sign.strip(JOINER)} {SAID[code][0].upper()}{SAID[code][1:]}"
        for code, sign in MARKS.items()
        if sign in text
    )
