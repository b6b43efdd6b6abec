"""What would settle an undecided target, and which numbers stand for what is needed."""

import pytest

from raterbook.numbers.targets import items_needed, round_up


def target(value, low, high, bound):
    return {"value": value, "low": low, "high": high, "target": bound}


@pytest.mark.parametrize(
    ("found", "needed"),
    [
        # Below the target the upper half decides, above it the lower one: 20 · (.2 / .1)² = 80.
        (target(0.5, 0.4, 0.7, 0.6), 80),
        (target(0.5, 0.3, 0.9, 0.4), 80),
        # 20 · (.19 / .1)² = 72.2, in two figures.
        (target(0.5, 0.4, 0.69, 0.6), 73),
        # Never fewer than there are, and one more at least: the target is in the interval.
        (target(0.5, 0.45, 0.6, 0.6), 21),
        # Twenty rounds like this one are the most: (.2 / x)² is 20 at .0447.
        (target(0.5, 0.4, 0.7, 0.545), 400),
        (target(0.5, 0.4, 0.7, 0.544), None),
        # The estimate is the target, or there is none, or no interval.
        (target(0.5, 0.4, 0.6, 0.5), None),
        (target(None, None, None, 0.5), None),
        (target(0.5, None, 0.7, 0.6), None),
        (target(0.5, 0.4, None, 0.6), None),
    ],
)
def test_half_widths_shrink_with_the_root_of_the_number_of_items(found, needed):
    assert items_needed(found, 20) == needed


@pytest.mark.parametrize(
    ("number", "said"),
    [(137, 140), (12.2, 13), (1501, 1600), (99.2, 100), (100, 100), (101, 110), (9.5, 10),
     (7, 7), (400.0000001, 400), (400.001, 410)],
)  # fmt: skip
def test_items_needed_are_said_in_two_figures_upwards(number, said):
    assert round_up(number) == said
