"""A plan without a pilot: the components of an agreement that is assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from raterbook.analysis.coefficients.tables import statistic_named
from raterbook.analysis.forecast import FORECAST, Components, of_coefficient, pair_moves
from raterbook.analysis.ratings import Coded

MOST = 10  # values of a scale that is assumed
UNITS = 10**4  # as if so many had been rated
BISECTIONS = 40


def assumed(
    statistic: str, value: float, shares: Sequence[float], *, alike: float = 0.0
) -> Components:
    """The components where raters agree as far as `value` says of the coefficient `statistic`.

    A rater sees a unit's own value as often as that asks for, else any value. `shares` are those of
    the values 1, 2, …; `alike` is the correlation of two units of a cluster.

    >>> from raterbook.analysis.forecast import Design, width_of
    >>> round(width_of(assumed("alpha_nominal", 0.6, [0.5, 0.5]).at(Design(100, 2, 2))), 2)
    0.32
    """
    part, q = np.asarray(shares, dtype=float), len(shares)
    if statistic not in FORECAST:
        raise ValueError(f"no forecast of {statistic!r}: choose {', '.join(FORECAST)}")
    if not 2 <= q <= MOST or not (part > 0).all():
        raise ValueError(f"shares={list(shares)!r}: 2 to {MOST} of them, each above 0")
    if not 0 < value < 1 or not 0 <= alike <= 1:
        raise ValueError(f"value={value!r}, alike={alike!r}: between 0 and 1")
    levels, part = np.arange(1, q + 1), part / part.sum()
    codes = np.array(list(product(levels, repeat=4)), dtype=np.int64)
    units, numbers = np.arange(len(codes)), levels.astype(float)
    coded = Coded(codes, tuple(levels.tolist()), numbers, True, False, units, tuple("abcd"))
    named = statistic_named(statistic, coded)

    def weights(sees: float) -> np.ndarray:
        own = sees * (codes[:, :, None] == levels)
        each = own + (1 - sees) * part[codes - 1][:, :, None]
        return np.asarray(each.prod(axis=1) @ part) * UNITS

    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        sees = (low + high) / 2
        found = pair_moves(named, coded, weights(sees))[0]
        low, high = (sees, high) if found < value else (low, sees)
    made = of_coefficient(coded, statistic, weights(low))
    along = alike * made.spread(2, 4)
    return replace(made, along=along, units=0.0, n_raters=0, shown=np.inf)
