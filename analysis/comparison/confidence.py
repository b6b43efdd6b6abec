"""Is a model as often right as it says it is? Its stated confidence, against what people say.

Right is to give another person's answer, so that the best there is falls short of 1 where people
differ; people's own confidence stands beside, each against the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import ratio
from raterbook.analysis.comparison import (
    numbered_clusters,
    of_clusters,
    over_clusters,
    ratio_over_clusters,
)
from raterbook.analysis.comparison.persons import (
    Contrast,
    Persons,
    Places,
    SideSums,
    clusters_of,
    contrast,
    summed,
    together,
)
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Interval, Wish, estimated
from raterbook.analysis.intervals.resampling import LOGIT, PLAIN
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import divide, how_many

BINS = 10
LEAST_IN_A_BIN = 10  # answers
FOLDS = 5
STATED = ("brier", "overconfidence", "calibration_error")


@dataclass(frozen=True)
class Calibration:
    """How a model's stated confidence compares with how often others give its answer.

    `stated` are Brier's score, mean confidence − mean share met, and the calibration error over
    bins with as many answers each; `mended` the same of confidence after isotonic regression,
    fitted on the other folds. `by_chance` is the error that the size of the bins alone makes
    where confidence is right; `bins` has a row per bin of the model's.
    """

    stated: tuple[Contrast, ...]
    mended: tuple[Contrast, ...]
    by_chance: float | None
    bins: pd.DataFrame


def calibration(
    ratings: Any, model: Any, confidence: Any, *, interval: Wish = "jackknife"
) -> Calibration | None:
    """The rater `model`'s confidence, units × raters from 0 to 1 in the ratings' order.

    None where the model stated none beside anybody's answer.

    >>> table = [["a", "a"], ["b", "a"], ["a", "a"], ["b", "b"]] * 8
    >>> sure = [[None, 0.75]] * 32
    >>> found = calibration(table, 1, sure, interval=None)
    >>> [round(each.model.value, 4) for each in found.stated[:2]]
    [0.1875, 0.0]
    """
    coded, wish = read(ratings), Interval.of(interval)
    stated = np.array(
        [[np.nan if v is None else float(v) for v in row] for row in np.asarray(confidence)],
        dtype=float,
    ).reshape(coded.codes.shape)
    wrong = stated[np.isfinite(stated) & ((stated < 0) | (stated > 1))]
    if len(wrong):
        raise ValueError(f"a confidence of {wrong[0]:g}: give shares from 0 to 1")
    at = list(coded.raters).index(model)
    people = [j for j in range(len(coded.raters)) if j != at]
    rated = (coded.codes[:, at] > 0) & np.isfinite(stated[:, at])
    there = rated & (coded.codes[:, people] > 0).any(axis=1)
    if not there.any():
        return None
    coded, stated = coded.rows(np.flatnonzero(there)), stated[there]
    mine = _Stated(coded, at, people, stated, wish)
    after = mine.mended()
    return Calibration(
        tuple(mine.contrast(name, stated) for name in STATED),
        tuple(mine.contrast(name, after) for name in STATED),
        mine.by_chance(),
        mine.bins(),
    )


class _Stated:
    """One model's confidence beside persons'."""

    def __init__(
        self, coded: Coded, at: int, people: list[int], stated: np.ndarray, wish: Interval
    ) -> None:
        codes = coded.codes
        self.codes, self.at, self.stated, self.wish = codes, at, stated, wish
        self.people = [j for j in people if (codes[:, j] > 0).any()]
        self.names = tuple(coded.raters[j] for j in self.people)
        self.clusters = clusters_of(coded)
        self.size = how_many(self.clusters)
        self.met = self.share(at, self.people)

    def share(self, who: int, others: list[int]) -> np.ndarray:
        """Which share of the others gave this rater's answer, NaN where none of them is there."""
        given = self.codes[:, others] > 0
        same = given & (self.codes[:, others] == self.codes[:, [who]])
        return divide(same.sum(axis=1), given.sum(axis=1))

    def contrast(self, name: str, stated: np.ndarray) -> Contrast:
        """With one person the model stands against them; with more, in each one's place."""
        alone = len(self.people) < 2

        def made(kept: Places) -> tuple[SideSums, SideSums]:
            model: list[SideSums] = []
            person: list[SideSums] = []
            for j in kept:
                others = [self.people[k] for k in kept if k != j] or [self.people[j]]
                turn = self.codes[:, self.people[j]] > 0
                for found, who in ((model, self.at), (person, self.people[j])):
                    hit = self.share(who, others) if not (alone and found is person) else None
                    if hit is not None:
                        found.append(self.block(name, stated[:, who], np.where(turn, hit, np.nan)))
            return together(model, self.size), together(person, self.size)

        sizes = np.bincount(self.clusters, minlength=self.size).astype(float)
        crowd = Persons(self.names, len(self.codes), len(self.codes), sizes, 1, "no_confidence")
        link = LOGIT if name == "brier" else PLAIN
        return contrast(name, crowd, made, self.wish, link)

    def block(self, name: str, c: np.ndarray, hit: np.ndarray) -> SideSums:
        there = np.isfinite(c) & np.isfinite(hit)
        c, hit, clusters = c[there], hit[there], self.clusters[there]
        one = np.ones(len(c))
        if name == "brier":
            # The mean over the others of (c − 1[met])².
            return SideSums(summed((c**2 - 2 * c * hit + hit, one), clusters, self.size), ratio)
        if name == "overconfidence":
            return SideSums(summed((c - hit, one), clusters, self.size), ratio)
        where, many = bins_of(c)
        gaps = [np.where(where == b, c - hit, 0.0) for b in range(many)]

        def values(totals: np.ndarray) -> np.ndarray:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(np.abs(totals[:, 1:]).sum(axis=1) / totals[:, 0])

        return SideSums(summed((one, *gaps), clusters, self.size), values)

    def mended(self) -> np.ndarray:
        """Confidence by isotonic regression on the other folds of clusters: the model's column."""
        from scipy.optimize import isotonic_regression

        found = self.stated.copy()
        c, hit = self.stated[:, self.at], self.met
        # Clusters by their size and place, so that names do not matter.
        fold = self.clusters % FOLDS
        for part in np.unique(fold):
            train, test = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
            if not len(train):
                found[test, self.at] = np.nan
                continue
            values, places = np.unique(c[train], return_inverse=True)
            many = np.bincount(places).astype(float)
            means = np.bincount(places, hit[train]) / many
            fitted = np.asarray(isotonic_regression(means, weights=many).x)
            found[test, self.at] = np.clip(np.interp(c[test], values, fitted), 0.0, 1.0)
        return found

    def by_chance(self) -> float | None:
        """The mean of |gap| where every bin's true gap is zero, by its standard error."""
        c, hit = self.stated[:, self.at], self.met
        where, many = bins_of(c)
        total = 0.0
        for b in range(many):
            inside = where == b
            gap = ratio_over_clusters((c - hit)[inside], self.clusters[inside])
            if gap.clusters < 2:
                return None
            total += gap.n / len(c) * gap.se * float(np.sqrt(2 / np.pi))
        return total

    def bins(self) -> pd.DataFrame:
        """Per bin: answers, mean confidence, share met with its interval, and after mending."""
        c, hit = self.stated[:, self.at], self.met
        where, many = bins_of(c)
        rows = []
        for b in range(many):
            inside = where == b
            found = self.of_bin(hit[inside], self.clusters[inside])
            rows.append(
                {
                    "n": int(inside.sum()),
                    "confidence": float(c[inside].mean()),
                    "met": found.value,
                    "low": found.low,
                    "high": found.high,
                }
            )
        return pd.DataFrame(rows)

    def of_bin(self, hit: np.ndarray, clusters: np.ndarray) -> Estimate:
        codes = numbered_clusters(clusters)
        rows = summed((hit, np.ones(len(hit))), codes, how_many(codes))
        ends = over_clusters(ratio, of_clusters(rows, rows[:, 1]), self.wish, LOGIT)
        return estimated(float(hit.mean()), ends, self.wish, warnings=ends.warnings)


def bins_of(c: np.ndarray) -> tuple[np.ndarray, int]:
    """The bin of each confidence: as many answers in each as values that are tied allow.

    >>> bins_of(np.array([0.9, 0.5, 0.5, 0.9]))[0].tolist()
    [0, 0, 0, 0]
    """
    many = max(1, min(BINS, len(c) // LEAST_IN_A_BIN))
    _, places = np.unique(c, return_inverse=True)
    counts = np.bincount(places.ravel())
    # A value belongs where the middle of its answers stands.
    middle = np.cumsum(counts) - counts / 2
    kept, codes = np.unique((middle * many / len(c)).astype(int), return_inverse=True)
    return codes.ravel()[places.ravel()], len(kept)
