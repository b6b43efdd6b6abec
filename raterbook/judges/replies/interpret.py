"""What a JSON object says about the questions, in whichever of the usual shapes it says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from raterbook.judges.replies.objects import Several, words_of
from raterbook.judges.replies.values import is_nothing, read_value
from raterbook.judges.sheets import Cell, is_closed, placeholder, reason_target
from raterbook.protocols import Question
from raterbook.protocols.kinds import fold

DEEPEST = 6
_PART = re.compile(r"[^\d]{0,20}(\d{1,6})\W*", re.ASCII)
_SENTENCE = re.compile(r"\s.*[.!?…。！？]\W*\Z", re.DOTALL)


@dataclass
class Raw:
    """Raw values and reasons by part and question, before they are checked."""

    values: dict[Cell, Any] = field(default_factory=dict)
    reasons: dict[Cell, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    rivals: list[tuple[Cell, Question, Any]] = field(default_factory=list)  # under other names
    behind: list[str] = field(default_factory=list)  # reasons given after their answer
    decided: int = 0  # scores and labels so far

    def put(self, part: int, question: Question, value: Any) -> None:
        cell = (part, question.id)
        if cell in self.values and self.values[cell] != value:
            self.problems.append(f"{name_of(cell)} is given twice, with different values")
        self.values[cell] = value
        self.decided += question.is_numeric or is_closed(question)

    def because(self, part: int, question: Question, reason: Any) -> None:
        if isinstance(reason, str) and reason.strip():
            self.reasons.setdefault((part, question.id), reason.strip())
            if (part, question.id) in self.values:
                self.behind.append(reason)


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
            raw.because(part, reason_of, value)
        elif isinstance(value, dict | list) and words.wraps(folded):
            _walk(value, part, words, raw, depth + 1)
        else:
            _stray(name, value, part, words, raw, raw.decided > before)


def _stray(name: str, value: Any, part: int, words: Vocabulary, raw: Raw, behind: bool) -> None:
    """What nobody asked for: thoughts, another value of a question, or more than was asked for."""
    folded = folded_name(name)
    if is_nothing(value) or value in ([], {}) or folded in REASON_KEYS or folded in words.others:
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
        number = part_of(entry[names[key]]) if key in names else None
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
        _several(question, value, part, raw)
    elif isinstance(value, dict):
        inner = [(folded_name(str(key)), one) for key, one in value.items()]
        if not any(without_attribute(key) in VALUE_KEYS for key, _ in inner):
            _walk(value, part, words, raw, depth + 1)
            return
        before = raw.decided
        for key, one in inner:
            if without_attribute(key) in VALUE_KEYS:
                raw.put(part, question, one)
            elif key in REASON_KEYS:
                raw.because(part, question, one)
            else:
                _stray(key, one, part, words.alone(question), raw, raw.decided > before)
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


def part_of(value: Any) -> int | None:
    """The number of a part, where it is given by one: 2, “2.”, “Sentence 2”."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _PART.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)


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
# What a reply calls its answers as a whole: in an object, a heading or an introduction.
WHOLE = frozenset(
    {
        *("answer", "label", "rating", "score", "evaluation", "assessment", "judgement"),
        *("judgment", "verdict", "decision", "output", "result", "reply", "response"),
        *("json", "criteria"),
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
_ATTRIBUTE = re.compile(r"(?:(?:the|my|human|final) )+")
LONGEST_NAME = 200  # characters; nothing longer names a question


def folded_name(name: str) -> str:
    """Folded, if it can be a name at all: folding a long text of accents takes for ever."""
    return fold(name) if len(name) <= LONGEST_NAME else name[: LONGEST_NAME + 1]


def without_attribute(name: str) -> str:
    """A folded name without “final” or “my” before it; a draft or another's has another name.

    >>> without_attribute("my final answer")
    'answer'
    """
    found = _ATTRIBUTE.match(name)
    return name[found.end() :] if found is not None else name


def _parted(name: str) -> tuple[str, str]:
    """A name, and what stands in brackets at its end.

    >>> _parted("correctness (accuracy & helpfulness)")
    ('correctness', 'accuracy & helpfulness')
    """
    start = name.find("(") if name.endswith(")") else -1
    return (name[:start].rstrip(), name[start + 1 : -1]) if start >= 0 else (name, "")


def _glosses(gloss: str, question: Question) -> bool:
    """Whether it says no more than a prompt does where it names the question.

    “Tone (1–5)” and “Tone (of the feedback)” are the question, “Tone (draft)” is another's.
    """
    said = (question.label, question.prompt, question.help, question.object, placeholder(question))
    known = words_of(fold(f"{' '.join(map(str, said))} about, out of"))
    return words_of(gloss).keys() <= known.keys()


@dataclass(frozen=True)
class Vocabulary:
    """`names` leads from a folded name to the question, `targets` from a question to its reason."""

    questions: tuple[Question, ...]
    names: dict[str, Question]
    targets: dict[str, str]
    only: Question | None  # the one closed question there is, if there is just one
    part_labels: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()  # the names of the protocol's other questions
    asked_for: dict[str, Question | None] = field(default_factory=dict)  # names met so far

    @cached_property
    def decisive(self) -> frozenset[str]:
        """The questions whose answers are scores, labels or percentages, not texts."""
        return frozenset(one.id for one in self.questions if is_closed(one) or one.is_numeric)

    @cached_property
    def level_words(self) -> frozenset[str]:
        """Of the names of levels and options: a comment in JSON may say them again."""
        named = (one for question in self.questions for one in question.levels)
        return frozenset(
            word for one in named for name in (one.name, *one.aliases) for word in words_of(name)
        )

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
        named, gloss = _parted(folded)
        shorter = without_attribute(_NUMBERED.sub("", named, count=1))
        for name in (shorter, shorter.removesuffix(" score").removesuffix(" rating")):
            if name in self.names and (not gloss or _glosses(gloss, self.names[name])):
                return self.names[name]
        return self.names.get(folded)

    def reason_of(self, folded: str) -> Question | None:
        """The question whose reasons have this name: “reasoning”, “tone reason”."""
        name, _, last = folded.rpartition(" ")
        if last not in REASON_KEYS:
            return None
        return self.names.get(name) if name else self.only

    def rivals(self, folded: str) -> Iterator[Question]:
        """The questions of which another value may stand under such a name: “draft label”."""
        said = folded.split()
        for place in range(1, len(said)):
            for name in (" ".join(said[place:]), " ".join(said[:place])):
                if name in self.names and self.names[name].id in self.decisive:
                    yield self.names[name]
                elif name in VALUE_KEYS and self.only is not None:
                    yield self.only
        yield from (one for one in self.questions if one.is_label)

    def wraps(self, folded: str) -> bool:
        """Whether an object has its answers under this name."""
        named, gloss = _parted(folded)
        name = without_attribute(named).removeprefix("criterion ")
        known = WHOLE | self.part_labels
        if name not in known and name.removesuffix("s") not in known:
            return False
        return not gloss or any(_glosses(gloss, one) for one in self.questions)

    def alone(self, question: Question) -> Vocabulary:
        """The same where nothing but this question can be meant."""
        if self.only is question:
            return self
        return replace(self, questions=(question,), only=question)


_KEPT: dict[tuple[int, ...], Vocabulary] = {}


def vocabulary(
    questions: Sequence[Question], part_label: str | None = None, every: Sequence[Question] = ()
) -> Vocabulary:
    """Made once per set of questions: a run reads thousands of replies to the same ones.

    `every` question of the protocol may be answered beside them, and is not looked at.
    """
    key = (*(id(question) for question in questions), hash(part_label))
    if key not in _KEPT:
        if len(_KEPT) > 64:
            _KEPT.clear()
        others = frozenset(fold(one.id) for one in every if one not in questions)
        _KEPT[key] = replace(_made(tuple(questions), part_label), others=others)
    return _KEPT[key]


def _made(questions: tuple[Question, ...], part_label: str | None) -> Vocabulary:
    names: dict[str, Question] = {}
    for spelling in ("aliases", "label", "id"):  # the surest last
        for question in questions:
            given = getattr(question, spelling)
            for name in (given,) if isinstance(given, str) else given:
                names[fold(name)] = question
                names.setdefault(_parted(fold(name))[0], question)
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
    labels = {"part", "sentence", fold(part_label)} if part_label else set[str]()
    only = closed[0] if len(closed) == 1 else None
    return Vocabulary(questions, names, targets, only, frozenset(labels))
