"""RAGQuestEval traced pair by pair on one text: what became of every question, counted by hand."""

import csv
import io

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.judges.questions import questions
from tests.golden.pages import plain

NONE = "<Unanswerable>"
# By part: whether it is kept, the answers from the reference and from the text.
PARTS = {
    1: ("keep", "red bridge", "red bridge"),
    2: ("keep", "old mill", "mill near Spain"),  # two words of which one is shared, of three
    3: ("keep", "stone", NONE),
    4: ("keep", NONE, "stone"),
    5: ("keep", None, "north"),
    6: ("keep", "south", None),
    7: ("drop", "east", "east"),
}


@pytest.fixture
def opened(tmp_path):
    """One case and text with seven questions; answers by rater, of the kind given."""

    def one(said, kinds=None, system=None):
        item = {"id": "q", "ground_truth": "Facts.", "generated": "A text."}
        items = [{**item, "model": system}] if system else [item]
        parts = [{"item": "q", "part": p, "text": f"What is fact {p}?"} for p in PARTS]
        round = Workspace(tmp_path).open(
            "traced", "rag-questeval", pd.DataFrame(items), parts=pd.DataFrame(parts)
        )
        for rater, given in said.items():
            rows = [
                {"item": "q" if question != "generated_answer" or not system else f"q/{system}"}
                | {"part": part, "rater": rater, "question": question, "value": value}
                for part, values in given.items()
                for question, value in zip(
                    ("keep", "reference_answer", "generated_answer"), values, strict=True
                )
                if value is not None
            ]
            round.add(pd.DataFrame(rows), kind=(kinds or {}).get(rater, "human"))
        return round

    return one


def traced(report):
    report.coverage()
    return list(csv.DictReader(io.StringIO(report.files["trace.csv"])))


def test_every_question_has_a_status_and_a_weight_where_it_is_in_a_number(opened):
    rows = traced(opened({"ana": PARTS}).read())
    assert [(row["part"], row["status"], row["weight"]) for row in rows] == [
        ("1", "both answer", "1.0"),
        ("2", "both answer", "1.0"),
        ("3", "not in the text", "1.0"),
        ("4", "not in the reference", "1.0"),
        ("5", "nobody answered it from the reference", ""),
        ("6", "no answer from the text", ""),
        ("7", "dropped", ""),
    ]
    # Token F1 of two words against three with one in common: 2 · ½ · ⅓ / (½ + ⅓).
    assert [row["f1"] for row in rows[:3]] == ["1.0", "0.4", ""]
    assert {row["system"] for row in rows} == {""}


def test_recall_and_precision_of_the_text_are_those_of_the_trace(opened):
    """Three questions the reference answers and the text was read for; two it answers."""
    report = opened({"ana": PARTS}).read()
    text = plain(report.coverage()._repr_html_())
    assert "| q | 3 | 2 | 67 % | 70 %" in text
    assert report.numbers.get("recall", "generated_answer")["estimate"] == pytest.approx(2 / 3)
    assert report.numbers.get("precision", "generated_answer")["estimate"] == pytest.approx(0.7)


def test_two_answers_from_the_text_weigh_half_each(opened):
    other = {1: (None, None, "red"), 3: (None, None, "stone")}
    report = opened({"ana": PARTS, "ben": other}).read()
    rows = [row for row in traced(report) if row["part"] in ("1", "3")]
    assert [(r["part"], r["generated_by"], r["status"], r["weight"]) for r in rows] == [
        ("1", "ana", "both answer", "0.5"),
        ("1", "ben", "both answer", "0.5"),
        ("3", "ana", "not in the text", "0.5"),
        ("3", "ben", "both answer", "0.5"),
    ]
    # F1 of part 1: 1 and 2/3; part 2: .4; part 3: 1. Answered 2.5 of 3.
    text = plain(report.coverage()._repr_html_())
    assert "| q | 3 | 2.5 | 83 % | 69 %" in text


def test_a_person_counts_before_a_model_and_an_adjudicator_before_all(opened):
    model = dict.fromkeys(PARTS, ("keep", "other", "other"))
    final = {1: (None, "red", "red")}
    kinds = {"owl": "model", "uma": "adjudicator"}
    report = opened({"ana": PARTS, "owl": model, "uma": final}, kinds).read()
    by = {row["part"]: (row["reference_by"], row["generated_by"]) for row in traced(report)}
    assert by["1"] == ("uma", "uma")
    assert by["2"] == ("ana", "ana")
    assert by["5"] == ("owl", "ana")  # nobody else answered it from the reference
    assert by["6"] == ("ana", "")  # from the texts people count, and a model fills no gap


def test_a_report_on_named_raters_takes_their_answers_and_any_reference_they_lack(opened):
    model = dict.fromkeys(PARTS, ("keep", None, "red"))
    report = opened({"ana": PARTS, "owl": model}, {"owl": "model"}).read(raters=["owl"])
    by = {row["part"]: (row["reference_by"], row["generated_by"]) for row in traced(report)}
    assert by["1"] == ("ana", "owl")
    assert by["6"] == ("ana", "owl")
    assert report.numbers.get("recall", "generated_answer")["raters"] == ["owl"]


def test_a_report_on_named_raters_takes_their_references_where_they_gave_any(opened):
    model = {1: ("keep", "red", "red"), 2: (None, None, "mill")}
    report = opened({"ana": PARTS, "owl": model}, {"owl": "model"}).read(raters=["owl"])
    by = {row["part"]: (row["reference_by"], row["status"]) for row in traced(report)}
    assert by["1"] == ("owl", "both answer")
    assert by["2"] == ("", "nobody answered it from the reference")


def test_named_person_and_model_count_alike(opened):
    model = dict.fromkeys((2, 3), (None, "stone", "stone"))
    said = {"ana": PARTS, "owl": model}
    report = opened(said, {"owl": "model"}).read(raters=["ana", "owl"])
    by = {(row["part"], row["generated_by"]): row["reference_by"] for row in traced(report)}
    # From the reference a person stands before a model, from the text the named count alike.
    assert by == {
        **{(str(part), "ana"): "ana" for part in (1, 2, 3, 4, 7)},
        ("5", "ana"): "",
        ("6", ""): "ana",
        ("2", "owl"): "ana",
        ("3", "owl"): "ana",
    }


def test_a_question_is_dropped_by_more_than_half_of_those_who_judged_it(opened):
    two = {7: ("keep", None, None)}
    assert traced(opened({"ana": PARTS, "ben": two}).read())[-1]["status"] == "both answer"


def test_an_adjudicators_keep_stands_against_everybodys_drop(opened):
    final = {7: ("keep", None, None)}
    report = opened({"ana": PARTS, "uma": final}, {"uma": "adjudicator"}).read()
    assert traced(report)[-1]["status"] == "both answer"


def test_one_system_has_its_name_nowhere_and_training_items_are_not_traced(opened):
    rows = traced(opened({"ana": PARTS}, system="oak").read())
    assert {row["system"] for row in rows} == {""}
    assert {row["item"] for row in rows} == {"q/oak"}


def test_who_wrote_the_questions_is_counted_among_all_questions(tmp_path):
    """The baseline writes one question of its reference, and answers it."""
    text = "The old canal opened on 26 June 2016."
    items = pd.DataFrame([{"id": "q", "ground_truth": text, "generated": text}])
    round = Workspace(tmp_path).open("traced", "rag-questeval", items)
    questions(round, rules=True, steps="write,check,answer")
    said = plain(round.read().coverage()._repr_html_())
    assert "The rule-based baseline wrote 1 of 1 question and answers: a lowest bar" in said
