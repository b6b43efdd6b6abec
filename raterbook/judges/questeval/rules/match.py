"""Answering by looking: the sentence most like the question, and in it the fitting span nearest."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache

from raterbook.judges.questeval.rules.asked_for import AskedFor, asked_for, terms
from raterbook.judges.questeval.rules.chinese_spans import chinese_spans
from raterbook.judges.questeval.rules.english_spans import english_spans
from raterbook.judges.questeval.rules.english_words import stem
from raterbook.judges.questeval.rules.spans import Span, sentence_bounds

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


def _nearness(
    span: Span, held: list[Term], weights: dict[str, float], wanted: AskedFor
) -> float:
    """How much of the question stands close to the span, on either side."""
    best: dict[str, float] = {}
    for term, place in held:
        if term in weights and not span.start <= place < span.end:
            gap = span.start - place if place < span.start else place - span.end
            worth = weights[term] * math.exp(-max(0, gap) / NEAR[wanted.language])
            best[term] = max(best.get(term, 0.0), worth)
    return sum(best.values())
