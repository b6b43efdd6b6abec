"""Where intervals are hard to have, those that are given hold; the long test has all designs."""

import pytest

from tests.analysis.hard_designs import coverage, designs

DESIGNS = {design.name: design for design in designs()}
# Two standard errors of 2,000 rounds beside the promised 93 %.
LEAST = 0.93 - 0.011


@pytest.mark.long
@pytest.mark.parametrize("name", DESIGNS)
def test_an_interval_that_is_given_holds_where_it_is_hard(name):
    found = coverage(DESIGNS[name])
    assert found.covered >= LEAST, found
    if found.carried is not None:
        assert found.carried >= 0.8, found


@pytest.mark.parametrize(
    "name",
    [
        "rare label in 8% of 30 unequal clusters",
        "rare label in 40% of 30 unequal clusters",
        "6 pairable units among 300",
        "83 % in the top level, α .26, 30 units",
        "share of 5% over 20 unequal clusters, 0.5 alike",
    ],
)
def test_a_hundred_rounds_show_nothing_else(name):
    found = coverage(DESIGNS[name], rounds=100)
    # Of a hundred rounds at 93 %, fewer than 86 hold once in a hundred times.
    assert found.covered >= 0.86, found
    if found.carried is not None:
        assert found.carried >= 0.8, found


@pytest.mark.parametrize(
    "name",
    ["rare label in 5% of 30 unequal clusters", "83 % in the top level, α .26, 30 units"],
)
def test_the_control_fails_where_undefined_values_are_dropped(name):
    assert coverage(DESIGNS[name], "plain jackknife", rounds=100).covered < 0.9
