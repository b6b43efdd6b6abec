"""What a protocol's author is told: the file, the line, the key, the value, and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

if TYPE_CHECKING:
    from raterbook.protocols.questions import Question


Steps = tuple[str | int, ...]
Problem = tuple[Steps, str]  # where in the file, and what is wrong there
SHOWN, LONGEST = 20, 1_500  # problems, and characters of one
# What moves a terminal's cursor, turns the direction of a line, or cannot be written at all.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: object) -> str:
    r"""Text of anybody's as it may stand on a terminal; line ends and tabs stay.

    >>> printable("a\x1b[31mb\u202ec")
    'a\\x1b[31mb\\u202ec'
    """
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], str(text))


class Refusal(ValueError):
    """Something wrong with what was given: its message says all there is to say."""

    def _render_traceback_(self) -> list[str]:
        """In a notebook too: the lines that led to it are ours."""
        return [printable(self)]


class ProtocolError(Refusal):
    """A protocol that cannot be used; `problems` has every reason, the message the first twenty."""

    def __init__(self, problems: str | Iterable[str]):
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        shown = [each[:LONGEST] + "…" * (len(each) > LONGEST) for each in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            shown.append(f"and {len(self.problems) - SHOWN} more")
        super().__init__("\n".join(shown))


def located(source: str, line: int | None, message: str) -> str:
    return f"{source}, line {line}: {message}" if line else f"{source}: {message}"


def dotted(path: Steps) -> str:
    return ".".join(str(step) for step in path)


def one_of(values: Iterable[Any]) -> str:
    return ", ".join(str(value) for value in values)


LONGEST_NAME = 100  # longer ones are like no other


def nearest(word: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """The one of these names that is most like the word, if any is so much alike."""
    if len(word) > LONGEST_NAME:
        return None
    short = [name for name in known if len(name) <= LONGEST_NAME]
    return next(iter(get_close_matches(word, short, 1, alike)), None)


def hint(word: str, known: Iterable[str], alike: float = 0.6) -> str:
    """What else the word may have been, behind a sentence: “ Did you mean tone?”."""
    near = nearest(word, known, alike)
    return f" Did you mean {near}?" if near else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The same within one: “; did you mean 'tone'?”."""
    near = nearest(word, known)
    return f"; did you mean {near!r}?" if near else ""


def unknown(word: str, known: Iterable[str], what: str) -> str:
    """“'foo' is not a question; did you mean 'food'? Known: a, b”."""
    known = list(known)
    return f"{word!r} is not {what}{did_you_mean(word, known)} (known: {one_of(known) or 'none'})"


def named(path: Steps, word: str, known: Collection[str], what: str) -> Iterator[Problem]:
    """A problem where the word at this path is not one of the known."""
    if word not in known:
        yield path, f"{dotted(path)} {unknown(word, known, what)}"


def value_problem(path: Steps, question: Question, value: Any) -> Iterator[Problem]:
    """A problem where the value at this path is no answer to the question."""
    try:
        question.check(value)
    except ValueError as error:
        yield path, f"{dotted(path)} {error}"


def translate(error: ValidationError) -> list[Problem]:
    """pydantic's errors as (path in the file, words for its author)."""
    found: list[Problem] = []
    shapes: set[tuple[Steps, str]] = set()
    for problem in error.errors():
        path: Steps = tuple(step for step in problem["loc"] if step != "[key]")
        context, value = problem.get("ctx") or {}, problem["input"]
        path += getattr(context.get("error"), "path", ())
        if problem["type"] in _SHAPES and path and isinstance(path[-1], int):
            if (path[:-1], problem["type"]) in shapes:
                continue  # every entry of the list is written so, which is said of the first
            shapes.add((path[:-1], problem["type"]))
        if problem["type"] == "too_short" and value:
            continue  # a list whose entries are wrong, which is said of them
        if problem["type"] == "unknown_key":
            for key in context["unknown"]:
                near = did_you_mean(key, context["allowed"])
                words = f"is not a known key{near} (allowed: {one_of(context['allowed'])})"
                found.append(((*path, key), f"{dotted((*path, key))} {words}"))
            continue
        found.append((path, _sentence(path, problem["type"], context, value)))
    return found


_SHAPES = ("dict_type", "model_type", "model_attributes_type", "tuple_type", "list_type")


def _sentence(path: Steps, kind: str, context: dict[str, Any], value: Any) -> str:
    where = dotted(path) or "the protocol"
    if kind == "missing":
        return f"{where} is missing: add “{path[-1]}: …”"
    if kind == "literal_error":
        allowed = context["expected"].replace("'", "").replace(" or ", ", ")
        return f"{where} {value!r} is not one of {allowed}"
    if kind in ("string_too_short", "too_short") or value == "":
        return f"{where} is empty: write what it says, or leave it out where it may be"
    if kind == "value_error":
        return f"{where} {context['error']}"
    if kind == "string_type":
        return f"{where} must be a text, not {_shape(value)}: write one text"
    if kind in _SHAPES[:3]:
        return f"{where} must be a mapping (key: value), not {_shape(value)}"
    if kind in _SHAPES[3:]:
        words = (
            f"[{value}]" if isinstance(value, str) else "each entry in a line that begins with -"
        )
        return f"{where} must be a list, not {_shape(value)}: write {words}"
    return f"{where} {value!r}: {kind.replace('_', ' ')}"


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    return f"the text {value!r}"


def joined(words: Sequence[str], last: str = "and") -> str:
    """
    >>> joined(["a", "b", "c"], "or")
    'a, b or c'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
