"""Coefficients and what stands beside them, on tables one can count by hand."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from raterbook.analysis import Interval, Ratings, agreement, alpha, icc, kappa


def test_raters_are_those_whose_answers_were_met_by_anothers():
    found = alpha([[1, 1, None], [2, 2, None], [1, 2, None], [None, None, 3]])
    assert (found.n_raters, found.raters) == (2, (0, 1))


def test_agreement_in_few_unequal_clusters_has_wilsons_ends_on_as_many_as_they_count_for():
    """Units rated once are no part of a cluster's size."""
    table = [*[[1, 1]] * 20, [1, 2], *[[2, 2]] * 3, *[[1, None]] * 4]
    clusters = [0] * 8 + [1] * 4 + [2] * 3 + [3] * 4 + [4] * 5 + [5, 5, 0, 0]
    sizes = [8, 4, 3, 4, 5]
    many = sum(sizes) ** 2 / sum(size**2 for size in sizes)
    found = agreement(Ratings(table, cluster=clusters))
    ends = proportion_confint(23 / 24 * many, many, method="wilson")
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.method == f"Wilson on {many:.2f} clusters"


def test_a_single_pair_with_a_kappa_is_said_to_be_the_only_one():
    table = [[1, 1, 1], [2, 2, 1], [1, 2, 1], [2, 2, 1], [1, 1, None]]
    table = [[a, b, None if i < 4 else 1] for i, (a, b, _) in enumerate(table)]
    found = kappa(table)
    assert found.value == pytest.approx(kappa([row[:2] for row in table]).value)
    assert "undefined_pairs" in found.warnings


def test_where_every_pair_has_a_kappa_nothing_is_said_of_those_without():
    found = kappa([[1, 1, 1], [2, 2, 1], [1, 2, 1], [2, 2, 2], [1, 1, 2]])
    assert "undefined_pairs" not in found.warnings


def test_a_label_beyond_the_hundred_twenty_eighth_is_itself():
    found = agreement([[value, value] for value in range(1, 130)])
    assert (found.value, found.n_ratings) == (1, 258)


@pytest.mark.parametrize("kind", ["cohen", "scott"])
def test_a_kappa_of_two_raters_refuses_three(kind):
    with pytest.raises(ValueError, match=f"{kind} compares two raters and there are 3: name two"):
        kappa([[1, 2, 1], [2, 2, 2]], kind)


@pytest.mark.parametrize("kind", ["cohen", "scott"])
def test_a_published_interval_is_that_of_two_raters(kind):
    two = [[1, 1], [2, 2], [1, 2], [2, 2], [1, 1], [2, 1]]
    assert kappa(two, kind, interval="analytic").method.startswith("Gwet's linearised variance")
    three = kappa([[*row, 1 + i % 2] for i, row in enumerate(two)], interval="analytic")
    assert three.method.startswith("jackknife")


@pytest.mark.parametrize("statistic", [alpha, kappa])
def test_units_rated_once_move_neither_interval_of_clusters_they_stand_in(statistic):
    rng = np.random.default_rng(5)
    table = rng.integers(1, 4, (24, 1)) + (rng.random((24, 3)) < 0.2)
    clusters = np.arange(24) // 3
    once = [[None, 2, None], [1, None, None]] * 4
    one = statistic(Ratings(table, cluster=clusters))
    more = [
        row
        for single, rows in zip(once, table.reshape(8, 3, 3).tolist())
        for row in (single, *rows)
    ]
    other = statistic(Ratings(more, cluster=np.arange(32) // 4))
    ends = [(found.low, found.high, found.low_like, found.high_like) for found in (one, other)]
    assert ends[0] == pytest.approx(ends[1])


def test_scotts_published_interval_is_fleiss_of_the_units_that_both_rated():
    both = [[1, 1], [2, 2], [1, 3], [2, 2], [3, 1], [2, 1], [3, 3]]
    found, fleiss = (kappa(both, kind, interval="analytic") for kind in ("scott", "fleiss"))
    gaps = kappa([*both, [None, 2], [1, None]], "scott", interval="analytic")
    assert (found.value, found.se) == pytest.approx((fleiss.value, fleiss.se))
    assert (found.low, found.high) == pytest.approx((fleiss.low, fleiss.high))
    # With gaps there is no table, and the published variance divides by n − 1.
    assert (gaps.value, gaps.se) == pytest.approx((fleiss.value, fleiss.se * np.sqrt(7 / 6)))


def test_a_kind_of_kappa_that_is_none_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"choose cohen, scott, fleiss, conger or light$"):
        kappa([[1, 1], [2, 2]], "cohens")


@pytest.mark.parametrize(
    ("table", "coverage"), [([[5, 5], [2, 4], [5, 4]], 0.999), ([[3, 3], [4, 1]], 0.5)]
)
def test_ends_of_a_correlation_that_pass_one_another_or_run_away_are_none(table, coverage):
    found = icc(table, "ICC2k", interval=Interval("analytic", coverage))
    assert (found.low, found.reason) == (None, "too_few_units_for_interval")


@pytest.mark.parametrize("form", ["ICC2", "ICC3k"])
def test_a_rater_who_answered_nothing_is_no_group_of_their_own(form):
    both = [[1, 2], [3, 3], [4, 5], [2, 3]]
    wide = Ratings([*([*row, None] for row in both), [5, None, 3]]).rows(np.arange(4))
    assert len(wide.raters) == 3
    one, other = icc(wide, form), icc(both, form, interval="jackknife")
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_one_label_has_no_order_to_be_asked_for():
    assert alpha([["a", "a"], ["a", "a"]], "ordinal").reason == "no_variation"
    with pytest.raises(ValueError, match="needs an order"):
        alpha([["a", "b"], ["a", "a"]], "ordinal")
