"""RAGQuestEval's worked examples, through `summary`."""

import pytest

from raterbook.numbers.compute import summary

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
        *(("case:a", part, "ana", "keep", "drop" if part == 3 else "keep") for part in (1, 2, 3)),
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
