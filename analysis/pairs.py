"""Kappa for pairs of raters: Cohen's for one pair, Light's as the mean over all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from analysis.chance import TOLERANCE, beyond_chance, divide
from analysis.links import FISHER


class PairKappa:
    """Mean over pairs of raters of Cohen's kappa (`own=True`) or Scott's pi (`own=False`).

    Each pair uses the units that both rated. Units are drawn jointly for all pairs, because
    pairs share raters and their kappas move together.
    """

    exchangeable = False
    link = FISHER

    def __init__(self, weights: np.ndarray, name: str = "kappa_cohen", own: bool = True) -> None:
        self.weights, self.name, self.own = weights, name, own

    def sums(self, codes: np.ndarray, q: int) -> np.ndarray:
        """Per pattern and pair: the agreement weight, then the two raters' values."""
        values = np.arange(1, q + 1)
        padded = np.zeros((q + 1, q + 1))
        padded[1:, 1:] = self.weights
        columns = [np.zeros((len(codes), 0))]
        for i, j in combinations(range(codes.shape[1]), 2):
            both = (codes[:, i] > 0) & (codes[:, j] > 0)
            columns.append(padded[codes[:, i], codes[:, j]][:, None])
            columns.append((both[:, None] & (codes[:, [i]] == values)).astype(float))
            columns.append((both[:, None] & (codes[:, [j]] == values)).astype(float))
        return np.hstack(columns)

    def total(self, codes: np.ndarray, weights: np.ndarray, q: int) -> np.ndarray:
        """`sums` over all patterns at once, by products of rater × rater tables.

        Two hundred raters are 19,900 pairs, of which most never met.
        """
        there = (codes > 0).astype(float)
        each = [(codes == value).astype(float) for value in range(1, q + 1)]
        weighted = [chosen * weights[:, None] for chosen in each]
        near = [
            sum(w * chosen for w, chosen in zip(row, each, strict=True)) for row in self.weights
        ]
        agreed = sum(own.T @ other for own, other in zip(weighted, near, strict=True))
        met = [own.T @ there for own in weighted]
        i, j = np.triu_indices(codes.shape[1], 1)
        columns = [np.asarray(agreed)[i, j], *(table[i, j] for table in met)]
        return np.stack([*columns, *(table[j, i] for table in met)], axis=1).ravel()

    def values(self, totals: np.ndarray) -> np.ndarray:
        found = self.each_pair(totals)
        exists = np.isfinite(found)
        return divide(np.where(exists, found, 0.0).sum(axis=1), exists.sum(axis=1).astype(float))

    def without_raters(self, totals: np.ndarray, raters: np.ndarray) -> np.ndarray:
        """The mean over the pairs that are left when a rater leaves, one column per rater."""
        found = self.each_pair(totals)
        exists = np.isfinite(found)
        found = np.where(exists, found, 0.0)
        width = round((1 + (1 + 8 * found.shape[1]) ** 0.5) / 2)
        taken = np.zeros((found.shape[1], width))
        for of_pair in np.triu_indices(width, 1):
            taken[np.arange(len(taken)), of_pair] = 1.0
        taken = taken[:, raters]
        sums = found.sum(axis=1, keepdims=True) - found @ taken
        left = exists.sum(axis=1, keepdims=True) - exists @ taken
        return divide(sums, np.rint(left))

    def each_pair(self, totals: np.ndarray) -> np.ndarray:
        """Kappa of each pair (columns), NaN where a pair never met or never varied."""
        q = len(self.weights)
        cells = totals.reshape(len(totals), -1, 1 + 2 * q)
        agreed, first, second = cells[:, :, 0], cells[:, :, 1 : q + 1], cells[:, :, q + 1 :]
        n = first.sum(axis=2)
        if not self.own:
            first = second = (first + second) / 2
        expected = np.einsum("bpk,kl,bpl->bp", first, self.weights, second)
        met = n > TOLERANCE
        square = np.where(met, n, 1.0) ** 2
        kappa = beyond_chance(agreed / np.sqrt(square), expected / square)
        return np.where(met, kappa, np.nan)
