"""The JSON schema of a reply, from the protocol. Reasoning stands before the score it leads to."""

from __future__ import annotations

from typing import Any

from ratebook.judges.sheets import Sheet
from ratebook.judges.wording import is_closed, value_key, written
from ratebook.protocols import Question

Schema = dict[str, Any]


def reply_schema(sheet: Sheet) -> Schema:
    """One schema per kind of sheet, the same for every item: servers compile it once."""
    whole, per_part = by_extent(sheet)
    keys = {question.id: _question(question) for question in whole}
    if per_part:
        entry = _closed({"part": {"type": "integer"}, **{q.id: _question(q) for q in per_part}})
        keys["parts"] = {"type": "array", "items": entry}
    return _closed(keys)


def by_extent(sheet: Sheet) -> tuple[list[Question], list[Question]]:
    """The questions a reply answers: about the whole, and about each part."""
    asked = written(sheet.questions)
    whole = [question for question in asked if question.per == "whole"]
    return whole, [question for question in asked if question.per == "part"]


def _question(question: Question) -> Schema:
    value = _value(question)
    if is_closed(question) and question.type != "answer":
        value = _closed({"reasoning": {"type": "string"}, value_key(question): value})
    if question.when is not None or question.type == "percent":
        return {"anyOf": [value, {"type": "null"}]}
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


def _closed(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
