"""Under which names a reply may speak of the questions: id, label, aliases, and the usual words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property

from raterbook.judges.replies.objects import words_of
from raterbook.judges.replies.values import plain
from raterbook.judges.sheets import is_closed, placeholder, reason_target
from raterbook.protocols import Question
from raterbook.protocols.kinds import fold

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
    def subject(self) -> AbstractSet[str]:
        """The words in which the questions say what is judged."""
        said = ((one.label, one.prompt, one.help, one.object or "") for one in self.questions)
        return words_of(fold(" ".join(" ".join(texts) for texts in said))).keys()

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

    def means(self, name: str, question: Question, loosely: bool = False) -> bool:
        """Whether a name is this question's, or one of its answer: “score”, “final score”.

        `loosely`: with another word too, “revised score”; but of decimals that may be a mean.
        """
        folded = folded_name(plain(name))
        if self.find(folded) is question or without_attribute(folded) in VALUE_KEYS:
            return True
        ends = folded.split()[:1] + folded.split()[-1:]
        if not loosely or (question.is_numeric and not question.step):
            return False
        return any(one in VALUE_KEYS or self.find(one) is question for one in ends)

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
