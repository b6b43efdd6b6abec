"""Rounds that are looked at four times where there is nothing to find: how often a look finds it.

The truth lies just at the target, or two systems are alike; whoever decides is wrong.
"""

from functools import cache

import numpy as np
import pandas as pd
from scipy.special import ndtr

from raterbook.analysis import Interval, Ratings, alpha, difference, kappa, mean, proportion
from raterbook.analysis.comparison.annotators import Duels, tested
from raterbook.analysis.looks import Looks
from tests.analysis.model_designs import EPSILON, boundary_duels

SHARES = (0.25, 0.5, 0.75, 1.0)
DECLARED = {
    sides: tuple(1 - level for level in Looks(SHARES, sides=sides).levels) for sides in (1, 2)
}
AS_USUAL = (0.95,) * 4  # looked at four times as if it were once


def scores(rng):
    """160 items of 40 sources, three raters; the mean is 3 and so is the target."""
    source = np.repeat(rng.normal(0, 0.6, 40), 4)
    item = source + rng.normal(0, 0.6, 160)
    said = np.clip(np.rint(3 + item[:, None] + rng.normal(0, 0.7, (160, 3))), 1, 5)

    def decides(n, coverage):
        units, raters = np.indices((n, 3)).reshape(2, -1)
        rows = pd.DataFrame({"unit": units, "rater": raters, "value": said[:n].ravel()})
        data = Ratings(rows.assign(source=units // 4), cluster="source")
        found = mean(data, interval=Interval("jackknife", coverage))
        return found.low > 3 or found.high < 3

    return decides, 160


def shares(rng):
    """400 labels, of which 70 % are right; the target is .7."""
    said = (rng.random(400) < 0.7).astype(int)

    def decides(n, coverage):
        found = proportion(int(said[:n].sum()), n, interval=Interval(coverage=coverage))
        return found.low > 0.7 or found.high < 0.7

    return decides, 400


def systems(rng):
    """Two systems that are alike, on 120 cases."""
    case = rng.normal(0, 1, 120)
    sides = np.rint(3 + case[:, None] + rng.normal(0, 0.8, (120, 2)))

    def decides(n, coverage):
        found = difference(*sides[:n].T, interval=Interval("jackknife", coverage))
        return found.low > 0 or found.high < 0

    return decides, 120


def persons(rng, many=3, clusters=60, size=3):
    """A model and people at the boundary: each is nearer by ε more often, in clusters."""
    n = clusters * size
    draws = rng.normal(0, 1, (clusters, many)).repeat(size, axis=0) * 0.7
    draws += rng.normal(0, 1, (n, many))
    nearer = (draws > 0.28).astype(float)  # 40.9 % of the items
    epsilon = 1 - 2 * float(ndtr(0.28 / np.sqrt(1.49)))
    duels = Duels(1 - nearer, nearer, np.arange(n) // size, tuple(range(many)))
    return passing(duels, epsilon), n


def passing(every, epsilon):
    """Whether the model passes on the first so many items."""

    def decides(n, coverage):
        def made(kept):
            kept = list(kept)
            table = (every.model[:n, kept], every.person[:n, kept])
            return Duels(*table, every.cluster[:n], tuple(every.persons[j] for j in kept))

        wish, level = Interval("jackknife"), 1 - coverage
        how = {"epsilon": epsilon, "least": 30, "wish": wish, "level": level}
        return tested(made, len(every.persons), **how).passes

    return decides


def person(rng):
    return persons(rng, 1)


def person_of_few(rng):
    """32 clusters, of which the first look has eight."""
    return persons(rng, 1, 32, 6)


def person_tied(rng):
    """Most items are ties, and clusters go one way: few of them tell anything."""
    return passing(boundary_duels(rng, 40, 6, 3, 1, ties=0.8), EPSILON), 240


def levels(rng, n):
    """Three raters' scores of items in clusters of two: a true one, and errors of their own."""
    true = rng.normal(0, 0.5, n // 2).repeat(2) + rng.normal(0, 0.7, n)
    return np.clip(np.rint(3 + true[:, None] + rng.normal(0, 0.8, (n, 3))), 1, 5)


def labels(rng, n):
    """Two raters who each mistake 12 % of labels, of which a quarter are the rare one."""
    rare = rng.random((n, 1)) < 0.25
    return (rare ^ (rng.random((n, 2)) < 0.12)).astype(float)


@cache
def truth(of):
    """The coefficient of very many items."""
    table = of[0](np.random.default_rng(3), 400_000)
    return of[1](table, None).value


def coefficient(rng, of, n):
    """A coefficient against a target that is the truth."""
    table = of[0](rng, n)

    def decides(n, coverage):
        found = of[1](table[:n], Interval("jackknife", coverage))
        return found.low is not None and (found.low > truth(of) or found.high < truth(of))

    return decides, n


def of_pairs(table, interval):
    """Ordinal α, two items being a cluster."""
    units, raters = np.indices(table.shape).reshape(2, -1)
    rows = pd.DataFrame({"unit": units, "rater": raters, "value": table.ravel()})
    rows["pair"] = units // 2
    return alpha(Ratings(rows, scale=[1, 2, 3, 4, 5], cluster="pair"), "ordinal", interval=interval)


def of_two(table, interval):
    """Cohen's κ."""
    return kappa(table, "cohen", scale=[0, 1], interval=interval)


ALPHA, KAPPA = (levels, of_pairs), (labels, of_two)


def alphas(rng):
    return coefficient(rng, ALPHA, 160)


def kappas(rng):
    return coefficient(rng, KAPPA, 240)


DESIGNS = {"scores against a target": scores, "shares against a target": shares,
           "two systems, paired": systems, "ordinal α against a target": alphas,
           "Cohen’s κ against a target": kappas, "a model in three people's place": persons,
           "a model in one person's place": person,
           "… in 32 clusters of six": person_of_few,
           "… where most items are ties": person_tied}  # fmt: skip
ONE_SIDED = (persons, person, person_of_few, person_tied)


def false_verdicts(name, rounds, declared=True, seed=11):
    """The share of rounds in which some look decided."""
    design = DESIGNS[name]
    coverages = DECLARED[1 if design in ONE_SIDED else 2] if declared else AS_USUAL
    wrong = 0
    for number in range(rounds):
        decides, n = design(np.random.default_rng((seed, number)))
        looks = zip(SHARES, coverages, strict=True)
        wrong += any(decides(round(n * share), coverage) for share, coverage in looks)
    return wrong / rounds
