"""The JSON schema of a reply, from the protocol. Reasoning stands before the score it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raterbook.judges.sheets import Sheet
from raterbook.protocols import Question, asked
from raterbook.protocols.conditions import leaves

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
    value = reasoned(question, question.kind.schema(question))
    if question.when is not None or (question.is_numeric and not is_closed(question)):
        return {"anyOf": [value, NULL]}
    return value


def reasoned(question: Question, value: Schema) -> Schema:
    """The value after its reasoning, where the question has any."""
    if question.kind.is_judgement:
        return closed({"reasoning": {"type": "string"}, value_key(question): value})
    return value


def closed(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# The schema of one sheet's reply and no other's, for models whose every token is held to it.
#
# Its own parts stand in it by number, and null stands just where a question is not asked, so that a
# reply of this shape is a complete one.


Kind = tuple[bool, ...]  # which of the questions that depend on others are asked


def exact_schema(sheet: Sheet) -> Schema:
    whole, per_part = by_extent(sheet)
    parts: dict[str, Schema] = {}
    if per_part:
        entries = [
            _fitting(sheet, per_part, part.number, {"part": {"enum": [part.number]}}, {})
            for part in sheet.parts
        ]
        parts["parts"] = {
            "type": "array",
            "prefixItems": entries,
            "items": False,
            "minItems": len(entries),
        }
    return _fitting(sheet, whole, 0, {}, parts)


def _fitting(
    sheet: Sheet,
    questions: Sequence[Question],
    part: int,
    before: Mapping[str, Schema],
    after: Mapping[str, Schema],
) -> Schema:
    """An object; where questions depend on one of its answers, one object per kind of answer."""
    decisive = _decisive(sheet, questions)
    own = set() if decisive is None else {decisive.id}
    settled = [one for one in questions if one.when is not None and _named(one, sheet) <= own]
    known = sheet.answers_about(part, {})
    found = []
    for kind, values in _kinds(settled, known, decisive).items():
        is_asked = dict(zip((one.id for one in settled), kind))
        keys = {one.id: _settled(one, is_asked.get(one.id)) for one in questions}
        if decisive is not None:
            keys[decisive.id] = reasoned(decisive, {"enum": values})
        found.append(closed({**before, **keys, **after}))
    return found[0] if len(found) == 1 else {"anyOf": found}


def _settled(question: Question, is_asked: bool | None) -> Schema:
    """`is_asked` is None where that is still open, or where there is no question of it."""
    if is_asked is False:
        return NULL
    if question.kind.has_unanswerable:
        return {"type": "string", "minLength": 1}
    return question_schema(question.model_copy(update={"when": None}) if is_asked else question)


def _kinds(
    settled: Sequence[Question], known: Mapping[str, Any], decisive: Question | None
) -> dict[Kind, list[Any]]:
    """The decisive question's answers, by what they lead to."""
    if decisive is None:
        return {tuple(asked(one, known) for one in settled): []}
    kinds: dict[Kind, list[Any]] = {}
    for value in decisive.values or ():
        answers = {**known, decisive.id: value}
        kinds.setdefault(tuple(asked(one, answers) for one in settled), []).append(value)
    for code in decisive.not_applicable:  # no answer
        kinds.setdefault(tuple(asked(one, known) for one in settled), []).append(code)
    return kinds


def _decisive(sheet: Sheet, questions: Sequence[Question]) -> Question | None:
    """The one question with listed values on which others here depend; None if it is not one."""
    named = {name for question in questions for name in _named(question, sheet)}
    found = [one for one in questions if {one.id} == named]
    return found[0] if found and found[0].values is not None else None


def _named(question: Question, sheet: Sheet) -> set[str]:
    """The questions of the same sheet it depends on."""
    own = {one.id for one in sheet.questions}
    return {name for name, _ in leaves(question.when) if name in own}


# Conditions, scales and values in words, for prompts and for telling a model what was wrong.


def value_key(question: Question) -> str:
    """Under which key a reply states its answer, beside its reasoning."""
    return "score" if question.is_score else "answer"


def listed(words: list[str], last: str = "or") -> str:
    """
    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def placeholder(question: Question) -> str:
    """What stands in the output format where the answer goes; no value of the question itself."""
    words = question.kind.output(question)
    codes = [f'"{code}"' for code in question.not_applicable]
    if codes:
        words += f", or {listed(codes)}"
    return f"<{words}>"


def is_closed(question: Question) -> bool:
    """Questions whose answer makes a reply complete; texts and confidence may be missing."""
    return question.kind.is_closed


def reason_target(question: Question, questions: tuple[Question, ...]) -> str | None:
    """The text question a reasoning belongs to: the question's comment, or `<id>_reason`."""
    for other in questions:
        if other.comment_of == question.id:
            return other.id
    for other in questions:
        if other.is_text and other.id == f"{question.id}_reason":
            return other.id
    return None


def written(questions: tuple[Question, ...]) -> list[Question]:
    """The questions a reply has a key for; comments and reasons come with their question."""
    covered = {reason_target(one, questions) for one in questions if is_closed(one)}
    return [question for question in questions if question.id not in covered]
