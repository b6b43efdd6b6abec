"""Chinese questions: the asking words stand where the answer stood, as the grammar has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raterbook.judges.questeval.rules.chinese_spans import chinese_spans
from raterbook.judges.questeval.rules.spans import LONGEST_SENTENCE, Span, sentence_bounds

LONGEST = 70  # characters of a question
_TOPIC = re.compile(r"^[^，。；：]{2,14}?(?=位于|是|由|东起|旧称|始建|于\d|\d|，|。)")
_ENDS = "，；。：！？"


def chinese_questions(text: str) -> Iterator[tuple[str, Span]]:
    """Question and answer for every span; where the topic is not named, it is put in front."""
    found = _TOPIC.match(text)
    topic = found[0] if found and not found[0][0].isdigit() else ""
    spans = chinese_spans(text)
    for start, end in sentence_bounds(text):
        if end - start > LONGEST_SENTENCE:
            continue
        for span in spans:
            if start <= span.start and span.end <= end:
                yield _question(text, start, end, span, topic), span


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Where clauses end, quotations left whole."""
    depth, found = 0, []
    for place in range(start, end):
        depth += (text[place] in "“《（") - (text[place] in "”》）")
        if depth <= 0 and text[place] in _ENDS:
            found.append(place)
    return found


def _question(text: str, start: int, end: int, span: Span, topic: str) -> str:
    cuts = _cuts(text, start, end)
    after = [place for place in cuts if place >= span.end]
    begin = max((place + 1 for place in cuts if place < span.start), default=start)
    if len(after) > 1 and begin == span.start and after[0] == span.end:
        after = after[1:]  # “5月15日，…”: the date by itself says nothing
    end = after[0] if after else end
    for place in cuts:
        if end - start > LONGEST - 16 and place < begin:
            start = place + 1
    said = f"{text[start : span.start]}{span.asks}{text[span.end : end]}".strip(_ENDS + " ")
    if topic and topic not in said and topic not in span.text:
        said = f"关于{topic}，{said}"
    return f"{said}？"
