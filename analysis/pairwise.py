"""Every pair of raters by itself, as a raters × raters table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise as neighbours
from typing import Any

import numpy as np
import pandas as pd

from analysis.alpha import alpha_statistic, refuse_labels
from analysis.chance import ObservedAgreement
from analysis.distances import ORDERED, check_level
from analysis.gwet import within_weights
from analysis.kappa import kappa_statistic
from analysis.pairs import meetings
from analysis.patterns import Patterns, find_patterns
from analysis.ratings import Ratings, read
from analysis.statistic import point
from analysis.weights import is_identity

# Each statistic with the one keyword that is its own.
TAKEN = {"kappa": "weights", "alpha": "level", "percent_agreement": "within"}


def pairwise(
    ratings: Any,
    statistic: str = "kappa",
    *,
    weights: str | Sequence[Any] | np.ndarray = "identity",
    level: str | Callable[[Any, Any], float] = "nominal",
    within: float = 0,
    scale: Sequence[Any] | None = None,
    raters: Iterable[Any] | None = None,
    keep: str | None = None,
) -> pd.DataFrame:
    """kappa (with weights), alpha (at a level) or percent agreement of each pair of raters.

    NaN on the diagonal and where a pair has no value. The attribute `attrs["n"]` is a table of
    how many units each pair shares.
    """
    if statistic not in TAKEN:
        raise ValueError(f"unknown statistic {statistic!r}: choose {', '.join(TAKEN)}")
    given = {"weights": not is_identity(weights), "level": level != "nominal", "within": within > 0}
    for name in (name for name, has in given.items() if has and name != TAKEN[statistic]):
        raise ValueError(f"{statistic} takes no {name}=: it takes {TAKEN[statistic]}=")
    check_level(level)
    coded = read(ratings, scale=scale, raters=raters, keep=keep)
    if (
        (isinstance(weights, str) and not is_identity(weights))
        or (isinstance(level, str) and level in ORDERED)
        or within
    ):
        refuse_labels(coded, "this statistic")
    patterns = find_patterns(coded)
    compute = _named(statistic, coded, weights, level, within)
    width, q = len(coded.raters), patterns.q
    found = np.full((width, width), np.nan)
    shared = np.zeros((width, width), dtype=int)
    # The values two raters gave to the units they share; of a crowd's pairs most share none.
    values, counts = _met(patterns)
    pair, both = np.divmod(values, (q + 1) ** 2)
    starts = np.flatnonzero(np.diff(pair, prepend=-1))
    for start, end in neighbours(np.append(starts, len(pair)).tolist()):
        i, j = divmod(int(pair[start]), width)
        codes = np.column_stack(np.divmod(both[start:end], q + 1))
        shared[i, j] = shared[j, i] = counts[start:end].sum()
        found[i, j] = found[j, i] = point(compute, Patterns(codes, counts[start:end], q))
    names = list(coded.raters)
    table = pd.DataFrame(found, index=names, columns=names)
    table.attrs["n"] = pd.DataFrame(shared, index=names, columns=names)
    return table


def _met(patterns: Patterns) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of raters with the two values they gave, as one number, and to how many units."""
    answers, base = patterns.answers, patterns.q + 1
    keys: list[np.ndarray] = [np.zeros(0, dtype=np.int64)]
    weights: list[np.ndarray] = [np.zeros(0)]
    for one, other in meetings(patterns):
        key = answers.rater[one] * patterns.codes.shape[1] + answers.rater[other]
        key = (key * base + answers.code[one]) * base + answers.code[other]
        found, place = np.unique(key, return_inverse=True)
        keys.append(found)
        weights.append(np.bincount(place.ravel(), patterns.weights[answers.pattern[one]]))
    found, place = np.unique(np.concatenate(keys), return_inverse=True)
    counts = np.bincount(place.ravel(), np.concatenate(weights), len(found))
    return found, counts.astype(np.int64)


def _named(name: str, coded: Ratings, weights: Any, level: Any, within: float) -> Any:
    if name == "kappa":
        return kappa_statistic("light", weights, coded)
    if name == "alpha":
        return alpha_statistic(level, coded)
    return ObservedAgreement(within_weights(coded.numbers, within))
