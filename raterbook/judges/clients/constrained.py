"""Holding a local model to a reply's shape: at each step, only tokens that lead along the path.

What is fixed, such as keys and brackets, leaves the model no choice; among the allowed answers it
takes the likeliest. Free texts share the tokens there are, so that no reply is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# What a tokenizer's tokens spell, and which of them lead along the path of a reply.


REACH = 32  # characters looked ahead; few tokens are longer, and shorter ones do as well


class Spelling:
    """For one tokenizer; made once, as it looks at every token."""

    def __init__(self, tokenizer: Any):
        import torch

        if tokenizer.eos_token_id is None:
            raise ValueError(
                "This model's tokenizer has no token for the end of a text, so its replies "
                "cannot be held to a shape: leave constrained out."
            )
        self.end = int(tokenizer.eos_token_id)
        self.texts = _texts(tokenizer)
        self._tokens: dict[str, list[int]] = {}
        self._closing: dict[str, list[int]] = {}  # by what they add from a quote on
        self._free = torch.zeros(len(self.texts), dtype=torch.bool)
        self._telling = torch.zeros(len(self.texts), dtype=torch.bool)
        for token, text in enumerate(self.texts):
            before, quote, after = text.partition('"')
            if not text:
                continue
            self._tokens.setdefault(text, []).append(token)
            if quote and is_free(before):
                self._closing.setdefault(f'"{after}', []).append(token)
            elif is_free(before):
                self._free[token] = True
                self._telling[token] = any(sign.isalnum() for sign in text)
        # A path is a tuple of few pieces, and most steps meet one that was met before.
        self.fitting = lru_cache(4096)(self._fitting)
        self.cost = lru_cache(4096)(self._cost)

    def spells(self, text: str) -> bool:
        """Whether there is a token for every character; rare ones may take several each."""
        return all(sign in self._tokens for sign in text)

    def _fitting(self, path: Path, full: bool) -> tuple[frozenset[int], Any]:
        """Tokens that lead along the path, and a mask of those that are free text, or None.

        `full`: a free text has had its share, and must end.
        """
        if not path:
            return frozenset([self.end]), None
        if isinstance(path[0], Words):
            if path[0].needed:
                return frozenset(), self._telling
            return self._endings(path[1:], full), None if full else self._free
        ways = set(runs(path, REACH))
        found: list[int] = []
        for way in ways:
            for length in range(len(way), 0, -1):
                if (tokens := self._tokens.get(way[:length])) is not None:
                    found += tokens
                    if len(ways) == 1:  # no choice to make: as few tokens as can be
                        break
        return frozenset(found), None

    def _endings(self, rest: Path, at_once: bool) -> frozenset[int]:
        return frozenset(
            token
            for ending, tokens in self._closing.items()
            if any(True for _ in onward(rest, ending))
            for token in tokens
            if not at_once or self.texts[token] == ending
        )

    def _cost(self, path: Path) -> tuple[int, int]:
        """Tokens of all that is fixed, and how many free texts, on the longest way."""
        fixed = free = 0
        for piece in path:
            if isinstance(piece, str):
                fixed += self._count(piece)
            elif isinstance(piece, Words):
                free += 1
            else:
                ways = [self._cost(one) for one in piece]
                lengths = [len(one[0]) for one in piece if len(one) == 1]  # token by character
                fixed += max([way[0] for way in ways] + lengths)
                free += max(way[1] for way in ways)
        return fixed, free

    def _count(self, text: str) -> int:
        count = 0
        while text:
            lengths = range(min(len(text), REACH), 0, -1)
            text = text[next((end for end in lengths if text[:end] in self._tokens), 1) :]
            count += 1
        return count


def _texts(tokenizer: Any) -> list[str]:
    """Each token as it reads after another one; special ones as nothing."""
    anchor = tokenizer.encode("a", add_special_tokens=False)[-1]
    how = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    before = tokenizer.decode([anchor], **how)
    pairs = [[anchor, token] for token in range(len(tokenizer))]
    return [text[len(before) :] for text in tokenizer.batch_decode(pairs, **how)]


# A JSON schema as a path of fixed text, free text and choices that a reply is led along.
#
# {"score": 4}   `{"score": `, then one of `1` … `5`, then `}`
#
# A path is a tuple of pieces: a string stands for itself, Words for free text up to its closing
# quote, a tuple of paths for one of them.


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


LEAST = 24  # tokens of each free text, however few were asked for


def room_for(path: Path, spelling: Spelling, asked: int) -> int:
    """New tokens to allow a reply: as many as asked for, or as its shape needs."""
    fixed, free = spelling.cost(path)
    return max(asked, fixed + LEAST * free + 1)


class Constrained:
    """A logits processor for one batch, each reply on a path of its own."""

    def __init__(self, paths: Sequence[Path], spelling: Spelling, room: int):
        self._rows = [Row(path, spelling, room) for path in paths]
        self._begun = False

    def __call__(self, ids: Any, scores: Any) -> Any:
        import torch

        if self._begun:
            for row, token in zip(self._rows, ids[:, -1].tolist()):
                row.take(token)
        self._begun = True
        kept = torch.full_like(scores, -float("inf"))
        for place, row in enumerate(self._rows):
            tokens, masks = row.allowed()
            for mask in masks:
                allowed = mask.nonzero().squeeze(1).to(scores.device)
                kept[place, allowed] = scores[place, allowed]
            few = list(tokens)
            kept[place, few] = scores[place, few]
        return kept


class Row:
    """One reply on its way."""

    def __init__(self, path: Path, spelling: Spelling, room: int):
        self._paths, self._spelling, self._room = {path}, spelling, room
        self._share = 0  # tokens left to the free text it is in

    def allowed(self) -> tuple[set[int], list[Any]]:
        """Tokens, and masks of more; the end alone where nothing fits."""
        found = [self._spelling.fitting(path, self._share <= 0) for path in self._paths]
        tokens = {token for few, _ in found for token in few}
        masks = [mask for _, mask in found if mask is not None]
        return tokens if tokens or masks else {self._spelling.end}, masks

    def take(self, token: int) -> None:
        text = self._spelling.texts[token]
        goes_on = bool(self._free()) and '"' not in text
        self._paths = {left for path in self._paths for left in onward(path, text)}
        self._room -= 1
        self._share -= 1
        if (free := self._free()) and not goes_on:
            costs = [self._spelling.cost(path) for path in free]
            self._share = max(1, min((self._room - fixed - 1) // many for fixed, many in costs))

    def _free(self) -> list[Path]:
        return [path for path in self._paths if path and isinstance(path[0], Words)]
