"""Checked answers of a file into the database: raters first, then all events in one statement."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert
from sqlalchemy.sql.compiler import SQLCompiler

from raterbook.rounds import assigning, schema
from raterbook.rounds.exchange.facts import Fact
from raterbook.rounds.exchange.given import Given
from raterbook.rounds.exchange.problems import FileError, listed, shown
from raterbook.rounds.model import RoundError
from raterbook.rounds.opening import join
from raterbook.rounds.snapshot import Snapshot
from raterbook.rounds.snapshot import take as take_snapshot
from raterbook.rounds.times import microseconds

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound

Cell = tuple[str, bool, int, str, str, int]  # subject, of_case, part, rater, question, replicate
Fresh = tuple[Given, Cell, Any]  # with what it answers, and the value to store

COLUMNS = (
    "event_id", "round_id", "rater_id", "subject_id", "part", "question_id", "replicate", "status",
    "value_id", "number", "text", "reason", "confidence", "seconds", "lamport", "client_time",
    "server_time",
)


def store(
    stored: StoredRound, connection: Connection, fresh: Sequence[Fresh], there: Mapping[Cell, Fact],
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
        assigning.extend(connection, seen, stored.seed, None, stored.store.now())
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
        rows.append((
            f"{batch}-{number}", stored.id, raters[rater],
            (seen.cases if of_case else seen.items)[subject].id, part, named.id, replicate,
            given.status, value_id, amount, text, given.reason, given.confidence, given.seconds,
            there[cell].lamport + 1 if cell in there else 1,
            microseconds(given.at) if given.at else None, now,
        ))
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
    assigning.take_up(connection, seen, stored.seed, answered, stored.store.now())


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
                raise FileError(f"{source}, row {row}: {shown(name)} is given more than one {what} "
                                f"({listed(sorted(map(str, found)))}). Keep one.")
        kind = next(iter(kinds - {None}), None)
        version = next(iter(versions - {None}), None)
        try:
            new += join(connection, stored.id, [name], kind, stored.store.now(), version)
        except RoundError as error:
            raise FileError(f"{source}, row {row}: {error}") from None
    return new
