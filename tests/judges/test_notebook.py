"""judge.ipynb, run as a user runs it: without a model, and with one behind an address."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratebook.judges.trial import NO_MODEL, Trial
from ratebook.rounds import Event, Store

from .server import Server, says
from .standin import reply_to

ROOT = Path(__file__).parents[2]
KEY = "sk-notebook-Hq2LmZ8tYv"


def run_notebook(folder, **parameters):
    """Runs it in its own process, as papermill does, and returns the text of its outputs."""
    code = (
        "import sys, json, papermill\n"
        "papermill.execute_notebook(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]),"
        " progress_bar=False)\n"
    )
    target = folder / "judge-run.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "notebooks" / "judge.ipynb"), str(target),
         json.dumps(parameters)],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "RATEBOOK_WORKSPACE": str(folder), "OPENAI_API_KEY": KEY},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads(target.read_text(encoding="utf-8"))["cells"]
    assert KEY not in target.read_text(encoding="utf-8")
    assert KEY not in done.stdout + done.stderr
    return {cell["id"]: json.dumps(cell.get("outputs", []), ensure_ascii=False) for cell in cells}


def opened(open_round, folder):
    stored = open_round(
        "feedback-quality", store=Store(folder / "data" / "ratebook.sqlite"), raters=["ana"])
    for item in stored.items():
        stored.save("ana", [Event(f"c{item.id}", item.ref, "clarity", 4),
                            Event(f"o{item.id}", item.ref, "overall", 3.5)])
    return stored


def test_the_notebook_judges_a_round_and_compares_with_people(open_round, tmp_path):
    opened(open_round, tmp_path)
    refuse = lambda seen, attempt: (  # noqa: E731
        says("I'm sorry, but I can't help with that.") if "Nice map" in seen.user else None)
    with Server(refuse) as server:
        shown = run_notebook(
            tmp_path, round_name="r1", model="scripted", base_url=server.url, replicates=2)
        assert len(server.seen) == 4
    assert "4 requests to scripted" in shown["plan"]
    assert "Nice map!" in shown["prompts"]
    assert "refused" in shown["first"]
    assert "2 ok, 2 refused" in shown["run"]
    assert "the model declined to answer" in shown["failures"]
    assert "within_one" in shown["beside"]
    assert not any("stderr" in text for text in shown.values())


def test_without_a_model_the_steps_look_and_ask_nothing(open_round, tmp_path):
    stored = opened(open_round, tmp_path)
    trial = Trial(stored)
    assert "Nice map!" in str(trial.plan())
    assert len(trial.prompts(1)) == 1
    for step in (trial.first, trial.run, trial.failures, trial.beside_people):
        assert step() == NO_MODEL
    assert {rater.name for rater in stored.raters()} == {"ana"}


def test_questions_are_written_only_where_a_protocol_has_them(open_round, monkeypatch):
    from ratebook.judges import questeval

    assert "has no questions to be written" in Trial(open_round("halo-support")).questions()
    stored = open_round("rag-questeval", name="q", parts=None)
    assert Trial(stored).questions() == NO_MODEL
    asked = {}
    monkeypatch.setattr(
        questeval, "questions", lambda stored, **how: asked.update(how) or "done", raising=False)
    assert Trial(stored, reply_to, name="m", budget=2.0).questions() == "done"
    assert (asked["name"], asked["budget"]) == ("m", 2.0)


def test_a_function_can_be_tried_out(open_round, tmp_path):
    stored = opened(open_round, tmp_path)
    trial = Trial(stored, reply_to, name="stand-in")
    assert list(trial.first(1)["status"]) == ["ok"]
    assert trial.run().counts == {"ok": 2}
    beside = trial.beside_people().set_index(["question", "statistic"])
    assert beside.loc[("clarity", "exact"), "n_items"] == 2
    assert beside.loc[("tone", "exact"), "reason"]


@pytest.mark.parametrize("people", [True, False])
def test_labels_are_compared_too_and_a_missing_side_is_said(open_round, people):
    from ratebook.judges import judge
    from ratebook.judges.beside import beside_people

    stored = open_round("halo-support", raters=["ana"])
    judge(stored, lambda messages: "SUPPORTED", name="m")
    if people:
        [item] = stored.items()
        stored.save("ana", [Event("e", item.ref, "label", "SUPPORTED")])
    found = beside_people(stored)
    assert (found.loc[0, "estimate"] == 1.0) if people else found.loc[0, "reason"]
