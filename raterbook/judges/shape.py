"""A JSON schema as a path of fixed text, free text and choices that a reply is led along.

    {"score": 4}   `{"score": `, then one of `1` … `5`, then `}`

A path is a tuple of pieces: a string stands for itself, Words for free text up to its closing
quote, a tuple of paths for one of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]
Path = tuple[Any, ...]
FINE = 10  # numbers of a range up to this wide are given in tenths, others whole


class Open(ValueError):
    """A schema that leaves open how much of something there is; no path leads along it."""


@dataclass(frozen=True)
class Words:
    """Free text inside a JSON string; `needed`: at least one letter or digit of it."""

    needed: bool = False


def path_of(schema: Schema, spells: Callable[[str], bool] = str.isascii) -> Path:
    """The path of a closed schema; Open where it has a list of any length.

    `spells` says which texts a model's tokens can spell; others are escaped, as JSON allows.
    """
    if "enum" in schema:
        return (tuple((_spelled(value, spells),) for value in schema["enum"]),)
    if "anyOf" in schema:
        return (tuple(path_of(one, spells) for one in schema["anyOf"]),)
    kind = schema.get("type")
    if kind == "object":
        pieces: list[Any] = []
        for key, value in schema["properties"].items():
            opening = ", " if pieces else "{"
            pieces += [f"{opening}{_spelled(key, spells)}: ", *path_of(value, spells)]
        return _joined([*pieces, "}"] if pieces else ["{}"])
    if kind == "array" and schema.get("items") is False:
        pieces = []
        for value in schema["prefixItems"]:
            pieces += [", " if pieces else "[", *path_of(value, spells)]
        return _joined([*pieces, "]"] if pieces else ["[]"])
    if kind == "string":
        return ('"', Words(needed=schema.get("minLength", 0) > 0), '"')
    if kind == "number" and "minimum" in schema and "maximum" in schema:
        return (tuple((number,) for number in _numbers(schema["minimum"], schema["maximum"])),)
    if kind == "null":
        return ("null",)
    raise Open(f"no path leads along {json.dumps(schema)[:80]}")


def onward(path: Path, text: str) -> Iterator[Path]:
    """What is left of the path after this text, in every way the text can be read; none if in no
    way.

    >>> list(onward(path_of({"enum": [1, 10]}), "1"))
    [(), ('0',)]
    """
    if not text:
        yield path
        return
    if not path:
        return
    head, rest = path[0], path[1:]
    if isinstance(head, str):
        if head.startswith(text):
            left = head[len(text) :]
            yield (left, *rest) if left else rest
        elif text.startswith(head):
            yield from onward(rest, text[len(head) :])
    elif isinstance(head, Words):
        free, quote, _ = text.partition('"')
        if not is_free(free):
            return
        met = not head.needed or any(sign.isalnum() for sign in free)
        if not quote:
            yield (Words(not met), *rest)
        elif met:
            yield from onward(rest, text[len(free) :])
    else:
        for one in head:
            yield from onward((*one, *rest), text)


def is_free(text: str) -> bool:
    """Whether text can stand in a JSON string as it is."""
    return '"' not in text and "\\" not in text and all(sign >= " " for sign in text)


def runs(path: Path, length: int) -> Iterator[str]:
    """The texts that can come next, each up to free text, the end, or about this length."""
    if not path or length <= 0 or isinstance(path[0], Words):
        yield ""
        return
    head, rest = path[0], path[1:]
    if isinstance(head, str):
        for after in runs(rest, length - len(head)):
            yield head + after
    else:
        for one in head:
            yield from runs((*one, *rest), length)


def _spelled(value: Any, spells: Callable[[str], bool]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if spells(text) else json.dumps(value)


def _numbers(low: float, high: float) -> list[str]:
    if high - low > FINE:
        return [str(number) for number in range(round(low), round(high) + 1)]
    return [f"{tenth / 10:g}" for tenth in range(round(low * 10), round(high * 10) + 1)]


def _joined(pieces: list[Any]) -> Path:
    """Neighbouring texts as one, so that a token may reach across them."""
    found: list[Any] = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    return tuple(found)
