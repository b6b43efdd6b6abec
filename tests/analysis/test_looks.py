"""Looks while answers come in: published bounds, and how often nothing is taken for something."""

import numpy as np
import pytest

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


def test_all_of_the_error_is_spent_at_the_end_and_no_more_beyond():
    assert Looks((0.5, 1)).spent[-1] == pytest.approx(0.05)
    assert Looks((0.5, 1.4)).spent[-1] == pytest.approx(0.05)
    assert spending(0.8) < 0.05


def test_one_look_at_the_end_is_the_usual_test():
    assert Looks((1,)).levels == pytest.approx((0.05,))


def test_a_look_without_anything_new_decides_nothing():
    assert Looks((0.5, 0.5, 1)).levels[1] == 0


def test_what_a_look_rests_on_may_differ_from_its_share():
    equal, late = Looks((0.5, 1)), Looks((0.5, 1), information=(90, 100))
    assert late.bounds[0] == equal.bounds[0]
    assert late.bounds[1] < equal.bounds[1]  # less is new, and less can be wrong twice


@pytest.mark.parametrize("shares", [(), (0.5, 0.2), (0, 1)])
def test_looks_that_go_backwards_are_refused(shares):
    with pytest.raises(ValueError, match="rising shares above 0"):
        Looks(shares)


ROUNDS = {"scores against a target": 300, "shares against a target": 4000,
          "two systems, paired": 800, "a model in three people's place": 300}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDS)
def test_four_declared_looks_are_wrong_five_times_in_a_hundred_at_most(name):
    rounds = ROUNDS[name]
    assert false_verdicts(name, rounds) <= 0.05 + 2 * (0.05 * 0.95 / rounds) ** 0.5


@pytest.mark.parametrize("name", ["shares against a target", "two systems, paired"])
def test_looking_four_times_at_the_usual_level_is_wrong_far_more_often(name):
    rounds = ROUNDS[name]
    assert false_verdicts(name, rounds, declared=False) > 0.05 + 4 * (0.05 * 0.95 / rounds) ** 0.5
