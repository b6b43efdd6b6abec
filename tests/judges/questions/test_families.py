"""The page warns where one family of models asks and answers, and names the baseline as one."""

import pytest

from raterbook.judges.questions import answer, generate, questions
from raterbook.reporting.sections.recall import family
from raterbook.rounds import Event, PartRow

ONE = ("s1", "reference one", {"m1": "text one", "m2": "text two"})
ASKED = {"reference one": ["Who came?"]}
SAID = {text: {"Who came?": "Ana"} for text in ("reference one", "text one", "text two")}


@pytest.mark.parametrize(
    ("writer", "answerer", "warned"),
    [
        ("gpt-4o", "gpt-4o-mini", "gpt"),
        ("meta-llama/Llama-3.1-8B", "llama3", "llama"),
        ("mixtral-8x7b", "mistral-large", "mistral"),
        ("gpt-4o", "claude-3-haiku", None),
        ("qwen2.5-7b", "llama3", None),
    ],
)
def test_a_family_of_models_that_asks_and_answers_is_warned_of(
    opened, scripted, page, writer, answerer, warned
):
    stored = opened(ONE)
    generate(stored, scripted(ASKED), name=writer)
    answer(stored, scripted(answers=SAID), name=answerer)
    said = page(stored)
    if warned is None:
        assert "Warning" not in said
    else:
        assert f"Models of one family, {warned} by their names, wrote 1 of 1 question" in said


def test_a_model_under_another_name_is_known_by_the_version_its_run_noted(opened, scripted, page):
    from raterbook.judges.clients.model import FunctionModel

    stored = opened(ONE)
    generate(stored, FunctionModel(scripted(ASKED), "gpt-4o"), name="writer")
    answer(stored, FunctionModel(scripted(answers=SAID), "gpt-4o-mini"), name="reader")
    assert "one family, gpt by their names" in page(stored)


def test_questions_of_people_and_answers_of_people_need_no_warning(opened, scripted, page):
    stored = opened(ONE, parts=[PartRow("s1", None, "Who came?")])
    answer(stored, scripted(answers=SAID), name="gpt-4o")
    assert "Warning" not in page(stored)
    other = opened(ONE, raters=["ana"])
    generate(other, scripted(ASKED), name="gpt-4o")
    other.save(
        "ana",
        [
            Event(None, "s1", "reference_answer", "Ana", 1),
            Event(None, "s1/m1", "generated_answer", "Ana", 1),
        ],
    )
    assert "Warning" not in page(other)


def test_the_baseline_is_called_a_baseline_on_the_page_whatever_its_part(opened, page):
    text = "The old canal opened on 26 June 2016."
    for steps, part in (
        ("write,check,answer", "wrote 1 of 1 question and answers"),
        ("answer", "answers"),
    ):
        parts = None if "write" in steps else [PartRow("s1", None, "When did the canal open?")]
        stored = opened(("s1", text, {"m1": text}), parts=parts)
        questions(stored, rules=True, steps=steps)
        for pseudonyms in (False, True):
            said = page(stored, pseudonyms=pseudonyms)
            assert f"The rule-based baseline {part}: a lowest bar" in said


def test_families_are_told_by_the_first_word_of_a_models_name():
    names = {
        "gpt": ["gpt-4o", "GPT4", "chatgpt-4o-latest", "o3-mini", "openai/gpt-oss-20b"],
        "qwen": ["Qwen2.5-7B-Instruct", "Qwen/QwQ-32B"],
        "llama": ["meta-llama/Llama-3.1-8B", "llama3", "CodeLlama-7b"],
        "42": ["42"],
    }
    for expected, models in names.items():
        assert {family(model) for model in models} == {expected}
