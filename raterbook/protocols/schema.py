"""The protocol: what is asked about which items, and what is made of the answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field as Key
from pydantic import field_validator

from raterbook.protocols import view
from raterbook.protocols.measures import Measure, Target
from raterbook.protocols.questions import Question
from raterbook.protocols.types import OneOrMore, Text, Truth, Written

Show = Literal["text", "long", "triples", "none", "hidden", "after"]
VISIBLE = ("text", "long", "triples")


class AnswerColumn(Written):
    """A column that holds answers: those of one rater, who came with the data."""

    rater: Text
    kind: Literal["human", "model", "automatic", "key", "adjudicator"]
    question: Text


class Field(Written):
    """A column of the items file.

    `none` keeps it out of the form for lack of use, `hidden` because raters must not know it,
    `after` until the rater has submitted the item.
    """

    label: Text
    show: Show = "text"
    of: Literal["item", "case"] = "item"
    required: Truth = True
    aliases: tuple[Text, ...] = ()  # other headers it goes by
    values: dict[str, tuple[Text, ...]] = Key(
        default_factory=dict
    )  # canonical value → other spellings
    answers: AnswerColumn | None = None  # its values are answers of this rater
    exchange: str | None = None  # its values are answers to this question, by whoever is named

    @property
    def optional(self) -> bool:
        return not self.required

    @property
    def visible(self) -> bool:
        return self.show in VISIBLE


class ItemSpec(Written):
    """The columns of an item, and which of them name, pair, group and cluster items."""

    key: OneOrMore
    case: Text
    cluster: str | None = None
    system: str | None = None
    groups: tuple[Text, ...] = ()
    rater: tuple[Text, ...] = ()  # headers of a rater column in files of one row per rating
    fields: dict[str, Field] = Key(min_length=1)


class PartsSpec(Written):
    """The pieces of an item, or of a case, that are asked about one by one."""

    of: Literal["item", "case"] = "item"
    source: Text = Key(alias="from")
    split: Literal["sentences", "none"] = "none"
    label: Text = "Part"
    fields: dict[str, Field] = Key(default_factory=dict)


class Example(Written):
    """A worked example: what is seen, what a careful rater answers, and why."""

    title: Text
    fields: dict[str, Text]
    part: str | None = None
    answers: dict[str, Any]
    reasons: dict[str, Text] = Key(default_factory=dict)
    note: str = ""


class JudgeText(Written):
    """How a model is addressed when it rates."""

    role: Text
    duties: tuple[Text, ...] = ()
    qualities: tuple[Text, ...] = ()
    examples: tuple[Example, ...] = ()


class Protocol(Written):
    """One way of rating, as its YAML file says it."""

    name: Text
    title: Text
    about: Text
    instructions: tuple[Text, ...] = Key(min_length=1)
    item: ItemSpec
    parts: PartsSpec | None = None
    questions: tuple[Question, ...] = Key(min_length=1)
    stages: tuple[tuple[Text, ...], ...] = ()
    definitions: dict[str, dict[str, Text]] = Key(default_factory=dict)
    reading: dict[str, Text] = Key(default_factory=dict)
    aid: tuple[Text, ...] = ()
    examples: tuple[Example, ...] = ()
    judge: JudgeText | None = None
    measures: tuple[Measure, ...] = ()
    targets: tuple[Target, ...] = ()
    text: str = Key(default="", exclude=True)  # the file, set when it is read
    hash: str = Key(default="", exclude=True)

    @field_validator("name")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", value):
            raise ValueError(f"{value!r}: use small letters, digits and -")
        return value

    @field_validator("questions")
    @classmethod
    def _comments_follow(cls, questions: tuple[Question, ...]) -> tuple[Question, ...]:
        return tuple(each for question in questions for each in (question, *_comment(question)))

    def question(self, id: str) -> Question:
        for question in self.questions:
            if question.id == id:
                return question
        known = ", ".join(question.id for question in self.questions)
        raise KeyError(f"{self.name} has no question {id!r} (it has {known})")

    def key(self, fields: Mapping[str, Any]) -> str:
        """The item's name: its key columns joined by “/”; absent or empty ones drop out."""
        values = (fields.get(column) for column in self.item.key)
        return "/".join(str(value) for value in values if value is not None and value != "")

    def case_of(self, fields: Mapping[str, Any]) -> str:
        """The name of the case an item belongs to: systems are compared on cases."""
        return str(fields[self.item.case])

    def for_form(self) -> dict[str, Any]:
        """What a rater may see of the protocol, as plain JSON."""
        return view.for_form(self)


def content_hash(protocol: Protocol) -> str:
    """A hash of what the protocol says; comments and layout of the file leave it as it is."""
    content = protocol.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _comment(question: Question) -> tuple[Question, ...]:
    if question.comment is None:
        return ()
    words = question.comment
    return (
        Question(
            id=f"{question.id}_comment",
            label=f"{question.label}: comment",
            prompt=words.prompt,
            type="text",
            of=question.of,
            per=question.per,
            when=question.when,
            shows=question.shows,
            object=question.object,
            required=words.required,
        ).model_copy(update={"comment_of": question.id}),
    )
