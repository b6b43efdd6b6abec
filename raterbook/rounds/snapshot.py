"""A round as it stands: who and what it has, by every name. Valid until its log says more."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, select
from sqlalchemy.engine import Row

import raterbook.rounds.raters as people
from raterbook.protocols import Protocol, Question, parse
from raterbook.rounds.model import ALTERED, RoundError, listed, minute
from raterbook.rounds.store import log, schema

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Subject:
    """An item or a case, by number."""

    id: int
    kind: str
    key: str
    ref: str
    case_id: int | None
    role: str
    batch: int


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question and how its values are stored: closed ones by number of the allowed value."""

    id: int
    question: Question
    allowed: dict[Any, int]
    value_of: dict[int, Any]

    def encode(self, value: Any) -> tuple[int | None, float | None, str | None]:
        """A value that was checked as value_id, number and text; one of them is not None."""
        if self.allowed:
            return self.allowed[value], None, None
        kept = self.question.kind.encode(value)
        return None, kept.get("number"), kept.get("text")

    def decode(self, value_id: int | None, number: float | None, text: str | None) -> Any:
        """What was encoded; None where there is no value. A number may be NaN for none."""
        if number is not None and not math.isnan(number):
            return int(number) if number.is_integer() else number
        return text if value_id is None else self.value_of.get(value_id, text)


StoredQuestions = Mapping[str, StoredQuestion]  # of a protocol, by id


class Kept:
    """What was read of a round, until it has grown."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[tuple[int, int], Any]] = {}

    def since(self, now: tuple[int, int], what: str, read: Callable[[], Found]) -> Found:
        kept = self._found.get(what)
        if kept is None or kept[0] != now:
            kept = self._found[what] = (now, read())
        return cast(Found, kept[1])


@dataclass
class Snapshot:
    """Everything by number and by name."""

    round_id: int
    name: str
    cluster: str | None  # the items' column that clusters them
    protocol_hash: str
    bare: bool
    per_item: int | None
    state: str
    state_at: int
    subjects: dict[int, Subject]
    refs: dict[str, Subject]
    items: dict[str, Subject]
    cases: dict[str, Subject]
    parts: dict[int, set[int]]  # of each subject, without retired ones
    raters: dict[str, Row[Any]]
    excluded: dict[int, str]
    places: dict[int, dict[int, int]] = field(default_factory=dict)
    columns: dict[str | None, Any] = field(default_factory=dict)  # of frames, made once

    def subject(self, name: str, of: str) -> Subject:
        """The item or case of this ref or key; the case of an item, where a case is asked for."""
        found = self.refs.get(name) or (self.cases if of == "case" else self.items).get(name)
        if found is None and of == "case":
            found = self.items.get(name)
        if found is None and name in self.cases:  # the case alone names its one item
            own = [each for each in self.items.values() if each.case_id == self.cases[name].id]
            if len(own) > 1:
                keys = ", ".join(each.key for each in own[:4]) + (", …" if len(own) > 4 else "")
                raise RoundError(f"{name!r} names {len(own)} items: write which one, {keys}")
            found = own[0] if own else None
        if found is None:
            raise RoundError(f"there is no {of} {name!r} in the round")
        if found.kind == of:
            return found
        if of == "case" and found.case_id is not None:
            return self.subjects[found.case_id]
        raise RoundError(f"{name!r} is a case, and an item is asked about")

    @cached_property
    def case_of(self) -> np.ndarray:
        """The number of each subject's case, by its number; a case is its own."""
        found = np.arange(max(self.subjects, default=0) + 1)
        for each in self.subjects.values():
            found[each.id] = each.case_id or each.id
        return found

    def case(self, subject: Subject) -> Subject:
        """Of an item; a case is its own."""
        return self.subjects[subject.case_id or subject.id]

    def parts_of(self, subject: Subject) -> set[int]:
        """Its own parts, else its case's."""
        return self.parts.get(subject.id) or self.parts.get(subject.case_id or 0) or set()

    def refuse_part(self, name: str, subject: Subject, question: Question, part: int) -> None:
        """Whether the question is asked about this part of the subject; 0 is the whole.

        Who calls it by its opaque name is told neither its key nor what parts it has.
        """
        if question.per == "whole":
            if part:
                raise RoundError(
                    f"“{question.id}” is asked about the whole, not about part {part}: leave the "
                    "part out"
                )
        elif not part:
            raise RoundError(f"“{question.id}” is asked about each part: say which, 1, 2, 3, …")
        elif not any(part in self.parts.get(n or 0, ()) for n in (subject.id, subject.case_id)):
            if name in self.refs:
                raise RoundError(f"there is no part {part} here")
            there = self.parts_of(subject)
            has = f"It has {listed(sorted(there))}" if there else "It has no parts"
            raise RoundError(f"of {subject.key!r} there is no part {part}. {has}")

    def names(self) -> dict[int, str]:
        """Of the raters, by number."""
        return {row.id: name for name, row in self.raters.items()}

    def rater(self, name: str) -> int:
        """The number of the rater of this name or pseudonym."""
        row = self.raters.get(name)
        if row is None:
            row = next((each for each in self.raters.values() if each.pseudonym == name), None)
        if row is None:
            known = listed(self.raters, 10) or "nobody yet"
            raise RoundError(
                f"{name!r} is no rater of {self.name}: its raters are {known}. Correct the name; "
                f"`raterbook import {self.name} FILE` brings in raters that its file names."
            )
        return int(row.id)

    def joined(self, connection: Connection) -> Snapshot:
        """The same round with the raters it has by now."""
        return replace(self, raters=_raters(connection, self.round_id), places={})

    def closed(self) -> str | None:
        """Why nothing comes in; None while the round is open."""
        if self.state == "open":
            return None
        return (
            f"{self.name} was closed on {minute(self.state_at)}: `raterbook reopen {self.name}` "
            "lets answers in again"
        )


def take(connection: Connection, round_id: int) -> Snapshot:
    row = connection.execute(select(schema.round).where(schema.round.c.id == round_id)).one()
    done = log.entries(connection, round_id, *log.STATES, "assign")
    state = [entry for entry in done if entry.action in log.STATES][-1]
    plans = [json.loads(entry.detail)["per_item"] for entry in done if entry.action == "assign"]
    subjects = _subjects(connection, round_id)
    return Snapshot(
        round_id=round_id,
        name=row.name,
        cluster=row.cluster,
        protocol_hash=row.protocol_hash,
        bare=row.bare,
        per_item=plans[-1] if plans else row.per_item,
        state=log.STATES[state.action],
        state_at=state.at,
        subjects=subjects,
        refs={subject.ref: subject for subject in subjects.values()},
        items={each.key: each for each in subjects.values() if each.kind == "item"},
        cases={each.key: each for each in subjects.values() if each.kind == "case"},
        parts=_parts(connection, round_id),
        raters=_raters(connection, round_id),
        excluded=_excluded(connection, round_id),
    )


def _raters(connection: Connection, round_id: int) -> dict[str, Row[Any]]:
    return {row.name: row for row in people.of_round(connection, round_id)}


def _subjects(connection: Connection, round_id: int) -> dict[int, Subject]:
    rows = connection.execute(
        select(*(schema.subject.c[name] for name in Subject.__dataclass_fields__))
        .where(schema.subject.c.round_id == round_id)
        .order_by(schema.subject.c.id)
    )
    words: dict[str, str] = {}  # each is kept once: a case may be called as its item is
    return {
        row.id: Subject(
            row.id,
            words.setdefault(row.kind, row.kind),
            words.setdefault(row.key, row.key),
            row.ref,
            row.case_id,
            words.setdefault(row.role, row.role),
            row.batch,
        )
        for row in rows
    }


def stored_protocol(connection: Connection, hash: str) -> Protocol:
    """The protocol of this hash; refused where its text says something else by now."""
    query = select(schema.protocol).where(schema.protocol.c.hash == hash)
    row = connection.execute(query).one_or_none()
    found = None if row is None else parse(row.text, source=f"{row.name}.yaml", stored=True)
    if found is None or found.hash != hash:
        raise RoundError(
            f"The round's protocol is not the one it was opened with (hash {hash[:12]}): {ALTERED}"
        )
    return found


def questions(connection: Connection, protocol: Protocol, hash: str) -> dict[str, StoredQuestion]:
    """The protocol's questions with the numbers they and their values have in the store."""
    rows = connection.execute(
        select(schema.question.c.name, schema.question.c.id).where(
            schema.question.c.protocol_hash == hash
        )
    )
    known = dict(iter(rows))
    values: dict[int, dict[str, int]] = {number: {} for number in known.values()}
    found = connection.execute(
        select(schema.allowed.c.question_id, schema.allowed.c.value, schema.allowed.c.id)
        .where(schema.allowed.c.question_id.in_(list(values)))
        .order_by(schema.allowed.c.id)
    )
    for question_id, value, number in found:
        values[question_id][value] = number
    asked = {}
    for question in protocol.questions:
        stored = values.get(known.get(question.id, 0), {})
        if question.id not in known or list(stored) != [*map(written, question.values or ())]:
            raise RoundError(
                f"What is stored for “{question.id}” are not the answers its protocol allows: "
                f"{ALTERED}"
            )
        allowed = {value: stored[written(value)] for value in question.values or ()}
        back = {number: value for value, number in allowed.items()}
        asked[question.id] = StoredQuestion(known[question.id], question, allowed, back)
    return asked


def written(value: Any) -> str:
    """One spelling for each value: 4, not 4.0, and never an exponent.

    >>> written(4.0), written(4.5), written("keep")
    ('4', '4.5', 'keep')
    """
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    return str(value)


def percentage(number: float) -> str:
    """A number from 0 to 100 that nobody can take for a fraction.

    >>> percentage(85.0), percentage(0.5)
    ('85', '0.5%')
    """
    return written(number) + ("%" if 0 < number < 1 else "")


def spelt(question: Question, value: Any) -> str:
    """A value as every door takes it for the same."""
    return percentage(value) if question.kind.unit == "%" else written(value)


def places(connection: Connection, snapshot: Snapshot, rater_id: int) -> dict[int, int]:
    """This rater's items and their places, as planned; what was withdrawn is left out."""
    if rater_id not in snapshot.places:
        mine = schema.plan_event.c.rater_id == rater_id
        snapshot.places[rater_id] = _planned(connection, snapshot.round_id, mine).get(rater_id, {})
    return snapshot.places[rater_id]


MOST_NAMED = 5_000  # in one query


def places_of_all(
    connection: Connection, snapshot: Snapshot, without: Collection[int] = ()
) -> dict[int, dict[int, int]]:
    """Every rater's items and places, in one query; `without` those raters."""
    rest = [row.id for row in snapshot.raters.values() if row.id not in without]
    only = [schema.plan_event.c.rater_id.in_(rest)] if without and len(rest) <= MOST_NAMED else []
    none: dict[int, dict[int, int]] = {rater: {} for rater in rest}
    snapshot.places.update(none | _planned(connection, snapshot.round_id, *only))
    return snapshot.places


def given_everything(connection: Connection, snapshot: Snapshot) -> set[int]:
    """The raters whose plan is every item of the round, known without reading their plans."""
    plan = schema.plan_event.c
    here = plan.round_id == snapshot.round_id
    many = select(plan.rater_id, func.count()).where(here).group_by(plan.rater_id)
    # Nothing is given out twice, so that only who gave something back can have it again.
    back = select(plan.rater_id).where(here, plan.action == "withdraw").distinct()
    returned = set(connection.scalars(back))
    return {
        rater
        for rater, items in connection.execute(many)
        if items == len(snapshot.items) and rater not in returned
    }


def _planned(
    connection: Connection, round_id: int, *only: ColumnElement[bool]
) -> dict[int, dict[int, int]]:
    """Rater → item → place, in the order of the places."""
    plan = schema.plan_event
    latest = (
        select(func.max(plan.c.seq))
        .where(plan.c.round_id == round_id, *only)
        .group_by(plan.c.rater_id, plan.c.subject_id)
    )
    rows = connection.execute(
        select(plan.c.rater_id, plan.c.subject_id, plan.c.position)
        .where(plan.c.seq.in_(latest), plan.c.action == "assign")
        .order_by(plan.c.position, plan.c.seq)
    )
    found: dict[int, dict[int, int]] = {}
    for rater, subject, position in rows:
        found.setdefault(rater, {})[subject] = position
    return found


def _parts(connection: Connection, round_id: int) -> dict[int, set[int]]:
    parts: dict[int, set[int]] = {}
    rows = connection.execute(
        select(schema.part.c.subject_id, schema.part.c.number)
        .join(schema.subject, schema.subject.c.id == schema.part.c.subject_id)
        .outerjoin(schema.part_retired, schema.part_retired.c.part_id == schema.part.c.id)
        .where(schema.subject.c.round_id == round_id, schema.part_retired.c.part_id.is_(None))
    )
    for subject_id, number in rows:
        parts.setdefault(subject_id, set()).add(number)
    return parts


def _excluded(connection: Connection, round_id: int) -> dict[int, str]:
    """Rater → why; somebody included again is out of it."""
    excluded: dict[int, str] = {}
    for entry in log.entries(connection, round_id, "exclude", "include"):
        if entry.action == "exclude":
            excluded[entry.rater_id] = entry.reason or ""
        else:
            excluded.pop(entry.rater_id, None)
    return excluded
