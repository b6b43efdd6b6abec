"""Every current answer of a round with all that is known of it, for files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from raterbook.rounds import schema, times
from raterbook.rounds.people import public_name
from raterbook.rounds.snapshot import percentage, written


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
        return times.iso(self.server_time if self.client_time is None else self.client_time)

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
    cell = (event.c.rater_id, event.c.subject_id, event.c.part, event.c.question_id,
            event.c.replicate)
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
            subject.key, subject.kind == "case", row.part, public_name(rater, pseudonyms),
            rater.kind, rater.version, name, row.replicate, row.status, value, row.reason,
            row.confidence, row.seconds, row.client_time, row.server_time, row.revision,
            row.lamport, question.question.type == "percent",
        )
        found.append(((order[row.subject_id], row.part, row.rater_id, place, row.replicate), fact))
    return [fact for _, fact in sorted(found, key=lambda pair: pair[0])]
