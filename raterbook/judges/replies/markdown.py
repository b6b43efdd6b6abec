"""Markdown replies: “- **Correctness**: 5”, Reasoning with the same keys, tables, parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raterbook.judges.replies.interpret import (
    REASON_KEYS,
    VALUE_KEYS,
    Raw,
    Vocabulary,
    without_attribute,
)
from raterbook.judges.replies.values import is_nothing, plain, read_value
from raterbook.judges.sheets import Cell, is_closed
from raterbook.protocols import Question
from raterbook.protocols.kinds import fold

_MARK = re.compile(r"(?:[-*•+](?=\s)|\d{1,2}[.)](?=\s)|#{1,6})")
_SEPARATOR = re.compile(r"[:=]|\s[-–—]\s|\s?(?:→|[-=]>)")
_RULE = re.compile(r"[\s|:*_=-]*")
MOST = 50  # blocks read: long before, they contradict each other
LONGEST_NAME = 60
LONGEST_HEADING = 120
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
    """One run of answers; `start` and `end` say where in the reply it stands.

    `first` and `last` do so for its scores and labels alone, without all that stands around them;
    `said` are values in places where none belong: contradictions, if they differ.
    """

    start: int
    end: int = 0
    raw: Raw = field(default_factory=Raw)
    first: int | None = None
    last: int = 0
    quoted: bool = False  # in lines marked as a quotation, the first of them
    parts: set[int] = field(default_factory=set)  # those with values
    said: list[tuple[Cell, Question, str]] = field(default_factory=list)
    more: dict[tuple[str, Cell], list[str]] = field(default_factory=dict)  # lines of longer texts

    def close(self) -> None:
        """Puts the longer texts together, each once, however many lines it has."""
        for (kind, cell), lines in self.more.items():
            store = self.raw.values if kind == "value" else self.raw.reasons
            store[cell] = "\n".join([str(store.get(cell, "")), *lines]).strip()
        self.more.clear()


class _Reader:
    """Goes through the lines once and keeps what they belong to."""

    def __init__(self, words: Vocabulary):
        self.words = words
        self.blocks: list[Block] = [Block(0)]
        self.section = "scores"
        self.part = 0
        self.pending: Question | None = None  # named in a heading, its score still to come
        self.answered: Question | None = None  # the same, once its score has come
        self.open: tuple[str, Question] | None = None  # a text that may go on in the next line

    @property
    def raw(self) -> Raw:
        return self.blocks[-1].raw

    def new_block(self, start: int) -> None:
        self.blocks.append(Block(start))
        self.section, self.part, self.pending, self.open = "scores", 0, None, None

    def line(self, text: str, start: int, end: int) -> None:
        content = text.strip()
        quoted = content.startswith(">")
        content = content.lstrip("> \t")
        mark = _MARK.match(content)
        if mark is not None:
            content = content[mark.end() :].lstrip() or content
        if not content or _RULE.fullmatch(content):
            return
        before, known = self.blocks[-1], len(self.raw.values)
        if content.startswith("|") or content.count("|") > 1:
            self._row(content)
        elif not self._heading(content, start) and not self._keyed(content, start):
            self._more(content)
        block = self.blocks[-1]
        block.end = end
        if block.raw.values:
            block.parts.add(next(reversed(block.raw.values))[0])
        newly = len(block.raw.values) > (known if block is before else 0)
        if newly and next(reversed(block.raw.values))[1] in self.words.decisive:
            if block.first is None:
                block.first, block.quoted = start, quoted
            block.last = end

    def _heading(self, content: str, start: int) -> bool:
        if len(content) > LONGEST_HEADING:
            return False
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
            if number in self.blocks[-1].parts and self.section == "scores":
                self.new_block(start)
            self.part, self.pending, self.open = number, None, None
            return True
        question = self.words.find(word)
        if question is not None and not content.rstrip("*_ ").endswith(word[-1:] + "|"):
            self.pending, self.open = question, None
            return True
        return False

    def _keyed(self, content: str, start: int) -> bool:
        found = _SEPARATOR.search(content, 1, LONGEST_NAME + 20)
        name = content[: found.start()].rstrip() if found is not None else "|"
        if found is None or len(name) > LONGEST_NAME or "|" in name:
            return False
        name = plain(name.strip().strip("*_`\"'"))
        rest = content[found.end() :].strip().strip("*").strip()
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
        if without_attribute(key) in VALUE_KEYS:
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
            self.blocks[-1].more.pop(("value", cell), None)
            self.open = ("value", question)
            return
        self.open = None
        if self.section == "reasons":
            self.raw.because(self.part, question, rest)
            self.open = ("reason", question)
            self._said(question, rest)
        elif cell not in self.raw.values:
            self.raw.values[cell] = rest
        elif _reads(question, rest):
            self.new_block(start)
            self.part = cell[0]
            self.raw.values[cell] = rest
        else:
            self.raw.because(self.part, question, rest)
            self.open = ("reason", question)

    def _said(self, question: Question, rest: str) -> None:
        """A bare value where a reason or nothing is expected: the same again, or another one."""
        if len(rest) <= LONGEST_NAME and len(rest.split()) <= 3 and _reads(question, rest):
            self.blocks[-1].said.append(((self.part, question.id), question, rest))

    def _row(self, content: str) -> None:
        cells = [plain(cell) for cell in content.strip("| ").split("|", 8)]
        question = self.words.find(cells[0])
        if question is None or len(cells) < 2:
            return
        self.raw.put(self.part, question, cells[1])
        if len(cells) > 2:
            self.raw.because(self.part, question, cells[2])
        for cell in cells[2:]:
            self._said(question, cell)

    def _more(self, content: str) -> None:
        if self.open is not None:
            kind, question = self.open
            self.blocks[-1].more.setdefault((kind, (self.part, question.id)), []).append(content)
        elif self.pending is not None:
            self._take(self.pending, content, 0)
            self.pending, self.answered = None, self.pending
        elif self.answered is not None:
            self._said(self.answered, content)


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
        if len(reader.blocks) > MOST:
            break
    for block in reader.blocks:
        block.close()
    return [block for block in reader.blocks if block.raw.values]
