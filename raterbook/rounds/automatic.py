"""Answers that come with the items: a column that holds the labels of an automatic rater."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from raterbook.rounds import answers, snapshot
from raterbook.rounds.model import Event, ItemRow, ItemTable, RoundError

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound


def add_answers(stored: StoredRound, connection: Connection, table: ItemTable) -> None:
    """Each filled cell is an answer of the rater the protocol names for its column."""
    from raterbook.rounds.opening import join

    for column, field in stored.protocol.item.fields.items():
        named = field.answers
        if named is None:
            continue
        of_case = stored.protocol.question(named.question).of == "case"
        rows: dict[str, ItemRow] = {}
        for row in table.rows:
            if row.fields.get(column, "").strip():
                rows.setdefault(row.case if of_case else row.key, row)
        join(connection, stored.id, [named.rater], named.kind, stored.store.now())
        seen = snapshot.take(connection, stored.id)
        events = [
            Event(_event_id(column, subject, row), subject, named.question, row.fields[column])
            for subject, row in rows.items()
        ]
        rater = stored.rater_id(seen, named.rater)
        acks = answers.store_events(stored, connection, seen, rater, events)
        for row, ack in zip(rows.values(), acks, strict=True):
            if not ack.ok:
                raise RoundError(
                    f"{table.source}, row {row.row}, column {column}: {ack.reason}: correct the "
                    "cell, or empty it."
                )


def _event_id(column: str, subject: str, row: ItemRow) -> str:
    """The same cell is the same event, however often it is read."""
    text = "\x1f".join((column, subject, row.fields[column]))
    return sha256(text.encode()).hexdigest()[:32]
