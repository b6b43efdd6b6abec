"""Several questions with the same options, as where many apply: each share has its question."""

import json

import pytest

from raterbook.reporting import Report
from raterbook.reporting.index import said
from tests.reporting.rounds import opened, page_of, words_of

ASKED = ("tone", "fact", "step", "topic")
OPTIONS = '[{value: "yes", description: It is.}, {value: "no", description: It is not.}]'
QUESTIONS = "".join(
    f"  - {{id: {each}, prompt: Is the {each} wrong?, type: choice, options: {OPTIONS}}}\n"
    for each in ASKED
)
MEASURES = "".join(
    f"  - {{statistic: proportion_{value}, question: {each}, is: ['{value}'], "
    "of: ['yes', 'no'], by: [model]}\n"
    for each in ASKED
    for value in ("yes", "no")
)
PROTOCOL = f"""name: errors
title: What is wrong?
about: A reply to a customer.
instructions: [Read it.]
item:
  key: [id, model]
  case: id
  system: model
  fields: {{id: {{label: Ticket, show: none}}, reply: {{label: Reply}}, \
model: {{label: System, show: hidden}}}}
questions:
{QUESTIONS}measures:
{MEASURES}"""
SYSTEMS = ("atlas", "birch")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Six tickets of two systems; of atlas the tone is wrong once, the topic five times."""
    items = [
        {"id": f"t{n}", "reply": "Yes.", "model": model} for n in range(6) for model in SYSTEMS
    ]
    wrong = {"tone": 1, "fact": 2, "step": 3, "topic": 5}
    answers = [
        (rater, f"t{n}/{model}", asked, "yes" if n < wrong[asked] - (model == "birch") else "no")
        for rater in ("ana", "ben")
        for n in range(6)
        for model in SYSTEMS
        for asked in ASKED
    ]
    return opened(tmp_path_factory.mktemp("errors"), items=items, answers=answers, text=PROTOCOL)


def test_every_question_has_its_own_line_of_shares(stored):
    section = words_of(Report(stored).shares()._repr_html_())
    assert "Tone: yes 16.7" in section
    assert "Topic: yes 83.3" in section
    assert all(f"{name}: no" in section for name in ("Tone", "Fact", "Step", "Topic"))


def test_the_page_says_of_which_question_a_share_is(stored):
    page = words_of(page_of(stored))
    assert "“yes” answers to Tone in 17 % against 0 %" in page
    assert "Topic: yes, birch: 67 %" in page  # in the figure


def test_the_list_of_rounds_names_a_share_where_there_is_nothing_else(stored):
    document = json.loads(Report(stored).numbers.to_json())
    assert said(document).startswith("Tone: yes 8\u00a0%")
