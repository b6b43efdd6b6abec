"""What a rater still has to answer about an item before it is done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from ratebook.protocols import Protocol, is_required
from ratebook.rounds import schema
from ratebook.rounds.snapshot import Asked, Snapshot, Subject

if TYPE_CHECKING:
    from ratebook.rounds.stored import StoredRound

Said = Mapping[tuple[int, str], tuple[str, Any]]  # (part, question) → (status, value)


def missing(protocol: Protocol, parts: Iterable[int], said: Said) -> list[tuple[int, str]]:
    """The required questions of the item without an answer, by part; 0 is the whole.

    Not applicable, with its reason, is an answer; skipped is none. Questions of the case are
    asked once for all its items, often of somebody else, and hold no item back.
    """
    by_part: dict[int, dict[str, Any]] = defaultdict(dict)
    for (part, name), (status, value) in said.items():
        if status == "answered":
            by_part[part][name] = value
    found = []
    numbers = sorted(parts)
    for question in protocol.questions:
        if question.of != "item":
            continue
        for part in [0] if question.per == "whole" else numbers:
            status, _ = said.get((part, question.id), ("", None))
            answers = {**by_part[0], **by_part[part]}
            if status not in ("answered", "not_applicable") and is_required(question, answers):
                found.append((part, question.id))
    return found


def unanswered(
    stored: StoredRound, connection: Connection, snapshot: Snapshot, rater: int, subject: Subject
) -> list[str]:
    """In words, what keeps this item from being submitted."""
    if subject.kind != "item":
        return []
    asked = stored.asked(connection)
    said = said_by(connection, asked, stored.id, rater, [subject.id, subject.case_id])
    own = {**said.get(subject.case_id or 0, {}), **said.get(subject.id, {})}
    parts = snapshot.parts.get(subject.id) or snapshot.parts.get(subject.case_id or 0, set())
    return [
        f"“{question}”" + (f" of part {part}" if part else "")
        for part, question in missing(stored.protocol, parts, own)
    ]


def said_by(
    connection: Connection, asked: Mapping[str, Asked], round_id: int, rater: int,
    subjects: Iterable[int | None] | None = None,
) -> dict[int, dict[tuple[int, str], tuple[str, Any]]]:
    """The current answers of one rater by subject, as (status, value)."""
    events = schema.answer_event
    query = select(
        events.c.subject_id, events.c.part, events.c.question_id, events.c.status,
        events.c.value_id, events.c.number, events.c.text,
    ).where(events.c.round_id == round_id, events.c.rater_id == rater, events.c.replicate == 1)
    if subjects is not None:
        query = query.where(events.c.subject_id.in_([each for each in subjects if each]))
    by_id = {each.id: each for each in asked.values()}
    said: dict[int, dict[tuple[int, str], tuple[str, Any]]] = {}
    for row in connection.execute(query.order_by(events.c.lamport, events.c.seq)):
        question = by_id[row.question_id]
        mine = said.setdefault(row.subject_id, {})
        where = (row.part, question.question.id)
        if row.status == "retracted":
            mine.pop(where, None)
            continue
        value = row.text if row.number is None else row.number
        mine[where] = (row.status, question.value_of.get(row.value_id, value))
    return said
