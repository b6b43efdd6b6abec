"""One rater's sheet of one item: what is asked, and how far it may be seen.

Whether an item is complete is for the store to say, when the rater submits it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from raterbook.protocols import Protocol, Question, holds, is_missing
from raterbook.protocols.conditions import leaves
from raterbook.protocols.protocol import fields_until, parts_until
from raterbook.rounds import Mark
from raterbook.rounds.marks import evidence
from raterbook.rounds.parts import Page

Key = tuple[str, int, str]  # subject, part, question


@dataclass(frozen=True)
class Slot:
    """A question put about the item, its case, or one of their parts."""

    subject: str
    part: int
    question: Question
    stage: int

    @property
    def key(self) -> Key:
        return (self.subject, self.part, self.question.id)


def slots(protocol: Protocol, item: str, case: str, parts: tuple[int, ...]) -> Iterator[Slot]:
    """Every place to answer; `item` and `case` are their opaque names."""
    for stage, names in enumerate(protocol.stages):
        for name in names:
            question = protocol.question(name)
            subject = case if question.of == "case" else item
            for part in parts if question.per == "part" else (0,):
                yield Slot(subject, part, question, stage)


def untouched(asked: list[Slot], answers: Mapping[Key, Any]) -> list[Slot]:
    """What the protocol requires and this rater has neither answered nor put aside."""
    found = []
    values = _values(asked, answers)
    for slot in asked:
        held = answers.get(slot.key)
        status = None if held is None else held.status
        known = {**values.get(0, {}), **values.get(slot.part, {})}
        # A skipped question is missing, and holds no stage back.
        if status != "skipped" and is_missing(slot.question, known, status):
            found.append(slot)
    return found


def _values(asked: list[Slot], answers: Mapping[Key, Any]) -> dict[int, dict[str, Any]]:
    """What conditions look at: per part, question → value."""
    values: dict[int, dict[str, Any]] = {}
    for slot in asked:
        held = answers.get(slot.key)
        if held is not None and held.status == "answered":
            values.setdefault(slot.part, {})[slot.question.id] = held.value
    return values


def reached(protocol: Protocol, asked: list[Slot], answers: Mapping[Key, Any]) -> int:
    """The last stage that may be seen: the first with something missing, or one that shows no more.

    A later stage is not held back where it shows nothing that the stages before it did not.
    """
    left = untouched(asked, answers)
    last = len(protocol.stages) - 1
    # Before its questions are written nothing of an item has been answered.
    stage = min((slot.stage for slot in left), default=last if asked else 0)
    return free(protocol, stage, last)


def free(protocol: Protocol, stage: int, last: int) -> int:
    """The last stage in one go from this: each of them shows no more than the one before."""
    while (
        stage < last
        and fields_until(protocol, stage + 1) <= fields_until(protocol, stage)
        and parts_until(protocol, stage + 1) <= parts_until(protocol, stage)
    ):
        stage += 1
    return stage


def early(
    protocol: Protocol, item: Page, answers: Mapping[Key, Any], key: Key
) -> tuple[str, bool] | None:
    """Why this is not asked yet, and whether it may come again; None where it may be stored.

    `answers` has what was taken back too. A message that was lost comes again after the next one,
    so that an answer may be here before the one that its question rests on.
    """
    _, part, name = key
    question = protocol.question(name)
    asked = list(slots(protocol, item.ref, item.case, tuple(one.number for one in item.parts)))
    stage = next(place for place, names in enumerate(protocol.stages) if name in names)
    # Whether there is such a part is not told before its step either.
    if stage > reached(protocol, asked, answers):
        return f"“{question.label}” is asked in a later step: answer what comes before it", False
    values = _values(asked, answers)
    if question.when is None or holds(question.when, {**values.get(0, {}), **values.get(part, {})}):
        return None
    said = {other for _, where, other in answers if where in (0, part)}
    unsaid = [other for other, _ in leaves(question.when) if other not in said]
    if not unsaid:
        return None  # for the store to refuse, or to keep as history
    labels = " and ".join(f"“{protocol.question(one).label}”" for one in dict.fromkeys(unsaid))
    return f"“{question.label}” rests on {labels}, which is not answered here yet", True


# What the browser is told: plain JSON of what this rater may see, under opaque names.


def scope(secret: str, rater: str) -> str:
    """Names this rater's outbox in the browser. It belongs to the round, wherever that moves."""
    return sha256(f"{secret}\x1fform\x1f{rater}".encode()).hexdigest()[:24]


def item_page(
    protocol: Protocol,
    item: Page,
    current: Mapping[Key, Any],
    marks: Mark,
    after: Mapping[str, str] | None,
) -> dict[str, Any]:
    """One item: the fields of the stages this rater has reached, and what the rater answered."""
    numbers = tuple(part.number for part in item.parts)
    asked = list(slots(protocol, item.ref, item.case, numbers))
    stage = reached(protocol, asked, current)
    shown, cut = fields_until(protocol, stage), parts_until(protocol, stage)
    return {
        "ref": item.ref,
        "case": item.case,
        "stage": stage,
        "fields": {name: text for name, text in item.fields.items() if name in shown},
        "parts": [{"number": part.number, "text": part.text} for part in item.parts if cut],
        "withheld": protocol.parts is not None and not cut,
        "answers": _answers(asked, current),
        "submitted": marks.submitted,
        "flagged": marks.flagged,
        "flag_reason": marks.reason,
        "evidence": [each for each in evidence(marks.notes) if each["field"] in shown],
        "held": any(field.held for field in protocol.item.fields.values()),
        "after": None if after is None else revealed(protocol, after),
    }


def _answers(asked: Iterable[Slot], current: Mapping[Key, Any]) -> list[dict[str, Any]]:
    found = []
    for slot in asked:
        held = current.get(slot.key)
        if held is not None and held.status != "retracted":
            found.append(
                {
                    "subject": slot.subject,
                    "part": slot.part,
                    "question": slot.question.id,
                    "value": held.value,
                    "status": held.status,
                    "reason": held.reason,
                    "lamport": held.lamport,
                }
            )
    return found


def revealed(protocol: Protocol, fields: Mapping[str, str]) -> list[dict[str, str]]:
    """What an item held back until it was submitted, under the labels people read."""
    labels = {name: field.label for name, field in protocol.item.fields.items()}
    return [{"label": labels[name], "text": text} for name, text in fields.items() if text]
