"""Few-shot examples as a model sees them: the texts, and the reply a careful rater would give."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from raterbook.judges.schema import by_extent
from raterbook.judges.sheets import Sheet
from raterbook.judges.wording import is_closed, reason_target, value_key
from raterbook.protocols import Example, Question


def chosen(sheet: Sheet, examples: Sequence[Example] | None) -> Sequence[Example]:
    """The examples given, else those the protocol has for judges, else those it has for people."""
    if examples is not None:
        return examples
    protocol = sheet.protocol
    if protocol.judge is not None and protocol.judge.examples:
        return protocol.judge.examples
    return protocol.examples


def few_shot(sheet: Sheet, examples: Sequence[Example] | None = None) -> str:
    """A section of worked examples; empty where none answers a question of this sheet."""
    asked = {question.id for question in sheet.questions}
    fitting = [one for one in chosen(sheet, examples) if asked & set(one.answers)]
    blocks = [
        f"### Example {number}\n{_input(sheet, example)}\n\nReply:\n{_reply(sheet, example)}"
        for number, example in enumerate(fitting, start=1)
    ]
    return "\n\n".join(["## Worked examples", *blocks]) if blocks else ""


def _input(sheet: Sheet, example: Example) -> str:
    from raterbook.judges.prompts import fenced

    fields = sheet.protocol.item.fields
    blocks = [
        fenced(fields[name].label, text)
        for name, text in example.fields.items()
        if name in fields and fields[name].visible and (not sheet.shows or name in sheet.shows)
    ]
    if example.part is not None and sheet.protocol.parts is not None:
        blocks.append(fenced(f"{sheet.protocol.parts.label} 1", example.part))
    return "\n\n".join(blocks)


def _reply(sheet: Sheet, example: Example) -> str:
    whole, per_part = by_extent(sheet)
    content: dict[str, Any] = _answers(sheet, whole, example)
    if per_part:
        content["parts"] = [{"part": 1, **_answers(sheet, per_part, example)}]
    return json.dumps(content, indent=2, ensure_ascii=False)


def _answers(sheet: Sheet, questions: list[Question], example: Example) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for question in questions:
        value = example.answers.get(question.id)
        if not is_closed(question) or question.type == "answer":
            if value is not None:
                found[question.id] = value
        elif value is None:
            found[question.id] = None
        else:
            reason = _reason(sheet, question, example)
            found[question.id] = {
                **({"reasoning": reason} if reason else {}),
                value_key(question): value,
            }
    return found


def _reason(sheet: Sheet, question: Question, example: Example) -> str:
    target = reason_target(question, sheet.questions)
    written = [
        example.reasons.get(question.id),
        example.answers.get(target) if target else None,
    ]
    return " ".join(str(text) for text in dict.fromkeys(written) if text) or example.note
