"""Markdown replies: “- **Correctness**: 5”, Reasoning with the same keys, tables, parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raterbook.judges.replies.interpret import REASON_KEYS, VALUE_KEYS, Raw, Vocabulary
from raterbook.judges.replies.values import is_nothing, plain, read_value
from raterbook.judges.sheets import is_closed
from raterbook.protocols import Question
from raterbook.protocols.kinds import fold

_LINE = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:[-*•+](?=\s)|\d{1,2}[.)](?=\s)|#{1,6})?[ \t]*(?P<rest>\S.*)"
)
_KEY = re.compile(r"(?P<name>[^:=|]{1,60}?)\s*(?::|=|\s[-–—]\s)\s*(?P<rest>.*)")
_RULE = re.compile(r"[\s|:*_=-]*")
_HEADS = {
    "reasons": {
        "reasoning",
        "reasons",
        "justification",
        "justifications",
        "rationale",
        "explanation",
        "explanations",
        "comments",
        "detailed reasoning",
    },
    "scores": {
        "output",
        "scores",
        "score",
        "ratings",
        "rating",
        "evaluation",
        "assessment",
        "criterion ratings",
        "results",
        "final scores",
        "reply",
    },
    "input": {"input", "example", "given example", "text", "criteria", "performance descriptors"},
}
_EXAMPLE = re.compile(r"(?:worked )?examples?(?: \d+)?", re.IGNORECASE)
_PART = re.compile(r"(?P<label>[^\W\d]+)\s+(?P<number>\d{1,4})\W*", re.UNICODE)


@dataclass
class Block:
    """One run of answers; `start` and `end` say where in the reply it stands."""

    start: int
    end: int = 0
    raw: Raw = field(default_factory=Raw)


class _Reader:
    """Goes through the lines once and keeps what they belong to."""

    def __init__(self, words: Vocabulary):
        self.words = words
        self.blocks: list[Block] = [Block(0)]
        self.section = "scores"
        self.part = 0
        self.pending: Question | None = None  # named in a heading, its score still to come
        self.open: tuple[str, Question] | None = None  # a text that may go on in the next line

    @property
    def raw(self) -> Raw:
        return self.blocks[-1].raw

    def new_block(self, start: int) -> None:
        self.blocks.append(Block(start))
        self.section, self.part, self.pending, self.open = "scores", 0, None, None

    def line(self, text: str, start: int, end: int) -> None:
        found = _LINE.fullmatch(text)
        if found is None or _RULE.fullmatch(text):
            return
        content = found["rest"].strip()
        if content.startswith("|") or content.count("|") > 1:
            self._row(content)
        elif not self._heading(content, start) and not self._keyed(content, start):
            self._more(content)
        self.blocks[-1].end = end

    def _heading(self, content: str, start: int) -> bool:
        word = fold(plain(content.strip("#*_: \t")).rstrip(":"))
        if word in _HEADS["input"] or _EXAMPLE.fullmatch(word):
            if self.raw.values:
                self.new_block(start)
            self.open = None
            return True
        for section in ("reasons", "scores"):
            if word in _HEADS[section]:
                self.section, self.pending, self.open = section, None, None
                return True
        part = _PART.fullmatch(word)
        if part and part["label"] in self.words.part_labels:
            number = int(part["number"])
            if any(cell[0] == number for cell in self.raw.values) and self.section == "scores":
                self.new_block(start)
            self.part, self.pending, self.open = number, None, None
            return True
        question = self.words.find(word)
        if question is not None and not content.rstrip("*_ ").endswith(word[-1:] + "|"):
            self.pending, self.open = question, None
            return True
        return False

    def _keyed(self, content: str, start: int) -> bool:
        found = _KEY.fullmatch(content)
        if found is None:
            return False
        name = plain(found["name"].strip().strip("*_`\"'"))
        rest = found["rest"].strip().strip("*").strip()
        question = self.words.find(name)
        if question is None:
            return self._unnamed(fold(name), rest)
        if rest in ("", "{"):
            self.pending, self.open = question, None
            return True
        self.pending = None
        self._take(question, rest, start)
        return True

    def _unnamed(self, key: str, rest: str) -> bool:
        """“Score: 4” or “Reasoning: …” under a heading that names the question."""
        question = self.pending or self.words.only
        if question is None or not rest:
            return False
        if key in VALUE_KEYS:
            self.raw.put(self.part, question, rest)
            self.open = None
            return True
        if key in REASON_KEYS:
            self.raw.because(self.part, question, rest)
            self.open = ("reason", question)
            return True
        return False

    def _take(self, question: Question, rest: str, start: int) -> None:
        cell = (self.part, question.id)
        if not is_closed(question) and not question.is_numeric:
            self.raw.values[cell] = rest
            self.open = ("value", question)
            return
        self.open = None
        if self.section == "reasons":
            self.raw.because(self.part, question, rest)
            self.open = ("reason", question)
        elif cell not in self.raw.values:
            self.raw.values[cell] = rest
        elif _reads(question, rest):
            self.new_block(start)
            self.part = cell[0]
            self.raw.values[cell] = rest
        else:
            self.raw.because(self.part, question, rest)
            self.open = ("reason", question)

    def _row(self, content: str) -> None:
        cells = [plain(cell) for cell in content.strip("| ").split("|")]
        question = self.words.find(cells[0])
        if question is None or len(cells) < 2:
            return
        self.raw.put(self.part, question, cells[1])
        if len(cells) > 2:
            self.raw.because(self.part, question, cells[2])

    def _more(self, content: str) -> None:
        if self.open is not None:
            kind, question = self.open
            store = self.raw.values if kind == "value" else self.raw.reasons
            cell = (self.part, question.id)
            store[cell] = f"{store.get(cell, '')}\n{content}".strip()
        elif self.pending is not None:
            self._take(self.pending, content, 0)
            self.pending = None


def _reads(question: Question, rest: str) -> bool:
    try:
        read_value(question, rest)
    except (ValueError, TypeError, OverflowError):
        return False
    return not is_nothing(rest)


def blocks(text: str, words: Vocabulary, *, cut: bool = False) -> list[Block]:
    """Every run of answers in the reply, in order.

    Of a reply cut off at its length limit the last line is left out, and nothing is read from
    JSON that never ended: “4.” may have been going to be 4.7.
    """
    if cut:
        if "{" in text:
            return []
        text = text[: max(text.rfind("\n"), 0)]
    reader, position = _Reader(words), 0
    for line in text.splitlines(keepends=True):
        reader.line(line.rstrip("\r\n"), position, position + len(line))
        position += len(line)
    return [block for block in reader.blocks if block.raw.values]
