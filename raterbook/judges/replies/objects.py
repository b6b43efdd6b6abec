"""JSON in a reply: the whole of it, in a fence, or among words; and JSON with slips, mended."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from raterbook.environment import optional

MOST_TRIES = 200  # openings looked at in one reply
DEEPEST_OBJECT = (
    50  # a reply nested deeper says nothing, and would keep json-repair busy for seconds
)
LONGEST_MENDED = 8_000  # characters; json-repair takes the square of a text of stray quotes
_OPENING = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_COMMENT = re.compile(
    r"(?<=[:\s])(\d[\d.]*)\s{0,9}(,?)[ \t]{0,9}"
    r'(?://|#|/\*)[ \t]{0,9}([^\n"*/#]{1,40}?)[ \t]{0,9}(?:\*/|$)',
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Several:
    """The values of a key that stands more than once in one object."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Found:
    content: Any
    shape: str  # json, fenced, embedded or repaired
    start: int
    end: int


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        values: dict[str, list[Any]] = {}
        for key, value in pairs:
            values.setdefault(key, []).append(value)
        for key, every in values.items():
            if any(value != every[0] for value in every):
                found[key] = Several(tuple(every))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def json_objects(text: str) -> list[Found]:
    """Every complete object or list on the outermost level, in order."""
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        whole = _decoded(stripped, 0)
        if whole is not None and whole[1] == len(stripped):
            return [Found(whole[0], "json", 0, len(text))]
    fences = _fences(text)
    return [
        Found(
            content,
            "fenced" if any(low <= start and end <= high for low, high in fences) else "embedded",
            start,
            end,
        )
        for content, start, end in _scanned(text)
    ]


def _fences(text: str) -> list[tuple[int, int]]:
    """Where fenced stretches stand, those that are never closed left out."""
    marks = [mark.end() for mark in re.finditer("```", text)]
    return [(low, high - 3) for low, high in zip(marks[::2], marks[1::2])]


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


def repaired(text: str) -> Found | None:
    """The reply's object as json-repair makes it, where that adds and drops marks and no words.

    None where its end is missing, nothing comes of it, or a word is lost on the way, as those of
    a comment are. One behind a number is a remark on it: `4 // good` is read as “4 (good)”.
    """
    json_repair = optional("json_repair", "judge", "Mending a reply that is not quite JSON")
    body = text.rstrip().removesuffix("```").rstrip()
    opening = _OPENING.search(body)
    if opening is None or body[-1:] not in ("}", "]"):
        return None
    said = body[opening.start() :]
    if len(said) > LONGEST_MENDED or _depth(said) > DEEPEST_OBJECT:
        return None
    remarked = _COMMENT.sub(r'"\1 (\3)"\2', said)
    try:
        content = json_repair.loads(remarked, skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError, KeyError, AttributeError):
        return None
    if not isinstance(content, dict | list):
        return None
    kept = (words_of(json.dumps(content, ensure_ascii=ascii)) for ascii in (False, True))
    if all((words_of(said) - words).keys() - {"none"} for words in kept):
        return None
    return Found(content, "repaired", opening.start(), opening.start() + len(said))


def words_of(text: str) -> Counter[str]:
    """How often each word stands in a JSON text, whatever its marks."""
    return Counter(_WORD.findall(_ESCAPE.sub(" ", text).casefold()))
