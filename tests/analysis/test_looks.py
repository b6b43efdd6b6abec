"""Looks while answers come in: published bounds, and how often nothing is taken for something."""

import numpy as np
import pytest
from scipy.special import stdtr

from raterbook.analysis import Interval
from raterbook.analysis.comparison import annotators, p_within_bounds, ratio_over_clusters
from raterbook.analysis.comparison.annotators import Duels
from raterbook.analysis.looks import Looks, ever_beyond, spending
from tests.analysis.look_designs import false_verdicts


# Lan and DeMets (1983) with the function after O'Brien and Fleming, two-sided .05, as tabulated by
# Reboussin, DeMets, Kim and Lan (2000).
@pytest.mark.parametrize(
    ("many", "bounds"),
    [
        (2, [2.963, 1.969]),
        (3, [3.710, 2.511, 1.993]),
        (4, [4.333, 2.963, 2.359, 2.014]),
        (5, [4.877, 3.357, 2.680, 2.290, 2.031]),
    ],
)
def test_equal_looks_have_the_published_bounds(many, bounds):
    found = Looks([place / many for place in range(1, many + 1)]).bounds
    assert [round(bound, 3) for bound in found] == bounds


# O'Brien and Fleming (1979): C √(K/k), as tabulated by Jennison and Turnbull (2000), table 2.3.
@pytest.mark.parametrize(("many", "constant"), [(2, 1.977), (4, 2.024), (5, 2.040), (10, 2.087)])
def test_the_classic_bounds_err_five_times_in_a_hundred(many, constant):
    looks = np.arange(1, many + 1)
    found = ever_beyond(constant * np.sqrt(many / looks), looks)
    assert found[-1] == pytest.approx(0.05, abs=1e-4)


# Armitage, McPherson and Rowe (1969), table 2: significance tests at .05, repeated.
@pytest.mark.parametrize(
    ("many", "ever"), [(1, 0.05), (2, 0.083), (3, 0.107), (4, 0.126), (5, 0.142), (10, 0.193)]
)
def test_repeated_tests_at_the_usual_level_err_as_published(many, ever):
    assert round(ever_beyond([1.959964] * many, range(1, many + 1))[-1], 3) == ever


@pytest.mark.parametrize("shares", [(0.1, 0.15, 0.9, 1), (0.3, 1), (0.5, 0.501, 1), (0.02, 0.4, 1)])
@pytest.mark.parametrize("sides", [1, 2])
def test_the_bounds_spend_just_what_the_function_gives(shares, sides):
    looks = Looks(shares, sides=sides)
    assert ever_beyond(looks.bounds, shares, sides) == pytest.approx(looks.spent, abs=1e-9)


def test_half_of_the_error_on_one_side_has_nearly_the_same_bounds():
    one = Looks((0.25, 0.5, 0.75, 1), 0.025, sides=1).bounds
    assert one == pytest.approx(Looks((0.25, 0.5, 0.75, 1)).bounds, abs=2e-3)


@pytest.mark.parametrize("at", [0, 1, 1.5])
def test_an_error_that_is_no_share_is_refused(at):
    with pytest.raises(ValueError, match=f"an error of {at}: give one between 0 and 1"):
        Looks((0.5, 1), at)


def test_all_of_the_error_is_spent_at_the_end_and_no_more_beyond():
    assert Looks((0.5, 1)).spent[-1] == pytest.approx(0.05)
    assert Looks((0.5, 1.4)).spent[-1] == pytest.approx(0.05)
    assert spending(0.8) < 0.05


def test_one_look_at_the_end_is_the_usual_test():
    assert Looks((1,)).levels == pytest.approx((0.05,))


def test_a_look_without_anything_new_decides_nothing():
    assert Looks((0.5, 0.5, 1)).levels[1] == 0


def test_in_which_unit_information_is_measured_changes_nothing():
    one, other = (ever_beyond([2.0] * 3, [by, by, 2 * by]) for by in (1, 100))
    assert one == pytest.approx(other)


def test_what_a_look_rests_on_may_differ_from_its_share():
    equal, late = Looks((0.5, 1)), Looks((0.5, 1), information=(90, 100))
    assert late.bounds[0] == equal.bounds[0]
    assert late.bounds[1] < equal.bounds[1]  # less is new, and less can be wrong twice


@pytest.mark.parametrize("shares", [(), (0.5, 0.2), (0, 1)])
def test_looks_that_go_backwards_are_refused(shares):
    with pytest.raises(ValueError, match="rising shares above 0"):
        Looks(shares)


ROUNDS = {"scores against a target": 300, "shares against a target": 4000,
          "two systems, paired": 800, "Cohen’s κ against a target": 300,
          "a model in three people's place": 300, "a model in one person's place": 300,
          "… in 32 clusters of six": 300, "… where most items are ties": 300}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDS)
def test_four_declared_looks_are_wrong_five_times_in_a_hundred_at_most(name):
    rounds = ROUNDS[name]
    assert false_verdicts(name, rounds) <= 0.05 + 2 * (0.05 * 0.95 / rounds) ** 0.5


@pytest.mark.parametrize("name", ["shares against a target", "two systems, paired"])
def test_looking_four_times_at_the_usual_level_is_wrong_far_more_often(name):
    rounds = ROUNDS[name]
    assert false_verdicts(name, rounds, declared=False) > 0.05 + 4 * (0.05 * 0.95 / rounds) ** 0.5


def at_look(gap, cluster, level):
    """One person's test, where the person is so much nearer item by item."""
    sides = ((gap * sign >= 0)[:, None] * 1.0 for sign in (-1, 1))
    every = Duels(*sides, cluster, ("ana",))
    how = {"epsilon": 0.15, "least": 30, "wish": Interval(None), "level": level}
    return annotators.tested(lambda kept: every, 1, **how).persons[0]


def p_at(gap, cluster, level):
    return at_look(gap, cluster, level).p


def test_eight_clusters_that_happen_to_tie_prove_nothing_at_a_look():
    tied = np.zeros(40), np.arange(40) // 5
    assert p_at(*tied, 0.0001) == pytest.approx(0.85**8)
    assert p_at(*tied, 0.05) == 0  # as published


# What clusters within bounds may show: Gaffke's p is exact where all are alike, and what drawing
# the weights makes of it where they are not.


@pytest.mark.parametrize(("many", "same", "least"), [(10, 0.0, 0.15), (30, -0.5, 0.1), (8, -1, 0)])
def test_clusters_that_are_all_alike_have_an_exact_p(many, same, least):
    found = p_within_bounds(np.full(3 * many, same), np.arange(3 * many) // 3, least)
    assert found == pytest.approx(((1 - least) / (1 - same)) ** many)


def test_the_p_of_uneven_clusters_is_what_drawn_weights_make_of_it():
    rng = np.random.default_rng(8)
    cluster, x = rng.integers(0, 20, 60), rng.choice([-1.0, 0.0, 1.0], 60)
    _, codes = np.unique(cluster, return_inverse=True)
    sizes = np.bincount(codes)
    y = np.append(np.bincount(codes, x) - 0.2 * sizes, 0.8 * sizes.max())
    drawn = (rng.exponential(size=(200_000, len(y))) @ y >= 0).mean()
    assert p_within_bounds(x, cluster, 0.2) == pytest.approx(drawn, abs=0.005)


@pytest.mark.parametrize(
    ("x", "least"), [([0, 0, 0, 0.25], 0.25), ([0.5, 0.5, 0.5, -0.5], 0.4), ([0, 0.5, 1, -1], 0.3)]
)
def test_where_gains_and_losses_are_even_the_p_runs_on_and_is_what_drawn_weights_make_of_it(
    x, least
):
    y = np.append(np.array(x) - least, 1 - least)
    assert y.sum() == pytest.approx(0)
    drawn = (np.random.default_rng(9).exponential(size=(100_000, len(y))) @ y >= 0).mean()
    below, at, above = (
        p_within_bounds(np.array(x), np.arange(len(x)), least + aside) for aside in (-1e-4, 0, 1e-4)
    )
    assert below > at > above
    assert at == pytest.approx((below + above) / 2, abs=1e-6)
    assert at == pytest.approx(drawn, abs=0.02)


@pytest.mark.parametrize(("x", "least", "p"), [(1.0, 0.15, 1.0), (0.15, 0.15, 1.0), (-1.0, 1, 0.0)])
def test_what_cannot_be_below_or_cannot_be_so_high_needs_no_weights(x, least, p):
    assert p_within_bounds(np.full(10, x), np.arange(10), least) == p


def test_a_person_s_p_is_as_published_at_one_look_and_never_smaller_at_several():
    gap, cluster = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], 60), np.arange(60) // 2
    once, look = (p_at(gap, cluster, level) for level in (0.05, 0.0427))
    over = ratio_over_clusters(gap, cluster)
    assert once == pytest.approx(stdtr(29, (over.value - 0.15) / over.se))
    assert look == pytest.approx(max(once, p_within_bounds(gap, cluster, 0.15)))
    assert look > once


def test_that_a_person_is_nearer_is_as_hard_to_show_at_one_of_several_looks():
    gap, cluster = np.random.default_rng(2).choice([0.0, 1.0], 60), np.arange(60) // 2
    once, look = (at_look(gap, cluster, level).p_worse for level in (0.05, 0.0427))
    over = ratio_over_clusters(gap, cluster)
    assert once == pytest.approx(stdtr(29, (0.15 - over.value) / over.se))
    assert look == pytest.approx(p_within_bounds(-gap, cluster, -0.15))
    assert look > once
