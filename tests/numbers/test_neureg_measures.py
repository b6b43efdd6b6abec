"""NeuReg's worked examples, through `summary`."""

import pytest

from raterbook.numbers.compute import summary

SCALE = [1, 2, 3, 4, 5]
METRICS = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]
NEUREG = {name: {"type": "scale", "level": "ordinal", "scale": SCALE} for name in METRICS}
RATERS = {"A": [5, 4, 3, 5, None], "B": [5, 4, 4, 5, 2], "C": [4, 4, 3, 5, 2]}


def neureg_answers(question="accuracy"):
    for rater, scores in RATERS.items():
        for i, score in enumerate(scores):
            if score is not None:
                yield f"qa{i}", 0, rater, question, score


def test_neureg_three_raters_alpha_at_three_levels(frame, pick):
    names = ("alpha_ordinal", "alpha_interval", "alpha_nominal")
    measures = [{"statistic": name, "question": ["accuracy"]} for name in names]
    rows = summary(frame(neureg_answers()), measures, NEUREG)
    # krippendorff 0.9.0
    found = [pick(rows, name, "accuracy")["estimate"] for name in names]
    assert found == pytest.approx([0.832497, 0.875598, 0.623188], abs=5e-7)


def test_neureg_a_constant_table_is_undefined_at_full_agreement(frame, pick):
    answers = [(f"qa{i}", 0, r, "accuracy", 5) for i in range(4) for r in "ABC"]
    measures = [
        {"statistic": name, "question": "accuracy"}
        for name in ("alpha_ordinal", "percent_agreement")
    ]
    rows = summary(frame(answers), measures, NEUREG)
    row = pick(rows, "alpha_ordinal", "accuracy")
    assert (row["estimate"], row["reason"]) == (None, "no_variation")
    assert pick(rows, "percent_agreement", "accuracy")["estimate"] == 1.0


def test_neureg_five_four_split_two_two_one_has_no_majority(frame, pick):
    answers = [("qa1", 0, r, "accuracy", x) for r, x in zip("ABCDE", [5, 5, 4, 4, 3], strict=True)]
    names = ("full_agreement", "majority", "no_majority")
    measures = [{"statistic": name, "question": "accuracy"} for name in names]
    rows = summary(frame(answers), measures, NEUREG)
    assert [pick(rows, name, "accuracy")["estimate"] for name in names] == [0.0, 0.0, 1.0]
    more = [{"statistic": name, "question": "accuracy"} for name in ("mean", "median", "sd")]
    rows = summary(frame(answers), more, NEUREG)
    found = [pick(rows, name, "accuracy")["estimate"] for name in ("mean", "median", "sd")]
    assert found == pytest.approx([4.2, 4, 0.836660], abs=5e-7)


def test_neureg_majorities_are_disjoint_per_question_and_over_all_questions(frame, pick):
    scores = {  # item: relevance by A, B, C; accuracy by A, B, C
        "qa1": ([5, 5, 5], [4, 4, 4]),
        "qa2": ([5, 5, 4], [1, 2, 3]),
        "qa3": ([1, 2, 3], [3, 2, 1]),
        "qa4": ([5, 5, None], [5, 5, 5]),  # not rated by all: left out of relevance
    }
    answers = [
        (item, 0, rater, question, x)
        for item, both in scores.items()
        for question, three in zip(["relevance", "accuracy"], both, strict=True)
        for rater, x in zip("ABC", three, strict=True)
        if x is not None
    ]
    names = ("full_agreement", "majority", "no_majority")
    measures = [{"statistic": name, "question": ["relevance", "accuracy"]} for name in names]
    rows = summary(frame(answers), measures, NEUREG)
    assert [pick(rows, n, "relevance")["estimate"] for n in names] == pytest.approx([1 / 3] * 3)
    assert [pick(rows, n, "accuracy")["estimate"] for n in names] == pytest.approx([0.5, 0, 0.5])
    # A majority on both questions: qa1; on one: qa2; on none: qa3.
    assert [pick(rows, n)["estimate"] for n in names] == pytest.approx([1 / 3] * 3)
    assert pick(rows, "majority")["n_items"] == 3


def test_neureg_overall_mean_is_over_ratings_not_over_questions(frame, pick):
    answers = [
        ("qa1", 0, "A", "relevance", 5),
        ("qa1", 0, "A", "accuracy", 3),
        ("qa1", 0, "B", "relevance", 2),  # accuracy missing: the row's mean is 2
    ]
    rows = summary(frame(answers), [{"statistic": "overall_mean", "question": METRICS}], NEUREG)
    assert pick(rows, "overall_mean")["estimate"] == pytest.approx((4 + 2) / 2)


def test_neureg_variance_among_raters_divides_by_their_number_and_is_averaged(frame, pick):
    answers = [("qa1", 0, r, "accuracy", x) for r, x in zip("ABCDE", [5, 5, 4, 4, 3], strict=True)]
    answers += [("qa2", 0, r, "accuracy", 4) for r in "ABCDE"]
    answers += [("qa3", 0, "A", "accuracy", 1)]  # rated once: shows nothing
    names = ("evaluator_variance", "evaluator_sd")
    measures = [{"statistic": name, "question": "accuracy"} for name in names]
    rows = summary(frame(answers[:5]), measures, NEUREG)
    assert pick(rows, "evaluator_sd", "accuracy")["estimate"] == pytest.approx(0.748331, abs=5e-7)
    rows = summary(frame(answers), measures, NEUREG)
    # Standard deviations are averaged; the root of the averaged variance would be .529.
    found = [pick(rows, name, "accuracy")["estimate"] for name in names]
    assert found == pytest.approx([0.56 / 2, 0.748331 / 2], abs=5e-7)
    assert pick(rows, "evaluator_sd", "accuracy")["n_items"] == 2


def test_neureg_score_ranges_are_shares_of_ratings_by_their_mean_over_questions(frame, pick):
    both = {"A": (5, 4), "B": (4, 4), "C": (3, 4), "D": (5, 5), "E": (1, None)}
    answers = [
        ("qa1", 0, rater, question, x)
        for rater, scores in both.items()
        for question, x in zip(["relevance", "accuracy"], scores, strict=True)
        if x is not None
    ]
    measures = [{"statistic": "score_ranges", "question": ["relevance", "accuracy"]}]
    rows = summary(frame(answers), measures, NEUREG)
    # Means 4.5, 4, 3.5, 5 and, from one question alone, 1.
    found = {row["group"]["label"]: row["estimate"] for row in rows}
    wanted = {"[1, 2)": 1 / 5, "[2, 3)": 0.0, "[3, 4)": 1 / 5, "[4, 5]": 3 / 5}
    assert found == pytest.approx(wanted)
    assert {row["n_ratings"] for row in rows} == {5}


def test_neureg_a_judge_against_the_rounded_mean_of_people(frame, pick):
    people = [[5, 5, 5, 4, 4], [4, 4, 5, 5, 4], [5, 5, 5, 5, 5], [4, 5, 4, 4, 4]]
    answers = [
        (f"qa{i}", 0, f"p{j}", "accuracy", x)
        for i, row in enumerate(people)
        for j, x in enumerate(row)
    ]
    answers += [(f"qa{i}", 0, "llm", "accuracy", x) for i, x in enumerate([5, 4, 5, 4])]
    measures = [
        {"statistic": name, "question": "accuracy"}
        for name in ("exact_halves", "macro_f1_halves", "mae", "bias", "exact", "spearman")
    ]
    rows = summary(frame(answers, kinds={"llm": "model"}), measures, NEUREG)
    llm = {"rater": "llm"}
    assert pick(rows, "exact_halves", "accuracy", llm)["estimate"] == 0.5
    assert pick(rows, "macro_f1_halves", "accuracy", llm)["estimate"] == pytest.approx(4 / 9)
    # Means 4.6, 4.4, 5, 4.2 against 5, 4, 5, 4.
    assert pick(rows, "mae", "accuracy", llm)["estimate"] == pytest.approx(
        (0.4 + 0.4 + 0 + 0.2) / 4
    )
    assert pick(rows, "bias", "accuracy", llm)["estimate"] == pytest.approx(-0.05)
    assert pick(rows, "exact", "accuracy", llm)["estimate"] == pytest.approx((3 + 3 + 5 + 4) / 20)


def test_majorities_are_counted_where_as_many_rated_as_usual_whoever_they_were(frame, pick):
    said = {  # three ratings each, by changing raters; two of one; four of another
        "qa1": {"A": 5, "B": 5, "C": 5},
        "qa2": {"B": 5, "C": 5, "D": 4},
        "qa3": {"C": 1, "D": 2, "E": 3},
        "qa4": {"D": 4, "E": 4, "A": 3},
        "qa5": {"A": 1, "B": 1},
        "qa6": {"A": 2, "B": 2, "C": 2, "D": 2},
        "qa7": {"E": 1},
    }
    answers = [(item, 0, r, "accuracy", x) for item, each in said.items() for r, x in each.items()]
    names = ("full_agreement", "majority", "no_majority")
    measures = [{"statistic": name, "question": "accuracy"} for name in names]
    rows = summary(frame(answers), measures, NEUREG)
    assert [pick(rows, n, "accuracy")["estimate"] for n in names] == [1 / 4, 2 / 4, 1 / 4]
    row = pick(rows, "majority", "accuracy")
    assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (4, 5, 12)
    assert "uneven_units" in row["warnings"]
    even = [answer for answer in answers if answer[0] in ("qa1", "qa2", "qa3", "qa4")]
    rows = summary(frame(even), measures, NEUREG)
    assert pick(rows, "majority", "accuracy")["estimate"] == 2 / 4
    assert "uneven_units" not in pick(rows, "majority", "accuracy")["warnings"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([], "no_ratings"),
        ([("qa1", "A"), ("qa2", "A")], "single_rater"),
        ([("qa1", "A"), ("qa2", "B")], "no_pairable_units"),
    ],
)
def test_majorities_of_too_few_ratings_say_why_there_are_none(frame, pick, said, reason):
    answers = [(item, 0, rater, "accuracy", 4) for item, rater in said]
    answers.append(("qa1", 0, "A", "fluency", 3))
    rows = summary(frame(answers), [{"statistic": "majority", "question": "accuracy"}], NEUREG)
    row = pick(rows, "majority", "accuracy")
    assert (row["estimate"], row["reason"]) == (None, reason)


def test_neureg_units_have_as_many_ratings_as_most_have_if_only_two(frame, pick):
    scores = [[5, 5, None], [4, None, 4], [None, 1, 2], [3, 3, 3], [2, None, None]]
    answers = [
        (f"qa{i}", 0, r, "accuracy", x)
        for i, row in enumerate(scores)
        for r, x in zip("ABC", row, strict=True)
        if x is not None
    ]
    names = {"full_agreement": 2 / 3, "majority": 0, "no_majority": 1 / 3}
    measures = [{"statistic": name, "question": "accuracy"} for name in names]
    for name, share in names.items():
        row = pick(summary(frame(answers), measures, NEUREG), name, "accuracy")
        assert (row["estimate"], row["n_items"]) == (pytest.approx(share), 3)
        assert "uneven_units" in row["warnings"]
    # Of two numbers that as many units have, the larger counts.
    even = [a for a in answers if a[0] in ("qa0", "qa3", "qa4")]
    row = pick(summary(frame(even), measures, NEUREG), "full_agreement", "accuracy")
    assert (row["estimate"], row["n_items"], row["n_ratings"]) == (1, 1, 3)


@pytest.mark.parametrize("name", ["evaluator_variance", "evaluator_sd"])
def test_raters_lie_as_far_apart_far_from_zero_as_near_it(frame, pick, name):
    found = []
    for by in (0, 10**8):
        said = {"q0": (1, 2, 4), "q1": (2, 2, 5), "q2": (3, 5, 4), "q3": (1, 1, 2)}
        answers = [
            (item, 0, rater, "s", value + by)
            for item, values in said.items()
            for rater, value in zip("ABC", values, strict=True)
        ]
        asked = {
            "s": {"type": "scale", "level": "interval", "scale": [by + n for n in range(1, 6)]}
        }
        row = pick(
            summary(frame(answers), [{"statistic": name, "question": "s"}], asked), name, "s"
        )
        found.append((row["estimate"], row["low"], row["high"]))
    assert found[0] == pytest.approx(found[1], rel=1e-6)
