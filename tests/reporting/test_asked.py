"""What was asked and answered is counted once: the page and `raterbook status` say the same."""

import html
import re

import pytest

from raterbook.numbers.compute import numbers
from raterbook.protocols import load
from raterbook.reporting.shown import Status
from raterbook.rounds import Event, ItemTable, PartRow, Store
from tests.reporting.conftest import SAMPLES
from tests.reporting.rounds import opened, page_of, records


def text_of(page):
    body = re.sub(r"<style.*?</style>", "", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).replace("\u00a0", " ").split())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_and_the_status_count_the_same_required_answers(workspace, built, name):
    status = workspace.round(name).status()
    shown = text_of((built / name / "index.html").read_text("utf-8"))
    given, required = re.search(r"required answers \(([\d,]+) of ([\d,]+)\)", shown).groups()
    assert int(required.replace(",", "")) - int(given.replace(",", "")) == status["missing"]
    row = numbers(workspace.store.round(name)).get("completeness")
    assert row["method"] == f"{given} of {required} required answers".replace(",", "")


def test_unanswered_items_count_although_nobody_skipped_a_question(by_hand):
    said = [("ana", f"i{n:03d}", "label", "SUPPORTED") for n in range(5)]
    page = text_of(page_of(by_hand("halo-support", records("halo-support", 10), said)))
    assert "50 % of the required answers (5 of 10)" in page
    assert "5 of 10 required answers are missing" in page


def test_a_conditional_question_is_asked_where_its_condition_holds(tmp_path):
    asked = {"id": "a1", "text": "Well done.", "domain": "x", "criteria": "y"}
    stored = opened(tmp_path, "feedback-quality", [asked])
    stored.add_rater("ana")
    before = numbers(stored).get("completeness")["n_ratings"]
    stored.save("ana", [Event("e1", "a1", "clarity", 2)])
    after = numbers(stored).get("completeness")["n_ratings"]
    assert after == before + 1  # a score of 2 asks for its comment


def test_who_was_excluded_is_named_with_the_reason_and_the_answers(by_hand):
    labels = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
    said = [
        (rater, f"i{n:03d}", "label", labels[(n + place) % 3])
        for place, rater in enumerate(("ana", "ben", "eva"))
        for n in range(6)
    ]
    stored = by_hand("halo-support", records("halo-support", 6), said)
    stored.exclude("eva", "answered without reading")
    page = text_of(page_of(stored))
    assert "Left out: eva, excluded (answered without reading), 6 answers." in page
    assert "The answers of eva (answered without reading) were left out." in page
    assert "100 % of the required answers (12 of 12)" in page
    assert "eva (excluded: answered without reading)" in str(Status(stored.status()))


def test_models_have_no_plan_and_are_counted_by_items(by_hand):
    labels = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
    said = [("m1", f"i{n:03d}", "label", labels[n % 3]) for n in range(8)]
    said += [("m2", f"i{n:03d}", "label", labels[n % 3]) for n in range(6)]
    kinds = {"m1": "model", "m2": "model"}
    page = text_of(page_of(by_hand("halo-support", records("halo-support", 10), said, kinds)))
    assert "items × models (14 of 20)" in page
    assert "let the models go on" in page


def test_scores_without_a_confidence_are_counted_where_means_are_weighted(tmp_path):
    items = [
        {"id": f"a{n}", "text": "Well done.", "domain": "x", "criteria": "y"} for n in range(6)
    ]
    stored = opened(tmp_path, "feedback-quality", items)
    for place, rater in enumerate(("ana", "ben")):
        stored.add_rater(rater)
        events = [
            Event(f"{rater}{n}", f"a{n}", "clarity", 3 + (n + place) % 3, confidence=given)
            for n, given in enumerate((80, 90, 70, 85, None, None))
        ]
        stored.save(rater, events)
    page = text_of(page_of(stored))
    assert "4 of 12 scores came without a stated confidence; these are left out here." in page


def questions_only(folder, texts):
    """Three references, each with its two questions answered by the model that wrote them, and
    what other models then answered from the texts: {model: items answered}."""
    asked = load("rag-questeval")
    items = [
        {"id": f"s{n}", "ground_truth": "Oslo is big.", "generated": "Oslo.", "model": "m"}
        for n in range(3)
    ]
    parts = [PartRow(f"s{n}", k, f"Which {k}?") for n in range(3) for k in (1, 2)]
    store = Store(str(folder / "questions.sqlite"))
    stored = store.open("q", asked, ItemTable.from_records(asked, items), parts=parts)
    stored.add_rater("writer", kind="model")
    stored.save("writer", [
        Event(f"w{n}{k}", f"s{n}", "reference_answer", "Oslo", part=k)
        for n in range(3) for k in (1, 2)
    ])  # fmt: skip
    for model, many in texts.items():
        stored.add_rater(model, kind="model")
        acks = stored.save(model, [
            Event(f"{model}{n}{k}", f"s{n}/m", "generated_answer", "Oslo", part=k)
            for n in range(many) for k in (1, 2)
        ])  # fmt: skip
        assert all(ack.ok for ack in acks), acks
    return stored


@pytest.mark.parametrize(
    ("texts", "said", "left"),
    [
        ({}, "0 of 3 items × models", "3 items not answered whole by a model"),
        ({"reader": 3}, "3 of 3 items × models", "complete"),
        ({"reader": 3, "other": 2}, "5 of 6 items × models", "1 item not answered whole by a"),
    ],
)
def test_a_model_that_only_wrote_the_questions_owes_no_answers(tmp_path, texts, said, left):
    stored = questions_only(tmp_path, texts)
    row = numbers(stored).get("completeness")
    assert row["method"] == said
    assert stored.status()["complete"] is (left == "complete")
    assert left in str(Status(stored.status()))
    page = text_of(page_of(stored))
    assert ("let the models go on" in page) is (left != "complete")


def test_completeness_speaks_of_those_whose_answers_the_numbers_are_made_of(by_hand):
    said = [("gauge", f"i{n:03d}", "label", "SUPPORTED") for n in range(4)]
    stored = by_hand("halo-support", records("halo-support", 4), said, kinds={"gauge": "model"})
    stored.add_rater("ana")  # has a plan, and says nothing
    rows = numbers(stored).rows
    assert {row["raters"] for row in rows} == {"model"}
