"""Agreement, observed and beyond chance: Gwet's AC1 and AC2, and what other coefficients share."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.estimate import Estimate, check_name
from raterbook.analysis.intervals import Interval, Shares, Wish, linear, per_pairable
from raterbook.analysis.intervals.resampling import FISHER, LOGIT
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import Patterns, count_values, divide
from raterbook.analysis.ratings.values import MOST_VALUES


def gwet(
    ratings: Any,
    weights: str | Sequence[Any] | np.ndarray = "identity",
    *,
    scale: Sequence[Any] | None = None,
    interval: Wish = "jackknife",
) -> Estimate:
    """Gwet's AC1 (AC2 with weights): agreement beyond chance that a common value does not sink.

    1 is perfect, 0 is chance. Chance depends on how many values the scale has, so declare
    `scale`; otherwise the values seen are taken and `scale_inferred` says so.

    >>> gwet([[1, 1], [1, 1], [1, 2], [2, 2]], scale=[1, 2], interval=None)
    <ac1: 0.5294; 4 units, 2 raters, 8 ratings>
    """
    coded = read(ratings, scale)
    name = "ac1" if is_identity(weights) else "ac2"
    statistic = SharedChance(weights_on(coded, weights), "gwet", name)
    return infer(statistic, coded, Interval.of(interval), warnings=inferred(coded))


def agreement(
    ratings: Any,
    within: float = 0,
    *,
    weights: str | Sequence[Any] | np.ndarray | None = None,
    scale: Sequence[Any] | None = None,
    interval: Wish = "jackknife",
) -> Estimate:
    """The share of pairs of raters that agree, averaged over units; chance is not removed.

    `within=1` also counts pairs one step apart as agreeing.

    >>> agreement([[1, 1], [1, 2], [1, 3], [2, 2]], within=1, interval=None)
    <percent_within_one: 0.7500; 4 units, 2 raters, 8 ratings>
    """
    coded = read(ratings, scale)
    if within and weights is not None:
        raise ValueError(f"within={within!r} and weights={weights!r}: give one of them")
    if within < 0:
        raise ValueError(f"within={within!r}: 0 for equal values, 1 for one step apart")
    if within:
        coded.needs_an_order(f"within={within!r}")
    matrix = (
        weights_on(coded, weights) if weights is not None else within_weights(coded.numbers, within)
    )
    name = "percent_within_one" if within == 1 else "percent_agreement"
    return infer(ObservedAgreement(matrix, name), coded, Interval.of(interval))


def inferred(coded: Coded) -> tuple[str, ...]:
    """A warning where chance depends on a scale that was not declared."""
    return () if coded.declared else ("scale_inferred",)


def weights_on(coded: Coded, weights: Any) -> np.ndarray:
    """These weights on the scale of the ratings; refused where they need an order and have none."""
    if isinstance(weights, str) and not is_identity(weights):
        coded.needs_an_order(f"weights {weights!r}")
    return agreement_weights(weights, coded.numbers)


def within_weights(numbers: np.ndarray, within: float) -> np.ndarray:
    """1 where two values lie at most `within` apart."""
    if len(numbers) > MOST_VALUES:
        raise ValueError(
            f"{len(numbers):,} different values: round them to at most {MOST_VALUES:,}"
        )
    return np.asarray((np.abs(numbers[:, None] - numbers[None, :]) <= within + 1e-9).astype(float))


# Agreement weights: 1 where two values count as the same, less the further they lie apart.
#
# The formulas are those of Gwet, Handbook of Inter-Rater Reliability, 4th edition, chapter 3; the
# scale's own numbers make them, not the ranks of the values that happened to be used.


NAMES = (
    "identity",
    "linear",
    "quadratic",
    "ordinal",
    "radical",
    "ratio",
    "circular",
    "bipolar",
)


def agreement_weights(weights: Any, numbers: np.ndarray) -> np.ndarray:
    """The q × q matrix for a name in `NAMES`, or the matrix given, checked."""
    if len(numbers) > MOST_VALUES:
        raise ValueError(
            f"{len(numbers):,} different values: weights need a scale of at most {MOST_VALUES:,}; "
            "use alpha(level='interval') or icc for continuous scores"
        )
    if is_identity(weights):
        return np.eye(len(numbers))
    if not isinstance(weights, str):
        return _checked(np.asarray(weights, dtype=float), len(numbers))
    check_name("weights", weights, NAMES)
    q = len(numbers)
    if q < 2:
        return np.eye(q)
    return _named(weights, np.asarray(numbers, dtype=float))


def is_identity(weights: Any) -> bool:
    """Whether only equal values count as agreement, so that no order is needed."""
    return weights is None or (isinstance(weights, str) and weights in ("identity", "unweighted"))


def _named(name: str, x: np.ndarray) -> np.ndarray:
    gap = np.abs(x[:, None] - x[None, :])
    total = x[:, None] + x[None, :]
    low, high = x.min(), x.max()
    width = high - low
    if name == "linear":
        return np.asarray(1 - gap / width)
    if name == "quadratic":
        return np.asarray(1 - (gap / width) ** 2)
    if name == "radical":
        return np.asarray(1 - np.sqrt(gap / width))
    if name == "ordinal":
        return _ordinal(len(x))
    if name == "ratio":
        if low < 0:
            raise ValueError("ratio weights need a scale of numbers that are not negative")
        share = np.divide(gap, total, out=np.zeros_like(gap), where=total != 0)
        return np.asarray(1 - share**2 / (width / (high + low)) ** 2)
    if name == "circular":
        turned = np.sin(np.pi * gap / (width + 1)) ** 2
        return np.asarray(1 - turned / turned.max())
    room = (total - 2 * low) * (2 * high - total)
    apart = np.divide(gap**2, room, out=np.zeros_like(gap), where=room > 0)
    return np.asarray(1 - apart)


def _ordinal(q: int) -> np.ndarray:
    # How many pairs of values lie between two values, both included.
    between = np.array(
        [[comb(abs(k - m) + 1, 2) for m in range(q)] for k in range(q)],
        dtype=float,
    )
    return np.asarray(1 - between / between.max())


def _checked(matrix: np.ndarray, q: int) -> np.ndarray:
    if matrix.shape != (q, q):
        raise ValueError(f"weights are {matrix.shape}, the scale has {q} values: give {q} × {q}")
    if not np.isfinite(matrix).all():
        raise ValueError("weights must be finite numbers")
    if not np.allclose(np.diag(matrix), 1):
        raise ValueError("weights must be 1 on the diagonal: a value agrees with itself")
    return matrix


def weights_name(weights: Any) -> str:
    """The name of the weights, "custom" for a matrix."""
    if is_identity(weights):
        return "identity"
    return weights if isinstance(weights, str) else "custom"


# Agreement beyond chance, for any number of raters and missing ratings.
#
# Observed agreement is the same in all of them; they differ in what they call chance. Formulas:
# Gwet, Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5.


class ObservedAgreement:
    """The mean over units of the share of pairs of raters that agree."""

    exchangeable = True
    link = LOGIT

    def __init__(self, weights: np.ndarray, name: str = "percent_agreement") -> None:
        self.weights, self.name = weights, name

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        agreed, paired, _ = agreement_within(codes, q, self.weights)
        return np.column_stack([paired, agreed])

    def values(self, totals: np.ndarray) -> np.ndarray:
        return divide(totals[:, 1], totals[:, 0])

    def unit_shares(self, patterns: Patterns) -> Shares:
        """What each unit adds, as Gwet linearises it, and how many units add the same."""
        agreed, paired, _ = agreement_within(patterns.codes, patterns.q, self.weights)
        return agreed * per_pairable(paired, patterns.weights), patterns.weights


class SharedChance:
    """Coefficients whose chance comes from the raters' joint use of the values.

    `chance` is "fleiss" (Scott for two raters), "gwet" (AC1, AC2) or "uniform"
    (Brennan–Prediger: every value equally likely).
    """

    exchangeable = True
    link = FISHER

    def __init__(self, weights: np.ndarray, chance: str, name: str) -> None:
        self.weights, self.chance, self.name = weights, chance, name
        if chance != "fleiss":
            # One value seen and none declared leaves nothing to be chosen by chance.
            self.single_value_reason = "scale_not_declared"

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        """Whether a unit has a pair, its agreement, whether it is rated, and its value shares."""
        agreed, paired, shares = agreement_within(codes, q, self.weights)
        return np.column_stack([paired, agreed, shares.sum(axis=1), shares])

    def values(self, totals: np.ndarray) -> np.ndarray:
        observed = divide(totals[:, 1], totals[:, 0])
        share = divide(totals[:, 3:], totals[:, 2:3])
        return beyond_chance(observed, self.expected(share))

    def expected(self, share: np.ndarray) -> np.ndarray:
        q, total = len(self.weights), self.weights.sum()
        if self.chance == "fleiss":
            return np.asarray(((share @ self.weights) * share).sum(axis=1))
        if self.chance == "gwet":
            if q < 2:
                return np.ones(len(share))
            return np.asarray(total / (q * (q - 1)) * (share * (1 - share)).sum(axis=1))
        return np.full(len(share), total / max(q, 1) ** 2)

    def unit_shares(self, patterns: Patterns) -> Shares:
        """What each unit adds, as Gwet linearises it, and how many units add the same."""
        w, weights = self.weights, patterns.weights
        agreed, paired, shares = agreement_within(patterns.codes, patterns.q, w)
        share = weights @ shares / weights.sum()
        expected = float(self.expected(share[None, :])[0])
        if self.chance == "fleiss":
            own = shares @ ((w @ share + share @ w) / 2)
        elif self.chance == "gwet":
            q = len(w)
            own = w.sum() / (q * (q - 1)) * (shares @ (1 - share))
        else:
            own = np.full(len(shares), expected)
        return linear(agreed, paired, weights, expected, own), weights


class OwnChance:
    """Conger's kappa: chance comes from each rater's own use of the values."""

    exchangeable = False
    link = FISHER
    # Its interval goes through all units once more per rater.
    most_raters = 300

    def __init__(self, weights: np.ndarray, name: str = "kappa_conger") -> None:
        self.weights, self.name = weights, name

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        agreed, paired, _ = agreement_within(codes, q, self.weights)
        return np.hstack([paired[:, None], agreed[:, None], indicators(codes, q)])

    def values(self, totals: np.ndarray) -> np.ndarray:
        q = len(self.weights)
        observed = divide(totals[:, 1], totals[:, 0])
        used = totals[:, 2:]
        used = used.reshape(len(used), used.shape[1] // q, q)
        answered = used.sum(axis=2)
        raters = (answered > 0).sum(axis=1)
        share = divide(used, answered[:, :, None], 0.0)
        joint = share.sum(axis=1)
        alone = np.einsum("bgk,kl,bgl->b", share, self.weights, share)
        together = ((joint @ self.weights) * joint).sum(axis=1)
        return beyond_chance(observed, divide(together - alone, raters * (raters - 1.0)))

    def unit_shares(self, patterns: Patterns) -> Shares:
        """What each unit adds, as Gwet linearises it, and how many units add the same."""
        # Who answered nothing has no shares.
        codes = patterns.codes[:, patterns.codes.any(axis=0)]
        q, weights = patterns.q, patterns.weights
        w, n, r = self.weights, float(weights.sum()), codes.shape[1]
        agreed, paired, _ = agreement_within(codes, q, w)
        shown = indicators(codes, q).reshape(len(codes), r, q)
        answered = np.einsum("p,pgk->g", weights, shown)
        share = np.einsum("p,pgk->gk", weights, shown) / answered[:, None]
        # A rater's shares, as this unit alone would have them, centred on the rater's own.
        given = shown.sum(axis=2)
        moved = share + (n / answered)[:, None] * (shown - given[:, :, None] * share)
        others = share.sum(axis=0) - share
        half = (w + w.T) / 2
        pairs = r * (r - 1)
        own = np.einsum("pgk,kl,gl->p", moved, half, others) / pairs
        expected = float(np.einsum("gk,kl,gl->", share, half, others)) / pairs
        return linear(agreed, paired, weights, expected, own), weights


def agreement_within(
    codes: np.ndarray, q: int, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per pattern: its agreement, whether it has a pair at all, and the shares of the values."""
    h = count_values(codes, q)
    m = h.sum(axis=1)
    pairs = m * (m - 1)
    agreed = (h * (h @ weights.T - 1)).sum(axis=1)
    paired = (m >= 2).astype(float)
    return divide(agreed, pairs, 0.0), paired, divide(h, m[:, None], 0.0)


def indicators(codes: np.ndarray, q: int) -> np.ndarray:
    """Per pattern and rater, which value was given: raters × q zeros and ones, laid flat."""
    shown = codes[:, :, None] == np.arange(1, q + 1)
    return np.asarray(shown.reshape(len(codes), codes.shape[1] * q).astype(float))


def beyond_chance(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """(observed − expected) / (1 − expected); NaN where chance alone agrees perfectly."""
    return divide(observed - expected, 1 - expected)
