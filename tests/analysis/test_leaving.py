"""What the interval for raters like these rests on: raters and units left out together."""

import numpy as np
import pytest

from analysis import alpha, kappa, mean, percent_agreement
from analysis.alpha import alpha_statistic
from analysis.cells import _leave_raters_out, ratio
from analysis.jackknife import counted_twice
from analysis.kappa import kappa_statistic
from analysis.leaving import leave_raters_out
from analysis.links import PLAIN
from analysis.means import cells_of
from analysis.patterns import find_patterns
from analysis.ratings import read

SCALE = [1, 2, 3, 4]


def ratings(units=12, raters=4, missing=0.2, seed=5):
    rng = np.random.default_rng(seed)
    level = rng.integers(1, 5, (units, 1))
    table = np.clip(level + rng.integers(-1, 2, (units, raters)), 1, 4).astype(float)
    table[rng.random(table.shape) < missing] = np.nan
    return table


def statistics(coded):
    yield alpha_statistic("ordinal", coded)
    yield alpha_statistic("interval", coded)
    yield kappa_statistic("light", "quadratic", coded)
    yield kappa_statistic("conger", "identity", coded)


def by_hand(statistic, table, rater, cluster=None, left_out=None):
    rest = np.delete(table, rater, axis=1)
    if left_out is not None:
        rest = rest[cluster != left_out]
    coded = read(rest, scale=SCALE)
    patterns = find_patterns(coded)
    sums = statistic.sums(patterns.codes, patterns.q)
    return statistic.values((patterns.weights @ sums)[None, :])[0]


def test_a_rater_and_a_cluster_left_out_together_are_as_if_they_had_never_been_there():
    table, cluster = ratings(), np.arange(12) // 3
    coded = read(table, scale=SCALE, cluster=cluster)
    for statistic in statistics(coded):
        left = leave_raters_out(statistic, find_patterns(coded))
        for rater in range(4):
            assert left.each[rater] == pytest.approx(by_hand(statistic, table, rater))
            for c in range(4):
                wanted = by_hand(statistic, table, rater, cluster, c)
                assert left.both[c, rater] == pytest.approx(wanted, nan_ok=True)


def test_each_kind_of_unit_stands_for_the_units_that_show_it():
    table = ratings()
    coded = read(np.vstack([table, table[:3]]), scale=SCALE)
    patterns = find_patterns(coded)
    for statistic in statistics(coded):
        left = leave_raters_out(statistic, patterns)
        assert left.weights.sum() == 15
        assert left.both.shape == (len(patterns.codes), 4)
        row = int(np.flatnonzero((patterns.codes == coded.codes[0]).all(axis=1))[0])
        rest = np.vstack([table[1:], table[:3]])
        assert left.both[row] == pytest.approx([by_hand(statistic, rest, j) for j in range(4)])


def test_what_a_mean_counts_twice_is_the_residual_mean_square():
    table = ratings(missing=0.0)
    n, r = table.shape
    cells = cells_of(table)
    left = _leave_raters_out(
        cells,
        np.arange(r),
        lambda part: part.per_cluster(part.numbers["x"], np.ones(len(part))),
        ratio,
    )
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    square = (residual**2).sum() / ((n - 1) * (r - 1))
    assert counted_twice(table.mean(), left, PLAIN) == pytest.approx(square / (n * r))


@pytest.mark.parametrize("statistic", [alpha, kappa, mean, percent_agreement])
@pytest.mark.parametrize("seed", range(5))
def test_raters_like_these_are_never_known_better_than_these(statistic, seed):
    found = statistic(ratings(units=40, raters=3, seed=seed), scale=SCALE)
    slack = 1e-9
    assert found.low_like <= found.low + slack
    assert found.high <= found.high_like + slack


def test_a_rater_alone_on_some_units_does_not_break_the_second_interval():
    table = ratings(units=30, raters=3, missing=0.0)
    table[:10, 1:] = np.nan
    for found in (alpha(table), kappa(table), mean(table)):
        assert found.low_like is not None
        assert np.isfinite([found.low_like, found.high_like]).all()
