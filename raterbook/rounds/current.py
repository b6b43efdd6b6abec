"""The answers of a round as they were said, as arrays, and which of them are current.

Of what one rater said about one thing the last holds, by (lamport, seq); a retraction holds as the
absence of an answer. That rule stands in `Events.current`, and a second time, for people who open
the file with other tools, in the view `current_answer` of the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import isnan
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, and_, case, func, literal_column, select

from raterbook.rounds.model import LATEST, STATUSES, Answer, iso, moment
from raterbook.rounds.raters import public_name
from raterbook.rounds.snapshot import Snapshot, StoredQuestions, Subject, percentage, written
from raterbook.rounds.store import schema

_events = schema.answer_event
_LARGEST = 2**62
_AT_ONCE = 20_000
ANSWERED, SKIPPED, RETRACTED = map(STATUSES.index, ("answered", "skipped", "retracted"))
_KINDS: dict[str, type] = {
    "number": float,
    "confidence": float,
    "seconds": float,
    "text": object,
    "reason": object,
    "client_time": object,
}


def timely(sent: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a sender's time is one that `moment` believes."""
    return sent.between(0, LATEST - 1)


_COLUMNS: dict[str, ColumnElement[Any]] = {
    "rater": _events.c.rater_id,
    "subject": _events.c.subject_id,
    "part": _events.c.part,
    "question": _events.c.question_id,
    "replicate": _events.c.replicate,
    "status": case(
        *(
            (_events.c.status == name, literal_column(str(code)))
            for code, name in enumerate(STATUSES)
        )
    ),
    "value_id": func.coalesce(_events.c.value_id, literal_column("-1")),
    "number": _events.c.number,
    "confidence": _events.c.confidence,
    "seconds": _events.c.seconds,
    "lamport": _events.c.lamport,
    "answered_at": case(  # as `moment` has it
        (timely(_events.c.client_time), _events.c.client_time),
        else_=_events.c.server_time,
    ),
    "text": _events.c.text,
}
_MORE: dict[str, ColumnElement[Any]] = {
    name: _events.c[name] for name in ("reason", "client_time", "server_time")
}


@dataclass(frozen=True)
class Events:
    """Columns of equal length, one row per event, in the order they came."""

    rater: np.ndarray
    subject: np.ndarray
    part: np.ndarray
    question: np.ndarray
    replicate: np.ndarray
    status: np.ndarray
    value_id: np.ndarray  # -1 where the value is none of a closed question
    number: np.ndarray
    confidence: np.ndarray
    seconds: np.ndarray
    lamport: np.ndarray
    answered_at: np.ndarray
    text: np.ndarray  # None where the value is no text
    revision: np.ndarray
    more: dict[str, np.ndarray] = field(default_factory=dict)  # columns that were asked for

    def __len__(self) -> int:
        return len(self.lamport)

    def take(self, rows: np.ndarray) -> Events:
        """These rows, by mask or by place."""
        size = int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows)

        def taken(column: np.ndarray) -> np.ndarray:
            if len(column) and column.strides == (0,):  # it says the same throughout
                return np.broadcast_to(column[:1], size)
            found: np.ndarray = column[rows]
            return found

        columns = {each.name: taken(getattr(self, each.name)) for each in fields(self)[:-1]}
        more = {name: taken(column) for name, column in self.more.items()}
        return replace(self, **columns, more=more)

    def only(self, rows: np.ndarray) -> Events:
        """These rows, by mask; itself where that is all of them."""
        return self if rows.all() else self.take(rows)

    def cell(self, question: bool = False, part: bool = True) -> np.ndarray:
        """One number for each subject, rater, replicate, and part and question where wanted."""
        cell = self.subject.astype(np.int64)
        axes = [
            (self.part, part),
            (self.question, question),
            (self.rater, True),
            (self.replicate, True),
        ]
        for axis, wanted in axes:
            if wanted and len(axis):
                low, size = int(axis.min()), int(axis.max()) - int(axis.min()) + 1
                if (int(cell.max()) + 1) * size > _LARGEST:
                    cell = np.unique(cell, return_inverse=True)[1].astype(np.int64)
                cell = cell * size + (axis - low)
        return cell

    def current(self, retracted: bool = False) -> Events:
        """The last of each cell by (lamport, seq), in order of cells; what was retracted is away
        unless it is asked for."""
        if not len(self):
            return self
        cell = self.cell(question=True)
        order = np.lexsort((self.lamport, cell))  # stable: later ones last
        ends = np.append(np.flatnonzero(np.diff(cell[order])), len(order) - 1)
        revision = _narrow(np.diff(ends, prepend=-1))
        current = replace(self.take(order[ends]), revision=revision)
        stays = current.status != RETRACTED
        return current if retracted else current.only(stays)


def read(
    connection: Connection,
    round_id: int,
    questions: StoredQuestions,
    only: Sequence[ColumnElement[bool]] = (),
    without: Sequence[str] = (),
    more: Sequence[str] = (),
) -> Events:
    """Every event of these questions, in the order they came.

    `only` narrows it to a few, such as those of one rater; columns named in `without` are not read
    and say nothing; `more` are columns beyond the usual ones.
    """
    columns = {name: column for name, column in _COLUMNS.items() if name not in without}
    columns |= {name: _MORE[name] for name in more}
    asked = [each.id for each in questions.values()]
    here = (_events.c.round_id == round_id) if only else _of_round(connection, round_id)
    wanted = and_(here, _events.c.question_id.in_(asked), *only)
    many, same = (None, {}) if only else _same(connection, wanted)
    same = {name: said for name, said in same.items() if name in columns}
    differing = {name: column for name, column in columns.items() if name not in same}
    arrays = _arrays(connection, wanted, differing)
    if many is not None and many != len(arrays["subject"]):  # some came between the two
        arrays, same = _arrays(connection, wanted, columns), {}
    size = len(arrays["subject"])
    unsaid = dict.fromkeys(without, 0) | {"revision": 1} | same
    arrays |= {
        name: np.broadcast_to(np.array(said, _KINDS.get(name, np.int64)), size)
        for name, said in unsaid.items()
    }
    extra = {name: arrays.pop(name) for name in more}
    return Events(**arrays, more=extra)


def _arrays(
    connection: Connection, wanted: ColumnElement[bool], columns: Mapping[str, ColumnElement[Any]]
) -> dict[str, np.ndarray]:
    query = select(*columns.values()).where(wanted).order_by(_events.c.seq)
    # The driver's own cursor: rows as plain tuples, a million of them in a third of the time.
    cursor: Any = connection.execute(query).cursor
    pieces: dict[str, list[np.ndarray]] = {name: [] for name in columns}
    while rows := cursor.fetchmany(_AT_ONCE):
        for name, cells in zip(columns, zip(*rows), strict=True):
            pieces[name].append(_narrow(np.array(cells, dtype=_KINDS.get(name, np.int64))))
    cursor.close()
    none: dict[str, np.ndarray] = {
        name: np.empty(0, _KINDS.get(name, np.int64)) for name in columns
    }
    # A column's pieces go as soon as it is one.
    return {name: np.concatenate(pieces.pop(name) or [none[name]]) for name in columns}


def _narrow(column: np.ndarray) -> np.ndarray:
    """Whole numbers in half the memory, where they are not too large for it."""
    if column.dtype != np.int64 or not len(column):
        return column
    small = np.iinfo(np.int32)
    fits = small.min <= column.min() and column.max() <= small.max
    return column.astype(np.int32) if fits else column


def _same(connection: Connection, events: ColumnElement[bool]) -> tuple[int, dict[str, Any]]:
    """How many events, and the columns in which all say the same, and what: few answers have a
    confidence, a text or a part, and what all have alike need not be read a million times."""
    column, answered = _events.c, _events.c.status == STATUSES[ANSWERED]
    sparse = ("number", "confidence", "seconds", "text", "reason", "client_time")
    one = ("part", "replicate", "lamport", "server_time")
    row = connection.execute(
        select(
            func.count(),
            func.count(case((answered, 1))),
            *(func.count(column[name]) for name in sparse),
            *(end(column[name]) for name in one for end in (func.min, func.max)),
        ).where(events)
    ).one()
    if not row[0]:
        return 0, {}
    found: dict[str, Any] = {"status": ANSWERED} if row[1] == row[0] else {}
    found |= {name: None for name, many in zip(sparse, row[2:8], strict=True) if not many}
    ends = zip(one, row[8::2], row[9::2], strict=True)
    found |= {name: least for name, least, most in ends if least == most}
    if {"client_time", "server_time"} <= set(found):
        found["answered_at"] = found["server_time"]
    return row[0], found


def count(connection: Connection, round_id: int) -> int:
    """How many events the round has; they only ever grow more."""
    own = select(func.count()).where(_events.c.round_id == round_id)
    return int(connection.scalar(own) or 0)


def highest(connection: Connection, round_id: int, rater: int) -> int:
    """The highest counter of all this rater ever said here, answers and marks."""
    found = [
        connection.scalar(
            select(func.max(table.c.lamport)).where(
                table.c.round_id == round_id, table.c.rater_id == rater
            )
        )
        for table in (_events, schema.mark_event)
    ]
    return max(each or 0 for each in found)


def last(connection: Connection) -> int:
    """The number of the latest answer of the workspace."""
    return int(connection.scalar(select(func.max(_events.c.seq))) or 0)


def others_since(connection: Connection, round_id: int, last: int, rater: int) -> bool:
    """Whether anybody but this rater has answered in the round after that answer."""
    query = select(_events.c.seq).where(
        _events.c.seq > last, _events.c.round_id == round_id, _events.c.rater_id != rater
    )
    return connection.scalar(query.limit(1)) is not None


def by(last: int | None) -> tuple[ColumnElement[bool], ...]:
    """What was there when this answer was the latest; everything where none is named."""
    return () if last is None else (_events.c.seq <= last,)


def _of_round(connection: Connection, round_id: int) -> ColumnElement[bool]:
    """By the index for a small share of the table; by reading it through for a large one."""
    if count(connection, round_id) * 4 < last(connection):
        return _events.c.round_id == round_id
    return (_events.c.round_id + 0) == round_id


# Current answers one by one, with all that is known of them: for the form, for files.

AnswerCell = tuple[str, bool, int, str, str, int]
"""Subject and whether it is a case, part, rater, question, replicate: all by name."""


@dataclass(slots=True)
class Fact:
    """One current answer. `subject` is the key of the item, or of the case (`of_case`)."""

    subject: str
    of_case: bool
    part: int
    rater: str
    kind: str
    version: str | None
    question: str
    replicate: int
    status: str
    value: Any
    reason: str | None
    confidence: float | None
    seconds: float | None
    client_time: int | None
    server_time: int
    revision: int
    lamport: int
    percent: bool = False  # the value is a percentage

    @property
    def text(self) -> str:
        """The value as files have it: nothing where there is none."""
        if self.value is None or isinstance(self.value, str):
            return self.value or ""
        return percentage(self.value) if self.percent else written(self.value)

    @property
    def part_text(self) -> str:
        return str(self.part) if self.part else ""

    @property
    def confidence_text(self) -> str:
        return "" if self.confidence is None else percentage(self.confidence)

    @property
    def seconds_text(self) -> str:
        return "" if self.seconds is None else written(self.seconds)

    @property
    def answered_at(self) -> str | None:
        return iso(moment(self.client_time, self.server_time))

    @property
    def cell(self) -> AnswerCell:
        """What it is an answer to, and whose."""
        return (self.subject, self.of_case, self.part, self.rater, self.question, self.replicate)


def facts(
    connection: Connection,
    seen: Snapshot,
    questions: StoredQuestions,
    only: Sequence[ColumnElement[bool]] = (),
    retracted: bool = False,
    pseudonyms: bool = False,
) -> list[Fact]:
    """Current answers, by item, part, rater and question; retracted ones only on request.

    `pseudonyms` stand for the names of people; `only` narrows it as in `read`.
    """
    more = ("reason", "client_time", "server_time")
    events = read(connection, seen.round_id, questions, only, ("answered_at",), more)
    events = events.current(retracted)
    of = {each.id: (name, each) for name, each in questions.items()}
    who: Mapping[int, Any] = {row.id: row for row in seen.raters.values()}
    names = {number: public_name(who[number], pseudonyms) for number in set(events.rater.tolist())}
    place = {each.id: place for place, each in enumerate(questions.values())}
    asking = np.array([place[number] for number in events.question.tolist()], dtype=np.int64)
    last_first = (events.replicate, asking, events.rater, events.part, events.subject)
    events = events.take(np.lexsort(last_first))
    plain = [getattr(events, each.name).tolist() for each in fields(events)[:-1]]
    plain += [events.more[name].tolist() for name in more]
    found = []
    for row in zip(*plain, strict=True):
        rater, subject, part, question, replicate, status, value_id, number = row[:8]
        confidence, seconds, lamport, _, text, revision, reason, client_time, server_time = row[8:]
        about, (name, asked) = seen.subjects[subject], of[question]
        found.append(
            Fact(
                about.key,
                about.kind == "case",
                part,
                names[rater],
                who[rater].kind,
                who[rater].version,
                name,
                replicate,
                STATUSES[status],
                asked.decode(value_id, number, text),
                reason,
                None if isnan(confidence) else confidence,
                None if isnan(seconds) else seconds,
                client_time,
                server_time,
                revision,
                lamport,
                asked.question.kind.unit == "%",
            )
        )
    return found


def current(
    connection: Connection,
    seen: Snapshot,
    questions: StoredQuestions,
    rater: int,
    item: Subject | None = None,
) -> dict[tuple[str, int, str], Answer]:
    """What this rater's answers are now, by (subject ref, part, question); replicate 1.

    Of one item alone they come with those of its case, and with what was taken back.
    """
    only = [_events.c.rater_id == rater, _events.c.replicate == 1]
    if item is not None:
        only.append(_events.c.subject_id.in_([item.id, seen.case(item).id]))
    found = {}
    for fact in facts(connection, seen, questions, only, retracted=item is not None):
        subject = (seen.cases if fact.of_case else seen.items)[fact.subject]
        found[subject.ref, fact.part, fact.question] = Answer(
            fact.value,
            fact.status,
            fact.reason,
            fact.revision,
            fact.confidence,
            fact.lamport,
            fact.seconds,
        )
    return found
