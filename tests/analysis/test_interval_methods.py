"""Intervals against the long way round: leaving out and drawing units one by one."""

import numpy as np
import pytest
from scipy.stats import norm

from raterbook.analysis import (
    Interval,
    Ratings,
    alpha,
    difference,
    gwet,
    icc,
    kappa,
    mean,
    proportion,
    severity,
    weighted_mean,
)
from raterbook.analysis.averages import Entries
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.averages.proportions import proportion_of
from raterbook.analysis.averages.weighted import confident_cells, weighted_mean_within_of
from raterbook.analysis.coefficients import rows_to_resample
from raterbook.analysis.coefficients.icc import variance_components
from raterbook.analysis.coefficients.tables import coefficients, statistic_named
from raterbook.analysis.intervals import t_of
from raterbook.analysis.intervals.resampling import bca, draw, percentile
from raterbook.analysis.older import alpha_by_category, kappa_by_category

SCALE = [1, 2, 3, 4, 5]


def rated(units=60, raters=4, seed=0, missing=0.2):
    rng = np.random.default_rng(seed)
    table = rng.choice(SCALE, size=(units, 1), p=[0.1, 0.2, 0.3, 0.2, 0.2]) + rng.integers(
        -1, 2, (units, raters)
    )
    table = np.clip(table, 1, 5).astype(float)
    table[rng.random(table.shape) < missing] = np.nan
    return table


NAMES = (
    *("alpha_nominal", "alpha_ordinal", "alpha_interval", "kappa_fleiss", "ac1", "ac2"),
    *("kappa_raters", "kappa_weighted_quadratic", "percent_agreement", "icc_2_1"),
)


@pytest.mark.parametrize("name", NAMES)
def test_the_jackknife_equals_leaving_out_each_unit(name):
    table = rated()
    found = coefficients(table, [name], scale=SCALE)[name]
    without = [
        coefficients(np.delete(table, i, axis=0), [name], scale=SCALE, interval=None)[name].value
        for i in range(len(table))
        if np.isfinite(table[i]).any()
    ]
    n = len(without)
    se = np.sqrt((n - 1) / n * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert found.se == pytest.approx(se, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_jackknife_over_clusters_equals_leaving_out_each_cluster(name):
    table = rated(missing=0)
    cluster = np.arange(len(table)) // 4
    found = coefficients(Ratings(table, scale=SCALE, cluster=cluster), [name])[name]
    without = [
        coefficients(table[cluster != g], [name], scale=SCALE, interval=None)[name].value
        for g in np.unique(cluster)
    ]
    n = len(without)
    se = np.sqrt((n - 1) / n * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert found.se == pytest.approx(se, rel=1e-9)
    assert f"{n} clusters" in found.method


@pytest.mark.parametrize("name", NAMES)
def test_drawing_patterns_equals_drawing_units_on_the_same_draws(name):
    table = rated()
    coded = Ratings(table, scale=SCALE)
    patterns = coded.patterns
    statistic = statistic_named(name, coded)
    rows, weights = rows_to_resample(statistic, patterns)
    given = np.flatnonzero(np.isfinite(table).any(axis=1))
    kinds = {tuple(codes): k for k, codes in enumerate(patterns.codes)}
    rng = np.random.default_rng(7)
    for _ in range(20):
        drawn = rng.choice(given, len(given))
        counts = np.bincount(
            [kinds[tuple(coded.codes[i])] for i in drawn], minlength=len(patterns.codes)
        )
        ours = statistic.values((counts @ rows)[None, :])[0]
        slow = coefficients(table[drawn], [name], scale=SCALE, interval=None)[name].value
        assert ours == pytest.approx(slow, abs=1e-12)
    assert weights.sum() == len(given)


@pytest.mark.parametrize("by_category", [alpha_by_category, kappa_by_category])
def test_each_value_alone_is_resampled_by_the_declared_clusters(by_category):
    table = rated(missing=0)
    found = by_category(Ratings(table, scale=SCALE, cluster=np.arange(len(table)) // 4))
    assert all("over 15 clusters" in estimate.method for estimate in found.values())


def test_fishers_z_and_t_make_the_interval():
    table = rated()
    found = alpha(table, "ordinal", scale=SCALE)
    middle = (np.arctanh(found.low) + np.arctanh(found.high)) / 2
    assert middle == pytest.approx(np.arctanh(found.value))
    wider = alpha(table, "ordinal", scale=SCALE, interval=Interval(coverage=0.99))
    assert wider.low < found.low < found.high < wider.high


def test_raters_like_these_need_three_raters_and_are_wider():
    three = alpha(rated(raters=3, missing=0), "ordinal", scale=SCALE)
    assert three.low_like < three.low < three.high < three.high_like
    two = alpha(rated(raters=2), "ordinal", scale=SCALE)
    assert two.low is not None
    assert two.low_like is None


def test_the_bootstraps_are_seeded_and_near_the_jackknife():
    table = rated(units=400)
    jack = alpha(table, "ordinal", scale=SCALE)
    for method in ("bootstrap", "bca"):
        first = alpha(table, "ordinal", scale=SCALE, interval=Interval(method, seed=1))
        again = alpha(table, "ordinal", scale=SCALE, interval=Interval(method, seed=1))
        other = alpha(table, "ordinal", scale=SCALE, interval=Interval(method, seed=2))
        assert (first.low, first.high) == (again.low, again.high)
        assert first.low != other.low
        assert first.low == pytest.approx(jack.low, abs=0.02)
        assert first.high == pytest.approx(jack.high, abs=0.02)
        assert first.seed == 1


def test_bca_moves_the_ends_by_bias_and_skew_as_efron_has_it():
    drawn, without = np.linspace(-1.0, 2.0, 3001), np.array([0.1, 0.1, 0.2, -0.4])
    bias = norm.ppf((drawn < 0).mean() + (drawn == 0).mean() / 2)
    gaps = without.mean() - without
    skew = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)
    at = bias + norm.ppf([0.05, 0.95])
    ends = np.quantile(drawn, norm.cdf(bias + at / (1 - skew * at)))
    assert bca(drawn, 0.0, without, np.ones(4), 0.9) == pytest.approx(tuple(ends))


def test_bca_equals_scipys_on_a_mean():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(3)
    x = rng.exponential(size=80)
    theirs = bootstrap((x,), np.mean, n_resamples=20_000, method="BCa", random_state=rng)
    ours = mean(list(x), interval=Interval("bca", draws=20_000))
    width = ours.high - ours.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)


def test_draws_that_are_the_estimate_itself_lie_half_below_and_half_above_it():
    """As many draws below as above, and none of the units skew: nothing is to be moved."""
    aside = np.linspace(0.01, 1, 250)
    drawn = np.concatenate([-aside, np.zeros(500), aside])
    found = bca(drawn, 0.0, np.array([-1.0, 1.0]), np.array([5, 5]), 0.8)
    assert found == pytest.approx(percentile(drawn, 0.8))


def test_the_percentile_bootstrap_of_patterns_is_multinomial():
    rows, weights = np.eye(3), np.array([5, 3, 2])
    drawn = draw(lambda totals: totals[:, 0] / totals.sum(axis=1), rows, weights, 4000, 0)
    assert drawn.mean() == pytest.approx(0.5, abs=0.01)
    assert drawn.std() == pytest.approx(np.sqrt(0.25 / 10), rel=0.05)


def test_a_mean_of_independent_values_has_students_interval():
    x = [3.0, 4, 2, 5, 3, 4, 1, 4]
    found = mean(x)
    # Mean 3.25, sd 1.2817, t(7) 2.3646: 3.25 ± 1.0715.
    assert found.se == pytest.approx(np.std(x, ddof=1) / np.sqrt(8))
    assert (found.low, found.high) == pytest.approx((2.1785, 4.3215), abs=5e-4)
    assert "few_clusters" in found.warnings


def proportions_in(clusters, hits):
    clusters, hits = np.array(clusters), np.array(hits, dtype=float)
    n = len(hits)
    cells = Entries(np.arange(n), np.zeros(n, int), clusters, {"hit": hits, "of": np.ones(n)})
    return proportion_of("share", cells)


def test_a_proportion_over_clusters_uses_the_linearised_variance_on_the_logit():
    clusters = np.repeat(np.arange(12), 3)
    hits = (np.arange(36) % 5 != 0).astype(float)
    found = proportions_in(clusters, hits)
    p, sums = hits.mean(), np.bincount(clusters, hits)
    variance = 12 / 11 * np.sum((sums - 3 * p) ** 2) / 36**2
    reach = 2.200985 * np.sqrt(variance) / (p * (1 - p))  # t(11)
    expected = [1 / (1 + np.exp(-(np.log(p / (1 - p)) + sign * reach))) for sign in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-5)
    assert "linearised over 12 clusters" in found.method


def test_a_proportion_of_independent_answers_is_wilsons():
    found = proportions_in(range(148), [1] * 15 + [0] * 133)
    # Newcombe (1998): 15 of 148.
    assert (found.low, found.high) == pytest.approx((0.0624, 0.1605), abs=5e-5)


def test_a_proportion_at_the_edge_is_wilsons_on_the_number_of_clusters():
    found = proportions_in(np.repeat(np.arange(20), 4), [0] * 80)
    # Newcombe (1998): 0 of 20.
    assert (found.low, found.high) == pytest.approx((0, 0.1611), abs=5e-5)


def test_a_proportion_takes_ratings_and_what_counts():
    found = proportion([["a", "b"], ["a", "a"], ["c", "b"], ["a", "c"]], ["a"], of=["a", "b"])
    assert found.value == pytest.approx(4 / 6)
    assert found.n_ratings == 6


def test_gwets_standard_error_counts_units_rated_once_and_is_wider():
    table = [[1, 1], [2, 2]] * 15 + [[1, 2]] * 3 + [[1, None], [2, None]] * 15
    assert gwet(table, interval="analytic", scale=[1, 2]).se > gwet(table, scale=[1, 2]).se


def test_a_mean_kappa_draws_units_jointly_for_all_pairs():
    rng = np.random.default_rng(5)
    table = rated(units=200, raters=3, missing=0)
    joint = kappa(table, "light", scale=SCALE).se
    pairs = [(0, 1), (0, 2), (1, 2)]
    apart = [kappa(table[:, list(p)], "cohen", scale=SCALE).se for p in pairs]
    drawn = []
    for _ in range(400):
        again = table[rng.integers(0, 200, 200)]
        drawn.append(kappa(again, "light", scale=SCALE, interval=None).value)
    assert joint == pytest.approx(np.std(drawn), rel=0.12)
    assert joint > 1.05 * np.sqrt(np.sum(np.square(apart))) / 3


def test_degrees_of_freedom_are_said_where_they_are_fewer_than_of_all_units():
    assert t_of(9.0, 10) == "t"
    assert t_of(8.5, 10) == "t with 8.5 degrees of freedom"


def components(units, raters, seed, missing):
    """Ratings whose true ICC(2,1) is 1 / (1 + .25 + .5)."""
    rng = np.random.default_rng(seed)
    table = rng.normal(0, 1, (units, 1)) + rng.normal(0, 0.5, raters)
    table = table + rng.normal(0, 0.5**0.5, (units, raters))
    table[rng.random(table.shape) < missing] = np.nan
    return table


@pytest.mark.parametrize("form", ["ICC2", "ICC3"])
def test_an_unbalanced_icc_is_right_on_average(form):
    found = [icc(components(40, 12, seed, 0.3), form, interval=None).value for seed in range(150)]
    truth = {"ICC2": 1 / 1.75, "ICC3": 1 / 1.5}[form]
    assert np.mean(found) == pytest.approx(truth, abs=0.02)


def test_variance_components_are_right_on_average_with_gaps():
    found = [variance_components(components(40, 12, seed, 0.3)) for seed in range(150)]
    middle = {name: np.mean([each[name] for each in found]) for name in found[0]}
    assert middle == pytest.approx({"unit": 1, "rater": 0.25, "residual": 0.5}, abs=0.06)
    assert variance_components([[None, None]])["unit"] is None


def test_an_unbalanced_icc_of_one_gap_is_near_the_complete_one():
    table = components(60, 4, 1, 0)
    whole = icc(table)
    table[3, 2] = np.nan
    gap = icc(table)
    assert gap.value == pytest.approx(whole.value, abs=0.02)
    assert "F distribution" in whole.method
    assert "jackknife" in gap.method


def test_a_weighted_mean_with_raters_like_these_is_wider():
    import pandas as pd

    table = rated(missing=0)
    long = pd.DataFrame(
        [(i, j, v, 50 + 10 * v) for i, row in enumerate(table) for j, v in enumerate(row)],
        columns=["unit", "rater", "value", "confidence"],
    )
    found = weighted_mean(long)
    assert found.low_like < found.low < found.value < found.high < found.high_like


def test_a_column_without_answers_leaves_congers_published_interval_as_it_is():
    table = rated(units=30, raters=3)
    more = np.insert(table, 1, np.nan, axis=1)
    asked = {"weights": "quadratic", "scale": SCALE, "interval": "analytic"}
    one, other = kappa(table, "conger", **asked), kappa(more, "conger", **asked)
    assert (one.low, one.high, one.se) == pytest.approx((other.low, other.high, other.se))


@pytest.mark.parametrize("method", ["jackknife", "bootstrap", "bca"])
@pytest.mark.parametrize("statistic", [mean, median, sd])
def test_units_that_are_all_alike_give_no_interval_and_say_why(statistic, method):
    """An interval of no width would claim certainty where nothing is known of the spread."""
    found = statistic([[5, 5]] * 12, interval=Interval(method, draws=100))
    assert found.value in (0, 5)
    assert (found.low, found.high, found.low_like) == (None, None, None)
    assert found.reason == "no_spread_for_interval"
    some = statistic([[5, 5]] * 10 + [[4, 4]] * 2, interval=Interval(method, draws=100))
    assert some.reason is None


def pairs_that_never_met(seed, pairs=8, units=20):
    """Each pair of raters has units of its own; true variances 1, .25 and .25."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 1, (pairs * units, 1)) + rng.normal(0, 0.5, 2 * pairs)
    table = level + rng.normal(0, 0.5, level.shape)
    own = np.arange(2 * pairs) // 2 == np.arange(len(table))[:, None] // units
    return np.where(own, table, np.nan)


def by_projection(table):
    """Henderson's method 3 as it is written: least squares with and without each effect."""
    unit, rater = np.nonzero(np.isfinite(table))
    y = table[unit, rater]
    units = (unit[:, None] == np.unique(unit)).astype(float)
    raters = (rater[:, None] == np.unique(rater)).astype(float)

    def onto(*columns):
        design = np.hstack(columns)
        return design @ np.linalg.pinv(design), np.linalg.matrix_rank(design)

    (whole, rank), (of_units, n_units), (of_raters, n_raters) = (
        onto(units, raters),
        onto(units),
        onto(raters),
    )
    error = y @ (y - whole @ y) / (len(y) - rank)
    free = np.eye(len(y))
    between = y @ (whole - of_raters) @ y - (rank - n_raters) * error
    apart = y @ (whole - of_units) @ y - (rank - n_units) * error
    return {
        "unit": between / np.trace(units.T @ (free - of_raters) @ units),
        "rater": apart / np.trace(raters.T @ (free - of_units) @ raters),
        "residual": error,
    }


@pytest.mark.parametrize("seed", range(4))
def test_variance_components_are_hendersons_where_raters_never_met(seed):
    table = pairs_that_never_met(seed, pairs=3, units=6)
    assert variance_components(table) == pytest.approx(by_projection(table), abs=1e-10)
    table[0, 5] = 1.0
    assert variance_components(table) == pytest.approx(by_projection(table), abs=1e-10)
    alone = np.hstack([table, np.full((len(table), 1), np.nan)])
    alone[-1] = np.nan
    alone[-1, -1] = 2.0
    assert variance_components(alone) == pytest.approx(by_projection(alone), abs=1e-10)


def test_variance_components_are_right_on_average_where_raters_never_met():
    found = [variance_components(pairs_that_never_met(seed)) for seed in range(150)]
    middle = {name: np.mean([each[name] for each in found]) for name in found[0]}
    assert middle == pytest.approx({"unit": 1, "rater": 0.25, "residual": 0.25}, abs=0.06)


def test_each_leave_one_out_of_an_icc_counts_the_groups_that_are_left():
    table = pairs_that_never_met(0, pairs=2, units=4)
    table[0, 2] = 0.5  # the one unit that holds the two pairs together
    coded = Ratings(table)
    patterns = coded.patterns
    statistic = statistic_named("icc_2_1", coded)
    rows, weights = rows_to_resample(statistic, patterns)
    without = statistic.values(weights @ rows - rows)
    wanted = [icc(np.delete(table, unit, axis=0), interval=None).value for unit in range(8)]
    assert np.sort(without) == pytest.approx(np.sort(wanted), abs=1e-10)


def test_an_icc_says_the_true_reason_why_it_has_no_interval_or_no_value():
    shifted = [[1, 2], [2, 3], [3, 4], [5, 6]]
    assert icc(shifted).reason == "no_residual_for_interval"
    assert icc(shifted, "ICC1").low is not None
    assert icc([[1, 3], [2, 2], [3, 1]]).reason == "no_spread_for_interval"
    assert icc([[1, 1], [2, 2], [3, 3]]).reason == "no_disagreement_for_interval"
    assert icc([[1, 2], [3, None]]).reason == "too_few_units"
    assert icc([[1, 2, 3]]).reason == "too_few_units"
    assert icc([[1, 2], [2, 1]]).reason == "no_total_variance"
    assert icc([[2, 2], [2, 2]]).reason == "no_variation"


def test_an_icc_does_not_depend_on_the_size_of_the_scores():
    table = components(20, 3, 0, 0)
    small, usual = icc(table * 1e-9), icc(table)
    assert (small.value, small.low, small.high) == pytest.approx(
        (usual.value, usual.low, usual.high), abs=1e-9
    )
    tiny = variance_components(table * 1e-3)
    assert tiny == pytest.approx(
        {name: part * 1e-6 for name, part in variance_components(table).items()}, rel=1e-9
    )


def test_an_icc_of_a_crowd_has_its_value_and_says_why_there_is_no_interval():
    rng = np.random.default_rng(0)
    table = np.full((300, 400), np.nan)
    for row in table:
        row[rng.choice(400, 3, replace=False)] = rng.normal(0, 1) + rng.normal(0, 0.5, 3)
    found = icc(table)
    assert found.value == pytest.approx(0.8, abs=0.05)
    assert (found.low, found.reason) == (None, "too_many_raters_for_interval")


def test_kappas_published_interval_with_lopsided_weights_is_that_of_irrcac():
    # kappa2.table of R's irrCAC on Gwet's 223 patients by two diagnoses.
    counts = np.array([[40, 4, 4, 17], [6, 25, 2, 13], [4, 1, 21, 12], [15, 5, 9, 45]])
    weights = [[1, 0.67, 0.33, 0], [0, 1, 0.67, 0.33], [0, 0, 1, 0.67], [0.33, 0, 0, 1]]
    first, second = np.indices(counts.shape).reshape(2, -1) + 1
    pairs = np.repeat(np.column_stack([first, second]), counts.ravel(), axis=0)
    found = kappa(pairs, "cohen", weights, scale=[1, 2, 3, 4], interval="analytic")
    assert found.se == pytest.approx(0.04955, abs=5e-6)
    assert (found.low, found.high) == pytest.approx((0.341, 0.536), abs=5e-4)
    # Irrespective of anybody's formula: leaving out each patient gives nearly the same.
    left_out = kappa(pairs, "cohen", weights, scale=[1, 2, 3, 4])
    assert found.se == pytest.approx(left_out.se, rel=0.01)


SIZES = (1e150, 1e-12, 1e-30, 1e-150)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", ["jackknife", "bootstrap", "bca"])
def test_the_interval_of_a_mean_is_as_large_as_its_numbers(size, method):
    given = np.array([[1, 2, 3], [2, 3, 4], [4, 4, 5], [1, 3, 2], [5, 5, 4], [2, 2, 1]])
    usual, found = mean(given, interval=method), mean(given * size, interval=method)
    assert (found.low, found.high) == pytest.approx((usual.low * size, usual.high * size))


@pytest.mark.parametrize("size", SIZES)
def test_whatever_is_a_mean_has_an_interval_as_large_as_its_numbers(size):
    given = np.array([[1, 2], [2, 3], [4, 4], [1, 3], [5, 4], [2, 1]])

    def ends(values):
        sure = [0.9, 0.5, 0.2, 0.3, 0.9, 0.8]
        leaning = severity(values).iloc[0]
        both = [sd(values), difference(values[:, 0], values[:, 1])]
        both.append(weighted_mean(list(values[:, 0]), sure))
        both.append(weighted_mean_within_of(confident_cells(list(values[:, 0]), sure)))
        return [(each.low, each.high) for each in both] + [(leaning.low, leaning.high)]

    for found, usual in zip(ends(given * size), ends(given.astype(float)), strict=True):
        assert found == pytest.approx([end * size for end in usual], rel=1e-9)


def test_what_differs_by_rounding_alone_has_no_spread():
    tenths = np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], [0.3, 0.3]])
    assert mean(tenths).reason == "no_spread_for_interval"
    gaps = difference(tenths[:, 0], tenths[:, 1])
    assert (gaps.low, gaps.reason) == (None, "no_spread_for_interval")
