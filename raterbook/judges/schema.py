"""The JSON schema of a reply, from the protocol. Reasoning stands before the score it leads to."""

from __future__ import annotations

from typing import Any

from raterbook.judges.sheets import Sheet
from raterbook.judges.wording import is_closed, value_key, written
from raterbook.protocols import Question

Schema = dict[str, Any]
NULL: Schema = {"type": "null"}


def reply_schema(sheet: Sheet) -> Schema:
    """One schema per kind of sheet, the same for every item: servers compile it once."""
    whole, per_part = by_extent(sheet)
    keys = {question.id: question_schema(question) for question in whole}
    if per_part:
        entry = {question.id: question_schema(question) for question in per_part}
        keys["parts"] = {"type": "array", "items": closed({"part": {"type": "integer"}, **entry})}
    return closed(keys)


def by_extent(sheet: Sheet) -> tuple[list[Question], list[Question]]:
    """The questions a reply answers: about the whole, and about each part."""
    asked = written(sheet.questions)
    whole = [question for question in asked if question.per == "whole"]
    return whole, [question for question in asked if question.per == "part"]


def question_schema(question: Question) -> Schema:
    value = reasoned(question, _value(question))
    if question.when is not None or question.type == "percent":
        return {"anyOf": [value, NULL]}
    return value


def reasoned(question: Question, value: Schema) -> Schema:
    """The value after its reasoning, where the question has any."""
    if is_closed(question) and question.type != "answer":
        return closed({"reasoning": {"type": "string"}, value_key(question): value})
    return value


def _value(question: Question) -> Schema:
    if question.type == "choice":
        listed: list[Any] = [option.value for option in question.options]
    elif question.values is not None and len(question.values) <= 50:
        listed = list(question.values)
    elif question.is_numeric:
        number = {"type": "number", "minimum": question.min, "maximum": question.max}
        codes = {"type": "string", "enum": list(question.not_applicable)}
        return {"anyOf": [number, codes]} if question.not_applicable else number
    else:
        return {"type": "string"}
    return {"enum": [*listed, *question.not_applicable]}


def closed(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
