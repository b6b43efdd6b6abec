"""Looks at answers while they come in: how much of the error may be spent at each of them.

Whoever looks four times at the usual level finds something in 13 of 100 rounds where there is
nothing. Looks that were declared share one error: early ones take little of it, by the function of
Lan and DeMets (Biometrika 1983) after O'Brien and Fleming (Biometrics 1979), and the bounds follow
from it by integrating over all that may have come before (Armitage, McPherson and Rowe 1969).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Literal

import numpy as np

from raterbook.analysis.ratings.patterns import steps

Sides = Literal[1, 2]

LEAST_STEP = 1e-3  # of the information at the last look; nearer looks are taken so far apart
FAR = 8.5  # standard deviations; beyond, there is nothing to integrate
NOTHING = 1e-13  # an error so small has no bound
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)  # of one piece of the integral


@dataclass(frozen=True)
class Looks:
    """Looks after these shares of what was planned, with one error `at` for all of them.

    `information` says what each look rests on, where that is not the share itself: how many
    answers there were. A share beyond 1 spends no more than all.

    >>> looks = Looks((0.25, 0.5, 0.75, 1))
    >>> [round(bound, 3) for bound in looks.bounds]
    [4.333, 2.963, 2.359, 2.014]
    >>> [round(level, 4) for level in looks.levels]
    [0.0, 0.003, 0.0183, 0.044]
    """

    shares: tuple[float, ...]
    at: float = 0.05
    sides: Sides = 2
    information: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", tuple(float(share) for share in self.shares))
        if not self.shares or self.shares[0] <= 0 or list(self.shares) != sorted(self.shares):
            raise ValueError(f"looks at {self.shares}: give rising shares above 0, the first first")
        if not 0 < self.at < 1:
            raise ValueError(f"an error of {self.at}: give one between 0 and 1, such as .05")
        if self.information is not None and len(self.information) != len(self.shares):
            raise ValueError("information: give one number for each look")

    @property
    def spent(self) -> tuple[float, ...]:
        """The error that is spent up to and with each look."""
        return tuple(spending(min(share, 1.0), self.at, self.sides) for share in self.shares)

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """How many standard errors from nothing an estimate must lie, look by look."""
        given = self.shares if self.information is None else self.information
        found: list[float] = []
        walk = _Walk(self.sides)
        for step, more in zip(_steps(given), np.diff((0.0, *self.spent)), strict=True):
            walk.on(step)
            found.append(walk.bound_for(float(more)))
            walk.stop_at(found[-1])
        return tuple(found)

    @property
    def levels(self) -> tuple[float, ...]:
        """The p-value that is small enough at each look; 1 less it is what its interval covers."""
        from scipy.special import ndtr

        return tuple(float(self.sides * ndtr(-bound)) for bound in self.bounds)


def spending(share: float, at: float = 0.05, sides: Sides = 2) -> float:
    """The error that may be spent by this share of what was planned.

    >>> round(spending(0.5), 5), round(spending(1), 5)
    (0.00305, 0.05)
    """
    from scipy.special import ndtr, ndtri

    each = at / sides
    return float(sides * 2 * ndtr(ndtri(each / 2) / sqrt(share)))


def ever_beyond(
    bounds: Sequence[float], information: Sequence[float], sides: Sides = 2
) -> tuple[float, ...]:
    """With which chance an estimate of nothing has been beyond its bound, look by look.

    >>> [round(chance, 3) for chance in ever_beyond([1.96] * 4, [1, 2, 3, 4])]
    [0.05, 0.083, 0.107, 0.126]
    """
    walk, found = _Walk(sides), 0.0
    chances = []
    for step, bound in zip(_steps(information), bounds, strict=True):
        walk.on(step)
        found += walk.beyond(bound)
        walk.stop_at(bound)
        chances.append(found)
    return tuple(chances)


def _steps(information: Sequence[float]) -> list[float]:
    """What each look adds to the one before, the last being at 1."""
    reached = [0.0]
    for each in information:
        reached.append(max(float(each), reached[-1] + LEAST_STEP * max(information)))
    return [float(step) for step in np.diff(reached) / reached[-1]]


class _Walk:
    """The sum of what came in, look by look, as long as it lay within its bounds."""

    def __init__(self, sides: Sides):
        self.sides = sides
        self.time = 0.0  # the information so far
        self.step = 0.0
        self.nodes, self.mass = np.zeros(1), np.ones(1)  # where the sum was, and how often

    def on(self, step: float) -> None:
        """To the next look, so much information later."""
        self.step = step
        self.time += step

    def beyond(self, bound: float) -> float:
        """The chance that this look is the first beyond its bound."""
        from scipy.special import ndtr

        if bound == inf:
            return 0.0
        end, spread = bound * sqrt(self.time), sqrt(self.step)
        # On two sides what came before lies alike, and so does what is beyond.
        return float(self.sides * (self.mass @ ndtr((self.nodes - end) / spread)))

    def bound_for(self, error: float) -> float:
        """The bound at which that chance is this; infinite for none."""
        from scipy.optimize import brentq

        if error <= NOTHING:
            return inf
        # What was kept within the bounds before may be less likely than asked to come this far.
        if self.beyond(0.0) <= error:
            return 0.0
        return float(brentq(lambda bound: self.beyond(bound) - error, 0.0, 40.0, xtol=1e-10))

    def stop_at(self, bound: float) -> None:
        """Those beyond it are out; the rest go on."""
        far = FAR * sqrt(self.time)
        high = min(bound * sqrt(self.time), far)
        low = -high if self.sides == 2 else -far
        spread = sqrt(self.step)
        pieces = max(16, int(np.ceil((high - low) / spread)))
        edges = np.linspace(low, high, pieces + 1)
        half = np.diff(edges)[:, None] / 2
        nodes = ((edges[:-1, None] + edges[1:, None]) / 2 + half * NODES).ravel()
        weights = (half * WEIGHTS).ravel()
        density = np.zeros(len(nodes))
        for some in steps(len(nodes), len(self.nodes)):
            apart = (nodes[some, None] - self.nodes[None, :]) / spread
            density[some] = np.exp(-(apart**2) / 2) @ self.mass / (spread * sqrt(2 * np.pi))
        self.nodes, self.mass = nodes, density * weights
