"""Marks: flags, submissions, what was revealed; events like answers, about whole items."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from sqlalchemy import Connection, func, insert, select

from raterbook.protocols import Protocol
from raterbook.protocols.kinds import storable
from raterbook.rounds.answers import RefusedEvent, refuse_id, whole_number
from raterbook.rounds.completeness import Standing, by_models, standings
from raterbook.rounds.current import Events, read, timely
from raterbook.rounds.model import MARKS, Ack, Rater, iso, microseconds, moment
from raterbook.rounds.raters import as_rater, public_name
from raterbook.rounds.snapshot import Snapshot, StoredQuestions, Subject
from raterbook.rounds.store import log, schema

_marks = schema.mark_event
AFTER_REVEAL = "after_reveal"
MARKED = ("item", "rater", "mark", "reason", "field", "start", "end", "quote")
LONGEST = 1_000_000  # characters of a reason or a note, which can quote a whole source
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


def marked(
    seen: Snapshot,
    standing: Mapping[tuple[int, int], Mark],
    late: Mapping[tuple[int, int], list[str]],
    pseudonyms: bool,
    excluded: bool,
) -> list[dict[str, Any]]:
    """Flags with their reasons, the evidence that stands, and which answers came after a reveal,
    as rows of MARKED, item by item."""
    raters = {row.id: row for row in seen.raters.values()}
    place = {subject: number for number, subject in enumerate(seen.subjects)}
    rows = []
    every = {*standing, *late}
    for rater, subject in sorted(every, key=lambda where: (place[where[1]], where[0])):
        if rater in seen.excluded and not excluded:
            continue
        held = standing.get((rater, subject), Mark())
        about = dict.fromkeys(MARKED) | {
            "item": seen.subjects[subject].key,
            "rater": public_name(raters[rater], pseudonyms),
        }
        if held.flagged:
            rows.append(about | {"mark": "flag", "reason": held.reason})
        rows += [about | {"mark": "evidence"} | stretch for stretch in evidence(held.notes)]
        if (rater, subject) in late:
            rows.append(about | {"mark": AFTER_REVEAL, "reason": ", ".join(late[rater, subject])})
    return rows


_STRETCH = {"field": str, "start": int, "end": int, "quote": str}


def evidence(notes: Iterable[str]) -> list[dict[str, Any]]:
    """The stretches a rater marked and did not take back, as field, start, end and quote.

    They are counted, so that it makes no difference which of two notes reached the store first.
    """
    standing: Counter[str] = Counter()
    for note in notes:
        try:
            said = json.loads(note)
            stretch = {name: said["evidence"][name] for name in _STRETCH}
            for name in ("field", "quote"):  # JSON can spell half a character
                storable(stretch[name], name)
            taken_back = said.get("taken_back", False)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if any(type(stretch[name]) is not kind for name, kind in _STRETCH.items()):
            continue
        standing[json.dumps(stretch, sort_keys=True)] += -1 if taken_back else 1
    return [json.loads(stretch) for stretch in standing.elements()]


def answered_after_reveal(
    connection: Connection, seen: Snapshot, protocol: Protocol, questions: StoredQuestions
) -> dict[tuple[int, int], list[str]]:
    """By (rater, item or case), the questions whose answer that stands came after this rater had
    seen what is shown afterwards of the item, or of another one of its case.

    It came after if it was made after in its sender's count, or stored after by our clock: neither
    alone could be relied on.
    """
    fields = {name: each.of for name, each in protocol.item.fields.items() if each.held}
    if not fields:
        return {}
    query = select(_marks).where(_marks.c.round_id == seen.round_id)
    marks = connection.execute(
        query.where(_marks.c.kind.in_(("submit", "reveal"))).order_by(_marks.c.seq)
    )
    first: dict[tuple[int, int], dict[str, Any]] = {}
    for row in marks:
        first.setdefault((row.rater_id, row.subject_id), {}).setdefault(row.kind, row)
    shown = {where: both for where, both in first.items() if len(both) == 2}
    if not shown:
        return {}
    hidden = schema.hidden_value.c
    held = select(hidden.subject_id, hidden.name).join(
        schema.subject, schema.subject.c.id == hidden.subject_id
    )
    held = held.where(schema.subject.c.round_id == seen.round_id, hidden.name.in_(fields))
    texts = set(iter(connection.execute(held.where(hidden.part == 0, hidden.value != ""))))
    items: dict[int, list[int]] = {}
    for item in seen.items.values():
        items.setdefault(seen.case(item).id, []).append(item.id)
    since: dict[tuple[int, int], tuple[int, int]] = {}  # count and time of the first reveal
    for (rater, number), both in shown.items():
        case = seen.case(seen.subjects[number]).id
        of_case = any((case, name) in texts for name in fields)
        if not of_case and not any((number, name) in texts for name in fields):
            continue
        when = (both["reveal"].lamport, max(row.server_time for row in both.values()))
        for about in (*(items[case] if of_case else [number]), case):
            since[rater, about] = min(since.get((rater, about), when), when)
    who = schema.answer_event.c.rater_id.in_({rater for rater, _ in since})
    events = read(connection, seen.round_id, questions, [who], more=("server_time",)).current()
    names = {each.id: name for name, each in questions.items()}
    columns = (events.rater, events.subject, events.question, events.lamport)
    found: dict[tuple[int, int], dict[str, None]] = {}
    for rater, about, question, lamport, time in zip(
        *(each.tolist() for each in columns), events.more["server_time"].tolist(), strict=True
    ):
        if (rater, about) in since:
            count, revealed = since[rater, about]
            if lamport > count or time > revealed:
                found.setdefault((rater, about), {})[names[question]] = None
    return {where: list(asked) for where, asked in found.items()}


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
            at = iso(moment(row.client_time, row.server_time)) if submitted else None
            standing.update(submitted=submitted, submitted_at=at)
        elif row.kind == "reveal":
            standing["revealed"] = True
        elif row.kind == "note" and row.reason:
            standing["notes"] = (*standing.get("notes", ()), row.reason)
    return {where: Mark(**standing) for where, standing in found.items()}


class Stamp(TypedDict, total=False):
    """When something was said: in its sender's count (None: after every mark of this rater on the
    item that is stored by then), and by its sender's clock."""

    lamport: int | None
    client_time: Any


def check(
    seen: Snapshot, subject: str, kind: str, event_id: str, reason: str | None, stamp: Stamp
) -> dict[str, Any]:
    """The mark as a row of the table, but for who made it; or why it cannot be kept."""
    if kind not in MARKS:
        raise RefusedEvent(f"mark {kind!r} is not one of {', '.join(MARKS)}")
    refuse_id(event_id)
    if reason is not None and len(reason) > LONGEST:
        raise RefusedEvent(f"the reason has more than {LONGEST:,} characters: shorten it")
    try:
        found = seen.refs.get(subject) or seen.subject(subject, "item")
        at = microseconds(stamp.get("client_time"))
        reason = None if reason is None else storable(reason, "the reason")
    except ValueError as error:
        raise RefusedEvent(str(error)) from None
    lamport = stamp.get("lamport")
    return {
        "event_id": event_id,
        "round_id": seen.round_id,
        "subject_id": found.id,
        "kind": kind,
        "reason": reason,
        "lamport": None if lamport is None else whole_number("lamport", lamport, 0),
        "client_time": at,
    }


def save(
    connection: Connection,
    seen: Snapshot,
    rater: int,
    row: dict[str, Any],
    missing: Callable[[Subject], list[str]],
    now: int,
) -> Ack:
    """Inside a transaction, like an answer: stored once, however often it is sent. A submission is
    refused while `missing` names anything that is still to be answered about its item."""
    event_id = row["event_id"]
    about = (_marks.c.rater_id == rater, _marks.c.subject_id == row["subject_id"])
    twin = connection.execute(
        select(_marks).where(
            _marks.c.round_id == seen.round_id,
            _marks.c.rater_id == rater,
            _marks.c.event_id == event_id,
        )
    ).one_or_none()
    if twin is not None:
        if (twin.subject_id, twin.kind) != (row["subject_id"], row["kind"]):
            raise RefusedEvent(f"event id {event_id} already belongs to another mark")
        return Ack(event_id, True, None, None, twin.lamport)
    if (closed := seen.closed()) is not None:
        raise RefusedEvent(closed)
    if row["kind"] == "reveal":
        submitted = select(_marks.c.seq).where(*about, _marks.c.kind == "submit")
        if connection.execute(submitted.limit(1)).first() is None:
            raise RefusedEvent("what is held back is shown once the item is submitted: submit it")
    if row["kind"] == "submit" and not _overtaken(connection, row, about):
        lacking = missing(seen.subjects[row["subject_id"]])
        if lacking:
            raise RefusedEvent("not complete yet: " + "; ".join(lacking))
    if row["lamport"] is None:
        last = connection.scalar(select(func.max(_marks.c.lamport)).where(*about))
        row["lamport"] = (last or 0) + 1
    connection.execute(insert(_marks).values(rater_id=rater, server_time=now, **row))
    return Ack(event_id, True, None, None, row["lamport"])


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


# What is stored, by whom, what is missing, flagged and unfinished.


def status(
    connection: Connection,
    seen: Snapshot,
    protocol: Protocol,
    questions: StoredQuestions,
    said: Events,
) -> dict[str, Any]:
    """As plain data, for the command line and for people who script; `said` is current."""
    events = schema.answer_event
    marked = marks_of(connection, seen.round_id)
    marks: dict[int, list[Mark]] = {}
    for (who, _), mark in marked.items():
        marks.setdefault(who, []).append(mark)
    count, last = connection.execute(
        select(func.count(), func.max(events.c.server_time)).where(
            events.c.round_id == seen.round_id
        )
    ).one()
    found, cases = standings(connection, seen, protocol, questions, said)
    brought = _brought(connection, seen.round_id)
    raters = [
        _of_rater(as_rater(row, seen.excluded.get(row.id)), standing, marks.get(row.id, []))
        for row, standing in zip(seen.raters.values(), found, strict=True)
    ]
    counting = [each for each in raters if each["excluded"] is None]
    people = [row.id for row in seen.raters.values() if row.kind == "human"]
    planned = any(each["assigned"] for each in counting)
    of_cases = cases.missing if planned else 0
    unsplit = _without_parts(protocol, seen) if planned else 0
    asked_anybody = any(each["kind"] != "automatic" for each in counting)
    models = [each for each in found if each.kind == "model" and each.excluded is None]
    _, put, whole = by_models(models, len(seen.items))
    left = 0 if planned else put - whole
    missing = sum(each["missing"] for each in counting) + of_cases
    unfinished = sum(each["unfinished"] for each in counting)
    names = seen.names()
    flagged = [
        {"item": seen.subjects[subject].key, "rater": names[rater], "reason": mark.reason}
        for (rater, subject), mark in marked.items()
        if mark.flagged
    ]
    late = [
        {"item": seen.subjects[subject].key, "rater": names[rater], "questions": asked}
        for (rater, subject), asked in answered_after_reveal(
            connection, seen, protocol, questions
        ).items()
    ]
    return {
        "round": seen.name,
        "protocol": protocol.name,
        "protocol_hash": seen.protocol_hash,
        "state": seen.state,
        "since": iso(seen.state_at),
        "bare": seen.bare,
        "per_item": seen.per_item,
        "imported": 2 * len(brought.intersection(people)) > len(people),
        "items": len(seen.items),
        "cases": len(seen.cases),
        "parts": sum(len(numbers) for numbers in seen.parts.values()),
        "raters": raters,
        "answers": sum(each["answers"] for each in raters),
        "events": count,
        "last_answer_at": iso(last),
        "missing": missing,
        "missing_of_cases": of_cases,
        "without_parts": unsplit,
        "unfinished": unfinished,
        "left_to_models": left,
        "flagged": flagged,
        "after_reveal": late,
        "untimely": untimely(connection, seen),
        "complete": asked_anybody
        and not (missing or unfinished or left or (unsplit and not seen.parts)),
    }


def _brought(connection: Connection, round_id: int) -> set[int]:
    """Raters who came after the opening of a round with an import: a file brought them."""
    if not log.entries(connection, round_id, "import"):
        return set()
    opened = log.entries(connection, round_id, "open")[0].at
    place = schema.round_rater
    later = select(place.c.rater_id).where(place.c.round_id == round_id, place.c.added_at > opened)
    return set(connection.scalars(later))


def untimely(connection: Connection, seen: Snapshot) -> dict[str, int]:
    """By rater, how much of what was said has a sender's time outside 1970–2199. It came before
    such times were refused; the store's time stands in their place."""
    found: dict[str, int] = {}
    for table in (schema.answer_event, _marks):
        out = (table.c.round_id == seen.round_id, ~timely(table.c.client_time))
        query = select(table.c.rater_id, func.count()).where(*out)
        for rater, number in connection.execute(query.group_by(table.c.rater_id)):
            name = seen.names()[rater]
            found[name] = found.get(name, 0) + number
    return found


def crowd(found: Mapping[str, Any]) -> tuple[int, float] | None:
    """(people, people of an item on average) of a status, where a file brought most people, with
    few items each, and no plan says how many an item should have; then “missing” rests on nothing.
    """
    people = [each for each in found["raters"] if each["kind"] == "human" and not each["excluded"]]
    touched = sum(each["complete"] + each["begun"] for each in people)
    mean = touched / found["items"] if found["items"] else 0.0
    if not found["imported"] or found["per_item"] or len(people) < 3 or 2 * mean > len(people):
        return None
    return len(people), mean


def _without_parts(protocol: Protocol, seen: Snapshot) -> int:
    """Items or cases that have no piece, where the protocol asks about pieces."""
    if not any(q.per == "part" and q.required is not False for q in protocol.questions):
        return 0
    parts = protocol.parts
    subjects = seen.cases if parts is not None and parts.of == "case" else seen.items
    return sum(not seen.parts.get(each.id) for each in subjects.values())


def _of_rater(rater: Rater, standing: Standing, mine: list[Mark]) -> dict[str, Any]:
    """One rater: items assigned, begun, complete and submitted; answers required and missing.

    Only people have a plan, so only they can lack something; models and labels that came with the
    items answer what they answer.
    """
    assigned = standing.items if standing.planned else 0
    return {
        "rater": rater.name,
        "pseudonym": rater.pseudonym,
        "kind": rater.kind,
        "version": rater.version,
        "excluded": rater.excluded,
        "assigned": assigned,
        "complete": standing.complete,
        "begun": standing.begun,
        "submitted": sum(mark.submitted for mark in mine),
        "unfinished": max(0, assigned - standing.complete),
        "missing": standing.missing if standing.planned else 0,
        "answers": standing.answers,
        "flagged": sum(mark.flagged for mark in mine),
    }
