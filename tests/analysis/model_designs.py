"""Rounds whose truth is known, where a model answers beside people: errors and coverage."""

from dataclasses import dataclass

import numpy as np

from raterbook.analysis.comparison.annotators import Duels, tested
from raterbook.analysis.comparison.corrected import ppi_mean
from raterbook.analysis.intervals import Interval

EPSILON = 0.15
NO_INTERVAL = Interval(None)
BETTER = 0.25  # how much the first of two systems is


@dataclass(frozen=True)
class Errors:
    """Shares of rounds: a person's rejection and the verdict, over clusters and plain."""

    person: float
    person_plain: float
    verdict: float
    verdict_plain: float
    anew: float


def boundary_duels(rng, clusters, size, effect, persons=3, apart=0.0, ties=0.5):
    """Duels whose person is nearer by just ε, in clusters that share as much as `effect` says.

    Persons differ by `apart` in how much nearer they are; in all, it is ε.
    """
    alike = (effect - 1) / (size - 1) if size > 1 else 0.0
    cluster = np.repeat(np.arange(clusters), size)
    n = len(cluster)
    # What is no tie goes to the person oftener, by ε in all.
    nearer = EPSILON + np.clip(rng.normal(0, apart, persons), -0.3, 0.3)

    def draw(many):
        place = rng.random((many, persons))
        most, least = 1 - (1 - ties + nearer) / 2, (1 - ties - nearer) / 2
        return (place > most).astype(float) - (place < least)

    own, shared = draw(n), draw(clusters)[cluster]
    d = np.where(rng.random((n, persons)) < np.sqrt(alike), shared, own)
    return Duels((d <= 0).astype(float), (d >= 0).astype(float), cluster, tuple(range(persons)))


def false_passes(clusters, size, effect, rounds, seed=1, persons=3, apart=0.0):
    """How often a model at the boundary passes."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(rounds):
        every = boundary_duels(rng, clusters, size, effect, persons, apart)
        test = tested(
            lambda kept, every=every: Duels(
                every.model[:, kept],
                every.person[:, kept],
                every.cluster,
                tuple(every.persons[j] for j in kept),
            ),
            persons,
            epsilon=EPSILON,
            least=30,
            wish=NO_INTERVAL,
        )
        found.append(
            (
                np.mean([each.p <= 0.05 for each in test.persons]),
                np.mean([each.p_plain <= 0.05 for each in test.persons]),
                bool(test.passes),
                bool(test.passes_plain),
                bool(test.passes_anew),
            )
        )
    return Errors(*np.mean(found, axis=0).tolist())


@dataclass(frozen=True)
class Held:
    """How often the intervals of people, of the model and of both held the truth; and widths."""

    people: float
    model: float
    corrected: float
    narrower: float  # the corrected interval's width as a share of the people's


def corrected_coverage(labelled, pool, size, rounds, kind="scores", seed=2):
    """A model that scores .4 too high, over clusters of `size` items that are drawn whole.

    Of `shares`, values are 0 and 1; of `skewed` scores, items come to people with unequal chances;
    of `pairs`, each case is one system's score less another's, and the model likes the first.
    """
    shares, skewed = kind == "shares", kind == "skewed"
    rng, found = np.random.default_rng(seed), []
    for _ in range(rounds):
        groups = pool // size
        cluster = np.repeat(np.arange(groups), size)
        true = rng.normal(size=groups)[cluster] * (size > 1) + rng.normal(size=pool)
        if kind == "pairs":  # what the two have in common goes; what clusters like stays
            true = BETTER + 0.5 * true
        own = true + rng.normal(scale=0.4, size=pool)
        said = true + 0.4 + rng.normal(scale=0.7, size=pool)
        if shares:
            own, said = (own > 0.3).astype(float), (said > 0.3).astype(float)
        chance = np.full(groups, labelled / pool)
        if skewed:
            of_group = np.bincount(cluster, said) / size
            chance = chance * np.where(of_group > np.median(of_group), 1.5, 0.5)
        given = (rng.random(groups) < chance)[cluster]
        if not skewed:
            given = np.isin(cluster, rng.choice(groups, labelled // size, replace=False))
        e = ppi_mean(
            np.where(given, own, np.nan),
            said,
            cluster=cluster,
            inclusion=chance[cluster] if skewed else None,
        )
        truth = BETTER if kind == "pairs" else truth_of(shares, size)
        people, model = e.beside["people"], e.beside["model"]
        held = [part.low <= truth <= part.high for part in (people, model, e)]
        found.append((*held, (e.high - e.low) / (people.high - people.low)))
    return Held(*np.mean(found, axis=0).tolist())


def truth_of(shares, size):
    """Of normal values zero; of shares that above .3, clusters adding as much as items do."""
    from scipy.stats import norm

    spread = 1.16 + (size > 1)
    return float(norm.sf(0.3 / np.sqrt(spread))) if shares else 0.0
