"""Replies → questions, answers and decisions, each with a status. Pure, and it never raises.

Answers are told apart by the numbers of their questions, never by their place in a list: a reply
with a number too many, too few or twice is a mismatch and gives no answers at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from raterbook.judges.clients.model import Reply
from raterbook.judges.money import Account
from raterbook.judges.replies.interpret import Several, json_objects, repaired
from raterbook.judges.replies.parsing import LONG_JSON, Echo, is_refusal

if TYPE_CHECKING:
    import pandas as pd


STATUSES = ("ok", "partial", "refused", "parse_error", "mismatch", "no_questions", "api_error")
LONGEST = 2_000  # characters of a question or an answer


@dataclass(frozen=True)
class Draft:
    """A question as a model wrote it."""

    question: str
    key_info: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a reply came to. `partial`: every number is there, and some answers are blank."""

    status: str
    questions: tuple[Draft, ...] = ()
    answers: Mapping[int, str] | None = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        return self.status in ("ok", "partial")


def read_questions(reply: Reply, prompt: str, most: int) -> Outcome:
    """The questions of a reply, without blanks and repeats."""
    failed, objects = _objects(reply, prompt)
    if failed is not None:
        return failed
    for content in reversed(objects):
        pairs = _pairs(content)
        if pairs is None:
            continue
        kept: dict[str, Draft] = {}
        for question, key_info in pairs:
            plain = " ".join(question.split())[:LONGEST]
            if plain:
                kept.setdefault(plain.casefold(), Draft(plain, " ".join(key_info.split())))
        if not kept:
            return Outcome("no_questions", problem="the reply lists no questions")
        return Outcome("ok", tuple(kept.values())[:most])
    return _unread(reply, "no list of questions was found")


def read_numbered(
    reply: Reply, prompt: str, numbers: Iterable[int], key: str, entry: str
) -> Outcome:
    """Answers or decisions by the number of their question."""
    failed, objects = _objects(reply, prompt)
    if failed is not None:
        return failed
    for content in reversed(objects):
        pairs = _numbered(content, key, entry)
        if pairs is not None:
            return _matched(pairs, list(numbers), entry)
    return _unread(reply, f"no {entry}s under numbers were found")


def _matched(pairs: list[tuple[int, str]], numbers: list[int], entry: str) -> Outcome:
    found: dict[int, str] = {}
    for number, said in pairs:
        if found.setdefault(number, said) != said:
            return Outcome("mismatch", problem=f"number {number} has two {entry}s")
    missing = [number for number in numbers if number not in found]
    strange = [number for number in found if number not in set(numbers)]
    if missing or strange:
        parts = []
        if missing:
            parts.append(f"no {entry} under {', '.join(map(str, missing))}")
        if strange:
            parts.append(f"no question has the number {', '.join(map(str, strange))}")
        return Outcome("mismatch", problem="; ".join(parts))
    blank = [number for number in numbers if not found[number].strip()]
    if blank:
        problem = f"the {entry} is blank under {', '.join(map(str, blank))}"
        return Outcome("partial", answers=found, problem=problem)
    return Outcome("ok", answers=found)


def _objects(reply: Reply, prompt: str) -> tuple[Outcome | None, list[Any]]:
    """Every JSON value of the reply but for what it echoes; or why there is nothing to read."""
    if reply.error:
        return Outcome("api_error", problem=reply.error), []
    if reply.refusal or reply.finish == "content_filter":
        return Outcome("refused", problem=reply.refusal or "stopped by a content filter"), []
    echo = Echo(prompt)
    text = echo.after(reply.text)
    if not text.strip():
        return Outcome("parse_error", problem="the reply is empty"), []
    objects = json_objects(text)
    found = [one.content for one in objects if not echo.has(text[one.start : one.end], LONG_JSON)]
    if not objects and not reply.cut:
        try:
            mended = repaired(text)
        except ImportError:  # json-repair comes with the extra “judge”
            mended = None
        found = [mended] if mended is not None else []
    return None, found


def _unread(reply: Reply, problem: str) -> Outcome:
    if is_refusal(reply.text):
        return Outcome("refused", problem="the model declined to answer")
    if reply.cut:
        problem = "the reply was cut off at its length limit"
    return Outcome("parse_error", problem=problem)


def _pairs(content: Any) -> list[tuple[str, str]] | None:
    """(question, key_info): as asked for, or as two lists; key_info only where it is certain."""
    if isinstance(content, dict):
        listed = content.get("questions", content.get("question"))
        infos = content.get("key_info")
    else:
        listed, infos = content, None
    if not isinstance(listed, list):
        return None
    aligned = isinstance(infos, list) and len(infos) == len(listed)
    found = []
    for place, one in enumerate(listed):
        info = infos[place] if aligned and isinstance(infos, list) else ""
        text = one
        if isinstance(one, dict):
            text, info = one.get("question"), one.get("key_info", info)
        if not isinstance(text, str):
            return None
        found.append((text, info if isinstance(info, str) else ""))
    return found


def _numbered(content: Any, key: str, entry: str) -> list[tuple[int, str]] | None:
    if isinstance(content, dict) and key in content:
        content = content[key]
    pairs: list[tuple[Any, Any]]
    if isinstance(content, dict):
        pairs = list(content.items())
    elif isinstance(content, list) and all(isinstance(one, dict) for one in content):
        pairs = [(one.get("number"), one.get(entry)) for one in content if isinstance(one, dict)]
    else:
        return None
    found: list[tuple[int, str]] = []
    for number, said in pairs:
        for each in said.values if isinstance(said, Several) else (said,):
            if isinstance(each, dict):
                each = each.get(entry)
            place = _number(number)
            if place is None:
                return None
            found.append((place, _text(each)[:LONGEST]))
    return found


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().rstrip(".").isascii():
        value = value.strip().rstrip(".")
        return int(value) if value.isdigit() and len(value) < 9 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict | list | Several):
        return ""
    return str(value)


# What a run over a round's questions came to: counts by step and status, cost, failures.


STEPS = ("write", "check", "reference", "generated")
COLUMNS = [
    "step",
    "subject",
    "status",
    "problem",
    "questions",
    "reply",
    "prompt",
    "cached",
    "retries",
    "cost",
    "tokens_in",
    "tokens_out",
    "seconds",
    "served",
]


@dataclass(frozen=True)
class Done:
    """One text handled in one step."""

    step: str
    subject: str  # the key of the case or item
    status: str
    problem: str = ""
    questions: int = 0  # written, decided on or answered
    reply: str = ""
    prompt: str = ""
    cached: bool = False
    retries: int = 0
    cost: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    served: str | None = None

    @property
    def ok(self) -> bool:
        return self.status in ("ok", "partial")


@dataclass
class Summary(Account):
    """The account of a run; questions and answers are in the round.

    Texts that were done in an earlier run are not in its total.
    """

    is_baseline: bool = False
    done: list[Done] = field(default_factory=list)
    written: int = 0  # questions
    answers: int = 0  # stored: decisions and answers

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Step → status → how many texts."""
        found: dict[str, Counter[str]] = {}
        for one in self.done:
            found.setdefault(one.step, Counter())[one.status] += 1
        return {step: dict(found[step]) for step in STEPS if step in found}

    @property
    def failed(self) -> int:
        return sum(not one.ok for one in self.done)

    @property
    def complete(self) -> bool:
        """Whether every text was handled, and none of them failed."""
        return self.stopped is None and len(self.done) == self.total and not self.failed

    def __str__(self) -> str:
        said = [
            f"{self.round}: {self.written} questions written, {self.answers} answers of "
            f"{self.rater}{' (a rule-based baseline)' if self.is_baseline else ''}"
        ]
        for step, counts in self.counts.items():
            said.append(f"{step} {', '.join(f'{n} {status}' for status, n in counts.items())}")
        if not self.total:
            said.append("nothing was left to do")
        if self.requests:
            said.append(f"{self.requests} requests, {self.cost()}")
        line = "; ".join(said)
        return f"{line}; stopped: {self.stopped}" if self.stopped else line

    def __repr__(self) -> str:
        return f"Summary({self})"

    def frame(self) -> pd.DataFrame:
        """One row per text and step, in the order they were handled."""
        import pandas as pd

        rows = [[getattr(one, name) for name in COLUMNS] for one in self.done]
        return pd.DataFrame(rows, columns=COLUMNS)

    def failures(self) -> pd.DataFrame:
        """What came to nothing: status, problem and the reply as it came."""
        frame = self.frame()
        bad = ~frame["status"].isin(["ok", "partial"])
        return frame.loc[bad, ["step", "subject", "status", "problem", "reply"]]
