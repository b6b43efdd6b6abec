"""YAML as its author sees it: every value a text with its line, and nothing clever.

No aliases (they hide what is said, and can be made to explode), no tags, no second document, no key
twice. `no`, `12:30` and `1.0` arrive as these texts; the schema gives them their types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from raterbook.protocols.errors import Path, ProtocolError, dotted, located

# The same in C, where PyYAML was built with it: a tenth of the time.
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
LARGEST = 1_000_000  # bytes; the largest of ours has 20,000
DEEPEST = 30


@dataclass(frozen=True)
class Written:
    """The content of a file and the line of every path in it."""

    source: str
    data: dict[str, Any]
    lines: dict[Path, int]

    def line(self, path: Path) -> int | None:
        """The line of a path, or of the nearest thing around it that was written."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def error(self, problems: list[tuple[Path, str]]) -> ProtocolError:
        return ProtocolError(
            [located(self.source, self.line(path), message) for path, message in problems]
        )


def read(text: str, source: str) -> Written:
    """The text's content, or a ProtocolError that names the line."""
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
        raise ProtocolError(f"{source}: larger than {LARGEST:,} bytes; a protocol is a short text")
    try:
        _refuse_cleverness(text, source)
        node = yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(str(part) for part in (error.context, error.problem) if part)
        hint = " (a text with : , ? # or brackets in it may need quotes)"
        raise ProtocolError(
            located(source, mark.line + 1 if mark else None, f"not YAML: {what}{hint}")
        ) from None
    except yaml.YAMLError as error:
        first = str(error).splitlines()[0]
        raise ProtocolError(f"{source}: not YAML: {first}") from None
    if node is None:
        raise ProtocolError(f"{source}: the file is empty")
    if not isinstance(node, yaml.MappingNode):
        raise ProtocolError(located(source, 1, "a protocol is a mapping that begins with name:"))
    lines: dict[Path, int] = {}
    return Written(source, _content(node, (), lines, source), lines)


def _refuse_cleverness(text: str, source: str) -> None:
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


def _content(node: yaml.Node, path: Path, lines: dict[Path, int], source: str) -> Any:
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
