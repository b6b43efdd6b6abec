"""Few-shot examples as a model sees them: the texts, and the reply a careful rater would give."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from raterbook.judges.schema import by_extent, reason_target, value_key
from raterbook.judges.sheets import Sheet
from raterbook.protocols import Example, Protocol, Question


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


def fenced(label: str, text: str) -> str:
    """A text under its label, between fences longer than any in the text."""
    fence = "~~~"
    while fence in text:
        fence += "~"
    return f"{label}:\n{fence}\n{text}\n{fence}"


def _input(sheet: Sheet, example: Example) -> str:
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
        if not question.kind.is_judgement:
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


# Few-shot examples from elsewhere, in place of the protocol's own.


Examples = Sequence[Example | dict[str, Any]] | str | os.PathLike[str] | None


def read_examples(given: Examples, protocol: Protocol) -> tuple[Example, ...] | None:
    """None leaves the protocol's own; a file is YAML or JSON, or a gen_ai.json."""
    if given is None:
        return None
    source = "examples"
    if isinstance(given, str | os.PathLike):
        source = str(given)
        given = _from_file(Path(given), protocol)
    found = []
    for number, entry in enumerate(given, start=1):
        where = f"{source}, example {number}"
        example = entry if isinstance(entry, Example) else _made(entry, number, where)
        _check(example, protocol, where)
        found.append(example)
    return tuple(found)


def _from_file(path: Path, protocol: Protocol) -> Sequence[Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file of examples") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path.name}: not UTF-8; save it as UTF-8") from None
    except RecursionError:
        raise ValueError(
            f"{path.name}: nested too deeply; write a list of examples (title, fields, answers)"
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{path}: neither YAML nor JSON: {str(error).splitlines()[0]}") from None
    if isinstance(content, dict) and "examples" in content:
        content = content["examples"]
    if isinstance(content, dict):
        from raterbook.judges.evaluate.gen_ai import examples_in

        return examples_in(content, protocol, str(path))
    if not isinstance(content, list):
        raise ValueError(f"{path}: a list of examples is expected (title, fields, answers)")
    return content


def _made(entry: Any, number: int, where: str) -> Example:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: a mapping with title, fields and answers is expected")
    try:
        return Example(**{"title": f"Example {number}", **entry})
    except ValidationError as error:
        first = error.errors()[0]
        what = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"{where}: {what}: {first['msg']}; write title, fields and answers, the "
            "last two as mappings"
        ) from None


def _check(example: Example, protocol: Protocol, where: str) -> None:
    """Every answer of an example is one the protocol allows."""
    for question, value in example.answers.items():
        try:
            if value is not None:
                protocol.question(question).check(value)
        except KeyError as error:
            raise ValueError(f"{where}: {error.args[0]}") from None
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
