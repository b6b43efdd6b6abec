"""A round's numbers where little or odd is there: reasons, groups, clusters, whose answers."""

import pickle
from copy import copy

import numpy as np
import pytest
from scipy.stats import spearmanr, ttest_1samp
from scipy.stats import t as t_distribution
from sklearn.metrics import f1_score

from raterbook.numbers.agreement import modal
from raterbook.numbers.compute import summary
from raterbook.numbers.counted import Board

SCALE = [1, 2, 3, 4, 5]
QUESTIONS = {
    "tone": {"type": "scale", "level": "ordinal", "scale": SCALE},
    "clarity": {"type": "scale", "level": "ordinal", "scale": SCALE},
    "label": {"type": "choice", "level": "nominal", "scale": ["yes", "no", "maybe"]},
}


def rows_of(built, *measures, **how):
    return summary(built, measures, QUESTIONS, **how)


def one(built, statistic, question="tone", how=None, **more):
    measure = {"statistic": statistic, "question": question, **more}
    return rows_of(built, measure, **(how or {}))[0]


def lone(frame, rater="ana"):
    return frame([(f"i{i}", 0, rater, "tone", x) for i, x in enumerate([3, 4, 5, 1])])


@pytest.mark.parametrize(
    ("statistic", "reason"),
    [
        ("full_agreement", "single_rater"),
        ("evaluator_agreement", "single_rater"),
        ("evaluator_sd", "single_rater"),
        ("alpha_ordinal", "single_rater"),
        ("exact", "no_comparison"),
        ("percent_match", "no_comparison"),
        ("difference", "no_common_cases"),
        ("weighted_mean", "no_confidence"),
        ("weighted_mean_within", "no_confidence"),
    ],
)
def test_one_rater_leaves_a_reason(frame, statistic, reason):
    row = one(lone(frame), statistic)
    assert (row["estimate"], row["reason"]) == (None, reason)


def test_raters_who_never_met_leave_a_reason(frame):
    built = frame([("i1", 0, "ana", "tone", 3), ("i2", 0, "ben", "tone", 3)])
    for statistic, reason in (
        ("full_agreement", "no_pairable_units"),
        ("evaluator_agreement", "no_pairable_units"),
        ("evaluator_variance", "no_pairable_units"),
        ("alpha_ordinal", "no_pairable_units"),
    ):
        assert one(built, statistic)["reason"] == reason


def test_a_row_has_its_counts_and_its_readings(frame):
    built = frame(
        [("i1", 1, "ana", "tone", 3), ("i1", 2, "ana", "tone", 5), ("i2", 1, "ben", "tone", 4)]
    )
    row = one(built, "mean")
    assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (2, 2, 3)
    assert (row["question"], row["group"], row["aggregate"], row["p"]) == ("tone", None, None, None)
    assert row["warnings"] == ["few_clusters"] or row["low"] is None


def test_units_without_the_column_stand_in_no_group_and_groups_in_order(frame):
    built = frame(
        [(f"i{i}", 0, "ana", "tone", i + 1) for i in range(4)],
        kind={"i0": "b", "i1": 10, "i2": 9},
    )
    rows = rows_of(built, {"statistic": "mean", "question": "tone", "by": "kind"})
    assert [row["group"] for row in rows] == [None, {"kind": 10}, {"kind": 9}, {"kind": "b"}]
    assert [row["estimate"] for row in rows] == [2.5, 2, 3, 1]


def test_replicates_roles_and_parts_that_are_not_told_are_the_first(frame):
    built = frame([("i1", 0, "ana", "tone", 3), ("i2", 0, "ana", "tone", 5)])
    for column in ("replicate", "part"):
        built[column] = np.nan
    built["role"] = None
    assert one(built, "mean")["estimate"] == 4
    built["role"] = [None, "gold"]
    assert one(built, "mean")["estimate"] == 3


def test_a_frame_without_its_columns_is_refused(frame):
    built = lone(frame)
    with pytest.raises(ValueError, match="no column case, part"):
        one(built.drop(columns=["case", "part"]), "mean")
    with pytest.raises(ValueError, match="no column 'chunk' to cluster by"):
        one(built, "mean", how={"cluster": "chunk"})
    with pytest.raises(ValueError, match="ana answered “tone” on i1 twice"):
        one(frame([("i1", 0, "ana", "tone", 3)] * 2), "mean")
    with pytest.raises(ValueError, match="ana answered “tone” on q1 twice"):
        one(frame([("case:q1", 0, "ana", "tone", 3)] * 2), "mean")


def test_an_item_without_a_cluster_stands_with_its_case(frame):
    scores = {"q1/a": 1, "q1/b": 2, "q2/a": 4, "q2/b": 4, "q3/a": 5, "q4/a": 2}
    chunks = {"q1/a": None, "q1/b": None, "q2/a": "x", "q2/b": "y", "q3/a": "x", "q4/a": None}
    built = frame([(i, 0, "ana", "tone", x) for i, x in scores.items()], chunk=chunks)
    assert "over 4 clusters" in one(built, "mean", how={"cluster": "chunk"})["method"]
    # Without a column the case is what stands together.
    assert "over 4 clusters" in one(built, "mean")["method"]


def test_named_raters_who_are_not_there_leave_nobody(frame):
    row = one(lone(frame), "mean", how={"raters": ["eve"]})
    assert (row["estimate"], row["reason"], row["raters"]) == (None, "no_ratings", ["eve"])
    assert one(lone(frame), "mean", how={"raters": ["eve", "ana"]})["estimate"] == 3.25


def test_labels_have_no_means_and_only_agree_or_not(frame):
    people = {"ana": "yes", "ben": "no", "gpt": "yes"}
    built = frame(
        [(f"i{i}", 0, r, "label", v) for i in range(3) for r, v in people.items()],
        kinds={"gpt": "model"},
    )
    assert one(built, "exact", "label")["estimate"] == 0.5


def judged(frame, people, judge):
    answers = [(f"i{i}", 0, "ana", "tone", x) for i, x in enumerate(people)]
    answers += [(f"i{i}", 0, "gpt", "tone", x) for i, x in enumerate(judge)]
    return frame(answers, kinds={"gpt": "model"})


def test_rank_correlation_has_the_interval_of_leaving_out_on_fishers_z(frame):
    rng = np.random.default_rng(4)
    people = rng.integers(1, 6, 15)
    judge = np.clip(people + rng.integers(-1, 2, 15), 1, 5)
    row = one(judged(frame, people.tolist(), judge.tolist()), "spearman")
    assert row["estimate"] == pytest.approx(spearmanr(people, judge).statistic)
    z = [
        np.arctanh(spearmanr(np.delete(people, i), np.delete(judge, i)).statistic)
        for i in range(15)
    ]
    se = (14 / 15 * ((np.array(z) - np.mean(z)) ** 2).sum()) ** 0.5
    from scipy.stats import t

    reach = t.ppf(0.975, 14) * se
    middle = np.arctanh(row["estimate"])
    ends = np.tanh([middle - reach, middle + reach])
    assert (row["low"], row["high"]) == pytest.approx(tuple(ends))
    for constant in ([3] * 15, people.tolist()):
        odd = judged(frame, [3] * 15, constant)
        assert one(odd, "spearman")["reason"] == "no_spread"


def test_distances_of_a_judge_have_students_interval(frame):
    people, judge = [1, 2, 3, 4, 5, 3], [2, 2, 5, 4, 4, 1]
    built = judged(frame, people, judge)
    gaps = np.array(judge) - np.array(people)
    for name, values in (("bias", gaps), ("mae", abs(gaps))):
        row = one(built, name)
        ends = ttest_1samp(values, 0).confidence_interval()
        assert row["estimate"] == pytest.approx(values.mean())
        assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
        assert row["n_raters"] == 2
        assert row["n_ratings"] == 12


def test_halves_round_to_the_even_half(frame):
    # 2.25 → 2, 2.75 → 3, 3.25 → 3 of four people's means.
    means = [[2, 2, 2, 3], [3, 3, 3, 2], [3, 3, 3, 4]]
    answers = [
        (f"i{i}", 0, f"p{j}", "tone", x) for i, row in enumerate(means) for j, x in enumerate(row)
    ]
    answers += [(f"i{i}", 0, "gpt", "tone", x) for i, x in enumerate([2, 3, 4])]
    row = one(frame(answers, kinds={"gpt": "model"}), "exact_halves")
    assert row["estimate"] == pytest.approx(2 / 3)
    assert one(frame(answers, kinds={"gpt": "model"}), "macro_f1_halves")["estimate"] == (
        pytest.approx((1 + 2 / 3 + 0) / 3)
    )


def test_ranges_follow_the_scale_and_end_at_twenty(frame):
    built = frame([("i1", 0, "ana", "grade", 1.5), ("i2", 0, "ana", "grade", 20.5)])
    measure = {"statistic": "score_ranges", "question": "grade"}

    def ranges(top):
        question = {"type": "scale", "level": "interval", "scale": [1, top]}
        return summary(built, [measure], {"grade": question})

    rows = ranges(21)
    assert len(rows) == 20
    assert rows[0]["group"] == {"label": "[1, 2)"}
    assert rows[-1]["group"] == {"label": "[20, 21]"}
    assert [row["estimate"] for row in rows] == [0.5, *[0] * 18, 0.5]
    assert [row["reason"] for row in ranges(22)] == ["too_many_values"]


def test_the_adjudicator_decides_alone_and_two_decide_by_majority(frame):
    def match(*chiefs):
        answers = [("i1", 0, "auto", "label", "yes"), ("i1", 0, "ana", "label", "no")]
        answers += [("i1", 0, f"chief{n}", "label", v) for n, v in enumerate(chiefs)]
        kinds = {"auto": "automatic", **{f"chief{n}": "adjudicator" for n in range(3)}}
        made = rows_of(
            frame(answers, kinds=kinds), {"statistic": "percent_match", "question": "label"}
        )
        return next(row for row in made if row["group"] is None)["estimate"]

    assert match() == 0
    assert match("yes") == 1
    assert match("yes", "no") == 0
    assert match("yes", "no", "yes") == 1


def test_nothing_to_compare_says_why(frame):
    kinds = {"auto": "automatic"}
    answers = [("i1", 0, "ana", "label", "no"), ("i1", 0, "ben", "label", "yes")]
    no_label = rows_of(frame(answers), {"statistic": "percent_match", "question": "label"})
    assert {row["reason"] for row in no_label} == {"no_comparison"}
    tie = [*answers, ("i1", 0, "auto", "label", "yes")]
    rows = rows_of(frame(tie, kinds=kinds), {"statistic": "percent_match", "question": "label"})
    assert [row["reason"] for row in rows if row["group"] is None] == ["no_consensus"]
    apart = [("i1", 0, "ana", "label", "no"), ("i2", 0, "auto", "label", "yes")]
    rows = rows_of(frame(apart, kinds=kinds), {"statistic": "percent_match", "question": "label"})
    assert all(row["estimate"] is None and row["n_raters"] == 0 for row in rows)
    assert {row["reason"] for row in rows} == {"no_comparison"}
    nobody = [("i1", 0, "auto", "label", "yes")]
    rows = rows_of(frame(nobody, kinds=kinds), {"statistic": "percent_match", "question": "label"})
    assert {row["reason"] for row in rows} == {"no_ratings"}


def test_systems_may_stand_in_another_column_and_three_have_three_pairs(frame):
    scores = {"x": [1, 2, 4, 5], "y": [2, 2, 3, 3], "z": [1, 1, 1, 5]}
    answers = [
        (f"q{i}/{s}", 0, "ana", "tone", v) for s, each in scores.items() for i, v in enumerate(each)
    ]
    built = frame(answers, engine={item: item[-1] for item, *_ in answers})
    measure = {"statistic": "difference", "question": "tone", "system": "engine"}
    rows = rows_of(built, measure)
    assert [row["group"]["systems"] for row in rows] == ["x − y", "x − z", "y − z"]
    for row in rows:
        a, b = row["group"]["systems"].split(" − ")
        gaps = np.array(scores[a]) - np.array(scores[b])
        t = ttest_1samp(gaps, 0)
        assert row["estimate"] == pytest.approx(gaps.mean())
        assert row["p"] == pytest.approx(t.pvalue)
        assert f"p {t.pvalue:.3g}, " in row["method"]
        assert "over 3 pairs" in row["method"]
    assert one(built, "difference")["reason"] == "no_common_cases"


def test_a_question_answered_by_people_on_one_item_and_models_on_another_is_the_peoples(frame):
    built = frame(
        [("i1", 0, "ana", "tone", 2), ("i2", 0, "gpt", "tone", 5)], kinds={"gpt": "model"}
    )
    assert one(built, "mean")["estimate"] == 2


def test_values_beside_the_declared_ones_are_kept(frame):
    built = frame([("i1", 0, "ana", "label", "yes"), ("i2", 0, "ana", "label", "other")])
    row = one(built, "proportion_yes", "label", **{"is": ["yes"], "of": ["yes", "other"]})
    assert row["estimate"] == 0.5
    numbers = frame([("i1", 0, "ana", "tone", 3.5), ("i2", 0, "ana", "tone", 2)])
    assert one(numbers, "mean")["estimate"] == 2.75


@pytest.mark.parametrize("correction", ["holm", "benjamini-hochberg", "none"])
def test_one_pair_of_systems_needs_no_correction(frame, correction):
    scores = {"x": [1, 2, 4, 5, 3], "y − z": [2, 2, 3, 3, 1]}
    answers = [
        (f"q{i}/{s}", 0, "ana", "tone", v) for s, each in scores.items() for i, v in enumerate(each)
    ]
    built = frame(answers, model={item: item.split("/")[1] for item, *_ in answers})
    row = one(built, "difference", correction=correction)
    assert row["method"].endswith(f"; p {row['p']:.3g}")
    name = row["group"]["systems"]
    assert (name, name.names) == ("x − y − z", ("x", "y − z"))
    assert pickle.loads(pickle.dumps(name)).names == copy(name).names == name.names
    assert (name.turned, name.turned.names) == ("y − z − x", ("y − z", "x"))


def test_a_recoding_may_take_all_values_of_its_question(frame):
    words = ["yes", "no", "maybe", "yes"]
    answers = [(f"i{i}", 0, r, "label", w) for i, w in enumerate(words) for r in ("ana", "ben")]
    answers[-1] = (*answers[-1][:-1], "no")
    recode = {"sure": {"known": ["yes", "no"], "open": ["maybe"]}}
    for asked in ("label", "sure"):
        row = one(frame(answers), "percent_agreement", asked, recode=recode)
        assert (row["question"], row["estimate"]) == ("sure", 1)
    assert one(frame(answers), "percent_agreement", "label")["estimate"] == 0.75
    with pytest.raises(ValueError, match="no question has the values maybe, never"):
        one(frame(answers), "percent_agreement", "sure", recode={"sure": {"x": ["never", "maybe"]}})


def test_a_question_nobody_answered_and_without_a_scale_leaves_a_reason(frame):
    reasons = {
        "percent_match": "no_comparison",
        "evaluator_agreement": "no_ratings",
        "full_agreement": "no_ratings",
    }
    for statistic, reason in reasons.items():
        measure = {"statistic": statistic, "question": "open"}
        [row] = summary(lone(frame), [measure], {"open": {"type": "choice"}})
        assert row["reason"] == reason


NOBODY = {
    **dict.fromkeys(("mean", "median", "overall_mean", "score_ranges"), "no_ratings"),
    **dict.fromkeys(("evaluator_sd", "evaluator_variance", "full_agreement"), "no_ratings"),
    **dict.fromkeys(("alpha_ordinal", "icc_2_1", "percent_agreement"), "no_ratings"),
    **dict.fromkeys(("exact", "mae", "spearman", "percent_match"), "no_comparison"),
    "sd": "too_few_units",
    "weighted_mean": "no_confidence",
    "difference": "no_common_cases",
}


@pytest.mark.parametrize("statistic", NOBODY)
def test_a_question_that_nobody_answered_says_so(frame, statistic):
    row = one(lone(frame), statistic, "clarity")
    assert (row["estimate"], row["low"], row["reason"]) == (None, None, NOBODY[statistic])
    assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (0, 0, 0)


def test_answers_are_handed_over_long_with_part_cluster_and_confidence(frame):
    answers = [
        ("i1", 2, "ana", "tone", 5),
        ("i1", 1, "eve", "tone", 2, 80),
        ("i1", 1, "ana", "tone", 3, 50),
        ("i2", 1, "ben", "tone", 4),
        ("case:q1", 0, "ana", "tone", 1),
        ("i2", 1, "gpt", "tone", 1),
    ]
    built = frame(answers, kinds={"gpt": "model"}, chunk={"i1": "x", "i2": "y"})
    found = Board(built, QUESTIONS, cluster="chunk").long("tone")
    assert list(found) == ["unit", "rater", "value", "cluster", "confidence"]
    assert found.drop(columns="confidence").to_numpy().tolist() == [
        ["i1 · 1", "ana", 3, "x"],
        ["i1 · 1", "eve", 2, "x"],
        ["i1 · 2", "ana", 5, "x"],
        ["i2 · 1", "ben", 4, "y"],
        ["q1 · 0", "ana", 1, "case q1"],
    ]
    assert found["confidence"].fillna(0).tolist() == [50, 80, 0, 0, 0]
    plain = Board(lone(frame), QUESTIONS).long("tone")
    assert list(plain) == ["unit", "rater", "value", "cluster"]
    assert plain["unit"].tolist() == ["i0", "i1", "i2", "i3"]


def test_one_answer_a_system_has_a_share_to_compare(frame):
    answers = [("q1/x", 0, "ana", "label", "yes"), ("q1/y", 0, "ana", "label", "no")]
    answers += [("q1/y", 0, "ben", "label", "maybe"), ("q2/x", 0, "ana", "label", "no")]
    built = frame(answers, model={item: item[-1] for item, *_ in answers})
    row = one(built, "difference", "label", **{"is": ["yes"], "of": ["yes", "no"]})
    assert (row["estimate"], row["n_ratings"]) == (1, 2)
    none = one(built, "difference", "label", **{"is": ["yes"], "of": ["maybe"]})
    assert none["reason"] == "no_common_cases"


def test_a_difference_may_name_what_counts_or_what_it_is_out_of(frame):
    said = {"q1/x": "yes", "q1/y": "no", "q2/x": "yes", "q2/y": "yes", "q3/x": "no", "q3/y": "no"}
    answers = [(item, 0, "ana", "label", word) for item, word in said.items()]
    built = frame(answers, model={item: item[-1] for item in said})
    assert one(built, "difference", "label", **{"is": ["yes"]})["estimate"] == pytest.approx(1 / 3)
    assert one(built, "difference", "label", of=["yes", "no"])["estimate"] == 0


def test_macro_f1_has_students_interval_of_leaving_out_each_item(frame):
    people = [1, 2, 3, 4, 5, 3, 2, 2, 4, 3]
    judge = [1, 2, 2, 4, 4, 3, 2, 1, 4, 3]
    row = one(judged(frame, people, judge), "macro_f1_halves")
    without = [
        f1_score(np.delete(people, i), np.delete(judge, i), average="macro") for i in range(10)
    ]
    assert row["estimate"] == pytest.approx(f1_score(people, judge, average="macro"))
    reach = t_distribution.ppf(0.975, 9) * 3 * np.std(without)
    ends = (row["estimate"] - reach, row["estimate"] + reach)
    assert (row["low"], row["high"]) == pytest.approx(ends)


def test_the_commonest_value_of_a_unit_is_none_of_a_tie_or_the_first_of_it():
    codes = np.array([[2, 0], [2, 1], [0, 0], [1, 1]])
    assert modal(codes, 2).tolist() == [2, 0, 0, 1]
    assert modal(codes, 2, "first").tolist() == [2, 2, 0, 1]
    # Of a scale of one value, too, nobody's answer has none.
    assert modal(np.array([[1, 0], [0, 0]]), 1).tolist() == [1, 0]


@pytest.mark.parametrize(("top", "many"), [(20, 20), (21, None)])
def test_ranges_of_one_are_of_scales_of_up_to_twenty(frame, top, many):
    built = frame([("i1", 0, "ana", "tone", 0), ("i2", 0, "ana", "tone", top)])
    asked = {"tone": {"type": "scale", "level": "ordinal", "scale": [0, top]}}
    rows = summary(built, [{"statistic": "score_ranges", "question": "tone"}], asked)
    if many is None:
        assert [row["reason"] for row in rows] == ["too_many_values"]
    else:
        shares = [row["estimate"] for row in rows]
        assert shares == [0.5, *[0.0] * (many - 2), 0.5]
