"""The worked examples of the five protocols, through `summary`."""

import pytest

from analysis import STATISTICS, summary

ROW = [
    *("question", "group", "statistic", "estimate", "low", "high", "low_like", "high_like"),
    *("raters", "n_items", "n_raters", "n_ratings", "method", "p", "reason"),
    *("aggregate", "warnings"),
]
STEM = {
    "accuracy": {
        "type": "choice",
        "level": "nominal",
        "scale": ["accurate", "disputed", "unsupported", "inaccurate", "cannot_assess"],
    },
    "severity": {"type": "choice", "level": "nominal", "scale": ["severe", "not_severe"]},
}
JUDGED = ["accurate", "disputed", "unsupported", "inaccurate"]
ISSUES = ["inaccurate", "unsupported", "disputed"]
STEM_MEASURES = [
    {"statistic": "proportion_accurate", "question": "accuracy", "is": ["accurate"], "of": JUDGED},
    {
        "statistic": "proportion_inaccurate",
        "question": "accuracy",
        "is": ["inaccurate"],
        "of": JUDGED,
    },
    {
        "statistic": "proportion_severely_inaccurate",
        "question": "accuracy",
        "is": {"accuracy": ["inaccurate"], "severity": ["severe"]},
        "of": JUDGED,
    },
    {
        "statistic": "proportion_residual",
        "question": "accuracy",
        "is": ["disputed", "unsupported"],
        "of": JUDGED,
    },
    {
        "statistic": "proportion_excluded",
        "question": "accuracy",
        "is": ["cannot_assess"],
        "of": [*JUDGED, "cannot_assess"],
    },
    {
        "statistic": "severe_any_issue",
        "question": "accuracy",
        "is": {"accuracy": ISSUES, "severity": ["severe"]},
        "of": JUDGED,
    },
    {"statistic": "missing_severity", "question": "severity", "of": {"accuracy": ISSUES}},
]
# Sentence, rater, answer, severity: ten ratings, of which eight judge.
SENTENCES = [
    (1, "A", "accurate", None),
    (1, "B", "accurate", None),
    (2, "A", "inaccurate", "severe"),
    (2, "B", "unsupported", "not_severe"),
    (3, "A", "inaccurate", "not_severe"),
    (3, "B", "disputed", "severe"),
    (4, "A", "cannot_assess", None),
    (4, "B", "accurate", None),
    (5, "A", "accurate", None),
    (5, "B", "cannot_assess", None),
]


def stem_answers(item="q1/m1"):
    for sentence, rater, accuracy, severity in SENTENCES:
        yield item, sentence, rater, "accuracy", accuracy
        if severity:
            yield item, sentence, rater, "severity", severity


@pytest.mark.parametrize(
    ("statistic", "question", "value", "n"),
    [
        ("proportion_accurate", "accuracy", 4 / 8, 8),
        ("proportion_inaccurate", "accuracy", 2 / 8, 8),
        ("proportion_severely_inaccurate", "accuracy", 1 / 8, 8),
        ("proportion_residual", "accuracy", 2 / 8, 8),
        ("proportion_excluded", "accuracy", 2 / 10, 10),
        ("severe_any_issue", "accuracy", 2 / 8, 8),
        ("missing_severity", "severity", 0.0, 4),
    ],
)
def test_stem_shares_of_its_eight_counted_ratings(frame, pick, statistic, question, value, n):
    rows = summary(frame(stem_answers()), STEM_MEASURES, STEM)
    row = pick(rows, statistic, question)
    assert row["estimate"] == pytest.approx(value)
    assert (row["n_ratings"], row["n_items"], row["raters"]) == (n, 1, "human")


def test_a_row_has_exactly_the_columns_that_were_agreed(frame):
    for row in summary(frame(stem_answers()), STEM_MEASURES, STEM):
        assert list(row) == ROW


def test_stem_without_a_severity_counts_as_not_severe_and_says_so(frame, pick):
    answers = [a for a in stem_answers() if not (a[1] == 2 and a[2] == "A" and a[3] == "severity")]
    rows = summary(frame(answers), STEM_MEASURES, STEM)
    severe = pick(rows, "proportion_severely_inaccurate", "accuracy")
    assert severe["estimate"] == 0.0
    assert "missing_severity" in severe["warnings"]
    assert pick(rows, "missing_severity", "severity")["estimate"] == 1 / 4
    upper = pick(
        rows,
        "proportion_severely_inaccurate",
        "accuracy",
        {"level": "missing taken as severe"},
    )
    assert upper["estimate"] == 1 / 8


def test_stem_shares_by_sentence_and_by_response_stand_beside_the_pooled_ones(frame, pick):
    more = [
        ("q2/m1", 1, "A", "accuracy", "inaccurate"),
        ("q2/m1", 1, "B", "accuracy", "inaccurate"),
        ("q2/m1", 1, "A", "severity", "severe"),
        ("q2/m1", 1, "B", "severity", "severe"),
    ]
    rows = summary(frame([*stem_answers(), *more]), STEM_MEASURES, STEM)
    # Sentences with a majority for accurate: 1, 4 and 5 of six.
    sentence = pick(rows, "proportion_accurate", "accuracy", {"level": "sentence"})
    assert sentence["estimate"] == pytest.approx(3 / 6)
    # Shares of the two responses: 4/8 and 0.
    response = pick(rows, "proportion_accurate", "accuracy", {"level": "response"})
    assert response["estimate"] == pytest.approx(1 / 4)
    assert pick(rows, "proportion_accurate", "accuracy")["estimate"] == pytest.approx(4 / 10)


def test_stem_shares_of_nothing_are_undefined_not_zero(frame, pick):
    rows = summary(frame([("q1/m1", 1, "A", "accuracy", "cannot_assess")]), STEM_MEASURES, STEM)
    row = pick(rows, "proportion_accurate", "accuracy")
    assert (row["estimate"], row["reason"]) == (None, "zero_denominator")
    assert pick(rows, "proportion_excluded", "accuracy")["estimate"] == 1.0


def test_recoding_makes_a_question_of_its_own_without_what_was_not_assessed(frame, pick):
    measure = {
        "statistic": "alpha_nominal",
        "question": "accuracy",
        "recode": {"accuracy_issue": {"accurate": ["accurate"], "issue": ISSUES}},
    }
    both = [measure, {"statistic": "alpha_nominal", "question": "accuracy"}]
    rows = summary(frame(stem_answers()), both, STEM)
    # Sentences 1 to 3 are pairable and agree on both values: perfect agreement.
    assert pick(rows, "alpha_nominal", "accuracy_issue")["estimate"] == 1.0
    five = pick(rows, "alpha_nominal", "accuracy")
    assert five["n_ratings"] == 10
    # 4 of 5 pairs differ; values 4 1 1 2 2 of 10 give expected disagreement 1 − 16/90 = 74/90.
    assert five["estimate"] == pytest.approx(1 - 0.8 / (74 / 90))


LABELS = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
HALO = {"label": {"type": "choice", "level": "nominal", "scale": LABELS}}
HALO_MEASURES = [
    {"statistic": name, "question": "label"}
    for name in (
        "percent_match",
        "kappa_human_auto",
        "kappa_raters",
        "agreement_jaccard",
        "agreement_of_auto",
        "agreement_of_human",
        "agreement_specific",
    )
]
PAIRS = ["SS"] * 4 + ["SN"] + ["CC"] * 2 + ["CN"] + ["NN"] + ["NS"]


def halo_answers():
    full = {label[0]: label for label in LABELS}
    for i, (auto, human) in enumerate(PAIRS):
        yield f"s{i:02}", 0, "auto", "label", full[auto]
        yield f"s{i:02}", 0, "ana", "label", full[human]


def test_halo_ten_items_match_and_kappa(frame, pick):
    rows = summary(frame(halo_answers(), kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    assert pick(rows, "percent_match", "label")["estimate"] == pytest.approx(0.7)
    kappa = pick(rows, "kappa_human_auto", "label")
    # (.7 − .37) / (1 − .37)
    assert kappa["estimate"] == pytest.approx(0.523810, abs=5e-7)
    assert kappa["n_items"] == 10
    assert pick(rows, "kappa_human_auto", "label", {"rater": "ana"})["estimate"] == pytest.approx(
        kappa["estimate"]
    )
    alone = pick(rows, "kappa_raters", "label")
    assert (alone["estimate"], alone["reason"]) == (None, "single_rater")


@pytest.mark.parametrize(
    ("statistic", "values"),
    [
        ("agreement_jaccard", [4 / 6, 2 / 3, 1 / 4]),
        ("agreement_of_auto", [0.8, 2 / 3, 0.5]),
        ("agreement_of_human", [0.8, 1.0, 1 / 3]),
        ("agreement_specific", [0.8, 0.8, 0.4]),
    ],
)
def test_halo_agreement_of_each_label(frame, pick, statistic, values):
    rows = summary(frame(halo_answers(), kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    found = [pick(rows, statistic, "label", {"label": label})["estimate"] for label in LABELS]
    assert found == pytest.approx(values)


def test_halo_single_label_on_both_sides_has_no_kappa_and_full_match(frame, pick):
    answers = [(f"s{i}", 0, who, "label", "SUPPORTED") for i in range(5) for who in ("auto", "ana")]
    rows = summary(frame(answers, kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    row = pick(rows, "kappa_human_auto", "label")
    assert (row["estimate"], row["reason"]) == (None, "no_variation")
    assert pick(rows, "percent_match", "label")["estimate"] == 1.0


def test_halo_one_odd_answer_at_ninety_percent_match_gives_zero_and_says_why(frame, pick):
    answers = [("s0", 0, "auto", "label", "SUPPORTED"), ("s0", 0, "ana", "label", "NO EVIDENCE")]
    for i in range(1, 10):
        answers += [(f"s{i}", 0, who, "label", "SUPPORTED") for who in ("auto", "ana")]
    rows = summary(frame(answers, kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    row = pick(rows, "kappa_human_auto", "label")
    assert row["estimate"] == pytest.approx(0.0)
    assert "high_agreement_low_coefficient" in row["warnings"]
    assert pick(rows, "percent_match", "label")["estimate"] == pytest.approx(0.9)


def test_an_adjudicated_answer_beats_the_majority_and_a_tie_has_no_consensus(frame, pick):
    answers = [
        ("s1", 0, "auto", "label", "SUPPORTED"),
        ("s1", 0, "ana", "label", "SUPPORTED"),
        ("s1", 0, "ben", "label", "CONTRADICTED"),  # tie: no consensus
        ("s2", 0, "auto", "label", "SUPPORTED"),
        ("s2", 0, "ana", "label", "CONTRADICTED"),
        ("s2", 0, "ben", "label", "CONTRADICTED"),
        ("s2", 0, "chief", "label", "SUPPORTED"),  # adjudicated
    ]
    kinds = {"auto": "automatic", "chief": "adjudicator"}
    rows = summary(frame(answers, kinds=kinds), HALO_MEASURES, HALO)
    match = pick(rows, "percent_match", "label")
    assert (match["estimate"], match["n_items"]) == (1.0, 1)
    assert pick(rows, "percent_match", "label", {"rater": "ana"})["estimate"] == 0.5


SCALE = [1, 2, 3, 4, 5]
CRITERIA = ["correctness", "clarity", "tone", "actionability", "coherence", "emotion"]
FEEDBACK = {
    **{name: {"type": "scale", "level": "ordinal", "scale": SCALE} for name in CRITERIA},
    "overall": {"type": "scale", "level": "interval", "scale": SCALE},
}


def test_feedback_weights_by_confidence_and_computes_the_overall(frame, pick):
    answers = [
        ("f1", 0, "r1", "tone", 4, 100),
        ("f1", 0, "r2", "tone", 5, 80),
        ("f1", 0, "r3", "tone", 3, 50),
    ]
    measures = [
        {"statistic": name, "question": "tone"}
        for name in ("mean", "weighted_mean", "weighted_mean_within", "sd", "median")
    ]
    rows = summary(frame(answers), measures, FEEDBACK)
    assert pick(rows, "weighted_mean", "tone")["estimate"] == pytest.approx(4.130435, abs=5e-7)
    assert pick(rows, "mean", "tone")["estimate"] == 4.0
    assert pick(rows, "median", "tone")["estimate"] == 4.0
    assert pick(rows, "sd", "tone")["estimate"] == pytest.approx(1.0)


def test_feedback_overall_stated_against_computed(frame, pick):
    scores = [5, 5, 4, 3, 4, 4]
    answers = [("f1", 0, "r1", name, x) for name, x in zip(CRITERIA, scores, strict=True)]
    answers += [("f1", 0, "r1", "overall", 4)]
    # A second rater whose 4 stands half a point below the mean of 4.5.
    answers += [
        ("f1", 0, "r2", name, x) for name, x in zip(CRITERIA, [5, 5, 5, 4, 4, 4], strict=True)
    ]
    answers += [("f1", 0, "r2", "overall", 4)]
    measures = [
        {"statistic": "overall_computed_mean", "question": CRITERIA},
        {"statistic": "adjusted_share", "question": "overall"},
        {"statistic": "mean", "question": "overall"},
    ]
    rows = summary(frame(answers), measures, FEEDBACK, raters=["r1"])
    assert pick(rows, "overall_computed_mean")["estimate"] == pytest.approx(4.166667, abs=5e-7)
    assert pick(rows, "adjusted_share", "overall")["estimate"] == 0.0
    rows = summary(frame(answers), measures, FEEDBACK)
    assert pick(rows, "adjusted_share", "overall")["estimate"] == 0.5


def test_feedback_overall_may_have_decimals(frame, pick):
    answers = [("f1", 0, "r1", "overall", 4.25), ("f2", 0, "r1", "overall", 3.5)]
    rows = summary(frame(answers), [{"statistic": "mean", "question": "overall"}], FEEDBACK)
    assert pick(rows, "mean", "overall")["estimate"] == pytest.approx(3.875)


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


U = "<Unanswerable>"
QUEST = {
    "reference_answer": {"type": "answer", "level": None, "scale": None},
    "generated_answer": {"type": "answer", "level": None, "scale": None},
    "match": {"type": "choice", "level": "ordinal", "scale": ["same", "partly", "different"]},
    "keep": {"type": "choice", "level": "nominal", "scale": ["keep", "drop"]},
}
QUEST_NAMES = (
    "recall",
    "recall_over_all",
    "precision",
    "precision_over_kept",
    "precision_over_all",
)
QUEST_MEASURES = [{"statistic": name} for name in QUEST_NAMES]


def quest_answers(reference, generated, sample="a", model="m"):
    for part, text in enumerate(reference, start=1):
        yield f"case:{sample}", part, "qa", "reference_answer", text
    for part, text in enumerate(generated, start=1):
        yield f"{sample}/{model}", part, "qa", "generated_answer", text


def quest_rows(frame, answers):
    return summary(frame(answers, kinds={"qa": "model"}), QUEST_MEASURES, QUEST)


def quest_values(rows, pick, aggregate="macro"):
    found = [pick(rows, n, "generated_answer", None, aggregate)["estimate"] for n in QUEST_NAMES]
    return dict(zip(QUEST_NAMES, found, strict=True))


def test_questeval_three_questions_of_the_document(frame, pick):
    rows = quest_rows(frame, quest_answers(["x b", "c", "d"], ["x y", "c", U]))
    for aggregate in ("macro", "micro", "compatible"):
        found = quest_values(rows, pick, aggregate)
        assert found["recall"] == pytest.approx(2 / 3)
        assert found["precision"] == pytest.approx(0.75)
        assert found["precision_over_kept"] == pytest.approx(0.5)


def test_questeval_a_question_the_reference_cannot_answer_only_counts_over_all(frame, pick):
    rows = quest_rows(frame, quest_answers(["x b", "c", "d", U], ["x y", "c", U, "zzz"]))
    assert quest_values(rows, pick) == pytest.approx(
        {
            "recall": 2 / 3,
            "recall_over_all": 3 / 4,
            "precision": 0.75,
            "precision_over_kept": 0.5,
            "precision_over_all": 0.375,
        }
    )


def test_questeval_nothing_answered_has_recall_zero_and_no_precision(frame, pick):
    rows = quest_rows(frame, quest_answers(["c", "d"], [U, U]))
    assert pick(rows, "recall", "generated_answer", None, "macro")["estimate"] == 0.0
    row = pick(rows, "precision", "generated_answer", None, "macro")
    assert (row["estimate"], row["reason"]) == (None, "no_answered")
    assert pick(rows, "precision", "generated_answer", None, "compatible")["estimate"] == 0.0


def test_questeval_aggregates_a_sample_without_answers_as_upstream_and_as_it_should(frame, pick):
    answers = [
        *quest_answers(["x b", "c", "d"], ["x y", "c", U], "a"),
        *quest_answers(["e", "f"], [U, U], "b"),
    ]
    rows = quest_rows(frame, answers)
    compatible = quest_values(rows, pick, "compatible")
    assert (compatible["precision"], compatible["recall"]) == pytest.approx((0.375, 1 / 3))
    assert quest_values(rows, pick, "macro")["precision"] == pytest.approx(0.75)
    assert quest_values(rows, pick, "micro")["recall"] == pytest.approx(2 / 5)


def test_questeval_precision_over_kept_is_precision_times_recall_in_each_sample(frame, pick):
    rows = quest_rows(frame, quest_answers(["x b", "c", "d", "e f"], ["x y", "c", U, "f"]))
    found = quest_values(rows, pick)
    assert found["precision_over_kept"] == pytest.approx(found["precision"] * found["recall"])


def test_questeval_a_dropped_question_is_gone_and_a_person_beats_a_model(frame, pick):
    answers = [
        *quest_answers(["x b", "c", "d"], ["x y", "c", U]),
        ("case:a", 3, "ana", "keep", "drop"),
        ("a/m", 1, "ana", "generated_answer", "x b"),
    ]
    rows = quest_rows(frame, answers)
    found = quest_values(rows, pick)
    assert (found["recall"], found["precision"]) == pytest.approx((1.0, 1.0))


def test_questeval_narrowed_to_a_rater_still_finds_the_references(frame, pick):
    answers = [
        *quest_answers(["x b", "c"], ["x y", "c"]),
        ("a/m", 1, "ana", "generated_answer", "x b"),
    ]
    built = frame(answers, kinds={"qa": "model"})
    rows = summary(built, QUEST_MEASURES, QUEST, raters=["ana"])
    assert quest_values(rows, pick)["precision"] == 1.0


def test_every_statistic_of_the_vocabulary_has_a_sentence_and_is_computed(frame):
    answers = [("x/m", 0, "A", "accuracy", 3)]
    for name, sentence in STATISTICS.items():
        assert sentence.endswith(".")
        rows = summary(frame(answers), [{"statistic": name, "question": "accuracy"}], NEUREG)
        assert rows, name


def test_an_unknown_statistic_is_refused_with_the_known_ones(frame):
    with pytest.raises(ValueError, match=r"unknown statistic 'alpa'.*alpha_nominal.*proportion_…"):
        summary(frame([("x", 0, "A", "tone", 3)]), [{"statistic": "alpa"}], FEEDBACK)
