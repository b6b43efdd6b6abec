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

Show = Literal["text", "long", "markdown", "code", "formula", "triples", "none", "hidden", "after"]
VISIBLE = ("text", "long", "markdown", "code", "formula", "triples")


class AnswerColumn(Written):
    """A column that holds answers: those of one rater, who came with the data."""

    rater: Text = Key(description="whose answers the column holds")
    kind: Literal["human", "model", "automatic", "key", "adjudicator"] = Key(
        description="what this rater is; automatic is a label that came with the data"
    )
    question: Text = Key(description="the id of the question they answer")


class Field(Written):
    """A column of the items file.

    `none` keeps it out of the form for lack of use, `hidden` because raters must not know it,
    `after` until the rater has submitted the item.
    """

    label: Text = Key(description="what people call it; raters read it over the text")
    show: Show = Key(
        default="text",
        description="text, long (with search), markdown (lists, tables, code as such), code (as it "
        "is set), formula (TeX, drawn) and triples are seen; none is left out, hidden must not be "
        "known to raters or models, after is shown once the item is submitted",
    )
    of: Literal["item", "case"] = Key(
        default="item", description="case where it is the same in every item of a case"
    )
    required: Truth = Key(default=True, description="whether every items file must have it")
    aliases: tuple[Text, ...] = Key(default=(), description="other headers of the column")
    values: dict[str, tuple[Text, ...]] = Key(
        default_factory=dict,
        description="the values there are, each with its other spellings: `{value: [spelling]}`",
    )
    answers: AnswerColumn | None = Key(
        default=None, description="where its values are answers of one rater who came with the data"
    )
    exchange: str | None = Key(
        default=None, description="the question its values answer, in files that come and go"
    )

    @property
    def optional(self) -> bool:
        return not self.required

    @property
    def visible(self) -> bool:
        return self.show in VISIBLE

    @property
    def held(self) -> bool:
        """Whether it is held back until an item is submitted."""
        return self.show == "after"


class ItemSpec(Written):
    """The columns of an item, and which of them name, pair, group and cluster items."""

    key: OneOrMore = Key(description="the column or columns that name an item")
    case: Text = Key(
        description="the column by which systems are compared: one question that several answered"
    )
    cluster: str | None = Key(
        default=None,
        description="the column whose items belong together, as sentences of one article do: "
        "intervals draw them whole",
    )
    system: str | None = Key(
        default=None,
        description="the column with the model that made the output; hide it from raters",
    )
    groups: tuple[Text, ...] = Key(default=(), description="columns to break numbers down by")
    rater: tuple[Text, ...] = Key(
        default=(), description="headers of a rater’s column, in files with one row for a rating"
    )
    fields: dict[str, Field] = Key(
        min_length=1, description="every column, by its header: `{name: {label: …}}`"
    )


class PartsSpec(Written):
    """The pieces of an item, or of a case, that are asked about one by one."""

    of: Literal["item", "case"] = Key(
        default="item", description="what is in pieces, an item or a case"
    )
    source: Text = Key(
        alias="from", description="the field that is split, or file where parts come in a file"
    )
    split: Literal["sentences", "none"] = Key(default="none", description="how it is split")
    label: Text = Key(default="Part", description="what one piece is called")
    fields: dict[str, Field] = Key(
        default_factory=dict, description="further columns of a parts file"
    )


class Example(Written):
    """A worked example: what is seen, what a careful rater answers, and why."""

    title: Text = Key(description="what it is an example of")
    fields: dict[str, Text] = Key(description="what is seen: `{field: text}`")
    part: str | None = Key(
        default=None, description="the piece that is judged, where there are parts"
    )
    answers: dict[str, Any] = Key(description="what a careful rater answers: `{question: value}`")
    reasons: dict[str, Text] = Key(
        default_factory=dict, description="why each answer: `{question: words}`"
    )
    note: str = Key(default="", description="what is to be learnt from it")


class JudgeText(Written):
    """How a model is addressed when it rates."""

    role: Text = Key(description="who the model is to be, in a sentence or two")
    duties: tuple[Text, ...] = Key(default=(), description="what it is to do, one each")
    qualities: tuple[Text, ...] = Key(
        default=(), description="what its judgement is to be like, one each"
    )
    examples: tuple[Example, ...] = Key(default=(), description="worked examples of its own")


class Protocol(Written):
    """One way of rating, as its YAML file says it."""

    name: Text = Key(description="small letters, digits and `-`")
    title: Text = Key(description="one line, for people")
    about: Text = Key(description="what the task is, in a few sentences")
    instructions: tuple[Text, ...] = Key(min_length=1, description="steps for the rater, one each")
    item: ItemSpec = Key(description="what is judged: the columns of the items file")
    parts: PartsSpec | None = Key(
        default=None, description="pieces of an item that are asked about one by one"
    )
    questions: tuple[Question, ...] = Key(min_length=1, description="what is asked")
    stages: tuple[tuple[Text, ...], ...] = Key(
        default=(),
        description="lists of question ids asked together; a later stage opens when the one before "
        "is answered",
    )
    definitions: dict[str, dict[str, Text]] = Key(
        default_factory=dict,
        description="what the values of an item’s column mean: `{column: {value: words}}`",
    )
    reading: dict[str, Text] = Key(
        default_factory=dict,
        description="what a rater may want explained, such as how to read a triple: "
        "`{title: words}`",
    )
    aid: tuple[Text, ...] = Key(
        default=(), description="steps that lead from what one sees to the answer"
    )
    ask_why: Truth = Key(
        default=False, description="true: the form takes “cannot judge” only with a reason"
    )
    examples: tuple[Example, ...] = Key(default=(), description="worked examples")
    judge: JudgeText | None = Key(
        default=None, description="how a model is addressed when it rates"
    )
    measures: tuple[Measure, ...] = Key(default=(), description="what is computed")
    targets: tuple[Target, ...] = Key(default=(), description="what a release must reach")
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


# What raters see by which stage.


def parts_until(protocol: Protocol, stage: int) -> bool:
    """Whether the questions up to this stage show the parts: as parts, or the text they are of."""
    if protocol.parts is None:
        return False
    names = [name for names in protocol.stages[: stage + 1] for name in names]
    if any(protocol.question(name).per == "part" for name in names):
        return True
    return protocol.parts.source in fields_until(protocol, stage)


def fields_until(protocol: Protocol, stage: int) -> set[str]:
    """The item fields that the questions up to this stage show."""
    visible = {name for name, field in protocol.item.fields.items() if field.visible}
    shown: set[str] = set()
    for names in protocol.stages[: stage + 1]:
        for name in names:
            question = protocol.question(name)
            shown |= (visible & set(question.shows)) if question.shows else visible
    return shown


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
