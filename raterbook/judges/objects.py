"""JSON in a reply: the whole of it, in a fence, or among words; the last complete object counts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_TRIES = 200  # openings looked at in one reply
DEEPEST = 50  # a reply nested deeper says nothing, and would keep json-repair busy for seconds
_OPENING = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Several:
    """The values of a key that stands more than once in one object."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Found:
    content: Any
    shape: str  # json, fenced or embedded
    start: int
    end: int


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for key in found:
            values = [value for name, value in pairs if name == key]
            if len(values) > 1 and any(value != values[0] for value in values):
                found[key] = Several(tuple(values))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def json_objects(text: str) -> list[Found]:
    """Every complete object or list on the outermost level, in order."""
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        whole = _decoded(stripped, 0)
        if whole is not None and whole[1] == len(stripped):
            return [Found(whole[0], "json", 0, len(text))]
    fences = [match.span(1) for match in _FENCE.finditer(text)] if "```" in text else []
    return [
        Found(
            content,
            "fenced" if any(low <= start and end <= high for low, high in fences) else "embedded",
            start,
            end,
        )
        for content, start, end in _scanned(text)
    ]


def _scanned(text: str) -> Iterator[tuple[Any, int, int]]:
    position = 0
    for _ in range(MOST_TRIES):
        opening = _OPENING.search(text, position)
        if opening is None:
            return
        found = _decoded(text, opening.start())
        if found is None:
            position = opening.end()
        else:
            yield found[0], opening.start(), found[1]
            position = found[1]


def _decoded(text: str, start: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _depth(text: str) -> int:
    """How deep brackets are nested, those in strings counted too."""
    depth = deepest = 0
    for sign in _BRACKET.finditer(text):
        depth += 1 if sign[0] in "{[" else -1
        deepest = max(deepest, depth)
    return deepest


def repaired(text: str) -> Any:
    """What json-repair makes of the reply; None where its end is missing or nothing comes of it."""
    import json_repair

    body = re.sub(r"```\s*$", "", text.strip()).strip()
    opening = _OPENING.search(body)
    if opening is None or body[-1:] not in ("}", "]") or _depth(body) > DEEPEST:
        return None
    try:
        found = json_repair.loads(body[opening.start() :], skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError, KeyError, AttributeError):
        return None
    return found if isinstance(found, dict | list) else None
