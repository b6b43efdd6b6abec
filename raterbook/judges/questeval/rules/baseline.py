"""The rule-based generator and answerer, under the name that marks them as a baseline."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raterbook.judges.questeval.language import language_of
from raterbook.judges.questeval.rules.chinese_questions import chinese_questions
from raterbook.judges.questeval.rules.english_questions import english_questions
from raterbook.judges.questeval.rules.match import find
from raterbook.judges.questeval.rules.spans import KINDS, Span
from raterbook.protocols import UNANSWERABLE

NAME = "baseline-rules-1"
VERSION = "rules 1: patterns for English and Chinese, no model"
MOST = 10  # questions of a passage


@dataclass(frozen=True)
class Written:
    """A question, and the piece of the passage it was written from."""

    question: str
    key_info: str
    kind: str


def write(text: str, most: int = MOST) -> list[Written]:
    """Questions about dates, figures, names and noun phrases, each answered by the passage.

    A question is the statement itself with asking words where the answer stood. It is kept only
    if `answer` finds that answer again. Limits: patterns, not grammar, so facts spread over two
    sentences, statements that begin with a pronoun, and paraphrases are missed; a question can
    sound like a quiz (“… opened on what date?”) and repeats the wording of its passage, which
    favours texts that copy it. Chinese words are not cut: names come from set phrases only. Other
    languages are treated as English and yield little more than figures. It measures nothing well;
    use it to try the workspace out and as the lowest bar for a model.
    """
    questions = chinese_questions if language_of(text) == "zh" else english_questions
    found: list[tuple[str, Span]] = []
    seen: set[str] = set()
    for question, span in questions(text):
        again = find(question, text)
        if again is None or again.text != span.text or span.text in seen or question in seen:
            continue
        seen.update((span.text, question))
        found.append((question, span))
    kept = sorted(_spread(found, most), key=lambda each: each[1].start)
    return [Written(question, span.text, span.kind) for question, span in kept]


def answer(question: str, text: str) -> str:
    """The answer in the words of the text, or <Unanswerable>.

    A number of the right kind in a sentence with the right words is taken for the answer, right
    or wrong; what the text says in other words is missed.
    """
    found = find(question, text)
    return found.text if found is not None else UNANSWERABLE


def repeats(question: str, others: list[str]) -> bool:
    """Whether the same question was asked before, whatever its spelling."""
    plain = [re.sub(r"[\W_]+", "", each).casefold() for each in (question, *others)]
    return plain[0] in plain[1:]


def _spread(found: list[tuple[str, Span]], most: int) -> list[tuple[str, Span]]:
    """A mixture of kinds: dates, figures, names and phrases take turns."""
    piles = [[each for each in found if each[1].kind == kind] for kind in KINDS]
    taken: list[tuple[str, Span]] = []
    while len(taken) < most and any(piles):
        for pile in piles:
            if pile and len(taken) < most:
                taken.append(pile.pop(0))
    return taken
