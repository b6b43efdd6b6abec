"""Several people on the same questions: the trace has every pair, the page one row a question."""

import csv
import io

import pytest

from raterbook.reporting import Report
from raterbook.reporting.sections.trace import by_question, csv_of, graded, trace
from raterbook.rounds import Event

from .test_page import generated, reference

U = "<Unanswerable>"
# One question: "red bus" or "bus" by the reference, "bus" or nothing by the text.
ANA = reference("s1", "red bus") | generated("s1/m1", "bus")
BEN = reference("s1", "bus") | generated("s1/m1", U)


def table_of(report):
    return list(csv.DictReader(io.StringIO(csv_of(trace(report)))))


def test_each_pair_of_answers_is_a_row_of_the_trace_with_who_gave_them_and_its_weight(answered):
    stored = answered({"ana": ANA, "ben": BEN}, asked=1)
    rows = table_of(Report(stored))
    found = [
        (r["reference_by"], r["reference"], r["generated_by"], r["generated"], r["status"])
        for r in rows
    ]
    assert found == [
        ("ana", "red bus", "ana", "bus", "both answer"),
        ("ana", "red bus", "ben", U, "not in the text"),
        ("ben", "bus", "ana", "bus", "both answer"),
        ("ben", "bus", "ben", U, "not in the text"),
    ]
    assert {row["weight"] for row in rows} == {"0.25"}
    assert [row["f1"] for row in rows] == [str(2 / 3), "", "1.0", ""]


def test_the_trace_has_pseudonyms_where_a_report_asks_for_them(answered):
    stored = answered({"ana": ANA, "ben": BEN}, asked=1)
    names = {each.name: each.pseudonym for each in stored.raters()}
    rows = table_of(Report(stored, pseudonyms=True))
    assert {row["reference_by"] for row in rows} == set(names.values())
    assert {row["generated_by"] for row in rows} == set(names.values())
    assert not set(names) & set(names.values())


def test_a_question_in_no_number_has_no_weight_but_stands_in_the_trace(answered):
    stored = answered(
        {
            "ana": {("s1", "keep"): ["drop"]} | reference("s1", "a", "b", None),
            "ben": reference("s1", "a", None, None) | generated("s1/m1", "a", None, "c"),
        },
    )
    rows = table_of(Report(stored))
    assert [(row["part"], row["reference_by"], row["generated_by"]) for row in rows] == [
        *(("1", "ana", "ben"), ("1", "ben", "ben")),
        *(("2", "ana", ""), ("3", "", "ben")),
    ]
    assert {row["weight"] for row in rows} == {""}


def test_the_page_has_one_row_a_question_with_the_answers_side_by_side(answered, page):
    stored = answered({"ana": ANA, "ben": BEN, "eva": reference("s1", "bus")}, asked=1)
    said = page(stored).split("Every question on every text")[1]
    # The answer given most stands first; F1 is the mean of 1, 1 and 2/3.
    row = "s1/m1 · 1 What is fact 1? bus / red bus → bus / unanswerable 0.89 (3 of 6 pairs)"
    assert row in said
    assert "A question on which readers part counts in part." in page(stored)
    assert "s1/m1 1 0.5 50 % 89 %" in page(stored)


def test_a_reference_that_some_find_an_answer_in_is_usable(answered, page):
    stored = answered(
        {
            "ana": reference("s1", U, "b") | generated("s1/m1", "bus", "b"),
            "ben": reference("s1", "bus", "b") | generated("s1/m1", "bus", "b"),
        },
        asked=2,
    )
    assert "have no usable reference" not in page(stored)
    [first, _] = by_question(trace(Report(stored))).to_dict("records")
    assert (first["status"], first["scored"], first["pairs"]) == ("both answer", 2, 4)


def test_people_who_change_names_leave_the_page_and_the_numbers_as_they_were(answered):
    answers = [
        ANA | {("s1/m1", "match"): ["partly"]},
        BEN,
        reference("s1", "bus") | generated("s1/m1", "bus") | {("s1/m1", "match"): ["same"]},
        reference("s1", "red bus") | generated("s1/m1", "bus") | {("s1/m1", "match"): ["same"]},
    ]
    names = ["ana", "ben", "eva", "ivo"]
    found = []
    for given in (answers, answers[::-1]):
        report = Report(answered(dict(zip(names, given, strict=True)), asked=1))
        rows = [row for row in report.numbers.rows if "rater" not in (row["group"] or {})]
        found.append((rows, by_question(trace(report)).to_dict("records")))
    assert found[0] == found[1]
    assert found[0][1][0]["match"] == "same / partly"


def test_a_grade_without_answers_of_its_raters_own_is_taken_where_all_answers_are_alike(answered):
    given = {
        "ana": reference("s1", "a b", "c") | generated("s1/m1", "a b", "c"),
        "ben": reference("s1", "b", "c") | generated("s1/m1", "a b", "c"),
    }
    stored = answered(given, asked=2)
    stored.add_rater("eva")
    grades = [Event(None, "s1/m1", "match", "same", part) for part in (1, 2)]
    assert all(ack.ok for ack in stored.save("eva", grades))
    found = graded(Report(stored))
    assert found[["rater", "part", "reference"]].to_numpy().tolist() == [["eva", 2, "c"]]


def test_pairs_without_a_grade_are_told_apart_by_whether_one_rater_gave_both(answered, page):
    given = {
        "ana": reference("s1", "a b", "c") | generated("s1/m1", "a b", "c"),
        "ben": reference("s1", "b", "c") | generated("s1/m1", "b", "c"),
    }
    given["ana"]["s1/m1", "match"] = ["same", None]
    stored = answered(given, asked=2)
    # Of question 1 the four pairs but ana's, of question 2 the one that both gave.
    expected = "4 of the 5 pairs scored have no grade; 2 of these join answers of two raters."
    assert expected in page(stored)


@pytest.mark.parametrize("people", [1, 3])
def test_people_of_one_mind_have_the_page_of_one_of_them(answered, page, people):
    names = ("ana", "ben", "eva")[:people]
    given = reference("s1", "red", "b", U) | generated("s1/m1", "red bus", U, "c")
    said = page(answered(dict.fromkeys(names, given)))
    assert "s1/m1 · 1 What is fact 1? red → red bus 0.67" in said
    assert "s1/m1 2 1 50 % 67 %" in said
    assert "1 time a text answers such a question all the same" in said


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({("s1", "keep"): ["keep"]}, "nobody answered it from the reference"),
        (generated("s1/m1", "bus"), "nobody answered it from the reference"),
        (reference("s1", "bus"), "no answer from the text"),
    ],
)
def test_where_one_side_or_both_have_no_answers_the_trace_says_so(answered, page, given, status):
    stored = answered({"ana": given}, asked=1)
    [row] = table_of(Report(stored))
    assert (row["status"], row["weight"]) == (status, "")
    assert status in page(stored)


def test_a_person_answers_no_text_that_only_a_model_read(answered):
    given = {"ana": reference("s1", "bus"), "judge-1": generated("s1/m1", "bus")}
    stored = answered(given, asked=1, kinds={"judge-1": "model"})
    report = Report(stored, raters=["ana"])
    assert [row["status"] for row in table_of(report)] == ["no answer from the text"]
    assert report.numbers.get("recall")["reason"] == "no_questions"
