"""Who rates what, written down: a plan once made is only ever added to or withdrawn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, func, insert, select

from raterbook.rounds import plan, schema
from raterbook.rounds.model import RoundError
from raterbook.rounds.snapshot import Snapshot, places

PLANNED = ("human",)  # models, keys and adjudicators take what they take


def extend(
    connection: Connection,
    snapshot: Snapshot,
    seed: int,
    per_item: int | None,
    now: int,
    mix: plan.Mix | None = None,
    reason: str | None = None,
) -> int:
    """Give out what is not given out yet; every pair and every place that exists stays."""
    raters = {name: row.id for name, row in snapshot.raters.items()
              if row.kind in PLANNED and row.id not in snapshot.excluded and not row.erased_at}
    if not raters or (per_item is not None and len(raters) < per_item):
        return 0  # dealt when there are enough of them
    held = {name: places(connection, snapshot, snapshot.round_id, number)
            for name, number in raters.items()}
    key_of = {subject.id: key for key, subject in snapshot.items.items()}
    existing = {(key_of[subject], name) for name, mine in held.items() for subject in mine}
    main = [key for key, subject in snapshot.items.items() if subject.role == "main"]
    rest = [key for key, subject in snapshot.items.items() if subject.role != "main"]
    try:
        pairs = plan.assign(main, list(raters), per_item, seed, existing)
        pairs += plan.assign(rest, list(raters), None, seed, existing)  # checks are for everybody
    except plan.PlanError as error:
        raise RoundError(str(error)) from error
    mine: dict[str, list[str]] = {}
    for key, name in pairs:
        mine.setdefault(name, []).append(key)
    for name, keys in mine.items():
        roles = {key: snapshot.items[key].role for key in keys}
        queue = plan.queue(roles, name, seed, mix)
        _assign(connection, snapshot, raters[name], queue, now, reason)
    return len(pairs)


def take_up(
    connection: Connection, snapshot: Snapshot, seed: int, answered: Mapping[str, Iterable[str]],
    now: int,
) -> None:
    """What people answered elsewhere is theirs: it counts as given out, and they can go on."""
    for name, keys in answered.items():
        row = snapshot.raters[name]
        if row.kind not in PLANNED:
            continue
        held = places(connection, snapshot, snapshot.round_id, row.id)
        new = {key: snapshot.items[key].role for key in keys if snapshot.items[key].id not in held}
        _assign(connection, snapshot, row.id, plan.queue(new, name, seed), now, "imported")


def move(
    connection: Connection, snapshot: Snapshot, giver: str, taker: str, seed: int, now: int,
    finished: Iterable[int], reason: str | None, keep: bool = False,
) -> tuple[list[str], list[str]]:
    """The keys that went from one rater to the other, all that is not finished or doubled; and the
    doubled ones, which the other has already. Where each item is to have so many raters (`keep`),
    those stay with who had them, so that somebody else can take them."""
    done = set(finished)
    from_, to = snapshot.raters[giver].id, snapshot.raters[taker].id
    theirs = places(connection, snapshot, snapshot.round_id, from_)
    already = places(connection, snapshot, snapshot.round_id, to)
    left = [subject for subject in theirs if subject not in done]
    gone = [subject for subject in left if not keep or subject not in already]
    if gone:
        connection.execute(
            insert(schema.plan_event),
            [_row(snapshot, from_, subject, "withdraw", None, now, reason) for subject in gone],
        )
    keys = [snapshot.subjects[subject].key for subject in left if subject not in already]
    ordered = plan.queue({key: snapshot.items[key].role for key in keys}, taker, seed)
    _assign(connection, snapshot, to, ordered, now, reason)
    return ordered, [snapshot.subjects[subject].key for subject in left if subject in already]


def queue(connection: Connection, snapshot: Snapshot, rater: int, seed: int) -> list[int]:
    """The items of one rater in order: as planned, or all of them for raters without a plan."""
    planned = places(connection, snapshot, snapshot.round_id, rater)
    name = snapshot.names()[rater]
    if planned or snapshot.raters[name].kind in PLANNED:
        return list(planned)
    items = snapshot.items
    batch = {key: subject.batch for key, subject in items.items()}
    roles = {key: subject.role for key, subject in items.items()}
    return [items[key].id for key in plan.queue(roles, name, seed, batch=batch)]


def _assign(
    connection: Connection, snapshot: Snapshot, rater: int, keys: list[str], now: int,
    reason: str | None,
) -> None:
    if not keys:
        return
    events = schema.plan_event
    last = connection.scalar(
        select(func.max(events.c.position))
        .where(events.c.round_id == snapshot.round_id, events.c.rater_id == rater)
    )
    first = 0 if last is None else last + 1
    connection.execute(
        insert(events),
        [
            _row(snapshot, rater, snapshot.items[key].id, "assign", first + place, now, reason)
            for place, key in enumerate(keys)
        ],
    )


def _row(
    snapshot: Snapshot, rater: int, subject: int, action: str, position: int | None, now: int,
    reason: str | None,
) -> dict:
    return {
        "round_id": snapshot.round_id, "rater_id": rater, "subject_id": subject,
        "action": action, "position": position, "reason": reason, "at": now,
    }
