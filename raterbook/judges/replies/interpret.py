"""What a JSON object says about the questions, in whichever of the usual shapes it says it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from raterbook.judges.replies.objects import Several, words_of
from raterbook.judges.replies.reasons import conclusions, lines_of, summed_up
from raterbook.judges.replies.values import is_nothing, read_value
from raterbook.judges.replies.vocabulary import (
    CRITERION_KEYS,
    PART_KEYS,
    REASON_KEYS,
    VALUE_KEYS,
    Vocabulary,
    folded_name,
    without_attribute,
)
from raterbook.judges.sheets import Cell, is_closed
from raterbook.protocols import Question

DEEPEST = 6
_PART = re.compile(r"(?P<label>[^\d]{0,20})(?P<number>[0-9]{1,6})\W*")
_SENTENCE = re.compile(r"\s.*[.!?…。！？]\W*\Z", re.DOTALL)


Said = tuple[Cell, Question, str]  # a value in words, for this cell


@dataclass
class Raw:
    """Raw values and reasons by part and question, before they are checked."""

    values: dict[Cell, Any] = field(default_factory=dict)
    reasons: dict[Cell, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    rivals: list[tuple[Cell, Question, Any]] = field(default_factory=list)  # under other names
    behind: list[str] = field(default_factory=list)  # reasons given after their answer
    said: list[Said] = field(default_factory=list)  # values where none belong; they may differ
    decided: int = 0  # scores and labels so far

    def put(self, part: int, question: Question, value: Any) -> None:
        cell = (part, question.id)
        if cell in self.values and self.values[cell] != value:
            self.problems.append(f"{name_of(cell)} is given twice, with different values")
        self.values[cell] = value
        self.decided += question.is_numeric or is_closed(question)

    def because(self, part: int, question: Question, reason: Any, words: Vocabulary) -> None:
        cell, text = (part, question.id), "\n".join(lines_of(reason))
        if text:
            behind = cell in self.values
            self.reasons.setdefault(cell, text)
            self.behind += [text] if behind else []
            told = conclusions(text, question, words, behind)
            self.said += [(cell, question, value) for value in told]


def name_of(cell: Cell) -> str:
    part, question = cell
    return f"{question} of part {part}" if part else question


def interpret(content: Any, words: Vocabulary) -> Raw:
    """What an object says: under the names of questions, of reasons, and of the answers as a whole.

    Sentences under any other name are thoughts where they stand before the answers. Behind them
    they are a problem; so is a flag wherever it stands (`is_draft`, `rater`), as it may say whose
    the answers are, and a value of a question under another name (`draft_label`) that differs.
    """
    raw = Raw()
    if isinstance(content, dict):
        _entry(content, 0, words, raw, 0)
    else:
        _walk(content, 0, words, raw, 0)
    for cell, question, value in raw.rivals:
        said = raw.values.get(cell)
        if said is None or _answered(question, said) != _answered(question, value):
            raw.problems.append(f"{name_of(cell)} is given under another name, with another value")
    return raw


def _walk(node: Any, part: int, words: Vocabulary, raw: Raw, depth: int) -> None:
    if depth > DEEPEST:
        return
    if isinstance(node, list):
        for entry in node:
            if isinstance(entry, dict):
                _entry(entry, part, words, raw, depth)
            else:
                _stray("a list", entry, part, words, raw, behind=True)
        return
    if not isinstance(node, dict):
        return
    before = raw.decided
    for key, value in node.items():
        name = str(key)
        folded = folded_name(name)
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
        elif (reason_of := words.reason_of(folded)) is not None:
            raw.because(part, reason_of, value, words)
        elif isinstance(value, dict | list) and words.wraps(folded):
            _walk(value, part, words, raw, depth + 1)
        else:
            _stray(name, value, part, words, raw, raw.decided > before)


def _stray(name: str, value: Any, part: int, words: Vocabulary, raw: Raw, behind: bool) -> None:
    """What nobody asked for: thoughts, another value of a question, or more than was asked for."""
    folded = folded_name(name)
    if is_nothing(value) or value in ([], {}) or folded in words.others:
        return
    if folded in REASON_KEYS:
        told = summed_up("\n".join(lines_of(value)), words) if behind else ()
        raw.said += [((part, question.id), question, text) for question, text in told]
        return
    if folded == "confidence" and _is_plain(value) and len(str(value).split()) == 1:
        return
    for question in words.rivals(folded) if _is_plain(value) else ():
        if _answered(question, value) is not None:
            raw.rivals.append(((part, question.id), question, value))
            return
    if behind or (_is_plain(value) and not _SENTENCE.search(str(value))):
        raw.problems.append(f"{name[:60]!r} was not asked for: leave it out")


def _answered(question: Question, value: Any) -> Any:
    """The value as it would be stored; None where it is none."""
    try:
        given = read_value(question, value)
    except (ValueError, TypeError, OverflowError):
        return None
    return given.value if given.status == "answered" else given.reason


def _entry(entry: dict[Any, Any], part: int, words: Vocabulary, raw: Raw, depth: int) -> None:
    """One of a list: a criterion with its score, or a part with its answers."""
    names = {folded_name(str(key)): key for key in entry}
    for key in CRITERION_KEYS:
        named = entry[names[key]] if key in names else None
        question = words.find(named) if isinstance(named, str) else None
        if question is not None:
            _answer(question, _without(names[key], entry), part, words, raw, depth)
            return
    for key in (*PART_KEYS, *words.part_labels) if words.part_labels else ():
        number = part_of(entry[names[key]], words) if key in names else None
        if number is not None:
            _walk(_without(names[key], entry), number, words, raw, depth + 1)
            return
    _walk(entry, part, words, raw, depth + 1)


def _without(key: Any, entry: dict[Any, Any]) -> dict[Any, Any]:
    return {name: value for name, value in entry.items() if name != key}


def _answer(
    question: Question, value: Any, part: int, words: Vocabulary, raw: Raw, depth: int
) -> None:
    if isinstance(value, Several):
        _several(question, value, part, words, raw)
    elif isinstance(value, dict):
        inner = [(folded_name(str(key)), one) for key, one in value.items()]
        if not any(without_attribute(key) in VALUE_KEYS and _is_plain(one) for key, one in inner):
            _walk(value, part, words, raw, depth + 1)
            return
        before = raw.decided
        for key, one in inner:
            if without_attribute(key) in VALUE_KEYS:
                raw.put(part, question, one)
            elif key in REASON_KEYS:
                raw.because(part, question, one, words)
            else:
                _stray(key, one, part, words.alone(question), raw, raw.decided > before)
    elif isinstance(value, list):
        if question.is_text and all(isinstance(one, str) for one in value):
            raw.put(part, question, "\n".join(value))
        else:
            _walk(value, part, words, raw, depth + 1)
    else:
        raw.put(part, question, value)


def _several(question: Question, value: Several, part: int, words: Vocabulary, raw: Raw) -> None:
    """A key that stands twice: score and reasoning, or a contradiction."""
    texts = [one for one in value.values if isinstance(one, str) and len(one) > 24]
    rest = [one for one in value.values if one not in texts]
    if is_closed(question) and len(rest) == 1 and len(texts) == 1:
        raw.put(part, question, rest[0])
        raw.because(part, question, texts[0], words)
    else:
        raw.problems.append(f"{name_of((part, question.id))} is given twice, with different values")


def _reasons(node: dict[Any, Any], part: int, words: Vocabulary, raw: Raw) -> None:
    for key, value in node.items():
        question = words.find(str(key))
        if question is None and words.only is not None:
            raw.because(part, words.only, {key: value}, words)
        elif question is not None:
            raw.because(part, question, value, words)


def _part_number(key: str, words: Vocabulary) -> int | None:
    folded = folded_name(key)
    if folded.isascii() and folded.isdigit():
        return int(folded[:6])
    label, _, number = folded.rpartition(" ")
    if label in words.part_labels and number.isascii() and number.isdigit():
        return int(number[:6])
    return None


def part_of(value: Any, words: Vocabulary) -> int | None:
    """The number of a part, where it is given by one: 2, “2.”, “Sentence 2”, “S2”."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _PART.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    known = {*words.part_labels, *PART_KEYS}
    called = words_of(match["label"]).keys() <= {*known, *(name[0] for name in known)}
    return int(match["number"]) if called else None


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)
