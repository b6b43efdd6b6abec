"""What a Rasch model says of raters, groups and units, by fitting it again without each cluster."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from raterbook.analysis import Interval, Ratings
from raterbook.analysis.comparison.rasch import rasch
from tests.analysis.rater_designs import Made

GROUP = np.where(np.arange(36) % 2 == 0, "atlas", "birch")
CLUSTER = np.arange(36) // 3


@pytest.fixture(scope="module")
def table():
    found = Made((-0.6, 0.1, 0.5)).drawn(36, 3)[0][:, :, 0].astype(float)
    found[[4, 9, 17, 30], [0, 1, 2, 2]] = np.nan
    return found


def fitted(table, keep, **asked):
    ratings = Ratings(table[keep], scale=[1, 2, 3, 4, 5], cluster=CLUSTER[keep])
    return rasch(ratings, groups=GROUP[keep], **asked)


@pytest.fixture(scope="module")
def left(table):
    """The model without each cluster in turn."""
    return [fitted(table, name != CLUSTER, interval=None) for name in range(12)]


def spread(values):
    values = np.array(values)
    n = len(values)
    squares = (n - 1) / n * (values - values.mean(axis=0)) ** 2
    whole = squares.sum(axis=0)
    return whole**0.5, np.minimum(n - 1, whole**4 / (squares**2).sum(axis=0) ** 2 - 1)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("severity", "low", "high"), ("points", "points_low", "points_high")],
)
def test_a_rater_s_interval_is_that_of_models_without_each_cluster(table, left, name, low, high):
    found = fitted(table, np.ones(36, dtype=bool), interval=Interval(coverage=0.9)).raters
    se, df = spread([each.raters[name] for each in left])
    reach = student.ppf(0.95, df) * se
    # What is expected of a unit moves with severities along a straight line.
    near = 0.01 if name == "severity" else 0.08
    assert (found[high] - found[name]).to_numpy() == pytest.approx(reach, rel=near)
    assert (found[name] - found[low]).to_numpy() == pytest.approx(reach, rel=near)
    if name == "severity":
        assert found["se"].to_numpy() == pytest.approx(se, rel=0.01)


def test_a_fair_mean_s_interval_is_that_of_models_without_each_cluster(table, left):
    found = fitted(table, np.ones(36, dtype=bool)).fair
    se, df = spread([each.fair["difference"] for each in left])
    reach = student.ppf(0.975, df) * se
    assert (found["difference"] - found["low"]).to_numpy() == pytest.approx(reach, rel=0.1)
    assert (found["high"] - found["difference"]).to_numpy() == pytest.approx(reach, rel=0.1)
    for row in found.itertuples():
        own = table[row.group == GROUP]
        assert row.plain == pytest.approx(np.nanmean(own))
        assert (row.n_units, row.n_ratings) == (18, np.isfinite(own).sum())
        assert row.difference == pytest.approx(row.adjusted - row.plain)


def test_one_step_for_each_of_many_clusters_is_as_good_as_fitting_again(table, monkeypatch):
    whole = np.ones(36, dtype=bool)
    fitted_again = fitted(table, whole).raters
    monkeypatch.setattr("raterbook.analysis.comparison.rasch.MOST_REFITTED", 12)
    assert fitted(table, whole).raters["se"].tolist() == fitted_again["se"].tolist()
    monkeypatch.setattr("raterbook.analysis.comparison.rasch.MOST_REFITTED", 11)
    one_step = fitted(table, whole)
    assert one_step.raters["se"].to_numpy() == pytest.approx(fitted_again["se"], rel=0.15)
    assert one_step.method == "jackknife over 12 clusters, one step each, t"


@pytest.mark.parametrize("seed", [13, 28])
def test_where_units_do_not_differ_at_all_their_spread_stays_at_nothing(seed):
    table = np.random.default_rng(seed).integers(1, 4, (20, 2))
    found = rasch(table)
    assert found.sd == pytest.approx(np.exp(-6))
    left = [rasch(np.delete(table, at, axis=0), interval=None) for at in range(20)]
    se, _ = spread([each.raters["severity"] for each in left])
    assert found.raters["se"].to_numpy() == pytest.approx(se, rel=0.1)


def test_one_step_moves_points_with_how_far_units_lie_apart(monkeypatch):
    """Two raters of twenty units who agree by chance alone, beside models without each unit."""
    one, other = np.random.default_rng(11).integers(1, 4, (2, 20))
    table = np.column_stack([one, other])
    monkeypatch.setattr("raterbook.analysis.comparison.rasch.MOST_REFITTED", 19)
    found = rasch(table).raters
    left = [rasch(np.delete(table, at, axis=0), interval=None) for at in range(20)]
    se, df = spread([each.raters["points"] for each in left])
    above = (found["points_high"] - found["points"]).to_numpy()
    assert above == pytest.approx(student.ppf(0.975, df) * se, rel=0.1)


@pytest.mark.parametrize("seed", [0, 15, 20, 38])
def test_where_units_hardly_differ_a_severity_is_as_sure_as_models_without_each_unit_say(seed):
    table = np.random.default_rng(seed).integers(1, 4, (20, 2))
    left = [rasch(np.delete(table, at, axis=0), interval=None) for at in range(20)]
    se, _ = spread([each.raters["severity"] for each in left])
    assert rasch(table).raters["se"].to_numpy() == pytest.approx(se, rel=0.3)


def test_how_far_raters_lie_apart_is_set_against_their_errors(table):
    found = fitted(table, np.ones(36, dtype=bool))
    error = np.mean(found.raters["se"] ** 2)
    true = found.raters["severity"].var(ddof=1) - error
    assert found.separation == pytest.approx((true / error) ** 0.5)
    assert found.reliability == pytest.approx(true / (true + error))
    assert (found.n_units, found.n_clusters) == (36, 12)
    assert found.method == "jackknife over 12 clusters, t"
    assert found.warnings == ()


def test_a_published_interval_reaches_as_far_as_the_normal_says(table):
    found = fitted(table, np.ones(36, dtype=bool), interval=Interval("analytic", 0.8)).raters
    reach = (norm.ppf(0.9) * found["se"]).to_numpy()
    assert (found["high"] - found["severity"]).to_numpy() == pytest.approx(reach)
    assert (found["severity"] - found["low"]).to_numpy() == pytest.approx(reach)


@pytest.mark.parametrize(("units", "rough"), [(9, True), (10, False)])
def test_fewer_than_ten_clusters_are_rough_and_two_are_none(table, units, rough):
    some = units > CLUSTER
    assert ("few_clusters" in fitted(table, some).warnings) is rough
    two = fitted(table, CLUSTER < 2)
    assert set(two.raters["reason"]) == {"too_few_units_for_interval"}
    assert "few_clusters" not in two.warnings


def test_points_and_fair_means_are_in_the_points_of_the_scale(table):
    whole = np.ones(36, dtype=bool)
    plain = fitted(table, whole, interval=None)
    tens = rasch(
        Ratings(table * 10 + 5, scale=[15, 25, 35, 45, 55], cluster=CLUSTER),
        groups=GROUP, interval=None,
    )  # fmt: skip
    assert tens.raters["points"].to_numpy() == pytest.approx(10 * plain.raters["points"])
    assert tens.raters["severity"].to_numpy() == pytest.approx(plain.raters["severity"])
    assert tens.fair["adjusted"].to_numpy() == pytest.approx(10 * plain.fair["adjusted"] + 5)


def test_two_criteria_with_thresholds_of_their_own_are_two_models_where_nobody_shares_a_unit():
    """Each half of the units has one criterion, and a group of its own: nothing is shared but who
    rated, and how far units lie apart."""
    levels = Made((-0.6, 0.1, 0.5), criteria=(0.0, 0.0)).drawn(60, 4)[0]
    several = {"a": pd.DataFrame(levels[:30, :, 0]),
               "b": pd.DataFrame(levels[30:, :, 1], index=range(30, 60))}  # fmt: skip
    found = rasch(several, partial=True, interval=None)
    assert found.criteria["criterion"].tolist() == ["a", "b"]
    assert found.criteria["difficulty"].sum() == pytest.approx(0, abs=1e-9)
    steps = found.thresholds.groupby("criterion")["threshold"].sum()
    assert steps.to_numpy() == pytest.approx(0, abs=1e-9)
    assert found.thresholds["level"].tolist() == [2, 3, 4, 5] * 2
    assert found.raters["n_ratings"].tolist() == [60] * 3
    assert found.raters["n_units"].tolist() == [60] * 3
