"""What a JSON object says about the questions, in whichever of the usual shapes it says it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from raterbook.judges.objects import Several
from raterbook.judges.sheets import Cell
from raterbook.judges.vocabulary import (
    CRITERION_KEYS,
    PART_KEYS,
    REASON_KEYS,
    VALUE_KEYS,
    Vocabulary,
)
from raterbook.judges.wording import is_closed
from raterbook.protocols import Question
from raterbook.protocols.answers import fold

DEEPEST = 6
_PART = re.compile(r"[^\d]{0,20}(\d{1,6})\W*", re.ASCII)


@dataclass
class Raw:
    """Raw values and reasons by part and question, before they are checked."""

    values: dict[Cell, Any] = field(default_factory=dict)
    reasons: dict[Cell, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def put(self, part: int, question: Question, value: Any) -> None:
        cell = (part, question.id)
        if cell in self.values and self.values[cell] != value:
            self.problems.append(f"{name_of(cell)} is given twice, with different values")
        self.values[cell] = value

    def because(self, part: int, question: Question, reason: Any) -> None:
        if isinstance(reason, str) and reason.strip():
            self.reasons.setdefault((part, question.id), reason.strip())


def name_of(cell: Cell) -> str:
    part, question = cell
    return f"{question} of part {part}" if part else question


def interpret(content: Any, words: Vocabulary) -> Raw:
    raw = Raw()
    if isinstance(content, dict):
        _entry(content, 0, words, raw, 0)
    else:
        _walk(content, 0, words, raw, 0)
    return raw


def _walk(node: Any, part: int, words: Vocabulary, raw: Raw, depth: int) -> None:
    if depth > DEEPEST:
        return
    if isinstance(node, list):
        for entry in node:
            if isinstance(entry, dict):
                _entry(entry, part, words, raw, depth)
        return
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        name = str(key)
        folded = fold(name)
        number = _part_number(name, words)
        question = words.find(name)
        if number is not None and isinstance(value, dict):
            _walk(value, number, words, raw, depth + 1)
        elif folded in REASON_KEYS and isinstance(value, dict):
            _reasons(value, part, words, raw)
        elif question is not None and not (folded in REASON_KEYS and not _is_plain(value)):
            _answer(question, value, part, words, raw, depth)
        elif folded in VALUE_KEYS and words.only is not None and _is_plain(value):
            raw.put(part, words.only, value)
        elif folded in REASON_KEYS and words.only is not None:
            raw.because(part, words.only, value)
        elif isinstance(value, dict | list):
            _walk(value, part, words, raw, depth + 1)


def _entry(entry: dict, part: int, words: Vocabulary, raw: Raw, depth: int) -> None:
    """One of a list: a criterion with its score, or a part with its answers."""
    folded = {fold(str(key)): value for key, value in entry.items()}
    for key in CRITERION_KEYS:
        named = folded.get(key)
        question = words.find(named) if isinstance(named, str) else None
        if question is not None:
            for name, value in folded.items():
                if name in VALUE_KEYS:
                    raw.put(part, question, value)
                elif name in REASON_KEYS:
                    raw.because(part, question, value)
            return
    for key in (*PART_KEYS, *words.part_labels):
        if key in folded:
            number = _number(folded[key])
            if number is not None:
                rest = {name: value for name, value in entry.items() if fold(str(name)) != key}
                _walk(rest, number, words, raw, depth + 1)
                return
    _walk(entry, part, words, raw, depth + 1)


def _answer(
    question: Question, value: Any, part: int, words: Vocabulary, raw: Raw, depth: int
) -> None:
    if isinstance(value, Several):
        _several(question, value, part, raw)
    elif isinstance(value, dict):
        inner = {fold(str(key)): one for key, one in value.items()}
        stated = [one for key, one in inner.items() if key in VALUE_KEYS]
        if len(stated) == 1 or (stated and all(one == stated[0] for one in stated)):
            raw.put(part, question, stated[0])
        elif len(stated) > 1:
            raw.problems.append(f"{name_of((part, question.id))} is given twice in one object")
        for key, one in inner.items():
            if key in REASON_KEYS:
                raw.because(part, question, one)
        if not stated:
            _walk(value, part, words, raw, depth + 1)
    elif isinstance(value, list):
        if question.type == "text" and all(isinstance(one, str) for one in value):
            raw.put(part, question, "\n".join(value))
        else:
            _walk(value, part, words, raw, depth + 1)
    else:
        raw.put(part, question, value)


def _several(question: Question, value: Several, part: int, raw: Raw) -> None:
    """A key that stands twice: score and reasoning, or a contradiction."""
    texts = [one for one in value.values if isinstance(one, str) and len(one) > 24]
    rest = [one for one in value.values if one not in texts]
    if is_closed(question) and len(rest) == 1 and len(texts) == 1:
        raw.put(part, question, rest[0])
        raw.because(part, question, texts[0])
    else:
        raw.problems.append(f"{name_of((part, question.id))} is given twice, with different values")


def _reasons(node: dict, part: int, words: Vocabulary, raw: Raw) -> None:
    for key, value in node.items():
        question = words.find(str(key))
        if question is not None:
            raw.because(part, question, value)


def _part_number(key: str, words: Vocabulary) -> int | None:
    folded = fold(key)
    if folded.isascii() and folded.isdigit():
        return int(folded[:6])
    label, _, number = folded.rpartition(" ")
    if label in words.part_labels and number.isascii() and number.isdigit():
        return int(number[:6])
    return None


def _number(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _PART.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)
