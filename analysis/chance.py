"""Agreement beyond chance, for any number of raters and missing ratings.

Observed agreement is the same in all of them; they differ in what they call chance. Formulas:
Gwet, Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5.
"""

from __future__ import annotations

import numpy as np

from analysis.links import FISHER, LOGIT
from analysis.patterns import count_values

TOLERANCE = 1e-12


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
            return ((share @ self.weights) * share).sum(axis=1)
        if self.chance == "gwet":
            if q < 2:
                return np.ones(len(share))
            return total / (q * (q - 1)) * (share * (1 - share)).sum(axis=1)
        return np.full(len(share), total / max(q, 1) ** 2)


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
        used = totals[:, 2:].reshape(len(totals), -1, q)
        answered = used.sum(axis=2)
        raters = (answered > TOLERANCE).sum(axis=1)
        share = np.divide(used, answered[:, :, None], out=np.zeros_like(used), where=used > 0)
        joint = share.sum(axis=1)
        alone = np.einsum("bgk,kl,bgl->b", share, self.weights, share)
        together = ((joint @ self.weights) * joint).sum(axis=1)
        return beyond_chance(observed, divide(together - alone, raters * (raters - 1.0)))


def agreement_within(
    codes: np.ndarray, q: int, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per pattern: its agreement, whether it has a pair at all, and the shares of the values."""
    h = count_values(codes, q)
    m = h.sum(axis=1)
    pairs = m * (m - 1)
    agreed = (h * (h @ weights.T - 1)).sum(axis=1)
    paired = (m >= 2).astype(float)
    shares = h / np.maximum(m, 1)[:, None]
    return np.where(m >= 2, agreed / np.maximum(pairs, 1), 0.0), paired, shares


def indicators(codes: np.ndarray, q: int) -> np.ndarray:
    """Per pattern and rater, which value was given: raters × q zeros and ones, laid flat."""
    shown = codes[:, :, None] == np.arange(1, q + 1)
    return shown.reshape(len(codes), codes.shape[1] * q).astype(float)


def beyond_chance(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """(observed − expected) / (1 − expected); NaN where chance alone agrees perfectly."""
    room = 1 - expected
    defined = np.abs(room) > TOLERANCE
    blank = np.full_like(observed, np.nan)
    return np.divide(observed - expected, room, out=blank, where=defined)


def divide(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """top / bottom, NaN where there is nothing to divide by."""
    blank = np.full(np.broadcast_shapes(top.shape, bottom.shape), np.nan)
    return np.divide(top, bottom, out=blank, where=bottom > TOLERANCE)
