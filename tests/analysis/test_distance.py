"""Binned Jensen–Shannon distance, beside what a person comes to and one half of the people."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings
from raterbook.analysis.comparison.uncertainty import distance, lower_medians

PEOPLE = ("554", "443", "222", "545", "232", "444")


def persons(units, seed, raters=4, off=0.6):
    """People who see the same with noise of their own; the last is called a model."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.4, 1.1, units)[:, None]
    return np.clip(np.rint(true + off * rng.normal(size=(units, raters))), 1, 5).astype(int)


def by_hand(table, model):
    """The definition, with Counters in place of arrays."""
    bins, table = {}, [row for row in table if row[model] is not None]
    table = [row for row in table if {*row[:model], *row[model + 1 :]} != {None}]
    for row in table:
        others = sorted(value for at, value in enumerate(row) if at != model and value is not None)
        bins.setdefault(others[(len(others) - 1) // 2], []).append((others, row[model]))
    total = 0.0
    for inside in bins.values():
        people = [value for others, _ in inside for value in others]
        own = [value for _, value in inside]
        middle = 0.0
        for value in set(people) | set(own):
            p, q = people.count(value) / len(people), own.count(value) / len(own)
            for side in (p, q):
                middle += side * np.log(2 * side / (p + q)) / 2 if side else 0.0
        total += len(inside) / len(table) * np.sqrt(middle)
    return total


def test_the_worked_example():
    table = [[*map(int, row), own] for row, own in zip(PEOPLE, (5, 4, 3, 5, 3, 5), strict=True)]
    assert round(distance(table, 3, interval=None).model.value, 4) == 0.5132


def test_it_is_the_definition():
    table = persons(50, 3)
    assert distance(table, 3, interval=None).model.value == pytest.approx(by_hand(table, 3))


def test_the_median_of_an_even_number_is_the_lower():
    assert lower_medians(np.array([[1, 4, 0, 0], [2, 3, 5, 4], [0, 0, 0, 0]])).tolist() == [1, 3, 0]


@pytest.mark.parametrize(("units", "expected"), [(30, 0.25), (1000, 0.15)])
def test_one_more_person_does_not_come_out_at_nothing(units, expected):
    """About .25 of 30 items and .15 of 1,000: alone, the number says nothing of a model."""
    found = [distance(persons(units, seed), 3, interval=None).model.value for seed in range(20)]
    assert np.mean(found) == pytest.approx(expected, abs=0.025)


@pytest.mark.parametrize("units", [60, 400])
def test_a_model_that_is_one_more_person_lies_as_far_off_as_a_person(units):
    found = [distance(persons(units, seed), 3).difference for seed in range(20)]
    assert np.mean([each.value for each in found]) == pytest.approx(0, abs=0.02)
    assert sum(each.low > 0 or each.high < 0 for each in found) <= 3


def test_a_model_that_is_further_off_than_people_is_shown_to_be():
    table = persons(300, 1)
    table[:, 3] = np.random.default_rng(2).integers(1, 6, 300)
    found = distance(table, 3)
    assert found.difference.low > 0.1


def test_one_half_of_the_people_stands_beside():
    assert 0.2 < distance(persons(400, 1), 3, interval=None).halves < 0.5


@pytest.mark.parametrize("gone", [0, 0.5])
@pytest.mark.parametrize("people", [3, 4])
def test_halves_are_every_way_to_halve_the_people_each_half_beside_the_other(people, gone):
    whole = persons(80, 6, raters=people + 1)
    there = np.random.default_rng(people).random(whole.shape) >= gone
    there[:, people] = True
    table, found = np.where(there, whole.astype(object), None), []
    for many in {people // 2, people - people // 2}:
        for half in combinations(range(people), many):
            rest = [j for j in range(people) if j not in half]
            # Each of the others stands beside the half in turn, on the same units.
            rows = [[*row[list(half)].tolist(), row[j]] for j in rest for row in table]
            found.append(by_hand(rows, many))
    assert distance(table, people, interval=None).halves == pytest.approx(np.mean(found))


@pytest.mark.parametrize("people", [2, 4])
@pytest.mark.parametrize("gone", [0, 0.3])
def test_in_each_person_s_place_model_and_person_are_set_against_the_others(people, gone):
    whole = persons(40, 7, raters=people + 1)
    there = np.random.default_rng(people).random(whole.shape) >= gone
    table = np.where(there, whole.astype(object), None)
    found = distance(table, people, interval=None)
    places = [[j for j in range(people) if j != out] for out in range(people)]
    model, person = [], []
    for out, others in enumerate(places):
        asked = table[(there[:, out]) & there[:, people]].tolist()
        model.append(
            by_hand([[*(row[j] for j in others), row[people]] for row in asked], people - 1)
        )
        person.append(by_hand([[*(row[j] for j in others), row[out]] for row in asked], people - 1))
    assert found.model.value == pytest.approx(by_hand(table.tolist(), people))
    assert found.in_place.value == pytest.approx(np.mean(model))
    assert found.persons.value == pytest.approx(np.mean(person))
    assert found.difference.value == pytest.approx(np.mean(model) - np.mean(person))
    used = there[there[:, people], :people]
    counts = (found.model.n_units, found.model.n_raters, found.model.n_ratings)
    assert counts == (used.any(axis=1).sum(), people, used.sum())


def test_clusters_order_and_names():
    table = pd.DataFrame(persons(90, 4), columns=["ana", "ben", "cai", "model"])
    cluster = np.arange(90) // 3
    found = distance(Ratings(table, cluster=cluster), "model")
    order = np.random.default_rng(3).permutation(90)
    turned = table.iloc[order][["model", "cai", "ana", "ben"]]
    other = distance(Ratings(turned, cluster=cluster[order]), "model")
    assert (found.difference.low, found.model.value) == pytest.approx(
        (other.difference.low, other.model.value)
    )
    assert found.difference.method.startswith("jackknife over 30 clusters")


def test_what_the_model_alone_answered_makes_no_distance_and_no_cluster():
    table = persons(60, 5).tolist()
    found, other = (distance(rows, 3).model for rows in (table, [*table, [None] * 3 + [2]]))
    assert (found.value, found.low, found.method) == (other.value, other.low, other.method)


@pytest.mark.parametrize(("units", "reason"), [(9, "too_few_persons"), (10, None)])
def test_a_person_with_fewer_than_ten_units_stands_in_no_place(units, reason):
    assert distance(persons(units, 5), 3, interval=None).difference.reason == reason


def test_with_one_person_there_is_nothing_beside():
    found = distance([[1, 1], [2, 3], [4, 4]], 1, interval=None)
    assert found.model.value is not None
    assert found.difference.reason == "too_few_persons"


def test_scores_that_hardly_repeat_have_no_bins():
    found = distance([[at, at + 0.5] for at in range(40)], 1)
    assert found.model.reason == "too_many_values"


def test_twenty_values_have_bins_and_twenty_one_have_none():
    found = [distance([[at % many, at * 7 % many] for at in range(40)], 1, interval=None).model
             for many in (20, 21)]  # fmt: skip
    assert found[0].value is not None
    assert found[1].reason == "too_many_values"
