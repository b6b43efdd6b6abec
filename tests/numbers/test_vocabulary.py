"""The closed list of statistics that a protocol may ask for."""

import pytest

from raterbook.numbers.compute import summary
from raterbook.numbers.measures import correction_of, takes
from raterbook.protocols import STATISTICS

SCALE = [1, 2, 3, 4, 5]
METRICS = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]
NEUREG = {name: {"type": "scale", "level": "ordinal", "scale": SCALE} for name in METRICS}


def test_every_statistic_of_the_vocabulary_has_a_sentence_and_is_computed(frame):
    answers = [("x/m", 0, "A", "accuracy", 3)]
    share = {"is": [5], "of": SCALE}
    for name, statistic in STATISTICS.items():
        assert statistic.says.endswith(".")
        measure = {"statistic": name, "question": "accuracy"}
        if name == "adjusted_share":
            measure["question"] = ["accuracy", "fluency"]
        if takes(measure) == "values" and measure_of_share(name):
            measure |= share
        assert summary(frame(answers), [measure], NEUREG), name


def measure_of_share(name):
    return bool(STATISTICS[name].needs)


TAKES = {name: statistic.takes for name, statistic in STATISTICS.items()}
LABELS = {"label": {"type": "choice", "level": "nominal", "scale": ["no", "yes", "unsure"]}}
GRADES = {"grade": {"type": "choice", "level": "ordinal", "scale": ["poor", "fair", "good"]}}


@pytest.mark.parametrize("name", sorted(name for name in TAKES if TAKES[name] != "answers"))
def test_a_statistic_gives_no_number_of_values_that_it_cannot_take(frame, name):
    words = {"label": ["no", "yes", "unsure", "yes"], "grade": ["poor", "good", "fair", "good"]}
    answers = [
        (f"q{i}/{model}", 0, rater, question, values[(i + (rater == "ben") + (model == "m2")) % 4])
        for question, values in words.items()
        for i in range(6)
        for model in ("m1", "m2")
        for rater in ("ana", "ben", "gpt")
    ]
    models = {item: item.split("/")[1] for item, *_ in answers}
    built = frame(answers, kinds={"gpt": "model"}, model=models)
    for question, reason in (("label", ("not_numeric", "no_order")), ("grade", ("not_numeric",))):
        measure = {"statistic": name, "question": question}
        if name == "adjusted_share":
            measure["question"] = [question, question]
        if measure_of_share(name):
            scale = {**LABELS, **GRADES}[question]["scale"]
            measure |= {"is": scale[:1], "of": {question: scale} if "missing" in name else scale}
        fits = TAKES[name] == "values" or (TAKES[name] == "order" and question == "grade")
        for row in summary(built, [measure], {**LABELS, **GRADES}):
            assert (row["reason"] in ("not_numeric", "no_order")) != fits, row
            assert fits or (row["estimate"] is None and row["reason"] in reason), row


def test_a_difference_of_shares_needs_no_numbers_and_one_of_means_does(frame, pick):
    answers = [
        (f"q{i}/{model}", 0, "ana", "label", "yes" if (i % 3) > (model == "m2") else "no")
        for i in range(9)
        for model in ("m1", "m2")
    ]
    built = frame(answers, model={item: item.split("/")[1] for item, *_ in answers})
    measure = {"statistic": "difference", "question": "label"}
    [row] = summary(built, [measure], LABELS)
    assert (row["estimate"], row["reason"]) == (None, "not_numeric")
    share = {**measure, "is": ["yes"], "of": ["yes", "no"]}
    [row] = summary(built, [share], LABELS)
    assert row["estimate"] == pytest.approx(6 / 9 - 3 / 9)


def test_only_a_model_that_answered_a_question_and_does_not_count_is_set_against_those_who_do(
    frame,
):
    questions = {name: {"type": "scale", "level": "ordinal", "scale": SCALE} for name in ("a", "b")}
    answers = [(f"q{i}", 0, "ana", name, 1 + i % 5) for i in range(6) for name in ("a", "b")]
    answers += [(f"q{i}", 0, "m1", "a", 1 + (i + 1) % 5) for i in range(6)]
    answers += [(f"q{i}", 0, "m2", "b", 1 + i % 5) for i in range(6)]
    built = frame(answers, kinds={"m1": "model", "m2": "model"})
    measure = {"statistic": "mae", "question": ["a", "b"]}
    rows = summary(built, [measure], questions)
    assert [(row["question"], row["group"], row["estimate"]) for row in rows] == [
        ("a", {"rater": "m1"}, (1 + 1 + 1 + 1 + 4 + 1) / 6), ("b", {"rater": "m2"}, 0.0)
    ]  # fmt: skip
    alone = summary(built, [{**measure, "question": "a"}], questions, raters=["m1"])
    assert [(row["estimate"], row["reason"]) for row in alone] == [(None, "no_comparison")]


def test_scores_fall_into_ranges_of_one_point_and_the_top_is_in_the_last(frame):
    measure = {"statistic": "score_ranges", "question": "a"}

    def ranges(values, **scale):
        answers = [(f"q{i}", 0, "ana", "a", value) for i, value in enumerate(values)]
        asked = {"a": {"type": "scale", "level": "interval", **scale}}
        rows = summary(frame(answers), [measure], asked)
        return {row["group"]["label"]: row["estimate"] for row in rows}

    assert ranges([3, 3, 3]) == {"[3, 4]": 1}
    assert ranges([1, 2, 2.5, 3]) == {"[1, 2)": 0.25, "[2, 3]": 0.75}
    assert ranges([2, 4], scale=[1, 2, 3, 4]) == {"[1, 2)": 0, "[2, 3)": 0.5, "[3, 4]": 0.5}


def test_where_one_question_does_not_fit_the_others_keep_their_numbers(frame, pick):
    answers = [("q1", 0, rater, "tone", 3 + (rater == "ben")) for rater in ("ana", "ben")]
    answers += [("q1", 0, rater, "label", "yes") for rater in ("ana", "ben")]
    scales = {**LABELS, "tone": {"type": "scale", "level": "ordinal", "scale": SCALE}}
    asked = ["tone", "label"]
    names = ("mean", "overall_mean", "evaluator_variance")
    measures = [{"statistic": name, "question": asked} for name in names]
    rows = summary(frame(answers), measures, scales)
    assert pick(rows, "mean", "tone")["estimate"] == 3.5
    assert pick(rows, "evaluator_variance", "tone")["estimate"] == 0.25
    for name, question in (
        ("mean", "label"),
        ("overall_mean", None),
        ("evaluator_variance", "label"),
        ("evaluator_variance", None),
    ):
        row = pick(rows, name, question)
        assert (row["estimate"], row["reason"]) == (None, "not_numeric")
    alone = {"statistic": "evaluator_variance", "question": "label"}
    [row] = summary(frame(answers), [alone], scales)
    assert (row["question"], row["reason"]) == ("label", "not_numeric")
    [row] = summary(frame(answers), [{"statistic": "overall_mean", "question": "label"}], scales)
    assert (row["question"], row["reason"]) == (None, "not_numeric")
    for several, question in (("label", "label"), (["label", "tone"], None)):
        [row] = summary(
            frame(answers), [{"statistic": "score_ranges", "question": several}], scales
        )
        assert (row["question"], row["reason"]) == (question, "not_numeric")


def test_the_mean_of_recoded_values_is_none(frame):
    answers = [("q1", 0, "ana", "tone", 3), ("q2", 0, "ana", "tone", 5)]
    recode = {"good": {"no": [1, 2, 3], "yes": [4, 5]}}
    measure = {"statistic": "mean", "question": "tone", "recode": recode}
    scales = {"tone": {"type": "scale", "level": "ordinal", "scale": SCALE}}
    [row] = summary(frame(answers), [measure], scales)
    assert (row["question"], row["estimate"], row["reason"]) == ("good", None, "not_numeric")


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ({"statistic": "kappa_raters"}, "kappa_raters needs a question"),
        (
            {"statistic": "proportion_ok", "is": {"label": ["yes"]}, "of": {"label": ["no"]}},
            "proportion_ok needs a question",
        ),
        ({"statistic": "proportion_ok", "question": "label", "of": ["no"]}, "needs 'is'"),
        ({"statistic": "severe_any_issue", "question": "label"}, "needs 'is' and 'of'"),
        ({"statistic": "missing_severity", "question": "label"}, "needs 'of'"),
        ({"statistic": "adjusted_share", "question": "tone"}, "needs the criteria"),
    ],
)
def test_a_measure_that_does_not_say_what_it_is_of_is_refused(frame, measure, said):
    with pytest.raises(ValueError, match=said):
        summary(frame([("x", 0, "A", "tone", 3)]), [measure], LABELS)


@pytest.mark.parametrize("name", ["overall", "total"])
def test_no_question_is_left_out_for_what_it_is_called(frame, pick, name):
    answers = [("q1", 0, "ana", "tone", 2), ("q1", 0, "ana", name, 4)]
    scale = {"type": "scale", "level": "ordinal", "scale": SCALE}
    asked = {"tone": scale, name: scale}
    names = ("overall_mean", "overall_computed_mean", "adjusted_share")
    measures = [{"statistic": each, "question": [name, "tone"]} for each in names]
    rows = summary(frame(answers), measures, asked)
    assert pick(rows, "overall_mean")["estimate"] == 3.0
    assert pick(rows, "overall_computed_mean")["estimate"] == 3.0
    assert pick(rows, "adjusted_share", name)["estimate"] == 1.0


def test_an_unknown_statistic_is_refused_with_the_known_ones(frame):
    with pytest.raises(ValueError, match=r"'alpa' is not a statistic.*alpha_nominal.*proportion_…"):
        summary(frame([("x", 0, "A", "tone", 3)]), [{"statistic": "alpa"}], NEUREG)


def test_only_differences_are_corrected_for_their_number():
    assert correction_of({"statistic": "mean", "correction": "holm"}) is None
    assert correction_of({"statistic": "difference"}) == "holm"
    assert correction_of({"statistic": "difference_recall", "correction": "none"}) == "none"
