"""Questions: what is asked, on which scale, and which answers are answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator, model_validator
from pydantic_core import PydanticCustomError

from raterbook.protocols.conditions import holds
from raterbook.protocols.kinds import TYPES, QuestionType
from raterbook.protocols.schema import (
    KeyProblem,
    Number,
    OneOrMore,
    Requirement,
    Text,
    When,
    Written,
)

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

    value: Number = Field(description="the number")
    name: Text = Field(description="what it is called, in a word or two")
    description: Text = Field(description="when it is the right one")
    indicators: tuple[Text, ...] = Field(
        default=(), description="what one sees in such an item, one each"
    )
    aliases: tuple[Text, ...] = Field(default=(), description="other names of it in files")


class Option(Written):
    """One answer of a choice."""

    value: Text = Field(description="what is stored, and stands in files")
    label: str = Field(default="", description="what people read; the value unless given")
    description: Text = Field(description="when it is the right one")
    examples: tuple[Text, ...] = Field(default=(), description="cases in which it is, one each")
    aliases: tuple[Text, ...] = Field(default=(), description="other spellings of it in files")

    @model_validator(mode="before")
    @classmethod
    def _label_is_the_value(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("value"), str) and not data.get("label"):
            return {**data, "label": data["value"]}
        return data


class Comment(Written):
    """A text asked beside a question; it becomes the question `<id>_comment`."""

    prompt: Text = Field(description="what is asked for")
    required: Requirement = Field(
        default=False, description="true, false (unless said), or a condition"
    )


class Question(Written):
    """One thing asked of an item, of a case, or of each of its parts."""

    id: Text = Field(description="small letters, digits and `_`; the column of its answers")
    label: str = Field(default="", description="a short name; made from the id unless given")
    prompt: Text = Field(description="the question as raters and models read it")
    help: str = Field(default="", description="a line below it")
    object: str | None = Field(
        default=None, description="what is judged, in a word or two, such as: the answer"
    )
    type: Annotated[str, BeforeValidator(_known_type), WithJsonSchema({"enum": list(TYPES)})] = (
        Field(description="scale, choice, percent, text or answer: `raterbook list types`")
    )
    level: Measurement | None = Field(
        default=None, description="what may be computed of it, unless its type says so"
    )
    of: Literal["item", "case"] = Field(
        default="item", description="case: asked once for all items of a case"
    )
    per: Literal["whole", "part"] = Field(default="whole", description="part: asked of each part")
    options: tuple[Option, ...] = Field(default=(), description="of a choice: two or more")
    levels: tuple[Level, ...] = Field(default=(), description="of a scale: every step, described")
    min: Number | None = Field(
        default=None, description="of a scale: the lowest number, unless the levels say it"
    )
    max: Number | None = Field(default=None, description="of a scale: the highest number")
    step: Number | None = Field(
        default=None,
        description="of a scale: between allowed numbers, 1 unless said; 0 takes any decimal",
    )
    required: Requirement = Field(
        default=True, description="true (unless said), false, or a condition"
    )
    when: When | None = Field(
        default=None, description="a condition: the question is asked only where it holds"
    )
    shows: OneOrMore | tuple[()] = Field(
        default=(),
        description="which fields are seen with it, `part`, or `answer:ID`, an answer given before",
    )
    covers: OneOrMore | tuple[()] = Field(
        default=(), description="of a percentage that is a confidence: the questions it speaks of"
    )
    not_applicable: dict[str, Text] = Field(
        default_factory=dict,
        description="codes of reasons for which it need not be answered: `{code: words}`",
    )
    unanswerable: tuple[Text, ...] = Field(
        default=(), description="of an answer: spellings that mean that the text gives none"
    )
    consensus: Literal["majority", "precedence"] = Field(
        default="majority",
        description="majority of the people, or precedence: adjudicator before human before model",
    )
    aliases: tuple[Text, ...] = Field(
        default=(), description="other headers of its column in files"
    )
    comment: Comment | None = Field(
        default=None, description="a text asked beside it, the question `ID_comment`"
    )
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
                    raise KeyProblem(
                        f"({self.id}): {key!r} belongs to type {kind.name}, not {self.type}: "
                        "leave it out, or change the type",
                        key,
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
