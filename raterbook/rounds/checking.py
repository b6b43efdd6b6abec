"""Whether an event can be stored: its question, its subject and part, its value, its numbers."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raterbook.protocols.answers import confidence, storable
from raterbook.rounds.model import STATUSES, Event
from raterbook.rounds.snapshot import Asked, Snapshot, Subject
from raterbook.rounds.times import microseconds

MOST_REPLICATES = 1_000_000
_LARGEST = 2**53  # the largest whole number every sender can count to


class Refused(ValueError):
    """Why an event is not stored; the sender keeps it and shows the reason."""


@dataclass(frozen=True)
class Checked:
    """The event as a row of the table, but for who sent it and when it came."""

    row: dict[str, Any]


def key_of(row: Mapping[str, Any]) -> tuple:
    """What an event says: two with one id must agree in this."""
    where = (row["subject_id"], row["part"], row["question_id"], row["replicate"])
    return (*where, row["status"], row["value_id"], row["number"], row["text"])


def check(
    event: Event, snapshot: Snapshot, asked: Mapping[str, Asked], remembered: dict[Any, Any]
) -> Checked:
    """The event in the store's terms, or the reason why it cannot be kept."""
    if event.question not in asked:
        known = ", ".join(asked)
        raise Refused(f"{event.question!r} is no question of this protocol; it asks {known}")
    question = asked[event.question]
    where = (event.subject, event.part, event.question)
    if where not in remembered:
        remembered[where] = _subject(event, snapshot, question)
    row: dict[str, Any] = {
        "event_id": event.event_id or uuid.uuid4().hex,
        "subject_id": remembered[where].id,
        "part": int(event.part),
        "question_id": question.id,
        "replicate": _count("replicate", event.replicate, 1, MOST_REPLICATES),
        "status": event.status,
        "value_id": None, "number": None, "text": None,
        "reason": None,
        "confidence": None,
        "seconds": _number("seconds", event.seconds, 0, math.inf),
        "lamport": None if event.lamport is None else _count("lamport", event.lamport, 0),
    }
    if len(row["event_id"]) > 200:
        raise Refused(f"event id {row['event_id'][:20]!r}… is longer than 200 characters")
    try:
        row["client_time"] = microseconds(event.client_time)
        if event.confidence is not None:
            row["confidence"] = confidence(event.confidence)
        if event.reason:
            row["reason"] = storable(event.reason, "the reason")
    except ValueError as error:
        raise Refused(str(error)) from None
    if event.status not in STATUSES:
        raise Refused(f"status {event.status!r} is not one of {', '.join(STATUSES)}")
    if event.status == "answered":
        row.update(_value(event.value, question, remembered))
    elif event.value not in (None, ""):
        raise Refused(
            f"“{event.question}” is {event.status} and has the value {event.value!r}: leave one out"
        )
    return Checked(row)


def _subject(event: Event, snapshot: Snapshot, asked: Asked) -> Subject:
    question = asked.question
    _count("part", event.part, 0)
    try:
        subject = snapshot.subject(event.subject, question.of)
    except ValueError as error:
        raise Refused(str(error)) from None
    if question.per == "whole" and event.part != 0:
        raise Refused(f"“{question.id}” is asked about the whole, and part {event.part} was given")
    if question.per == "part":
        if event.part == 0:
            raise Refused(f"“{question.id}” is asked about each part: say which")
        retracts = event.status == "retracted"
        if not retracts and not snapshot.has_part(subject, event.part):
            raise Refused(f"there is no part {event.part} of {subject.key!r} (any more)")
    return subject


def _value(value: Any, asked: Asked, remembered: dict[Any, Any]) -> dict[str, Any]:
    question = asked.question
    if hasattr(value, "item"):
        value = value.item()  # numpy's numbers
    seen = (question.id, type(value), value) if isinstance(value, str | int | float) else None
    if seen is not None and seen in remembered:
        return remembered[seen]
    try:
        checked = question.check(value)
    except ValueError as error:
        raise Refused(str(error)) from None
    if asked.allowed:
        found: dict[str, Any] = {"value_id": asked.allowed[checked]}
    elif question.is_numeric:
        found = {"number": float(checked)}
    else:
        found = {"text": checked}
    if seen is not None and "text" not in found:
        remembered[seen] = found
    return found


def _count(what: str, value: Any, least: int, most: int = _LARGEST) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value <= most:
        raise Refused(f"{what} {value!r} is not a whole number from {least} to {most}")
    return int(value)


def _number(what: str, value: Any, least: float, most: float) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Refused(f"{what} {value!r} is not a number")
    if not least <= value <= most:
        raise Refused(f"{what} {value!r} is outside {least:g}–{most:g}")
    return float(value)
