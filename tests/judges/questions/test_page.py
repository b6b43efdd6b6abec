"""What the page says of recall and precision, of the grades, and of each question."""

import csv
import io
import random
import re

import pandas as pd
import pytest

from raterbook.reporting import Report
from raterbook.reporting.sections.trace import by_sample, csv_of, trace
from raterbook.rounds import Event, PartRow

U = "<Unanswerable>"


def reference(case, *values):
    return {(case, "reference_answer"): values}


def generated(item, *values):
    return {(item, "generated_answer"): values}


def test_readings_are_named_in_words_and_the_measure_says_what_it_is_against(answered, page):
    said = page(answered({"ana": reference("s1", "a", "b", "c") | generated("s1/m1", "a", U, "c")}))
    for words in (
        "average over cases",
        "over all questions pooled",
        "as the upstream script computes it",
        "Measured against the reference, not against the passages a system retrieved",
    ):
        assert words in said
    assert not re.search(r"\b(micro|macro|compatible)\b", said)


def test_systems_are_told_apart_only_by_the_paired_interval(answered, page):
    # The first answers one question more on all cases but two; the cases differ far more.
    counts = {"m1": [1, 2, 3, 4, 4, 3, 2, 4], "m2": [0, 1, 2, 3, 4, 2, 1, 4]}
    cases = [f"s{n}" for n in range(8)]
    given = {}
    for n, case in enumerate(cases):
        given |= reference(case, "a", "b", "c", "d")
        for system, many in counts.items():
            values = ["abcd"[k] if k < many[n] else U for k in range(4)]
            given |= generated(f"{case}/{system}", *values)
    stored = answered({"ana": given}, 4, cases, tuple(counts))
    assert "is said under Systems compared" in page(stored)
    made = re.sub(r"<[^>]+>", " ", Report(stored).systems().html)
    said = " ".join(made.replace("\u00a0", " ").split())
    assert re.search(r"Recall m1 − m2 \+18\.8 points \+9\.1 to \+28\.4\S* \S+ yes", said)
    alike = r"Precision m1 − m2 0\.0 points all cases differ by the same amount\D* be said 7"
    assert re.search(alike, said)
    rows = {row["group"]["model"]: row for row in Report(stored).by("recall", "model")}
    assert rows["m1"]["low"] < rows["m2"]["high"]  # apart, the two intervals decide nothing


def test_unusable_references_are_counted_by_reason_and_answers_from_elsewhere_listed(
    answered, page
):
    stored = answered(
        {
            "ana": {("s1", "keep"): ["keep", "keep", "keep", "drop", "keep", "drop"]}
            | reference("s1", "a", "无法推断", None, "d", "Cannot be determined.", U)
            | generated("s1/m1", "a", "from afar", "c", "d", "Unanswerable", "from the moon")
        },
        asked=6,
    )
    said = page(stored)
    assert "5 of 6 questions have no usable reference" in said
    assert "dropped: 2; nobody answered it from the reference: 1; not in the reference: 2" in said
    # Dropped or missing references may hold the answer, so nothing is claimed of those.
    assert "2 times a text answers such a question all the same" in said
    elsewhere = said.split("Answered from elsewhere")[1]
    elsewhere, others = elsewhere.rsplit("The other unusable questions", 1)
    assert re.search(r"s1/m1 2 What is fact 2\? from afar not in the reference", elsewhere)
    assert re.search(r"s1/m1 6 What is fact 6\? from the moon dropped", elsewhere)
    assert re.findall(r"s1 (\d) What", others) == ["3", "4", "5"]


def test_every_question_of_every_text_has_its_status(answered):
    stored = answered(
        {
            "ana": {("s1", "keep"): ["keep", "drop"]}
            | reference("s1", "red", "b", U, None, "e", "f")
            | generated("s1/m1", "red bus", "b", "c", "d", U, None)
        },
        asked=6,
    )
    rows = trace(Report(stored))
    assert list(rows["status"]) == [
        *("both answer", "dropped", "not in the reference"),
        *("nobody answered it from the reference", "not in the text"),
        "no answer from the text",
    ]
    assert rows["f1"].dropna().tolist() == pytest.approx([2 / 3])


def test_grades_stand_beside_the_shared_words_of_the_answers_they_were_given_for(answered, page):
    stored = answered(
        {
            "ana": reference("s1", "twenty one", "Oslo", "in May")
            | generated("s1/m1", "21", "Oslo", "May")
            | {("s1/m1", "match"): ["same", "same", "partly"]},
            # Graded on its own answers, which differ from ana's.
            "judge-1": reference("s1", "x", "x", "x")
            | generated("s1/m1", "x", "x", "x")
            | {("s1/m1", "match"): ["different", "different", "different"]},
        },
        kinds={"judge-1": "model"},
    )
    said = page(stored)
    assert "3 pairs of answers were graded by people." in said
    assert "1 mean the same and share less than half of their words, 0 differ" in said
    assert "Same 2 0.50 1 Partly 1 0.67 0 Different 0 – 0" in said


def test_grades_of_a_model_alone_are_said_to_be_no_persons(answered, page):
    stored = answered(
        {
            "judge-1": reference("s1", "a b")
            | generated("s1/m1", "b c")
            | {("s1/m1", "match"): ["partly"]}
        },
        kinds={"judge-1": "model"},
    )
    assert "1 pair of answers was graded by a model, and by no person" in page(stored)


def test_a_page_without_grades_says_that_nobody_graded(answered, page):
    said = page(answered({"ana": reference("s1", "a", "b") | generated("s1/m1", "a", "b")}))
    assert "Nobody graded whether the two answers mean the same" in said


def test_each_rater_has_numbers_of_their_own_beside_those_of_all(answered, page):
    stored = answered(
        {
            "ana": reference("s1", "a b", "c") | generated("s1/m1", "a b", "c"),
            "judge-1": reference("s1", "a b", "c") | generated("s1/m1", "b", U),
        },
        asked=2,
        kinds={"judge-1": "model"},
    )
    report = Report(stored)
    alone = {row["group"]["rater"]: row["estimate"] for row in report.by("recall", "rater")}
    assert alone == {"ana": 1.0, "judge-1": 0.5}
    assert report.numbers.get("recall")["estimate"] == 1.0
    for rater, recall in alone.items():
        narrowed = Report(stored, raters=[rater]).numbers.get("recall")
        assert narrowed["estimate"] == recall
    assert re.search(r"ana, person Recall 100 .*judge-1, model Recall 50 ", page(stored))


def test_an_adjudicators_decision_to_keep_stands_before_the_majority(answered):
    stored = answered(
        {
            "ana": {("s1", "keep"): ["drop"]} | reference("s1", "x") | generated("s1/m1", "x"),
            "chair": {("s1", "keep"): ["keep"]} | reference("s1", "red bus"),
        },
        asked=1,
        kinds={"chair": "adjudicator"},
    )
    report = Report(stored)
    [row] = trace(report).to_dict("records")
    assert (row["status"], row["reference"]) == ("both answer", "red bus")
    assert report.numbers.get("recall")["estimate"] == 1.0
    assert report.numbers.get("precision")["estimate"] == 0.0


def test_where_people_answer_some_texts_a_model_does_not_fill_in_the_others(answered, page):
    stored = answered(
        {
            "ana": reference("s1", "a b") | generated("s1/m1", "a b"),
            "judge-1": reference("s1", "x")
            | reference("s2", "x")
            | generated("s1/m1", U)
            | generated("s2/m1", U),
        },
        asked=1,
        cases=("s1", "s2"),
        kinds={"judge-1": "model"},
    )
    report = Report(stored)
    row = report.numbers.get("recall")
    assert (row["estimate"], row["n_items"], row["raters"]) == (1.0, 1, "human")
    assert report.numbers.get("recall", rater="judge-1")["n_items"] == 2
    rows = trace(report)
    assert list(rows["status"]) == ["both answer", "no answer from the text"]
    assert list(rows["reference"]) == ["a b", "x"]  # a model's reference still serves


def test_the_whole_trace_is_left_beside_the_page_and_runs_in_no_spreadsheet(answered, tmp_path):
    stored = answered(
        {"ana": reference("s1", "=1+1", "b", U) | generated("s1/m1", "=2+2", U, None)}
    )
    report = Report(stored)
    assert "Trace, question by question" in report.coverage().html
    report.save(tmp_path)
    with (tmp_path / "trace.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["part"], row["status"]) for row in rows] == [
        ("1", "both answer"),
        ("2", "not in the text"),
        ("3", "not in the reference"),
    ]
    assert (rows[0]["reference"], rows[0]["generated"]) == ("'=1+1", "'=2+2")


def test_each_text_has_its_own_recall_and_precision_the_lowest_first(answered, page):
    stored = answered(
        {
            "ana": reference("s1", "red", "b", "c")
            | generated("s1/m1", "red bus", U, "c")
            | generated("s1/m2", U, U, U)
        },
        systems=("m1", "m2"),
    )
    said = page(stored).split("text by text")[1]
    assert "s1/m2 3 0 0 % – s1/m1 3 2 67 % 83 %" in said


@pytest.mark.parametrize("seed", range(3))
def test_the_trace_and_the_numbers_come_to_the_same(answered, seed):
    draw = random.Random(seed)

    def some(values, share=0.8):
        return [draw.choice(values) if draw.random() < share else None for _ in range(6)]

    def everything():
        given = {}
        for case in ("s1", "s2", "s3"):
            given |= reference(case, *some(["red bus", "May", U]))
            given[case, "keep"] = some(["keep", "keep", "drop"])
            for system in ("m1", "m2"):
                given |= generated(f"{case}/{system}", *some(["bus", "in May", U]))
        return given

    raters = {"ana": "human", "ben": "human", "chair": "adjudicator", "judge-1": "model"}
    given = {rater: everything() for rater in raters}
    given["eva"] = {place: said for place, said in everything().items() if "/" in place[0]}
    stored = answered(given, 6, ("s1", "s2", "s3"), ("m1", "m2"), raters)
    # Also where the page is of some raters only, who need not have read the references.
    for named in (None, ["ana"], ["ben", "judge-1"], ["eva"], ["ana", "eva"]):
        report = Report(stored, raters=named)
        rows = pd.read_csv(io.StringIO(csv_of(trace(report))))
        rows = rows[rows["weight"].notna()]
        pairs = rows["weight"].groupby([rows["item"], rows["part"]])
        assert pairs.sum().tolist() == pytest.approx([1] * pairs.ngroups)
        both = rows["weight"].where(rows["status"].eq("both answer"), 0)
        of_reference = rows["weight"].where(rows["status"].ne("not in the reference"), 0)
        of_text = rows["weight"].where(rows["generated"].ne(U), 0)
        alike = (both * rows["f1"]).fillna(0)
        expected = {
            "recall": both.sum() / of_reference.sum(),
            "recall_over_all": of_text.sum() / rows["weight"].sum(),
            "precision": alike.sum() / both.sum(),
            "precision_over_kept": alike.sum() / of_reference.sum(),
            "precision_over_all": alike.sum() / rows["weight"].sum(),
        }
        pooled = {
            row["statistic"]: row["estimate"]
            for row in report.numbers.rows
            if row["aggregate"] == "micro" and not row["group"] and row["statistic"] in expected
        }
        assert pooled == pytest.approx(expected)
        texts = by_sample(trace(report))
        assert report.numbers.get("recall")["estimate"] == pytest.approx(texts["recall"].mean())


def test_texts_and_names_that_look_like_markup_stay_text(opened):
    evil = "<img src=x onerror=alert(1)>"
    stored = opened(("s1", "reference", {evil: "text"}), parts=[PartRow("s1", 1, evil)])
    stored.add_rater(evil, kind="model")
    stored.add_rater("ana")
    for rater in (evil, "ana"):
        events = [
            Event(None, "s1", "reference_answer", evil, 1),
            Event(None, f"s1/{evil}", "generated_answer", f"{evil} {rater}", 1),
        ]
        assert all(ack.ok for ack in stored.save(rater, events))
    section = Report(stored).coverage().html
    assert "<img" not in section
    assert section.count("&lt;img") >= 5
