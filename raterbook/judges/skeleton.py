"""The output format in words: one JSON object, reasoning before score, a place for every answer."""

from __future__ import annotations

import json
from typing import Any

from raterbook.judges.schema import by_extent
from raterbook.judges.sheets import Sheet
from raterbook.judges.wording import is_closed, placeholder, value_key
from raterbook.protocols import Question

REASONING = "<why, with words quoted from the text>"


def skeleton(sheet: Sheet) -> str:
    """What a reply looks like, with placeholders that no parser takes for an answer."""
    whole, per_part = by_extent(sheet)
    shape: dict[str, Any] = {question.id: _place(question) for question in whole}
    if per_part:
        shape["parts"] = [{"part": "<its number>", **{q.id: _place(q) for q in per_part}}]
    lines = ["Reply with one JSON object and nothing else. Give each reasoning before its answer."]
    if per_part:
        lines.append("`parts` has one entry for every part, each with its own number.")
    lines.append(json.dumps(shape, indent=2, ensure_ascii=False))
    return "\n".join(lines)


def _place(question: Question) -> Any:
    words = placeholder(question)
    if question.when is not None:
        words = words[:-1] + ", or null>"
    if is_closed(question) and question.type != "answer":
        return {"reasoning": REASONING, value_key(question): words}
    return words
