"""Many raters, of whom few meet on any unit."""

from itertools import combinations

import numpy as np
import pytest

from raterbook.analysis import Ratings, kappa
from raterbook.analysis.coefficients import GROUPS, in_groups


def crowd(units=40, raters=20, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 5, (units, raters)).astype(float)
    table[rng.random(table.shape) < 0.6] = np.nan
    return table


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_kappa_of_a_crowd_is_the_mean_over_the_pairs_that_have_one(weights):
    table = crowd()
    given = {"weights": weights, "scale": [1, 2, 3, 4], "interval": None}
    found = [kappa(table[:, [i, j]], "cohen", **given) for i, j in combinations(range(20), 2)]
    wanted = np.mean([each.value for each in found if each.value is not None])
    assert kappa(table, "light", **given).value == pytest.approx(wanted, abs=1e-12)


def test_pairs_that_never_met_are_warned_of():
    table = crowd(units=10)
    table[:, :2] = np.nan
    table[0, 0], table[1, 1] = 1, 1
    assert "undefined_pairs" in kappa(table, "light", interval=None).warnings


def taking_turns(units, raters, each, seed=1):
    """Labels that are right in three of four, else drawn anew; so many of the raters a unit."""
    rng = np.random.default_rng(seed)
    shares, table = [0.5, 0.3, 0.2], np.full((units, raters), np.nan)
    true = 1 + rng.choice(3, units, p=shares)
    for unit in range(units):
        who = rng.choice(raters, each, replace=False)
        other = 1 + rng.choice(3, each, p=shares)
        table[unit, who] = np.where(rng.random(each) < 0.75, true[unit], other)
    return table


def test_the_mean_kappa_of_raters_who_take_turns_has_no_interval():
    """κ is .5625 of any two. Pairs that share three units have .46 on average, and the interval of
    so many pairs is narrow there: it held the true value in a third of 200 rounds."""
    thin = kappa(taking_turns(200, 20, 3), scale=[1, 2, 3])
    assert (thin.low, thin.low_like, thin.reason) == (None, None, "pairs_share_too_little")
    assert thin.value < 0.52
    for method in ("bootstrap", "bca"):
        assert kappa(taking_turns(200, 20, 3), scale=[1, 2, 3], interval=method).low is None
    often = kappa(taking_turns(200, 8, 3), scale=[1, 2, 3])
    assert often.low < 0.5625 < often.high
    few_units = kappa(taking_turns(9, 3, 3), scale=[1, 2, 3])
    assert few_units.low is not None  # they share all there are


def test_in_groups_every_unit_stands_once_and_groups_are_of_one_size():
    table = np.random.default_rng(3).integers(1, 4, (1003, 3))
    patterns = Ratings(table).patterns
    group, which, counts = in_groups(patterns)
    assert np.bincount(which, counts).tolist() == patterns.weights.tolist()
    sizes = np.bincount(group, counts, GROUPS)
    assert (sizes.sum(), np.ptp(sizes) <= 1) == (1003, True)
