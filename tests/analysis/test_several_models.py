"""Several models beside the same persons: who is nearer, what is shown, and fifty-two figures."""

from math import sqrt

import numpy as np
import pytest

from raterbook.analysis import Ratings
from raterbook.analysis.comparison.annotators import (
    alternative_annotator_test,
    duels,
    jointly,
    pairs_of_models,
)
from raterbook.analysis.intervals import Interval
from tests.analysis.test_alternative_annotator import as_published, drawn, rated


def several(wrong, items=160, seed=3, people=3):
    """The duels of models that err as often as `wrong` says, all on the same items."""
    rng = np.random.default_rng(seed)
    true = rng.integers(1, 6, items)

    def near(share):
        off = rng.choice([-1, 1], items) * (rng.random(items) < share)
        return np.clip(true + off, 1, 5)

    x = np.column_stack([near(0.2) for _ in range(people)])
    coded = Ratings(x, scale=[1, 2, 3, 4, 5])
    models = {name: near(share) for name, share in wrong.items()}

    def made(name):
        return lambda kept: duels(coded.only(list(kept)), models[name].astype(int), False)

    return {name: made(name) for name in wrong}, x, models


def test_two_models_differ_by_how_much_oftener_one_is_as_near_in_each_persons_place():
    made, x, models = several({"one": 0.1, "two": 0.5})
    [pair] = pairs_of_models(made, 3, wish=Interval())
    share = []
    for j in range(3):
        others = np.delete(x, j, axis=1)
        own = ((others - x[:, [j]]) ** 2).sum(axis=1)
        near = {n: ((others - v[:, None]) ** 2).sum(axis=1) <= own for n, v in models.items()}
        share.append(near["one"].mean() - near["two"].mean())
    assert pair.difference.value == pytest.approx(np.mean(share))
    assert 0 < pair.difference.low < pair.difference.value
    assert pair.difference.low_like <= pair.difference.low


def test_pairs_are_corrected_for_how_many_there_are():
    from statsmodels.stats.multitest import multipletests

    made, _, _ = several({"one": 0.2, "two": 0.3, "three": 0.35, "four": 0.3})
    found = pairs_of_models(made, 3, wish=Interval())
    assert [each.p_corrected for each in found] == pytest.approx(
        multipletests([each.p for each in found], method="fdr_by")[1]
    )


def test_of_models_that_are_alike_one_is_hardly_ever_shown_to_be_nearer():
    said = 0
    for seed in range(200):
        made, _, _ = several(dict.fromkeys("abcd", 0.3), items=60, seed=seed)
        found = pairs_of_models(made, 3, wish=Interval())
        said += any(each.p_corrected is not None and each.p_corrected <= 0.05 for each in found)
    assert said / 200 <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def test_tests_of_several_models_are_corrected_for_all_of_their_persons():
    from statsmodels.stats.multitest import multipletests

    tests = [
        alternative_annotator_test(rated(drawn(120, wrong, seed)), "model")
        for seed, wrong in enumerate((0.2, 0.24, 0.28, 0.32))
    ]
    found = jointly(tests)
    p = [each.p for test in tests for each in test.persons]
    after = multipletests(p, method="fdr_by")[1] <= 0.05
    assert [each.rejected for test in found for each in test.persons] == after.tolist()


@pytest.mark.parametrize(("items", "reason"), [(29, "too_few_persons"), (30, None)])
def test_a_person_with_fewer_than_thirty_items_is_in_no_pair(items, reason):
    made, _, _ = several({"one": 0.1, "two": 0.5}, items=items)
    [pair] = pairs_of_models(made, 3, wish=Interval())
    assert (pair.difference.value is None, pair.difference.reason) == (items == 29, reason)


@pytest.mark.parametrize(("people", "said"), [(30, True), (31, False)])
def test_of_more_than_thirty_persons_nothing_is_said_of_persons_like_these(people, said):
    made, _, _ = several({"one": 0.1, "two": 0.5}, items=40, people=people)
    [pair] = pairs_of_models(made, people, wish=Interval())
    assert (pair.difference.low_like is not None) == said


# Fifty-two figures: nine data sets, five or six models each, by the plain test and over clusters.


SETS = {
    "stars": {"levels": 5, "people": 3, "epsilon": 0.15},
    "stars with gaps": {"levels": 5, "people": 5, "epsilon": 0.1, "there": 0.7},
    "grades to ten": {"levels": 10, "people": 4, "epsilon": 0.2},
    "two labels": {"levels": 2, "people": 3, "epsilon": 0.1, "labels": True},
    "six labels with gaps": {
        "levels": 6, "people": 6, "epsilon": 0.2, "labels": True, "there": 0.6,
    },
    "a crowd": {"levels": 4, "people": 9, "epsilon": 0.1, "there": 0.5},
    "posts of five": {"levels": 5, "people": 3, "epsilon": 0.15, "size": 5},
    "articles of sixteen": {"levels": 5, "people": 3, "epsilon": 0.2, "size": 16},
    "labels by review": {
        "levels": 3, "people": 4, "epsilon": 0.1, "labels": True, "size": 5, "there": 0.8,
    },
}  # fmt: skip
WRONG = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8)
PAIRS = [(name, at) for place, name in enumerate(SETS) for at in range(6 if place < 7 else 5)]


def table_of(name, at):
    """One data set's persons and one model; items of a cluster share how hard they are."""
    how = {"there": 1.0, "size": 1, "labels": False, **SETS[name]}
    rng = np.random.default_rng([list(SETS).index(name), 7])
    items, levels = 160, how["levels"]
    cluster = np.arange(items) // how["size"]
    true = rng.integers(1, levels + 1, items)
    hard = rng.choice([0.1, 0.9] if how["size"] > 1 else [0.5], cluster.max() + 1)[cluster]

    def answers(share, rng):
        wrong = rng.random(items) < 2 * share * hard
        other = 1 + (true - 1 + rng.integers(1, levels, items)) % levels
        near = np.clip(true + rng.choice([-1, 1], items), 1, levels)
        return np.where(wrong, other if how["labels"] else near, true)

    columns = {}
    for person in range(how["people"]):
        given = answers(0.25, rng)
        there = rng.random(items) < how["there"]
        columns[f"p{person}"] = [int(v) if t else None for v, t in zip(given, there, strict=True)]
    of_model = np.random.default_rng([list(SETS).index(name), 7, at])
    columns["model"] = [int(v) for v in answers(WRONG[at], of_model)]
    return columns, dict(enumerate(map(str, cluster))), how


def over_clusters(columns, cluster, matched, epsilon):
    """The clustered test as the formula has it, cluster by cluster."""
    from scipy.stats import t as student

    people = [name for name in columns if name != "model"]
    p = []
    for person in people:
        sums = {}
        for at in range(len(columns["model"])):
            others = [columns[k][at] for k in people if k != person and columns[k][at] is not None]
            own = columns[person][at]
            if own is None or not others:
                continue

            def far(value, others=others):
                return sum(value != o if matched else (value - o) ** 2 for o in others)

            d = (far(own) <= far(columns["model"][at])) - (far(columns["model"][at]) <= far(own))
            s, n = sums.get(cluster[at], (0, 0))
            sums[cluster[at]] = s + d, n + 1
        total, n = (sum(each) for each in zip(*sums.values(), strict=True))
        if n < 30:
            continue
        mean, groups = total / n, len(sums)
        rest = sum((s - mean * many) ** 2 for s, many in sums.values())
        se = sqrt(groups / (groups - 1) * rest) / n
        p.append(student.cdf((mean - epsilon) / se, groups - 1))
    harmonic, m = sum(1 / k for k in range(1, len(p) + 1)), len(p)
    passed = [k for k, each in enumerate(sorted(p), 1) if each <= 0.05 * k / (m * harmonic)]
    return max(passed, default=0) / m


def test_there_are_fifty_two_of_them_and_clusters_change_some():
    assert len(PAIRS) == 52
    moved = 0
    for name, at in PAIRS:
        columns, cluster, how = table_of(name, at)
        plain, _, _ = as_published(columns, how["labels"], how["epsilon"], 30)
        moved += plain != over_clusters(columns, cluster, how["labels"], how["epsilon"])
    assert 3 <= moved <= 20


@pytest.mark.parametrize(("name", "at"), PAIRS)
def test_each_figure_comes_out_to_its_digits_plain_and_over_clusters(name, at):
    columns, cluster, how = table_of(name, at)
    found = alternative_annotator_test(
        rated(columns, cluster), "model", epsilon=how["epsilon"], matched=how["labels"]
    )
    rate, advantage, _ = as_published(columns, how["labels"], how["epsilon"], 30)
    clustered = over_clusters(columns, cluster, how["labels"], how["epsilon"])
    assert (found.winning_rate_plain, found.winning_rate) == (rate, clustered)
    assert found.advantage.value == pytest.approx(advantage)
