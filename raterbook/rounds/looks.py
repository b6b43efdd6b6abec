"""The looks a round declared: when agreement may be seen before the end, and when it was.

They are said before the first answer and stand in the round's log. A look is taken once: what is
shown from then on, until the next one or the end, are the answers of that moment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

import raterbook.rounds.completeness as completeness
import raterbook.rounds.current as current
from raterbook.rounds.model import RoundError, iso, minute
from raterbook.rounds.snapshot import Snapshot
from raterbook.rounds.store import log, schema

if TYPE_CHECKING:
    from raterbook.rounds.round import Round

MOST = 20  # looks
HOW = "write a number of looks, such as 4, or shares, such as 25%,50%,100%"

DECLARE, TAKE = "looks", "look"


@dataclass(frozen=True)
class Look:
    """One look that was taken: at how many of the planned ratings, and up to which answer.

    A rating is one item's answers of one rater, complete. `number` is that of the declared look,
    None where none was due; `at_end` says that the round was closed.
    """

    number: int | None
    complete: int
    planned: int
    until: int
    at: str
    at_end: bool = False
    reason: str | None = None

    @property
    def share(self) -> float:
        """Of what was planned at the time."""
        return self.complete / self.planned if self.planned else 0.0


@dataclass(frozen=True)
class RoundLooks:
    """What a round declared, which looks were taken, and how far it is."""

    declared: tuple[float, ...]
    taken: tuple[Look, ...]
    complete: int
    planned: int
    state: str
    due: int | None  # the declared look that nobody took yet although its share is reached

    @property
    def share(self) -> float:
        return self.complete / self.planned if self.planned else 0.0

    @property
    def last(self) -> Look | None:
        """The look whose answers are shown; None while everything is hidden."""
        return self.taken[-1] if self.taken else None

    @property
    def hidden(self) -> bool:
        return not self.taken and self.due is None and self.state == "open"

    @property
    def next(self) -> int | None:
        """The declared look that comes next, from 1; None after the last."""
        return _next(self.declared, self.taken)

    @property
    def undeclared(self) -> int:
        """How many looks were taken before they were due."""
        return sum(each.number is None and not each.at_end for each in self.taken)


def shares_of(said: str | int | Iterable[float]) -> tuple[float, ...]:
    """The shares of a declaration; the end is always one of them.

    >>> shares_of(4), shares_of("25%, 50%"), shares_of("100%")
    ((0.25, 0.5, 0.75, 1.0), (0.25, 0.5, 1.0), (1.0,))
    """
    if isinstance(said, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", said):
        said = int(said)
    if isinstance(said, int):
        if not 1 <= said <= MOST:
            raise RoundError(f"{said} looks: declare 1 to {MOST}; {HOW}.")
        return tuple(place / said for place in range(1, said + 1))
    if isinstance(said, str):
        found = [_share(part, said) for part in said.split(",")]
    else:
        found = [float(share) for share in said]
    wrong = next((share for share in found if not 0 < share <= 1), None)
    if wrong is not None:
        raise RoundError(f"A look at {wrong:g} of what is planned: give above 0 and at most 100%.")
    if not found or any(a >= b for a, b in pairwise(found)):
        raise RoundError(f"Looks at {said}: each has to be later than the one before; {HOW}.")
    if found[-1] < 1:
        found.append(1.0)
    if len(found) > MOST:
        raise RoundError(f"{len(found)} looks: declare 1 to {MOST}; {HOW}.")
    return tuple(found)


def _share(part: str, said: str) -> float:
    match = re.fullmatch(r"\s*(\d*\.?\d+)\s*(%?)\s*", part)
    if match is None:
        raise RoundError(f"Looks {said!r}: {part.strip()!r} is no share; {HOW}.")
    return float(match[1]) / (100 if match[2] else 1)


def write(connection: Connection, round_id: int, shares: Sequence[float], now: int) -> None:
    """The declaration, as an entry of the log."""
    log.add(connection, round_id, DECLARE, now, shares=list(shares))


def declare(stored: Round, said: str | int | Iterable[float]) -> tuple[float, ...]:
    """Says when the round may be looked at; until its first answer it can be said anew."""
    shares = shares_of(said)
    with stored.store.write() as connection:
        seen = stored.look(connection)
        if (closed := seen.closed()) is not None:
            raise RoundError(f"{closed}; no looks were declared.")
        if (when := _first_answer(connection, stored.id)) is not None:
            raise RoundError(
                f"{stored.name} has had answers since {minute(when)}, and looks are declared "
                "before the first one: who chose them by what came in would be wrong more often "
                "than the page says. Nothing was changed; declare them when opening the next round."
            )
        write(connection, stored.id, shares, stored.store.now())
    return shares


def _first_answer(connection: Connection, round_id: int) -> int | None:
    """When anybody answered first; labels that came with the items are no answer."""
    events, rater = schema.answer_event.c, schema.rater.c
    first: int | None = connection.scalar(
        select(func.min(events.server_time))
        .join(schema.rater, rater.id == events.rater_id)
        .where(events.round_id == round_id, rater.kind != "automatic")
    )
    return first


def looks_of(stored: Round) -> RoundLooks | None:
    """The round's looks as they stand; None where it declared none."""
    with stored.store.read() as connection:
        return _read(connection, stored)


def taken_now(stored: Round, early: bool = False, why: str | None = None) -> RoundLooks | None:
    """The same, after the look that is due was taken, or one that is not where `early` asks it."""
    found = looks_of(stored)
    if found is None or not _is_wanted(found, early):
        return found
    with stored.store.write() as connection:
        found = _read(connection, stored)
        assert found is not None
        if _is_wanted(found, early):  # nobody else took it meanwhile
            log.add(
                connection,
                stored.id,
                TAKE,
                stored.store.now(),
                reason=why,
                number=found.due,
                complete=found.complete,
                planned=found.planned,
                until=current.last(connection),
                at_end=found.state == "closed",
            )
    with stored.store.read() as connection:
        return _read(connection, stored)


def _is_wanted(found: RoundLooks, early: bool) -> bool:
    """Whether there is a look to take: at the end once, else one that is due or asked for."""
    if found.state == "closed":
        return not (found.taken and found.taken[-1].at_end)
    return found.due is not None or early


def _read(connection: Connection, stored: Round) -> RoundLooks | None:
    entries = log.entries(connection, stored.id, DECLARE, TAKE, *log.STATES)
    declared: tuple[float, ...] = ()
    taken: list[Look] = []
    for entry in entries:
        detail = json.loads(entry.detail)
        if entry.action == DECLARE:
            declared = tuple(detail["shares"])
        elif entry.action == TAKE:
            names = ("number", "complete", "planned", "until", "at_end")
            known = {name: detail[name] for name in names}
            taken.append(Look(at=str(iso(entry.at)), reason=entry.reason, **known))
        elif entry.action == "reopen" and taken and taken[-1].at_end:
            # What was seen at an end that was none was seen before its time.
            taken[-1] = replace(taken[-1], at_end=False)
    if not declared:
        return None
    seen = stored.look(connection)
    complete, planned = _progress(connection, stored, seen)
    found = RoundLooks(declared, tuple(taken), complete, planned, seen.state, None)
    if found.next is None or seen.state == "closed":  # the end is a look of its own
        return found
    # Of several that were passed unseen the last is the one that is taken.
    reached = [n for n, share in enumerate(declared, start=1) if found.share >= share - 1e-9]
    return replace(found, due=reached[-1] if reached and reached[-1] >= found.next else None)


def _next(declared: Sequence[float], taken: Sequence[Look]) -> int | None:
    """The first declared look after the last that was taken; what was seen early uses up none."""
    done = max((each.number or 0 for each in taken), default=0)
    return done + 1 if done < len(declared) else None


def _progress(connection: Connection, stored: Round, seen: Snapshot) -> tuple[int, int]:
    """Of the planned ratings of main items, how many are complete."""
    asked, said = stored.questions(connection), stored.said(connection)
    found, _ = completeness.standings(connection, seen, stored.protocol, asked, said, ("main",))
    there = [each for each in found if each.excluded is None]
    people = [each for each in there if each.planned and each.items]
    if people:
        return sum(each.complete for each in people), sum(each.items for each in people)
    models = [each for each in there if each.kind == "model"]
    items = sum(each.role == "main" for each in seen.items.values())
    _, planned, complete = completeness.by_models(models, items)
    return complete, planned
