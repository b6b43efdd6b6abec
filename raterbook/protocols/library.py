"""Protocols by name or from a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from raterbook.protocols.problems import (
    ProtocolError,
    Steps,
    did_you_mean,
    dotted,
    located,
    one_of,
    translate,
)
from raterbook.protocols.protocol import Protocol, content_hash, normal
from raterbook.protocols.references import measure_problems, problems

FORMAT = 1  # of protocol files; a newer one may hold what we would misunderstand
_LIBRARY = Path(__file__).parent / "library"


def library_path(name: str | None = None) -> Path:
    """The file of a protocol that comes with raterbook, or the folder they are in."""
    return _LIBRARY / f"{name}.yaml" if name else _LIBRARY


def names() -> list[str]:
    """The protocols that come with raterbook."""
    return sorted(path.stem for path in _LIBRARY.glob("*.yaml"))


def load(name_or_path: str | os.PathLike[str]) -> Protocol:
    """A protocol by its name, or from a YAML file."""
    given = os.fspath(name_or_path)
    if given in names():
        return _from_file(library_path(given))
    path = Path(given)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return _from_file(path)
    raise ProtocolError(
        f"no protocol is called {given!r}{did_you_mean(given, names())} "
        f"(there are {one_of(names())}; or give the path of a YAML file)"
    )


def parse(text: str, source: str = "protocol.yaml", *, stored: bool = False) -> Protocol:
    """The protocol a YAML text describes, or a ProtocolError that lists what is wrong with it.

    A `stored` one was checked when its round was opened: what has been learnt of measures since
    then must not lock up its answers.
    """
    written = read(text, source, STORED if stored else LARGEST)
    content = dict(written.data)
    if wrong := _other_format(content.pop("format", FORMAT)):  # the file's, not the protocol's
        raise written.error([(("format",), wrong)])
    try:
        protocol = Protocol.model_validate(content)
    except ValidationError as error:
        raise written.error(translate(error)) from None
    found = [*problems(protocol), *(() if stored else measure_problems(protocol))]
    if found:
        raise written.error(found)
    protocol = normal(protocol)
    return protocol.model_copy(update={"text": text, "hash": content_hash(protocol)})


def _other_format(given: Any) -> str | None:
    """Said alone, before all that a newer file may hold is called unknown."""
    said = str(given)[:20] if isinstance(given, int | str) else ""
    if not (said.isdecimal() and int(said) > 0):
        return f"format {given!r} is not a whole number: write format: {FORMAT}"
    if int(said) > FORMAT:
        return (
            f"format {said} is newer than this raterbook reads ({FORMAT}): install the newer "
            "version to work with it"
        )
    return None


def _from_file(path: Path) -> Protocol:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ProtocolError(f"{path}: {error.strerror or error}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(content) <= LARGEST:
            line = content[: error.start].count(b"\n") + 1
            raise ProtocolError(f"{path.name}, line {line}: not UTF-8; save it as UTF-8") from None
        text = content.decode("latin-1")  # too large anyway: let the reader say so
    return parse(text, source=path.name)


# YAML as its author sees it: every value a text with its line, and nothing clever.
#
# No aliases (they hide what is said, and can be made to explode), no tags, no second document, no
# key twice. `no`, `12:30` and `1.0` arrive as these texts; the schema gives them their types.


# The same in C, where PyYAML was built with it: a tenth of the time.
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
LARGEST = 300_000  # bytes; the largest of ours has 20,000
STORED = 1_000_000  # that a round was opened with before
DEEPEST = 30


@dataclass(frozen=True)
class Document:
    """The content of a file and the line of every path in it."""

    source: str
    data: dict[str, Any]
    lines: dict[Steps, int]

    def line(self, path: Steps) -> int | None:
        """The line of a path, or of the nearest thing around it that was written."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def error(self, problems: list[tuple[Steps, str]]) -> ProtocolError:
        return ProtocolError(
            [located(self.source, self.line(path), message) for path, message in problems]
        )


def read(text: str, source: str, largest: int = LARGEST) -> Document:
    """The text's content, or a ProtocolError that names the line."""
    if len(text.encode("utf-8", "surrogatepass")) > largest:
        raise ProtocolError(f"{source}: larger than {largest:,} bytes; a protocol is a short text")
    try:
        refuse_cleverness(text, source)
        node = yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        what = " ".join(str(part) for part in (error.context, error.problem) if part)
        line, hint = _not_yaml(error, what, text.splitlines())
        raise ProtocolError(located(source, line, f"not YAML: {what} ({hint})")) from None
    except yaml.YAMLError as error:
        first = str(error).splitlines()[0]
        raise ProtocolError(f"{source}: not YAML: {first}") from None
    if node is None:
        raise ProtocolError(
            f"{source}: the file is empty; `raterbook protocols --new NAME` writes a first one"
        )
    if not isinstance(node, yaml.MappingNode):
        raise ProtocolError(located(source, 1, "a protocol is a mapping that begins with name:"))
    lines: dict[Steps, int] = {}
    return Document(source, _content(node, (), lines, source), lines)


# What is most likely meant by an error of YAML's parser, by words in it.
_HINTS = {
    "unexpected end": "a quote that opens here is never closed",
    "flow": "a bracket that opens here is not closed, or a comma is missing",
    "mapping values": "a text with a colon in it needs quotes around it",
    "'-' indicator": "more or fewer spaces before this line than before its neighbours, or a line "
    "without - in a list",
    "expected key": "more or fewer spaces before this line than before its neighbours, or no colon",
    "':'": "a key needs a colon and a space behind it",
    "escape": "between double quotes \\ begins a sign: write \\\\ for one, or use single quotes",
    "any token": "a text that begins with %, @ or ` needs quotes around it",
}


def _not_yaml(error: yaml.MarkedYAMLError, what: str, lines: list[str]) -> tuple[int | None, str]:
    """The line to look at, and what to do there."""
    mark = error.problem_mark or error.context_mark
    if error.context_mark and ("flow" in what or "unexpected end" in what):
        mark = error.context_mark  # where it opened; the other end may be the end of the file
    if mark is None:
        return None, "a text with : , ? # or brackets in it may need quotes"
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return mark.line + 1, "a tab: indent with spaces"
    hint = next((hint for words, hint in _HINTS.items() if words in what), None)
    return mark.line + 1, hint or "a text with : , ? # or brackets in it may need quotes"


def refuse_cleverness(text: str, source: str) -> None:
    """What is not plain YAML, by its line, before anything is made of it."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=LOADER):
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.AliasEvent):
            raise ProtocolError(located(source, line, "an alias (*): write out what it stands for"))
        for what in ("anchor", "tag"):
            given = getattr(event, what, None)
            if given:
                raise ProtocolError(located(source, line, f"{what} {given!r}: leave it out"))
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise ProtocolError(
                    located(source, line, "a second document: one file, one protocol")
                )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise ProtocolError(located(source, line, f"nested deeper than {DEEPEST} levels"))
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _content(node: yaml.Node, path: Steps, lines: dict[Steps, int], source: str) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [
            _content(child, (*path, number), lines, source)
            for number, child in enumerate(node.value)
        ]
    content: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ProtocolError(located(source, line, f"{dotted(path)}: a key must be a text"))
        here = (*path, key.value)
        if key.value in content:
            first = lines[here]
            raise ProtocolError(
                located(source, line, f"{dotted(here)} stands twice (first on line {first})")
            )
        lines[here] = line
        content[key.value] = _content(value, here, lines, source)
    return content
