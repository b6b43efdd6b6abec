"""What a question asks for, by its asking words; and the words left to look for in a text."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from raterbook.judges.questeval.language import language_of
from raterbook.judges.questeval.rules.english_words import FUNCTION, stem

LONGEST = 1_000  # characters of a question that are looked at
REACH = {"en": 40.0, "zh": 14.0}  # characters from the asking words, over which weight fades
_ENGLISH = (
    ("date", r"\bwhen\b|\b(?:what|which) (?:date|day|year|month|century|decade)\b"),
    ("figure", r"\bhow (?:many|much|long|far|high|fast|old|tall|deep|wide|big|large|often|heavy)\b"
     r"|\b(?:what|which) (?:percentage|share|number|proportion|figure|speed|height|length|depth"
     r"|cost|price|sum|rate|temperature|weight|area|distance|amount|fraction|size|capacity|mass|age)\b"
     r"|\bwhat was the (?:official )?(?:number|cost|height|length|speed|price)"),
    ("name", r"\bwh(?:o|om|ose)\b|\bwhere\b|\b(?:what|which) (?:place|organi[sz]ation|city|country"
     r"|person|company|town|state|sea|river|island|strait|institution|language|museum)\b"),
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
