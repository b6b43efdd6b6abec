"""The alternative-annotator test: the worked example, clusters, ties, and who is left out."""

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings
from raterbook.analysis.averages.means import adjust
from raterbook.analysis.comparison import annotators, ratio_over_clusters
from raterbook.analysis.comparison.annotators import alternative_annotator_test
from tests.analysis.model_designs import corrected_coverage, false_passes

# Three people and a judge on six items, in the shared notes on statistics.
A, B, C = [5, 4, 3, 2, 4, 1], [5, 4, 4, 2, 5, 1], [5, 3, 3, 2, 4, 2]
JUDGE = [5, 4, 3, 1, 4, 1]


def rated(columns, cluster=None, **more):
    frame = pd.DataFrame(
        [
            {"unit": unit, "rater": rater, "value": value, "cluster": (cluster or {}).get(unit)}
            for rater, column in columns.items()
            for unit, value in enumerate(column)
            if value is not None
        ]
    )
    return Ratings(frame, cluster="cluster" if cluster else None, **more)


WORKED = {"a": A, "b": B, "c": C, "judge": JUDGE}


def test_the_worked_example_comes_out_to_its_digits():
    found = alternative_annotator_test(rated(WORKED), "judge", epsilon=0.2, least=6)
    assert found.advantage.value == pytest.approx(0.8333, abs=5e-5)
    a, b, c = found.persons
    assert [each.difference.value for each in (a, b, c)] == pytest.approx([1 / 6, -1 / 6, -1 / 6])
    assert [(each.difference.value - 0.2) / each.difference.se for each in (a, b, c)] == (
        pytest.approx([-0.2, -1.193, -1.193], abs=5e-4)
    )
    assert [each.p_plain for each in (a, b, c)] == pytest.approx([0.425, 0.143, 0.143], abs=5e-4)
    assert found.winning_rate_plain == 0


def test_where_each_item_is_its_own_cluster_the_plain_test_is_the_clustered_one():
    found = alternative_annotator_test(rated(WORKED), "judge", epsilon=0.2, least=6)
    assert [each.p for each in found.persons] == [each.p_plain for each in found.persons]
    assert found.design_effect == 1


def drawn(items, wrong, seed=3, people=3):
    """People who say the truth but for one answer in five, and a model that errs more often."""
    rng = np.random.default_rng(seed)
    true = rng.integers(1, 6, items)

    def near(share):
        off = rng.choice([-1, 1], items) * (rng.random(items) < share)
        return np.clip(true + off, 1, 5).tolist()

    return {**{f"p{j}": near(0.2) for j in range(people)}, "model": near(wrong)}


def test_a_model_as_good_as_people_passes_and_one_that_guesses_fails():
    good = alternative_annotator_test(rated(drawn(200, 0.1)), "model")
    bad = alternative_annotator_test(rated(drawn(200, 0.9)), "model")
    assert (good.passes, good.passes_anew, good.fails) == (True, True, False)
    assert (bad.passes, bad.passes_anew, bad.fails) == (False, False, True)


def test_items_copied_within_clusters_make_the_plain_test_surer_and_not_the_clustered_one():
    columns = drawn(40, 0.25)
    copies = {name: [value for value in column for _ in range(4)] for name, column in
              columns.items()}  # fmt: skip
    once = alternative_annotator_test(rated(columns), "model")
    four = alternative_annotator_test(
        rated(copies, {unit: f"c{unit // 4:02d}" for unit in range(160)}), "model"
    )
    assert [each.p for each in four.persons] == pytest.approx([each.p for each in once.persons])
    assert four.persons[0].p_plain < once.persons[0].p_plain
    # Four copies of one item tell as much as one; the plain variance divides by n − 1.
    assert four.design_effect == pytest.approx(4 * (159 / 160) * (40 / 39))
    assert four.persons[0].difference.n_independent == pytest.approx(39 * 160 / 159)


def test_a_person_with_fewer_than_thirty_items_is_left_out_and_named():
    columns = drawn(60, 0.2)
    columns["p1"] = columns["p1"][:30] + [None] * 30
    columns["p2"] = columns["p2"][:29] + [None] * 31
    found = alternative_annotator_test(rated(columns), "model")
    assert found.left_out == {"p2": 29}
    assert [each.rater for each in found.persons] == ["p0", "p1"]
    assert "persons_left_out" in found.warnings
    assert (found.passes_anew, found.highest_anew) == (None, None)


@pytest.mark.parametrize(("clusters", "said"), [(7, None), (8, "rough"), (20, "plain")])
def test_few_clusters_give_no_verdict_and_fewer_than_twenty_are_said(clusters, said):
    group = {unit: f"c{unit % clusters}" for unit in range(120)}
    found = alternative_annotator_test(rated(drawn(120, 0.1), group), "model")
    assert (found.passes is None) == (said is None)
    assert (found.reason == "too_few_clusters") == (said is None)
    assert ("under_twenty_clusters" in found.warnings) == (said == "rough")


@pytest.mark.parametrize(("epsilon", "passes"), [(0.2, True), (0.0, False)])
def test_without_any_spread_the_mean_alone_decides(epsilon, passes):
    same = {name: [1 + unit % 5 for unit in range(40)] for name in ("a", "b", "model")}
    found = alternative_annotator_test(rated(same), "model", epsilon=epsilon)
    assert [each.p for each in found.persons] == [0.0 if passes else 1.0] * 2
    assert found.passes is passes


def test_labels_are_the_same_or_not_and_numbers_near_or_far():
    columns = {"a": [1, 3] * 20, "b": [1, 1] * 20, "model": [2, 2] * 20}
    near = alternative_annotator_test(rated(columns), "model")
    same = alternative_annotator_test(rated(columns), "model", matched=True)
    # Where a says 3 and b 1, the model's 2 is nearer to each of them; as a label it is neither.
    assert near.persons[0].advantage == 0.5
    assert same.persons[0].advantage == 0.5
    assert near.persons[0].difference.value == 0.0
    assert same.persons[0].difference.value == 0.5


def test_one_person_alone_cannot_be_compared_with_anybody():
    found = alternative_annotator_test(rated({"a": [1, 2] * 30, "model": [1, 2] * 30}), "model")
    assert (found.reason, found.passes, found.persons) == ("too_few_persons", None, ())


def test_the_order_of_rows_and_the_names_of_persons_do_not_matter():
    columns = drawn(80, 0.3)
    names = {"p0": "zoe", "p1": "ann", "p2": "max", "model": "model"}
    found = alternative_annotator_test(rated(columns), "model")
    again = alternative_annotator_test(
        rated({names[name]: columns[name] for name in reversed(columns)}), "model"
    )
    ends = [(each.advantage.low, each.advantage.low_like, each.highest_anew)
            for each in (found, again)]  # fmt: skip
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_what_a_page_shows_names_persons_as_text():
    columns = drawn(40, 0.2)
    columns["<b>p0"] = columns.pop("p0")
    shown = alternative_annotator_test(rated(columns), "model")._repr_html_()
    assert "&lt;b&gt;p0" in shown
    assert shown.startswith("<p>alternative annotator: ")
    assert " clusters</p>" in shown


@pytest.mark.parametrize("epsilon", [15, 2, -2])
def test_an_epsilon_that_is_no_share_is_refused(epsilon):
    with pytest.raises(ValueError, match=rf"epsilon={epsilon}: give a share such as \.15"):
        alternative_annotator_test(rated(WORKED), "judge", epsilon=epsilon)


@pytest.mark.parametrize(("people", "same"), [(30, True), (31, False)])
def test_up_to_thirty_persons_are_left_out_of_what_the_others_are_set_against(
    people, same, monkeypatch
):
    table = rated(drawn(40, 0.2, people=people))
    found = alternative_annotator_test(table, "model").highest_anew
    monkeypatch.setattr(annotators, "MOST_LEFT_OUT", 100)
    assert (alternative_annotator_test(table, "model").highest_anew == found) is same


def test_benjamini_yekutieli_agrees_with_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p = [0.001, 0.04, 0.02, 0.2, 0.8]
    assert adjust(p, "benjamini-yekutieli") == pytest.approx(multipletests(p, method="fdr_by")[1])


def test_the_standard_error_over_clusters_is_the_sandwich_of_statsmodels():
    import statsmodels.api as sm

    rng = np.random.default_rng(5)
    cluster = rng.integers(0, 12, 90)
    x = rng.normal(size=12)[cluster] + rng.normal(size=90)
    fit = sm.OLS(x, np.ones(90)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    assert ratio_over_clusters(x, cluster).se == pytest.approx(fit.bse[0] * np.sqrt(12 / 11))


# Simulated truth. `make bench` prints the whole table.


def test_at_the_boundary_a_model_passes_a_person_as_often_as_promised_and_plain_far_oftener():
    found = false_passes(clusters=30, size=8, effect=3, rounds=150)
    # Two standard errors of 450 tests, persons of one round being independent.
    assert found.person <= 0.05 + 2 * (0.05 * 0.95 / 450) ** 0.5
    assert found.person_plain > 0.12
    assert max(found.verdict, found.anew) <= 0.05


def test_where_persons_differ_only_the_verdict_for_persons_drawn_anew_keeps_its_word():
    found = false_passes(clusters=100, size=4, effect=2, rounds=1000, apart=0.1)
    assert found.anew <= 0.05 + 2 * (0.05 * 0.95 / 1000) ** 0.5
    # Of these three persons a model may well be near enough, when it is not of others.
    assert found.verdict > 0.05


@pytest.mark.long
@pytest.mark.parametrize("clusters", [15, 30, 100])
@pytest.mark.parametrize("effect", [1, 2, 3, 4, 5, 6])
def test_false_passes_are_as_rare_as_promised_whatever_the_clusters(clusters, effect):
    found = false_passes(clusters, 8, effect, 2000)
    assert found.person <= 0.05 + 2 * (0.05 * 0.95 / 6000) ** 0.5
    assert max(found.verdict, found.anew) <= 0.05


DESIGNS = {
    "30 of 300 items": {"labelled": 30, "pool": 300, "size": 1},
    "60 of 300 shares": {"labelled": 60, "pool": 300, "size": 1, "kind": "shares"},
    "30 of 200 clusters of three": {"labelled": 90, "pool": 600, "size": 3},
    "60 of 600 with unequal chances": {"labelled": 60, "pool": 600, "size": 1, "kind": "skewed"},
    "40 of 200 clusters of three, shares": {
        "labelled": 120, "pool": 600, "size": 3, "kind": "shares",
    },
    "40 of 300 paired differences": {"labelled": 40, "pool": 300, "size": 1, "kind": "pairs"},
    "30 of 150 clusters of four, paired": {
        "labelled": 120, "pool": 600, "size": 4, "kind": "pairs",
    },
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", DESIGNS)
def test_corrected_intervals_hold_where_the_model_alone_is_wrong(name):
    found = corrected_coverage(**DESIGNS[name], rounds=2000)
    assert 0.93 <= found.corrected <= 0.97
    assert found.model < 0.5
    assert found.narrower < 1


def test_a_hundred_rounds_show_nothing_else():
    found = corrected_coverage(**DESIGNS["30 of 200 clusters of three"], rounds=100)
    assert found.corrected >= 0.88
    assert found.model == 0


# The published test once more, written down as its paper has it: item by item, without arrays.


def as_published(columns, matched, epsilon, least):
    from math import sqrt

    from scipy.stats import t as student

    people = [name for name in columns if name != "model"]

    def score(value, others):
        if matched:
            return sum(value == other for other in others) / len(others)
        return -sqrt(sum((value - other) ** 2 for other in others) / len(others))

    p, wins = {}, {}
    for person in people:
        model, own = [], []
        for at in range(len(columns["model"])):
            others = [columns[k][at] for k in people if k != person and columns[k][at] is not None]
            if None in (columns[person][at], columns["model"][at]) or not others:
                continue
            f, h = score(columns["model"][at], others), score(columns[person][at], others)
            model.append(f >= h - 1e-12)
            own.append(h >= f - 1e-12)
        if len(model) < least:
            continue
        d = [h - f for h, f in zip(own, model, strict=True)]
        mean, n = sum(d) / len(d), len(d)
        s = sqrt(sum((each - mean) ** 2 for each in d) / (n - 1))
        p[person] = student.cdf((mean - epsilon) / (s / sqrt(n)), n - 1)
        wins[person] = sum(model) / n
    ranked, m = sorted(p.values()), len(p)
    harmonic = sum(1 / k for k in range(1, m + 1))
    passed = [k for k, each in enumerate(ranked, 1) if each <= 0.05 * k / (m * harmonic)]
    return max(passed, default=0) / m, sum(wins.values()) / m, p


@pytest.mark.parametrize("matched", [False, True])
@pytest.mark.parametrize("wrong", [0.1, 0.3, 0.45])
@pytest.mark.parametrize("seed", range(4))
def test_winning_rate_and_advantage_are_those_of_the_published_test(matched, wrong, seed):
    rng = np.random.default_rng(100 + seed)
    columns = {
        name: [value if rng.random() < 0.8 else None for value in column]
        for name, column in drawn(120, wrong, seed, people=4).items()
    }
    found = alternative_annotator_test(rated(columns), "model", matched=matched)
    rate, advantage, p = as_published(columns, matched, 0.15, 30)
    assert found.winning_rate_plain == rate
    assert found.advantage.value == pytest.approx(advantage)
    assert {each.rater: each.p_plain for each in found.persons} == pytest.approx(p)


def two_persons(nearer: int, farther: int, n: int = 30):
    """On some items the model is nearer to ben than ana is, on others neither person is as far."""
    rows = [[2, 1, 1]] * nearer + [[1, 1, 2]] * farther
    return [*rows, *[[1, 1, 1]] * (n - len(rows))]


def test_half_of_the_persons_are_enough_to_pass_and_to_fail():
    found = alternative_annotator_test(two_persons(9, 6), 2, epsilon=0.2)
    assert [person.rejected for person in found.persons] == [True, False]
    assert (found.winning_rate, found.passes, found.passes_plain) == (0.5, True, True)
    assert found.warnings == ()
    lost = alternative_annotator_test(two_persons(12, 15), 2, epsilon=0.1)
    assert [person.worse for person in lost.persons] == [False, True]
    assert lost.fails
