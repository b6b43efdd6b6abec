"""Whose answers stand behind a number is on the page wherever it is not people alone."""

import re

import pytest

from raterbook.reporting import Report
from tests.reporting.rounds import CRITERIA, MODEL_ONLY, beside_a_model, page_of, records, words_of


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """One person on three questions of thirty items, a model on all five."""
    return page_of(beside_a_model(tmp_path_factory.mktemp("mixed")))


def test_a_model_among_those_who_count_is_no_person(mixed):
    page = words_of(mixed)
    assert "30 items · 1 person and 1 model ·" in page
    assert "30 items were rated by 1 person and 1 model under" in page
    assert "2 people" not in page


def test_the_page_opens_with_the_questions_that_a_model_answered_alone(mixed):
    assert (
        "No person answered Fluency and KG alignment: there gauge stands alone, marked as a model. "
        "Numbers over all questions leave them out."
    ) in words_of(mixed)


def test_where_a_model_scored_alone_the_numbers_over_all_questions_are_its_own(by_hand):
    """ana answered a question in words; all scores are the model's."""
    answers = [("gauge", f"i{at:03d}", q, 1 + at % 5) for at in range(12) for q in CRITERIA]
    answers += [("ana", f"i{at:03d}", "comment", "fine") for at in range(12)]
    page = words_of(
        page_of(by_hand("neureg-qa", records("neureg-qa", 12), answers, {"gauge": "model"}))
    )
    assert "12 items · 1 model, no person" in page
    assert "leave them out" not in page


def test_numbers_of_a_model_are_marked_in_tables_figures_and_sentences(mixed):
    page = words_of(mixed)
    assert "Fluency (by a model) 3." in page  # the table of means
    assert "Fluency (by a model): 1 Very Poor" in page  # the words of the figure
    both = "Fluency (by a model) and KG alignment (by a model) are scored 1 or 2 most often (23 %)"
    assert f"{both}, Relevance, Accuracy and Completeness least often (20 %)" in page
    for name in ("Fluency", "KG alignment"):
        shown = [place.end() for place in re.finditer(name, page)]
        marked = page.count(f"{name} (by a model)")
        other = "No person answered", "(no person answered"  # at the head, and what is missing
        assert len(shown) - marked <= sum(page.count(words) for words in other) == 2
    assert "Relevance (by" not in page


def test_one_person_and_one_model_are_no_two_raters_of_anything(mixed):
    page = words_of(mixed)
    assert "Raters gave the same answers throughout" not in page
    assert (
        "1 person and 1 model: no two people answered one question on one item, so nothing can be "
        "said about agreement among people: let another person rate"
    ) in page
    assert "gauge against ana" in page, "two did answer one question on one item"
    assert "No majorities are counted: only one person answered." in page
    assert "let another person rate at least part of the items" in page
    assert "Let a second person answer part of the items" in page
    assert "Agreement is given as" not in page


def test_where_one_person_answered_no_coefficient_is_said_to_escape_a_check(mixed):
    page = words_of(mixed)
    assert "could not be recomputed" not in page
    assert "Independent checks No coefficient has a value, for the reasons given." in page
    assert "0 of 30" not in page


def test_one_person_is_not_called_the_people(mixed):
    page = words_of(mixed)
    assert "gauge against ana, question by question" in page
    assert "against ana’s scores" in page
    assert "the people’s mean" not in page


def test_a_page_of_models_alone_says_that_no_person_answered(by_hand):
    said = [(r, f"i{n:03d}", "accuracy", 1 + n % 5) for r in ("m1", "m2") for n in range(12)]
    stored = by_hand(
        "neureg-qa", records("neureg-qa", 12), said, dict.fromkeys(("m1", "m2"), "model")
    )
    assert "12 items · 2 models, no person ·" in words_of(page_of(stored))


def test_people_and_models_named_together_are_counted_apart(by_hand):
    said = [
        (rater, f"i{n:03d}", "accuracy", 1 + (n + turn) % 5)
        for turn, rater in enumerate(("ana", "gauge"))
        for n in range(12)
    ]
    stored = by_hand("neureg-qa", records("neureg-qa", 12), said, {"gauge": "model"})
    page = words_of(page_of(stored, raters=["ana", "gauge"]))
    assert "1 person and 1 model" in page
    assert "Answers of people and of models count alike on Accuracy." in page
    assert "Accuracy (by people and models)" in page
    assert "gauge (model)" in page


def test_a_model_does_not_take_the_place_of_a_rater_who_is_left_out(tmp_path):
    """Without ana nobody is left on her question; the model's answers to it are no people's."""
    from raterbook.reporting.sections.trust import rows_without

    report = Report(beside_a_model(tmp_path, items=12))
    asked = [{"statistic": "mean", "question": ["accuracy", "fluency"]}]
    found = {row["question"]: row for row in rows_without(report, "ana", asked)}
    assert found["accuracy"]["estimate"] is None
    assert found["fluency"]["estimate"] is not None
    assert set(MODEL_ONLY) == {name for name, kinds in report.mixed.items() if kinds == {"model"}}


def test_what_nobody_measured_is_no_headline_and_asks_for_nothing(by_hand):
    """A round without automatic labels: of three targets one can be spoken of."""
    items = [
        {name: value for name, value in each.items() if name != "auto_label"}
        for each in records("halo-support", 12)
    ]
    labels = ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")
    said = [
        (rater, f"i{n:03d}", "label", labels[(n + turn * (n % 4 == 0)) % 3])
        for turn, rater in enumerate(("ana", "ben", "eva"))
        for n in range(12)
    ]
    stored = by_hand("halo-support", items, said)
    page = words_of(page_of(stored))
    assert "Match with the automatic label: undefined" not in page
    assert re.search(r"by-hand κ among people: −?0\.\d\d ", page), "the first target that is one"
    assert (
        "Not measured, as the rater to compare with answered none of these units: Match with the "
        "automatic label and κ of people and automatic label."
    ) in page
    assert "Match with the automatic label: more answers" not in page
    assert page.count("Match with the automatic label") == 1


def test_stored_questions_that_nobody_answered_are_counted(tmp_path):
    from raterbook.rounds import Event
    from tests.reporting.test_odd_parts import opened as parted

    stored = parted(tmp_path, "rag-questeval")
    stored.add_rater("ana")
    events = [Event(f"k{n}", case, "keep", "keep", 1) for n, case in enumerate(("c0", "c1"))]
    refused = [ack.reason for ack in stored.save("ana", events) if not ack.ok]
    assert not refused, refused
    page = words_of(page_of(stored))
    assert (
        "Recall: none yet: 4 questions are stored, and nobody has answered from the references or "
        "from the texts."
    ) in page
    assert "there are no questions" not in page


def test_over_rounds_and_in_a_paper_numbers_of_models_are_said_to_be_theirs(tmp_path):
    from raterbook.reporting.comparison import Change, sentences, whose
    from raterbook.reporting.paper import paper

    def of(raters, value):
        row = {"statistic": "mean", "question": "fluency", "group": None, "aggregate": None}
        return row | {"estimate": value, "low": value, "high": value, "raters": raters}

    change = Change(of("human", 3.0), of("model", 4.0), False, True)
    assert sentences([change], {"fluency": "Fluency"}) == [
        "Fluency (by models) rose from 3.00 to 4.00."
    ]
    assert whose(change) == "By models in one of the two: "
    written = paper(Report(beside_a_model(tmp_path, items=12)))
    assert "Fluency (by a model) & Mean" in written
    assert "Accuracy & Mean" in written


def test_the_index_says_which_results_are_of_models(tmp_path):
    from raterbook.reporting.index import said

    row = {"statistic": "mean", "question": "accuracy", "group": None, "estimate": 4.0}
    row |= {"low": None, "high": None, "warnings": [], "raters": "model", "n_items": 3}
    document = {"targets": [], "protocol": "neureg-qa", "numbers": [row]}
    assert said(document) == "Mean of Accuracy 4.00, by models"
