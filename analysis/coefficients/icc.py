"""Intraclass correlations: the share of the ratings' variance that lies between units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt
from typing import Any

import numpy as np

from raterbook.analysis.coefficients import Solved
from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import Interval, Wish
from raterbook.analysis.intervals.resampling import FISHER
from raterbook.analysis.ratings import read
from raterbook.analysis.ratings.patterns import Patterns, divide, nothing

# Above this share of pairs that met, sparse equations cost more than full ones.
DENSE = 0.1
# Effects this many times what they explain come from equations that leave more than one open.
FAR = 1e6
# What is smaller beside the largest is rounding.
ROUNDING = 1e-10
FORMS = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")


class IntraclassCorrelation(Solved):
    """One of Shrout and Fleiss's six forms, with missing ratings allowed.

    Variance components come from fitting constants (Henderson's method 3), which needs only sums
    over units, costs nothing in the number of units, and on complete data gives Shrout and
    Fleiss's mean squares exactly. Raters who never met, however far round, stand in groups of
    their own; each group has its own level, and costs a degree of freedom less.
    """

    exchangeable = False
    link = FISHER
    # Each leave-one-out solves as many equations as there are raters: some seconds at 60, over a
    # minute at 120.
    most_raters = 60

    def __init__(self, form: str, numbers: np.ndarray, raters: int) -> None:
        self.form, self.raters = form, raters
        # Squares of numbers far from zero would cancel, and very small ones vanish.
        middle = float(numbers.mean()) if len(numbers) else 0.0
        self.scale = float(np.abs(numbers - middle).max(initial=0.0)) or 1.0
        self.numbers = (numbers - middle) / self.scale
        self.name = f"icc_{form[3:]}"

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        """Per pattern: counts and squares, then what the raters' effects are solved from."""
        given = (codes > 0).astype(float)
        x = np.append(0.0, self.numbers)[codes]
        m = given.sum(axis=1)
        each = divide(np.ones(len(m)), m, 0.0)
        total = x.sum(axis=1)
        scalars = [m > 0, m, m**2, each, total, (x**2).sum(axis=1), total**2 * each]
        gaps = given * (x - (total * each)[:, None])
        shared = -given[:, :, None] * given[:, None, :] * each[:, None, None]
        own = np.arange(codes.shape[1])
        shared[:, own, own] += given
        width = codes.shape[1] ** 2
        return np.hstack(
            [np.column_stack(scalars), x, given, gaps, shared.reshape(len(codes), width)]
        )

    def values(self, totals: np.ndarray) -> np.ndarray:
        return self._share(*self.components(totals))

    def value(self, patterns: Patterns) -> float:
        """The correlation over all units, whose raters may be thousands."""
        return float(self._share(*self.whole(patterns))[0])

    def _share(
        self, unit: np.ndarray, rater: np.ndarray, error: np.ndarray, harmonic: np.ndarray
    ) -> np.ndarray:
        noise = error + rater if self.form.startswith("ICC2") else error
        noise = noise / harmonic if self.form.endswith("k") else noise
        whole = unit + noise
        blank = np.full_like(whole, np.nan)
        return np.asarray(np.divide(unit, whole, out=blank, where=~nothing(np.abs(whole))))

    def components(self, totals: np.ndarray) -> tuple[np.ndarray, ...]:
        """Variance between units, between raters and left over, and the harmonic mean of raters.

        One-way forms leave the raters' variance in what is left over. A component may come out
        below zero, as in any analysis of variance.
        """
        r = isqrt(totals.shape[1] - 7) - 1  # of r raters there are 7 + 3 r + r² sums
        x, given, gaps = (totals[:, 7 + i * r : 7 + (i + 1) * r] for i in range(3))
        if self.form.startswith("ICC1"):
            return self._parts(totals[:, :7], x, given)
        effects, groups = _effects(totals[:, 7 + 3 * r :].reshape(len(totals), r, r), gaps, given)
        return self._parts(totals[:, :7], x, given, ((effects * gaps).sum(axis=1), groups))

    def whole(self, patterns: Patterns) -> tuple[np.ndarray, ...]:
        """The same of all units at once: raters are tied only where they met."""
        answers, width = patterns.answers, patterns.codes.shape[1]
        weights, m = patterns.weights, patterns.rated
        x, many = np.append(0.0, self.numbers)[answers.code], weights[answers.pattern]
        total = np.bincount(answers.pattern, x, len(m))
        squares = np.bincount(answers.pattern, x**2, len(m))
        scalars = [np.ones(len(m)), m, m**2, 1 / m, total, squares, total**2 / m]
        sums = np.array([[float(weights @ each) for each in scalars]])
        of_raters, given = (np.bincount(answers.rater, many * y, width) for y in (x, 1.0))
        if self.form.startswith("ICC1"):
            return self._parts(sums, of_raters[None], given[None])
        gaps = np.bincount(answers.rater, many * (x - (total / m)[answers.pattern]), width)
        explained, groups = _explained(patterns, gaps, given)
        effects = np.array([explained]), np.array([groups])
        return self._parts(sums, of_raters[None], given[None], effects)

    def _parts(
        self,
        scalars: np.ndarray,
        x: np.ndarray,
        given: np.ndarray,
        effects: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> tuple[np.ndarray, ...]:
        units, ratings, squared, inverse, total, squares, within_units = scalars.T
        between = within_units - divide(total**2, ratings)
        harmonic = divide(units, inverse)
        if effects is None:
            inside = divide(squares - within_units, ratings - units)
            size = divide(ratings - divide(squared, ratings), units - 1)
            unit = divide(divide(between, units - 1) - inside, size)
            return unit, np.zeros_like(unit), inside, harmonic
        explained, groups = effects
        active = (~nothing(given)).sum(axis=1)
        error = divide(squares - within_units - explained, ratings - units - active + groups)
        adjusted = within_units + explained - divide(x**2, given, 0.0).sum(axis=1)
        unit = divide(adjusted - (units - groups) * error, ratings - active)
        rater = divide(explained - (active - groups) * error, ratings - units)
        return unit, rater, error, harmonic

    def why(self, patterns: Patterns) -> str:
        """The reason why there is no correlation."""
        if len(np.unique(patterns.answers.code)) == 1:
            return "no_variation"
        *parts, _ = self.whole(patterns)
        return "no_total_variance" if np.isfinite(parts).all() else "too_few_units"

    def published_ends(self, patterns: Patterns, coverage: float) -> tuple[float, float] | str:
        """Shrout and Fleiss's interval, or the reason why there is none."""
        x = np.append(0.0, self.numbers)[patterns.codes]
        return f_interval(self.form, x, patterns.weights, coverage)


def _effects(
    shared: np.ndarray, gaps: np.ndarray, given: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The raters' effects, and into how many groups that never met the raters fall.

    The effects of a group sum to zero: its common level is one with that of its units. With it
    fixed for all together, the equations of a single group have one answer, which is quicker to
    have than a general inverse.
    """
    own = np.arange(shared.shape[1])
    alone = nothing(shared[:, own, own])
    whole = shared + shared[:, own, own].mean(axis=1)[:, None, None]
    whole[:, own, own] += alone
    with np.errstate(all="ignore"):
        try:
            effects = np.linalg.solve(whole, gaps[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            effects = np.full_like(gaps, np.nan)
        left = np.abs(np.einsum("bij,bj->bi", shared, effects) - gaps).max(axis=1)
    groups = (alone & ~nothing(given)).sum(axis=1) + np.any(~alone, axis=1)
    # Apart from rounding nothing is left, unless raters fall into groups that never met.
    size = np.abs(gaps).max(axis=1)
    far = np.abs(effects).max(axis=1) > FAR * size
    apart = far | ~(left <= 1e-9 * size) | _split(shared)
    if apart.any():
        inverse = np.linalg.pinv(shared[apart], rcond=ROUNDING, hermitian=True)
        effects[apart] = np.einsum("bij,bj->bi", inverse, gaps[apart])
        rank = np.linalg.matrix_rank(shared[apart], rtol=ROUNDING, hermitian=True)
        groups[apart] = (~nothing(given[apart])).sum(axis=1) - rank
    return effects, groups


def _split(shared: np.ndarray) -> np.ndarray:
    """Whether raters who met anybody fall into groups: who is reached from the first of them."""
    linked: np.ndarray = ~nothing(-shared)
    met: np.ndarray = np.asarray(linked.any(axis=2))
    reached = np.zeros_like(met)
    first = met.argmax(axis=1)
    reached[np.arange(len(met)), first] = met.any(axis=1)
    for _ in met.T:
        further = reached | (linked & reached[:, :, None]).any(axis=1)
        if (further == reached).all():
            break
        reached = further
    return np.asarray(np.any(met & ~reached, axis=1))


def _explained(patterns: Patterns, gaps: np.ndarray, given: np.ndarray) -> tuple[float, int]:
    """What the raters' effects explain over all units, and the groups the raters fall into.

    In each group one effect is set to zero, which leaves equations with one answer.
    """
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.csgraph import connected_components
    from scipy.sparse.linalg import spsolve

    answers, width = patterns.answers, patterns.codes.shape[1]
    weight = np.sqrt(patterns.weights[answers.pattern] / patterns.rated[answers.pattern])
    shape = (len(patterns.codes), width)
    table = coo_array((weight, (answers.pattern, answers.rater)), shape=shape).tocsr()
    shared = (diags_array(given) - table.T @ table).tocsr()
    _, group = connected_components(table.T @ table, directed=False)
    active = given > 0
    named, first = np.unique(group[active], return_index=True)
    free = active.copy()
    free[np.flatnonzero(active)[first]] = False
    if not free.any():
        return 0.0, len(named)
    rest = shared[free][:, free]
    if rest.nnz > DENSE * np.prod(rest.shape):
        effects = np.linalg.solve(rest.toarray(), gaps[free])
    else:
        effects = spsolve(rest.tocsc(), gaps[free])
    return float(effects @ gaps[free]), len(named)


def icc(
    ratings: Any,
    form: str = "ICC2",
    *,
    scale: Sequence[Any] | None = None,
    interval: Wish = "analytic",
) -> Estimate:
    """The intraclass correlation: how much of the variance of single ratings lies between units.

    ICC1: raters differ from unit to unit; ICC2: the same raters, seen as a sample of raters;
    ICC3: these raters only, their severity left out; with k, of the raters' mean. The analytic
    interval is Shrout and Fleiss's on complete data, and the jackknife's otherwise.

    >>> icc([[1, 2], [3, 3], [4, 5], [5, 5]], interval=None)
    <icc_2: 0.9062; 4 units, 2 raters, 8 ratings>
    """
    check_name("form", form, FORMS)
    coded, wish = read(ratings, scale), Interval.of(interval)
    coded.needs_numbers("an intraclass correlation")
    met = coded.rows(coded.rating_counts() >= 1)
    statistic = IntraclassCorrelation(form, coded.numbers, coded.codes.shape[1])
    if wish.method == "analytic" and not (met.codes.all() and met.clusters is None):
        wish = replace(wish, method="jackknife")
    return infer(statistic, met, wish)


def variance_components(
    ratings: Any, *, scale: Sequence[Any] | None = None
) -> dict[str, float | None]:
    """Where the variance of single ratings comes from: unit, rater, and residual.

    By fitting constants, so that gaps are allowed and a million units cost no more than their
    counting. None where there are too few ratings to tell.
    """
    coded = read(ratings, scale)
    statistic = IntraclassCorrelation("ICC2", coded.numbers, coded.codes.shape[1])
    patterns = coded.patterns
    if not len(patterns.codes):
        return {"unit": None, "rater": None, "residual": None}
    unit, rater, residual, _ = (part * statistic.scale**2 for part in statistic.whole(patterns))
    named = {"unit": unit, "rater": rater, "residual": residual}
    return {name: float(v[0]) if np.isfinite(v[0]) else None for name, v in named.items()}


def f_interval(
    form: str, x: np.ndarray, weights: np.ndarray, coverage: float
) -> tuple[float, float] | str:
    """Shrout and Fleiss's (1979) interval from F distributions, for complete data.

    Or the reason why there is none: nothing to compare a spread with, or so few degrees of
    freedom that the ends run away.
    """
    with np.errstate(all="ignore"):
        ends = _f_ends(form, x, weights, coverage)
    if isinstance(ends, str):
        return ends
    there = np.isfinite(ends).all() and ends[0] <= ends[1]
    return ends if there else "too_few_units_for_interval"


def _f_ends(
    form: str, x: np.ndarray, weights: np.ndarray, coverage: float
) -> tuple[float, float] | str:
    from scipy.special import fdtri

    n, k = int(weights.sum()), x.shape[1]
    rows, columns = x.mean(axis=1), weights @ x / n
    middle = float(weights @ rows / n)
    between = k * float(weights @ (rows - middle) ** 2) / (n - 1)
    judges = n * float(((columns - middle) ** 2).sum()) / (k - 1)
    residual = x - rows[:, None] - columns[None, :] + middle
    error = float(weights @ (residual**2).sum(axis=1)) / ((n - 1) * (k - 1))
    within = float(weights @ ((x - rows[:, None]) ** 2).sum(axis=1)) / (n * (k - 1))
    p = 0.5 + coverage / 2
    if nothing(within):
        return "no_disagreement_for_interval"
    if nothing(between):
        return "no_spread_for_interval"
    if nothing(error) and not form.startswith("ICC1"):
        return "no_residual_for_interval"
    if form.startswith("ICC2"):
        return _two_way_random(form, n, k, between, judges, error, p)
    one_way = form.startswith("ICC1")
    ratio = np.float64(between) / (within if one_way else error)
    df = n * (k - 1) if one_way else (n - 1) * (k - 1)
    low, high = ratio / fdtri(n - 1, df, p), ratio * fdtri(df, n - 1, p)
    if form.endswith("k"):
        return float(1 - 1 / low), float(1 - 1 / high)
    return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _two_way_random(
    form: str, n: int, k: int, between: float, judges: float, error: float, p: float
) -> tuple[float, float]:
    from scipy.special import fdtri

    between, judges, error = map(np.float64, (between, judges, error))
    rho = (between - error) / (between + (k - 1) * error + k * (judges - error) / n)
    spread = k * rho * judges / error
    rest = n * (1 + (k - 1) * rho) - k * rho
    df = (k - 1) * (n - 1) * (spread + rest) ** 2
    df /= (n - 1) * spread**2 + rest**2
    above, below = fdtri(n - 1, df, p), fdtri(df, n - 1, p)
    other = k * judges + (k * n - k - n) * error
    low = n * (between - above * error) / (above * other + n * between)
    high = n * (below * between - error) / (other + n * below * between)
    if form.endswith("k"):
        low, high = (end * k / (1 + end * (k - 1)) for end in (low, high))
    return float(low), float(high)
