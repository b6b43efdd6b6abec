"""How an interval is wanted: one frozen object, made and checked in one place."""

from __future__ import annotations

from dataclasses import dataclass

METHODS = ("jackknife", "bootstrap", "bca", "analytic")
DRAWN = ("bootstrap", "bca")


@dataclass(frozen=True)
class Options:
    """The method (None for no interval), how many draws, how often it should hold, the seed."""

    interval: str | None = "jackknife"
    resamples: int = 2000
    coverage: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.interval is not None and self.interval not in METHODS:
            known = ", ".join(METHODS)
            raise ValueError(f"unknown interval {self.interval!r}: choose {known} or None")
        if not 0 < self.coverage < 1:
            raise ValueError(f"coverage {self.coverage!r} is not between 0 and 1: .95 is usual")
        if self.resamples < 1:
            raise ValueError(f"resamples={self.resamples!r}: at least 1")

    @property
    def seed_used(self) -> int | None:
        """The seed, where anything was drawn."""
        return self.seed if self.interval in DRAWN else None


USUAL = Options()
