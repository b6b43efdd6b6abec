"""The JSON cache of the original implementation: {ID: {key_info, question, answers}}.

Its lists are filled by separate requests and often differ in length. Where they do, nothing is
aligned by position: questions are taken without key_info, or without answers, and flagged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.judges.judging import check_open
from raterbook.judges.questeval.storing import clean, normal
from raterbook.judges.questeval.tasks import fields_of
from raterbook.judges.questeval.upstream_entry import Entry, Imported, Repeated, read_entry
from raterbook.rounds import Event, PartRow

if TYPE_CHECKING:
    from raterbook.rounds import Case, StoredRound

__all__ = ["Imported", "import_upstream"]


def import_upstream(
    stored: StoredRound,
    source: str | os.PathLike[str] | Mapping[str, Any],
    rater: str = "upstream-cache",
    version: str | None = None,
) -> Imported:
    """Questions become parts of their cases, answers those of `rater` from the reference.

    `source` is a file or its content; `version` says which model wrote it. Cases that have
    questions already keep them: the same questions take their answers again, others are flagged.
    """
    check_open(stored)
    fields_of(stored.protocol)
    content = _content(source)
    found = Imported(stored.name, rater, len(content))
    cases = {case.key: case for case in stored.cases()}
    entries = []
    for name, value in content.items():
        entry = read_entry(name, value, found)
        if entry is not None and _has_place(entry, cases, found):
            entries.append(entry)
    for key in cases:
        if key not in content:
            found.flag(key, "not_in_file", "the round has this case and the file does not")
    stored.add_rater(rater, kind="model", version=version)
    _store(stored, entries, cases, rater, found)
    return found


def _has_place(entry: Entry, cases: Mapping[str, Case], found: Imported) -> bool:
    case = cases.get(entry.id)
    if case is None:
        found.flag(entry.id, "unknown_case", "the round has no such case")
        return False
    if case.parts and [part.text for part in case.parts] != [text for text, _ in entry.questions]:
        found.flag(entry.id, "other_questions", "the case has other questions already")
        return False
    return True


def _store(
    stored: StoredRound, entries: list[Entry], cases: Mapping[str, Case], rater: str,
    found: Imported,
) -> None:
    """All questions in one transaction, then all answers in one."""
    rows = [
        PartRow(
            entry.id, None, text,
            {"written_by": rater, **({"key_info": info} if info else {})},
        )
        for entry in entries if not cases[entry.id].parts
        for text, info in entry.questions
    ]
    if rows:
        stored.add_parts(rows)
    found.questions = len(rows)
    found.cases = len(entries)
    parts = {case.key: case.parts for case in stored.cases()}
    question = stored.protocol.question("reference_answer")
    standing = stored.current(rater)
    events = []
    for entry in entries:
        for part, said in zip(parts[entry.id], entry.answers):
            ref = cases[entry.id].ref
            if said is None:
                value, status, reason = None, "skipped", entry.why
            else:
                value, status, reason = normal(question, said), "answered", None
                found.answers += 1
                found.unanswerable += value == "<Unanswerable>"
            before = standing.get((ref, part.number, question.id))
            if before is None or (before.value, before.status) != (value, status):
                events.append(
                    Event(None, ref, question.id, value, part.number, status=status, reason=reason)
                )
    for ack in stored.save(rater, events) if events else ():
        if not ack.ok:
            raise ValueError(f"{stored.name}: an answer of {rater} was not stored: {ack.reason}")


def _content(source: str | os.PathLike[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return {str(name): value for name, value in source.items()}
    path = Path(source)
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_pairs)
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg}); the cache "
            "is one object of the form {ID: {key_info, question, answers}}"
        ) from None
    except RecursionError:
        raise ValueError(f"{path}: nested too deeply for a cache of questions") from None
    if not isinstance(content, dict):
        kind = type(content).__name__
        raise ValueError(f"{path}: the cache is one object of entries by ID, and this is a {kind}")
    return content


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that stands twice with different values is marked, not overwritten."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        name = clean(name)
        if name in found and found[name] != value:
            value = Repeated()
        found[name] = value
    return found
