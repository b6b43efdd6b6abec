"""A model's habits beside people's: by plain second implementations, and where they are planted."""

from statistics import fmean, pstdev

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from raterbook.analysis import Ratings
from raterbook.analysis.comparison.annotators import duels
from raterbook.analysis.comparison.habits import (
    by_agreement,
    groups_apart,
    habits,
    halo_effect,
    same_again,
    split_duels,
)
from raterbook.analysis.comparison.persons import MOST_PERSONS
from raterbook.analysis.intervals import Interval
from raterbook.analysis.ratings import read

PEOPLE = ("ana", "ben", "cai")
LENGTH = {unit: 20 + 7 * (unit * unit % 31) for unit in range(120)}
OWN = {unit: unit % 3 == 0 for unit in range(120)}


def drawn(seed=4, lift=lambda unit: 0, units=120, people=PEOPLE):
    """Everybody near the truth, some cells empty; `lift` is added to the model's answers."""
    rng = np.random.default_rng(seed)
    true = rng.integers(2, 9, units)
    rows = []
    for name in (*people, "model"):
        for unit in range(units):
            value = int(true[unit] + rng.choice([-1, 0, 0, 1]))
            value += lift(unit) if name == "model" else 0
            if rng.random() < 0.9 or name == "model":
                rows.append((unit, name, value, unit // 2))
    return pd.DataFrame(rows, columns=["unit", "rater", "value", "cluster"])


def ratings(frame):
    return Ratings(frame, cluster="cluster")


def cells(frame):
    return {(row.unit, row.rater): row.value for row in frame.itertuples()}


def plain(frame, of):
    """Both sides by going through persons one after the other: `of` a list of (unit, own, rest)."""
    said = cells(frame)
    model, person = [], []
    for name in PEOPLE:
        turn = []
        for unit in range(120):
            others = [said[unit, k] for k in PEOPLE if k != name and (unit, k) in said]
            if (unit, name) in said and others:
                turn.append((unit, others))
        model.append(of([(unit, said[unit, "model"], others) for unit, others in turn]))
        person.append(of([(unit, said[unit, name], others) for unit, others in turn]))
    return fmean(model), fmean(person)


def spread_of(turn):
    theirs = [value for _, _, others in turn for value in others]
    return pstdev([own for _, own, _ in turn]) / pstdev(theirs)


def slope_of(turn):
    import statsmodels.api as sm

    x = [[1, np.log2(LENGTH[unit]), fmean(others)] for unit, _, others in turn]
    return float(sm.OLS([own for _, own, _ in turn], np.array(x)).fit().params[1])


def range_of(turn):
    y, x = ([float(of) for of in each] for each in zip(*((o, fmean(p)) for _, o, p in turn)))
    return float(np.polyfit(x, y, 1)[0])


def family_of(turn):
    gap = {True: [], False: []}
    for unit, own, others in turn:
        gap[OWN[unit]].append(own - fmean(others))
    return fmean(gap[True]) - fmean(gap[False])


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("spread", spread_of),
        ("range_slope", range_of),
        ("length_slope", slope_of),
        ("own_family", family_of),
    ],
)
def test_a_habit_is_what_a_plain_count_makes_of_it(name, of):
    frame = drawn()
    found = {e.statistic: e for e in habits(ratings(frame), "model", length=LENGTH, family=OWN)}
    model, person = plain(frame, of)
    assert found[name].model.value == pytest.approx(model)
    assert found[name].persons.value == pytest.approx(person)
    assert found[name].difference.value == pytest.approx(model - person)


@pytest.mark.parametrize(
    ("name", "lift", "size"),
    [
        ("length_slope", lambda unit: round(1.5 * np.log2(LENGTH[unit] / 100)), 1.5),
        ("own_family", lambda unit: 2 * OWN[unit], 2.0),
    ],
)
def test_what_is_planted_is_found_and_its_interval_holds_it(name, lift, size):
    given = {"length": LENGTH, "family": OWN}
    with_it = {e.statistic: e for e in habits(ratings(drawn(lift=lift)), "model", **given)}
    without = {e.statistic: e for e in habits(ratings(drawn()), "model", **given)}
    assert with_it[name].difference.low > 0.5
    assert with_it[name].model.low < size < with_it[name].model.high
    assert without[name].difference.low < 0 < without[name].difference.high


def test_a_model_that_uses_half_of_the_scale_spreads_less_and_people_as_much_as_each_other():
    frame = drawn()
    own = frame["rater"].eq("model")
    frame.loc[own, "value"] = 5 + (frame.loc[own, "value"] - 5) // 2
    found, by_point = habits(ratings(frame), "model")
    assert by_point.difference.high < 0  # and follows the others' points by half
    assert found.model.high < 0.7
    assert found.persons.low < 1 < found.persons.high
    assert found.difference.low_like <= found.difference.low


def test_scores_far_from_zero_have_the_habits_of_near_ones():
    frame = drawn()
    far = frame.assign(value=frame["value"] + 1e8)
    length = dict(enumerate(range(50, 170)))
    for one, other in zip(
        [
            *habits(ratings(frame), "model", length=length),
            halo_effect([ratings(frame)] * 2, "model"),
        ],
        [*habits(ratings(far), "model", length=length), halo_effect([ratings(far)] * 2, "model")],
        strict=True,
    ):
        sides = [
            [(side.value, side.low, side.high) for side in (each.model, each.persons)]
            for each in (one, other)
        ]
        assert sides[0] == [pytest.approx(side, abs=1e-6) for side in sides[1]]


def test_a_rater_of_one_score_has_no_spread_and_no_interval_of_it():
    frame = drawn()
    frame.loc[frame["rater"].eq("model"), "value"] = 5
    found, by_point = habits(ratings(frame), "model")
    assert [(e.model.value, e.model.low) for e in (found, by_point)] == [(0, None), (0, None)]


def test_a_small_group_knows_its_spread_by_its_own_items_alone():
    """Ten of forty items: one mean less another, of values that spread alike."""
    table = np.random.default_rng(6).integers(1, 6, (40, 4)).astype(float)
    own = {unit: unit < 10 for unit in range(40)}
    [*_, found] = habits(table, 3, family=own)
    inside, outside = 1 / 10, 1 / 30
    squares = 10 * (inside / 10) ** 2 + 30 * (outside / 30) ** 2
    assert found.difference.df == pytest.approx((inside + outside) ** 2 / squares - 1)


def test_units_without_a_length_are_left_out():
    frame = drawn()
    some = {unit: None if unit % 4 == 0 else LENGTH[unit] for unit in LENGTH}
    kept = frame[frame["unit"] % 4 != 0]
    found = [
        habits(ratings(part), "model", length=lengths)[2].model.value
        for part, lengths in ((frame, some), (kept, LENGTH))
    ]
    assert found[0] == pytest.approx(found[1])


def test_where_all_texts_are_as_long_there_is_no_slope():
    [*_, found] = habits(ratings(drawn()), "model", length=dict.fromkeys(range(120), 50))
    assert (found.model.value, found.model.reason) == (None, "no_spread")


@pytest.mark.parametrize("points", [1, 700])
def test_where_texts_are_as_long_as_the_others_scores_are_high_there_is_no_slope(points):
    rng = np.random.default_rng(3)
    value = rng.integers(1, 6, 40)
    table = np.column_stack([value, value, value, rng.integers(1, 6, 40)])
    length = {unit: 2.0 ** (60 * np.pi * score) for unit, score in enumerate(value)}
    [*_, found] = habits(points * table, 3, length=length, interval=None)
    assert (found.model.value, found.model.reason) == (None, "no_spread")


# Where the others agree, and where they do not.


def test_the_split_looks_at_the_others_and_not_at_the_person_whose_place_it_is():
    frame = drawn()
    found = by_agreement(ratings(frame), "model", names=["mae"], interval=None)

    def distance(alike):
        def of(turn):
            return fmean(
                abs(own - fmean(others))
                for _, own, others in turn
                if len(others) > 1 and (min(others) == max(others)) == alike
            )

        return of

    for which, alike in (("agreed", True), ("apart", False)):
        model, person = plain(frame, distance(alike))
        [line] = found[which]
        assert (line.model.value, line.persons.value) == pytest.approx((model, person))


@pytest.mark.parametrize("matched", [True, False])
def test_k_of_the_split_is_that_of_pairs_where_the_others_are_apart(matched):
    frame = drawn()
    found = by_agreement(
        ratings(frame), "model", names=["kappa"], matched=matched, interval=None
    )  # fmt: skip
    said = cells(frame)

    def of(who, j):
        made = []
        for k in PEOPLE:
            pairs = [
                (said[unit, who or j], said[unit, k])
                for unit in range(120)
                if k != j and (unit, j) in said
                and all((unit, other) in said for other in PEOPLE if other != j)
                and len({said[unit, other] for other in PEOPLE if other != j}) > 1
            ]  # fmt: skip
            if pairs:
                weights = None if matched else "quadratic"
                made.append(cohen_kappa_score(*zip(*pairs, strict=True), weights=weights,
                                              labels=list(range(1, 10))))  # fmt: skip
        return fmean(made)

    [line] = found["apart"]
    assert line.model.value == pytest.approx(fmean(of("model", j) for j in PEOPLE))
    assert line.persons.value == pytest.approx(fmean(of(None, j) for j in PEOPLE))


@pytest.mark.parametrize(("rare", "warned"), [(24, True), (25, False)])
def test_k_where_hardly_anybody_differs_says_that_no_interval_can_be_trusted(rare, warned):
    table = np.full((120, 4), 5.0)
    table[:rare, :3], table[::5, 3] = 4, 4
    [line] = by_agreement(table, 3, names=["kappa"])["agreed"]
    assert ("too_few_disagreements" in line.model.warnings) == warned


def test_the_split_s_duels_are_those_of_items_whose_others_agree():
    table = np.array([[1, 1, 1, 1], [1, 1, 2, 1], [3, 3, 3, 3]], dtype=float)
    people = read(Ratings(table[:, :3], scale=[1, 2, 3]))
    every = duels(people, np.array([1, 1, 3]), False)
    agreed = np.isfinite(split_duels(people, every, True).gap)
    assert agreed.tolist() == [[True] * 3, [False, False, True], [True] * 3]
    assert (np.isfinite(split_duels(people, every, False).gap) == ~agreed).all()


def test_two_persons_leave_nobody_to_agree():
    frame = drawn()
    frame = frame[frame["rater"].ne("cai")]
    found = by_agreement(ratings(frame), "model", names=["exact"])
    assert found["agreed"][0].model.reason == "too_few_persons"


# Groups of items.


TOPIC = {unit: ("law", "art", "sport")[unit % 3] for unit in range(120)}


def test_a_group_where_the_model_parts_from_people_is_told_from_those_where_all_part():
    def odd(unit):
        return 3 if TOPIC[unit] == "law" and unit % 4 else 0

    found = groups_apart(ratings(drawn(lift=odd)), "model", {"topic": TOPIC})
    law = next(each for each in found if each.value == "law")
    assert law.p_corrected < 0.01
    assert law.found.difference.value > 0.3
    assert [each.value for each in found] == ["art", "law", "sport"]


def test_a_group_that_is_hard_for_everybody_is_none_of_the_models_own():
    frame = drawn()
    rng = np.random.default_rng(9)
    hard = frame["unit"].map(TOPIC).eq("art")
    frame.loc[hard, "value"] += rng.choice([-2, 0, 2], hard.sum())
    found = {e.value: e for e in groups_apart(ratings(frame), "model", {"topic": TOPIC})}
    assert found["art"].found.model.low > 0.3  # further apart there, as persons are
    assert found["art"].p_corrected > 0.05


def test_groups_are_corrected_for_how_many_there_are_and_small_ones_are_left_out():
    names = ["few"] * 9 + ["just ten"] * 10 + ["many"] * 50 + ["rest"] * 51
    found = groups_apart(ratings(drawn()), "model", {"place": dict(enumerate(names))})
    assert [each.value for each in found] == ["just ten", "many", "rest"]
    p = sorted(each.p for each in found)
    steps = [min(3 * p[0], 1), min(2 * p[1], 1), p[2]]
    corrected = sorted(each.p_corrected for each in found)
    assert corrected == pytest.approx([max(steps[: at + 1]) for at in range(3)])


def test_a_group_that_leaves_too_few_outside_is_left_out():
    labels = {unit: "all but nine" if unit < 111 else "nine" for unit in range(120)}
    assert groups_apart(ratings(drawn()), "model", {"place": labels}, interval=None) == []


def test_of_labels_it_is_the_share_not_met():
    frame = drawn()
    frame["value"] = frame["value"] % 3
    found = groups_apart(ratings(frame), "model", {"topic": TOPIC}, matched=True, interval=None)

    def unmet(turn):
        inside = {True: [], False: []}
        for unit, own, others in turn:
            inside[TOPIC[unit] == "law"].append(1 - fmean(own == other for other in others))
        return fmean(inside[True]) - fmean(inside[False])

    law = next(each for each in found if each.value == "law")
    model, person = plain(frame, unmet)
    assert (law.found.model.value, law.found.persons.value) == pytest.approx((model, person))


# Over several questions, and asked twice.


def test_halo_is_the_mean_correlation_of_two_questions_on_the_items_of_both():
    several = [drawn(seed) for seed in (1, 2, 3)]
    for frame in several[1:]:  # half of the first question is in every answer
        first = several[0].set_index(["unit", "rater"])["value"]
        frame["value"] += [
            int(first.get((row.unit, row.rater), 5)) // 2 for row in frame.itertuples()
        ]
    found = halo_effect([ratings(frame) for frame in several], "model", interval=None)
    people = [sum(frame["rater"].ne("model")) for frame in several]
    assert (found.model.n_units, found.model.n_ratings) == (120, sum(people))
    said = [cells(frame) for frame in several]

    def alike(who, beside):
        made = []
        for a in range(3):
            for b in range(a + 1, 3):
                there = [unit for unit in range(120) if all(
                    (unit, name) in said[q] for q in (a, b) for name in (who, beside))]  # fmt: skip
                x, y = ([said[q][unit, who] for unit in there] for q in (a, b))
                made.append(np.corrcoef(x, y)[0, 1])
        return fmean(made)

    assert found.persons.value == pytest.approx(fmean(alike(name, name) for name in PEOPLE))
    assert found.model.value == pytest.approx(fmean(alike("model", name) for name in PEOPLE))


def test_halo_needs_one_person_only():
    """Ana meets ben on six items and cai on six others; they themselves met nobody ten times."""
    one, two = ([1, 2, 3, 4, 5, 4, 3, 2, 1, 2, 3, 5], [2, 2, 3, 5, 4, 4, 3, 1, 1, 3, 2, 5])
    gone = [np.nan] * 6
    tables = [np.column_stack([own, own[:6] + gone, gone + own[6:], own[::-1]])
              for own in (one, two)]  # fmt: skip
    found = halo_effect(tables, 3, interval=None)
    alike = np.corrcoef(one, two)[0, 1]
    assert (found.persons.value, found.model.value) == pytest.approx((alike, alike))


def test_one_question_has_no_halo():
    assert halo_effect([ratings(drawn())], "model").model.reason == "no_questions"


def test_asked_twice_each_rater_has_a_share_and_no_person_is_needed():
    hits = np.array([[1, 1], [0, 1], [np.nan, 0], [1, 1]] * 10, dtype=float)
    clusters = np.arange(40)
    found = same_again("stability", hits, clusters, ["ana", "gauge"], Interval())
    assert found.model.value == 0.75
    assert found.persons.value == pytest.approx(2 / 3)
    assert found.model.low < 0.75 < found.model.high
    alone = same_again("stability", hits[:, 1:], clusters, ["gauge"], Interval())
    assert (alone.model.value, alone.persons.reason) == (0.75, "zero_denominator")


def test_the_order_of_rows_and_the_names_of_persons_do_not_matter():
    frame = drawn()
    again = frame.sample(frac=1, random_state=1).replace({"rater": {"ana": "zoe", "ben": "abe"}})
    ends = [
        [(e.model.low, e.persons.high, e.difference.low_like)
         for e in habits(ratings(each), "model", length=LENGTH, family=OWN)]
        for each in (frame, again)
    ]  # fmt: skip
    assert np.allclose(ends[0], ends[1], atol=1e-12)


# Simulated truth: a model drawn as people are has no habit of its own.


@pytest.mark.long
def test_where_the_model_is_one_more_person_its_habits_are_told_as_rarely_as_promised():
    rounds, held, groups = 400, {}, 0
    sixths = {unit: "abcdef"[unit % 6] for unit in range(120)}
    for seed in range(rounds):
        given = ratings(drawn(1000 + seed))
        split = by_agreement(given, "model", names=["mae"])
        lines = [*habits(given, "model", length=LENGTH, family=OWN),
                 split["agreed"][0], split["apart"][0]]  # fmt: skip
        for at, line in enumerate(lines):
            gap = line.difference
            held.setdefault(at, []).append(gap.low <= 0 <= gap.high)
        found = groups_apart(given, "model", {"place": sixths})
        groups += any((each.p_corrected or 1) <= 0.05 for each in found)
    least = 0.93 - 2 * (0.07 * 0.93 / rounds) ** 0.5
    assert min(np.mean(each) for each in held.values()) >= least
    assert groups / rounds <= 0.05 + 2 * (0.05 * 0.95 / rounds) ** 0.5


def test_where_the_others_never_differ_a_length_counts_alone():
    frame = drawn()
    frame.loc[frame["rater"] != "model", "value"] = 4
    length = {unit: 2.0 ** (unit % 5) for unit in range(120)}
    found = habits(ratings(frame), "model", length=length, interval=None)[-1].model
    own = frame[frame["rater"].eq("model")]
    x, y = own["unit"] % 5, own["value"]
    beside = frame[frame["rater"] != "model"]
    turns = [beside.loc[beside["rater"].eq(name), "unit"] for name in PEOPLE]
    shared = beside.groupby("unit").size().ge(2)
    slopes = [
        np.polyfit(x[keep], y[keep], 1)[0]
        for keep in (own["unit"].isin(set(turn) & set(shared.index[shared])) for turn in turns)
    ]
    assert found.value == pytest.approx(fmean(slopes))


def test_units_of_no_group_stand_beside_none():
    place = {unit: None if unit < 20 else "law" if unit < 70 else "rest" for unit in range(120)}
    found = groups_apart(ratings(drawn()), "model", {"place": place}, interval=None)
    assert [(each.value, each.n_items) for each in found] == [("law", 50), ("rest", 50)]


def test_a_crowd_has_everything_of_the_split_but_kappa():
    people = tuple(f"p{j}" for j in range(MOST_PERSONS + 1))
    table = ratings(drawn(units=20, people=people))
    found = by_agreement(table, "model", names=["bias", "kappa"], interval=None)["apart"]
    assert found[0].model.value is not None
    assert found[1].model.reason == "too_many_raters_for_interval"
