"""Means, medians and proportions at the ends of what they can take: each by its definition."""

import numpy as np
import pytest
from scipy.stats import t as student

from raterbook.analysis import Ratings, proportion, weighted_mean
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.averages.proportions import proportion_difference
from raterbook.analysis.averages.weighted import confidence


def test_a_difference_of_proportions_takes_one_answer_and_none_that_hit():
    found = proportion_difference(0, 1, 3, 10)
    assert found.value == pytest.approx(-0.3)
    assert found.low < -0.3 < found.high
    assert (found.n_units, found.n_ratings, found.n_raters) == (11, 11, 1)
    assert proportion_difference(0, 0, 3, 10).reason == "zero_denominator"


def test_the_closed_interval_of_a_weighted_mean_is_least_squares_with_students_t():
    x, c = np.array([4.0, 5.0, 3.0, 2.0]), np.array([1.0, 0.8, 0.5, 0.9])
    found = weighted_mean(x, c, interval="analytic")
    middle = (c * x).sum() / c.sum()
    se = np.sqrt((c**2 * (x - middle) ** 2).sum()) / c.sum()
    assert found.se == pytest.approx(se)
    assert found.high - middle == pytest.approx(student.ppf(0.975, 3) * se)
    assert middle - found.low == pytest.approx(student.ppf(0.975, 3) * se)


def test_the_first_negative_confidence_is_named():
    with pytest.raises(ValueError, match=r"confidence -0\.2 is negative"):
        weighted_mean([4, 5, 3, 2], [0.5, 0.0, -0.2, -0.4])


@pytest.mark.parametrize(
    ("raters", "reason"), [(1, "single_rater"), (2, "no_spread"), (3, "no_spread")]
)
def test_one_confidence_throughout_says_nothing_about_closeness(raters, reason):
    table = Ratings([[4, 5, 3][:raters], [2, 2, 1][:raters]], confidence=[[33.3] * raters] * 2)
    found = confidence(table)
    assert found.closeness.value is None
    assert found.closeness.reason == reason
    assert found.correlation.reason == "no_spread"


def test_scores_far_from_zero_go_with_confidence_as_near_ones_do():
    x, c = np.array([4, 5, 3, 2, 5]), [100, 80, 50, 20, 60]
    near = confidence(x, c).correlation
    far = confidence(x + 1e9, c).correlation
    assert near.value == pytest.approx(np.corrcoef(x, c)[0, 1])
    assert (far.value, far.low, far.high) == pytest.approx((near.value, near.low, near.high))


def test_the_interval_of_confidence_and_score_is_students_on_fishers_scale_leaving_each_out():
    x, c = np.array([4, 5, 3, 2, 5, 1]), np.array([100, 80, 50, 20, 60, 40])
    found = confidence(x, c).correlation
    left = np.arctanh([np.corrcoef(np.delete(x, i), np.delete(c, i))[0, 1] for i in range(6)])
    reach = student.ppf(0.975, 5) * np.sqrt(5 / 6 * ((left - left.mean()) ** 2).sum())
    here = np.arctanh(np.corrcoef(x, c)[0, 1])
    assert (found.low, found.high) == pytest.approx(np.tanh([here - reach, here + reach]))


def test_three_answers_have_a_median_with_ends_and_two_have_none():
    found = median([1, 2, 4])
    assert found.value == 2
    assert found.reason is None
    assert 1 <= found.low <= 2 <= found.high <= 4
    assert median([1, 2]).reason == "too_few_units_for_interval"


def test_a_spread_far_from_zero_is_no_rounding():
    assert sd([1e6, 1e6 + 1e-3, 1e6 + 2e-3, 1e6 - 1e-3]).low is not None


@pytest.mark.parametrize(("units", "rough"), [(9, True), (10, False)])
def test_from_ten_single_answers_on_a_share_is_not_rough(units, rough):
    found = proportion([[1]] * 3 + [[0]] * (units - 3), [1])
    assert ("few_clusters" in found.warnings) is rough
