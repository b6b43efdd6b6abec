"""The answer events of a round as arrays, and which of them are current."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, case, func, literal_column, select

from raterbook.rounds import schema

_events = schema.answer_event
_LARGEST = 2**62
_AT_ONCE = 20_000
ANSWERED, NOT_APPLICABLE, SKIPPED, RETRACTED = range(4)
_STATUS = {
    "answered": ANSWERED, "not_applicable": NOT_APPLICABLE, "skipped": SKIPPED,
    "retracted": RETRACTED,
}
_KINDS: dict[str, type] = {
    "number": float, "confidence": float, "seconds": float,
    "text": object, "reason": object, "shown_as": object,
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
        axes = [(self.part, part), (self.question, question), (self.rater, True),
                (self.replicate, True)]
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
    connection: Connection, round_id: int, questions: Sequence[int], details: bool = False,
    only: Sequence[ColumnElement[bool]] = (), without: Sequence[str] = (),
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
