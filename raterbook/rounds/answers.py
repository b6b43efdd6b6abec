"""Answers: saved as events, each once, and read back as what holds now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, insert, select

from raterbook.rounds import schema
from raterbook.rounds.checking import Checked, Refused, check, key_of
from raterbook.rounds.model import Ack, Answer, Event
from raterbook.rounds.snapshot import Snapshot, places

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound

Cell = tuple[int, int, int, int]  # subject, part, question, replicate
_events = schema.answer_event
# A rater waits for these after every key, so the statements are built once.
_INSERT = insert(_events)
_BY_ID = select(_events).where(
    _events.c.round_id == bindparam("round_id"), _events.c.rater_id == bindparam("rater"),
    _events.c.event_id.in_(bindparam("ids", expanding=True)),
)
_COUNTED = select(
    _events.c.subject_id, _events.c.part, _events.c.question_id, _events.c.replicate,
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
    stored: StoredRound, connection: Connection, snapshot: Snapshot, rater: int,
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
                _events.c.round_id == stored.id, _events.c.replicate == 1,
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
            value, row.status, row.reason, revisions[where], row.confidence, row.lamport,
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
    named = {(event.subject, asked[event.question].question.of)
             for event in events if event.question in asked}
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
