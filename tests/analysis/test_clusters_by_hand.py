"""Means over clusters and their certainty, where nothing varies and at the ends of a range."""

import numpy as np

from raterbook.analysis.comparison import p_within_bounds, ratio_over_clusters


def test_equal_large_values_have_no_spread_for_all_their_rounding():
    x = np.full(13, 1e6 / 3)
    assert x.std(ddof=1) > 0
    found = ratio_over_clusters(x, np.arange(13))
    assert (found.se, found.design_effect) == (0.0, 1.0)


def test_clusters_are_the_same_by_name_and_by_number():
    x = np.array([0.0, 0.5, 1.0, 1.0, 0.25])
    by_name = ratio_over_clusters(x, np.array(list("bbaac")))
    assert by_name == ratio_over_clusters(x, np.array([0, 0, 1, 1, 2]))
    assert by_name.clusters == 3


def test_whatever_is_below_one_is_not_one_and_what_is_just_so_much_may_be_more():
    assert p_within_bounds(np.array([1, 0.5, 0]), np.arange(3), 1.0) == 0
    assert p_within_bounds(np.full(5, 0.4), np.arange(5), 0.4) == 1
    assert p_within_bounds(np.array([0, 0.5]), np.arange(2), 0.0) == 1
