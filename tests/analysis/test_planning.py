"""What a pilot says of a larger round, against larger rounds of the same world."""

import numpy as np
import pytest

from analysis import Ratings, alpha, mean
from analysis.planning import Precision, precision

SCALE = [1, 2, 3, 4, 5]


def world(rng, items, raters, size=1):
    """Five levels by raters who differ by .3; items in clusters of this size are alike."""
    true = rng.normal(size=items) + (size > 1) * rng.normal(size=items // size).repeat(size)
    table = true[:, None] + rng.normal(scale=0.3, size=raters) + 0.7 * rng.normal(
        size=(items, raters)
    )  # fmt: skip
    table = np.clip(np.round(3 + table), 1, 5)
    return Ratings(table, scale=SCALE, cluster=list(np.arange(items) // size))


ESTIMATES = {"mean": mean, "alpha_ordinal": lambda ratings: alpha(ratings, "ordinal")}


def planned_over_realised(statistic, items, raters, size=1, pilots=40):
    """Pilots of sixty items and three raters: the width planned over that of rounds so large."""
    rng, real = np.random.default_rng(6), []
    for _ in range(30):
        found = ESTIMATES[statistic](world(rng, items, raters, size))
        real.append(found.high - found.low)
    plans = [
        precision(world(rng, 60, 3, size), statistic).width(items, raters) for _ in range(pilots)
    ]
    return np.array(plans) / np.median(real)


@pytest.mark.parametrize(
    ("statistic", "items", "raters"),
    [("mean", 240, 3), ("mean", 240, 5), ("alpha_ordinal", 240, 3), ("alpha_ordinal", 240, 5)],
)
def test_pilots_plan_the_width_that_larger_rounds_have(statistic, items, raters):
    found = planned_over_realised(statistic, items, raters)
    assert 0.92 <= np.median(found) <= 1.08
    assert np.mean(np.abs(found - 1) <= 0.25) >= 0.8


@pytest.mark.long
@pytest.mark.parametrize("statistic", ESTIMATES)
@pytest.mark.parametrize(("items", "raters", "size"), [(240, 3, 1), (240, 5, 1), (240, 3, 3)])
def test_two_hundred_pilots_are_honest(statistic, items, raters, size):
    found = planned_over_realised(statistic, items, raters, size, pilots=200)
    assert 0.95 <= np.median(found) <= 1.05
    assert np.mean(np.abs(found - 1) <= 0.25) >= 0.8


@pytest.fixture
def pilot():
    return precision(world(np.random.default_rng(1), 60, 4), "alpha_ordinal")


def test_of_its_own_size_a_pilot_plans_its_own_interval(pilot):
    found = alpha(world(np.random.default_rng(1), 60, 4), "ordinal")
    assert pilot.ends(60, 4) == pytest.approx((found.low, found.high))
    assert pilot.ends(60, 4, like=True) == pytest.approx((found.low_like, found.high_like))


def test_more_items_and_more_raters_narrow_it(pilot):
    assert pilot.width(240, 4) < pilot.width(120, 4) < pilot.width(60, 4)
    assert pilot.width(60, 6) <= pilot.width(60, 5) <= pilot.width(60, 2)


def test_beyond_the_pilots_raters_it_goes_on_from_the_pilots_own_interval():
    rng = np.random.default_rng(3)
    table = np.clip(np.round(rng.normal(3, 1, (60, 1)) + rng.normal(0, 0.7, (60, 3))), 1, 5)
    # A fourth rater who knows nothing: pairs with them agree on little, all four on some.
    four = np.column_stack([table, rng.integers(1, 6, 60)])
    found = precision(Ratings(four, scale=SCALE), "alpha_ordinal")
    assert 0.8 * found.width(60, 4) < found.width(60, 5) <= found.width(60, 4)


def test_the_items_needed_are_the_fewest_that_do(pilot):
    items = pilot.items_for(0.1, 4)
    assert pilot.width(items, 4) <= 0.1 < pilot.width(items - 1, 4)


def test_what_a_thousand_pilots_would_not_reach_has_no_number_of_items(pilot):
    assert pilot.items_for(1e-6, 4) is None


def test_two_raters_tell_no_parts_apart_and_more_narrow_nothing():
    two = precision(world(np.random.default_rng(1), 60, 2), "alpha_ordinal")
    assert two.width(60, 5) == two.width(60, 2)
    assert two.width(60, 5, like=True) is None


def test_without_an_interval_there_is_no_plan_but_the_reason():
    found = precision([[1, 1], [2, 2], [1, 1], [2, 2]], "alpha_nominal")
    assert not isinstance(found, Precision)
    assert found.reason == "no_disagreement_for_interval"


def test_an_unknown_statistic_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown statistic 'median': choose mean, alpha_nominal"):
        precision([[1, 2]], "median")
