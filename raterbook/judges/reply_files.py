"""Files of prompts to paste and of replies that came back: JSONL, CSV, or plain text."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.rounds.checking import MOST_REPLICATES
from raterbook.rounds.exchange import delimited

if TYPE_CHECKING:
    from raterbook.judges.by_hand import Asking

Replies = dict[tuple[str, int], str]  # (sheet or item, replicate) → the reply's text
_MARK = re.compile(r"^===[ \t]*(?P<id>\S[^\n]*?)[ \t]*===[ \t]*$", re.MULTILINE)
_ID = ("id", "item", "subject")
_TEXT = ("reply", "raw_response", "response", "text", "output", "completion")


def prompts_as_text(askings: Sequence[Asking], jsonl: bool) -> str:
    if jsonl:
        lines = (
            json.dumps(
                {"id": one.id, "messages": list(one.prompt.messages), "hash": one.prompt.hash},
                ensure_ascii=False,
            )
            for one in askings
        )
        return "".join(f"{line}\n" for line in lines)
    return "\n".join(f"=== {one.id} ===\n\n{one.prompt.text}\n" for one in askings)


def read_replies(file: str | Path) -> Replies:
    """Replies by id and replicate; the first thing wrong with the file is named by its place."""
    source = str(file)
    if source == "-":
        source, text = "standard input", sys.stdin.read()
    else:
        try:
            text = Path(file).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise ValueError(f"{source}: there is no such file of replies") from None
        except UnicodeDecodeError:
            raise ValueError(f"{source}: not UTF-8; save it as UTF-8") from None
    if Path(source).suffix == ".csv":
        return _collected(_from_csv(text, source), source)
    if _MARK.search(text):
        return _collected(_from_text(text), source)
    return _collected(_from_jsonl(text, source), source)


def _from_jsonl(text: str, source: str) -> Iterable[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{source}, line {number}"
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            if isinstance(error, RecursionError):
                error = ValueError("nested too deeply")
            raise ValueError(
                f'{where}: not JSON ({error}). Write a line {{"id": …, "reply": …}} for each '
                "reply, or a line === id === before each"
            ) from None
        if not isinstance(content, dict):
            raise ValueError(f'{where}: write {{"id": …, "reply": …}}')
        if content.get("status") != "api_error":  # no reply came; a later line may have one
            yield where, content


def _from_csv(text: str, source: str) -> Iterable[tuple[str, dict[str, Any]]]:
    columns, numbers, rows, _ = delimited.read(text, Path(source).name)
    for number, row in zip(numbers, rows):
        if len(row) != len(columns) and any(row):
            raise ValueError(f"{source}, row {number}: {len(row)} cells where the header has "
                             f"{len(columns)}. Put replies with commas or line breaks in quotes")
        if any(row):
            yield f"{source}, row {number}", dict(zip(columns, row))


def _from_text(text: str) -> Iterable[tuple[str, dict[str, Any]]]:
    marks = list(_MARK.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends):
        name = mark["id"]
        yield f"=== {name} ===", {"id": name, "reply": text[mark.end() : end].strip()}


def _collected(rows: Iterable[tuple[str, dict[str, Any]]], source: str) -> Replies:
    found: Replies = {}
    for where, row in rows:
        name = next((row[key] for key in _ID if row.get(key)), None)
        text = next((row[key] for key in _TEXT if isinstance(row.get(key), str)), None)
        if not isinstance(name, str) or text is None:
            raise ValueError(
                f"{where}: an id (one of {', '.join(_ID)}) and a reply (one of "
                f"{', '.join(_TEXT)}) are needed; it has {', '.join(map(str, row)) or 'nothing'}"
            )
        cell = (name, _replicate(row.get("replicate"), where))
        if cell in found and found[cell] != text:
            raise ValueError(f"{where}: {name!r} stands twice in {source}, with different replies")
        found[cell] = text
    if not found:
        raise ValueError(f"{source}: there is no reply in it")
    return found


def _replicate(value: Any, where: str) -> int:
    if value in (None, ""):
        return 1
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if not 1 <= number <= MOST_REPLICATES:
        raise ValueError(f"{where}: replicate {value!r} is not a whole number from 1 to "
                         f"{MOST_REPLICATES:,}")
    return number
