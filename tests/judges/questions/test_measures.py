"""The worked examples of RAGQuestEval, on rounds whose answers a scripted model gave."""

import pytest

from raterbook.analysis.text import token_f1
from raterbook.judges.questions import questions

U = "<Unanswerable>"
AGGREGATES = ("macro", "micro", "compatible")


@pytest.fixture
def answered(opened, scripted):
    """A round with these answers: {id: (from the reference, {model: from its text})}."""

    def make(samples, **how):
        written, said, rows = {}, {}, []
        for id, (reference, texts) in samples.items():
            asked = [f"What is fact {n} of {id}?" for n in range(1, len(reference) + 1)]
            written[f"reference {id}"] = asked
            said[f"reference {id}"] = dict(zip(asked, reference))
            for model, answers in texts.items():
                said[f"text {id} {model}"] = dict(zip(asked, answers))
            rows.append((id, f"reference {id}", {model: f"text {id} {model}" for model in texts}))
        stored = opened(*rows)
        assert questions(stored, "scripted", scripted(written, said, **how)).complete
        return stored

    return make


def value(found, statistic, aggregate="macro"):
    return found[statistic, aggregate]["estimate"]


def test_the_documents_example_has_recall_two_thirds_and_precision_three_quarters(
    answered, numbers
):
    stored = answered({"s1": (["x b", "c", "d"], {"m": ["x y", "c", U]})})
    found = numbers(stored)
    assert value(found, "recall") == pytest.approx(2 / 3)
    assert value(found, "precision") == pytest.approx((0.5 + 1) / 2)
    assert value(found, "precision_over_kept") == pytest.approx(1.5 / 3)


def test_a_question_the_reference_cannot_answer_counts_over_all_only(answered, numbers):
    stored = answered({"s1": (["x b", "c", "d", U], {"m": ["x y", "c", U, "zzz"]})})
    found = numbers(stored)
    assert value(found, "recall") == pytest.approx(2 / 3)
    assert value(found, "recall_over_all") == pytest.approx(3 / 4)
    assert value(found, "precision") == pytest.approx(0.75)
    assert value(found, "precision_over_all") == pytest.approx(0.375)


def test_nothing_answered_is_recall_zero_and_no_precision(answered, numbers):
    found = numbers(answered({"s1": (["a b", "c"], {"m": [U, U]})}))
    assert value(found, "recall") == 0
    assert value(found, "precision") is None
    assert found["precision", "macro"]["reason"] == "no_answered"
    assert value(found, "precision", "compatible") == 0
    assert value(found, "recall", "compatible") == 0


def test_a_reference_that_answers_nothing_leaves_recall_undefined(answered, numbers):
    found = numbers(answered({"s1": ([U, U], {"m": ["x", U]})}))
    assert value(found, "recall") is None
    assert found["recall", "macro"]["reason"] == "no_gt_answerable"
    assert value(found, "recall_over_all") == 0.5
    assert value(found, "recall", "compatible") == 0


def test_a_round_without_questions_has_no_numbers_and_says_why(opened, scripted, numbers):
    stored = opened(("s1", "reference", {"m": "text"}))
    done = questions(stored, "scripted", scripted({"reference": []}))
    assert done.counts["write"] == {"no_questions": 1}
    assert not done.complete
    assert all(row["estimate"] is None for row in numbers(stored).values())


def test_compatible_counts_a_sample_without_answers_as_zero(answered, numbers):
    # A: precision .75, recall 2/3; B: nothing answered.
    stored = answered(
        {
            "A": (["x b", "c", "d"], {"m": ["x y", "c", U]}),
            "B": (["e", "f"], {"m": [U, U]}),
        }
    )
    found = numbers(stored)
    assert value(found, "precision", "compatible") == pytest.approx(0.375)
    assert value(found, "recall", "compatible") == pytest.approx(1 / 3)
    assert value(found, "precision") == pytest.approx(0.75)
    assert value(found, "recall") == pytest.approx(1 / 3)
    # Pooled: 2 of 5 answerable questions; F1 1.5 over 2 answered.
    assert value(found, "recall", "micro") == pytest.approx(2 / 5)
    assert value(found, "precision", "micro") == pytest.approx(0.75)


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_precision_over_kept_is_precision_times_recall_in_one_sample(answered, numbers, aggregate):
    for reference, generated in (
        (["x b", "c", "d"], ["x y", "c", U]),
        (["a b c", "d e", "f", U], ["a b", U, "g f", "h"]),
        (["42 people", "the Eiffel Tower"], ["42", "Eiffel Tower in Paris"]),
    ):
        stored = answered({"s": (reference, {"m": generated})})
        found = numbers(stored)
        product = value(found, "precision", aggregate) * value(found, "recall", aggregate)
        assert value(found, "precision_over_kept", aggregate) == pytest.approx(product)


def test_the_answers_of_the_documents_table_have_their_f1(answered, numbers):
    # {eiffel, tower} against {eiffel, tower, in, paris}: P .5, R 1.
    pairs = [("The Eiffel Tower", "Eiffel Tower in Paris", 2 / 3), ("42 people", "42", 2 / 3)]
    stored = answered(
        {"s": ([reference for reference, _, _ in pairs], {"m": [said for _, said, _ in pairs]})}
    )
    mean = sum(f1 for *_, f1 in pairs) / 2
    assert value(numbers(stored), "precision") == pytest.approx(mean)
    assert token_f1("", "") == 1
    assert token_f1("the", "") == 1
    assert token_f1("x", "") == 0
    assert token_f1("a b", "a x") == 0


@pytest.mark.parametrize(
    ("tokeniser", "expected"),
    [("auto", 0.75), ("char", 0.75), ("squad", 0.0), ("jieba", 2 / 3)],
)
def test_chinese_answers_are_compared_by_character_unless_asked_otherwise(
    answered, numbers, jieba, tokeniser, expected
):
    stored = answered({"s": (["陕西西安市"], {"m": ["西安市"]})})
    found = numbers(stored, **({} if tokeniser == "auto" else {"tokeniser": tokeniser}))
    assert value(found, "precision") == pytest.approx(expected)


def test_the_upstream_tokens_count_spaces_and_full_stops(answered, numbers, jieba):
    stored = answered({"s": (["New York City"], {"m": ["Paris France"]})})
    assert value(numbers(stored, tokeniser="jieba"), "precision") == pytest.approx(0.25)
    assert value(numbers(stored), "precision") == 0
    assert token_f1("500万元", "500万元。", "jieba") == pytest.approx(0.8)


def test_a_question_the_model_drops_is_out_of_every_number(answered, numbers):
    stored = answered(
        {"s1": (["x b", "c", "d"], {"m": ["x y", "c", U]})}, drop=("What is fact 3 of s1?",)
    )
    found = numbers(stored)
    assert value(found, "recall") == 1
    assert value(found, "recall_over_all") == 1


def test_systems_are_told_apart_by_case_and_model(answered, numbers):
    stored = answered({"s1": (["a", "b"], {"m1": ["a", U], "m2": ["a", "b"]})})
    found = numbers(stored)
    assert value(found, "recall") == pytest.approx((0.5 + 1) / 2)


def test_an_interval_from_few_cases_is_called_rough(answered):
    from raterbook.reporting import Report

    stored = answered({f"s{n}": (["a b", "c"], {"m": ["b", "c" if n else U]}) for n in range(5)})
    row = Report(stored).numbers.get("recall")
    assert row["warnings"] == ["few_clusters"]
    assert row["low"] < row["estimate"] < row["high"]
