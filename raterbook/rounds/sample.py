"""Which items a round takes when it takes a sample: seeded, stratified, its chances recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raterbook.rounds.plan import PlanError, draw


@dataclass(frozen=True)
class Sample:
    """The sampled items in their old order, and what an estimate for all items needs to know.

    `chance` is each sampled item's inclusion probability: n of its stratum over N of it.
    `strata` has, per stratum, how many there were and how many were taken.
    """

    items: tuple[str, ...]
    seed: int
    by: tuple[str, ...]
    chance: Mapping[str, float]
    strata: Mapping[tuple[str, ...], tuple[int, int]]

    def to_dict(self) -> dict[str, object]:
        """What is written beside the round."""
        return {
            "n": len(self.items),
            "of": sum(there for there, _ in self.strata.values()),
            "seed": self.seed,
            "by": list(self.by),
            "strata": [
                {**dict(zip(self.by, key)), "items": there, "taken": taken, "chance": taken / there}
                for key, (there, taken) in self.strata.items()
            ],
        }


def sample(
    columns: Mapping[str, Mapping[str, str]], n: int, by: Sequence[str] = (), seed: int = 0
) -> Sample:
    """`n` of the items, at random or spread over the strata of `by` as evenly as sizes allow.

    `columns` has each item's fields, in order. Strata get proportional shares, rounded by
    largest remainder, and at least one item each while `n` allows; within a stratum every item
    has the same chance. The same seed gives the same sample everywhere.
    """
    if not 1 <= n <= len(columns):
        raise PlanError(f"a sample of {n} cannot be taken from {len(columns)} items. "
                        f"Use 1 to {len(columns)}.")
    strata: dict[tuple[str, ...], list[str]] = {}
    for item, fields in columns.items():
        for column in by:
            if column not in fields:
                raise PlanError(f"items have no column {column} to sample by. "
                                f"Use one of {', '.join(sorted(fields))}.")
        strata.setdefault(tuple(str(fields[column]) for column in by), []).append(item)
    sizes = {key: len(items) for key, items in strata.items()}
    takes = _shares(sizes, n, seed)
    taken: set[str] = set()
    chance: dict[str, float] = {}
    for key, items in strata.items():
        first = sorted(items, key=lambda item: (draw(seed, "sample", item), item))[: takes[key]]
        taken.update(first)
        chance.update(dict.fromkeys(first, takes[key] / sizes[key]))
    kept = tuple(item for item in columns if item in taken)
    return Sample(
        kept, seed, tuple(by), {item: chance[item] for item in kept},
        {key: (sizes[key], takes[key]) for key in sorted(strata)},
    )


def _shares(sizes: Mapping[tuple[str, ...], int], n: int, seed: int) -> dict[tuple[str, ...], int]:
    total = sum(sizes.values())
    exact = {key: n * size / total for key, size in sizes.items()}
    shares = {key: int(share) for key, share in exact.items()}
    ranked = sorted(
        sizes, key=lambda key: (shares[key] - exact[key], draw(seed, "stratum", *key), key)
    )
    for key in ranked[: n - sum(shares.values())]:
        shares[key] += 1
    for key in sorted(key for key in sizes if not shares[key] and n >= len(sizes)):
        largest = max(shares, key=lambda other: (shares[other], other))
        shares[largest] -= 1
        shares[key] = 1
    return shares
