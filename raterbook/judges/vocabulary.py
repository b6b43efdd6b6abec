"""Under which names a reply may speak of the questions: id, label, aliases, and the usual words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raterbook.judges.wording import is_closed, reason_target
from raterbook.protocols import Question
from raterbook.protocols.answers import fold

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
SUGGESTION_KEYS = (
    "feedback",
    "improved feedback",
    "suggestion",
    "improvement",
    "improvements",
    "suggested improvements",
    "suggestions for improvement",
)
_SUFFIX = re.compile(r"\s*\(.*?\)\s*$")
_NUMBERED = re.compile(r"^\d+[.)]?\s+")


@dataclass(frozen=True)
class Vocabulary:
    """`names` leads from a folded name to the question, `targets` from a question to its reason."""

    questions: tuple[Question, ...]
    names: dict[str, Question]
    targets: dict[str, str]
    only: Question | None  # the one closed question there is, if there is just one
    part_labels: frozenset[str] = frozenset()
    asked_for: dict[str, Question | None] = field(default_factory=dict)  # names met so far

    def find(self, name: str) -> Question | None:
        """The question a reply means by this name."""
        if name not in self.asked_for:
            if len(self.asked_for) > 2000:
                self.asked_for.clear()
            self.asked_for[name] = self._look_up(fold(name))
        return self.asked_for[name]

    def _look_up(self, folded: str) -> Question | None:
        shorter = _NUMBERED.sub("", _SUFFIX.sub("", folded))
        for prefix in ("human ", "final ", "your ", "my "):
            shorter = shorter.removeprefix(prefix)
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
                names.setdefault(_SUFFIX.sub("", fold(name)), question)
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
