"""What a JSON object says about the questions, in whichever of the usual shapes it says it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from raterbook.environment import optional
from raterbook.judges.replies.values import names
from raterbook.judges.sheets import Cell, is_closed, reason_target
from raterbook.protocols import Question
from raterbook.protocols.kinds import fold

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
        _beside(content, words, raw)
    else:
        _walk(content, 0, words, raw, 0)
    return raw


_DISOWNS = re.compile(
    r"\W{0,4}(?:wrong|incorrect|ignore|disregard|invalid|void|placeholder|not my"
    r"|(?:.{0,60}\b(?:this|that|it) is )?(?:only |just )?an? (?:example|placeholder|guess|test))\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\W{0,4}(?:actually|correction|corrected|erratum|wait|no|rather|sorry|in fact|edit|revised)\b"
    r"\W{1,4}(.{0,60})",
    re.IGNORECASE,
)


def _beside(content: dict[Any, Any], words: Vocabulary, raw: Raw) -> None:
    """What stands beside the one answer in its object and says another one, or takes it back."""
    question = words.only
    given = raw.values.get((0, question.id)) if question is not None else None
    if question is None or not isinstance(given, str):
        return
    others = [one for one in question.options or () if not names(one, given)]
    for key, value in content.items():
        folded = folded_name(str(key))
        if value is False and re.search(r"\b(?:final|valid|confirmed)\b", folded):
            raw.problems.append(f"{question.id} is answered, and {key[:60]!r} says that it is not")
            return
        if not isinstance(value, str) or folded in QUOTED_KEYS or folded in VALUE_KEYS:
            continue
        if words.find(str(key)) is question:
            continue
        said = value.strip()
        corrects = _CORRECTS.match(said)
        if (
            any(fold(said) in (fold(one.value), fold(one.label or "")) for one in others)
            or _DISOWNS.match(said)
            or (corrects and any(names(one, corrects[1]) for one in others))
        ):
            raw.problems.append(f"{question.id} is answered, and {key[:60]!r} beside it differs")
            return


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
        elif folded in REASON_KEYS and words.only is not None:
            raw.because(part, words.only, value)
        elif isinstance(value, dict | list) and folded not in QUOTED_KEYS:
            _walk(value, part, words, raw, depth + 1)


def _entry(entry: dict[Any, Any], part: int, words: Vocabulary, raw: Raw, depth: int) -> None:
    """One of a list: a criterion with its score, or a part with its answers."""
    folded = {folded_name(str(key)): value for key, value in entry.items()}
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
                rest = {
                    name: value for name, value in entry.items() if folded_name(str(name)) != key
                }
                _walk(rest, number, words, raw, depth + 1)
                return
    _walk(entry, part, words, raw, depth + 1)


def _answer(
    question: Question, value: Any, part: int, words: Vocabulary, raw: Raw, depth: int
) -> None:
    if isinstance(value, Several):
        _several(question, value, part, raw)
    elif isinstance(value, dict):
        inner = {folded_name(str(key)): one for key, one in value.items()}
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
        if question.is_text and all(isinstance(one, str) for one in value):
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


def _reasons(node: dict[Any, Any], part: int, words: Vocabulary, raw: Raw) -> None:
    for key, value in node.items():
        question = words.find(str(key))
        if question is not None:
            raw.because(part, question, value)


def _part_number(key: str, words: Vocabulary) -> int | None:
    folded = folded_name(key)
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


# JSON in a reply: the whole of it, in a fence, or among words.


MOST_TRIES = 200  # openings looked at in one reply
DEEPEST_OBJECT = (
    50  # a reply nested deeper says nothing, and would keep json-repair busy for seconds
)
LONGEST_MENDED = 8_000  # characters; json-repair takes the square of a text of stray quotes
_OPENING = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")


@dataclass(frozen=True)
class Several:
    """The values of a key that stands more than once in one object."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Found:
    content: Any
    shape: str  # json, fenced or embedded
    start: int
    end: int


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        values: dict[str, list[Any]] = {}
        for key, value in pairs:
            values.setdefault(key, []).append(value)
        for key, every in values.items():
            if any(value != every[0] for value in every):
                found[key] = Several(tuple(every))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def json_objects(text: str) -> list[Found]:
    """Every complete object or list on the outermost level, in order."""
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        whole = _decoded(stripped, 0)
        if whole is not None and whole[1] == len(stripped):
            return [Found(whole[0], "json", 0, len(text))]
    fences = _fences(text)
    return [
        Found(
            content,
            "fenced" if any(low <= start and end <= high for low, high in fences) else "embedded",
            start,
            end,
        )
        for content, start, end in _scanned(text)
    ]


def _fences(text: str) -> list[tuple[int, int]]:
    """Where fenced stretches stand, those that are never closed left out."""
    marks = [mark.end() for mark in re.finditer("```", text)]
    return [(low, high - 3) for low, high in zip(marks[::2], marks[1::2])]


def _scanned(text: str) -> Iterator[tuple[Any, int, int]]:
    position = 0
    for _ in range(MOST_TRIES):
        opening = _OPENING.search(text, position)
        if opening is None:
            return
        found = _decoded(text, opening.start())
        if found is None:
            position = opening.end()
        else:
            yield found[0], opening.start(), found[1]
            position = found[1]


def _decoded(text: str, start: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _depth(text: str) -> int:
    """How deep brackets are nested, those in strings counted too."""
    depth = deepest = 0
    for sign in _BRACKET.finditer(text):
        depth += 1 if sign[0] in "{[" else -1
        deepest = max(deepest, depth)
    return deepest


def repaired(text: str) -> Any:
    """What json-repair makes of the reply; None where its end is missing or nothing comes of it."""
    json_repair = optional("json_repair", "judge", "Mending a reply that is not quite JSON")
    body = text.strip().removesuffix("```").strip()
    opening = _OPENING.search(body)
    if opening is None or body[-1:] not in ("}", "]"):
        return None
    if len(body) > LONGEST_MENDED or _depth(body) > DEEPEST_OBJECT:
        return None
    try:
        found = json_repair.loads(body[opening.start() :], skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError, KeyError, AttributeError):
        return None
    return found if isinstance(found, dict | list) else None


# Under which names a reply may speak of the questions: id, label, aliases, and the usual words.


VALUE_KEYS = frozenset(
    {
        "score",
        "rating",
        "answer",
        "value",
        "label",
        "verdict",
        "choice",
        "level",
        "grade",
        "result",
    }
)
REASON_KEYS = frozenset(
    {
        "reasoning",
        "reason",
        "reasons",
        "justification",
        "justifications",
        "rationale",
        "comment",
        "comments",
        "explanation",
        "explanations",
        "evidence",
    }
)
PART_KEYS = ("part", "sentence", "question", "number", "index", "no", "id")
CRITERION_KEYS = ("criterion", "criteria", "name", "metric", "dimension", "question id", "question")
QUOTED_KEYS = frozenset(  # what stands under them is somebody else's
    {
        *("example", "examples", "input", "text", "document", "source", "context", "article"),
        *("quote", "quotes", "quoted", "quotation", "passage", "prompt", "template", "format"),
        *("instruction", "instructions", "injection"),
    }
)
SUGGESTION_KEYS = (
    "feedback",
    "improved feedback",
    "suggestion",
    "improvement",
    "improvements",
    "suggested improvements",
    "suggestions for improvement",
)
_NUMBERED = re.compile(r"\d{1,4}[.)]? ")
_ATTRIBUTE = re.compile(
    r"(?:(?:the|a|an|my|your|our|human|final|revised|corrected|correct|updated|new|actual|real|true"
    r"|better|initial|original|previous|earlier|first|second|last|draft|proposed|suggested) )+"
)
LONGEST_NAME = 200  # characters; nothing longer names a question


def folded_name(name: str) -> str:
    """Folded, if it can be a name at all: folding a long text of accents takes for ever."""
    return fold(name) if len(name) <= LONGEST_NAME else name[: LONGEST_NAME + 1]


def without_attribute(name: str) -> str:
    """A folded name without “final”, “my”, “revised” and the like before it.

    >>> without_attribute("my final answer")
    'answer'
    """
    found = _ATTRIBUTE.match(name)
    return name[found.end() :] if found is not None else name


def _without_gloss(name: str) -> str:
    """A name without what stands in brackets at its end.

    >>> _without_gloss("correctness (accuracy & helpfulness)")
    'correctness'
    """
    start = name.find("(") if name.endswith(")") else -1
    return name[:start].rstrip() if start >= 0 else name


@dataclass(frozen=True)
class Vocabulary:
    """`names` leads from a folded name to the question, `targets` from a question to its reason."""

    questions: tuple[Question, ...]
    names: dict[str, Question]
    targets: dict[str, str]
    only: Question | None  # the one closed question there is, if there is just one
    part_labels: frozenset[str] = frozenset()
    asked_for: dict[str, Question | None] = field(default_factory=dict)  # names met so far

    @cached_property
    def decisive(self) -> frozenset[str]:
        """The questions whose answers are scores, labels or percentages, not texts."""
        return frozenset(one.id for one in self.questions if is_closed(one) or one.is_numeric)

    def find(self, name: str) -> Question | None:
        """The question a reply means by this name."""
        if len(name) > LONGEST_NAME:
            return None
        if name in self.asked_for:
            return self.asked_for[name]
        if len(self.asked_for) > 2000:
            self.asked_for.clear()
        found = self.asked_for[name] = self._look_up(fold(name))
        return found

    def _look_up(self, folded: str) -> Question | None:
        shorter = without_attribute(_NUMBERED.sub("", _without_gloss(folded), count=1))
        for name in (folded, shorter, shorter.removesuffix(" score").removesuffix(" rating")):
            if name in self.names:
                return self.names[name]
        return None


_KEPT: dict[tuple[int, ...], Vocabulary] = {}


def vocabulary(questions: tuple[Question, ...], part_label: str | None = None) -> Vocabulary:
    """Made once per set of questions: a run reads thousands of replies to the same ones."""
    key = (*(id(question) for question in questions), hash(part_label))
    if key not in _KEPT:
        if len(_KEPT) > 64:
            _KEPT.clear()
        _KEPT[key] = _made(questions, part_label)
    return _KEPT[key]


def _made(questions: tuple[Question, ...], part_label: str | None) -> Vocabulary:
    names: dict[str, Question] = {}
    for spelling in ("aliases", "label", "id"):  # the surest last
        for question in questions:
            given = getattr(question, spelling)
            for name in (given,) if isinstance(given, str) else given:
                names[fold(name)] = question
                names.setdefault(_without_gloss(fold(name)), question)
    for question in questions:
        if question.id == "suggestions":
            for name in SUGGESTION_KEYS:
                names.setdefault(name, question)
    closed = [question for question in questions if is_closed(question)]
    targets = {
        question.id: target
        for question in closed
        if (target := reason_target(question, questions)) is not None
    }
    labels = {"part", "sentence"} | ({fold(part_label)} if part_label else set())
    only = closed[0] if len(closed) == 1 else None
    return Vocabulary(questions, names, targets, only, frozenset(labels))
