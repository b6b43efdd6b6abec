"""Who rates what, in which order: balanced, seeded, the same on every platform.

Everything random here is a SHA-256 of the seed and the names involved, so a plan depends on
nothing else: not on the machine, not on the version of a generator, not on the order of a file.
Adding items or raters later keeps every pair that exists, and every order that was shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any

from sqlalchemy import Connection, func, select

import raterbook.rounds.raters as people
from raterbook.rounds.model import PLANNED, RoundError
from raterbook.rounds.snapshot import Snapshot, places, places_of_all, take
from raterbook.rounds.store import schema


class PlanError(RoundError):
    """A plan that cannot be made, with the reason and the remedy."""


def draw(*names: object) -> float:
    """A number in [0, 1) that depends on the names alone, uniform over names.

    >>> draw(0, "ana", "q1") == draw(0, "ana", "q1")
    True
    """
    text = "\x1f".join(str(name) for name in names)
    return int.from_bytes(sha256(text.encode()).digest()[:7], "big") / 2**56


def assign(
    items: Iterable[str],
    raters: Sequence[str],
    per_item: int | None = None,
    seed: int = 0,
    existing: Collection[tuple[str, str]] = (),
    among: Mapping[str, Collection[str]] | None = None,
) -> list[tuple[str, str]]:
    """The new (item, rater) pairs; with `per_item`, each item goes to that many raters.

    Without `per_item` everyone rates everything. With it, the raters who have least so far come
    first, so that no two differ by more than one item when the plan starts from nothing. Pairs
    in `existing` are kept, count as work, and are not given out again. An item that `among` names
    goes to these of the raters only.
    """
    items, raters = list(items), list(raters)
    for what, names in (("item", items), ("rater", raters)):
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise PlanError(f"{what} {twice} is named twice in the plan. Name it once.")
    if per_item is not None and per_item < 1:
        raise PlanError(f"{per_item} raters per item is not a plan. Use 1 or more.")
    if per_item is not None and raters and per_item > len(raters):
        raise PlanError(
            f"{per_item} raters per item need at least {per_item} raters, and there are "
            f"{len(raters)}. Add raters, or ask for fewer per item."
        )
    existing = set(existing)
    if per_item is None:
        every = ((item, rater) for item in items for rater in raters)
        return [pair for pair in every if pair not in existing]
    return _deal(items, raters, per_item, seed, existing, among or {})


def _deal(
    items: list[str],
    raters: list[str],
    per_item: int,
    seed: int,
    existing: set[tuple[str, str]],
    among: Mapping[str, Collection[str]],
) -> list[tuple[str, str]]:
    load = dict.fromkeys(raters, 0)
    have: dict[str, set[str]] = {item: set() for item in items}
    for item, rater in existing:
        if rater in load:
            load[rater] += 1
        if item in have:
            have[item].add(rater)
    dealt: dict[str, list[str]] = {}
    for item in sorted(items, key=lambda name: draw(seed, "deal", name)):
        may = among.get(item, raters)
        free = [rater for rater in raters if rater in may and rater not in have[item]]
        free.sort(key=lambda rater: (load[rater], draw(seed, "deal", item, rater)))
        dealt[item] = free[: max(0, per_item - len(have[item]))]
        for rater in dealt[item]:
            load[rater] += 1
    return [(item, rater) for item in items for rater in dealt[item]]


def order(
    items: Iterable[str], rater: str, seed: int = 0, batch: Mapping[str, int] | None = None
) -> list[str]:
    """This rater's own order of the items: shuffled, and stable for ever.

    `batch` says in which lot an item came to the round (0 first). Later lots follow earlier
    ones, so that items added in the middle of a round change nobody's place.
    """
    lot = batch or {}

    def place(item: str) -> tuple[int, float, str]:
        return lot.get(item, 0), draw(seed, "order", rater, item), item

    return sorted(items, key=place)


@dataclass(frozen=True)
class Mix:
    """Which checking items a rater gets, and how densely.

    `training` items all come first. `gold` is the share of the rest of the queue that is gold
    items: .1 puts one in every ten, at a place within the ten that nobody can guess.
    """

    gold: float = 0.0
    training: int | None = None  # how many; None is all there are

    def __post_init__(self) -> None:
        if not 0 <= self.gold < 1:
            raise PlanError(f"a gold rate of {self.gold} is no share. Use 0 or more, below 1.")
        if self.training is not None and self.training < 0:
            raise PlanError(f"{self.training} training items cannot be. Use 0 or more.")


def in_order(
    roles: Mapping[str, str],
    rater: str,
    seed: int = 0,
    mix: Mix | None = None,
    batch: Mapping[str, int] | None = None,
) -> list[str]:
    """One rater's whole queue: training first, then main items with gold ones among them.

    `roles` gives each item main, training or gold. Without a `mix` the gold items are shuffled
    among the main ones. Gold items that a declared rate leaves no room for are not in the queue.
    """
    training = order([item for item in roles if roles[item] == "training"], rater, seed, batch)
    rest = [item for item in roles if roles[item] != "training"]
    if mix is None:
        return training + order(rest, rater, seed, batch)
    main = order([item for item in rest if roles[item] != "gold"], rater, seed, batch)
    gold = order([item for item in rest if roles[item] == "gold"], rater, seed, batch)
    wanted = len(training) if mix.training is None else mix.training
    return training[:wanted] + _interleave(main, gold, mix.gold, f"{seed}/{rater}")


def _interleave(main: list[str], gold: list[str], rate: float, name: str) -> list[str]:
    """One gold item in each full stretch of 1/rate places; main items keep their order.

    Only full stretches get one: main items that come later then change no earlier place.
    """
    places: set[int] = set()
    while rate and len(places) < len(gold):
        i = len(places)
        low, high = int(i / rate), int((i + 1) / rate)
        if high - (i + 1) > len(main):
            break
        places.add(low + int(draw(name, "gold", i) * (high - low)))
    rest, marked = iter(main), iter(gold)
    return [
        next(marked) if place in places else next(rest) for place in range(len(main) + len(places))
    ]


# Who rates what, written down: a plan once made is only ever added to or withdrawn from.


@dataclass(frozen=True)
class PlanRule:
    """How a round gives its items out, from its opening on."""

    seed: int = 0
    per_item: int | None = None  # raters an item; None is everybody
    mix: Mix | None = None
    kept: frozenset[str] = frozenset()  # items that a model rates and no person


def kept_from_people(options: Mapping[str, Any]) -> frozenset[str]:
    """Items that no person is given: those not drawn for people to rate beside a model."""
    double = options.get("double") or {"chance": (), "items": ()}
    return frozenset(double["chance"]) - frozenset(double["items"])


def opened(seed: int, per_item: int | None, options: Mapping[str, Any]) -> PlanRule:
    """The rule of a round as its options have it."""
    mix = options.get("mix")
    return PlanRule(seed, per_item, Mix(**mix) if mix else None, kept_from_people(options))


def extend(connection: Connection, snapshot: Snapshot, rule: PlanRule, now: int) -> int:
    """Give out what is not given out yet; every pair and every place that exists stays."""
    raters = _planned(snapshot)
    if not raters or (rule.per_item is not None and len(raters) < rule.per_item):
        return 0  # dealt when there are enough of them
    existing = _held(connection, snapshot, raters)
    return len(_give(connection, snapshot, rule, existing, now))


def _planned(snapshot: Snapshot) -> dict[str, int]:
    """Who is given items, by name."""
    return {
        name: row.id
        for name, row in snapshot.raters.items()
        if row.kind in PLANNED and row.id not in snapshot.excluded and not row.erased_at
    }


def _held(
    connection: Connection, snapshot: Snapshot, raters: Mapping[str, int]
) -> set[tuple[str, str]]:
    """Who has which item now."""
    key_of = {subject.id: key for key, subject in snapshot.items.items()}
    held = places_of_all(connection, snapshot)
    return {(key_of[subject], name) for name, number in raters.items() for subject in held[number]}


def _give(
    connection: Connection,
    snapshot: Snapshot,
    rule: PlanRule,
    existing: Collection[tuple[str, str]],
    now: int,
    reason: str | None = None,
) -> list[tuple[str, str]]:
    """Deals what is to be dealt beside what exists, and writes it down."""
    raters = _planned(snapshot)
    main = [
        key
        for key, subject in snapshot.items.items()
        if subject.role == "main" and key not in rule.kept
    ]
    rest = [key for key, subject in snapshot.items.items() if subject.role != "main"]
    pairs = assign(main, list(raters), rule.per_item, rule.seed, existing)
    pairs += assign(rest, list(raters), None, rule.seed, existing)  # checks are for everybody
    mine: dict[str, list[str]] = {}
    for key, name in pairs:
        mine.setdefault(name, []).append(key)
    queues = {}
    for name, keys in mine.items():
        roles = {key: snapshot.items[key].role for key in keys}
        queues[raters[name]] = in_order(roles, name, rule.seed, rule.mix)
    _assign(connection, snapshot, queues, now, reason)
    return pairs


@dataclass(frozen=True)
class Replanned:
    """What a new plan changed: (item, rater) pairs given out, and pairs taken back that nobody had
    begun. `beyond` are items more people had begun than they are to have now."""

    per_item: int | None
    given: tuple[tuple[str, str], ...]
    withdrawn: tuple[tuple[str, str], ...]
    begun: tuple[tuple[str, str], ...]
    loads: Mapping[str, int]  # how many items each has now
    beyond: tuple[str, ...] = ()

    def by_rater(self) -> dict[str, tuple[int, int, int, int]]:
        """Of each rater: items now, given, taken back, begun."""
        pairs = (self.given, self.withdrawn, self.begun)
        counts = [Counter(name for _, name in each) for each in pairs]
        return {
            name: (many, counts[0][name], counts[1][name], counts[2][name])
            for name, many in self.loads.items()
        }


def renew(
    connection: Connection,
    snapshot: Snapshot,
    rule: PlanRule,
    names: Sequence[str],
    now: int,
    reason: str | None = None,
) -> Replanned:
    """Gives every item its raters by this rule: what somebody began stays, what nobody began is
    taken back where an item has more than it is to have, and the rest is dealt."""
    people.refuse_one_spelt_twice(names, [each.name for each in people.everybody(connection)])
    named = [people.Named(name, "human") for name in names]
    people.join(connection, snapshot.round_id, named, now)
    seen = take(connection, snapshot.round_id)
    raters = _planned(seen)
    if not raters:
        raise RoundError(f"{seen.name} has nobody to give items to: name people with --raters.")
    held = _held(connection, seen, raters)
    begun = held & _begun(connection, seen, raters)
    having: dict[str, set[str]] = {}
    for key, name in held:
        if seen.items[key].role == "main":
            having.setdefault(key, set()).add(name)
    most = len(raters) if rule.per_item is None else rule.per_item
    crowded = {key: names for key, names in having.items() if len(names) > most}
    kept = {pair for pair in held if pair[0] not in crowded} | begun
    # Of an item that too many have, the rest goes to some of these.
    some = assign([*crowded], [*raters], rule.per_item, rule.seed, kept, crowded) if crowded else []
    withdrawn = sorted(held - kept - set(some))
    by_rater: dict[str, list[int]] = {}
    for key, name in withdrawn:
        by_rater.setdefault(name, []).append(seen.items[key].id)
    for name, items in by_rater.items():
        rows = [_row(seen, raters[name], item, "withdraw", None, now, reason) for item in items]
        schema.write(connection, schema.plan_event, rows)
    given = _give(connection, seen, rule, held - set(withdrawn), now, reason)
    seen.places.clear()
    plans = places_of_all(connection, seen)
    by = Counter(key for key, _ in begun)
    return Replanned(
        rule.per_item,
        tuple(given),
        tuple(withdrawn),
        tuple(sorted(begun)),
        {name: len(plans[number]) for name, number in raters.items()},
        tuple(key for key in crowded if by[key] > most),
    )


def _begun(
    connection: Connection, snapshot: Snapshot, raters: Mapping[str, int]
) -> set[tuple[str, str]]:
    """Who said something about which item, or about its case, or marked it."""
    names = {number: name for name, number in raters.items()}
    items: dict[int, list[str]] = {}
    for key, item in snapshot.items.items():
        for subject in {item.id, snapshot.case(item).id}:
            items.setdefault(subject, []).append(key)
    found: set[tuple[str, str]] = set()
    for table in (schema.answer_event, schema.mark_event):
        said = select(table.c.rater_id, table.c.subject_id).distinct()
        for rater, subject in connection.execute(said.where(table.c.round_id == snapshot.round_id)):
            if rater in names:
                found.update((key, names[rater]) for key in items.get(subject, ()))
    return found


FEW = 20  # raters whose plans are read one by one


def take_up(
    connection: Connection,
    snapshot: Snapshot,
    rule: PlanRule,
    answered: Mapping[str, Iterable[str]],
    now: int,
) -> None:
    """What people answered elsewhere is theirs: it counts as given out, and they can go on."""
    if len(answered) > FEW:
        places_of_all(connection, snapshot)
    queues = {}
    for name, keys in answered.items():
        row = snapshot.raters[name]
        if row.kind not in PLANNED:
            continue
        held = places(connection, snapshot, row.id)
        new = {key: snapshot.items[key].role for key in keys if snapshot.items[key].id not in held}
        queues[row.id] = in_order(new, name, rule.seed)
    _assign(connection, snapshot, queues, now, "imported")


@dataclass(frozen=True)
class Handover:
    """Items that go from one rater to another, both by number."""

    giver: int
    taker: int
    reason: str | None = None


@dataclass(frozen=True)
class Reassigned:
    """What a reassigning moved. `doubled` are items the taker had already, where nobody took the
    giver's place: they stay with the giver (`kept`) where each item is to have so many raters.
    `other` is a rater who could take most of them."""

    moved: tuple[str, ...]
    doubled: tuple[str, ...] = ()
    kept: bool = False
    other: str | None = None


def move(
    connection: Connection,
    snapshot: Snapshot,
    rule: PlanRule,
    handover: Handover,
    finished: Collection[int],
    now: int,
) -> Reassigned:
    """All that is not finished or doubled goes from one rater to the other. Where each item is to
    have so many raters, doubled ones stay with who had them, so that somebody else can take
    them."""
    from_, to, reason = handover.giver, handover.taker, handover.reason
    theirs, already = (places(connection, snapshot, rater) for rater in (from_, to))
    left = [subject for subject in theirs if subject not in finished]
    gone = [subject for subject in left if rule.per_item is None or subject not in already]
    if gone:
        rows = [_row(snapshot, from_, subject, "withdraw", None, now, reason) for subject in gone]
        schema.write(connection, schema.plan_event, rows)
    keys = [snapshot.subjects[subject].key for subject in left if subject not in already]
    roles = {key: snapshot.items[key].role for key in keys}
    ordered = in_order(roles, snapshot.names()[to], rule.seed)
    _assign(connection, snapshot, {to: ordered}, now, reason)
    doubled = [subject for subject in left if subject in already]
    snapshot.places.clear()
    plans = places_of_all(connection, snapshot)
    free = [
        (len(plans[number].keys() & set(doubled)), len(plans[number]), name)
        for name, number in _planned(snapshot).items()
        if number not in (from_, to)
    ]
    have, _, other = min(free, default=(len(doubled), 0, ""))
    return Reassigned(
        tuple(ordered),
        tuple(snapshot.subjects[subject].key for subject in doubled),
        rule.per_item is not None,
        other if have < len(doubled) else None,
    )


def queue(connection: Connection, snapshot: Snapshot, rater: int, seed: int) -> list[int]:
    """The items of one rater in order: as planned, or all of them for raters without a plan."""
    planned = places(connection, snapshot, rater)
    name = snapshot.names()[rater]
    if planned or snapshot.raters[name].kind in PLANNED:
        return list(planned)
    items = snapshot.items
    batch = {key: subject.batch for key, subject in items.items()}
    roles = {key: subject.role for key, subject in items.items()}
    return [items[key].id for key in in_order(roles, name, seed, batch=batch)]


AT_ONCE = 10_000  # rows that are written together: on their way each takes a kilobyte


def _assign(
    connection: Connection,
    snapshot: Snapshot,
    queues: Mapping[int, Sequence[str]],
    now: int,
    reason: str | None,
) -> None:
    """Each rater's new items come behind those that the rater had."""
    events = schema.plan_event
    many = sum(map(bool, queues.values()))
    some = [] if many > 1 else [events.c.rater_id.in_(queues)]
    query = select(events.c.rater_id, func.max(events.c.position) + 1)
    query = query.where(events.c.round_id == snapshot.round_id, *some).group_by(events.c.rater_id)
    first = dict(iter(connection.execute(query))) if many else {}
    rows = (
        _row(snapshot, rater, snapshot.items[key].id, "assign", place, now, reason)
        for rater, keys in queues.items()
        for place, key in enumerate(keys, first.get(rater) or 0)
    )
    while together := list(islice(rows, AT_ONCE)):
        schema.write(connection, events, together)


def _row(
    snapshot: Snapshot,
    rater: int,
    subject: int,
    action: str,
    position: int | None,
    now: int,
    reason: str | None,
) -> dict[str, Any]:
    return {
        "round_id": snapshot.round_id,
        "rater_id": rater,
        "subject_id": subject,
        "action": action,
        "position": position,
        "reason": reason,
        "at": now,
    }
