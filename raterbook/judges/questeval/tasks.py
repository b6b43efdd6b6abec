"""What is left to do in a round, step by step: which texts, and which questions about each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from raterbook.protocols import Protocol

if TYPE_CHECKING:
    from raterbook.rounds import Case, StoredRound

ASKED = {"check": "keep", "reference": "reference_answer", "generated": "generated_answer"}


@dataclass(frozen=True)
class Fields:
    """The columns that hold the two texts."""

    reference: str
    generated: str


@dataclass(frozen=True)
class Task:
    """One text in one step; `ref` and `key` name its case or item."""

    step: str
    ref: str
    key: str
    text: str
    questions: Mapping[int, str] = field(default_factory=dict)


def fields_of(protocol: Protocol) -> Fields:
    """Where the protocol's two answers are to be found; a ValueError where it asks for none."""
    asked = {question.id: question for question in protocol.questions}
    found: list[list[str]] = []
    for name, of in (("reference_answer", "case"), ("generated_answer", "item")):
        question = asked.get(name)
        if question is None or question.of != of or question.per != "part":
            found = []
            break
        found.append([each for each in question.shows if each in protocol.item.fields])
    of_case = protocol.parts is not None and protocol.parts.of == "case"
    if not of_case or len(found) != 2 or any(len(shown) != 1 for shown in found):
        raise ValueError(
            f"Protocol {protocol.name} has no questions to generate: its parts must belong to the "
            "case, with reference_answer (of: case) and generated_answer (of: item) per part, each "
            "showing one text, as in rag-questeval."
        )
    return Fields(found[0][0], found[1][0])


def tasks(
    stored: StoredRound, step: str, rater: str, items: Iterable[str] | None = None,
    fresh: bool = False,
) -> list[Task]:
    """The tasks of a step that this rater has not done yet; with `fresh`, all but the writing."""
    fields = fields_of(stored.protocol)
    wanted = None if items is None else set(items)
    chosen = [
        item for item in stored.items()
        if wanted is None or wanted & {item.key, item.ref, item.case}
    ]
    names = {item.case for item in chosen}
    cases = {case.key: case for case in stored.cases() if case.key in names}
    if step == "write":
        return [
            Task(step, case.ref, case.key, case.fields.get(fields.reference, ""))
            for case in cases.values() if not case.parts
        ]
    question = ASKED[step]
    if question not in {each.id for each in stored.protocol.questions}:
        return []
    answered = _answered(stored, rater, question, fresh)
    found = []
    if step == "generated":
        texts = [
            (item.ref, item.key, item.fields.get(fields.generated, ""), cases[item.case])
            for item in chosen
        ]
    else:
        texts = [
            (case.ref, case.key, case.fields.get(fields.reference, ""), case)
            for case in cases.values()
        ]
    for ref, key, text, case in texts:
        left = _left(case, ref, answered)
        if left:
            found.append(Task(step, ref, key, text, left))
    return found


def _answered(
    stored: StoredRound, rater: str, question: str, fresh: bool
) -> set[tuple[str, int]]:
    if fresh or rater not in {each.name for each in stored.raters()}:
        return set()
    return {
        (ref, part) for (ref, part, asked), answer in stored.current(rater).items()
        if asked == question and answer.status == "answered"
    }


def _left(case: Case, ref: str, answered: set[tuple[str, int]]) -> dict[int, str]:
    """All questions of a text while one is open: a question is answered among its fellows."""
    open_ = [part for part in case.parts if (ref, part.number) not in answered]
    return {part.number: part.text for part in case.parts} if open_ else {}
