"""Marks: flags, submissions, what was revealed; events like answers, about whole items."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, insert, select

from raterbook.rounds.answers import Refused, _count
from raterbook.rounds.completeness import unanswered
from raterbook.rounds.model import MARKS, Ack, iso, microseconds
from raterbook.rounds.raters import public_name
from raterbook.rounds.snapshot import Snapshot
from raterbook.rounds.store import schema

if TYPE_CHECKING:
    from raterbook.rounds.round import StoredRound

_marks = schema.mark_event
MARKED = ("item", "rater", "mark", "reason", "field", "start", "end", "quote")
_LATER_WINS = (_marks.c.lamport, _marks.c.seq)


@dataclass(frozen=True, slots=True)
class Mark:
    """What currently stands about one item: a flag and why, and since when it is submitted."""

    flagged: bool = False
    reason: str | None = None
    submitted: bool = False
    submitted_at: str | None = None
    revealed: bool = False
    notes: tuple[str, ...] = ()  # all of them, oldest first; who wrote them says what holds


def mark(
    stored: StoredRound,
    rater: str,
    subject: str,
    kind: str,
    event_id: str | None = None,
    reason: str | None = None,
    lamport: int | None = None,
    client_time: Any = None,
) -> Ack:
    """Saved like an answer: one transaction, one id, acknowledged when it is on the disk.

    Without a counter it comes after every mark of this rater on the item that is stored by then.
    """
    event_id = event_id or uuid.uuid4().hex
    with stored.store.write() as connection:
        snapshot = stored.look(connection)
        number = stored.rater_id(snapshot, rater)
        try:
            row = _row(snapshot, subject, kind, lamport, client_time)
            return _save(stored, connection, snapshot, number, event_id, reason, row)
        except Refused as refusal:
            return Ack(event_id, False, None, str(refusal))


def current(stored: StoredRound, rater: str) -> dict[str, Mark]:
    """The marks of one rater by subject ref; the latest of each kind counts."""
    with stored.store.read() as connection:
        snapshot = stored.look(connection)
        by_subject = marks_of(connection, stored.id, stored.rater_id(snapshot, rater))
    return {
        snapshot.subjects[subject].ref: standing for (_, subject), standing in by_subject.items()
    }


def marked(
    stored: StoredRound, pseudonyms: bool = False, excluded: bool = True
) -> list[dict[str, Any]]:
    """Flags with their reasons and the evidence that stands, as rows of MARKED, item by item."""
    with stored.store.read() as connection:
        seen = stored.look(connection)
        standing = marks_of(connection, stored.id)
    raters = {row.id: row for row in seen.raters.values()}
    place = {subject: number for number, subject in enumerate(seen.subjects)}
    rows = []
    for rater, subject in sorted(standing, key=lambda where: (place[where[1]], where[0])):
        if rater in seen.excluded and not excluded:
            continue
        held = standing[rater, subject]
        about = dict.fromkeys(MARKED) | {
            "item": seen.subjects[subject].key,
            "rater": public_name(raters[rater], pseudonyms),
        }
        if held.flagged:
            rows.append(about | {"mark": "flag", "reason": held.reason})
        rows += [about | {"mark": "evidence"} | stretch for stretch in evidence(held.notes)]
    return rows


def evidence(notes: Iterable[str]) -> list[dict[str, Any]]:
    """The stretches a rater marked and did not take back, as field, start, end and quote.

    They are counted, so that it makes no difference which of two notes reached the store first.
    """
    standing: Counter[str] = Counter()
    for note in notes:
        try:
            said = json.loads(note)
            stretch = {name: said["evidence"][name] for name in ("field", "start", "end", "quote")}
            taken_back = said.get("taken_back", False)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        standing[json.dumps(stretch, sort_keys=True)] += -1 if taken_back else 1
    return [json.loads(stretch) for stretch in standing.elements()]


def marks_of(
    connection: Connection, round_id: int, rater: int | None = None
) -> dict[tuple[int, int], Mark]:
    """By (rater, subject), over the whole round or for one rater."""
    query = select(_marks).where(_marks.c.round_id == round_id)
    if rater is not None:
        query = query.where(_marks.c.rater_id == rater)
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for row in connection.execute(query.order_by(*_LATER_WINS)):
        standing = found.setdefault((row.rater_id, row.subject_id), {})
        if row.kind in ("flag", "unflag"):
            standing.update(flagged=row.kind == "flag", reason=row.reason)
        elif row.kind in ("submit", "unsubmit"):
            submitted = row.kind == "submit"
            at = iso(row.client_time or row.server_time) if submitted else None
            standing.update(submitted=submitted, submitted_at=at)
        elif row.kind == "reveal":
            standing["revealed"] = True
        elif row.kind == "note" and row.reason:
            standing["notes"] = (*standing.get("notes", ()), row.reason)
    return {where: Mark(**standing) for where, standing in found.items()}


def _overtaken(connection: Connection, row: dict[str, Any], about: Any) -> bool:
    """Whether this submission comes after one that is newer, so that it will not stand.

    What has been taken back need not be complete any more.
    """
    if row["lamport"] is None:
        return False
    newer = select(_marks.c.seq).where(
        *about, _marks.c.kind.in_(("submit", "unsubmit")), _marks.c.lamport > row["lamport"]
    )
    return connection.execute(newer.limit(1)).first() is not None


def _row(
    snapshot: Snapshot, subject: str, kind: str, lamport: int | None, client_time: Any
) -> dict[str, Any]:
    if kind not in MARKS:
        raise Refused(f"mark {kind!r} is not one of {', '.join(MARKS)}")
    try:
        found = snapshot.refs.get(subject) or snapshot.subject(subject, "item")
        at = microseconds(client_time)
    except ValueError as error:
        raise Refused(str(error)) from None
    counted = None if lamport is None else _count("lamport", lamport, 0)
    return {"subject_id": found.id, "kind": kind, "lamport": counted, "client_time": at}


def _save(
    stored: StoredRound,
    connection: Connection,
    snapshot: Snapshot,
    rater: int,
    event_id: str,
    reason: str | None,
    row: dict[str, Any],
) -> Ack:
    about = (_marks.c.rater_id == rater, _marks.c.subject_id == row["subject_id"])
    twin = connection.execute(
        select(_marks).where(
            _marks.c.round_id == stored.id,
            _marks.c.rater_id == rater,
            _marks.c.event_id == event_id,
        )
    ).one_or_none()
    if twin is not None:
        if (twin.subject_id, twin.kind) != (row["subject_id"], row["kind"]):
            raise Refused(f"event id {event_id} already belongs to another mark")
        return Ack(event_id, True, None, None, twin.lamport)
    if snapshot.state == "closed":
        raise Refused(stored.closed_reason(snapshot))
    if row["kind"] == "submit" and not _overtaken(connection, row, about):
        subject = snapshot.subjects[row["subject_id"]]
        missing = unanswered(stored, connection, snapshot, rater, subject)
        if missing:
            raise Refused("not complete yet: " + "; ".join(missing))
    if row["lamport"] is None:
        last = connection.scalar(select(func.max(_marks.c.lamport)).where(*about))
        row["lamport"] = (last or 0) + 1
    connection.execute(
        insert(_marks).values(
            event_id=event_id,
            round_id=stored.id,
            rater_id=rater,
            reason=reason,
            server_time=stored.store.now(),
            **row,
        )
    )
    return Ack(event_id, True, None, None, row["lamport"])
