"""Questions: what is asked, on which scale, and which answers are answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from raterbook.protocols.conditions import holds
from raterbook.protocols.kinds import (
    Number,
    OneOrMore,
    Requirement,
    Text,
    When,
    Written,
    checked,
    fold,
)

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
_LEVELS: dict[str, Any] = {"scale": "ordinal", "choice": "nominal", "percent": "ratio"}
_ONLY: dict[str, tuple[str, ...]] = {  # keys that belong to one kind of question
    "scale": ("levels", "min", "max", "step"),
    "choice": ("options",),
    "percent": ("covers",),
    "answer": ("unanswerable",),
}
MOST_STEPS = 1000
_ID = re.compile(r"[a-z][a-z0-9_]*")
RESERVED = ("and", "or", "part", "answer", "answered", "answerable")


class Level(Written):
    """One step of a scale."""

    value: Number
    name: Text
    description: Text
    indicators: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()


class Option(Written):
    """One answer of a choice."""

    value: Text
    label: str = ""
    description: Text
    examples: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _label_is_the_value(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("value"), str) and not data.get("label"):
            return {**data, "label": data["value"]}
        return data


class Comment(Written):
    """A text asked beside a question; it becomes the question `<id>_comment`."""

    prompt: Text
    required: Requirement = False


class Question(Written):
    """One thing asked of an item, of a case, or of each of its parts."""

    id: Text
    label: str = ""
    prompt: Text
    help: str = ""
    object: str | None = None  # what is judged, in a word or two: “the answer”
    type: Literal["scale", "choice", "percent", "text", "answer"]
    level: Measurement | None = None
    of: Literal["item", "case"] = "item"
    per: Literal["whole", "part"] = "whole"
    options: tuple[Option, ...] = ()
    levels: tuple[Level, ...] = ()
    min: Number | None = None
    max: Number | None = None
    step: Number | None = None  # 0: any decimal
    required: Requirement = True
    when: When | None = None
    shows: OneOrMore | tuple[()] = ()
    covers: OneOrMore | tuple[()] = ()
    not_applicable: dict[str, Text] = Field(
        default_factory=dict
    )  # reason code → when the rater may say so
    unanswerable: tuple[Text, ...] = ()  # spellings read as <Unanswerable>
    consensus: Literal["majority", "precedence"] = "majority"
    aliases: tuple[Text, ...] = ()  # other headers of its column in files
    comment: Comment | None = None
    comment_of: str | None = Field(default=None, exclude=True)  # set by us, never written

    @field_validator("id")
    @classmethod
    def _plain_id(cls, value: str) -> str:
        if not _ID.fullmatch(value):
            raise ValueError(f"{value!r}: use small letters, digits and _, beginning with a letter")
        if value in RESERVED:
            raise ValueError(f"{value!r} is a word of conditions; choose another id")
        return value

    @model_validator(mode="after")
    def _whole(self) -> Question:
        for kind, keys in _ONLY.items():
            for key in keys:
                if self.type != kind and key in self.model_fields_set:
                    raise ValueError(
                        f"({self.id}): {key!r} belongs to type {kind}, not {self.type}"
                    )
        if self.type == "scale":
            _scale_is_sound(self)
        if self.type == "choice" and len(self.options) < 2:
            raise ValueError(f"({self.id}): a choice needs at least two options")
        if self.level and self.type not in _LEVELS:
            raise ValueError(f"({self.id}): 'level' has no meaning for type {self.type}")
        if self.type == "choice" and self.level in ("interval", "ratio"):
            raise ValueError(f"({self.id}): options have no distances; level is nominal or ordinal")
        spellings = [
            word
            for option in self.options
            for word in {
                fold(spelling) for spelling in (option.value, option.label, *option.aliases)
            }
        ]
        if len(set(spellings)) < len(spellings):
            raise ValueError(f"({self.id}): two options are spelled alike")
        return self

    def model_post_init(self, _: Any) -> None:
        """What follows from the rest: label, level, and the ends and step of a scale."""
        fill = object.__setattr__  # frozen for everybody else
        fill(self, "label", self.label or self.id.replace("_", " ").capitalize())
        fill(self, "level", self.level or _LEVELS.get(self.type))
        values = [level.value for level in self.levels]
        if self.type == "percent":
            fill(self, "min", 0)
            fill(self, "max", 100)
        if self.type == "scale":
            fill(self, "step", 1 if self.step is None else self.step)
            fill(self, "min", min(values) if self.min is None and values else self.min)
            fill(self, "max", max(values) if self.max is None and values else self.max)

    @property
    def values(self) -> tuple[Any, ...] | None:
        """The allowed values in order, lowest first; None where they cannot be listed."""
        if self.type == "choice":
            return tuple(option.value for option in self.options)
        if self.type == "scale" and self.step:
            low, high = self.ends
            steps = round((high - low) / self.step)
            found = (round(low + number * self.step, 9) for number in range(steps + 1))
            return tuple(int(value) if value == int(value) else value for value in found)
        return None

    @property
    def ends(self) -> tuple[int | float, int | float]:
        """The lowest and the highest number of a scale or percentage."""
        if self.min is None or self.max is None:
            raise ValueError(f"{self.id!r} is no scale: it has no lowest and highest number")
        return self.min, self.max

    @property
    def is_numeric(self) -> bool:
        return self.type in ("scale", "percent")

    def check(self, value: Any) -> Any:
        """The value as it is stored, or a ValueError that says what is wrong with it."""
        return checked(self, value)

    def level_of(self, value: float) -> Level | None:
        """The level a score is called by; halves fall to the lower one: 3.5 is 3, 3.75 is 4."""
        below = [level for level in self.levels if level.value - value < 0.5]
        return max(below, key=lambda level: level.value) if below else None


def _scale_is_sound(question: Question) -> None:
    name = f"({question.id})"
    if question.min is None or question.max is None:
        raise ValueError(f"{name}: a scale needs levels, or min and max")
    low, high, step = question.min, question.max, question.step or 0
    if low >= high or step < 0:
        raise ValueError(f"{name}: min must be below max, and step not below 0")
    steps = (high - low) / step if step else 0
    if abs(steps - round(steps)) > 1e-9:
        raise ValueError(f"{name}: step {step} does not lead from min to max")
    if steps > MOST_STEPS:
        raise ValueError(f"{name}: more than {MOST_STEPS} steps; write step: 0 for any decimal")
    values = [level.value for level in question.levels]
    if len(set(values)) < len(values):
        raise ValueError(f"{name}: two levels have the same value")
    allowed = question.values
    for value in values:
        if not low <= value <= high or (allowed is not None and value not in allowed):
            raise ValueError(f"{name}: level {value} is not on the scale")
    if allowed is not None and values and set(values) != set(allowed):
        missing = ", ".join(str(value) for value in allowed if value not in values)
        raise ValueError(f"{name}: no level describes {missing}")


def asked(question: Question, answers: Mapping[str, Any]) -> bool:
    """Whether the question is put, given the other answers (question id → value)."""
    return holds(question.when, answers)


def is_required(question: Question, answers: Mapping[str, Any]) -> bool:
    """Whether it must be answered before the item counts as done."""
    return asked(question, answers) and holds(question.required, answers)
