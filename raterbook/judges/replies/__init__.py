"""A reply's text → answers and a status. Pure: no files, no network, and it never raises.

JSON first, then Markdown as the feedback guide writes it, then json-repair. One block of answers
counts, and everything outside it is data: blocks that differ, quoted or repeated, are a problem,
and so is a reply that takes back what it said. A value that is missing, ambiguous or off the scale
stays missing and is named among `problems`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from raterbook.judges.clients.model import storable
from raterbook.judges.replies.claims import (
    QUOTED,
    TAKEN_BACK,
    Claim,
    Said,
    contradictions,
    is_held_out,
    is_quoted,
    outside,
    sentences,
    speaks_outside,
    standing,
    taken_back,
    without_thoughts,
)
from raterbook.judges.replies.interpret import (
    Raw,
    Vocabulary,
    interpret,
    json_objects,
    name_of,
    repaired,
    vocabulary,
)
from raterbook.judges.replies.markdown import blocks
from raterbook.judges.replies.values import ParsedAnswer, is_nothing, read_value
from raterbook.judges.sheets import Cell, Sheet, is_closed
from raterbook.protocols import asked, is_missing

STATUSES = ("ok", "refused", "parse_error", "partial")


@dataclass(frozen=True)
class Parsed:
    """What a reply says. Only an ok one makes answers, or one that lacks nothing but its blanks."""

    status: str
    answers: dict[Cell, ParsedAnswer] = field(default_factory=dict)
    reasons: dict[Cell, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()  # why it is not ok
    missing: tuple[str, ...] = ()  # texts and percentages it lacks; no reason to refuse it
    blank: tuple[Cell, ...] = ()  # parts it names and leaves open, where that is all it lacks
    shape: str = ""  # json, fenced, embedded, markdown, repaired or bare

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def usable(self) -> bool:
        """Whether its answers count: a part left blank does not spoil the others."""
        return self.ok or bool(self.blank)

    def record(self) -> dict[str, Any]:
        """As JSON can keep it."""
        answers = [
            [part, name, given.value, given.status, given.reason, given.span]
            for (part, name), given in self.answers.items()
        ]
        reasons = [[part, name, storable(text)] for (part, name), text in self.reasons.items()]
        kept = {"status": self.status, "problems": self.problems, "missing": self.missing}
        blank = [list(cell) for cell in self.blank]
        return {**kept, "shape": self.shape, "blank": blank, "answers": answers, "reasons": reasons}

    @classmethod
    def of_record(cls, kept: dict[str, Any]) -> Parsed:
        return cls(
            kept["status"],
            {
                (part, name): ParsedAnswer(value, status, reason, tuple(span) if span else None)
                for part, name, value, status, reason, span in kept["answers"]
            },
            {(part, name): text for part, name, text in kept["reasons"]},
            tuple(kept["problems"]),
            tuple(kept["missing"]),
            tuple((part, name) for part, name in kept["blank"]),
            kept["shape"],
        )


VERSION = 3  # of the parser: what it made of a stored reply is kept with it
LONGEST = 100_000  # characters of a reply that are read, five times what a model may write


def parse(text: str, sheet: Sheet, *, cut: bool = False, prompt: str = "") -> Parsed:
    """`cut`: the server says that the reply ended at its length limit. `prompt` tells echoes."""
    if len(text) > LONGEST:
        said = f"the reply has {len(text):,} characters, and no more than {LONGEST:,} are read"
        return Parsed("parse_error", problems=(f"{said}: answer in fewer",))
    if not text or not text.strip():
        return Parsed("parse_error", problems=("the reply is empty",))
    echo = Echo(prompt)
    own = without_thoughts(echo.after(text)).lstrip("\ufeff")
    label = sheet.protocol.parts.label if sheet.protocol.parts is not None else None
    words = vocabulary(sheet.questions, label)
    claims, spoken, whole = _claims(own, sheet, words, echo, cut)
    claims = standing(claims, own, echo)
    problems = contradictions(claims, spoken, sheet)
    if problems:
        return Parsed("parse_error", problems=tuple(problems), shape=claims[-1].parsed.shape)
    good = [claim for claim in claims if claim.parsed.ok]
    if not good:
        claims = [*_bare(own, sheet, words), *claims]
        good = [claim for claim in claims if claim.parsed.ok]
    if not good and not whole and not cut:
        good = _mended(own, sheet, words, echo)
    if not good:
        return _failed(own, [claim.parsed for claim in claims], cut)
    if whole:
        return good[0].parsed
    if all(claim.quoted for claim in good):
        return Parsed("parse_error", problems=(QUOTED,), shape=good[0].parsed.shape)
    if taken_back(own[max(claim.end for claim in good) :], good[0], sheet):
        return Parsed("parse_error", problems=(TAKEN_BACK,), shape=good[0].parsed.shape)
    return max((claim.parsed for claim in good), key=lambda parsed: len(parsed.answers))


def _failed(text: str, read: list[Parsed], cut: bool) -> Parsed:
    best = max(read, key=lambda one: len(one.answers), default=Parsed("parse_error"))
    if best.status == "partial":
        problems = ("the reply was cut off", *best.problems) if cut else best.problems
        return replace(best, problems=problems)
    if is_refusal(text):
        return Parsed("refused", problems=("the model declined to answer",))
    if cut:
        return Parsed("parse_error", problems=("the reply was cut off at its length limit",))
    problems = best.problems or ("no answers in the form asked for were found",)
    return Parsed("parse_error", problems=problems, shape=best.shape)


def _read(raw: Raw, sheet: Sheet, words: Vocabulary, shape: str) -> Parsed:
    """Raw values checked question by question, so that conditions see what came before."""
    answers: dict[Cell, ParsedAnswer] = {}
    problems, missing, blank = list(raw.problems), list[str](), list[Cell]()
    targets = {target: question for question, target in words.targets.items()}
    known = {part.number for part in sheet.parts} | {0}
    strange = sorted({part for part, _ in raw.values} - known)
    problems += [f"there is no part {part}" for part in strange]
    closed = 0
    for question in sheet.questions:
        for part in sheet.numbers(question):
            cell = (part, question.id)
            depends = question.when is not None or isinstance(question.required, dict)
            context = sheet.answers_about(part, _values(answers)) if depends else {}
            if not asked(question, context):
                continue
            value = raw.values.get(cell)
            if is_nothing(value) and question.id in targets:
                value = raw.reasons.get((part, targets[question.id]))
            if is_nothing(value):
                if is_missing(question, context) and is_closed(question):
                    problems.append(f"{name_of(cell)} is missing")
                    if part and isinstance(value, str):
                        blank.append(cell)
                elif is_missing(question, context):
                    missing.append(name_of(cell))
                continue
            try:
                answers[cell] = read_value(question, value)
            except (ValueError, TypeError, OverflowError) as error:
                if is_closed(question):
                    problems.append(_named(part, str(error)))
                else:
                    missing.append(_named(part, str(error)))
                continue
            closed += is_closed(question)
    some = closed or (answers and not any(is_closed(one) for one in sheet.questions))
    if not some:
        return Parsed("parse_error", {}, raw.reasons, tuple(problems), tuple(missing), shape=shape)
    status = "partial" if problems else "ok"
    left = tuple(blank) if len(blank) == len(problems) else ()
    return Parsed(status, answers, raw.reasons, tuple(problems), tuple(missing), left, shape)


def _values(answers: dict[Cell, ParsedAnswer]) -> dict[Cell, object]:
    return {cell: given.value for cell, given in answers.items() if given.status == "answered"}


def _named(part: int, problem: str) -> str:
    return f"part {part}: {problem}" if part else problem


def _claims(
    own: str, sheet: Sheet, words: Vocabulary, echo: Echo, cut: bool
) -> tuple[list[Claim], list[Said], bool]:
    """Every block of answers in order, values said beside them, and whether all of it is JSON."""
    found = json_objects(own)
    objects = [one for one in found if not echo.has(own[one.start : one.end], LONG_JSON)]
    claims = [
        Claim(
            _read(interpret(one.content, words), sheet, words, one.shape),
            one.start,
            one.end,
            one.shape != "json" and is_quoted(own, one.start, one.end),
        )
        for one in objects
    ]
    if any(one.shape == "json" for one in objects) and any(one.parsed.answers for one in claims):
        return claims, [], True  # it says what it says
    said: list[Said] = []
    rest = outside(own, [(one.start, one.end) for one in found])
    for block in blocks(rest, words, cut=cut):
        if echo.has(own[block.start : block.end], LONG_TEXT):
            continue
        start = block.start if block.first is None else block.first
        quoted = block.quoted and speaks_outside(rest)
        quoted = quoted or is_held_out(own, start)
        parsed = _read(block.raw, sheet, words, "markdown")
        claims.append(Claim(parsed, start, block.last, quoted))
        said += block.said
    said += sentences(rest, words)
    return sorted(claims, key=lambda claim: claim.start), said, False


_FIGURE = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)


def _bare(text: str, sheet: Sheet, words: Vocabulary) -> list[Claim]:
    """A reply that is nothing but the one answer asked for: “SUPPORTED”, “4/5”."""
    if words.only is None or words.only.kind.has_unanswerable or sheet.parts or len(text) > 200:
        return []
    line = text.strip()
    if "\n" in line or len(set(_FIGURE.findall(line)) - {str(words.only.max)}) > 1:
        return []
    parsed = _read(Raw({(0, words.only.id): line}), sheet, words, "bare")
    return [Claim(parsed, 0, len(text))]


def _mended(text: str, sheet: Sheet, words: Vocabulary, echo: Echo) -> list[Claim]:
    """What json-repair finds, as long as every score it yields stands in the reply."""
    content = repaired(text)
    if content is None or echo.has(text, LONG_JSON):
        return []
    read = _read(interpret(content, words), sheet, words, "repaired")
    for given in read.answers.values():
        is_number = isinstance(given.value, int | float) and given.span is None
        if is_number and not _stands(given.value, text):
            return []
    opening = min(place for place in (text.find("{"), text.find("[")) if place >= 0)
    claim = Claim(read, opening, len(text), is_quoted(text, opening, len(text)))
    return [claim] if read.ok else []


def _stands(number: float, text: str) -> bool:
    return bool(re.search(rf"(?<![\d.]){number:g}(?:\.0+)?(?!\d|\.\d)", text, re.ASCII))


# Telling a reply from the prompt that came back in it: an echoed example is no answer.


LONG_JSON = 80  # characters; anything shorter may be the model's own words
LONG_TEXT = 200  # the seven bare scores of the feedback guide have fewer


class Echo:
    """What was sent, to compare replies with."""

    def __init__(self, prompt: str):
        self._prompt = prompt.strip()
        self._flat: str | None = None

    @property
    def known(self) -> bool:
        return bool(self._prompt)

    def after(self, text: str) -> str:
        """What follows the prompt's last words, where a local model returned both as one text."""
        ending = self._prompt[-LONG_TEXT:]
        if len(ending) == LONG_TEXT and ending in text:
            return text.rsplit(ending, 1)[1]
        return text

    def has(self, piece: str, long: int) -> bool:
        """Whether this piece of the reply stands in the prompt, whatever its spacing."""
        words = flat(piece)
        if len(words) < long or not self._prompt:
            return False
        if self._flat is None:
            self._flat = flat(self._prompt)
        return words in self._flat


def flat(text: str) -> str:
    return " ".join(text.split())


# Whether a reply without answers declines to give any.


_DECLINES = re.compile(
    r"\b(?:i(?:'m| am)\s+(?:very |so |really )?(?:sorry|unable|not able|not comfortable)"
    r"|i\s+(?:can(?:'t|not| not)|won't|will not|must decline|am not going to|refuse)\b"
    r"|(?:can(?:'t|not))\s+(?:assist|help|comply|fulfil)"
    r"|as an ai\b|against my (?:guidelines|policy|policies|principles)"
    r"|not appropriate for me|decline to)"
    r"|^\s*(?:sorry|抱歉|对不起|很抱歉|我无法|我不能|申し訳|es tut mir leid|désolée?|lo siento)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """
    >>> is_refusal("I'm sorry, but I can’t help with rating this.")
    True
    >>> is_refusal("Correctness: 6")
    False
    """
    return bool(_DECLINES.search(text[:600].replace("’", "'")))
