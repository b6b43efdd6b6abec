"""The protocol: what is asked about which items, and what is made of the answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field as Key
from pydantic import field_validator

from raterbook.protocols.conditions import rewritten
from raterbook.protocols.measures import Measure, Target
from raterbook.protocols.questions import Question
from raterbook.protocols.schema import OneOrMore, Text, Truth, Written

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
    ask_why: Truth = False  # who cannot judge says why, before the question is left open
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
        """What a rater may see of the protocol, as plain JSON: what the form draws.

        Hidden columns, columns shown afterwards, measures and targets are not in it.
        """
        item = self.item
        visible = {name: field for name, field in item.fields.items() if field.visible}
        parts = self.parts
        return {
            "name": self.name,
            "title": self.title,
            "about": self.about,
            "instructions": list(self.instructions),
            "fields": [_field(name, field) for name, field in visible.items()],
            "parts": None
            if parts is None
            else {
                "of": parts.of,
                "label": parts.label,
                "from": parts.source if parts.source in visible else None,
                "fields": [_field(name, one) for name, one in parts.fields.items() if one.visible],
            },
            "questions": [_question(question) for question in self.questions],
            "stages": [list(stage) for stage in self.stages],
            "definitions": [
                {"label": item.fields[name].label, "values": dict(values)}
                for name, values in self.definitions.items()
            ],
            "reading": dict(self.reading),
            "aid": list(self.aid),
            "ask_why": self.ask_why,
            "examples": [_example(example, visible) for example in self.examples],
        }


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


def _field(name: str, field: Field) -> dict[str, Any]:
    return {"name": name, "label": field.label, "show": field.show, "of": field.of}


def _question(question: Question) -> dict[str, Any]:
    content = question.model_dump(
        mode="json",
        exclude={"aliases", "consensus", "comment", "levels", "options"},
    )
    content["control"], content["unit"] = question.kind.control, question.kind.unit
    content["comment_of"] = question.comment_of
    content["values"] = None if question.values is None else list(question.values)
    content["levels"] = [level.model_dump(exclude={"aliases"}) for level in question.levels]
    content["options"] = [option.model_dump(exclude={"aliases"}) for option in question.options]
    for entry in (*content["levels"], *content["options"]):
        entry.update({key: list(value) for key, value in entry.items() if isinstance(value, tuple)})
    return content


def _example(example: Example, visible: dict[str, Field]) -> dict[str, Any]:
    return {
        "title": example.title,
        "fields": [
            {"name": name, "label": visible[name].label, "text": text}
            for name, text in example.fields.items()
        ],
        "part": example.part,
        "answers": dict(example.answers),
        "reasons": dict(example.reasons),
        "note": example.note,
    }


# Values in conditions, measures and examples in the form answers are stored in: "2" is 2.


def normal(protocol: Protocol) -> Protocol:
    """The protocol with every value checked and typed; to be called when all names are known."""
    by_id = {question.id: question for question in protocol.questions}

    def values(id: str, listed: Any) -> list[Any]:
        return [by_id[id].check(value) for value in listed]

    def question(one: Question) -> Question:
        update: dict[str, Any] = {}
        if one.when is not None:
            update["when"] = rewritten(one.when, values)
        if isinstance(one.required, dict):
            update["required"] = rewritten(one.required, values)
        return one.model_copy(update=update) if update else one

    def share(raw: Any, measure: Measure) -> Any:
        if isinstance(raw, tuple) and measure.question:
            return tuple(values(measure.question[0], raw))
        return rewritten(raw, values)

    def measure(one: Measure) -> Measure:
        update: dict[str, Any] = {}
        if one.is_ is not None:
            update["is_"] = share(one.is_, one)
        if one.of is not None:
            update["of"] = share(one.of, one)
        if one.recode and one.question:
            asked = one.question[0]
            update["recode"] = {
                new: {value: tuple(values(asked, old)) for value, old in groups.items()}
                for new, groups in one.recode.items()
            }
        return one.model_copy(update=update) if update else one

    def example(one: Example) -> Example:
        answers = {id: by_id[id].check(value) for id, value in one.answers.items()}
        return one.model_copy(update={"answers": answers})

    update: dict[str, Any] = {
        "questions": tuple(question(one) for one in protocol.questions),
        "measures": tuple(measure(one) for one in protocol.measures),
        "examples": tuple(example(one) for one in protocol.examples),
        "stages": _stages(protocol),
    }
    if protocol.judge is not None:
        told = tuple(example(one) for one in protocol.judge.examples)
        update["judge"] = protocol.judge.model_copy(update={"examples": told})
    return protocol.model_copy(update=update)


def _stages(protocol: Protocol) -> tuple[tuple[str, ...], ...]:
    """The stages, each comment behind its question; one stage where none is told."""
    written = tuple(one.id for one in protocol.questions if one.comment_of is None)
    comments = {one.comment_of: one.id for one in protocol.questions if one.comment_of}
    return tuple(
        tuple(each for id in stage for each in (id, comments.get(id)) if each)
        for stage in protocol.stages or (written,)
    )
