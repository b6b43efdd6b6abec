"""What the interval for raters like these rests on: raters and units left out together."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from raterbook.analysis import Ratings, agreement, alpha, kappa, mean
from raterbook.analysis import averages as cells_module
from raterbook.analysis.averages import raters_left_out, ratio
from raterbook.analysis.averages.means import cells_of, mean_of
from raterbook.analysis.coefficients.alpha import alpha_statistic
from raterbook.analysis.coefficients.gwet import ObservedAgreement, SharedChance, within_weights
from raterbook.analysis.coefficients.kappa import kappa_statistic
from raterbook.analysis.intervals import raters as leaving
from raterbook.analysis.intervals.raters import leave_raters_out
from raterbook.analysis.intervals.resampling import FISHER, LOGIT, PLAIN, counted_twice

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
    coded = Ratings(rest, scale=SCALE)
    patterns = coded.patterns
    sums = statistic.sums(patterns.codes, patterns.q)
    return statistic.values((patterns.weights @ sums)[None, :])[0]


def test_a_rater_and_a_cluster_left_out_together_are_as_if_they_had_never_been_there():
    table, cluster = ratings(), np.arange(12) // 3
    coded = Ratings(table, scale=SCALE, cluster=cluster)
    for statistic in statistics(coded):
        left = leave_raters_out(statistic, coded.patterns)
        for rater in range(4):
            assert left.each[rater] == pytest.approx(by_hand(statistic, table, rater))
            for c in range(4):
                wanted = by_hand(statistic, table, rater, cluster, c)
                assert left.both[c, rater] == pytest.approx(wanted, nan_ok=True)


def test_each_kind_of_unit_stands_for_the_units_that_show_it():
    table = ratings()
    coded = Ratings(np.vstack([table, table[:3]]), scale=SCALE)
    patterns = coded.patterns
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
    left = raters_left_out(
        cells,
        np.arange(r),
        lambda part: part.per_cluster(part.numbers["x"], np.ones(len(part))),
        ratio,
    )
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    square = (residual**2).sum() / ((n - 1) * (r - 1))
    assert counted_twice(table.mean(), left, PLAIN) == pytest.approx(square / (n * r))


def test_a_mean_of_raters_like_these_reaches_as_far_as_the_two_way_table_says():
    """Units and raters each give up half of what both of them count, and keep their own t."""
    table = ratings(missing=0.0) + np.array([0.0, 0.0, 1.0, 2.0])
    n, r = table.shape
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    twice = (residual**2).sum() / ((n - 1) * (r - 1)) / (n * r)
    of_units, of_raters = table.mean(axis=1).var(ddof=1) / n, table.mean(axis=0).var(ddof=1) / r
    u, v = of_units - twice / 2, of_raters - twice / 2
    reach = (student.ppf(0.975, n - 1) * u + student.ppf(0.975, r - 1) * v) / np.sqrt(u + v)
    assert reach > student.ppf(0.975, n - 1) * np.sqrt(of_units)
    found = mean(table)
    assert (found.low_like, found.high_like) == pytest.approx(
        (table.mean() - reach, table.mean() + reach)
    )


@pytest.mark.parametrize("statistic", [alpha, kappa, mean, agreement])
@pytest.mark.parametrize("seed", range(5))
def test_raters_like_these_are_never_known_better_than_these(statistic, seed):
    found = statistic(Ratings(ratings(units=40, raters=3, seed=seed), scale=SCALE))
    slack = 1e-9
    assert found.low_like <= found.low + slack
    assert found.high <= found.high_like + slack


def test_a_rater_alone_on_some_units_does_not_break_the_second_interval():
    table = ratings(units=30, raters=3, missing=0.0)
    table[:10, 1:] = np.nan
    for found in (alpha(table), kappa(table), mean(table)):
        assert found.low_like is not None
        assert np.isfinite([found.low_like, found.high_like]).all()


def every_kind(coded):
    yield from statistics(coded)
    yield alpha_statistic("nominal", coded)
    yield alpha_statistic("ratio", coded)
    yield kappa_statistic("fleiss", "linear", coded)
    yield kappa_statistic("light", "identity", coded)
    yield SharedChance(np.eye(4), "gwet", "ac1")
    yield ObservedAgreement(within_weights(coded.numbers, 1), "percent_within_one")


def plainly(theta, left, link):
    """The noise of the raters' distances as its definition says, cell by cell."""
    both = left.both[:, np.isfinite(left.each)]
    there = np.isfinite(both).all(axis=1)
    both, weights = both[there], left.weights[there]
    n, r = weights.sum(), both.shape[1]
    if n < 2 or r < 2:
        return 0.0
    at_link, slope = link.there(both), 1.0
    if not np.isfinite(at_link).all():
        here = np.array([theta])
        slope = link.slope(here)[0] if np.isfinite(link.there(here)).all() else 1.0
        at_link = both
    apart = at_link - at_link.mean(axis=1, keepdims=True)
    apart -= weights @ apart / n
    return (n - 1) / n * (r - 1) / r * (weights @ apart**2).sum() * slope**2


TABLES = st.builds(
    ratings,
    units=st.integers(2, 10),
    raters=st.integers(3, 6),
    missing=st.sampled_from([0.0, 0.2, 0.6]),
    seed=st.integers(0, 10_000),
)


@settings(max_examples=40, deadline=None)
@given(table=TABLES, clustered=st.booleans(), in_groups=st.booleans())
def test_leaving_out_only_what_a_rater_answered_is_leaving_the_rater_out(
    table, clustered, in_groups
):
    assume(np.isfinite(table).any())
    units = np.arange(len(table))
    cluster = units // 2 if clustered else units
    coded = Ratings(table, scale=SCALE, cluster=cluster if clustered else None)
    patterns = coded.patterns
    raters = np.flatnonzero(np.isfinite(table).any(axis=0))
    for statistic in every_kind(coded):
        with pytest.MonkeyPatch.context() as patch:
            if in_groups:
                patch.setattr(leaving, "LARGE", 0)
            left = leave_raters_out(statistic, patterns)
        wanted = [by_hand(statistic, table, rater) for rater in raters]
        assert left.each == pytest.approx(wanted, abs=1e-12, nan_ok=True)
        if clustered:
            rated = np.unique(cluster[np.isfinite(table).any(axis=1)])
            for row, c in enumerate(rated):
                wanted = [by_hand(statistic, table, rater, cluster, c) for rater in raters]
                assert left.both[row] == pytest.approx(wanted, abs=1e-12, nan_ok=True)
        for link in (FISHER, LOGIT, PLAIN):
            found = counted_twice(0.3, left, link)
            assert found == pytest.approx(plainly(0.3, left, link), rel=1e-9, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(table=TABLES, clustered=st.booleans(), step=st.sampled_from([1, 5, 1 << 20]))
def test_a_mean_without_a_rater_is_the_mean_of_the_others(table, clustered, step):
    assume(np.isfinite(table).any())
    cluster = np.arange(len(table)) // 2 if clustered else np.arange(len(table))
    cells = cells_of(Ratings(table, cluster=cluster if clustered else None))
    raters = np.unique(cells.rater)
    if not len(raters):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells_module, "AT_ONCE", step)
        left = raters_left_out(
            cells,
            raters,
            lambda part: part.per_cluster(part.numbers["x"], np.ones(len(part))),
            ratio,
        )
    for place, rater in enumerate(raters):
        rest = np.delete(table, cells.raters[rater], axis=1)
        if not np.isfinite(rest).any():
            continue
        assert left.each[place] == pytest.approx(np.nanmean(rest), abs=1e-12)
        for row, c in enumerate(np.unique(cells.cluster)):
            kept = rest[cluster != c]
            wanted = np.nanmean(kept) if np.isfinite(kept).any() else np.nan
            assert left.both[row, place] == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(table=TABLES, clustered=st.booleans())
def test_a_mean_of_patterns_is_the_mean_of_the_answers_one_by_one(table, clustered):
    cluster = np.arange(len(table)) // 2 if clustered else None
    found = asdict(mean(Ratings(table, cluster=cluster)))
    wanted = asdict(mean_of(cells_of(Ratings(table, cluster=cluster))))
    for name in ("value", "low", "high", "low_like", "high_like", "se", "df"):
        assert found.pop(name) == pytest.approx(wanted.pop(name), abs=1e-9)
    assert found == wanted
