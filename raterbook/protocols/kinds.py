"""The types of questions: which values are answers, the one form each is kept in, and words."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, ClassVar

from raterbook.protocols.conditions import (
    LONGEST_NAME,
    UNANSWERABLE,
    is_unanswerable,
    normalized,
    same,
)
from raterbook.protocols.schema import KeyProblem, number

if TYPE_CHECKING:
    from raterbook.protocols.questions import Measurement, Question


MOST_STEPS = 1000
MOST_NUMBERS = 50  # more than that a model is told by their ends
_DASHES = re.compile(r"[\s_\u2010-\u2015\u2212-]+")
_IN_BRACKETS = re.compile(r"\([^()]*\)\s*$")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and half characters: no file holds them


def fold(text: str) -> str:
    """A spelling without case, width, and the difference between _, - and spaces.

    >>> fold(" No_Evidence "), fold("NO–EVIDENCE")
    ('no evidence', 'no evidence')
    """
    if len(text) <= LONGEST_NAME:
        text = normalized(text)
    return " ".join(_DASHES.sub(" ", text.casefold()).split())


def plain(header: str) -> str:
    """A name as files head their columns: a spelling without what stands in brackets at its end.

    >>> plain("KG Alignment  (1–5)"), plain("QA_ID"), plain("Generated-Answer ")
    ('kg alignment', 'qa id', 'generated answer')
    """
    text = normalized(header).replace("\ufeff", "")
    return fold(_IN_BRACKETS.sub(" ", text))


def storable(text: str, what: str) -> str:
    """The text, or a ValueError: NUL and half characters are in no file and in no database."""
    if UNSTORABLE.search(text):
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


class QuestionType:
    """What an answer is, to questions of one type.

    A new type is its class here, its line in TYPES and, where no control of the form will do, one
    more in rating/front/questions.js, by the name that `control` has. Answers are kept by the
    number of their value where the values can be listed, else as numbers or as texts.
    """

    name: ClassVar[str]
    control: ClassVar[str]  # in the form
    measurement: ClassVar[Measurement | None] = None  # unless the question says another
    keys: ClassVar[tuple[str, ...]] = ()  # of a question, which other types do not have
    is_numeric: ClassVar[bool] = False
    is_judgement: ClassVar[bool] = True  # a rating, with reasons; not a text, not a confidence
    is_text: ClassVar[bool] = False  # free, and counted by nothing
    is_closed: ClassVar[bool] = True  # a reply without it is not complete
    has_unanswerable: ClassVar[bool] = False
    unit: ClassVar[str] = ""

    def complete(self, question: Question) -> dict[str, Any]:
        """Keys that follow from the others where they were left out."""
        return {}

    def examine(self, question: Question) -> None:
        """A ValueError if the question's own keys contradict each other."""
        if question.level and self.measurement is None:
            raise KeyProblem(
                f"({question.id}): 'level' has no meaning for type {self.name}: leave it out",
                "level",
            )

    def values(self, question: Question) -> tuple[Any, ...] | None:
        """The allowed values in order, lowest first; None where they cannot be listed."""
        return None

    def check(self, question: Question, value: Any) -> Any:
        """The value as it is kept, or a ValueError that says what is wrong with it."""
        raise NotImplementedError

    def encode(self, value: Any) -> dict[str, Any]:
        """The column of an answer that keeps a checked value, where values cannot be listed."""
        return {"number": float(value)} if self.is_numeric else {"text": value}

    def in_words(self, question: Question, value: Any) -> str:
        """An answer as people call it."""
        return f"{value} {self.unit}" if self.unit else str(value)

    def summary(self, question: Question) -> str:
        """The type in a few words, for who reads the protocol."""
        return f"{self.name}, {question.level}" if question.level else self.name

    def takes(self, question: Question) -> str:
        """What is an answer, for who writes one into a file."""
        if question.values is not None:
            return ", ".join(map(str, question.values))
        if self.is_numeric:
            return f"a number from {question.min} to {question.max}"
        return "a text"

    def output(self, question: Question) -> str:
        """What a model is to write; no value of the question itself."""
        if question.values is not None:
            return "one of " + " | ".join(map(str, question.values))
        return self.takes(question)

    def schema(self, question: Question) -> dict[str, Any]:
        """The JSON schema of a value in a model's reply."""
        values, codes = question.values, list(question.not_applicable)
        if values is not None and (not self.is_numeric or len(values) <= MOST_NUMBERS):
            return {"enum": [*values, *codes]}
        if not self.is_numeric:
            return {"type": "string"}
        number = {"type": "number", "minimum": question.min, "maximum": question.max}
        return {"anyOf": [number, {"type": "string", "enum": codes}]} if codes else number


class ScaleType(QuestionType):
    """A score between two ends, in steps or with any decimals; its levels may have names."""

    name = "scale"
    control = "scale"
    measurement = "ordinal"
    keys = ("levels", "min", "max", "step")
    is_numeric = True

    def complete(self, question: Question) -> dict[str, Any]:
        values = [level.value for level in question.levels]
        return {
            "step": 1 if question.step is None else question.step,
            "min": min(values) if question.min is None and values else question.min,
            "max": max(values) if question.max is None and values else question.max,
        }

    def examine(self, question: Question) -> None:
        name = f"({question.id})"
        if question.min is None or question.max is None:
            raise KeyProblem(f"{name}: a scale needs levels, or min and max", "type")
        low, high, step = question.min, question.max, question.step or 0
        if low >= high or step < 0:
            where = "min" if low >= high else "step"
            raise KeyProblem(f"{name}: min must be below max, and step not below 0", where)
        steps = (high - low) / step if step else 0
        if abs(steps - round(steps)) > 1e-9:
            raise KeyProblem(
                f"{name}: step {step} does not lead from min to max ({low} to {high}): choose one "
                "that does",
                "step",
            )
        if steps > MOST_STEPS:
            where = "step" if "step" in question.model_fields_set else "max"
            raise KeyProblem(
                f"{name}: more than {MOST_STEPS} steps; write step: 0 for any decimal", where
            )
        values = [level.value for level in question.levels]
        allowed = question.values
        for place, value in enumerate(values):
            here = ("levels", place, "value")
            if value in values[:place]:
                raise KeyProblem(
                    f"{name}: two levels have the same value, {value}: give each its own", *here
                )
            if not low <= value <= high or (allowed is not None and value not in allowed):
                raise KeyProblem(
                    f"{name}: level {value} is not on the scale {_allowed(question)}: change it, "
                    "or min, max and step",
                    *here,
                )
        if allowed is not None and values and set(values) != set(allowed):
            missing = ", ".join(str(value) for value in allowed if value not in values)
            raise KeyProblem(f"{name}: no level describes {missing}: add it", "levels")

    def values(self, question: Question) -> tuple[Any, ...] | None:
        if not question.step:
            return None
        low, high = question.ends
        steps = round((high - low) / question.step)
        found = (round(low + place * question.step, 9) for place in range(steps + 1))
        return tuple(int(value) if value == int(value) else value for value in found)

    def check(self, question: Question, value: Any) -> int | float:
        text = value.strip() if isinstance(value, str) else value
        if isinstance(text, str):
            for level in question.levels:
                if fold(text) in {fold(word) for word in (level.name, *level.aliases)}:
                    return number(level.value)
        score = _between(question, value, text)
        values = question.values
        if values is not None and score not in values:
            whole = "a whole number" if question.step == 1 else "on the scale"
            raise ValueError(
                f"{score} is not {whole}, and “{question.id}” takes {_allowed(question)}"
            )
        return score

    def in_words(self, question: Question, value: Any) -> str:
        names = (level.name for level in question.levels if same(level.value, value))
        name = next(names, None)
        return str(value) if name is None else f"{value} ({name})"

    def summary(self, question: Question) -> str:
        decimals = ", decimals allowed" if not question.step else ""
        return f"scale {question.min}–{question.max}{decimals}, {question.level}"

    def output(self, question: Question) -> str:
        kind = "a whole number" if question.step == 1 else "a number, decimals allowed"
        return f"{kind} from {question.min} to {question.max}"


class ChoiceType(QuestionType):
    """One of a few options, each described."""

    name = "choice"
    control = "choice"
    measurement = "nominal"
    keys = ("options",)

    def examine(self, question: Question) -> None:
        if len(question.options) < 2:
            where = "options" if question.options else "type"
            raise KeyProblem(f"({question.id}): a choice needs at least two options", where)
        if question.level in ("interval", "ratio"):
            raise KeyProblem(
                f"({question.id}): options have no distances; level is nominal or ordinal", "level"
            )
        spellings: dict[str, str] = {}
        for place, option in enumerate(question.options):
            for word in {fold(each) for each in (option.value, option.label, *option.aliases)}:
                if word in spellings:
                    raise KeyProblem(
                        f"({question.id}): two options are spelled alike, {spellings[word]} and "
                        f"{option.value}: rename one",
                        *("options", place),
                    )
                spellings[word] = option.value

    def values(self, question: Question) -> tuple[str, ...]:
        return tuple(option.value for option in question.options)

    def check(self, question: Question, value: Any) -> str:
        text = str(value)
        for option in question.options:
            if text == option.value:
                return option.value
        for option in question.options:
            if fold(text) in {fold(word) for word in (option.value, option.label, *option.aliases)}:
                return option.value
        raise ValueError(f"{value!r} is not one of {_allowed(question)} for “{question.id}”")

    def in_words(self, question: Question, value: Any) -> str:
        labels = (option.label for option in question.options if option.value == value)
        return next(labels, str(value))


class PercentType(QuestionType):
    """0–100: mostly how sure a rater is of the answers it covers."""

    name = "percent"
    control = "percent"
    measurement = "ratio"
    keys = ("covers",)
    is_numeric = True
    is_judgement = False
    is_closed = False
    unit = "%"

    def complete(self, question: Question) -> dict[str, Any]:
        return {"min": 0, "max": 100}

    def check(self, question: Question, value: Any) -> int | float:
        text = value.strip() if isinstance(value, str) else value
        signed = isinstance(text, str) and text.endswith("%")
        score = _between(question, value, text[:-1] if signed else text)
        if not signed and 0 < score < 1:
            raise ValueError(
                f"{score} for “{question.id}”: percentages are written 0–100; "
                f"write {round(score * 100, 6):g} or {score}%"
            )
        return score

    def summary(self, question: Question) -> str:
        return "0–100 %"


class TextType(QuestionType):
    """A text, to be read by people."""

    name = "text"
    control = "text"
    is_judgement = False
    is_text = True
    is_closed = False

    def check(self, question: Question, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not a text, and “{question.id}” takes texts")
        return storable(value, f"“{question.id}”")

    def output(self, question: Question) -> str:
        return "text" if question.required is not False else "text, may be empty"


class AnswerType(TextType):
    """An answer in words that is compared with others, or the statement that there is none."""

    name = "answer"
    control = "answer"
    keys = ("unanswerable",)
    is_text = False
    is_closed = True
    has_unanswerable = True

    def check(self, question: Question, value: Any) -> str:
        text = super().check(question, value)
        return UNANSWERABLE if is_unanswerable(text, question.unanswerable) else text

    def summary(self, question: Question) -> str:
        return f"answer, or {UNANSWERABLE}"

    def takes(self, question: Question) -> str:
        return f"a text, or {UNANSWERABLE}"

    def output(self, question: Question) -> str:
        return f"the answer, or {UNANSWERABLE}"


def _between(question: Question, value: Any, text: Any) -> int | float:
    """What was said as a number between the question's ends."""
    try:
        score = number(text)
    except ValueError:
        raise ValueError(
            f"{value!r} is not a number, and “{question.id}” takes {_allowed(question)}"
        ) from None
    low, high = question.ends
    if not low <= score <= high:
        raise ValueError(f"{score} is outside {low}–{high} for “{question.id}”")
    return score


def _allowed(question: Question) -> str:
    """The allowed values: “1, 2, 3, 4, 5”, or “1–5”."""
    values = question.values
    if values and len(values) <= 12:
        return ", ".join(map(str, values))
    return f"{question.min}–{question.max}"


TYPES: dict[str, QuestionType] = {
    each.name: each for each in (ScaleType(), ChoiceType(), PercentType(), TextType(), AnswerType())
}
