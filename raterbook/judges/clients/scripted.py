"""A stand-in for a model, to try things out: no judgement of its own, no network, no cost.

It fills in the form it is asked for by fixed rules, the same way every time. What it says has the
right shape and no meaning, and its rater's version says so.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

from raterbook.judges.clients.model import Messages, Model, Reply, Source
from raterbook.protocols import UNANSWERABLE

NAME = "scripted"
_OUTPUT = re.compile(r"## Output\n.*?(\{.*\})\n\nText between", re.DOTALL)
_TEXT = re.compile(r"^(~~~+)\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_PART = re.compile(r"^(?:Question|Sentence|Part|Teil) (\d+):$", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w{4,}|[\u3400-\u9fff]")


class ScriptedModel:
    """`--model scripted`, on the command line, in scripts and in notebooks."""

    help = f"--model {NAME}: a stand-in that answers by fixed rules, offline, to try things out"
    name, concurrency = NAME, 8

    @classmethod
    def fits(cls, source: Source) -> bool:
        return source.is_name and source.model == NAME

    @classmethod
    def of(cls, source: Source) -> Model:
        return cls()

    def identity(self) -> dict[str, Any]:
        return {"model": NAME, "stand-in": "that fills in the form by fixed rules"}

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply:
        return Reply(reply_to(messages), served=NAME, cost=0.0)

    async def close(self) -> None:
        pass


def reply_to(messages: Messages, **fixed: Any) -> str:
    """The JSON reply a well-behaved model would give; `fixed` sets answers by question id."""
    system = messages[0]["content"]
    user = next(one["content"] for one in messages if one["role"] == "user")
    form = _OUTPUT.search(system)
    if form is None:
        return json.dumps(_about_questions(system, user), ensure_ascii=False)
    return json.dumps(_filled(json.loads(form[1]), user, fixed), ensure_ascii=False)


def _filled(shape: Any, user: str, fixed: dict[str, Any], name: str = "") -> Any:
    """The form with an answer in every place; which one, the text and the question decide."""
    if isinstance(shape, list):
        return [
            {**_filled(shape[0], f"{number} {user}", fixed), "part": int(number)}
            for number in dict.fromkeys(_PART.findall(user))
        ]
    if isinstance(shape, dict):
        inner = "reasoning" in shape and name
        return {key: _filled(one, user, fixed, inner or key) for key, one in shape.items()}
    if name in fixed and "why" not in shape:
        return fixed[name]
    draw = int.from_bytes(sha256(f"{name} {user}".encode()).digest()[:4], "big")
    if "one of" in shape:
        found = re.search(r"one of ([^,>]*)", shape)
        options = found[1].split(" | ") if found else [""]
        return options[draw % len(options)]
    if "whole number" in shape:
        low, high = (int(one) for one in re.findall(r"from (-?\d+) to (-?\d+)", shape)[0])
        return low + draw % (high - low + 1)
    if "decimals" in shape:
        return round(1 + draw % 41 / 10, 1)
    if "0 to 100" in shape:
        return 50 + draw % 51
    if "why" in shape:
        return "“the second part” says so."
    return "Said in a line."


def _about_questions(system: str, user: str) -> dict[str, Any]:
    """Questions written, kept and answered: a question for each of the first sentences."""
    fenced = _TEXT.search(user)
    text = fenced[2] if fenced else ""
    sentences = [one.strip() for one in re.split(r"(?<=[.!?。！？])\s*", text) if one.strip()]
    if '"questions"' in system:
        asked = [
            {"key_info": one, "question": f"What about “{one[:40]}”?"} for one in sentences[:3]
        ]
        return {"questions": asked}
    listed = _NUMBERED.findall(user.replace(text, "", 1))
    if '"decisions"' in system:
        return {"decisions": [{"number": int(number), "decision": "keep"} for number, _ in listed]}
    return {
        "answers": [
            {"number": int(number), "answer": _nearest(question, sentences)}
            for number, question in listed
        ]
    }


def _nearest(question: str, sentences: list[str]) -> str:
    """The sentence that shares most words with the question, if any does."""
    words = set(_WORD.findall(question.casefold()))
    shared = [len(words & set(_WORD.findall(one.casefold()))) for one in sentences]
    return sentences[shared.index(max(shared))] if any(shared) else UNANSWERABLE
