"""A new protocol without a blank page: a file from a few answers, with a comment on each choice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from raterbook.protocols.keys import SCHEMA_FILE, shipped
from raterbook.protocols.kinds import MOST_STEPS, TYPES, fold, plain
from raterbook.protocols.library import names, parse
from raterbook.protocols.problems import ProtocolError
from raterbook.protocols.protocol import VISIBLE
from raterbook.protocols.questions import RESERVED
from raterbook.protocols.schema import number
from raterbook.protocols.statistics import alpha_at

SYSTEMS = ("model", "system", "model name", "system name", "model id", "generator", "llm", "engine")
SMALL = re.compile(
    r"\b(a|an|and|answer|are|as|at|be|by|do|does|for|from|given|has|have|how|if|in|is|it|its|of|on|one|"
    r"or|output|response|should|that|the|there|this|to|was|what|when|where|which|who|why|will|with|"
    r"you|your|much|many|far)\b"
)
_ASKED = re.compile(r"\s*(?:([A-Za-z][A-Za-z0-9_]*)\s*:\s+)?(.*?)\s*(?:=\s*([^=]*))?", re.DOTALL)
_ENDS = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|–|to|\.\.)\s*(-?\d+(?:\.\d+)?)")
SURE = r"\b(sure|confident|certain)\b"
HOW = "write it as “Is it right? = yes, no”, “How clear is it? = 1-5”, “… = percent” or “… = text”"


@dataclass(frozen=True)
class DraftField:
    """A column of the items file, and what is known of it."""

    name: str
    show: str = "text"
    of: str = "item"
    required: bool = True
    why: str = ""  # the comment behind it


@dataclass(frozen=True)
class DraftQuestion:
    """A question as it was asked for: what is read, and the ends, options or type of its answers.

    >>> found = DraftQuestion.read("How clear is it? = 1-5")
    >>> found.prompt, found.type, found.id, found.ends
    ('How clear is it?', 'scale', 'clear', (1, 5))
    >>> DraftQuestion.read("right: Is it right? = yes, no").options
    ('yes', 'no')
    """

    prompt: str
    type: str
    id: str
    ends: tuple[int | float, int | float] = (1, 5)
    options: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()  # of a confidence

    @classmethod
    def read(cls, text: str) -> DraftQuestion:
        """From “ID: PROMPT = ANSWERS”, of which the prompt must be there."""
        match = _ASKED.fullmatch(text)
        prompt = match[2].strip() if match else ""
        if match is None or not prompt:
            raise ProtocolError(f"{text!r} asks nothing: {HOW}.")
        id = match[1].lower() if match[1] else _id(prompt)
        if id in RESERVED:
            raise ProtocolError(
                f"{text!r}: {id!r} is a word of conditions; give another id before it."
            )
        given = (match[3] or "1-5").strip()
        if ends := _ENDS.fullmatch(given):
            low, high = number(ends[1]), number(ends[2])
            if not low < high or high - low > MOST_STEPS or (high - low) % 1:
                raise ProtocolError(f"{text!r}: {given} is no scale of whole steps: {HOW}.")
            return cls(prompt, "scale", id, (low, high))
        if given in ("text", "percent"):
            return cls(prompt, given, id)
        options = tuple(part.strip() for part in given.split(",") if part.strip())
        if len(options) < 2 or len({fold(each) for each in options}) < len(options):
            raise ProtocolError(f"{text!r}: {given!r} is neither a scale nor two answers: {HOW}.")
        return cls(prompt, "choice", id, options=options)


def _id(prompt: str) -> str:
    words = r"[a-z0-9]+"
    telling = re.findall(words, SMALL.sub(" ", fold(prompt))) or re.findall(words, fold(prompt))
    found = "_".join(telling[:2]).lstrip("0123456789_")
    return found if found and found not in RESERVED else "rating"


@dataclass(frozen=True)
class ProtocolDraft:
    """What a new protocol is made from."""

    name: str
    title: str = ""
    fields: tuple[DraftField, ...] = (
        DraftField("id", "none"),
        DraftField("question", of="case"),
        DraftField("answer", "long"),
        DraftField("model", "hidden", required=False, why="raters must not know it"),
    )
    questions: tuple[DraftQuestion, ...] = ()
    key: tuple[str, ...] = ("id", "model")
    case: str = "id"
    system: str | None = "model"
    groups: tuple[str, ...] = ()

    def text(self) -> str:
        """The YAML file; what it says is read back before anybody gets it."""
        made = "\n".join(self._settled()._lines()) + "\n"
        parse(made, f"{self.name}.yaml")
        return made

    def check_free(self, path: Path) -> None:
        """A ProtocolError where this cannot become a new file."""
        if self.name in names():
            raise ProtocolError(
                f"{self.name} is a protocol that comes with raterbook: choose another name."
            )
        if not path.parent.is_dir():
            raise ProtocolError(f"{path}: there is no folder {path.parent}: make it first.")
        if path.exists():
            raise ProtocolError(f"{path} is there already and stays as it is: choose another name.")

    def write(self, path: Path) -> Path:
        """Writes the file, and the schema for editors beside it; never over one that is there."""
        text = self.text()
        self.check_free(path)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        beside = path.with_name(SCHEMA_FILE)
        with suppress(FileExistsError), beside.open("x", encoding="utf-8") as file:
            file.write(shipped())
        return path

    def _settled(self) -> ProtocolDraft:
        """Questions with ids that no other question and no column has."""
        taken = {plain(field.name) for field in self.fields}
        settled: list[DraftQuestion] = []
        for question in self.questions or (DraftQuestion.read("How good is it? = 1-5"),):
            id, turn = question.id, 1
            while plain(id) in taken:
                turn += 1
                id = f"{question.id}_{turn}" if turn > 2 else f"{question.id}_rating"
            taken.add(plain(id))
            sure = question.type == "percent" and re.search(SURE, fold(question.prompt))
            closed = (each.id for each in settled if each.type in ("scale", "choice"))
            settled.append(replace(question, id=id, covers=tuple(closed) if sure else ()))
        return replace(self, questions=tuple(settled))

    def _lines(self) -> Iterator[str]:
        title = self.title or self.name.replace("-", " ").capitalize()
        yield f"# yaml-language-server: $schema={SCHEMA_FILE}"
        yield f"# Every key that may stand here: {SCHEMA_FILE} beside it, or docs/protocol.md."
        yield "# To check it, and to see the form:"
        yield f"#   raterbook protocols {self.name}.yaml"
        yield f"#   raterbook protocols {self.name}.yaml --preview"
        yield f"name: {self.name}"
        yield f"title: {written(title)}"
        yield "about: >-  # what the task is, in a few sentences; raters and models read it"
        yield "  Outputs are read one by one, and each question is answered from what is shown."
        yield "instructions:  # steps for the rater, one each"
        yield "  - Read everything that is shown before you answer."
        yield "  - Answer each question by itself. Say so where you cannot judge."
        yield ""
        yield "item:  # one row of the items file"
        yield f"  key: [{', '.join(map(flow, self.key))}]  # what names an item"
        why = "what systems are compared on: one question, several answers"
        yield f"  case: {written(self.case)}  # {why}"
        if self.system:
            yield f"  system: {written(self.system)}  # who made the output"
        else:
            yield "  # system: model  # the column that says who made the output, if there is one"
        groups = ", ".join(map(flow, self.groups))
        if groups:
            yield f"  groups: [{groups}]  # numbers are also given by these"
        else:
            yield "  # groups: [domain]  # columns to break numbers down by"
        yield "  # show: text, long (with search), markdown, none (left out), hidden (from raters)"
        yield "  fields:"
        for field in self.fields:
            yield from _field(field)
        read = [field for field in self.fields if field.show in VISIBLE]
        if read:
            judged = min(read, key=lambda field: (field.of == "case", field.show != "long"))
            yield ""
            part = f"{{from: {flow(judged.name)}, split: sentences, label: Sentence}}"
            yield f"# parts: {part}  # to ask about each sentence: `per: part`"
        yield ""
        yield "questions:"
        for question in self.questions:
            yield from _question(question)
        yield ""
        yield "measures:  # `raterbook list statistics` has them all"
        measured = [line for question in self.questions for line in self._measures(question)]
        yield from measured or ["  []"]
        yield ""
        yield "# targets:  # what a release must reach; `raterbook check` asks"
        first = next((each for each in self.questions if each.type in ("scale", "choice")), None)
        if first is not None:
            statistic = _agreement(first)
            yield (
                f"#   - {{name: Agreement, statistic: {statistic}, question: {first.id}, "
                "at_least: 0.67}"
            )

    def _measures(self, question: DraftQuestion) -> Iterator[str]:
        columns = [*([self.system] if self.system else []), *self.groups]
        by = f", by: [{', '.join(map(flow, columns))}]" if columns else ""
        if question.type == "text":
            return
        if question.type in ("scale", "percent"):
            yield f"  - {{statistic: mean, question: {question.id}{by}}}"
        values = ", ".join(map(flow, question.options))
        if question.type == "choice":
            used: set[str] = set()
            # Of two answers the one's share is the other's remainder.
            for option in question.options[: 1 if len(question.options) == 2 else None]:
                name = re.sub(r"[^a-z0-9]+", "_", fold(option)).strip("_") or "answer"
                while name in used:
                    name += "_2"
                used.add(name)
                share = f"is: [{flow(option)}], of: [{values}]"
                statistic = f"proportion_{name}"
                yield f"  - {{statistic: {statistic}, question: {question.id}, {share}{by}}}"
        if self.system and question.type in ("scale", "choice"):
            what = f", is: [{flow(question.options[0])}], of: [{values}]" if values else ""
            yield f"  - {{statistic: difference, question: {question.id}{what}}}"
        if question.type in ("scale", "choice"):
            yield f"  - {{statistic: {_agreement(question)}, question: {question.id}}}"
            yield f"  - {{statistic: percent_agreement, question: {question.id}}}"


def _agreement(question: DraftQuestion) -> str:
    """The α for what such answers can be compared by."""
    return alpha_at(TYPES[question.type].measurement)


def _field(field: DraftField) -> Iterator[str]:
    label = re.sub(r"[_\s]+", " ", field.name).strip() or field.name
    parts = [f"label: {flow(label[:1].upper() + label[1:])}"]
    parts += [f"show: {field.show}"] if field.show != "text" else []
    parts += ["of: case"] if field.of == "case" else []
    parts += ["required: false"] if not field.required else []
    why = f"  # {field.why}" if field.why else ""
    yield f"    {written(field.name)}: {{{', '.join(parts)}}}{why}"


def _question(question: DraftQuestion) -> Iterator[str]:
    yield f"  - id: {question.id}"
    yield f"    prompt: {written(question.prompt)}"
    yield f"    type: {question.type}"
    if question.type == "scale":
        low, high = question.ends
        yield f"    min: {low}"
        yield f"    max: {high}"
        yield "    # Better than ends: every step described, and then neither min nor max."
        yield "    # levels:"
        for value, name in ((high, "Very good"), (low, "Very bad")):
            yield f"    #   - {{value: {value}, name: {name}, description: When it is right.}}"
    elif question.type == "choice":
        yield "    options:  # say of each when it is the right one"
        for option in question.options:
            said = flow(f"The answer is “{option}”.")
            yield f"      - {{value: {flow(option)}, description: {said}}}"
    if question.covers:
        yield f"    covers: [{', '.join(question.covers)}]"
    if question.type in ("text", "percent"):
        yield "    required: false"


_PLAIN = re.compile(r"[^\W_][\w ./()’'–?!-]*")
_PLAIN_IN_FLOW = re.compile(r"[^\W_][\w ./()’–-]*")
_OTHER = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")  # to other readers of YAML


def written(text: str) -> str:
    """A text as a value of YAML, in quotes where it needs them.

    >>> print(written("Is it right?"), written("Yes: it is"), written("no"), written("a\\tb"))
    Is it right? "Yes: it is" "no" "a\\x09b"
    """
    return text if _PLAIN.fullmatch(text) and _means_itself(text) else _quoted(text)


def flow(text: str) -> str:
    """The same inside brackets."""
    return text if _PLAIN_IN_FLOW.fullmatch(text) and _means_itself(text) else _quoted(text)


def _means_itself(text: str) -> bool:
    return text == text.strip() and text.isprintable() and text.lower() not in _OTHER


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def of_columns(columns: Sequence[str]) -> ProtocolDraft:
    """A draft for an items file of these columns, of which nothing more is known."""
    listed = [each.strip() for each in columns if each.strip()]
    if len({plain(each) for each in listed}) < len(listed) or not listed:
        raise ProtocolError(f"{', '.join(columns)!r}: name each column of the items file once.")
    system = next((each for each in listed if plain(each) in SYSTEMS), None)
    first = listed[0]
    fields = [DraftField(first, "none")]
    for each in listed[1:]:
        if each == system:
            fields.append(DraftField(each, "hidden", required=False, why="raters must not know it"))
        else:
            fields.append(DraftField(each))
    if all(field.show in ("none", "hidden") for field in fields):
        raise ProtocolError(f"{', '.join(listed)}: no column is left for raters to read; add one.")
    key = (first, system) if system and system != first else (first,)
    return ProtocolDraft("", fields=tuple(fields), key=key, case=first, system=system)
