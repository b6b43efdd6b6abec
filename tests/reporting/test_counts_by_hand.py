"""Raters beside the others and pairs of raters, counted one answer at a time."""

from itertools import combinations
from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom
from scipy.stats import t as student

from raterbook.numbers.counted import count
from raterbook.reporting.leanings import apart, beside, concord, drift, furthest, habit, margin
from raterbook.reporting.pairs import (
    above,
    agreement_matrix,
    commonest,
    confusions,
    copies,
    crossed,
    is_beyond,
    least,
    met,
    worst_pair,
)
from tests.reporting.rounds import opened, records

RATERS = ("ana", "ben", "cai")
LABELS = ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")


def label(rater, item):
    """What a rater says, who has a habit of their own; a cell in nine is empty."""
    place = RATERS.index(rater)
    if (item * 5 + place * 4) % 9 == 0:
        return None
    return LABELS[(item + (item * 7 + place * 5) % 11 // (7 + place)) % 3]


ITEMS = range(40)
SAID = {(r, i): label(r, i) for r in RATERS for i in ITEMS if label(r, i)}


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    answers = [(r, f"i{i:03d}", "label", said) for (r, i), said in SAID.items()]
    stored = opened(tmp_path_factory.mktemp("hand"), items=records("halo-support", 40),
                    answers=answers)  # fmt: skip
    return count(stored.frame(), stored.protocol.questions)


def question(counted):
    return next(each for each in counted.asked() if each.id == "label")


def students(gaps, level):
    """Of each rater's gaps with their clusters: the mean, its ends, and how many clusters.

    Clusters are left out in turn, t has k² − 1 degrees of freedom of the k that count, and no
    variance of a draw is below three quarters of that of all.
    """
    made = {}
    for name, rows in gaps.items():
        mean, off = fmean(gap for gap, _ in rows), []
        for cluster in {each for _, each in rows}:
            off.append(mean - fmean(gap for gap, each in rows if each != cluster))
        squares = [each**2 for each in off]
        many = len(squares)
        k = sum(squares) ** 2 / sum(each**2 for each in squares)
        made[name] = mean, (many - 1) / many * sum(squares), min(k**2, many) - 1, many
    draws = sum(many for *_, many in made.values())
    least = 0.75 * sum(many**2 * variance for _, variance, _, many in made.values()) / draws
    ends = {}
    for name, (mean, variance, df, many) in made.items():
        reach = student.ppf(1 - level / 2, df) * max(variance, least / many) ** 0.5
        ends[name] = mean, mean - reach, mean + reach, many
    return ends


def test_a_rater_beside_the_others_has_students_interval_corrected_for_all_that_are_asked():
    rng = np.random.default_rng(2)
    rows = pd.DataFrame(
        [(unit, rater, unit // 2, float(rng.integers(1, 6)))
         for unit in range(30) for rater in "abc" if rng.random() < 0.8],
        columns=["unit", "rater", "cluster", "value"],
    )  # fmt: skip
    rows.loc[4, "value"] = np.nan
    found = beside(rows, 0.9, tests=2).set_index("rater")
    known, gaps, own = rows.dropna(), {}, {}
    for name in "abc":
        gaps[name], own[name] = [], []
        for row in known[known["rater"] == name].itertuples():
            others = known[(known["unit"] == row.unit) & (known["rater"] != name)]["value"]
            if len(others):
                gaps[name].append((row.value - fmean(others), row.cluster))
                own[name].append(row.value)
    for name, ends in students(gaps, 0.1 / (3 * 2)).items():
        assert found.loc[name, ["gap", "low", "high", "n"]].tolist() == pytest.approx(ends)
        assert found.loc[name, "own"] == pytest.approx(fmean(own[name]))
        assert found.loc[name, "others"] == pytest.approx(fmean(own[name]) - ends[0])
    assert found["gap"].is_monotonic_increasing


@pytest.mark.parametrize(("clusters", "given"), [(9, False), (10, True)])
def test_fewer_than_ten_independent_units_carry_no_interval_of_a_rater(clusters, given):
    rows = pd.DataFrame(
        [(unit, rater, unit, float((unit * 3 + place) % 5))
         for unit in range(clusters) for place, rater in enumerate("ab")],
        columns=["unit", "rater", "cluster", "value"],
    )  # fmt: skip
    assert beside(rows, 0.95)["low"].notna().all() == given
    assert beside(rows[rows["rater"] == "a"], 0.95).empty


def test_who_lies_furthest_is_named_beyond_the_interval_alone():
    found = pd.DataFrame({"rater": list("abcd"), "gap": [-2.0, -0.5, 0.4, 1.0],
                          "low": [-5, -0.9, 0.1, 0.0], "high": [1, -0.1, 0.7, 2.0]})  # fmt: skip
    assert (furthest(found, -1).rater, furthest(found, 1).rater) == ("b", "c")
    assert furthest(found.iloc[[0, 3]], 1) is None


def test_how_often_a_rater_agrees_is_set_against_the_others_among_themselves(counted):
    found = concord(counted, [question(counted)], 0.95).set_index("rater")
    gaps = {}
    for name in RATERS:
        own, rest = [], []
        for item in ITEMS:
            said = {r: SAID[r, item] for r in RATERS if (r, item) in SAID}
            if len(said) == 3:
                mine = said.pop(name)
                own.append(fmean(mine == each for each in said.values()))
                rest.append(float(len(set(said.values())) == 1))
        gaps[name] = [(a - b, at) for at, (a, b) in enumerate(zip(own, rest, strict=True))]
        assert found.loc[name, "own"] == pytest.approx(fmean(own))
    for name, ends in students(gaps, 0.05 / 3).items():
        assert found.loc[name, ["gap", "low", "high", "n"]].tolist() == pytest.approx(ends)


def test_a_habit_is_how_often_a_rater_gives_each_label_beside_the_others(counted):
    found = habit(counted, question(counted), 0.95).set_index(["rater", "label"])
    for what in LABELS:
        gaps = {}
        for name in RATERS:
            gap, own = [], []
            for item in ITEMS:
                others = [SAID[r, item] == what for r in RATERS if r != name and (r, item) in SAID]
                if (name, item) in SAID and others:
                    own.append(float(SAID[name, item] == what))
                    gap.append(own[-1] - fmean(others))
            gaps[name] = list(zip(gap, range(len(gap)), strict=True))
            assert found.loc[(name, what), "own"] == pytest.approx(fmean(own))
        for name, ends in students(gaps, 0.05 / (3 * 3)).items():
            row = found.loc[(name, what)]
            assert row[["gap", "low", "high", "n"]].tolist() == pytest.approx(ends)


def test_two_raters_agree_on_a_share_of_what_both_answered(counted):
    found = agreement_matrix(counted, [question(counted)])
    for one, other in combinations(RATERS, 2):
        both = [item for item in ITEMS if (one, item) in SAID and (other, item) in SAID]
        share = fmean(SAID[one, item] == SAID[other, item] for item in both)
        assert (found.loc[one, other], found.loc[other, one]) == (pytest.approx(share),) * 2
    assert np.isnan(np.diag(found)).all()


def test_values_are_confused_as_often_as_two_raters_gave_the_one_and_the_other(counted):
    found = confusions(counted, [question(counted)])
    pairs = {(a, b): 0 for a in LABELS for b in LABELS}
    for one, other in combinations(RATERS, 2):
        for item in ITEMS:
            if (one, item) in SAID and (other, item) in SAID:
                pairs[SAID[one, item], SAID[other, item]] += 1
                pairs[SAID[other, item], SAID[one, item]] += 1
    assert {(a, b): found.loc[a, b] for a, b in pairs} == pairs


def test_the_pair_confused_most_has_its_share_of_all_that_differ():
    table = pd.DataFrame([[9, 2, 1], [2, 4, 3], [1, 3, 5]], index=list("xyz"), columns=list("xyz"))
    assert worst_pair(table) == ("y", "z", 3 / 6, 6)
    assert worst_pair(table * np.eye(3, dtype=int)) is None
    assert commonest(table) == [("y", "z", 3), ("z", "y", 3)]
    assert commonest(table * np.eye(3, dtype=int)) == []
    first, second = pd.Series([0, 1, 1, None]), pd.Series([0, 2, 2, 1])
    assert crossed(first, second, list("xyz")).to_numpy().tolist() == [
        [1, 0, 0],
        [0, 0, 2],
        [0] * 3,
    ]


def test_chances_and_bounds_are_the_binomials():
    assert above(7, 10, 0.4) == pytest.approx(binom.sf(6, 10, 0.4))
    assert (above(0, 10, 0.4), least(0, 10, 0.05)) == (1, 0)
    assert least(7, 10, 0.05) == pytest.approx(beta.ppf(0.05, 7, 4))


@pytest.mark.parametrize(
    ("same", "n", "usual", "beyond"),
    # Where few items are shared the bound decides, of many what was seen.
    [(100, 100, 0.8, True), (99, 100, 0.8, False), (99, 100, 0.7, True), (98, 100, 0.7, False),
     (971, 1000, 0.7, True), (969, 1000, 0.7, False), (100, 100, 0.95, False)],
)  # fmt: skip
def test_a_pair_is_too_much_alike_where_it_is_apart_ten_times_less_often(same, n, usual, beyond):
    bound = 1 - beta.ppf(0.05, same, n - same + 1)
    assert beyond == (bound * 5 <= 1 - usual and (n - same) / n * 10 <= 1 - usual)
    assert is_beyond(same, n, usual, 1e-3) == beyond
    assert not is_beyond(same, n, usual, 1e-200)


def test_pairs_who_met_have_what_is_the_same_and_what_chance_would_make(counted):
    found = met(counted, [question(counted)], list(RATERS))
    assert len(found) == 3
    for row in found.itertuples():
        one, other = RATERS[row.first], RATERS[row.second]
        both = [item for item in ITEMS if (one, item) in SAID and (other, item) in SAID]
        assert (row.shared, row.items) == (len(both), len(both))
        assert row.same == sum(SAID[one, item] == SAID[other, item] for item in both)
        shares = [[fmean(SAID[who, item] == what for item in both) for what in LABELS]
                  for who in (one, other)]  # fmt: skip
        chance = np.dot(*shares)
        assert row.chance == pytest.approx(chance)
    assert copies(counted, [question(counted)]) == []


def dated(values, clusters=None):
    own = range(len(values))
    return pd.DataFrame(
        {"item": own, "apart": values, "cluster": own if clusters is None else clusters,
         "at": pd.date_range("2026-01-01", periods=len(values), freq="min")}
    )  # fmt: skip


def test_a_rater_s_first_third_is_set_against_the_last():
    values = [0.5, -0.5, 0.2, 0.0] + [9.0] * 5 + [1.0, 1.5, 0.7, 1.2]
    found = drift(dated(values), 0.9)
    early, late = np.array(values[:4]), np.array(values[-4:])
    reach = student.ppf(0.95, 3) * np.hypot(early.std(ddof=1), late.std(ddof=1)) / 2
    moved = late.mean() - early.mean()
    assert found == pytest.approx(
        {"early": early.mean(), "late": late.mean(),
         "drift_low": moved - reach, "drift_high": moved + reach}
    )  # fmt: skip
    assert drift(dated(values[:11]), 0.9) == {}
    assert drift(dated(values[:12]), 0.9) != {}
    at_once = dated(values).assign(at=pd.Timestamp("2026-01-01"))
    assert drift(at_once, 0.9) == {}


def test_the_margin_of_a_mean_is_student_s_over_what_is_drawn_together():
    values = np.array([0.5, -0.5, 0.2, 0.0])
    own = np.arange(4)
    half = student.ppf(0.9, 3) * values.std(ddof=1) / 2
    assert margin(values, own, 0.8) == pytest.approx(half)
    assert margin(np.repeat(values, 3), np.repeat(own, 3), 0.8) == pytest.approx(half)
    assert np.isnan(margin(values, np.zeros(4, dtype=int)))


def test_items_drawn_together_say_no_more_of_a_drift_than_one_of_them():
    values = [0.5, -0.5, 0.2, 0.0] + [9.0] * 4 + [1.0, 1.5, 0.7, 1.2]
    clusters = np.arange(12)
    alone = drift(dated(values), 0.9)
    thrice = drift(dated(np.repeat(values, 3), np.repeat(clusters, 3)), 0.9)
    assert thrice == pytest.approx(alone)
    # The same texts at the beginning and at the end: what is theirs falls out of the difference.
    early = np.array([2.0, -1.0, 0.5, 3.0])
    again = drift(
        dated([*early, *[9.0] * 4, *(early + 0.3)], [*range(4), *range(4, 8), *range(4)]), 0.9
    )
    assert [again["drift_low"], again["drift_high"]] == pytest.approx([0.3, 0.3])
    of_one = drift(dated(values, ["a"] * 12), 0.9)
    assert np.isnan(of_one["drift_low"])


def test_limits_of_agreement_are_of_the_mean_over_questions_item_by_item(tmp_path):
    said = {
        (rater, item, name): 1 + (item * 3 + len(name) + 2 * place) % 5
        for place, rater in enumerate(RATERS)
        for item in range(12)
        for name in ("accuracy", "fluency")
        if (item + place) % 7
    }
    answers = [(r, f"i{i:03d}", name, value) for (r, i, name), value in said.items()]
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 12), answers)
    counted = count(stored.frame(), stored.protocol.questions)
    found = apart(counted, "ana", ["ben", "cai"])
    gaps = []
    for item in range(12):
        each = []
        for name in ("accuracy", "fluency"):
            others = [said[r, item, name] for r in ("ben", "cai") if (r, item, name) in said]
            if ("ana", item, name) in said and others:
                each.append(said["ana", item, name] - fmean(others))
        if each:
            gaps.append(fmean(each))
    sd = np.std(gaps, ddof=1)
    assert len(found.points) == len(gaps) == 10
    assert (found.bias, found.margin) == pytest.approx(
        (fmean(gaps), student.ppf(0.975, len(gaps) - 1) * sd / len(gaps) ** 0.5)
    )
    assert (found.low, found.high) == pytest.approx(
        (fmean(gaps) - 1.96 * sd, fmean(gaps) + 1.96 * sd)
    )
    assert found.within == np.mean([abs(gap - fmean(gaps)) <= 1.96 * sd for gap in gaps])
    assert apart(counted, "ana", ["ana"]) is None


def test_items_of_one_source_are_one_draw_of_how_far_two_raters_lie_apart(tmp_path):
    """Items of a source differ alike: over five sources, whatever is said of twenty items."""
    gaps = [1, 0, 2, 1, 0]
    answers = [
        (rater, f"i{item:03d}", "fluency", 2 + (gaps[item // 4] if rater == "ana" else 0))
        for rater in ("ana", "ben")
        for item in range(20)
    ]
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 20), answers)
    frame = stored.frame()
    frame["source"] = frame["item"].astype(str).str[1:].astype(int) // 4
    counted = count(frame, stored.protocol.questions)
    found = apart(counted, "ana", ["ben"], 0.9, cluster="source")
    over_sources = student.ppf(0.95, 4) * np.std(gaps, ddof=1) / 5**0.5
    assert (found.bias, found.margin) == pytest.approx((0.8, over_sources))
    assert apart(counted, "ana", ["ben"], 0.9).margin < over_sources / 2
    frame["source"] = "the same"
    of_one = apart(count(frame, stored.protocol.questions), "ana", ["ben"], cluster="source")
    assert np.isnan(of_one.margin)
