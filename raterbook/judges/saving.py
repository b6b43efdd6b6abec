"""Parsed replies as events of the model's rater: each with an id that makes a repeat harmless."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from raterbook.judges.parsing import Parsed
from raterbook.judges.sheets import Sheet
from raterbook.judges.wording import is_closed
from raterbook.protocols import asked
from raterbook.rounds import Event

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound


Standing = Mapping[tuple[str, int, str], Any]  # subject, part, question → the current answer


class Unsaved(RuntimeError):
    """The store refused an answer; the message says which and why."""


def standing(stored: StoredRound, rater: str) -> Standing:
    """The rater's current answers; none before it has joined the round."""
    joined = any(one.name == rater for one in stored.raters())
    return stored.current(rater) if joined else {}


def standing_on(sheet: Sheet, standing: Standing) -> dict[tuple[int, str], Any]:
    """The answers that stand on a sheet, by part and question; none where one is lacking."""
    found = {
        (part, question.id): answer.value
        for question in sheet.questions
        for part in sheet.numbers(question)
        if (answer := standing.get((sheet.ref, part, question.id))) is not None
        and answer.status == "answered"
    }
    whole = all(
        (part, question.id) in found
        for question in sheet.questions
        if is_closed(question)
        for part in sheet.numbers(question)
        if asked(question, sheet.answers_about(part, found))
    )
    return found if whole else {}


def save(
    stored: StoredRound, rater: str, sheet: Sheet, parsed: Parsed, key: str, replicate: int
) -> int:
    """Stores what a reply says; how many answers that are."""
    standing = stored.current(rater) if not parsed.ok else {}
    events = events_of(sheet, parsed, key, replicate, standing)
    put(stored, rater, events)
    return answered(events)


def put(stored: StoredRound, rater: str, events: Sequence[Event]) -> None:
    """On the disk when this returns, all of them."""
    for ack in stored.save(rater, events) if events else ():
        if not ack.ok:
            raise Unsaved(f"{stored.name}: an answer of {rater} was not stored: {ack.reason}")


def events_of(
    sheet: Sheet, parsed: Parsed, key: str, replicate: int, standing: Standing
) -> list[Event]:
    """The answers of an ok reply, else that there are none and why; the same ones every time.

    `standing` holds what the rater has answered: a failure later on takes nothing of it back.
    """
    events = list(_events(sheet, parsed, key, replicate))
    if parsed.ok or replicate != 1:
        return events
    return [
        event for event in events
        if getattr(standing.get((sheet.ref, event.part, event.question)), "status", "")
        != "answered"
    ]


def answered(events: Sequence[Event]) -> int:
    return sum(event.status == "answered" for event in events)


def _events(sheet: Sheet, parsed: Parsed, key: str, replicate: int) -> Iterator[Event]:
    if not parsed.ok:
        for question in sheet.questions:
            if is_closed(question):
                for part in sheet.numbers(question):
                    if asked(question, sheet.answers_about(part, {})):
                        yield _event(sheet, key, replicate, part, question.id, None, "skipped",
                                     parsed.status)
        return
    for (part, question_id), given in parsed.answers.items():
        yield _event(sheet, key, replicate, part, question_id, given.value, given.status,
                     given.reason)


def _event(
    sheet: Sheet, key: str, replicate: int, part: int, question: str, value: Any, status: str,
    reason: str | None,
) -> Event:
    said = "\x1f".join(map(str, (key, sheet.ref, part, question, replicate, value, status, reason)))
    return Event(
        hashlib.sha256(said.encode()).hexdigest()[:40], sheet.ref, question, value, part, replicate,
        status, reason,
    )
