"""A reply's text → answers and a status. Pure: no files, no network, and it never raises.

JSON first, json-repair where that loses no word, then Markdown as the feedback guide writes it.
One block of answers counts, and everything outside it is data: claims.py says what may stand there.
Whatever else does is a problem, as are blocks that differ. A value that is missing, ambiguous or
off the scale stays missing and is named among `problems`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from raterbook.judges.clients.model import storable
from raterbook.judges.replies.claims import (
    Claim,
    contradictions,
    spelled,
    standing,
    strangers,
    without_tags,
    without_thoughts,
)
from raterbook.judges.replies.interpret import Raw, interpret, name_of
from raterbook.judges.replies.markdown import Blocks, read_around
from raterbook.judges.replies.objects import Found, json_objects, repaired
from raterbook.judges.replies.values import ParsedAnswer, is_nothing, read_value
from raterbook.judges.replies.vocabulary import Vocabulary, vocabulary
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


VERSION = 6  # of the parser: what it made of a stored reply is kept with it
LONGEST = 100_000  # characters of a reply that are read, five times what a model may write


def parse(text: str, sheet: Sheet, *, cut: bool = False, prompt: str = "") -> Parsed:
    """`cut`: the server says that the reply ended at its length limit. `prompt` tells echoes."""
    if len(text) > LONGEST:
        said = f"the reply has {len(text):,} characters, and no more than {LONGEST:,} are read"
        return Parsed("parse_error", problems=(f"{said}: answer in fewer",))
    if not text or not text.strip():
        return Parsed("parse_error", problems=("the reply is empty",))
    echo = Echo(prompt)
    own = without_thoughts(echo.after(text), echo).lstrip("\ufeff")
    label = sheet.protocol.parts.label if sheet.protocol.parts is not None else None
    words = vocabulary(sheet.questions, label, sheet.protocol.questions)
    claims, around = _claims(own, sheet, words, echo, cut)
    claims = standing(claims, own, echo)
    problems = contradictions(claims, around.said, sheet)
    if problems:
        return Parsed("parse_error", problems=tuple(problems), shape=claims[-1].parsed.shape)
    good = [claim for claim in claims if claim.parsed.ok]
    bare = _bare(own, sheet, words) if not claims else None
    if bare is not None and bare.ok:
        return bare
    best = max(good or claims, key=lambda claim: len(claim.parsed.answers), default=None)
    if best is not None and best.parsed.usable:
        behind = [*around.behind, *(text for claim in good for text in claim.behind)]
        loose = strangers(around, good or claims, own, echo, sheet)
        problems = [_loose(line) for line in loose[:1]] or [
            f"reasons behind the answer speak of {code}: put them before it"
            for code in spelled(behind, best.parsed, sheet)
        ]
        if problems:
            return Parsed("parse_error", problems=tuple(problems), shape=best.parsed.shape)
    if best is not None and best.parsed.ok:
        return best.parsed
    return _failed(own, [bare] if bare else [claim.parsed for claim in claims], cut)


def words_around(text: str, blocks: Sequence[Found]) -> str | None:
    """What is wrong with the words before and behind blocks that say the same; None: nothing."""
    around = read_around(text, {(one.start, one.end): True for one in blocks}, vocabulary(()))
    between = range(blocks[0].start, blocks[-1].start)
    return next((_loose(line) for start, line in around.loose if start not in between), None)


def _loose(line: str) -> str:
    shown = line if len(line) <= 60 else line[:60] + "…"
    return f"words around the answers may change them (“{shown}”): give the answers alone"


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
                answers[cell] = read_value(question, value, shape not in ("markdown", "bare"))
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
) -> tuple[list[Claim], Blocks]:
    """Every block of answers in order, and what stands around them."""
    claims, spans = list[Claim](), dict[tuple[int, int], bool]()
    for one in _objects(own, cut):
        place = (one.start, one.end)
        if echo.has(own[one.start : one.end], LONG_JSON):
            spans[place] = False
            continue
        raw = interpret(one.content, words)
        told = raw.values or (raw.problems and isinstance(one.content, dict))
        if told or one.shape == "json":
            parsed = _read(raw, sheet, words, one.shape)
            claims.append(Claim(parsed, *place, raw.behind, raw.said, _unread(raw, parsed)))
            spans[place] = True
    if claims and claims[0].parsed.shape == "json":
        return claims, Blocks()  # all of it
    around = read_around(own, spans, words, cut=cut)
    for block in around.blocks:
        start = block.start if block.first is None else block.first
        if echo.has(own[block.start : block.end], LONG_TEXT):
            continue
        parsed = _read(block.raw, sheet, words, "markdown")
        claims.append(Claim(parsed, start, block.last, block.raw.behind))
    return sorted(claims, key=lambda claim: claim.start), around


def _unread(raw: Raw, parsed: Parsed) -> frozenset[Cell]:
    """Where an object has a value that is no answer, but for a format's “<placeholder>”."""
    given = (cell for cell, value in raw.values.items() if not is_nothing(value))
    left = (cell for cell in given if cell not in parsed.answers)
    return frozenset(cell for cell in left if not str(raw.values[cell]).startswith("<"))


def _objects(own: str, cut: bool) -> list[Found]:
    """The JSON of a reply; where a bracket is left over, all of it mended, or nothing."""
    found = json_objects(own)
    if found and found[0].shape == "json":
        return found
    places = [0, *(place for one in found for place in (one.start, one.end)), len(own)]
    rest = (own[low:high] for low, high in zip(places[::2], places[1::2], strict=True))
    if not any("{" in piece or "}" in piece for piece in rest):
        return found
    mended = None if cut else repaired(own)
    return [mended] if mended is not None else []


def _bare(text: str, sheet: Sheet, words: Vocabulary) -> Parsed | None:
    """A reply that is nothing but the one answer asked for: “SUPPORTED”, “4/5”."""
    if words.only is None or words.only.kind.has_unanswerable or sheet.parts or len(text) > 200:
        return None
    line = without_tags(text).strip()
    if "\n" in line:
        return None
    return _read(Raw({(0, words.only.id): line}), sheet, words, "bare")


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
        words = piece.split()
        if len(" ".join(words)) < long or not self._prompt:
            return False
        if self._flat is None:
            self._flat = "".join(self._prompt.split())
        return "".join(words) in self._flat


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
