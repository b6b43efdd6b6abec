"""One round in the store: everything that is asked of it or done to it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from sqlalchemy import Connection, select

import raterbook.rounds.answers as answers
import raterbook.rounds.completeness as completeness
import raterbook.rounds.current as current
import raterbook.rounds.items as contents
import raterbook.rounds.marks as marks
import raterbook.rounds.opening as opening
import raterbook.rounds.parts as pieces
import raterbook.rounds.plan as plan
import raterbook.rounds.raters as raters
import raterbook.rounds.snapshot as snapshot
from raterbook.protocols import Protocol
from raterbook.rounds.current import Events
from raterbook.rounds.marks import Mark, Stamp
from raterbook.rounds.model import (
    Ack,
    Answer,
    Case,
    Event,
    Item,
    ItemTable,
    PartRow,
    Rater,
    RoundError,
)
from raterbook.rounds.parts import NewSplit, Page, Queued
from raterbook.rounds.plan import Handover, PlanRule, Reassigned, Replanned
from raterbook.rounds.snapshot import Found, Snapshot, StoredQuestion
from raterbook.rounds.store import log, schema
from raterbook.rounds.store.postgres import lasting

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.rounds.store.store import Replies, Store


class Round:
    """Usable from any thread. What others change meanwhile is seen at the next call."""

    def __init__(self, store: Store, name: str):
        with store.read() as connection:
            row = connection.execute(
                select(schema.round).where(schema.round.c.name == name)
            ).one_or_none()
        if row is None:
            known = ", ".join(store.rounds()) or "none yet"
            raise RoundError(f"There is no round {name!r} in {store.path}; rounds: {known}.")
        raters.check_round(row.name)  # it names folders, and a database may come from anywhere
        self.store = store
        self.id: int = row.id
        self.name: str = row.name
        self.seed: int = row.seed
        self.bare: bool = row.bare
        self.cluster: str | None = row.cluster
        self.protocol_hash: str = row.protocol_hash
        self.secret: str = row.secret
        self.options: str = row.options
        self._opened = plan.opened(row.seed, row.per_item, json.loads(row.options))
        self._kept = snapshot.Kept()
        self._questions: dict[str, StoredQuestion] | None = None

    def __repr__(self) -> str:
        return f"Round({self.name!r}, protocol {self.protocol.name!r}, {self.state})"

    # What it is

    @property
    def protocol(self) -> Protocol:
        """As it was when the round was opened."""
        known = self.store.protocols.get(self.protocol_hash)
        if known is not None:
            return known
        with self.store.read() as connection:
            return self._read_protocol(connection)

    @property
    def state(self) -> str:
        """open or closed."""
        with self.store.read() as connection:
            return self.look(connection).state

    @property
    def per_item(self) -> int | None:
        """How many raters each item is to have; None is everybody."""
        with self.store.read() as connection:
            return self.look(connection).per_item

    def rule(self, seen: Snapshot) -> PlanRule:
        """How items are given out now: as at the opening, or as `assign` has set it since."""
        return replace(self._opened, per_item=seen.per_item)

    def log(self) -> list[dict[str, Any]]:
        """What was done to the round, when and why."""
        with self.store.read() as connection:
            return log.readable(connection, self.id, self.look(connection).names())

    @property
    def replies(self) -> Replies:
        """What models replied, in any round of the workspace."""
        return self.store.replies

    # What it asks, and of whom

    def items(self) -> list[Item]:
        """All items in the order they came, with their groups: for reports and files."""
        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
        return contents.items(seen, inside, self.protocol)

    def cases(self) -> list[Case]:
        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
        return contents.cases(seen, inside, self.protocol)

    def hidden(self, subject: str) -> dict[str, str]:
        """What raters must not know of an item or case: for reports and files only."""
        with self.store.read() as connection:
            seen = self.look(connection)
            found = seen.refs.get(subject) or seen.subject(subject, "item")
            return contents.hidden_of(connection, found)

    def after(self, rater: str, item: str) -> dict[str, str]:
        """What is shown once this rater has submitted this item; nothing before."""
        with self.store.read() as connection:
            seen = self.look(connection)
            found, number = seen.subject(item, "item"), seen.rater(rater)
            mark = marks.marks_of(connection, self.id, number).get((number, found.id))
        if mark is None or not mark.submitted:
            return {}
        fields = self.protocol.item.fields
        return {
            name: value
            for name, value in self.hidden(found.ref).items()
            if name in fields and fields[name].held
        }

    def raters(self) -> list[Rater]:
        with self.store.read() as connection:
            seen = self.look(connection)
        return [raters.as_rater(row, seen.excluded.get(row.id)) for row in seen.raters.values()]

    def queue(self, rater: str) -> list[Item]:
        """This rater's items in this rater's own order, without anything raters must not know."""
        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
            order = plan.queue(connection, seen, seen.rater(rater), self.seed)
        return contents.items(seen, inside, self.protocol, only=order)

    def queued(self, rater: str) -> list[Queued]:
        """The same items in the same order as `queue`, without their texts."""
        with self.store.read() as connection:
            seen = self.look(connection)
            order = plan.queue(connection, seen, seen.rater(rater), self.seed)
        found = [seen.subjects[number] for number in order]
        return [Queued(each.ref, seen.case(each).ref) for each in found]

    def page(self, queued: Queued) -> Page:
        """One item of a queue: a form opens as fast on ten thousand items as on ten."""
        with self.store.read() as connection:
            return pieces.page(connection, self.look(connection), queued, self.protocol)

    # What was answered

    @lasting
    def save(self, rater: str, events: Sequence[Event]) -> list[Ack]:
        """All events in one transaction; the acknowledgements come after it is on the disk."""
        with self.store.write() as connection:
            seen, questions = self.look(connection), self.questions(connection)
            number, now = seen.rater(rater), self.store.now()
            return answers.save(connection, seen, questions, number, events, now)

    def current(self, rater: str, item: str | None = None) -> dict[tuple[str, int, str], Answer]:
        """What this rater's answers are now, by (subject ref, part, question); replicate 1."""
        with self.store.read() as connection:
            seen, questions = self.look(connection), self.questions(connection)
            about = None if item is None else seen.refs[item]
            return current.current(connection, seen, questions, seen.rater(rater), about)

    @lasting
    def mark(
        self,
        rater: str,
        subject: str,
        kind: str,
        event_id: str | None = None,
        reason: str | None = None,
        **stamp: Unpack[Stamp],
    ) -> Ack:
        """Saved like an answer: one transaction, one id, acknowledged when it is on the disk."""
        event_id = event_id or uuid.uuid4().hex
        with self.store.write() as connection:
            seen = self.look(connection)
            number, questions = seen.rater(rater), self.questions(connection)
            missing = partial(
                completeness.unanswered, connection, seen, self.protocol, questions, number
            )
            try:
                row = marks.check(seen, subject, kind, event_id, reason, stamp)
                return marks.save(connection, seen, number, row, missing, self.store.now())
            except answers.RefusedEvent as refusal:
                return Ack(event_id, False, None, str(refusal))

    def marks(self, rater: str) -> dict[str, Mark]:
        """The marks of one rater by subject ref; the latest of each kind counts."""
        with self.store.read() as connection:
            seen = self.look(connection)
            mine = marks.marks_of(connection, self.id, seen.rater(rater))
        return {seen.subjects[subject].ref: mark for (_, subject), mark in mine.items()}

    def marked(self, pseudonyms: bool = False, excluded: bool = True) -> list[dict[str, Any]]:
        """Flags with their reasons, evidence, answers after a reveal: a row each."""
        with self.store.read() as connection:
            seen, standing = self.look(connection), marks.marks_of(connection, self.id)
            late = marks.answered_after_reveal(
                connection, seen, self.protocol, self.questions(connection)
            )
        return marks.marked(seen, standing, late, pseudonyms, excluded)

    def counter(self, rater: str) -> int:
        """The highest counter of all this rater ever said here: a sender new to it counts on.

        Answers and marks have one count, and what was taken back is in it: whoever began below any
        of these would say something that is older than what is stored.
        """
        with self.store.read() as connection:
            return current.highest(connection, self.id, self.look(connection).rater(rater))

    def frame(
        self,
        texts: bool = False,
        excluded: bool = False,
        reasons: bool = False,
        pseudonyms: bool = False,
        groups: Iterable[str] = (),
        until: int | None = None,
    ) -> pd.DataFrame:
        """One row per current answer; retracted ones are gone, excluded raters' only on request.

        `texts` adds the answers to text questions, `reasons` the reason of each, `groups` columns
        of the items; `pseudonyms` stand for the names of people; `until` is what a `reveal` logged.
        """
        from raterbook.rounds.frame import frame, wanted

        with self.store.read() as connection:
            seen, inside = self.look(connection), self.inside(connection)
            questions = self.questions(connection)
            events = wanted(self.said(connection, until), seen, questions, texts, excluded)
        columns = dict.fromkeys(contents.group_columns(self.protocol), False)
        columns |= dict.fromkeys(groups, True)
        events = events if reasons else replace(events, more={})
        return frame(seen, questions, inside, events, columns, pseudonyms)

    def data_hash(self, until: int | None = None) -> str:
        """Of the protocol and the current answers, texts too; not of times, order or revisions."""
        from raterbook.rounds.frame import data_hash

        return data_hash(self.protocol_hash, self.frame(texts=True, until=until))

    def standings(
        self, roles: Iterable[str] = ()
    ) -> tuple[list[completeness.Standing], completeness.OfCases]:
        """How far every rater is, and what is answered about cases; `roles` limits the items."""
        with self.store.read() as connection:
            seen, questions = self.look(connection), self.questions(connection)
            said, roles = self.said(connection), tuple(roles)
            return completeness.standings(connection, seen, self.protocol, questions, said, roles)

    def status(self) -> dict[str, Any]:
        """What is stored, by whom, and what is missing, as plain data."""
        from raterbook.rounds.marks import status

        with self.store.read() as connection:
            seen, questions = self.look(connection), self.questions(connection)
            return status(connection, seen, self.protocol, questions, self.said(connection))

    # What is done to it: each step is one transaction and one entry of the log

    def add_rater(self, name: str, kind: str | None = None, version: str | None = None) -> Rater:
        """A new rater gets work by the plan; what others have stays."""
        with self.store.write() as connection:
            now = self.store.now()
            seen = self._still_open(connection, f"{name} was not added")
            raters.refuse_known_look(connection, [name])
            added = raters.join(connection, self.id, [raters.Named(name, kind, version)], now)
            row = raters.find(connection, name)
            assert row is not None
            if added:
                log.add(connection, self.id, "add_rater", now, rater_id=row.id)
                seen = snapshot.take(connection, self.id)
                plan.extend(connection, seen, self.rule(seen), now)
            return raters.as_rater(row, seen.excluded.get(row.id))

    def add_items(
        self, items: ItemTable, parts: Iterable[PartRow] | None = None, replace: bool = False
    ) -> list[str]:
        """New items with their parts go to the raters; returns the keys that are new. Items that
        are known must say the same, unless nobody has answered about them and they `replace`."""
        with self.store.write() as connection:
            now = self.store.now()
            seen = self._still_open(connection, "no items were added")
            place = contents.Place(
                self.id, self.protocol, self.secret, self.bare, self.cluster, now
            )
            inside = contents.load(connection, self.id)
            keys = contents.add_items(connection, place, items, seen, inside, replace)
            new = set(keys)
            log.add(
                connection,
                self.id,
                "add_items",
                now,
                items=len(keys),
                source=items.source,
                replaced=replace,
            )
            after = snapshot.take(connection, self.id)
            if parts is None and not self.bare:
                fresh = tuple(row for row in items.rows if row.key in new)
                parts = [
                    row
                    for row in pieces.from_fields(
                        self.protocol, ItemTable(fresh, items.columns, items.source)
                    )
                    if row.subject not in seen.cases or row.subject in new
                ]
            pieces.add_parts(connection, self.protocol, after, parts or (), now)
            after = snapshot.take(connection, self.id)
            plan.extend(connection, after, self.rule(after), now)
            opening.add_answers(connection, self.id, self.protocol, items, now)
            return keys

    def add_parts(self, parts: Iterable[PartRow]) -> int:
        """Further parts of items nobody has answered about."""
        with self.store.write() as connection:
            now = self.store.now()
            seen = self._still_open(connection, "no parts were added")
            rows, spec = list(parts), self.protocol.parts
            if spec is not None:
                for number in {pieces.subject_of(seen, spec.of, row).id: None for row in rows}:
                    pieces.refuse_answered(connection, seen, seen.subjects[number])
            added = pieces.add_parts(connection, self.protocol, seen, rows, now)
            log.add(connection, self.id, "add_parts", now, parts=added)
            return added

    def set_parts(self, subject: str, parts: Sequence[PartRow], why: str | None = None) -> None:
        """Split one item or case anew, until its first answer."""
        with self.store.write() as connection:
            now = self.store.now()
            seen = self._still_open(connection, f"the parts of {subject!r} stay as they are")
            split = NewSplit(subject, parts, why)
            pieces.replace_parts(connection, self.protocol, seen, split, now)
            log.add(connection, self.id, "set_parts", now, reason=why, subject=subject)

    def close(self, why: str | None = None) -> None:
        """Nothing comes in any more; closing twice is closing once."""
        self._turn("close", why)

    def reopen(self, why: str | None = None) -> None:
        """Answers come in again, and the log says so."""
        self._turn("reopen", why)

    def exclude(self, rater: str, why: str) -> None:
        """The rater's answers stay, and no longer count."""
        if not why or not why.strip():
            raise RoundError(
                f"Say why {rater} is excluded from {self.name}: the reason is reported."
            )
        self._count("exclude", rater, why)

    def include(self, rater: str, why: str | None = None) -> None:
        """The rater's answers count again."""
        self._count("include", rater, why)

    def reassign(self, giver: str, taker: str, why: str | None = None) -> Reassigned:
        """Unfinished items go from one rater to another; answers given stay with who gave them."""
        with self.store.write() as connection:
            now = self.store.now()
            seen = self._still_open(connection, "nothing was reassigned")
            questions = self.questions(connection)
            from_, to = seen.rater(giver), seen.rater(taker)
            if from_ == to:
                raise RoundError(f"{giver} and {taker} are one rater: name two.")
            submitted = {
                subject
                for (_, subject), mark in marks.marks_of(connection, self.id, from_).items()
                if mark.submitted
            }
            done = submitted | completeness.finished(
                connection, seen, self.protocol, questions, from_
            )
            handover = Handover(from_, to, why)
            moved = plan.move(connection, seen, self.rule(seen), handover, done, now)
            who = {"giver": from_, "taker": to, "items": len(moved.moved)}
            log.add(connection, self.id, "reassign", now, reason=why, **who)
            return moved

    def assign(
        self,
        per_item: int | None = None,
        raters: Iterable[str] = (),
        why: str | None = None,
        dry_run: bool = False,
    ) -> Replanned:
        """From now on each item is to have so many raters, or there are further ones to give items
        to. What somebody began stays theirs; a `dry_run` says what would change."""
        names = tuple(raters)
        if per_item is None and not names:
            raise RoundError("Say how many raters an item is to have, or name further raters.")
        with self.store.rehearsal() if dry_run else nullcontext(), self.store.write() as connection:
            now = self.store.now()
            seen = self._still_open(connection, "nothing was assigned")
            rule = self.rule(seen) if per_item is None else replace(self._opened, per_item=per_item)
            changed = plan.renew(connection, seen, rule, names, now, why)
            said = {"given": len(changed.given), "withdrawn": len(changed.withdrawn)}
            log.add(connection, self.id, "assign", now, reason=why, per_item=rule.per_item, **said)
        return changed

    def reveal(self, by: str, why: str | None = None) -> None:
        """What was answered so far is shown to the raters: the log tells it from what follows."""
        with self.store.write() as connection:
            seen = self._still_open(connection, "nothing was revealed")
            who, now, until = seen.rater(by), self.store.now(), current.last(connection)
            log.add(connection, self.id, "reveal", now, rater_id=who, reason=why, until=until)

    def _turn(self, action: str, why: str | None) -> None:
        with self.store.write() as connection:
            if snapshot.take(connection, self.id).state != log.STATES[action]:
                log.add(connection, self.id, action, self.store.now(), reason=why)

    def _count(self, action: str, rater: str, why: str | None) -> None:
        with self.store.write() as connection:
            number = (seen := snapshot.take(connection, self.id)).rater(rater)
            if (action == "exclude") != (number in seen.excluded):
                log.add(connection, self.id, action, self.store.now(), rater_id=number, reason=why)

    def _still_open(self, connection: Connection, otherwise: str) -> Snapshot:
        seen = snapshot.take(connection, self.id)
        if (closed := seen.closed()) is not None:
            raise RoundError(f"{closed}; {otherwise}.")
        return seen

    # Inside a transaction: for files and numbers, which read much of a round at once

    def look(self, connection: Connection) -> Snapshot:
        """The round as it stands; read again only when its log has grown."""
        return self._as_logged(connection, "snapshot", snapshot.take)

    def inside(self, connection: Connection) -> contents.Contents:
        """All values of its items, hidden ones too."""
        return self._as_logged(connection, "contents", contents.load)

    def questions(self, connection: Connection) -> dict[str, StoredQuestion]:
        """What is asked, with the numbers it has in the store."""
        if self._questions is None:
            known = self.store.protocols.get(self.protocol_hash)
            protocol = known or self._read_protocol(connection)
            self._questions = snapshot.questions(connection, protocol, self.protocol_hash)
        return self._questions

    def said(self, connection: Connection, until: int | None = None) -> Events:
        """Its current answers, texts and reasons too; read again only when there are more."""

        def read() -> Events:
            only = () if until is None else (schema.answer_event.c.seq <= until,)
            return current.read(connection, self.id, asked, only, more=("reason",)).current()

        asked = self.questions(connection)
        now = (current.count(connection, self.id), self.store.undone)
        return read() if until is not None else self._kept.since(now, "said", read)

    def _read_protocol(self, connection: Connection) -> Protocol:
        found = snapshot.stored_protocol(connection, self.protocol_hash)
        self.store.protocols[self.protocol_hash] = found
        return found

    def _as_logged(
        self, connection: Connection, what: str, read: Callable[[Connection, int], Found]
    ) -> Found:
        now = (log.last(connection, self.id), self.store.undone)
        return self._kept.since(now, what, lambda: read(connection, self.id))
