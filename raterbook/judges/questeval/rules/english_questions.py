"""English questions: the statement itself, with the asking words where the answer stood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raterbook.judges.questeval.rules.english_spans import english_spans
from raterbook.judges.questeval.rules.english_words import PREPOSITIONS, PRONOUNS, has_verb
from raterbook.judges.questeval.rules.spans import LONGEST_SENTENCE, Span, sentence_bounds

LONGEST = 34  # words of a question
SHORTEST = 5


def english_questions(text: str) -> Iterator[tuple[str, Span]]:
    """Question and answer for every span whose statement can be understood by itself."""
    spans = english_spans(text)
    for start, end in sentence_bounds(text):
        if end - start > LONGEST_SENTENCE:
            continue
        for span in spans:
            if start <= span.replaced and span.end <= end:
                question = _question(text, start, end, span)
                if question is not None:
                    yield question, span


def _question(text: str, start: int, end: int, span: Span) -> str | None:
    start, end = _segment(text, start, end, span)
    end = _shortened(text, start, end, span)
    before, after = _statement_first(text[start : span.replaced], text[span.end : end])
    first = (re.findall(r"[\w’'-]+", before + span.asks) or [""])[0].lower()
    if first in PRONOUNS and before.strip():
        return None
    if re.search(r"\b(?:it|he|she|they|him|them)\b", f"{before} {after}"):
        return None
    if after[:2] in ("’s", "'s") or before.endswith(("-", "“")):
        return None
    follows = (re.findall(r"^ ([a-z]+)", after) or [""])[0]
    if not before.strip() and (follows in PREPOSITIONS or not has_verb(after[:60])):
        return None
    asks = "who" if span.asks == "whom" and not before.strip() else span.asks
    said = f"{before}{asks}{after}".strip().strip(".;:, ")
    said = re.sub(r"\s+", " ", said)
    words = len(said.split())
    if not SHORTEST <= words <= LONGEST or not has_verb(f"{before} {after}"):
        return None
    return f"{said[:1].upper()}{said[1:]}?"


def _statement_first(before: str, after: str) -> tuple[str, str]:
    """“In …, a cone rose” as “A cone rose in …”: English asks in that order."""
    opening = re.fullmatch(r"(?P<word>On|In|At|By|Since|From|Over) ", before)
    if opening is None or not after.strip(" ,"):
        return before, after
    return f"{after.strip(' ,.')} {opening['word'].lower()} ", ""


def _segment(text: str, start: int, end: int, span: Span) -> tuple[int, int]:
    """The part of the sentence between semicolons and colons that holds the span."""
    for found in re.finditer(r"[;:] ", text[start:end]):
        place = start + found.end()
        if place <= span.replaced and has_verb(text[place:end]):
            start = place
        elif start + found.start() >= span.end:
            return start, start + found.start()
    return start, end


def _shortened(text: str, start: int, end: int, span: Span) -> int:
    """Where the clause of the span ends, if what stands before is a statement already."""
    for found in re.finditer(r",(?= )", text[span.end : end]):
        place = span.end + found.start()
        if has_verb(text[start : span.replaced]) and place - start > 20:
            return place
    return end
