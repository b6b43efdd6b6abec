"""Which values are answers to a question, and the one form in which each is kept."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from raterbook.protocols.conditions import UNANSWERABLE, Condition, read_condition

if TYPE_CHECKING:
    from raterbook.protocols.questions import Question


_DASHES = re.compile(r"[\s_\u2010-\u2015\u2212-]+")
_IN_BRACKETS = re.compile(r"\([^()]*\)\s*$")
_SAID_SO = re.compile(r"\s*<\s*unanswerable\s*>", re.IGNORECASE)
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_TERMINAL = " .。!！?？"


def fold(text: str) -> str:
    """A spelling without case, width, and the difference between _, - and spaces.

    >>> fold(" No_Evidence "), fold("NO–EVIDENCE")
    ('no evidence', 'no evidence')
    """
    return " ".join(_DASHES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).split())


def plain(header: str) -> str:
    """A name as files head their columns: a spelling without what stands in brackets at its end.

    >>> plain("KG Alignment  (1–5)"), plain("QA_ID"), plain("Generated-Answer ")
    ('kg alignment', 'qa id', 'generated answer')
    """
    text = unicodedata.normalize("NFKC", header).replace("\ufeff", "")
    return fold(_IN_BRACKETS.sub(" ", text))


def storable(text: str, what: str) -> str:
    """The text, or a ValueError: NUL and half characters are in no file and in no database."""
    if _NO_TEXT.search(text):
        raise ValueError(
            f"the text for {what} has characters no file can hold (NUL, or half a character)"
        )
    return text


def confidence(value: Any) -> float:
    """0–100, as a number or a text with or without %; a fraction may mean either, and is refused.

    >>> confidence("85"), confidence("0.5%"), confidence(0)
    (85.0, 0.5, 0.0)
    """
    text = str(value).strip()
    try:
        found = float(text.removesuffix("%"))
    except ValueError:
        found = math.nan
    if isinstance(value, bool) or "_" in text or not 0 <= found <= 100:
        raise ValueError(f"{text[:60]} is no confidence. Use a number from 0 to 100.")
    if 0 < found < 1 and not text.endswith("%"):
        raise ValueError(
            f"{text[:60]} could be a fraction or a percentage. "
            f"Write {found * 100:g}, or {text[:60]}%."
        )
    return found


def checked(question: Question, value: Any) -> Any:
    """The value as it is stored, or a ValueError that says what is wrong with it."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(f"an empty value is no answer to “{question.id}”")
    if question.type == "choice":
        return _option(question, value)
    if question.type in ("text", "answer"):
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not a text, and “{question.id}” takes texts")
        text = storable(value, f"“{question.id}”")
        return _answer(question, text) if question.type == "answer" else text
    return _score(question, value)


def allowed(question: Question) -> str:
    """The allowed values, in words: “1, 2, 3, 4, 5”, or “1–5”."""
    values = question.values
    if values and len(values) <= 12:
        return ", ".join(str(value) for value in values)
    return f"{question.min}–{question.max}"


def _option(question: Question, value: Any) -> str:
    text = str(value)
    for option in question.options:
        if text == option.value:
            return option.value
    for option in question.options:
        if fold(text) in {fold(word) for word in (option.value, option.label, *option.aliases)}:
            return option.value
    raise ValueError(f"{value!r} is not one of {allowed(question)} for “{question.id}”")


def _answer(question: Question, value: str) -> str:
    def said(text: str) -> str:
        return unicodedata.normalize("NFKC", text).casefold().strip().strip(_TERMINAL)

    if said(value) in {said(word) for word in question.unanswerable}:
        return UNANSWERABLE
    # The word in its brackets is nobody's answer, whatever reason follows it.
    return UNANSWERABLE if _SAID_SO.match(unicodedata.normalize("NFKC", value)) else value


def _score(question: Question, value: Any) -> int | float:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str):
        for level in question.levels:
            if fold(text) in {fold(word) for word in (level.name, *level.aliases)}:
                return number(level.value)
    is_percent = question.type == "percent"
    if is_percent and isinstance(text, str) and text.endswith("%"):
        text, in_percent = text[:-1], True
    else:
        in_percent = False
    try:
        score = number(text)
    except ValueError:
        raise ValueError(
            f"{value!r} is not a number, and “{question.id}” takes {allowed(question)}"
        ) from None
    low, high = question.ends
    if not low <= score <= high:
        raise ValueError(f"{score} is outside {low}–{high} for “{question.id}”")
    if is_percent and not in_percent and 0 < score < 1:
        raise ValueError(
            f"{score} for “{question.id}”: percentages are written 0–100; "
            f"write {round(score * 100, 6):g} or {score}%"
        )
    values = question.values
    if values is not None and score not in values:
        whole = "a whole number" if question.step == 1 else "on the scale"
        raise ValueError(f"{score} is not {whole}, and “{question.id}” takes {allowed(question)}")
    return score


# The small types the schema is made of: a mapping without unknown keys, texts, numbers.


_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?", re.ASCII)


class Written(BaseModel):
    """A mapping of the file: frozen, every key known."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def keys(cls) -> list[str]:
        """The keys an author may write, in order."""
        return [
            field.alias or name for name, field in cls.model_fields.items() if not field.exclude
        ]

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            allowed = cls.keys()
            unknown = [key for key in data if key not in allowed]
            if unknown:
                raise PydanticCustomError(
                    "unknown_key", "unknown key", {"unknown": unknown, "allowed": allowed}
                )
        return data


def number(raw: Any) -> int | float:
    """A plain decimal number; whole ones become integers.

    >>> number("4"), number("4.0"), number(" 4.5 ")
    (4, 4, 4.5)
    """
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(f"{raw!r} is not a number")
    text = str(raw).strip()
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{raw!r} is not a number")
    value = float(text)
    return int(value) if value.is_integer() else value


def _truth(raw: Any) -> Any:
    if raw in ("true", True):
        return True
    if raw in ("false", False):
        return False
    raise ValueError(f"{raw!r} is not one of true, false")


def _requirement(raw: Any) -> Any:
    if isinstance(raw, dict):
        return read_condition(raw)
    try:
        return _truth(raw)
    except ValueError:
        raise ValueError(f"{raw!r} is not one of true, false, or a condition") from None


def _listed(raw: Any) -> Any:
    return [raw] if isinstance(raw, str) else raw


Text = Annotated[str, Field(min_length=1)]
Number = Annotated[int | float, BeforeValidator(number)]
Truth = Annotated[bool, BeforeValidator(_truth)]
When = Annotated[Condition, BeforeValidator(read_condition)]
Requirement = Annotated[Any, BeforeValidator(_requirement)]
OneOrMore = Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1)]
