"""Answering by looking: the sentence most like the question, and in it the fitting span nearest."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from raterbook.judges.questions.rules.chinese import chinese_questions, chinese_spans
from raterbook.judges.questions.rules.english import (
    FUNCTION,
    english_questions,
    english_spans,
    stem,
)
from raterbook.judges.questions.rules.spans import KINDS, Span, sentence_bounds
from raterbook.judges.questions.wording import language_of
from raterbook.protocols import UNANSWERABLE

LEAST = {"en": 0.36, "zh": 0.36}  # share of the weight of a question that a sentence must hold
NEAR = {"en": 25.0, "zh": 8.0}  # characters over which nearness fades
Term = tuple[str, int]


def find(question: str, text: str) -> Span | None:
    """The span that answers the question, or None where no sentence is like it."""
    wanted = asked_for(question)
    if not wanted.terms:
        return None
    spans = (chinese_spans if wanted.language == "zh" else english_spans)(text)
    pieces = _pieces(text, wanted.language)
    weights = _weights(wanted, [{t for t, _ in held} for _, _, held in pieces])
    total = sum(weights.values())
    best: tuple[float, Span] | None = None
    for start, end, held in pieces:
        share = sum(weights[term] for term in {t for t, _ in held} & set(weights)) / total
        if share < LEAST[wanted.language]:
            continue
        for span in spans:
            if start <= span.start and span.end <= end and _fits(span, wanted):
                score = 2 * share + _nearness(span, held, weights, wanted) / total
                score += 0.5 * _counts(span, wanted)
                if best is None or score > best[0]:
                    best = (score, span)
    return best[1] if best else None


@lru_cache(maxsize=256)
def _pieces(text: str, language: str) -> tuple[tuple[int, int, list[Term]], ...]:
    """Where sentences begin and end, and the terms they hold, by their place in the text."""
    return tuple(
        (start, end, [(term, at + start) for term, at in terms(text[start:end], language)])
        for start, end in sentence_bounds(text)
    )


def _weights(wanted: AskedFor, sentences: list[set[str]]) -> dict[str, float]:
    """Rare words weigh more; one that the text does not have weighs as much as the rarest."""
    found = Counter(term for held in sentences for term in held)
    size = len(sentences) + 1
    return {
        term: weight * math.log(1 + size / max(1, found[term]))
        for term, weight in wanted.terms.items()
    }


def _fits(span: Span, wanted: AskedFor) -> bool:
    if wanted.kind is not None and span.kind != wanted.kind:
        return False
    if wanted.kind is None and span.kind in ("date", "figure"):
        return False
    if wanted.needs == "day" and not re.search(r"\d{1,2} [A-Z]|[a-z] \d|-\d\d-|日", span.text):
        return False
    if wanted.needs == "month" and not re.search(r"[A-Za-z]|月", span.text):
        return False
    if wanted.head and span.kind == "figure" and not _counts(span, wanted):
        return False
    return span.text.lower() not in wanted.folded


def _counts(span: Span, wanted: AskedFor) -> bool:
    if not wanted.head or not span.head:
        return False
    if wanted.language == "zh":
        return wanted.head.startswith(span.head) or span.head.startswith(wanted.head)
    return stem(span.head) == wanted.head or wanted.head in {stem(w) for w in span.text.split()}


def _nearness(span: Span, held: list[Term], weights: dict[str, float], wanted: AskedFor) -> float:
    """How much of the question stands close to the span, on either side."""
    best: dict[str, float] = {}
    for term, place in held:
        if term in weights and not span.start <= place < span.end:
            gap = span.start - place if place < span.start else place - span.end
            worth = weights[term] * math.exp(-max(0, gap) / NEAR[wanted.language])
            best[term] = max(best.get(term, 0.0), worth)
    return sum(best.values())


# What a question asks for, by its asking words; and the words left to look for in a text.


LONGEST = 1_000  # characters of a question that are looked at
REACH = {"en": 40.0, "zh": 14.0}  # characters from the asking words, over which weight fades
_ENGLISH = (
    ("date", r"\bwhen\b|\b(?:what|which) (?:date|day|year|month|century|decade)\b"),
    (
        "figure",
        r"\bhow (?:many|much|long|far|high|fast|old|tall|deep|wide|big|large|often|heavy)\b"
        r"|\b(?:what|which) (?:percentage|share|number|proportion|figure|speed|height|length|depth"
        r"|cost|price|sum|rate|temperature|weight|area|distance|amount|fraction|size|capacity|mass|age)\b"
        r"|\bwhat was the (?:official )?(?:number|cost|height|length|speed|price)",
    ),
    (
        "name",
        r"\bwh(?:o|om|ose)\b|\bwhere\b|\b(?:what|which) (?:place|organi[sz]ation|city|country"
        r"|person|company|town|state|sea|river|island|strait|institution|language|museum)\b",
    ),
)
_CHINESE = (
    ("date", "何时|什么时候|哪一?[年天日月]|何年|哪年哪月|几[年月日]"),
    ("figure", "多少|多大|多长|多高|多远|多重|多久|几[个座节位条项次只倍成人]|比例|多宽|多深|多快"),
    ("name", "谁|哪里|哪儿|何处|何地|哪个|哪座|哪位|哪一部|何人|什么地方"),
)
_ASKING = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|how|many|much|long|date|year|month|place|share"
    r"|percentage|number|organisation|according|text)\b",
    re.IGNORECASE,
)
_ASKING_ZH = re.compile(
    "关于|何时|什么时候|什么地方|什么|哪一部文献或名录|哪一?[年天日月座个位]|哪年哪月|哪里|哪儿|何处"
    "|多少|多大比例|多[大长高远重久宽深快]|是谁|谁|几|吗|呢|请问|是哪"
)


@dataclass(frozen=True)
class AskedFor:
    """Kind of answer (None: any), how exact a date, the noun counted, and what to look for."""

    language: str
    kind: str | None
    needs: str
    head: str
    terms: dict[str, float]
    folded: str


def asked_for(question: str) -> AskedFor:
    question = question[:LONGEST]
    language = language_of(question)
    kinds = _CHINESE if language == "zh" else _ENGLISH
    low = unicodedata.normalize("NFKC", question).lower()
    kind = next((name for name, pattern in kinds if re.search(pattern, low)), None)
    needs = ""
    if kind == "date":
        if re.search("what date|which date|what day|哪一?[天日]", low):
            needs = "day"
        elif re.search("(?:what|which) month|哪年哪月|哪一?月", low):
            needs = "month"
    return AskedFor(language, kind, needs, _head(low, language), _terms(low, language), low)


def _head(question: str, language: str) -> str:
    if language == "zh":
        found = re.search("(?:多少|几)([一-鿿]{1,4})", question)
        return found[1] if found else ""
    found = re.search(r"how (?:many|much) ([a-z-]+)(?: ([a-z-]+))?", question)
    if not found:
        return ""
    return stem(found[1] if found[1] not in FUNCTION else found[2] or "")


def _terms(question: str, language: str) -> dict[str, float]:
    """What to look for, by weight: words close to the asking words say most about the answer."""
    pattern = _ASKING_ZH if language == "zh" else _ASKING
    asking = [found.span() for found in pattern.finditer(question)]
    blank = pattern.sub(lambda found: " " * len(found[0]), question)
    weights: dict[str, float] = {}
    for term, place in terms(blank, language):
        gap = min((max(low - place, place - high, 0) for low, high in asking), default=0)
        weight = 0.15 + math.exp(-gap / REACH[language])
        weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def terms(text: str, language: str) -> list[tuple[str, int]]:
    """What two texts are compared by, with places: stems of words, or pairs of characters."""
    low = text.lower()
    if language == "zh":
        found = [(m[0], m.start()) for m in re.finditer(r"[a-z0-9.]+", low)]
        for run in re.finditer("[一-鿿]+", low):
            found += [(run[0][at : at + 2], run.start() + at) for at in range(len(run[0]) - 1)]
        return sorted(found, key=lambda each: each[1])
    words = re.finditer(r"[^\W_]+(?:[.,/’'-][^\W_]+)*", low)
    return [(stem(word[0]), word.start()) for word in words if word[0] not in FUNCTION]


# The rule-based generator and answerer, under the name that marks them as a baseline.


NAME = "baseline-rules-1"
VERSION = "rules 1: patterns for English and Chinese, no model"
MOST = 10  # questions of a passage


@dataclass(frozen=True)
class WrittenQuestion:
    """A question, and the piece of the passage it was written from."""

    question: str
    key_info: str
    kind: str


def write(text: str, most: int = MOST) -> list[WrittenQuestion]:
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
    return [WrittenQuestion(question, span.text, span.kind) for question, span in kept]


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
