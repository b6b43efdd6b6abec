"""Reading, hashing and naming: what a YAML file means."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from raterbook.protocols import load, parse

PAIRWISE = Path(__file__).with_name("pairwise.yaml").read_text(encoding="utf-8")


def test_a_sixth_kind_of_protocol_needs_no_code():
    protocol = parse(PAIRWISE)
    assert [question.id for question in protocol.questions] == ["preference", "strength", "reason"]
    assert protocol.question("preference").values == ("A", "B", "tie")
    assert protocol.stages == (("preference", "strength", "reason"),)
    assert protocol.question("strength").when == {"preference": ["A", "B"]}


def test_plain_words_of_yaml_stay_what_they_look_like():
    text = PAIRWISE.replace("value: A,", "value: no,").replace("value: B,", "value: 12:30,")
    text = text.replace("[A, B]", "[no, 12:30]").replace("is: [A], of", "is: [no], of")
    text = text.replace("value: tie, label: Tie,", "value: 1.0,")
    assert parse(text).question("preference").values == ("no", "12:30", "1.0")


def test_the_hash_changes_with_content_and_not_with_comments_layout_or_quotes():
    sound = parse(PAIRWISE).hash
    assert parse("# a comment\n\n" + PAIRWISE).hash == sound
    assert parse(PAIRWISE.replace("\n", "\r\n")).hash == sound
    assert parse(PAIRWISE.replace("prompt: Why?", 'prompt:   "Why?"   # indeed')).hash == sound
    assert parse(PAIRWISE.replace("key: [id]", "key: id")).hash == sound
    changed = [
        PAIRWISE.replace("prompt: Why?", "prompt: Why so?"),
        PAIRWISE.replace("at_least: 0.6", "at_least: 0.61"),
        PAIRWISE.replace("show: long}\n    answer_b", "show: text}\n    answer_b"),
        PAIRWISE.replace("value: 2, name: Clearly", "value: 2, name: Plainly"),
    ]
    hashes = {parse(text).hash for text in changed}
    assert len(hashes) == 4
    assert sound not in hashes


def test_the_order_of_options_is_content():
    lines = PAIRWISE.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if "value: A," in line)
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    assert parse("".join(lines)).hash != parse(PAIRWISE).hash


def test_a_protocol_is_frozen():
    with pytest.raises(ValidationError):
        parse(PAIRWISE).title = "Other"


def test_items_are_named_by_the_key_columns_that_are_there():
    protocol = load("neureg-qa")
    assert protocol.key({"qa_id": "q7", "model": "m-1"}) == "q7/m-1"
    assert protocol.key({"qa_id": "q7", "model": ""}) == "q7"
    assert protocol.key({"qa_id": "q7"}) == "q7"
    assert protocol.case_of({"qa_id": "q7", "model": "m-1"}) == "q7"


def test_an_unknown_question_is_told_the_known_ones():
    with pytest.raises(KeyError, match=r"has no question 'labels' .it has label, notes"):
        load("halo-support").question("labels")


def test_a_question_is_labelled_and_measured_as_its_kind_suggests():
    protocol = parse(PAIRWISE)
    assert protocol.question("strength").label == "Strength"
    assert protocol.question("strength").level == "ordinal"
    assert protocol.question("preference").level == "nominal"
    assert protocol.question("reason").level is None
    assert load("feedback-quality").question("overall").level == "interval"
    assert load("feedback-quality").question("confidence").level == "ratio"


def test_stages_take_each_comment_along():
    stages = load("feedback-quality").stages
    assert [id for stage in stages for id in stage] == [
        question.id for question in load("feedback-quality").questions
    ]
