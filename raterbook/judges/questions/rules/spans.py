"""Pieces of a text that can be the answer to a question."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from raterbook.protocols.sentences import sentences

WINDOW = 80  # characters looked back
LONGEST_SENTENCE = 800  # characters; nothing is asked about longer ones
KINDS = ("date", "figure", "name", "phrase")


@dataclass(frozen=True)
class Span:
    """`text[start:end]`; `asks` is what stands for it in a question, `head` what it counts."""

    kind: str
    start: int
    end: int
    text: str
    asks: str = "what"
    head: str = ""
    from_: int | None = None  # where the replaced words begin, if before the answer: an article

    @property
    def replaced(self) -> int:
        return self.start if self.from_ is None else self.from_


def apart(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order of the text; of two that overlap, the one that was found first."""
    kept: list[Span] = []
    starts: list[int] = []
    for span in spans:
        place = bisect_left(starts, span.end)
        if place == 0 or kept[place - 1].end <= span.replaced:
            starts.insert(place, span.replaced)
            kept.insert(place, span)
    return tuple(kept)


@lru_cache(maxsize=256)
def sentence_bounds(text: str) -> tuple[tuple[int, int], ...]:
    """Where sentences begin and end: the splitter that also cuts items into parts."""
    bounds = []
    for found in sentences(text):
        piece = found.text.rstrip()
        lead = len(piece) - len(piece.lstrip())
        bounds.append((found.start + lead, found.start + len(piece)))
    return tuple(bounds)


def word_before(text: str, place: int) -> str:
    """The word that ends right before this place; empty after punctuation."""
    found = re.search(r"([\w’'-]+)\s+$", before(text, place))
    return found[1] if found else ""


def before(text: str, place: int) -> str:
    """What stands right before this place: far enough back to see an article or a title."""
    return text[max(0, place - WINDOW) : place]
