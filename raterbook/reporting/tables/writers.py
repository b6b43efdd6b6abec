"""Who wrote the questions of a round, and whether the same family of models answers them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

ANSWERS = ("reference_answer", "generated_answer")
# Names under which one maker's models go beside the first word of the others.
KIN = {
    **dict.fromkeys(("chatgpt", "o", "davinci"), "gpt"),
    **dict.fromkeys(("mixtral", "ministral", "codestral", "magistral", "pixtral"), "mistral"),
    **dict.fromkeys(("codellama", "tinyllama"), "llama"),
    "gemma": "gemini",
    "qwq": "qwen",
}


@dataclass(frozen=True)
class Part:
    """What a family's models did: wrote so many of all questions, and whether they answer any."""

    family: str
    written: int
    questions: int
    answers: bool

    @property
    def is_both(self) -> bool:
        return bool(self.written and self.answers)


def family(model: str) -> str:
    """The first word of a model's name, without its maker's folder: llama of org/Llama-3.1-8B."""
    name = model.strip().rpartition("/")[2].lower()
    word = re.match(r"[^\W\d_]+", name)
    return KIN.get(word[0], word[0]) if word else name


def families(report: Any) -> list[Part]:
    """Every family of models with a part in the questions, those that wrote most first."""
    models: dict[str, str] = {}
    for rater in report.stored.raters():
        if rater.kind == "model":
            models[rater.name] = models[rater.pseudonym] = family(model_of(rater))
    given = report.counted.given
    answered = set(given.loc[given["question"].isin(ANSWERS), "rater"])
    answering = {models[name] for name in answered if name in models}
    written = [models.get(name, family(name)) for name in writers(report.stored, models)]
    total = sum(len(case.parts) for case in report.stored.cases())
    found = [
        Part(one, written.count(one), total, one in answering) for one in answering | set(written)
    ]
    return sorted(found, key=lambda part: (-part.written, part.family))


def writers(stored: Any, known: Iterable[str] = ()) -> Iterable[str]:
    """The rater who wrote each question; those of people and files are left out.

    The prompts are noted behind the name in brackets; a `known` name may have brackets itself.
    """
    names = sorted(known, key=len, reverse=True)
    with stored.store.read() as connection:
        hidden = stored.inside(connection).hidden
    for case in stored.cases():
        for part in case.parts:
            by = hidden.get((case.id, part.number), {}).get("written_by")
            if by:
                given = (name for name in names if by == name or by.startswith(f"{name} ("))
                yield next(given, by.rpartition(" (")[0] or by)


def model_of(rater: Any) -> str:
    """The model a run noted at the head of the rater’s version, else the rater’s name."""
    model, noted, _ = (rater.version or "").partition(", ")
    return model if noted and ", prompts " in rater.version else rater.name
