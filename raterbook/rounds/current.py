"""The answer events of a round as arrays, and which of them are current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, case, func, literal_column, select

from raterbook.rounds import model
from raterbook.rounds.raters import public_name
from raterbook.rounds.snapshot import percentage, written
from raterbook.rounds.store import schema

_events = schema.answer_event
_LARGEST = 2**62
_AT_ONCE = 20_000
ANSWERED, NOT_APPLICABLE, SKIPPED, RETRACTED = range(4)
_STATUS = {
    "answered": ANSWERED,
    "not_applicable": NOT_APPLICABLE,
    "skipped": SKIPPED,
    "retracted": RETRACTED,
}
_KINDS: dict[str, type] = {
    "number": float,
    "confidence": float,
    "seconds": float,
    "text": object,
    "reason": object,
    "shown_as": object,
}
_COLUMNS: dict[str, ColumnElement] = {
    "rater": _events.c.rater_id,
    "subject": _events.c.subject_id,
    "part": _events.c.part,
    "question": _events.c.question_id,
    "replicate": _events.c.replicate,
    "status": case(
        *((_events.c.status == name, literal_column(str(code))) for name, code in _STATUS.items())
    ),
    "value_id": func.coalesce(_events.c.value_id, literal_column("-1")),
    "number": _events.c.number,
    "confidence": _events.c.confidence,
    "seconds": _events.c.seconds,
    "lamport": _events.c.lamport,
    "answered_at": func.coalesce(_events.c.client_time, _events.c.server_time),
    "text": _events.c.text,
}
_DETAILS: dict[str, ColumnElement] = {
    "reason": _events.c.reason,
    "shown_as": _events.c.shown_as,
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
    details: dict[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lamport)

    def take(self, rows: np.ndarray) -> Events:
        """These rows, by mask or by place."""
        columns = {each.name: getattr(self, each.name)[rows] for each in fields(self)[:-1]}
        details = {name: column[rows] for name, column in self.details.items()}
        return replace(self, **columns, details=details)

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

    def current(self) -> Events:
        """The last of each cell by (lamport, seq) without what was retracted, in order of cells."""
        if not len(self):
            return self
        cell = self.cell(question=True)
        order = np.lexsort((self.lamport, cell))  # stable: later ones last
        ends = np.append(np.flatnonzero(np.diff(cell[order])), len(order) - 1)
        current = replace(self.take(order[ends]), revision=np.diff(ends, prepend=-1))
        stays = current.status != RETRACTED
        return current if stays.all() else current.take(stays)


def read(
    connection: Connection,
    round_id: int,
    questions: Sequence[int],
    details: bool = False,
    only: Sequence[ColumnElement[bool]] = (),
    without: Sequence[str] = (),
) -> Events:
    """Every event of these questions, in the order they came.

    `only` narrows it further; columns named in `without` are not read and say nothing.
    """
    columns = {name: column for name, column in _COLUMNS.items() if name not in without}
    columns |= _DETAILS if details else {}
    query = (
        select(*columns.values())
        .where(_of_round(connection, round_id), _events.c.question_id.in_(questions), *only)
        .order_by(_events.c.seq)
    )
    # The driver's own cursor: rows as plain tuples, a million of them in a third of the time.
    cursor: Any = connection.execute(query).cursor
    pieces: list[list[np.ndarray]] = [[np.empty(0, _KINDS.get(name, np.int64))] for name in columns]
    while rows := cursor.fetchmany(_AT_ONCE):
        for piece, (name, cells) in zip(pieces, zip(columns, zip(*rows), strict=True), strict=True):
            piece.append(np.array(cells, dtype=_KINDS.get(name, np.int64)))
    cursor.close()
    arrays = {name: np.concatenate(piece) for name, piece in zip(columns, pieces, strict=True)}
    extra = {name: arrays.pop(name) for name in columns if name in _DETAILS}
    size = len(arrays["lamport"])
    arrays |= {name: np.zeros(size, _KINDS.get(name, np.int64)) for name in without}
    return Events(**arrays, revision=np.ones(size, dtype=np.int64), details=extra)


def _of_round(connection: Connection, round_id: int) -> ColumnElement[bool]:
    """By the index for a small share of the table; by reading it through for a large one."""
    own = select(func.count()).where(_events.c.round_id == round_id)
    mine = connection.scalar(own) or 0
    everything = connection.scalar(select(func.max(_events.c.seq))) or 0
    if mine * 4 < everything:
        return _events.c.round_id == round_id
    return (_events.c.round_id + 0) == round_id


# Every current answer of a round with all that is known of it, for files.


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
        return model.iso(self.server_time if self.client_time is None else self.client_time)

    @property
    def cell(self) -> tuple[str, bool, int, str, str, int]:
        """What it is an answer to, and whose."""
        return (self.subject, self.of_case, self.part, self.rater, self.question, self.replicate)


def facts(
    stored: Any, connection: Connection, retracted: bool = False, pseudonyms: bool = False
) -> list[Fact]:
    """Current answers, by item, part, rater and question; retracted ones only on request.

    `pseudonyms` stand for the names of people.
    """
    snapshot = stored.look(connection)
    asked = stored.asked(connection)
    by_id = {each.id: (place, name, each) for place, (name, each) in enumerate(asked.items())}
    who: Mapping[int, Any] = {row.id: row for row in snapshot.raters.values()}
    order = {subject: place for place, subject in enumerate(snapshot.subjects)}
    event = schema.answer_event
    cell = (
        event.c.rater_id,
        event.c.subject_id,
        event.c.part,
        event.c.question_id,
        event.c.replicate,
    )
    age = func.row_number().over(
        partition_by=cell, order_by=(event.c.lamport.desc(), event.c.seq.desc())
    )
    revision = func.count().over(partition_by=cell)
    latest = (
        select(event, age.label("age"), revision.label("revision"))
        .where(event.c.round_id == stored.id)
        .subquery()
    )
    query = select(latest).where(latest.c.age == 1)
    if not retracted:
        query = query.where(latest.c.status != "retracted")
    rows = connection.execute(query).all()
    found = []
    for row in rows:
        place, name, question = by_id[row.question_id]
        value = question.value_of.get(row.value_id, row.text)
        if row.number is not None:
            value = int(row.number) if row.number.is_integer() else row.number
        subject, rater = snapshot.subjects[row.subject_id], who[row.rater_id]
        fact = Fact(
            subject.key,
            subject.kind == "case",
            row.part,
            public_name(rater, pseudonyms),
            rater.kind,
            rater.version,
            name,
            row.replicate,
            row.status,
            value,
            row.reason,
            row.confidence,
            row.seconds,
            row.client_time,
            row.server_time,
            row.revision,
            row.lamport,
            question.question.kind.unit == "%",
        )
        found.append(((order[row.subject_id], row.part, row.rater_id, place, row.replicate), fact))
    return [fact for _, fact in sorted(found, key=lambda pair: pair[0])]
