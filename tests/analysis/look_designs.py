"""Rounds that are looked at four times where there is nothing to find: how often a look finds it.

The truth lies just at the target, or two systems are alike; whoever decides is wrong.
"""

import numpy as np
import pandas as pd
from scipy.special import ndtr

from raterbook.analysis import Interval, Ratings, difference, mean, proportion
from raterbook.analysis.comparison.annotators import Duels, tested
from raterbook.analysis.looks import Looks

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


def persons(rng, many=3):
    """A model and people at the boundary: each is nearer by ε more often, in clusters."""
    draws = rng.normal(0, 1, (60, many)).repeat(3, axis=0) * 0.7 + rng.normal(0, 1, (180, many))
    nearer = (draws > 0.28).astype(float)  # 40.9 % of the items
    epsilon = 1 - 2 * float(ndtr(0.28 / np.sqrt(1.49)))
    names = tuple(range(many))

    def decides(n, coverage):
        duels = Duels(1 - nearer[:n], nearer[:n], np.arange(n) // 3, names)

        def made(kept):
            kept = list(kept)
            table = (duels.model[:, kept], duels.person[:, kept])
            return Duels(*table, duels.cluster, tuple(names[j] for j in kept))

        wish, level = Interval("jackknife"), 1 - coverage
        found = tested(made, many, epsilon=epsilon, least=30, wish=wish, level=level)
        return found.passes

    return decides, 180


def person(rng):
    return persons(rng, 1)


DESIGNS = {"scores against a target": scores, "shares against a target": shares,
           "two systems, paired": systems, "a model in three people's place": persons,
           "a model in one person's place": person}  # fmt: skip


def false_verdicts(name, rounds, declared=True, seed=11):
    """The share of rounds in which some look decided."""
    design = DESIGNS[name]
    coverages = DECLARED[1 if design in (person, persons) else 2] if declared else AS_USUAL
    wrong = 0
    for number in range(rounds):
        decides, n = design(np.random.default_rng((seed, number)))
        looks = zip(SHARES, coverages, strict=True)
        wrong += any(decides(round(n * share), coverage) for share, coverage in looks)
    return wrong / rounds
