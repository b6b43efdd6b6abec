"""One value of a reply → an answer, or a ValueError. Nothing is rounded, clipped or supplied."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from raterbook.judges.clients.model import storable
from raterbook.judges.sheets import placeholder
from raterbook.protocols import Level, Question
from raterbook.protocols.questions import Option

_NUMBER = re.compile(
    r"(?P<number>[+-]?\d+(?:\.\d+|,\d{1,2}(?![\d,]))?)\s*"
    r"(?:(?:/|out of|von|of)\s*(?P<top>\d+(?:[.,]\d+)?))?\s*(?P<percent>%)?"
    r"(?P<rest>.*)",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
_RANGE = re.compile(
    r"(?P<low>\d{1,9}(?:\.\d{1,9})?) ?%? ?(?:-|–|—|to) ?(?P<high>\d{1,9}(?:\.\d{1,9})?) ?%?",
    re.ASCII,
)
# What may stand behind a value: its end, a remark in brackets, a reason behind a dash or “because”.
_GOES_ON = re.compile(
    r"\s*(?:[.,;!]?\s*$|(?:[|:–—]|-\s)(?:\s*[“‘\"'(*_`]*[^\W\d_]|[\s*_|]*$)|,?\s*because\b)",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_POINTER = re.compile(
    r"see (?:above|below|reason\w*|comments?|notes?|justification|explanation|rationale|evidence)"
)
_FIGURE = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)
LONGEST_BARE = 60
LONGEST = 2_000  # characters of a score or label, whatever is said behind it
_NOTHING = {"", "null", "none", "n/a", "na", "-", "–", "—", "nan", "?"}


@dataclass(frozen=True)
class ParsedAnswer:
    """One answer as the store takes it; `span` is the range a percentage was stated as."""

    value: Any
    status: str = "answered"
    reason: str | None = None
    span: tuple[float, float] | None = None


def is_nothing(raw: Any) -> bool:
    """Whether the reply leaves the question open, in so many words."""
    return raw is None or (
        isinstance(raw, str) and len(raw) < LONGEST and plain(raw).casefold() in _NOTHING
    )


def read_value(question: Question, raw: Any, alone: bool = False) -> ParsedAnswer:
    """The answer a raw value states; ValueError if it states none, several, or none allowed.

    `alone`: where reasons have a place of their own, none may stand behind a score or a label.
    """
    if isinstance(raw, bool | dict | list):
        raise ValueError(f"{question.id}: {_shown(raw)} is no answer")
    if isinstance(raw, str):
        raw = plain(raw) if question.is_numeric or question.is_label else raw.strip()
        if len(raw) > LONGEST and (question.is_numeric or question.is_label):
            raise ValueError(f"{question.id}: {_shown(raw)} is longer than any answer to it")
        if raw[:1] == "<" and raw == placeholder(question):
            raise ValueError(f"{question.id}: the format's placeholder came back")
    code = _code(question, raw)
    if code is not None:
        return ParsedAnswer(None, "not_applicable", code)
    if question.is_numeric:
        return _number(question, raw, alone)
    if question.is_label:
        return ParsedAnswer(_option(question, str(raw), alone))
    text = raw if isinstance(raw, str) else str(raw)
    if question.kind.has_unanswerable:
        text = " ".join(text.split())
    return ParsedAnswer(question.check(storable(text)))


def reads(question: Question, text: str) -> bool:
    """Whether a text states an answer to the question."""
    try:
        read_value(question, text)
    except (ValueError, TypeError, OverflowError):
        return False
    return not is_nothing(text)


def is_bare(question: Question, text: str) -> bool:
    """Whether a text is an answer and little more: no sentence."""
    return len(text) <= LONGEST_BARE and len(text.split()) <= 3 and reads(question, text)


def plain(text: str) -> str:
    """Without Markdown's emphasis and quotes around it."""
    return text.strip().strip("*_`\"'“”").strip()


def _code(question: Question, raw: Any) -> str | None:
    if isinstance(raw, str) and question.not_applicable:
        word = raw.casefold().removeprefix("not_applicable:").strip()
        for code in question.not_applicable:
            if word == code.casefold():
                return code
    return None


def _number(question: Question, raw: Any, alone: bool) -> ParsedAnswer:
    if not isinstance(raw, str):
        return ParsedAnswer(question.check(raw))
    if question.kind.unit:
        span = _RANGE.fullmatch(raw)
        if span:
            low, high = float(span["low"]), float(span["high"])
            if low <= high <= 100 and not 0 < high <= 1:
                return ParsedAnswer(question.check((low + high) / 2), span=(low, high))
            raise ValueError(f"{question.id}: {raw!r} is not a range within 0–100")
    found = _NUMBER.match(raw)
    if found is None:
        return ParsedAnswer(_named(question, raw, alone))
    top = found["top"]
    if top is not None and float(top.replace(",", ".")) != question.max:
        scale = f"{question.min}–{question.max}"
        raise ValueError(f"{question.id}: {_shown(raw)} is on another scale than {scale}")
    if found["percent"] and not question.kind.unit:
        raise ValueError(f"{question.id}: {_shown(raw)} is a percentage, not a score")
    number = found["number"].replace(",", ".")
    if found["percent"]:
        checked = question.check(number + "%")
    else:
        checked = question.check(float(number) if "." in number else int(number))
    if found["rest"].strip():
        called = {name for one in question.levels if one.value == checked for name in _names(one)}
        if not _goes_on(found["rest"], called, alone) or _scored(question, found["rest"], checked):
            raise ValueError(f"{question.id}: {_shown(raw)} is not one number")
        _agrees_with_name(question, checked, found["rest"])
    return ParsedAnswer(checked)


def _goes_on(rest: str, called: set[str], alone: bool = False) -> bool:
    """Whether what stands behind a value leaves it what it is: a name of it in brackets, a reason.

    A reason stands behind a dash, a colon or “because”; with other words a line may say two things.

    >>> [_goes_on(rest, {"good"}) for rest in (" (Good)", " – polite", ", or not", " (quoted)")]
    [True, True, False, False]
    """
    remark = _REMARK.match(rest)
    if remark is not None:
        said = remark[1].strip().casefold()
        if said not in called and _POINTER.fullmatch(said) is None:
            return False
        rest = rest[remark.end() :]
    return _GOES_ON.match(rest) is not None and (not alone or _word(rest) in {"", *called})


def _word(rest: str) -> str:
    return plain(rest.strip().strip("()[]–—-:,. ")).casefold()


def _scored(question: Question, text: str, score: float) -> bool:
    """Whether a figure in it could be another answer."""
    low, high = question.min or 0, question.max or 100
    figures = (float(one.replace(",", ".")) for one in _FIGURE.findall(text))
    return any(low <= one <= high and one != score for one in figures)


def _agrees_with_name(question: Question, score: float, rest: str) -> None:
    """“5 – Poor” is no 5 and no 2."""
    word = _word(rest)
    called = [level.value for level in question.levels if word in _names(level)]
    if called and question.step == 1 and score not in called:
        raise ValueError(f"{question.id}: {score} and “{word}” contradict each other")


def _names(level: Level) -> set[str]:
    return {name.casefold() for name in (level.name, *level.aliases)}


def _named(question: Question, raw: str, alone: bool) -> Any:
    """“Good”, “Good (4)”, “Good – because …”."""
    for level in sorted(question.levels, key=lambda level: -len(level.name)):
        for name in sorted((level.name, *level.aliases), key=len, reverse=True):
            rest = raw[len(name) :]
            if not raw.casefold().startswith(name.casefold()) or rest[:1].isalnum():
                continue
            number = re.fullmatch(r"\s*[(\[:–—-]+\s*([\d.]{1,9})\s*[)\]]?", rest, re.ASCII)
            if number and number[1].strip(".") == f"{level.value:g}":
                return question.check(level.value)
            others = {name for one in question.levels if one is not level for name in _names(one)}
            words = rest.casefold()
            more = any(_speaks_of(one, words) for one in others)
            more = more or _scored(question, rest, level.value)
            if more or not _goes_on(rest, _names(level), alone):
                raise ValueError(f"{question.id}: {_shown(raw)} contradicts itself")
            return question.check(level.value)
    return question.check(raw)


def _option(question: Question, raw: str, alone: bool) -> Any:
    """The option itself, or at the head of a sentence that names no other."""
    try:
        return question.check(raw.rstrip(".!"))
    except ValueError as error:
        refused = error
    heads = [
        (len(name), option, raw[len(name) :])
        for option in question.options
        for name in (option.value, option.label, *option.aliases)
        if raw.casefold().startswith(name.casefold())
        and _goes_on(raw[len(name) :], {option.value.casefold(), option.label.casefold()}, alone)
    ]
    if heads:
        _, option, rest = max(heads, key=lambda head: head[0])
        others = [other for other in question.options if other is not option]
        if not any(names(other, rest) for other in others):
            return option.value
    raise refused


def names(option: Option, text: str) -> bool:
    """Whether the text speaks of this option by its value or label, in whatever case."""
    words = text.casefold()
    return any(_speaks_of(name.casefold(), words) for name in (option.value, option.label) if name)


def _speaks_of(name: str, words: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", words) is not None


def _shown(raw: Any) -> str:
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, default=str)
    return repr(text if len(text) <= 60 else text[:60] + "…")
