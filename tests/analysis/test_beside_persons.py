"""The model in each person's place: the same numbers as of each person alone, on the same items."""

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings, against, kappa
from raterbook.analysis.comparison.persons import MOST_PERSONS, STATISTICS, beside_persons


@pytest.fixture(scope="module")
def ratings():
    """Four raters and a model on sixty items of twenty clusters; a fifth of the cells is empty."""
    rng = np.random.default_rng(8)
    true = rng.integers(1, 6, 60)
    rows = [
        {"unit": unit, "rater": rater, "cluster": unit // 3,
         "value": int(np.clip(true[unit] + rng.choice([-1, 0, 0, 1]), 1, 5))}
        for rater in ("ana", "ben", "cai", "dan", "model")
        for unit in range(60)
        if rng.random() < 0.8
    ]  # fmt: skip
    return Ratings(pd.DataFrame(rows), cluster="cluster")


def alone(ratings, person, swapped, name):
    """One person, or the model on that person's items, against the other persons."""
    people = [each for each in ratings.raters if each not in ("model", person)]
    rated = [
        np.isfinite(np.append(np.nan, ratings.numbers)[ratings.only([each]).codes[:, 0]])
        for each in (person, "model")
    ]
    part = ratings.rows(np.flatnonzero(rated[0] & rated[1]))
    who = "model" if swapped else person
    return float(
        against(part.only([*people, who]), who, names=[name], interval=None)["estimate"][0]
    )


@pytest.mark.parametrize("name", STATISTICS[:5])
def test_each_side_is_the_mean_of_what_against_says_of_one_person_after_the_other(ratings, name):
    [found] = beside_persons(ratings, "model", names=[name], interval=None)
    people = [each for each in ratings.raters if each != "model"]
    assert found.persons.value == pytest.approx(
        np.mean([alone(ratings, each, False, name) for each in people])
    )
    assert found.model.value == pytest.approx(
        np.mean([alone(ratings, each, True, name) for each in people])
    )


@pytest.mark.parametrize("matched", [False, True])
def test_kappa_is_the_mean_over_pairs_that_kappa_gives(ratings, matched):
    weights = "identity" if matched else "quadratic"
    [found] = beside_persons(ratings, "model", names=["kappa"], matched=matched, interval=None)
    answered = ratings.rows(np.flatnonzero(ratings.only(["model"]).codes[:, 0] > 0))
    people = [each for each in ratings.raters if each != "model"]
    assert found.persons.value == pytest.approx(
        kappa(answered.only(people), weights=weights, interval=None).value
    )
    pairs = [kappa(answered.only([each, "model"]), weights=weights, interval=None).value
             for each in people]  # fmt: skip
    assert found.model.value == pytest.approx(np.mean(pairs))


def test_the_difference_has_an_interval_of_its_own_over_clusters(ratings):
    for found in beside_persons(ratings, "model"):
        between = found.difference
        assert between.value == pytest.approx(found.model.value - found.persons.value)
        assert between.low < between.value < between.high
        assert between.low_like <= between.low
        assert between.high <= between.high_like
        assert "clusters on its own scale" in between.method


def test_a_person_with_fewer_than_ten_items_beside_others_is_left_out(ratings):
    frame = pd.DataFrame(
        [
            (unit, rater, 1 + unit % 5)
            for rater, units in (("a", 40), ("b", 40), ("c", 9), ("model", 60))
            for unit in range(units)
        ]
        # Beside the model alone nobody is compared with anybody.
        + [(unit, "c", 2) for unit in range(50, 60)],
        columns=["unit", "rater", "value"],
    )
    [found] = beside_persons(Ratings(frame), "model", names=["exact"])
    assert found.persons.raters == ("a", "b")
    assert found.model.low is not None
    assert (found.model.low_like, found.model.high_like) == (None, None)


def test_a_crowd_has_no_kappa_of_all_its_pairs_and_everything_else():
    rng = np.random.default_rng(1)
    table = rng.integers(1, 6, (12, MOST_PERSONS + 2))
    exact, pairs = beside_persons(table, MOST_PERSONS + 1, names=["exact", "kappa"], interval=None)
    assert exact.model.value is not None
    assert pairs.model.reason == "too_many_raters_for_interval"
    table = table[:, 1:]
    [pairs] = beside_persons(table, MOST_PERSONS, names=["kappa"], interval=None)
    assert pairs.model.value is not None


def test_each_side_has_its_own_ends_for_persons_like_these(ratings):
    """Whose place it is moves a person's distance from the rest, and the model's hardly."""
    [found] = beside_persons(ratings, "model", names=["mae"])
    wider = [(side.high_like - side.low_like) / (side.high - side.low)
             for side in (found.model, found.persons)]  # fmt: skip
    assert 1 < wider[0] < 1.5 < wider[1]


def test_below_two_persons_there_is_nothing_to_stand_beside():
    [found] = beside_persons([[1, 1], [2, 2]] * 20, 1, names=["exact"])
    assert (found.model.value, found.model.reason) == (None, "too_few_persons")


def test_an_unknown_statistic_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown statistic 'rmse': choose exact, within_one"):
        beside_persons([[1, 1]], 1, names=["rmse"])
