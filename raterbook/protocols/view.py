"""A protocol as raters may see it: what the form draws, and nothing a rater must not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raterbook.protocols.questions import Question
    from raterbook.protocols.schema import Example, Field, Protocol


def for_form(protocol: Protocol) -> dict[str, Any]:
    """Plain JSON. Hidden columns, columns shown afterwards, measures and targets are not in it."""
    item = protocol.item
    visible = {name: field for name, field in item.fields.items() if field.visible}
    parts = protocol.parts
    return {
        "name": protocol.name,
        "title": protocol.title,
        "about": protocol.about,
        "instructions": list(protocol.instructions),
        "fields": [_field(name, field) for name, field in visible.items()],
        "parts": None
        if parts is None
        else {
            "of": parts.of,
            "label": parts.label,
            "from": parts.source if parts.source in visible else None,
            "fields": [_field(name, one) for name, one in parts.fields.items() if one.visible],
        },
        "questions": [_question(question) for question in protocol.questions],
        "stages": [list(stage) for stage in protocol.stages],
        "definitions": [
            {"label": item.fields[name].label, "values": dict(values)}
            for name, values in protocol.definitions.items()
        ],
        "reading": dict(protocol.reading),
        "aid": list(protocol.aid),
        "examples": [_example(example, visible) for example in protocol.examples],
    }


def _field(name: str, field: Field) -> dict[str, Any]:
    return {"name": name, "label": field.label, "show": field.show, "of": field.of}


def _question(question: Question) -> dict[str, Any]:
    content = question.model_dump(
        mode="json",
        exclude={"aliases", "consensus", "comment", "levels", "options"},
    )
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
