"""One entry of the upstream cache: what of it can be used, and what is flagged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from raterbook.judges.questeval.storing import clean

if TYPE_CHECKING:
    import pandas as pd

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
    questions: list[tuple[str, str]] = []
    kept: list[str | None] = []
    for place, text in enumerate(asked):
        plain = _plain(text)
        if not plain:
            found.flag(name, "blank_question", f"place {place + 1}: {_shown(text)}")
            continue
        if plain in {question for question, _ in questions}:
            found.flag(name, "repeated_question", f"place {place + 1}: {plain}")
            continue
        questions.append((plain, _plain(infos[place]) if infos is not None else ""))
        answer = _plain(said[place]) if said is not None else ""
        if said is not None and not answer:
            found.flag(name, "blank_answer", f"place {place + 1}: {_shown(said[place])}")
        kept.append(answer or None)
    if not questions:
        found.flag(name, "no_questions", "every question is blank")
        return None
    return Entry(name, tuple(questions), tuple(kept), "blank" if said is not None else "mismatch")


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
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
