"""Whether a question is asked, or required, given the other answers.

{accuracy: [inaccurate, disputed]}     the answer is one of these
{label: answered}                      there is an answer
{reference_answer: answerable}         there is one, and it is not <Unanswerable>
{and: [...]}  {or: [...]}              of conditions; several keys in one mapping must all hold
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Literal

Condition = dict[str, Any]

UNANSWERABLE = "<Unanswerable>"
# What people and models write for it where the protocol does not say.
SAYINGS = (
    "unanswerable",
    "无法推断",
    "無法推斷",
    "cannot be determined",
    "cannot be determined from the text",
    "can't be determined",
    "not answerable",
    "no answer",
)
_SAID_SO = re.compile(r"\s*<\s*unanswerable\s*>", re.IGNORECASE)
WORDS = ("answered", "answerable")
LONGEST_NAME = 2_000  # characters; nothing longer is the name of anything
PILED = 30  # signs on one letter, as many as Unicode's own stream-safe form lets through


def normalized(text: str, form: Literal["NFC", "NFKC", "NFKD"] = "NFKC") -> str:
    """The text in a form of Unicode's; as it is where more signs stand on a letter than any has.

    To put signs on one letter in order takes the square of their number.
    """
    if text.isascii():
        return text
    piled = 0
    for sign in text:
        piled = piled + 1 if _leans(sign) else 0
        if piled > PILED:
            return text
    return unicodedata.normalize(form, text)


@lru_cache(2**14)
def _leans(sign: str) -> bool:
    """Whether it stands on the letter before it, or comes to when it is taken apart."""
    return unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) > 0


def is_unanswerable(text: str, spellings: tuple[str, ...] = SAYINGS) -> bool:
    """Whether an answer says that the text holds none, in one of these spellings or the sentinel.

    >>> is_unanswerable("No answer."), is_unanswerable("No answer was found in 1912.")
    (True, False)
    >>> is_unanswerable("<unanswerable> as the text is silent")
    True
    """
    text = text.strip()[:LONGEST_NAME]
    # The word in its brackets is nobody's answer, whatever reason follows it.
    if _SAID_SO.match(normalized(text)):
        return True
    return _bare(text) in _bare_spellings(spellings)


def _bare(text: str) -> str:
    return normalized(text).casefold().strip().rstrip(" .。!！?？")


@cache
def _bare_spellings(spellings: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_bare, spellings))


def holds(condition: Condition | bool | None, answers: Mapping[str, Any]) -> bool:
    """Whether a condition holds for these answers (question id → value); None and True always do.

    >>> holds({"or": [{"tone": [1, 2]}, {"label": "answered"}]}, {"tone": 2})
    True
    >>> holds({"a": "answered", "b": "answerable"}, {"a": "x", "b": "<Unanswerable>"})
    False
    """
    if condition is None or isinstance(condition, bool):
        return condition is not False
    return all(_one(key, expected, answers) for key, expected in condition.items())


def _one(key: str, expected: Any, answers: Mapping[str, Any]) -> bool:
    if key == "and":
        return all(holds(part, answers) for part in expected)
    if key == "or":
        return any(holds(part, answers) for part in expected)
    value = answers.get(key)
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return False
    if expected == "answered":
        return True
    if expected == "answerable":
        return bool(value != UNANSWERABLE)
    return any(same(value, allowed) for allowed in expected)


def same(one: Any, other: Any) -> bool:
    """Equal as answers: 2, 2.0 and "2" are one value."""
    return bool(one == other) or _plain(one) == _plain(other)


def _plain(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def in_words(condition: Condition, named: Callable[[str], str] = str) -> str:
    """A condition as people and models read it; what “and” and “or” join is bracketed if mixed.

    >>> in_words({"and": [{"or": [{"a": ["1"]}, {"b": ["2", "3"]}]}, {"c": "answered"}]})
    '(a is 1 or b is 2 or 3) and c is answered'
    """
    return _joined(condition, named)[0]


def _joined(condition: Condition, named: Callable[[str], str]) -> tuple[str, str]:
    """The words, and which word joins them: and, or, or none."""
    clauses = []
    for key, expected in condition.items():
        if key in ("and", "or"):
            parts = [_joined(part, named) for part in expected]
            words = [f"({said})" if by not in ("", key) else said for said, by in parts]
            clauses.append((f" {key} ".join(words), key) if len(parts) > 1 else parts[0])
        elif expected == "answerable":
            clauses.append((f"{named(key)} is an answer other than {UNANSWERABLE}", ""))
        elif isinstance(expected, str):
            clauses.append((f"{named(key)} is {expected}", ""))
        else:
            *rest, last = map(str, expected)
            values = f"{', '.join(rest)} or {last}" if rest else last
            clauses.append((f"{named(key)} is {values}", ""))
    if len(clauses) == 1:
        return clauses[0]
    return " and ".join(f"({said})" if by == "or" else said for said, by in clauses), "and"


def leaves(condition: Condition | bool | None) -> Iterator[tuple[str, Any]]:
    """Every (question, expected) a condition speaks of."""
    if isinstance(condition, dict):
        for key, expected in condition.items():
            if key in ("and", "or"):
                for part in expected:
                    yield from leaves(part)
            else:
                yield key, expected


def rewritten(
    condition: Condition | bool | None, change: Callable[[str, list[Any]], list[Any]]
) -> Condition | bool | None:
    """The condition with each list of values replaced by `change(question, values)`."""
    if not isinstance(condition, dict):
        return condition
    changed: Condition = {}
    for key, expected in condition.items():
        if key in ("and", "or"):
            changed[key] = [rewritten(part, change) for part in expected]
        else:
            changed[key] = change(key, expected) if isinstance(expected, list) else expected
    return changed


def read_condition(raw: Any) -> Condition:
    """A condition as written, its form checked; that its questions exist is checked later."""
    if not isinstance(raw, dict) or not raw:
        raise ValueError(
            f"{raw!r} is not a condition: write {{question: [values]}}, {{question: answered}}, "
            "{question: answerable}, {and: [conditions]} or {or: [conditions]}"
        )
    for key, expected in raw.items():
        if key in ("and", "or"):
            if not isinstance(expected, list) or not expected:
                raise ValueError(f"'{key}' needs a list of conditions")
            for part in expected:
                read_condition(part)
        elif isinstance(expected, str):
            if expected not in WORDS:
                raise ValueError(
                    f"{key!r}: {expected!r} is not one of answered, answerable, or a list of values"
                )
        elif not isinstance(expected, list) or not expected:
            raise ValueError(f"{key!r} needs a list of values, or answered, or answerable")
    return raw
