"""Odd rounds of sentences and of questions about a text: an honest page, never an error."""

import re
import uuid

import pytest

from raterbook.analysis.estimate import REASONS
from raterbook.numbers.compute import numbers
from raterbook.protocols import load
from raterbook.rounds import Event, ItemTable, PartRow, Store
from tests.reporting.rounds import page_of
from tests.reporting.test_odd_rounds import HOSTILE, text_of

PROTOCOLS = ("stem-sentences", "rag-questeval")
TAGS = ("<script>alert", "<img src=x", "<i>r1", "{{ body }}<", "\x07", "\u202e")


def opened(folder, name, count=4, text="One thing. Another thing."):
    """Texts of two systems, each with two sentences, or two questions about its reference."""
    protocol, items, parts = load(name), [], None
    for at in range(count):
        place, model = f"c{at // 2}", "ab"[at % 2]
        sentences = {"question_id": place, "question": "Q?", "article_id": place, "article": text}
        questions = {"id": place, "ground_truth": text, "generated": text}
        own = {**sentences, "response": text} if name == "stem-sentences" else questions
        items.append({**own, "model": model})
    if name == "rag-questeval":
        cases = dict.fromkeys(item["id"] for item in items)
        parts = [PartRow(case, n, f"What {n}? {text}") for case in cases for n in (1, 2)]
    store = Store(str(folder / f"{uuid.uuid4().hex}.sqlite"))
    return store.open("by-hand", protocol, ItemTable.from_records(protocol, items), parts=parts)


def answer(stored, rater, turn=1, start=0, text="a thing", status="answered"):
    """Each part in turn another value; with `turn` 0 the same one throughout."""
    at, said = start, {}
    for item in stored.items():
        case = next(case for case in stored.cases() if case.key == item.case)
        for part in item.parts or case.parts:
            at += turn
            if stored.protocol.name == "stem-sentences":
                values = stored.protocol.question("accuracy").values
                said[item.key, "accuracy", part.number] = values[at % len(values)]
                said[item.key, "accuracy_comment", part.number] = text
            else:
                said[item.key, "generated_answer", part.number] = (text, "<Unanswerable>")[at % 2]
                said[case.key, "reference_answer", part.number] = text
    stored.add_rater(rater)
    answered = status == "answered"
    events = [
        Event(uuid.uuid4().hex, of, question, value if answered else None, part, status=status)
        for (of, question, part), value in said.items()
        if answered or question != "accuracy_comment"
    ]
    refused = [ack.reason for ack in stored.save(rater, events) if not ack.ok]
    assert not refused, refused
    return stored


def honest(stored):
    """The page in words; no number is invented on it and nothing empty is shown."""
    page = page_of(stored)
    assert "<tbody></tbody>" not in page
    assert not re.search(r">(nan|None|NaN|inf)[<, ]", page)
    assert "no reason given" not in page
    assert not [code for code in REASONS if "_" in code and code in page.lower()]
    assert len(page.encode()) < 500_000
    return text_of(page)


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("skipped", [False, True])
def test_without_answers_the_page_says_so_and_nothing_else(tmp_path, name, skipped):
    stored = opened(tmp_path, name)
    if skipped:
        answer(stored, "ana", status="skipped")
    page = honest(stored)
    left = "Items worth reading Raters left "
    after = left if skipped else "How this was made 0 items were rated by nobody under"
    assert f"Nobody has answered yet, so there is nothing to report. {after}" in page
    assert "others could not be" not in page
    found = numbers(stored)
    assert all(row["estimate"] is None and row["reason"] for row in found.rows if row["question"])


def test_what_was_left_open_is_named_by_its_sentence(tmp_path):
    page = honest(answer(opened(tmp_path, "stem-sentences"), "ana", status="skipped"))
    assert re.search(r"ana, c0/a, sentence 1, Accuracy .*ana, c0/a, sentence 2, Accuracy", page)
    assert "where they could not judge" not in page, "a reason may be another one"
    assert "--layout marks" not in page, "there is neither a flag nor evidence"


@pytest.mark.parametrize("name", PROTOCOLS)
def test_one_rater_cannot_be_checked_and_is_told_so(tmp_path, name):
    page = honest(answer(opened(tmp_path, name, 12), "ana"))
    assert "One rater answered, so nothing can be said about agreement" in page


@pytest.mark.parametrize("name", PROTOCOLS)
def test_one_item_ranks_no_system(tmp_path, name):
    stored = opened(tmp_path, name, 1)
    page = honest(answer(answer(stored, "ana"), "ben", start=1))
    assert "1 item · 2 people" in page
    assert "ahead" not in page


@pytest.mark.parametrize("name", ["stem-sentences", "rag-questeval"])
def test_systems_that_never_differ_are_compared_without_an_interval_and_why(tmp_path, name):
    stored = opened(tmp_path, name, 12)
    for rater in ("ana", "ben", "eva"):
        answer(stored, rater, turn=0)
    page = honest(stored)
    assert "a and b could not be compared" in page
    why = "all cases differ by the same amount"
    assert f"without an interval ({why}), which shows nothing" in page


def test_where_nothing_could_be_assessed_the_page_says_just_that(tmp_path):
    stored = opened(tmp_path, "stem-sentences", 8)
    nothing = stored.protocol.question("accuracy").values.index("cannot_assess")
    for rater in ("ana", "ben"):
        answer(stored, rater, turn=0, start=nothing)
    page = page_of(stored)
    # Four items are few, at the end of a share as anywhere.
    share = "100\u00a0% (51–100\u00a0%)\u2060†"
    said = f"{share} of the ratings could not be assessed or made no claim."
    assert f'"verdict">{said}<' in page
    assert "assessed answers" not in page
    assert "Could not be assessed is the same for every system, 100\u00a0%" in page


def test_the_share_of_one_system_is_said_of_its_answers(tmp_path):
    stored = opened(tmp_path, "stem-sentences", 1)
    page = honest(answer(answer(stored, "ana"), "ben", start=1))
    assert "Accurate answers: " in page


@pytest.mark.parametrize("name", PROTOCOLS)
def test_two_hundred_raters_still_fit_on_the_page(tmp_path, name):
    stored = opened(tmp_path, name)
    for number in range(200):
        answer(stored, f"r{number:03d}", start=number)
    assert "200 people" in honest(stored)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_text_of_a_megabyte_and_hostile_words_stay_text(tmp_path, name):
    stored = opened(tmp_path, name, text=HOSTILE + " endless" * 131_072)
    for number, rater in enumerate(("<i>r1</i> $", "r_2 & co", "汉字")):
        answer(stored, rater, start=number, text=HOSTILE)
    page = page_of(stored)
    assert len(page.encode()) < 500_000
    assert not [tag for tag in TAGS if tag in page]
    assert "&lt;i&gt;r1&lt;/i&gt;" in page
