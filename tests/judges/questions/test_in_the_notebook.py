"""judge.ipynb on a real kernel: the questions are written and answered in it, as a user would."""

import csv
from pathlib import Path

import pytest

from raterbook.judges.trial import Trial
from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store
from tests.judges.test_notebook import run_notebook

SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "rag-questeval" / "items.csv"
CASES = ("c01", "c02", "c30")  # the last is Chinese


@pytest.fixture
def stored(tmp_path):
    """Three cases of the sample, without questions, in a workspace of their own."""
    protocol = load("rag-questeval")
    with SAMPLE.open(newline="", encoding="utf-8") as lines:
        records = [row for row in csv.DictReader(lines) if row["id"] in CASES]
    store = Store(tmp_path / "data" / "raterbook.sqlite")
    yield store.open("q1", protocol, ItemTable.from_records(protocol, records))
    store.dispose()


def test_the_offline_rules_write_and_answer_in_the_notebook_without_a_model(stored, tmp_path):
    shown = run_notebook(tmp_path, round_name="q1", rules=True)
    parts = sum(len(case.parts) for case in stored.cases())
    assert all(len(case.parts) >= 3 for case in stored.cases())
    assert (
        f"q1: {parts} questions written, {parts * 4} answers of baseline-rules-1"
        in (shown["questions"])
    )
    assert "a rule-based baseline" in shown["questions"]
    assert "No model is chosen" in shown["run"]
    frame = stored.frame()
    assert set(frame["question"]) == {"keep", "reference_answer", "generated_answer"}
    assert set(frame["rater"]) == {"baseline-rules-1"}


def test_questions_are_written_about_the_chosen_items_only(stored):
    chosen = next(item.key for item in stored.items() if item.case == "c02")
    Trial(stored, items=[chosen]).questions(rules=True)
    assert [bool(case.parts) for case in stored.cases()] == [False, True, False]
    done = Trial(stored, lambda messages: "no idea", name="m", items=[chosen]).questions()
    assert set(done.frame()["subject"]) == {"c02", chosen}


def test_a_model_behind_an_address_writes_and_then_grades_in_the_notebook(
    stored, tmp_path, scripted, serving
):
    texts = {text for item in stored.items() for text in item.fields.values() if len(text) > 50}
    model = scripted(
        {text: ["Who came?"] for text in texts}, {text: {"Who came?": "Ana"} for text in texts}
    )
    fixed = {"keep": "keep", "reference_answer": "Ana", "generated_answer": "Ana", "match": "same"}
    with serving(model, **fixed) as server:
        shown = run_notebook(tmp_path, round_name="q1", model="scripted", base_url=server.url)
    assert "q1: 3 questions written, 12 answers of scripted" in shown["questions"]
    frame = stored.frame()
    assert set(frame["question"]) == {"keep", "reference_answer", "generated_answer", "match"}
    assert (frame[frame["question"].eq("match")]["value"] == "same").all()
    assert not any("stderr" in text for text in shown.values())
