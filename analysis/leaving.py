"""A statistic when raters leave: each in turn, alone and together with one unit."""

from __future__ import annotations

import numpy as np

from analysis.jackknife import LeftOut, leave_one_out
from analysis.patterns import Patterns
from analysis.statistic import Statistic, point, rows_to_resample, too_large


def without_each_rater(statistic: Statistic, patterns: Patterns) -> np.ndarray:
    """The statistic without each rater in turn; raters who answered nothing are not counted."""
    found = []
    for rater in np.flatnonzero(patterns.codes.any(axis=0)):
        rest = patterns.without_rater(int(rater))
        found.append(point(statistic, rest.forget_raters() if statistic.exchangeable else rest))
    return np.array(found)


def leave_raters_out(statistic: Statistic, patterns: Patterns) -> LeftOut:
    """The same, and without one unit of each kind as well."""
    answered = np.flatnonzero(patterns.codes.any(axis=0))
    among_all = getattr(statistic, "without_raters", None)
    if among_all is not None:
        # One table of pairs serves all raters: whoever leaves takes their pairs along.
        rows, weights = rows_to_resample(statistic, patterns)
        total = weights @ rows
        each = among_all(total[None, :], answered)[0]
        return LeftOut(each, leave_one_out(lambda t: among_all(t, answered), rows, total), weights)
    each, both = [], []
    weights = np.zeros(0, dtype=np.int64)
    for rater in answered:
        value, without, weights = _without(statistic, patterns.without_rater(int(rater)))
        each.append(value)
        both.append(without)
    return LeftOut(np.array(each), np.array(both).T, weights)


def _without(statistic: Statistic, rest: Patterns) -> tuple[float, np.ndarray, np.ndarray]:
    """The value over all units, and without one unit of each kind there was before."""
    work, place = rest, None
    if statistic.exchangeable and not too_large(statistic, rest):
        work, place = rest.merged()
    rows, weights = rows_to_resample(statistic, work)
    total = weights @ rows
    without = leave_one_out(statistic.values, rows, total)
    value = float(statistic.values(total[None, :])[0])
    if place is None or rest.blocks is not None:
        return value, without, weights
    return value, without[place], rest.weights
