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
_GOES_ON = re.compile(r"\s*(?:$|[(\[,.;:!–—\n|]|-\s|because\b)", re.IGNORECASE)
_ANOTHER = re.compile(r"\s*[,;|/(\[–—-]\s*[+-]?\d", re.ASCII)  # a second number at once
# What takes back the value before it.
_NO = r"no[,;:.!–—]"
_BACK = (
    r"nay|wait|correction|sorry|scratch|strike|i mean|on reflection|make it|make that|revised"
    r"|corrected|changed"
)
_OTHER = re.compile(  # “4, no, 3”, “4 – or rather 3”: a second number that takes the first back
    rf"(?:\b(?:{_NO}|(?:{_BACK}|mine|i say|quoted|minus)\b)[^\n]{{0,30}}?"
    r"|(?:\b(?:or|rather|actually|now|then|maybe|perhaps|better|but)\b|→|[-=]>|~~)"
    r"\W{0,5}(?:(?:rather|an?|it|is|to|be|now|better|maybe|perhaps|really|more like)\W{1,3}){0,3})"
    r"[+-]?\d",
    re.ASCII | re.IGNORECASE,
)
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


def read_value(question: Question, raw: Any) -> ParsedAnswer:
    """The answer a raw value states; ValueError if it states none, several, or none allowed."""
    if isinstance(raw, bool | dict | list):
        raise ValueError(f"{question.id}: {_shown(raw)} is no answer")
    if isinstance(raw, str):
        raw = plain(raw) if question.is_numeric or question.is_label else raw.strip()
        if len(raw) > LONGEST and (question.is_numeric or question.is_label):
            raise ValueError(f"{question.id}: {_shown(raw)} is longer than any answer to it")
        if raw == placeholder(question):
            raise ValueError(f"{question.id}: the format's placeholder came back")
    code = _code(question, raw)
    if code is not None:
        return ParsedAnswer(None, "not_applicable", code)
    if question.is_numeric:
        return _number(question, raw)
    if question.is_label:
        return ParsedAnswer(_option(question, str(raw)))
    text = raw if isinstance(raw, str) else str(raw)
    if question.kind.has_unanswerable:
        text = " ".join(text.split())
    return ParsedAnswer(question.check(storable(text)))


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


def _number(question: Question, raw: Any) -> ParsedAnswer:
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
        return ParsedAnswer(_named(question, raw))
    rest = found["rest"]
    if not _GOES_ON.match(rest) or _ANOTHER.match(rest) or _OTHER.search(rest):
        raise ValueError(f"{question.id}: {_shown(raw)} is not one number")
    top = found["top"]
    if top is not None and float(top.replace(",", ".")) != question.max:
        scale = f"{question.min}–{question.max}"
        raise ValueError(f"{question.id}: {_shown(raw)} is on another scale than {scale}")
    if found["percent"] and not question.kind.unit:
        raise ValueError(f"{question.id}: {_shown(raw)} is a percentage, not a score")
    number = found["number"].replace(",", ".")
    if found["percent"]:
        return ParsedAnswer(question.check(number + "%"))
    checked = question.check(float(number) if "." in number else int(number))
    if found["rest"].strip():
        _agrees_with_name(question, checked, found["rest"])
    return ParsedAnswer(checked)


def _agrees_with_name(question: Question, score: float, rest: str) -> None:
    """“5 (Poor)” is no 5 and no 2."""
    word = plain(rest.strip().strip("()[]–—-:,. ")).casefold()
    called = [level.value for level in question.levels if word in _names(level)]
    if called and question.step == 1 and score not in called:
        raise ValueError(f"{question.id}: {score} and “{word}” contradict each other")


def _names(level: Level) -> set[str]:
    return {name.casefold() for name in (level.name, *level.aliases)}


def _named(question: Question, raw: str) -> Any:
    """“Good”, “Good (4)”, “Good – because …”."""
    for level in sorted(question.levels, key=lambda level: -len(level.name)):
        for name in sorted((level.name, *level.aliases), key=len, reverse=True):
            if not raw.casefold().startswith(name.casefold()):
                continue
            rest = raw[len(name) :]
            number = re.fullmatch(r"\s*[(\[:–—-]+\s*([\d.]+)\s*[)\]]?\s*(.*)", rest, re.DOTALL)
            if (number and float(number[1].strip(".") or "nan") != level.value) or (
                _OTHER.search(rest) or _names_another(question, level, rest)
            ):
                raise ValueError(f"{question.id}: {_shown(raw)} contradicts itself")
            if _GOES_ON.match(rest):
                return question.check(level.value)
    return question.check(raw)


_TAKEN_BACK = re.compile(
    rf"\W*(?:{_NO}|(?:{_BACK}|or|rather|actually|now|maybe|perhaps|better)\b)", re.IGNORECASE
)


def _names_another(question: Question, level: Level, rest: str) -> bool:
    """Whether what follows a level's name takes it back in favour of another's."""
    if not _TAKEN_BACK.match(rest):
        return False
    words = rest.casefold()
    others = [name for one in question.levels if one is not level for name in _names(one)]
    return any(re.search(rf"\b{re.escape(name)}\b", words) for name in others)


def _option(question: Question, raw: str) -> Any:
    """The option itself, or at the head of a sentence that names no other."""
    try:
        return question.check(raw.rstrip(".!"))
    except ValueError as error:
        refused = error
    heads = [
        (len(name), option, raw[len(name) :])
        for option in question.options
        for name in (option.value, option.label, *option.aliases)
        if raw.casefold().startswith(name.casefold()) and _GOES_ON.match(raw[len(name) :])
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
    return any(
        re.search(rf"\b{re.escape(name.casefold())}\b", words) is not None
        for name in (option.value, option.label)
        if name
    )


def _shown(raw: Any) -> str:
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, default=str)
    return repr(text if len(text) <= 60 else text[:60] + "…")
