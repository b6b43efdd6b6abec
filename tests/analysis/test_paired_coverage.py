"""Systems in pairs by recall, precision and matches: each case's two numbers set side by side."""

import numpy as np
import pytest
from scipy import stats

from raterbook.analysis import adjust
from raterbook.numbers.compute import summary

U = "<Unanswerable>"
QUESTIONS = {
    "reference_answer": {"type": "answer", "level": None, "scale": None},
    "generated_answer": {"type": "answer", "level": None, "scale": None},
    "label": {"type": "choice", "level": "nominal", "scale": ["YES", "NO"]},
}
# How many of four questions each text answers, case by case; some cases are easy for all.
ANSWERED = {
    "a": [4, 4, 2, 3, 1, 2],
    "b": [3, 4, 1, 1, 1, 0],
    "c": [4, 3, 2, 3, 0, 2],
}


def answers(answered=ANSWERED, said="Oslo"):
    """One model that answers four questions from every reference and the first from each text."""
    models = {}
    found = []
    cases = range(len(next(iter(answered.values()))))
    for case in cases:
        found += [(f"case:{case}", part, "qa", "reference_answer", "Oslo") for part in range(1, 5)]
        for system, counts in answered.items():
            models[f"{case}/{system}"] = system
            for part in range(1, 5):
                text = said if part <= counts[case] else U
                found.append((f"{case}/{system}", part, "qa", "generated_answer", text))
    return found, models


@pytest.fixture
def rows(frame):
    def compute(given, models, *statistics, question="generated_answer", kinds=None, **how):
        built = frame(given, kinds=kinds or {"qa": "model"}, model=models)
        measures = [{"statistic": name, "question": [question]} for name in statistics]
        return summary(built, measures, QUESTIONS, **how)

    return compute


def pair(found, systems, statistic="difference_recall", aggregate="macro"):
    [row] = [
        row
        for row in found
        if row["group"] == {"systems": systems}
        and (row["statistic"], row["aggregate"]) == (statistic, aggregate)
    ]
    return row


def test_the_interval_of_a_recall_difference_is_that_of_a_paired_t_test(rows):
    row = pair(rows(*answers(), "difference_recall"), "a − b")
    a, b = (np.array(ANSWERED[name]) / 4 for name in "ab")
    expected = stats.ttest_rel(a, b)
    low, high = expected.confidence_interval(0.95)
    assert row["estimate"] == pytest.approx((a - b).mean())
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert (row["n_items"], row["n_ratings"]) == (12, 48)
    assert row["method"].startswith("jackknife over 6 clusters on its own scale, t; p ")


def test_a_hard_case_is_hard_for_both_so_the_pair_tells_more_than_two_intervals(rows, frame):
    given, models = answers({"a": [4, 3, 2, 1, 3, 4], "b": [3, 2, 1, 0, 2, 4]})
    assert pair(rows(given, models, "difference_recall"), "a − b")["low"] > 0
    apart = [{"statistic": "recall", "question": ["generated_answer"], "by": "model"}]
    single = summary(frame(given, {"qa": "model"}, model=models), apart, QUESTIONS)
    ends = {
        row["group"]["model"]: (row["low"], row["high"])
        for row in single
        if row["group"] and row["aggregate"] == "macro"
    }
    assert ends["a"][0] < ends["b"][1]


def test_three_pairs_carry_holms_correction_by_name(rows):
    found = rows(*answers(), "difference_recall")
    scores = {name: np.array(counts) / 4 for name, counts in ANSWERED.items()}
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    each = [stats.ttest_rel(scores[x], scores[y]).pvalue for x, y in pairs]
    for (x, y), p, corrected in zip(pairs, each, adjust(each, "holm"), strict=True):
        said = f"p {p:.3g}, {corrected:.3g} after Holm over 3 pairs"
        assert pair(found, f"{x} − {y}")["method"].endswith(said)


def test_precision_is_compared_only_where_both_texts_answer_something(rows):
    given, models = answers({"a": [4, 4, 2, 3], "b": [3, 4, 0, 1]})
    given = [
        (*row[:4], "Oslo Bay") if row[0].endswith("/b") and row[4] == "Oslo" else row
        for row in given
    ]
    row = pair(rows(given, models, "difference_precision"), "a − b", "difference_precision")
    assert row["estimate"] == pytest.approx(1 - 2 / 3)
    assert row["n_items"] == 6  # the third case has no precision for b


def test_pooled_and_compatible_differences_are_those_of_their_readings(rows):
    given, models = answers({"a": [4, 4, 2, 3], "b": [3, 4, 0, 1]})
    found = rows(given, models, "difference_precision", "difference_recall")
    assert pair(found, "a − b", aggregate="micro")["estimate"] == pytest.approx(13 / 16 - 8 / 16)
    # Upstream gives the text that answers nothing a precision of 0.
    row = pair(found, "a − b", "difference_precision", "compatible")
    assert row["estimate"] == pytest.approx((0 + 0 + 1 + 0) / 4)


def test_the_same_lead_on_every_case_has_no_interval_and_says_why(rows):
    found = rows(*answers({"a": [3, 3, 3, 3], "b": [2, 2, 2, 2]}), "difference_recall")
    row = pair(found, "a − b")
    assert row["estimate"] == pytest.approx(0.25)
    assert (row["low"], row["high"], row["reason"]) == (None, None, "no_spread_for_interval")
    assert " p " not in (row["method"] or "")


def test_systems_that_share_no_case_are_not_compared(rows):
    given, models = answers({"a": [3, 2, 1]})
    given += [("case:9", 1, "qa", "reference_answer", "Oslo")]
    given += [("9/b", 1, "qa", "generated_answer", "Oslo")]
    row = pair(rows(given, {**models, "9/b": "b"}, "difference_recall"), "a − b")
    assert (row["estimate"], row["reason"]) == (None, "no_common_cases")


def test_a_round_with_one_system_has_no_pairs_and_says_why(rows):
    given, models = answers({"a": [3, 2, 1]})
    for row in rows(given, models, "difference_recall"):
        assert (row["estimate"], row["reason"], row["group"]) == (None, "no_common_cases", None)


def test_cases_of_one_cluster_are_left_out_together(frame):
    given, models = answers()
    cluster = {item: f"k{int(item[0]) // 2}" for item in models}
    cluster |= {f"case:{n}": f"k{n // 2}" for n in range(6)}
    built = frame(given, kinds={"qa": "model"}, model=models, cluster=cluster)
    measures = [{"statistic": "difference_recall", "question": ["generated_answer"]}]
    row = pair(summary(built, measures, QUESTIONS, cluster="cluster"), "a − b")
    assert row["method"].startswith("jackknife over 3 clusters")
    assert "few_clusters" in row["warnings"]


def test_match_rates_of_two_systems_are_compared_case_by_case(rows):
    people = {"a": "YYYNYY", "b": "YNNNYY"}
    auto = {"a": "YYYNYN", "b": "NYYNYN"}
    models = {f"{case}/{name}": name for name in "ab" for case in range(6)}
    full = {"Y": "YES", "N": "NO"}
    given = [
        (f"{case}/{name}", 0, rater, "label", full[labels[name][case]])
        for rater, labels in (("ana", people), ("auto", auto))
        for name in "ab"
        for case in range(6)
    ]
    found = rows(
        given,
        models,
        "difference_percent_match",
        question="label",
        kinds={"auto": "automatic"},
    )
    row = pair(found, "a − b", "difference_percent_match", None)
    gaps = stats.ttest_rel([1, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 0])
    assert row["estimate"] == pytest.approx(3 / 6)
    assert (row["low"], row["high"]) == pytest.approx(tuple(gaps.confidence_interval(0.95)))
    assert (row["n_raters"], row["n_items"]) == (1, 12)


def test_two_people_who_differ_both_enter_the_difference_of_systems(rows):
    given, models = answers({"a": [4, 3, 2], "b": [3, 1, 2]})
    given = [(*row[:2], "ana", *row[3:]) for row in given]
    # Ben finds one answer less in a's text of the first case, and else what Ana does.
    told = [(*row[:2], "ben", *row[3:]) for row in given]
    told = [(*row[:4], U) if row[:2] == ("0/a", 1) else row for row in told]
    found = rows([*given, *told], models, "difference_recall", kinds={})
    row = pair(found, "a − b")
    assert row["estimate"] == pytest.approx((3.5 - 3 + 3 - 1 + 0) / 4 / 3)
    assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (6, 2, 48)
