"""Which required answers are put to whom, and which of them are given: the one definition.

Put to a person is every required question about the items of the person's plan; a question that
depends on another answer is put once that answer is there. Raters without a plan (models, keys,
labels that came with the items) are put the questions about items they said something about. Not
applicable, with its reason, is an answer; skipped is none; replicate 1 counts. Questions of a
case are asked once for all its items, often of somebody else: they hold no item back, and are
put to the round, where one answer of anybody who counts will do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection

from raterbook.protocols import Protocol
from raterbook.rounds import assigning, schema
from raterbook.rounds.events import ANSWERED, NOT_APPLICABLE, Events, read
from raterbook.rounds.gaps import Slots, gaps, of_cases
from raterbook.rounds.snapshot import Asked, Snapshot, Subject, given_everything, places_of_all

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound

UNREAD = ("confidence", "seconds", "answered_at")


@dataclass(frozen=True)
class Standing:
    """How far one rater is. `put` and `given` count required answers by question."""

    rater: str
    kind: str
    excluded: str | None
    planned: bool
    items: int  # of the plan; without one, those the rater said something about
    complete: int  # items on which nothing required is missing
    begun: int  # items with answers that are not complete
    answers: int  # current ones, to whatever question; skipped is none
    put: Mapping[str, int]
    given: Mapping[str, int]

    @property
    def missing(self) -> int:
        return sum(self.put.values()) - sum(self.given.values())


@dataclass(frozen=True)
class OfCases:
    """Required answers about cases, put once to the whole round, by question."""

    put: Mapping[str, int]
    given: Mapping[str, int]

    @property
    def missing(self) -> int:
        return sum(self.put.values()) - sum(self.given.values())


def by_models(models: Collection[Standing], items: int) -> tuple[int, int, int]:
    """Where nobody has a plan: how many models answer items, of items × models, how many whole.

    A model that only wrote questions, or answered them from the reference, answers no item.
    """
    answering = [each for each in models if each.items]
    put = items * max(len(answering), 1) if models else 0
    return len(answering), put, sum(each.complete for each in answering)


def standings(
    stored: StoredRound, connection: Connection | None = None, roles: Collection[str] = ()
) -> tuple[list[Standing], OfCases]:
    """Every rater of the round in its order, and its cases; `roles` limits it to some items.

    In a report, `put` and `given` summed over raters who count are what was asked and answered.
    """
    if connection is None:
        with stored.store.read() as reading:
            return standings(stored, reading, roles)
    seen = stored.look(connection)
    asked = stored.asked(connection)
    events = _current(stored, connection)
    wanted = {each.id for each in seen.items.values() if not roles or each.role in roles}
    whole = given_everything(connection, seen)
    plans = places_of_all(connection, seen, without=whole)
    every = Untouched(stored.protocol, asked, seen, events.take(np.arange(0)), sorted(wanted))
    found = []
    for name, row in seen.raters.items():
        own = events.take(events.rater == row.id)
        planned = row.kind in assigning.PLANNED
        said = set(own.subject.tolist())
        mine: Iterable[int] = sorted(said)
        if planned:
            mine = every.touched(said) if row.id in whole else plans[row.id]
        items = np.array([item for item in mine if item in wanted], dtype=np.int64)
        put, given, lacking = gaps(stored.protocol, asked, seen, own, items)
        touched, n, complete = np.isin(items, own.subject), len(items), int((lacking == 0).sum())
        if planned and row.id in whole:
            put, n, complete = every.beside(items, put, complete)
        found.append(Standing(
            name, row.kind, seen.excluded.get(row.id), planned, n, complete,
            int((touched & (lacking > 0)).sum()),
            int(np.isin(own.status, (ANSWERED, NOT_APPLICABLE)).sum()), put, given,
        ))
    counting = events.take(~np.isin(events.rater, list(seen.excluded)))
    return found, OfCases(*of_cases(stored.protocol, asked, seen, counting, wanted))


class Untouched:
    """What is put to somebody who has every item, where they have said nothing yet.

    It is the same for all of them, so that a crowd in which each answers a few items of thousands
    costs what it answered.
    """

    def __init__(
        self, protocol: Protocol, asked: Mapping[str, Asked], seen: Snapshot, nothing: Events,
        items: list[int],
    ):
        self.items = np.array(items, dtype=np.int64)
        self.case = np.array([seen.subjects[n].case_id or n for n in items], dtype=np.int64)
        self._gaps = partial(gaps, protocol, asked, seen, nothing)
        self.put, _, lacking = self._gaps(self.items)
        self.complete = int((lacking == 0).sum())

    def touched(self, said: Collection[int]) -> list[int]:
        """The items that what was said is about, of themselves or of their case."""
        about = np.array(sorted(said), dtype=np.int64)
        met: list[int] = self.items[np.isin(self.items, about) | np.isin(self.case, about)].tolist()
        return met

    def beside(
        self, items: np.ndarray, put: Mapping[str, int], complete: int
    ) -> tuple[dict[str, int], int, int]:
        """What is put, all items, and how many are complete: these as counted, the rest untouched.
        """
        instead, _, lacking = self._gaps(items)
        together = {
            question: n - instead[question] + put[question] for question, n in self.put.items()
        }
        return together, len(self.items), self.complete - int((lacking == 0).sum()) + complete


def unanswered(
    stored: StoredRound, connection: Connection, snapshot: Snapshot, rater: int, subject: Subject
) -> list[str]:
    """In words, what keeps this item from being submitted."""
    if subject.kind != "item":
        return []
    own = _current(stored, connection, rater, [subject.id, subject.case_id or subject.id])
    slots = Slots(snapshot, np.array([subject.id]))
    return [
        f"“{question}”" + (f" of part {part}" if part else "")
        for question, lacking in slots.lacking(stored.protocol, stored.asked(connection), own)
        for part in lacking.part.tolist()
    ]


def finished(
    stored: StoredRound, connection: Connection, snapshot: Snapshot, rater: int
) -> set[int]:
    """The items this rater said something about and has nothing required left to say."""
    own = _current(stored, connection, rater)
    said = set(own.subject.tolist())
    items = np.array([s.id for s in snapshot.items.values() if s.id in said], dtype=np.int64)
    _, _, lacking = gaps(stored.protocol, stored.asked(connection), snapshot, own, items)
    return set(items[lacking == 0].tolist())


def _current(
    stored: StoredRound, connection: Connection, rater: int | None = None,
    subjects: Iterable[int] | None = None,
) -> Events:
    """Current answers of replicate 1, of everybody or of one rater about these subjects."""
    column = schema.answer_event.c
    only = [] if rater is None else [column.rater_id == rater]
    if subjects is not None:
        only.append(column.subject_id.in_(list(subjects)))
    questions = [each.id for each in stored.asked(connection).values()]
    only.append(column.replicate == 1)
    return read(connection, stored.id, questions, only=only, without=UNREAD).current()
