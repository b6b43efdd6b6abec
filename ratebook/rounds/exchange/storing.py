"""Checked answers of a file into the database: raters first, then all events in one statement."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert

from ratebook.rounds import schema
from ratebook.rounds.exchange.facts import Fact
from ratebook.rounds.exchange.given import Given
from ratebook.rounds.exchange.problems import FileError, listed, shown
from ratebook.rounds.model import RoundError
from ratebook.rounds.opening import join
from ratebook.rounds.snapshot import take as take_snapshot
from ratebook.rounds.times import microseconds

if TYPE_CHECKING:
    from ratebook.rounds.stored import StoredRound

Cell = tuple[str, bool, int, str, str, int]  # subject, of_case, part, rater, question, replicate
Fresh = tuple[Given, Cell, Any]  # with what it answers, and the value to store


def store(
    stored: StoredRound, connection: Connection, fresh: Sequence[Fresh], there: Mapping[Cell, Fact],
    source: str,
) -> None:
    """Inside a transaction. Each answer comes after what is stored for its cell.

    `shown_as` stays empty: what was answered in a file was not answered in the form's order.
    """
    _join(stored, connection, [given for given, _, _ in fresh], source)
    seen = take_snapshot(connection, stored.id)
    if seen.state == "closed":
        raise FileError(f"{source}: {stored.closed_reason(seen)}.")
    asked = stored.asked(connection)
    raters = {name: row.id for name, row in seen.raters.items()}
    now, batch = stored.store.now(), uuid.uuid4().hex
    rows = []
    for number, (given, cell, value) in enumerate(fresh):
        subject, of_case, part, rater, question, replicate = cell
        named = asked[question]
        row = {
            "event_id": f"{batch}-{number}", "round_id": stored.id, "rater_id": raters[rater],
            "subject_id": (seen.cases if of_case else seen.items)[subject].id,
            "part": part, "question_id": named.id, "replicate": replicate, "status": given.status,
            "value_id": None, "number": None, "text": None, "reason": given.reason,
            "confidence": given.confidence, "seconds": given.seconds,
            "lamport": there[cell].lamport + 1 if cell in there else 1,
            "client_time": microseconds(given.at) if given.at else None, "server_time": now,
        }
        if given.status == "answered":
            if named.allowed:
                row["value_id"] = named.allowed[value]
            elif named.question.is_numeric:
                row["number"] = float(value)
            else:
                row["text"] = value
        rows.append(row)
    connection.execute(insert(schema.answer_event), rows)


def _join(
    stored: StoredRound, connection: Connection, given: Sequence[Given], source: str
) -> None:
    """Everybody the file names has a part in the round, each with one kind and one version."""
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
            join(connection, stored.id, [name], kind, stored.store.now(), version)
        except RoundError as error:
            raise FileError(f"{source}, row {row}: {error}") from None



