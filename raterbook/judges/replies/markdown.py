"""Markdown replies: “- **Correctness**: 5”, Reasoning with the same keys, tables, parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raterbook.judges.replies.claims import FENCE, introduces, takes_leave, without_tags
from raterbook.judges.replies.interpret import Raw, Said, part_of
from raterbook.judges.replies.reasons import conclusions, given_as
from raterbook.judges.replies.values import is_bare, plain, reads
from raterbook.judges.replies.vocabulary import (
    REASON_KEYS,
    VALUE_KEYS,
    Vocabulary,
    without_attribute,
)
from raterbook.judges.sheets import Cell
from raterbook.protocols import Question
from raterbook.protocols.kinds import fold

_MARK = re.compile(r"(?:[-*•+](?=\s)|\d{1,2}[.)](?=\s)|#{1,6})")
_SCORED = re.compile(r"([^:=|()\n]{1,60})\((\d(?:[.,]\d+)? ?/ ?\d{1,3})\)")  # “Tone (4/5)”
_SEPARATOR = re.compile(r"[:=]|\s[-–—]\s|\s?(?:→|[-=]>)")
_RULE = re.compile(r"[\s|:*_=`\x00\ufffd-]*")
MOST = 50  # blocks read: long before, they contradict each other
LONGEST_KEY = 60
LONGEST_HEADING = 120
_REASONS = (REASON_KEYS - {"evidence"}) | {"detailed reasoning", "my reasoning", "analysis"}
_FIGURE = re.compile(r"[+±−–-]? ?\d[\d.,/]*")
_BESIDE = REASON_KEYS | {
    *("analysis", "basis", "description", "details", "note", "notes", "observation"),
    *("observations", "quote", "quotes", "remark", "remarks", "summary", "why"),
}
_STEP = re.compile(r"step \d{1,2}")
_BECAUSE = re.compile(r"because\b", re.IGNORECASE)
_PART = re.compile(r"(?P<label>[^\W\d]+)\s+(?P<number>\d{1,4})\W*", re.UNICODE)


@dataclass
class Block:
    """One run of answers; `start` and `end` say where in the reply it stands.

    `first` and `last` do so for its scores and labels alone, without all that stands around them.
    """

    start: int
    end: int = 0
    raw: Raw = field(default_factory=Raw)
    first: int | None = None
    last: int = 0
    parts: set[int] = field(default_factory=set)  # those with values
    more: dict[tuple[str, Cell], list[str]] = field(default_factory=dict)  # lines of longer texts
    before: dict[Cell, tuple[Question, str]] = field(default_factory=dict)  # what reasons end with

    def close(self, words: Vocabulary) -> None:
        """Puts the longer texts together, each once, however many lines it has."""
        for cell, (question, line) in self.before.items():
            told = conclusions(line, question, words, behind=False)
            self.raw.said += [(cell, question, value) for value in told]
        for (kind, cell), lines in self.more.items():
            store = self.raw.values if kind == "value" else self.raw.reasons
            store[cell] = "\n".join([str(store.get(cell, "")), *lines]).strip()
        self.more.clear()


Line = tuple[int, str]  # where it stands, and what it says


@dataclass
class Blocks:
    """The blocks of a reply, and what else its lines hold."""

    blocks: list[Block] = field(default_factory=list)
    loose: list[Line] = field(default_factory=list)  # belongs to no answer, and says something
    behind: list[str] = field(default_factory=list)  # texts that come after an answer

    @property
    def said(self) -> list[Said]:
        return [said for block in self.blocks for said in block.raw.said]


class _Reader:
    """Goes through the lines once and keeps what they belong to."""

    def __init__(self, words: Vocabulary):
        self.words = words
        self.blocks: list[Block] = [Block(0)]
        self.start = 0  # of the line that is read
        self.section = "scores"
        self.part = 0
        self.pending: Question | None = None  # named in a heading, its score still to come
        self.answered: Question | None = None  # the same, once its score has come
        self.above: Question | None = None  # answered in the line above
        self.last: tuple[int, Question] | None = None  # answered, with nothing named since
        self.open: tuple[str, Question | None] | None = None  # a text that may go on below
        self.begun = self.listing = False  # whether it has a line, and is a list
        self.given = False  # whether any answer has come
        self.apart = False  # whether a blank line stands above
        self.tabled = False  # whether a row of a table does
        self.columns: list[Question | None] = []  # of a table whose rows are parts
        self.behind: list[str] = []
        self.loose: list[Line] = []
        self.leading: list[Line] = []  # introductions, until an answer comes
        self.leads: list[Line] = []  # the last line of reasons, where it ends with a colon
        self.further: list[Line] = []  # later lines of a text, until something else comes
        self.beneath: list[Line] = []  # lines right below answers: reasons, if they are a habit
        self.quoted: list[Line] = []  # lines marked as a quotation
        self.unquoted = False

    @property
    def raw(self) -> Raw:
        return self.blocks[-1].raw

    def new_block(self) -> None:
        self.blocks.append(Block(self.start))
        self.section, self.part, self.pending, self.open = "scores", 0, None, None
        self.last = None

    def answers(self) -> None:
        """Answers in JSON stand here."""
        self.section, self.pending, self.open, self.unquoted = "scores", None, None, True
        self.answered = self.above = self.last = None
        self._given()

    def _given(self) -> None:
        """An answer comes here; reasons that lead to it with a colon may say whose it is."""
        self.given = True
        self.leading.clear()
        self.loose += self.leads
        self.leads.clear()

    def line(self, text: str, start: int, end: int) -> None:
        self.start = start
        content = (without_tags(text) if "<" in text else text).strip()
        if not content or _RULE.fullmatch(content) or FENCE.fullmatch(content):
            self.apart, self.above = True, None
            self.tabled = self.tabled and content != ""
            return
        quoted = content.startswith(">")
        content = content.lstrip("> \t")
        if not content:
            self.quoted.append((self.start, ">"))
            return
        mark = _MARK.match(content)
        if mark is not None:
            content = content[mark.end() :].lstrip() or content
        scored = _SCORED.match(content)
        if scored is not None and self.words.find(plain(scored[1])) is not None:
            content = f"{scored[1].rstrip()}: {scored[2]}{content[scored.end() :]}"
        before, known = self.blocks[-1], len(self.raw.values)
        tabled, self.tabled = self.tabled, content.startswith("|") or content.count("|") > 1
        if self.tabled:
            speaks = self._row(content, tabled)
        elif self._keyed(content) or self._heading(content):
            self.further.clear()
            speaks = True
        else:
            speaks = self._more(content, mark is not None)
        self.apart, self.above = False, None
        if speaks and quoted:
            self.quoted.append((self.start, content))
        self.unquoted |= speaks and not quoted
        block = self.blocks[-1]
        block.end = end
        if len(block.raw.values) > (known if block is before else 0):
            part, name = next(reversed(block.raw.values))
            block.parts.add(part)
            if name in self.words.decisive:
                self._given()
                self.above = self.words.names[fold(name)]
                self.last = (part, self.above)
                block.first = start if block.first is None else block.first
                block.last = end

    def _heading(self, content: str) -> bool:
        if len(content) > LONGEST_HEADING:
            return False
        word = fold(plain(content.strip("#*_: \t")).rstrip(":"))
        question = self.words.find(word)
        if word in _REASONS:
            self.section, self.pending, self.last = "reasons", None, None
            self._open("reason", self.words.only)
        elif question is not None:
            self._awaits(question, content)
        elif self.words.wraps(word):
            self.section, self.pending, self.open, self.leads = "scores", None, None, []
            self.leading.append((self.start, content))
        elif (part := _PART.fullmatch(word)) and part["label"] in self.words.part_labels:
            number = int(part["number"])
            if number in self.blocks[-1].parts and self.section == "scores":
                self.new_block()
            self.part, self.pending, self.open = number, None, None
        else:
            return False
        return True

    def _keyed(self, content: str) -> bool:
        found = _SEPARATOR.search(content, 1, LONGEST_KEY + 20)
        name = content[: found.start()].rstrip() if found is not None else "|"
        if found is None or len(name) > LONGEST_KEY or "|" in name:
            return False
        name = plain(name.strip().strip("*_`\"'"))
        rest = content[found.end() :].strip().strip("*").strip()
        question = self.words.find(name)
        if question is None:
            return self._unnamed(fold(name), rest)
        if rest in ("", "{"):
            self._awaits(question, content)
        else:
            self.pending = None
            self._take(question, rest)
        return True

    def _unnamed(self, key: str, rest: str) -> bool:
        """“Score: 4” or “Reasoning: …”, of the question a heading names, or of the only one."""
        question = self.pending or self.words.only
        if not rest:
            return False
        if question is not None and without_attribute(key) in VALUE_KEYS:
            self.open = None
            if self.given and question is self.words.only and not reads(question, rest):
                self.loose.append((self.start, rest))
            self.raw.put(self.part, question, rest)
            return True
        if key in _REASONS or key in REASON_KEYS or (_STEP.fullmatch(key) and not self.given):
            self._open("reason", question)
            self._text(rest)
            return True
        return False

    def _awaits(self, question: Question, content: str) -> None:
        """A heading that names a question: its answer, or its reasons, come below."""
        self.pending, self.open, self.last = question, None, None
        if question.id in self.words.decisive:
            self.leading.append((self.start, content))

    def _open(self, kind: str, question: Question | None) -> None:
        self.open, self.begun, self.listing = (kind, question), False, False

    def _text(self, content: str) -> None:
        """One more line of the text that is open."""
        assert self.open is not None
        kind, question = self.open
        self.begun = True
        if question is not None:
            cell = (kind, (self.part, question.id))
            self.blocks[-1].more.setdefault(cell, []).append(content)
        if kind == "reason":
            self._concluded(question, content)
        if self.given:
            self.behind.append(content)
        else:
            led = content.endswith((":", "：")) and not introduces(content, self.words.subject)
            self.leads = [(self.start, content)] if led else []

    def _concluded(self, question: Question | None, content: str) -> None:
        """Notes the values that one more line of reasons gives: to its answer, or the last one."""
        part, about = self.part, question
        if about is None and self.last is not None:
            part, about = self.last
        if about is None:
            return
        cell, block = (part, about.id), self.blocks[-1]
        if cell in block.raw.values:
            told = conclusions(content, about, self.words, behind=True)
            block.raw.said += [(cell, about, value) for value in told]
        else:
            block.before[cell] = (about, content)

    def _again(self, content: str) -> None:
        """A line below an answer may give it once more: “→ 2”, “Revised: 2”."""
        if self.last is None or self.pending is not None:
            return
        part, question = self.last
        name, mark, rest = content.rpartition(":")
        value = (rest if mark else content).strip(" *_→>")
        whole = question.step or not question.is_numeric or self.words.means(name, question)
        if (not mark or whole) and given_as(value, question):
            self.raw.said.append(((part, question.id), question, value))

    def _take(self, question: Question, rest: str) -> None:
        cell = (self.part, question.id)
        if question.id not in self.words.decisive:
            self.raw.values[cell] = ""
            self.blocks[-1].more.pop(("value", cell), None)
            self._open("value", question)
            self._text(rest)
            return
        self.open, rest = None, rest.replace("**", "")
        if self.section == "reasons" and not self.given and is_bare(question, rest):
            self.section = "scores"
        if self.section == "reasons":
            self._reason(question, rest)
            self._said(question, rest)
        elif cell not in self.raw.values:
            self.raw.values[cell] = rest
        elif reads(question, rest):
            self.new_block()
            self.part = cell[0]
            self.raw.values[cell] = rest
        elif question is self.words.only or _FIGURE.fullmatch(rest):
            self.loose.append((self.start, rest))
        else:
            self._reason(question, rest)

    def _reason(self, question: Question, rest: str) -> None:
        self.last = (self.part, question) if question.id in self.words.decisive else None
        self._open("reason", question)
        self._text(rest)

    def _said(self, question: Question, rest: str) -> bool:
        """A bare value where a reason or nothing is expected: the same again, or another one."""
        bare = is_bare(question, rest)
        if bare:
            self.raw.said.append(((self.part, question.id), question, rest))
        return bare

    def _row(self, content: str, tabled: bool) -> bool:
        cells = [plain(cell) for cell in content.strip("| ").split("|", 8)]
        self.columns = self.columns if tabled else self._columns(cells)
        if self.columns:
            if tabled and not self._across(cells):
                self.loose.append((self.start, content))
            return True
        question = self.words.find(cells[0])
        if question is None or len(cells) < 2:
            head = fold(cells[1]) if len(cells) > 1 else ""
            named = head in VALUE_KEYS or self.words.wraps(head)
            if tabled or not (named and all(map(_tells, cells[2:]))):
                self.loose.append((self.start, content))
            return True
        self.raw.put(self.part, question, cells[1])
        if len(cells) > 2:
            self.raw.because(self.part, question, cells[2], self.words)
        for cell in cells[2:]:
            self._said(question, cell)
        return True

    def _columns(self, heads: list[str]) -> list[Question | None]:
        """What heads a table with a row for each part, or one for all; none where others do too."""
        found = [self.words.find(head) for head in heads]
        if fold(heads[0]) in self.words.part_labels:
            found[0] = None
            others = [fold(head) for head, one in zip(heads[1:], found[1:], strict=True) if not one]
        else:
            others = heads if None in found or len(found) < 2 else []
        asked = {one.id for one in found if one is not None}
        known = REASON_KEYS.issuperset(others) and self.words.decisive >= asked
        return found if asked and known else []

    def _across(self, cells: list[str]) -> bool:
        """Takes a row of such a table, if it has just these cells and its part's number."""
        part = 0 if self.columns[0] is not None else part_of(cells[0], self.words)
        if part is None or len(cells) != len(self.columns):
            return False
        reasoned = next(one for one in self.columns if one is not None)
        for question, cell in zip(self.columns, cells, strict=True):
            if question is not None:
                self.raw.put(part, question, cell)
            elif cell is not cells[0]:
                self.raw.because(part, reasoned, cell, self.words)
        return True

    def _more(self, content: str, listed: bool) -> bool:
        """A line without a name; whether it is neither of a text nor around the answers."""
        if takes_leave(content) and (self.open is None or self.apart):
            return False
        self._again(content)
        if self.open is not None:
            if not self.begun:
                self.listing = listed
            elif self.given and not (listed and self.listing):
                further = self.further if self.words.only is None else self.loose
                further.append((self.start, content))
            self._text(content)
            return False
        if self.pending is not None and (self.part, self.pending.id) not in self.raw.values:
            sentence = " " in content and content.rstrip("*").endswith((".", "。"))
            if sentence and not reads(self.pending, content):
                self._reason(self.pending, content)
                return False
            self._take(self.pending, content)
            self.pending, self.answered = None, self.pending
        elif self.answered is not None and self._said(self.answered, content):
            return True
        elif introduces(last := content.rpartition(". ")[2], self.words.subject):
            self.leading.append((self.start, content))
            if last != content:
                self.loose.append((self.start, content.removesuffix(last).rstrip()))
            return False
        elif self.given and _BECAUSE.match(content) and self.words.only is not None:
            self._reason(self.words.only, content)
        elif self.above is not None and self.words.only is None:
            self.beneath.append((self.start, content))
            self._reason(self.above, content)
        else:
            self.loose.append((self.start, content))
        return True

    def reading(self) -> Blocks:
        for block in self.blocks:
            block.close(self.words)
        loose = [*self.loose, *self.leading, *self.further]
        if self.unquoted:
            loose += self.quoted
        if len(self.beneath) == 1:
            loose += self.beneath
        blocks = [block for block in self.blocks if block.raw.values]
        return Blocks(blocks, sorted(loose), self.behind)


def _tells(head: str) -> bool:
    """Whether a column beside the scores holds reasons, or the score once more by its name."""
    name = fold(head).partition("(")[0].strip()
    ends = {*name.split()[:1], *name.split()[-1:]}
    return not name or without_attribute(name) in VALUE_KEYS or not _BESIDE.isdisjoint(ends)


def read_around(
    text: str, spans: dict[tuple[int, int], bool], words: Vocabulary, *, cut: bool = False
) -> Blocks:
    """What a reply says outside of these spans of JSON; True for those that are answers.

    Of a reply cut off at its length limit the last line is left out, and nothing is read from
    JSON that never ended: “4.” may have been going to be 4.7.
    """
    if cut and not any(spans.values()):
        if "{" in text:
            return Blocks()
        text = text[: max(text.rfind("\n"), 0)]
    reader, position = _Reader(words), 0
    for (start, end), answers in [*spans.items(), ((len(text), len(text)), False)]:
        for line in text[position:start].splitlines(keepends=True):
            reader.line(line.rstrip("\r\n"), position, position + len(line))
            position += len(line)
            if len(reader.blocks) > MOST:
                reader.loose.append((position, line))
                return reader.reading()
        if answers:
            reader.answers()
        position = end
    return reader.reading()
