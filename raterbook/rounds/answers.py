"""Answers on their way into the database: checked, encoded, inserted, whoever they come from.

The form, models and labels of the items come as events, each of which is acknowledged; a file
comes whole or not at all. What is an answer is one rule for all of them: `Question.check` for a
value, `Snapshot.refuse_part` for a part, `Conditions` for questions that depend on other answers.
"""

from __future__ import annotations

import uuid
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select

import raterbook.rounds.plan as plan
from raterbook.protocols import Question
from raterbook.protocols.kinds import confidence, storable
from raterbook.rounds.completeness import Conditions, depends_on
from raterbook.rounds.current import AnswerCell, Fact, facts
from raterbook.rounds.model import (
    LARGEST,
    LONGEST_ID,
    LONGEST_TIME,
    STATUSES,
    Ack,
    Event,
    FileError,
    Given,
    RoundError,
    listed,
    microseconds,
    shown,
)
from raterbook.rounds.plan import PlanRule
from raterbook.rounds.raters import Named, fitting, join, known, looks_known
from raterbook.rounds.snapshot import Snapshot, StoredQuestion, StoredQuestions, Subject
from raterbook.rounds.store import schema

MOST_REPLICATES = 1_000_000
COLUMNS = tuple(each.name for each in schema.answer_event.c if each.name not in ("seq", "shown_as"))
Row = dict[str, Any]  # by the names of COLUMNS
AT_ONCE = 20_000
_Stacks = dict[tuple[int, int, int, int], list[int]]
_events = schema.answer_event
# A rater waits for these after every key, so the statements are built once.
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


class RefusedEvent(ValueError):
    """Why an event is not stored; the sender keeps it and shows the reason."""


# Events of one rater, each acknowledged by itself.


def save(
    connection: Connection,
    seen: Snapshot,
    questions: StoredQuestions,
    rater: int,
    events: Sequence[Event],
    now: int,
) -> list[Ack]:
    """Inside a transaction: what is new is added, what is known already is acknowledged again.

    The acknowledgements are true once the transaction is over.
    """
    known = _known(connection, seen.round_id, rater, events)
    stacks: _Stacks | None = None
    rows: list[Row] = []
    acks: list[Ack] = []
    remembered: dict[Any, Any] = {}
    for event in events:
        try:
            row = check(event, seen, questions, remembered)
        except RefusedEvent as refusal:
            acks.append(Ack(event.event_id or "", False, None, str(refusal)))
            continue
        if stacks is None:
            stacks = _lamports(connection, rater, seen, _subjects(events, seen, questions))
        stack, twin = stacks[_place(row)], known.get(row["event_id"])
        if twin is not None:
            acks.append(_again(twin, row, stack))
            continue
        if (closed := seen.closed()) is not None:
            acks.append(Ack(row["event_id"], False, None, closed))
            continue
        row["lamport"] = _last(stack) + 1 if event.lamport is None else event.lamport
        row.update(round_id=seen.round_id, rater_id=rater, server_time=now)
        insort(stack, row["lamport"])
        known[row["event_id"]] = row
        rows.append(row)
        acks.append(Ack(row["event_id"], True, _rank(stack, row["lamport"]), None, row["lamport"]))
    if rows and stacks is not None and any(each.question.when for each in questions.values()):
        refused, withdrawn = _unasked(connection, seen, questions, rows, stacks)
        rows = [row for row in rows if row["event_id"] not in refused] + withdrawn
        acks = [
            Ack(ack.event_id, False, None, refused[ack.event_id])
            if ack.event_id in refused
            else ack
            for ack in acks
        ]
    schema.write(connection, _events, rows)
    return acks


def check(
    event: Event, seen: Snapshot, questions: StoredQuestions, remembered: dict[Any, Any]
) -> Row:
    """The event as a row of the table, but for who sent it and when it came; or the reason why it
    cannot be kept. `remembered` is what was found out about subjects and values before."""
    if event.question not in questions:
        known = ", ".join(questions)
        raise RefusedEvent(f"{event.question!r} is no question of this protocol; it asks {known}")
    asked = questions[event.question]
    row: Row = {
        **dict.fromkeys(COLUMNS),
        "event_id": event.event_id or uuid.uuid4().hex,
        "subject_id": _subject(event, seen, asked.question, remembered).id,
        "part": int(event.part),
        "question_id": asked.id,
        "replicate": whole_number("replicate", event.replicate, 1, MOST_REPLICATES),
        "status": event.status,
        "seconds": _number("seconds", event.seconds),
        "lamport": None if event.lamport is None else whole_number("lamport", event.lamport, 0),
    }
    refuse_id(row["event_id"])
    try:
        row["client_time"] = microseconds(event.client_time)
        if event.confidence is not None:
            row["confidence"] = confidence(event.confidence)
        if event.reason:
            row["reason"] = storable(event.reason, "the reason")
    except ValueError as error:
        raise RefusedEvent(str(error)) from None
    if event.status not in STATUSES:
        raise RefusedEvent(f"status {event.status!r} is not one of {', '.join(STATUSES)}")
    if event.status == "answered":
        row["value_id"], row["number"], row["text"] = _value(event.value, asked, remembered)
    elif event.value not in (None, ""):
        raise RefusedEvent(
            f"“{event.question}” is {event.status} and has the value {event.value!r}: leave one out"
        )
    return row


def refuse_id(event_id: str) -> None:
    """An id comes back with its acknowledgement, so it must be a text that can be sent."""
    if len(event_id) > LONGEST_ID:
        raise RefusedEvent(f"event id {event_id[:20]!r}… is longer than {LONGEST_ID} characters")
    try:
        storable(event_id, "the event id")
    except ValueError as error:
        raise RefusedEvent(str(error)) from None


def _subject(
    event: Event, seen: Snapshot, question: Question, remembered: dict[Any, Any]
) -> Subject:
    where = (event.subject, event.part, event.question, event.status == "retracted")
    if where not in remembered:
        part = whole_number("part", event.part, 0)
        try:
            subject = seen.subject(event.subject, question.of)
            if event.status != "retracted" or not (part and question.per == "part"):
                seen.refuse_part(event.subject, subject, question, part)
        except ValueError as error:
            raise RefusedEvent(str(error)) from None
        remembered[where] = subject
    found: Subject = remembered[where]
    return found


def _value(
    value: Any, asked: StoredQuestion, remembered: dict[Any, Any]
) -> tuple[int | None, float | None, str | None]:
    if hasattr(value, "item"):
        value = value.item()  # numpy's numbers
    what = (asked.id, type(value), value) if isinstance(value, str | int | float) else None
    if what is None or what not in remembered:
        try:
            found = asked.encode(asked.question.check(value))
        except ValueError as error:
            raise RefusedEvent(str(error)) from None
        if what is None or found[2] is not None:  # texts are seldom said twice
            return found
        remembered[what] = found
    encoded: tuple[int | None, float | None, str | None] = remembered[what]
    return encoded


def whole_number(what: str, value: Any, least: int, most: int = LARGEST) -> int:
    """A number as a sender may give it, within what every sender can count to."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value <= most:
        raise RefusedEvent(f"{what} {value!r} is not a whole number from {least} to {most}")
    return int(value)


def _number(what: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise RefusedEvent(f"{what} {value!r} is not a number")
    if not 0 <= value <= LONGEST_TIME:
        raise RefusedEvent(f"{what} are outside 0–{LONGEST_TIME:,}, which is ten years")
    return float(value)


def _place(row: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """What the row is an answer to."""
    return row["subject_id"], row["part"], row["question_id"], row["replicate"]


def _again(twin: Mapping[str, Any], row: Row, stack: list[int]) -> Ack:
    """A retry is acknowledged like the first time; another answer under its id is not."""
    event_id, lamport = row["event_id"], twin["lamport"]
    said = ("status", "value_id", "number", "text")
    if _place(twin) != _place(row) or any(twin[name] != row[name] for name in said):
        reason = (
            f"event id {event_id} already belongs to another answer: a retry sends the same "
            "answer, and a correction needs an id of its own"
        )
        return Ack(event_id, False, None, reason)
    return Ack(event_id, True, _rank(stack, lamport), None, lamport)


def _rank(stack: Sequence[int], lamport: int) -> int:
    """Which revision it is: events in order of their counters, equal ones as they came."""
    return bisect_right(stack, lamport)


def _last(stack: Sequence[int]) -> int:
    return stack[-1] if stack else 0


def _known(
    connection: Connection, round_id: int, rater: int, events: Sequence[Event]
) -> dict[str, Mapping[str, Any]]:
    ids = [event.event_id for event in events if event.event_id]
    known: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(ids), 500):
        some = {"round_id": round_id, "rater": rater, "ids": ids[start : start + 500]}
        rows = connection.execute(_BY_ID, some)
        known.update((row["event_id"], dict(row)) for row in rows.mappings())
    return known


def _subjects(events: Sequence[Event], seen: Snapshot, questions: StoredQuestions) -> set[int]:
    named = {
        (event.subject, questions[event.question].question.of)
        for event in events
        if event.question in questions
    }
    found = set()
    for name, of in named:
        try:
            found.add(seen.subject(name, of).id)
        except ValueError:
            continue
    return found


def _lamports(connection: Connection, rater: int, seen: Snapshot, subjects: set[int]) -> _Stacks:
    """The counters of everything this rater said about these subjects, each cell's in order."""
    if len(subjects) <= 200:
        rows = connection.execute(_OF_SUBJECTS, {"rater": rater, "subjects": sorted(subjects)})
    else:
        rows = connection.execute(_OF_ROUND, {"rater": rater, "round_id": seen.round_id})
    stacks: _Stacks = defaultdict(list)
    for *place, lamport in rows:
        stacks[tuple(place)].append(lamport)
    for stack in stacks.values():
        stack.sort()
    return stacks


# Questions that depend on another answer: what is answered though it was not asked.
#
# A severity beside “accurate” is a slip in one of the two, and only who gave both knows in which:
# it is refused. Where a corrected answer closes a question that was answered before, the earlier
# answer is withdrawn, as the form does.


def _unasked(
    connection: Connection,
    seen: Snapshot,
    questions: StoredQuestions,
    rows: Sequence[Row],
    stacks: _Stacks,
) -> tuple[dict[str, str], list[Row]]:
    """Of new rows of one rater: by event id, why they are answers to nothing that is asked; and
    rows that take back earlier answers to questions which are asked no more.

    What comes late and is overtaken already is history, and stays.
    """
    name_of = {each.id: name for name, each in questions.items()}
    alone = [each.question for each in questions.values() if each.question.when]
    concerned = {each.id for each in alone} | {name for one in alone for name in depends_on(one)}
    holding = {
        _place(row): row
        for row in sorted(rows, key=lambda row: int(row["lamport"]))
        if name_of[row["question_id"]] in concerned and row["lamport"] >= _last(stacks[_place(row)])
    }
    if not holding:
        return {}, []
    rater, now = rows[0]["rater_id"], rows[0]["server_time"]
    about = _about(seen, rater, {place[0] for place in holding})
    there = {fact.cell: fact for fact in facts(connection, seen, questions, about, retracted=True)}
    who, cells, new = seen.names()[rater], {}, {}
    for place, row in holding.items():
        subject, name = seen.subjects[place[0]], name_of[place[2]]
        cell = (subject.key, subject.kind == "case", place[1], who, name, place[3])
        value = questions[name].decode(row["value_id"], row["number"], row["text"])
        cells[cell], new[cell] = place, value
    # A reply comes whole: what is not in it is not on its way.
    patient = seen.raters[who].kind != "model"
    will = Conditions(questions, seen, new, there, patient)
    refused: dict[str, str] = {}
    while found := {cell: why for cell in new if (why := will.refusal(cell)) is not None}:
        for cell, why in found.items():
            del new[cell]  # what rests on it may not be asked either
            refused |= {row["event_id"]: why for row in rows if _place(row) == cells[cell]}
    withdrawn = [
        {
            **dict.fromkeys(COLUMNS),
            "event_id": uuid.uuid4().hex,
            "round_id": seen.round_id,
            "rater_id": rater,
            "subject_id": (seen.cases if fact.of_case else seen.items)[fact.subject].id,
            "part": fact.part,
            "question_id": questions[fact.question].id,
            "replicate": fact.replicate,
            "status": "retracted",
            "lamport": fact.lamport + 1,
            "server_time": now,
        }
        for fact in will.closed()
    ]
    return refused, withdrawn


def _about(seen: Snapshot, rater: int, subjects: set[int]) -> list[ColumnElement[bool]]:
    """What this rater said of these subjects, their cases and, of a case, its items."""
    cases = {subject for subject in subjects if seen.subjects[subject].kind == "case"}
    near = subjects | {seen.case(seen.subjects[subject]).id for subject in subjects}
    near |= {each.id for each in seen.items.values() if each.case_id in cases} if cases else set()
    mine = [_events.c.rater_id == rater]
    return [*mine, _events.c.subject_id.in_(near)] if len(near) <= 200 else mine


# The answers of a file, whole or not at all: raters first, then everything in one statement.


Fresh = tuple[Given, AnswerCell, Any]  # with what it answers, and the value to store


@dataclass(frozen=True)
class AnswerFile:
    """What is new in a file, each answer checked, beside the round and what is stored there."""

    source: str
    seen: Snapshot
    fresh: Sequence[Fresh]
    there: Mapping[AnswerCell, Fact]


def save_file(
    connection: Connection,
    round_id: int,
    questions: StoredQuestions,
    rule: PlanRule,
    file: AnswerFile,
    now: int,
) -> None:
    """Inside a transaction. Each answer comes after what is stored for its cell."""
    new = _join(connection, round_id, file, now)
    seen = file.seen.joined(connection)
    if rule.per_item is not None:
        plan.take_up(connection, seen, rule, _taken_up(seen, file.fresh), now)
    elif new:  # so that they can go on in the form
        plan.extend(connection, seen, PlanRule(rule.seed), now)
    if (closed := seen.closed()) is not None:
        raise FileError(f"{file.source}: {closed}.")
    batch = uuid.uuid4().hex
    rows: list[Row] = []
    for number, (given, cell, value) in enumerate(file.fresh):
        subject, of_case, part, rater, question, replicate = cell
        asked = questions[question]
        answered = given.status == "answered"
        value_id, amount, text = asked.encode(value) if answered else (None, None, None)
        rows.append(
            {
                "event_id": f"{batch}-{number}",
                "round_id": round_id,
                "rater_id": seen.raters[rater].id,
                "subject_id": (seen.cases if of_case else seen.items)[subject].id,
                "part": part,
                "question_id": asked.id,
                "replicate": replicate,
                "status": given.status,
                "value_id": value_id,
                "number": amount,
                "text": text,
                "reason": given.reason,
                "confidence": given.confidence,
                "seconds": given.seconds,
                "lamport": file.there[cell].lamport + 1 if cell in file.there else 1,
                "client_time": microseconds(given.at) if given.at else None,
                "server_time": now,
            }
        )
        if len(rows) == AT_ONCE:  # a million rows would take more memory than all that came before
            schema.write(connection, _events, rows)
            rows = []
    schema.write(connection, _events, rows)


def _taken_up(seen: Snapshot, fresh: Sequence[Fresh]) -> dict[str, dict[str, None]]:
    """Where each item has so many raters, people are given what they answered. The rest is dealt
    with the next rater or item that is added: more files may tell who has it already."""
    items: dict[str, list[str]] = {}
    for key, item in seen.items.items():
        items.setdefault(seen.case(item).key, []).append(key)
    answered: dict[str, dict[str, None]] = {}
    for _, (subject, of_case, _, rater, _, _), _ in fresh:
        about = items[subject] if of_case else [subject]
        answered.setdefault(rater, {}).update(dict.fromkeys(about))
    return answered


def _join(connection: Connection, round_id: int, file: AnswerFile, now: int) -> list[int]:
    """Everybody the file names has a part in the round, each of one kind; those who are new."""
    named: dict[str, tuple[int, set[str | None], set[str | None]]] = {}
    for given, _, _ in file.fresh:
        _, kinds, versions = named.setdefault(given.rater, (given.row, set(), set()))
        kinds.add(given.kind)
        versions.add(given.version)
    if (twin := looks_known(connection, named)) is not None:
        raise FileError(f"{file.source}, row {named[twin[0]][0]}: {twin[1]}")
    there = known(connection)
    who = []
    for name, (row, kinds, versions) in named.items():
        for what, found in (("kind", kinds - {None}), ("version", versions - {None})):
            if len(found) > 1:
                raise FileError(
                    f"{file.source}, row {row}: {shown(name)} is given more than one {what} "
                    f"({listed(sorted(map(str, found)))}). Keep one."
                )
        kind = next(iter(kinds - {None}), None)
        version = next(iter(versions - {None}), None)
        who.append(Named(name, kind, version))
        try:
            fitting(there, who[-1])
        except RoundError as error:
            raise FileError(f"{file.source}, row {row}: {error}") from None
    return join(connection, round_id, who, now)
