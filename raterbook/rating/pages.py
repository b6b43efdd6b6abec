"""What the browser is told: plain JSON of what this rater may see, under opaque names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from raterbook.protocols import Protocol
from raterbook.rating.sheet import Key, Slot, fields_until, reached, slots
from raterbook.rounds import Mark
from raterbook.rounds.marks import evidence
from raterbook.rounds.turns import Page


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
    shown = fields_until(protocol, stage)
    return {
        "ref": item.ref,
        "case": item.case,
        "stage": stage,
        "fields": {name: text for name, text in item.fields.items() if name in shown},
        "parts": [{"number": part.number, "text": part.text} for part in item.parts],
        "answers": _answers(asked, current),
        "submitted": marks.submitted,
        "flagged": marks.flagged,
        "flag_reason": marks.reason,
        "evidence": [each for each in evidence(marks.notes) if each["field"] in shown],
        "held": any(field.show == "after" for field in protocol.item.fields.values()),
        "after": None if after is None else _after(protocol, after),
    }


def _answers(asked: Iterable[Slot], current: Mapping[Key, Any]) -> list[dict[str, Any]]:
    found = []
    for slot in asked:
        held = current.get(slot.key)
        if held is not None and held.status != "retracted":
            found.append({
                "subject": slot.subject, "part": slot.part, "question": slot.question.id,
                "value": held.value, "status": held.status, "reason": held.reason,
                "lamport": held.lamport,
            })
    return found


def _after(protocol: Protocol, fields: Mapping[str, str]) -> list[dict[str, str]]:
    labels = {name: field.label for name, field in protocol.item.fields.items()}
    return [{"label": labels[name], "text": text} for name, text in fields.items() if text]
