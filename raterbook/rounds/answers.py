"""Answers: saved as events, each once, and read back as what holds now."""

from __future__ import annotations

import math
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, insert, select
from sqlalchemy.sql.compiler import SQLCompiler

from raterbook.protocols.kinds import confidence, storable
from raterbook.rounds import plan
from raterbook.rounds.current import Fact
from raterbook.rounds.model import (
    STATUSES,
    Ack,
    Answer,
    Event,
    FileError,
    Given,
    RoundError,
    listed,
    microseconds,
    shown,
)
from raterbook.rounds.raters import join
from raterbook.rounds.snapshot import Asked, Snapshot, Subject, places
from raterbook.rounds.snapshot import take as take_snapshot
from raterbook.rounds.store import schema

if TYPE_CHECKING:
    from raterbook.rounds.round import StoredRound


Cell = tuple[int, int, int, int]  # subject, part, question, replicate
_events = schema.answer_event
# A rater waits for these after every key, so the statements are built once.
_INSERT = insert(_events)
_BY_ID = select(_events).where(
    _events.c.round_id == bindparam("round_id"),
    _events.c.rater_id == bindparam("rater"),
    _events.c.event_id.in_(bindparam("ids", expanding=True)),
)
_COUNTED = select(
    _events.c.subject_id,
    _events.c.part,
    _events.c.question_id,
    _events.c.replicate,
    _events.c.lamport,
).where(_events.c.rater_id == bindparam("rater"))
_OF_SUBJECTS = _COUNTED.where(_events.c.subject_id.in_(bindparam("subjects", expanding=True)))
_OF_ROUND = _COUNTED.where(_events.c.round_id == bindparam("round_id"))


def save(stored: StoredRound, rater: str, events: Sequence[Event]) -> list[Ack]:
    """One transaction; the acknowledgements are true only because it is over when they return."""
    with stored.store.write() as connection:
        snapshot = stored.look(connection)
        return store_events(stored, connection, snapshot, stored.rater_id(snapshot, rater), events)


def store_events(
    stored: StoredRound,
    connection: Connection,
    snapshot: Snapshot,
    rater: int,
    events: Sequence[Event],
) -> list[Ack]:
    """Inside a transaction: what is new is added, what is known already is acknowledged again."""
    asked = stored.asked(connection)
    ids = [event.event_id for event in events if event.event_id]
    known = _known(connection, stored.id, rater, ids)
    cells: dict[Cell, list[int]] | None = None
    shown_as = places(connection, snapshot, stored.id, rater)
    now, rows, acks = stored.store.now(), [], []
    remembered: dict[Any, Any] = {}
    for event in events:
        try:
            checked = check(event, snapshot, asked, remembered)
        except Refused as refusal:
            acks.append(Ack(event.event_id or "", False, None, str(refusal)))
            continue
        row = checked.row
        twin = known.get(row["event_id"])
        if cells is None:
            cells = _lamports(connection, rater, stored.id, _subjects(events, snapshot, asked))
        stack = cells[(row["subject_id"], row["part"], row["question_id"], row["replicate"])]
        if twin is not None:
            acks.append(_again(twin, checked, stack))
            continue
        if snapshot.state == "closed":
            acks.append(Ack(row["event_id"], False, None, stored.closed_reason(snapshot)))
            continue
        row["lamport"] = max(stack, default=0) + 1 if event.lamport is None else event.lamport
        row["shown_as"] = shown_as.get(row["subject_id"])
        row.update(round_id=stored.id, rater_id=rater, server_time=now)
        stack.append(row["lamport"])
        known[row["event_id"]] = row
        rows.append(row)
        acks.append(Ack(row["event_id"], True, _rank(stack, row["lamport"]), None, row["lamport"]))
    if rows:
        connection.execute(_INSERT, rows)
    return acks


def current(stored: StoredRound, rater: str) -> dict[tuple[str, int, str], Answer]:
    """What this rater's answers are now, by (subject ref, part, question); replicate 1."""
    with stored.store.read() as connection:
        snapshot = stored.look(connection)
        asked = stored.asked(connection)
        name_of = {each.id: name for name, each in asked.items()}
        rows = connection.execute(
            select(_events)
            .where(
                _events.c.round_id == stored.id,
                _events.c.replicate == 1,
                _events.c.rater_id == stored.rater_id(snapshot, rater),
            )
            .order_by(_events.c.lamport, _events.c.seq)
        ).all()
    found: dict[tuple[str, int, str], Answer] = {}
    revisions: dict[tuple[str, int, str], int] = defaultdict(int)
    for row in rows:
        question = name_of[row.question_id]
        where = (snapshot.subjects[row.subject_id].ref, row.part, question)
        revisions[where] += 1
        value = asked[question].value_of.get(row.value_id, row.text)
        if row.number is not None:
            value = int(row.number) if row.number.is_integer() else row.number
        found[where] = Answer(
            value,
            row.status,
            row.reason,
            revisions[where],
            row.confidence,
            row.lamport,
            row.seconds,
        )
    return {where: answer for where, answer in found.items() if answer.status != "retracted"}


def _again(twin: Any, checked: Checked, stack: list[int]) -> Ack:
    """A retry is acknowledged like the first time; another answer under its id is not."""
    event_id, lamport = checked.row["event_id"], twin["lamport"]
    if key_of(twin) != key_of(checked.row):
        reason = (
            f"event id {event_id} already belongs to another answer: a retry sends the same "
            "answer, and a correction needs an id of its own"
        )
        return Ack(event_id, False, None, reason)
    return Ack(event_id, True, _rank(stack, lamport), None, lamport)


def _rank(stack: Iterable[int], lamport: int) -> int:
    """Which revision it is: events in order of their counters, equal ones as they came."""
    return sum(1 for other in stack if other <= lamport)


def _known(connection: Connection, round_id: int, rater: int, ids: list[str]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for start in range(0, len(ids), 500):
        some = {"round_id": round_id, "rater": rater, "ids": ids[start : start + 500]}
        rows = connection.execute(_BY_ID, some)
        known.update((row["event_id"], row) for row in rows.mappings())
    return known


def _subjects(events: Sequence[Event], snapshot: Snapshot, asked: Any) -> set[int]:
    named = {
        (event.subject, asked[event.question].question.of)
        for event in events
        if event.question in asked
    }
    found = set()
    for name, of in named:
        try:
            found.add(snapshot.subject(name, of).id)
        except ValueError:
            continue
    return found


def _lamports(
    connection: Connection, rater: int, round_id: int, subjects: set[int]
) -> dict[Cell, list[int]]:
    """The counters of everything this rater said about these subjects."""
    if len(subjects) <= 200:
        rows = connection.execute(_OF_SUBJECTS, {"rater": rater, "subjects": sorted(subjects)})
    else:
        rows = connection.execute(_OF_ROUND, {"rater": rater, "round_id": round_id})
    cells: dict[Cell, list[int]] = defaultdict(list)
    for subject, part, question, replicate, lamport in rows:
        cells[(subject, part, question, replicate)].append(lamport)
    return cells


# Whether an event can be stored: its question, its subject and part, its value, its numbers.


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
        "value_id": None,
        "number": None,
        "text": None,
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
    else:
        found = question.kind.encode(checked)
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


# Checked answers of a file into the database: raters first, then all events in one statement.


StoringCell = tuple[
    str, bool, int, str, str, int
]  # subject, of_case, part, rater, question, replicate
Fresh = tuple[Given, StoringCell, Any]  # with what it answers, and the value to store

COLUMNS = (
    "event_id",
    "round_id",
    "rater_id",
    "subject_id",
    "part",
    "question_id",
    "replicate",
    "status",
    "value_id",
    "number",
    "text",
    "reason",
    "confidence",
    "seconds",
    "lamport",
    "client_time",
    "server_time",
)


def store_answers(
    stored: StoredRound,
    connection: Connection,
    fresh: Sequence[Fresh],
    there: Mapping[StoringCell, Fact],
    source: str,
) -> None:
    """Inside a transaction. Each answer comes after what is stored for its cell.

    `shown_as` stays empty: what was answered in a file was not answered in the form's order.
    """
    new = _join(stored, connection, [given for given, _, _ in fresh], source)
    seen = take_snapshot(connection, stored.id)
    if stored.per_item is not None:
        _take_up(stored, connection, seen, fresh)
    elif new:  # so that they can go on in the form
        plan.extend(connection, seen, stored.seed, None, stored.store.now())
    if seen.state == "closed":
        raise FileError(f"{source}: {stored.closed_reason(seen)}.")
    asked = stored.asked(connection)
    raters = {name: row.id for name, row in seen.raters.items()}
    now, batch = stored.store.now(), uuid.uuid4().hex
    rows: list[tuple] = []
    for number, (given, cell, value) in enumerate(fresh):
        subject, of_case, part, rater, question, replicate = cell
        named = asked[question]
        value_id = amount = text = None
        if given.status == "answered":
            if named.allowed:
                value_id = named.allowed[value]
            elif named.question.is_numeric:
                amount = float(value)
            else:
                text = value
        rows.append(
            (
                f"{batch}-{number}",
                stored.id,
                raters[rater],
                (seen.cases if of_case else seen.items)[subject].id,
                part,
                named.id,
                replicate,
                given.status,
                value_id,
                amount,
                text,
                given.reason,
                given.confidence,
                given.seconds,
                there[cell].lamport + 1 if cell in there else 1,
                microseconds(given.at) if given.at else None,
                now,
            )
        )
    _insert(connection, rows)


def _take_up(
    stored: StoredRound, connection: Connection, seen: Snapshot, fresh: Sequence[Fresh]
) -> None:
    """Where each item has so many raters, people are given what they answered. The rest is dealt
    with the next rater or item that is added: more files may tell who has it already."""
    items: dict[str, list[str]] = {}
    for key, item in seen.items.items():
        items.setdefault(seen.subjects[item.case_id or item.id].key, []).append(key)
    answered: dict[str, dict[str, None]] = {}
    for _, (subject, of_case, _, rater, _, _), _ in fresh:
        about = items[subject] if of_case else [subject]
        answered.setdefault(rater, {}).update(dict.fromkeys(about))
    plan.take_up(connection, seen, stored.seed, answered, stored.store.now())


def _insert(connection: Connection, rows: list[tuple]) -> None:
    """One executemany of the driver: all values are plain, so nothing needs to look at each."""
    statement = insert(schema.answer_event).compile(
        dialect=connection.dialect, column_keys=list(COLUMNS)
    )
    assert isinstance(statement, SQLCompiler)
    if statement.positional:
        assert tuple(statement.positiontup or ()) == COLUMNS
        connection.exec_driver_sql(str(statement), rows)
    else:
        connection.exec_driver_sql(str(statement), [dict(zip(COLUMNS, row)) for row in rows])


def _join(
    stored: StoredRound, connection: Connection, given: Sequence[Given], source: str
) -> list[int]:
    """Everybody the file names has a part in the round, each of one kind; those who are new."""
    new: list[int] = []
    told: dict[str, tuple[int, set[str | None], set[str | None]]] = {}
    for each in given:
        _, kinds, versions = told.setdefault(each.rater, (each.row, set(), set()))
        kinds.add(each.kind)
        versions.add(each.version)
    for name, (row, kinds, versions) in told.items():
        for what, found in (("kind", kinds - {None}), ("version", versions - {None})):
            if len(found) > 1:
                raise FileError(
                    f"{source}, row {row}: {shown(name)} is given more than one {what} "
                    f"({listed(sorted(map(str, found)))}). Keep one."
                )
        kind = next(iter(kinds - {None}), None)
        version = next(iter(versions - {None}), None)
        try:
            new += join(connection, stored.id, [name], kind, stored.store.now(), version)
        except RoundError as error:
            raise FileError(f"{source}, row {row}: {error}") from None
    return new
