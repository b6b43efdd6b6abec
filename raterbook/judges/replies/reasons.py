"""What a reason says of its own answer, where it gives one in so many words: “Score: 2”.

Reasons are data: what they argue is not weighed. But a value under a name of the answer is one more
answer, and one that differs is asked about, wherever it stands behind the answer. Before it the
last words count, as of “initial score: 2” anywhere: a reason may try one value and come to another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from raterbook.judges.replies.objects import Several
from raterbook.judges.replies.values import is_bare, plain
from raterbook.judges.replies.vocabulary import Vocabulary
from raterbook.protocols import Question

DEEPEST = 20
LONGEST_CLAUSE = 120  # characters looked at, the last ones
_CLAUSES = re.compile(r"[\n;()]|[.,!?。](?=\s|$)|\s[–—-]\s")
_COLONS = ":=："
_HEAD = re.compile(r"\s*([^.,;:\n–—]{1,40}?)\s*(?:[,;](?=\s*[^\W\d])|[\n–—]|\s-\s|$)")


def lines_of(reason: Any, depth: int = 0) -> Iterator[str]:
    """The texts of a reason, each with the names it stands under in an object."""
    if isinstance(reason, str):
        if reason.strip():
            yield reason.strip()
    elif depth > DEEPEST or reason is None:
        return
    elif isinstance(reason, list | Several):
        for one in reason.values if isinstance(reason, Several) else reason:
            yield from lines_of(one, depth + 1)
    elif isinstance(reason, dict):
        for name, one in reason.items():
            yield from (f"{name}: {line}" for line in lines_of(one, depth + 1))
    else:
        yield str(reason)


def conclusions(text: str, question: Question, words: Vocabulary, behind: bool) -> Iterator[str]:
    """The values that a reason for this question's answer gives it."""
    head = _HEAD.match(text) if behind else None
    if head is not None and given_as(head[1], question):
        yield head[1]
    for name, value, last in _named(text):
        if (behind or last) and words.means(name, question, last) and given_as(value, question):
            yield value


def summed_up(text: str, words: Vocabulary) -> Iterator[tuple[Question, str]]:
    """The values that a reason for several answers gives under their names: “Tone: 2”."""
    for name, value, _ in _named(text):
        question = words.find(plain(name))
        if question is not None and question.id in words.decisive and given_as(value, question):
            yield question, value


def _named(text: str) -> Iterator[tuple[str, str, bool]]:
    """What a clause gives the name before its last colon, and whether it is the last clause.

    >>> list(_named("Polite. Score: 2, but late"))
    [(' Score', '2', False)]
    """
    if not any(mark in text for mark in _COLONS):
        return
    clauses = [one[-LONGEST_CLAUSE:] for one in _CLAUSES.split(text) if one.strip()]
    for left, clause in enumerate(reversed(clauses)):
        at = max(map(clause.rfind, _COLONS))
        if at >= 0:
            name = clause[1 + max(clause.rfind(mark, 0, at) for mark in _COLONS) : at]
            yield name, clause[at + 1 :].strip(), not left


def given_as(text: str, question: Question) -> bool:
    """Whether a text is a value and no more; a score is one in figures, as “good” is a word too."""
    figures = not question.is_numeric or text.strip(" *_→")[:1].isdecimal()
    return figures and is_bare(question, text)
