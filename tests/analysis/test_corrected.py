"""A model's mean corrected by people: worked examples, and what cannot be corrected."""

import numpy as np
import pytest
from scipy.stats import norm

from raterbook.analysis import Ratings, proportion
from raterbook.analysis.comparison.corrected import ppi_mean, rogan_gladen

# Eight items people rated and twenty that only the model did, in the shared notes on statistics.
Y = [3, 4, 2, 5, 3, 4, 1, 4]
F = [4, 4, 3, 5, 3, 5, 2, 4]
G = [4, 5, 3, 4, 5, 2, 3, 4, 4, 5, 3, 4, 2, 5, 4, 4, 3, 5, 4, 3]
PEOPLE, MODEL = Y + [None] * len(G), F + G


def test_the_worked_example_comes_out_to_its_digits():
    found = ppi_mean(PEOPLE, MODEL, interval="analytic")
    assert found.beside["tuning"] == pytest.approx(0.8291, abs=5e-5)
    assert found.value == pytest.approx(3.2915, abs=5e-5)
    assert found.se == pytest.approx(0.2638, abs=5e-5)
    assert (found.low, found.high) == pytest.approx((2.774, 3.808), abs=5e-4)
    people = found.beside["people"]
    assert (people.value, people.low, people.high) == pytest.approx((3.25, 2.419, 4.081), abs=5e-4)


def test_it_agrees_with_ppi_python_where_that_is_installed():
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed: not compared with it")
    rng = np.random.default_rng(2)
    y, f, g = rng.normal(size=40), rng.normal(size=40), rng.normal(size=300)
    f = f + y
    g = g * 1.4
    found = ppi_mean([*y, *[None] * 300], [*f, *g], interval="analytic")
    assert found.value == pytest.approx(float(np.ravel(ppi.ppi_mean_pointestimate(y, f, g))[0]))
    low, high = ppi.ppi_mean_ci(y, f, g, alpha=0.05)
    ends = [float(np.ravel(end)[0]) for end in (low, high)]
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-3)


def test_a_useless_model_leaves_the_peoples_mean_as_it_is():
    found = ppi_mean(PEOPLE, [3] * len(MODEL))
    assert (found.value, found.beside["tuning"]) == (pytest.approx(3.25), 0)
    people = found.beside["people"]
    assert (found.low, found.high) == pytest.approx((people.low, people.high))


def test_where_people_rated_all_the_model_adds_nothing():
    found = ppi_mean(Y, F)
    assert (found.value, found.beside["tuning"]) == (pytest.approx(3.25), 0)


def test_the_model_that_is_the_people_gives_the_mean_of_all_items():
    full = [3.0, 4, 2, 5, 1, 4, 2, 2, 5, 3] * 4
    found = ppi_mean([*full[:12], *[None] * 28], full)
    # λ is held below 1 by the noise of twelve items; both means differ by what is left of it.
    tuning = found.beside["tuning"]
    expected = tuning * np.mean(full[12:]) + (1 - tuning) * np.mean(full[:12])
    assert found.value == pytest.approx(expected)


def test_adding_a_constant_to_all_moves_the_mean_and_nothing_else():
    found = ppi_mean(PEOPLE, MODEL)
    moved = ppi_mean([None if y is None else y + 1e6 for y in PEOPLE], [f + 1e6 for f in MODEL])
    assert moved.value - 1e6 == pytest.approx(found.value, abs=1e-6)
    assert moved.high - moved.low == pytest.approx(found.high - found.low, abs=1e-6)


@pytest.mark.parametrize("by", [1e14, 1e-9, 1e9])
def test_measured_by_another_unit_all_is_as_many_times_as_large(by):
    found = ppi_mean(PEOPLE, MODEL)
    other = ppi_mean([None if y is None else y * by for y in PEOPLE], [f * by for f in MODEL])
    ends = (other.value / by, other.low / by, other.high / by)
    assert ends == pytest.approx((found.value, found.low, found.high))
    assert other.beside["tuning"] == pytest.approx(found.beside["tuning"])


def test_copies_in_one_cluster_make_nothing_surer():
    once = ppi_mean(PEOPLE, MODEL)
    twice = ppi_mean(PEOPLE * 2, MODEL * 2, cluster=[*range(28), *range(28)])
    assert twice.value == pytest.approx(once.value, abs=0.02)
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=0.03)


def test_items_with_unequal_chances_are_weighted_by_them():
    # People got every easy item and one hard item in four; the model says nothing of use.
    people = [5, 5, 5, 5, 1, None, None, None]
    chance = [1, 1, 1, 1, 0.25, 0.25, 0.25, 0.25]
    found = ppi_mean(people, [3] * 8, inclusion=chance, interval=None)
    assert found.value == pytest.approx(3.0)
    assert ppi_mean(people, [3] * 8, interval=None).value == pytest.approx(4.2)


def test_by_their_chances_a_share_is_the_models_of_all_items_and_what_people_add_to_it():
    people = np.array([1, 1, 0, 1, 0, 1] + [np.nan] * 14)
    model = np.array([1, 1, 0, 0, 0, 1] + [1, 0, 1, 1, 0, 0, 1] * 2)
    chance = np.array([0.5, 0.2, 0.5, 0.25, 0.4, 0.5] + [0.3] * 14)
    w, y, f = 1 / chance[:6], people[:6], model[:6]
    both = np.average(y * f, weights=w) - np.average(y, weights=w) * np.average(f, weights=w)
    tuning = both / model.var(ddof=1)
    found = ppi_mean(people, model, inclusion=chance, interval=None)
    assert found.beside["tuning"] == pytest.approx(tuning)
    expected = tuning * model.mean() + np.average(y - tuning * f, weights=w)
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize(("chance", "reason"), [(None, "inclusion_unknown"), (0, "inclusion_zero")])
def test_an_unknown_or_no_chance_is_refused_with_the_reason(chance, reason):
    found = ppi_mean([1, 2, None], [1, 2, 3], inclusion=[0.5, 0.5, chance])
    assert (found.value, found.reason) == (None, reason)


def test_three_raters_or_more_give_the_interval_for_raters_like_these():
    rng = np.random.default_rng(4)
    true = rng.normal(size=200)
    people = true[:, None] + rng.normal(size=(200, 4)) * 0.3 + np.array([0.5, -0.5, 0.2, -0.2])
    people[40:] = np.nan
    found = ppi_mean(people, true + 0.3)
    assert found.n_raters == 4
    # Raters differ by .45 in their means; four of them leave .2 of it, and t has three degrees.
    assert found.low_like < found.low
    assert found.high < found.high_like
    assert found.high_like - found.low_like == pytest.approx(1.4, abs=0.3)


def test_what_nobody_or_no_model_answered_has_no_value():
    assert ppi_mean([None, None], [1, 2]).reason == "no_ratings"
    assert ppi_mean([1, 2], [None, None]).reason == "no_model"


def test_a_share_alone_has_the_interval_that_shares_have():
    people, model = [1, 0, 1, 1] * 10 + [None] * 60, [1, 0, 1, 0] * 25
    found = ppi_mean(people, model)
    expected = proportion(Ratings([[value] for value in people[:40]]), [1])
    alone = found.beside["people"]
    assert (alone.low, alone.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("ones", "given"), [(4, False), (5, True)])
def test_a_share_with_fewer_than_five_of_one_value_has_no_interval(ones, given):
    people = [1] * ones + [0] * (60 - ones) + [None] * 300
    model = [1] * (ones - 1) + [0] * (61 - ones) + [1, *[0] * 9] * 30
    found = ppi_mean(people, model)
    assert found.value is not None
    assert (found.low is not None) == given
    assert (found.reason == "too_few_of_one_value") == (not given)


def test_a_share_and_its_interval_end_where_shares_do():
    people = [1] * 5 + [0] * 55 + [None] * 300
    found = ppi_mean(people, [1, 1, 0, 0, 0] + [1] * 12 + [0] * 343)
    assert 0 == found.low <= found.value < found.high < 1
    assert "cut_at_scale" in found.warnings


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([1, "good"], [1, 2]), "people holds 'good', which is no number: give numbers"),
        (([1, 2, 3], [1, 2]), "3 items of people and 2 of the model: give the same"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_value(given, said):
    with pytest.raises(ValueError, match=said):
        ppi_mean(*given)


@pytest.mark.parametrize(
    ("given", "value", "ends"),
    [
        (((45, 50), (40, 50), (130, 200)), 0.6429, (0.507, 0.789)),
        # arXiv 2511.21140: .9 right on positives, .7 on negatives, 200 of each.
        (((180, 200), (140, 200), (400, 1000)), 0.1667, (0.0564, 0.2627)),
    ],
)
def test_a_pass_rate_is_corrected_as_published(given, value, ends):
    found = rogan_gladen(*given)
    assert found.value == pytest.approx(value, abs=5e-5)
    assert (found.low, found.high) == pytest.approx(ends, abs=5e-4)


def test_a_model_no_better_than_chance_corrects_nothing():
    found = rogan_gladen((25, 50), (25, 50), (60, 100))
    assert (found.value, found.reason) == (None, "no_better_than_chance")
    assert rogan_gladen((0, 0), (25, 50), (60, 100)).reason == "zero_denominator"


def test_a_count_above_its_total_is_refused():
    with pytest.raises(ValueError, match="sensitivity: 51 of 50 is no share"):
        rogan_gladen((51, 50), (40, 50), (130, 200))


def test_a_count_may_be_none_or_all_of_its_total():
    """The published ends, as they are where a rate is 0 or 1: p + z²/2n and counts + 1 of n + 2."""
    found = rogan_gladen((50, 50), (50, 50), (0, 80))
    assert (found.value, found.low) == (0, 0)
    z = norm.ppf(0.975)
    right, p = 51 / 52, z**2 / 2 / (80 + z**2)
    of_rate, youden = right * (1 - right) / 52, 2 * right - 1
    pi = (p + right - 1) / youden
    middle = pi + 2 * z**2 * (pi * of_rate - (1 - pi) * of_rate)
    variance = p * (1 - p) / (80 + z**2) + (pi**2 + (1 - pi) ** 2) * of_rate
    assert found.high == pytest.approx(middle + z * variance**0.5 / youden)
    assert rogan_gladen((50, 50), (50, 50), (80, 80)).value == 1
    assert (found.n_units, found.n_ratings) == (180, 180)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cluster": [1, 2]}, "2 cluster labels for 3 items"),
        ({"inclusion": [1, 1]}, "2 chances for 3 items"),
        ({"inclusion": [1, 1, 1.5]}, "a chance of 1.5 is above 1"),
        ({"inclusion": [1, 1, 1], "interval": "analytic"}, "knows no clusters and no chances"),
        ({"cluster": [1, 1, 2], "interval": "analytic"}, "knows no clusters and no chances"),
    ],
)
def test_clusters_and_chances_are_one_for_each_item(given, said):
    with pytest.raises(ValueError, match=said):
        ppi_mean([1, 2, None], [1, 2, 3], **given)
    assert ppi_mean([1, 2, None], [1, 2, 3], inclusion=[1, 1, 1], interval=None).value is not None


def test_items_without_an_answer_of_the_model_are_dropped_and_counted():
    found = ppi_mean([[3, None], [4, 4], [None, None], [2, 2]], [3, None, 4, 2], interval=None)
    same = ppi_mean([[3, None], [None, None], [2, 2]], [3, 4, 2], interval=None)
    assert found.value == pytest.approx(same.value)
    assert (found.n_units, found.n_dropped, found.n_raters, found.n_ratings) == (3, 1, 2, 3)


def test_where_people_have_weights_the_models_mean_is_that_of_all_items():
    """λ = cov(people, model) over the weighted items / var(model); θ = λ·mean + Σw(y − λf)/Σw."""
    y, f = np.array([4.0, 5, 2, 3]), np.array([3.0, 5, 2, 4, 1, 4, 2, 5])
    chance = np.array([0.9, 0.8, 0.5, 0.4, 0.7, 0.6, 0.5, 0.9])
    w = 1 / chance[:4]
    centre = np.average(f[:4], weights=w)
    covariance = np.average((y - np.average(y, weights=w)) * (f[:4] - centre), weights=w)
    tuning = covariance / f.var(ddof=1)
    theta = tuning * f.mean() + np.average(y - tuning * f[:4], weights=w)
    found = ppi_mean([*y, *[None] * 4], f, inclusion=chance, interval=None)
    assert found.beside["tuning"] == pytest.approx(tuning)
    assert found.value == pytest.approx(theta)
    assert found.beside["people"].value == pytest.approx(np.average(y, weights=w))
    assert found.beside["model"].value == pytest.approx(f.mean())


def test_two_raters_say_nothing_of_raters_like_these():
    found = ppi_mean([[y, min(y + 1, 5)] for y in Y] + [[None, None]] * len(G), MODEL)
    assert found.low is not None
    assert (found.low_like, found.high_like) == (None, None)


def test_scores_of_a_model_between_the_ends_make_no_share():
    people = [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    rng = np.random.default_rng(3)
    found = ppi_mean([*people, *[None] * 20], rng.uniform(0.5, 1.5, 32))
    assert found.high > 1
    assert "cut_at_scale" not in found.warnings


@pytest.mark.parametrize("rare", [0, 1])
def test_of_either_value_people_must_have_given_some(rare):
    people = [rare] * 4 + [1 - rare] * 20
    found = ppi_mean([*people, *[None] * 6], [1, 0] * 15)
    assert found.reason == "too_few_of_one_value"


def test_rates_that_small_numbers_leave_at_chance_correct_nothing():
    """(1 + 1)/(1 + 2) + (1 + 1)/(4 + 2) is just 1, though 1/1 + 1/4 is more."""
    assert rogan_gladen((1, 1), (1, 4), (5, 10)).reason == "no_better_than_chance"
