"""Who rates what, in which order: balanced, seeded, the same on every platform.

Everything random here is a SHA-256 of the seed and the names involved, so a plan depends on
nothing else: not on the machine, not on the version of a generator, not on the order of a file.
Adding items or raters later keeps every pair that exists, and every order that was shown.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256


class PlanError(ValueError):
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
) -> list[tuple[str, str]]:
    """The new (item, rater) pairs; with `per_item`, each item goes to that many raters.

    Without `per_item` everyone rates everything. With it, the raters who have least so far come
    first, so that no two differ by more than one item when the plan starts from nothing. Pairs
    in `existing` are kept, count as work, and are not given out again.
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
    return _deal(items, raters, per_item, seed, existing)


def _deal(
    items: list[str], raters: list[str], per_item: int, seed: int, existing: set[tuple[str, str]]
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
        free = [rater for rater in raters if rater not in have[item]]
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


def queue(
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
        next(marked) if place in places else next(rest)
        for place in range(len(main) + len(places))
    ]
