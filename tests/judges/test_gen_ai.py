"""gen_ai.json: the prompt of the feedback guide, read and replaced."""

import json
import re

import pytest

from raterbook.judges import judge
from raterbook.judges.clients.scripted import reply_to
from raterbook.judges.evaluate.gen_ai import FILE, examples_in, read_gen_ai
from raterbook.protocols import load


def test_the_prompt_file_is_read_and_ships_with_mixed_examples():
    sections = read_gen_ai()
    assert set(sections) == {"feedback_generation", "ai_detection"}
    outputs = [one["output"] for one in sections["feedback_generation"].examples]
    scores = [
        [v for k, v in one.items() if isinstance(v, int) and k != "Confidence"] for one in outputs
    ]
    assert set(scores[0]) == {5}
    assert len(set(scores[1])) > 2


def test_the_shipped_criteria_are_the_protocols():
    section = read_gen_ai()["feedback_generation"]
    protocol = load("feedback-quality")
    for name, text in section.criteria.items():
        question = next(one for one in protocol.questions if one.label == name)
        assert all(level.description in text for level in question.levels)
    assert len(section.criteria) == 6


def test_a_judge_takes_its_examples_from_such_a_file(open_round):
    stored = open_round("feedback-quality")
    seen = []

    def model(messages):
        seen.append(messages[0]["content"])
        return reply_to(messages)

    assert judge(stored, model, name="m", examples=str(FILE)).failed == 0
    assert "38 dropouts" in seen[0]
    shots = examples_in(json.loads(FILE.read_text()), stored.protocol, "gen_ai.json")
    assert [one.answers["overall"] for one in shots] == [5, 1.6]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "an object with a section"),
        ({"system": "x"}, "this is one section"),
        ({"feedback_generation": {"criteria": {}}}, "feedback_generation: 'system' is missing"),
        (
            {
                "feedback_generation": {
                    "system": "s",
                    "criteria": {},
                    "output_structure": {},
                    "example1": {"input": {}},
                }
            },
            "'example1' needs an 'input'",
        ),
    ],
)
def test_a_prompt_file_with_a_fault_says_where(tmp_path, content, words):
    file = tmp_path / "gen_ai.json"
    file.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=re.escape(words)):
        read_gen_ai(file)
