"""Questions: what is asked, on which scale, and which answers are answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from raterbook.protocols.conditions import holds
from raterbook.protocols.kinds import TYPES, QuestionType
from raterbook.protocols.schema import Number, OneOrMore, Requirement, Text, When, Written

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
_ID = re.compile(r"[a-z][a-z0-9_]*")
LONGEST = 1_000  # characters of a number or a label
RESERVED = ("and", "or", "part", "answer", "answered", "answerable")


def _known_type(raw: Any) -> str:
    if not isinstance(raw, str) or raw not in TYPES:
        raise PydanticCustomError("literal_error", "unknown type", {"expected": ", ".join(TYPES)})
    return raw


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
    type: Annotated[str, BeforeValidator(_known_type)]
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
        own = self.kind
        for kind in TYPES.values():
            for key in kind.keys:
                if key not in own.keys and key in self.model_fields_set:
                    raise ValueError(
                        f"({self.id}): {key!r} belongs to type {kind.name}, not {self.type}"
                    )
        own.examine(self)
        return self

    def model_post_init(self, _: Any) -> None:
        """What follows from the rest: label, level, and the ends and step of a scale."""
        fill = object.__setattr__  # frozen for everybody else
        fill(self, "label", self.label or self.id.replace("_", " ").capitalize())
        fill(self, "level", self.level or self.kind.measurement)
        for key, value in self.kind.complete(self).items():
            fill(self, key, value)

    @property
    def kind(self) -> QuestionType:
        return TYPES[self.type]

    @property
    def values(self) -> tuple[Any, ...] | None:
        """The allowed values in order, lowest first; None where they cannot be listed."""
        return self.kind.values(self)

    @property
    def ends(self) -> tuple[int | float, int | float]:
        """The lowest and the highest number of a scale or percentage."""
        if self.min is None or self.max is None:
            raise ValueError(f"{self.id!r} is no scale: it has no lowest and highest number")
        return self.min, self.max

    @property
    def is_numeric(self) -> bool:
        return self.kind.is_numeric

    @property
    def is_score(self) -> bool:
        """A judgement in numbers: a scale, not a confidence."""
        return self.kind.is_judgement and self.kind.is_numeric

    @property
    def is_label(self) -> bool:
        """A judgement in words, one of a few."""
        return self.kind.is_judgement and not self.kind.is_numeric

    @property
    def is_text(self) -> bool:
        return self.kind.is_text

    def check(self, value: Any) -> Any:
        """The value as it is kept, or a ValueError that says what is wrong with it."""
        if value is None or (isinstance(value, str) and not value.strip()):
            raise ValueError(f"an empty value is no answer to “{self.id}”")
        if isinstance(value, str) and len(value) > LONGEST and (self.is_numeric or self.is_label):
            what = "a number" if self.is_numeric else "an option"
            raise ValueError(
                f"{value[:40] + '…'!r} is not {what} (it has {len(value):,} characters), and "
                f"“{self.id}” takes {self.kind.takes(self)}"
            )
        return self.kind.check(self, value)

    def level_of(self, value: float) -> Level | None:
        """The level a score is called by; halves fall to the lower one: 3.5 is 3, 3.75 is 4."""
        below = [level for level in self.levels if level.value - value < 0.5]
        return max(below, key=lambda level: level.value) if below else None


def asked(question: Question, answers: Mapping[str, Any]) -> bool:
    """Whether the question is put, given the other answers (question id → value)."""
    return holds(question.when, answers)


SETTLED = ("answered", "not_applicable")  # said, or said not to apply; skipped is no answer


def is_required(question: Question, answers: Mapping[str, Any]) -> bool:
    """Whether it must be answered before the item counts as done."""
    return asked(question, answers) and holds(question.required, answers)


def is_missing(question: Question, answers: Mapping[str, Any], status: str | None = None) -> bool:
    """Whether an answer is wanted that is not there; `status` is that of what was said, if any."""
    return status not in SETTLED and is_required(question, answers)
