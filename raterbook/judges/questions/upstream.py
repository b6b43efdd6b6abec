"""The JSON cache of the original implementation: {ID: {key_info, question, answers}}.

Its lists are filled by separate requests and often differ in length. Where they do, nothing is
aligned by position: questions are taken without key_info, or without answers, and flagged.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import raterbook.judges.cache as cache
from raterbook.files.content import read_json
from raterbook.judges.judging import check_open
from raterbook.judges.questions.run import fields_of
from raterbook.judges.questions.wording import clean, normal
from raterbook.protocols import UNANSWERABLE
from raterbook.rounds import Event, PartRow
from raterbook.rounds.model import shown

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.rounds import Case, Round


# One entry of the upstream cache: what of it can be used, and what is flagged.


FLAGS = {
    "unknown_case": "no such case in the round; left out",
    "not_in_file": "a case of the round that the file does not have",
    "other_questions": "the case has other questions already; left out",
    "repeated_id": "the ID stands twice with different contents; left out",
    "not_an_entry": "the entry is not {key_info, question, answers}; left out",
    "no_questions": "no list of questions, or an empty one; left out",
    "key_info_count": "key_info and questions differ in number; questions taken without key_info",
    "answer_count": "answers and questions differ in number; questions taken without answers",
    "no_answers": "no answers at all; questions taken without answers",
    "blank_question": "a question is blank or no text; left out with its answer",
    "repeated_question": "a question stands twice; the second is left out with its answer",
    "blank_answer": "an answer is blank or no text; it counts as missing",
}


class Repeated:
    """Stands for the contents of a key that had several."""


@dataclass(frozen=True)
class Entry:
    """Usable questions with their key_info, and one answer each: None where it is missing."""

    id: str
    questions: tuple[tuple[str, str], ...]
    answers: tuple[str | None, ...]
    why: str = "blank"  # the answers are missing


@dataclass
class Imported:
    """What came in, and what was flagged: (ID, flag, detail)."""

    round: str
    rater: str
    entries: int
    cases: int = 0
    questions: int = 0
    answers: int = 0
    unanswerable: int = 0
    flags: list[tuple[str, str, str]] = field(default_factory=list)

    def flag(self, name: str, flag: str, detail: str) -> None:
        self.flags.append((name, flag, detail))

    @property
    def counts(self) -> dict[str, int]:
        """Flag → how many times."""
        return dict(Counter(flag for _, flag, _ in self.flags))

    def flagged(self, flag: str) -> list[str]:
        """The IDs with this flag."""
        return [name for name, each, _ in self.flags if each == flag]

    def __str__(self) -> str:
        line = (
            f"{self.round}: {self.questions} questions for {self.cases} of {self.entries} entries, "
            f"{self.answers} answers of {self.rater} ({self.unanswerable} unanswerable)"
        )
        notes = [f"{count} × {FLAGS[flag]}" for flag, count in self.counts.items()]
        return "\n".join([line, *notes])

    def frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.flags, columns=["id", "flag", "detail"])


def read_entry(name: str, value: Any, found: Imported) -> Entry | None:
    """The entry as far as it can be trusted; None where nothing of it can."""
    if isinstance(value, Repeated):
        found.flag(name, "repeated_id", "different contents under one ID")
        return None
    if not isinstance(value, dict):
        found.flag(name, "not_an_entry", f"a {type(value).__name__}")
        return None
    asked = value.get("question", value.get("questions"))
    if not isinstance(asked, list) or not asked:
        found.flag(name, "no_questions", f"question is {_shown(asked)}")
        return None
    infos = _aligned(name, value.get("key_info"), asked, "key_info_count", found)
    answers = value.get("answers")
    if not answers or not isinstance(answers, list):
        found.flag(name, "no_answers", f"answers is {_shown(answers)}")
        said = None
    else:
        said = _aligned(name, answers, asked, "answer_count", found)
    questions: dict[str, str] = {}
    kept: list[str | None] = []
    for place, text in enumerate(asked):
        plain = _plain(text)
        if not plain:
            found.flag(name, "blank_question", f"place {place + 1}: {_shown(text)}")
            continue
        if plain in questions:
            found.flag(name, "repeated_question", f"place {place + 1}: {plain}")
            continue
        questions[plain] = _plain(infos[place]) if infos is not None else ""
        answer = _plain(said[place]) if said is not None else ""
        if said is not None and not answer:
            found.flag(name, "blank_answer", f"place {place + 1}: {_shown(said[place])}")
        kept.append(answer or None)
    if not questions:
        found.flag(name, "no_questions", "every question is blank")
        return None
    return Entry(
        name, tuple(questions.items()), tuple(kept), "blank" if said is not None else "mismatch"
    )


def _aligned(
    name: str, other: Any, asked: list[Any], flag: str, found: Imported
) -> list[Any] | None:
    """The other list where it has one entry for each question; else a flag."""
    if isinstance(other, list) and len(other) == len(asked):
        return other
    size = len(other) if isinstance(other, list) else _shown(other)
    if other is not None or flag != "key_info_count":
        found.flag(name, flag, f"{len(asked)} questions, {flag.removesuffix('_count')}: {size}")
    return None


def _plain(value: Any) -> str:
    return " ".join(clean(value).split()) if isinstance(value, str) else ""


def _shown(value: Any) -> str:
    return shown(repr(value), 40)


__all__ = ["Imported", "import_upstream"]


def import_upstream(
    stored: Round,
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
    stored: Round,
    entries: list[Entry],
    cases: Mapping[str, Case],
    rater: str,
    found: Imported,
) -> None:
    """All questions in one transaction, then all answers in one."""
    rows = [
        PartRow(
            entry.id,
            None,
            text,
            {"written_by": rater, **({"key_info": info} if info else {})},
        )
        for entry in entries
        if not cases[entry.id].parts
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
                found.unanswerable += value == UNANSWERABLE
            before = standing.get((ref, part.number, question.id))
            if before is None or (before.value, before.status) != (value, status):
                events.append(
                    Event(None, ref, question.id, value, part.number, status=status, reason=reason)
                )
    cache.put(stored, rater, events)


def _content(source: str | os.PathLike[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return {str(name): value for name, value in source.items()}
    path = Path(source)
    remedy = "the cache is one object of the form {ID: {key_info, question, answers}}"
    content = read_json(path, "questions", remedy, object_pairs_hook=_pairs)
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
