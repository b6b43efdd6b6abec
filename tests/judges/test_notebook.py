"""judge.ipynb, run as a user runs it: without a model, and with one behind an address."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from raterbook.judges.clients.scripted import reply_to
from raterbook.judges.trial import NO_MODEL, Trial
from raterbook.rounds import Event, Store

from .conftest import feedback_items
from .server import Server, error, says

ROOT = Path(__file__).parents[2]
KEY = "sk-notebook-Hq2LmZ8tYv"


def run_notebook(folder, all_items=True, **parameters):
    """Runs it in its own process, as papermill does, and returns the text of its outputs.

    As on the second day, when three replies have been read; `all_items=False` is the first.
    """
    parameters["all_items"] = all_items
    code = (
        "import sys, json, papermill\n"
        "papermill.execute_notebook(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]),"
        " progress_bar=False)\n"
    )
    target = folder / "judge-run.ipynb"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            str(ROOT / "notebooks" / "judge.ipynb"),
            str(target),
            json.dumps(parameters),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "RATERBOOK_WORKSPACE": str(folder), "OPENAI_API_KEY": KEY},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads(target.read_text(encoding="utf-8"))["cells"]
    assert KEY not in target.read_text(encoding="utf-8")
    assert KEY not in done.stdout + done.stderr
    return {cell["id"]: json.dumps(cell.get("outputs", []), ensure_ascii=False) for cell in cells}


def opened(open_round, folder, items=None):
    store = Store(folder / "data" / "raterbook.sqlite")
    stored = open_round("feedback-quality", items, store=store, raters=["ana"])
    for item in stored.items():
        stored.save(
            "ana",
            [
                Event(f"c{item.id}", item.ref, "clarity", 4),
                Event(f"o{item.id}", item.ref, "overall", 3.5),
            ],
        )
    return stored


def test_the_notebook_judges_a_round_and_compares_with_people(open_round, tmp_path):
    opened(open_round, tmp_path)
    refuse = lambda seen, attempt: (  # noqa: E731
        says("I'm sorry, but I can't help with that.") if "Nice map" in seen.user else None
    )
    with Server(refuse) as server:
        shown = run_notebook(
            tmp_path, round_name="r1", model="scripted", base_url=server.url, replicates=2
        )
        assert len(server.seen) == 4
    assert "4 requests to scripted" in shown["plan"]
    assert "Nice map!" in shown["prompts"]
    assert "refused" in shown["first"]
    assert "2 ok, 2 refused" in shown["run"]
    assert "the model declined to answer" in shown["failures"]
    assert "within one" in shown["beside"]
    assert not any("stderr" in text for text in shown.values())


def test_run_whole_the_notebook_asks_for_no_more_than_the_replies_to_be_read_first(
    open_round, tmp_path
):
    opened(open_round, tmp_path, feedback_items(5))
    with Server() as server:
        shown = run_notebook(
            tmp_path, all_items=False, round_name="r1", model="scripted", base_url=server.url
        )
        assert len(server.seen) == 3
        assert shown["first"].count(": ok") == 3
        assert "read their replies, then set all_items to True" in shown["run"]
        shown = run_notebook(tmp_path, round_name="r1", model="scripted", base_url=server.url)
        assert len(server.seen) == 5
    assert "5 ok" in shown["run"]


def test_a_key_that_a_server_repeats_is_in_no_notebook_database_or_page(open_round, tmp_path):
    stored = opened(open_round, tmp_path)
    stored.add_rater("ben")  # who sees it differently, so that the page quotes what was said
    stored.save("ben", [Event(f"b{item.id}", item.ref, "clarity", 1) for item in stored.items()])

    def repeats(seen, attempt):
        if len(server.seen) == 1:
            return error(500, f"upstream said: key {KEY} is odd")
        if "Nice map" in seen.user:
            return says(f"I know your key, it is {KEY}.", model=f"model-{KEY}")
        return says(reply_to(seen.body["messages"]).replace("says so.", f"says so, {KEY}."))

    with Server(repeats) as server:
        run_notebook(tmp_path, round_name="r1", model="scripted", base_url=server.url)
    done = subprocess.run(
        [sys.executable, "-m", "raterbook", "--workspace", str(tmp_path), "report", "r1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "OPENAI_API_KEY": KEY},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "reports" / "r1" / "report.ipynb").exists()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []
    # It did come back, and stands there as what it was.
    hidden = {path.suffix for path in files if b"[key]" in path.read_bytes()}
    assert {".sqlite", ".ipynb", ".html"} <= hidden


def test_without_a_model_the_steps_look_and_ask_nothing(open_round, tmp_path):
    stored = opened(open_round, tmp_path)
    trial = Trial(stored)
    assert "Nice map!" in str(trial.plan())
    assert len(trial.prompts(1)) == 1
    assert (trial.run(), trial.beside_people()) == (NO_MODEL, NO_MODEL)
    assert (trial.first(), trial.failures()) == ([NO_MODEL], [NO_MODEL])
    assert {rater.name for rater in stored.raters()} == {"ana"}


def test_questions_are_written_only_where_a_protocol_has_them(open_round, monkeypatch):
    from raterbook.judges import questions as questeval

    assert "has no questions to be written" in Trial(open_round("halo-support")).questions()
    stored = open_round("rag-questeval", name="q", parts=None)
    assert Trial(stored).questions() == NO_MODEL
    asked = {}
    monkeypatch.setattr(
        questeval, "questions", lambda stored, **how: asked.update(how) or "done", raising=False
    )
    assert Trial(stored, reply_to, name="m", budget=2.0).questions() == "done"
    assert (asked["name"], asked["budget"]) == ("m", 2.0)


def test_a_function_can_be_tried_out(open_round, tmp_path):
    stored = opened(open_round, tmp_path)
    trial = Trial(stored, reply_to, name="stand-in")
    [reply] = trial.first(1)
    assert reply.startswith("a/atlas-2: ok\n\n{")
    assert "r1: 2 of 2 asked of stand-in, 2 ok" in trial.run()
    assert trial.failures() == ["Every reply gave answers."]
    beside = trial.beside_people()
    assert beside.loc["clarity", "items"] == 2
    assert beside.loc["tone", "the same"] == "–"
    assert beside.loc["tone", "why not"]


def test_only_the_items_chosen_are_shown_and_asked_about(open_round, tmp_path):
    stored = opened(open_round, tmp_path)
    trial = Trial(stored, reply_to, name="stand-in", items=["b/birch-1"])
    assert len(trial.plan().askings) == 1
    assert "eight plants" in trial.prompts()[0]
    assert trial.first()[0].startswith("b/birch-1: ok")
    assert "1 of 1 asked" in trial.run()
    with pytest.raises(ValueError, match=r"no item 'zz'; its items are 'a/atlas-2', 'b/birch-1'"):
        Trial(stored, items=["zz"]).plan()


def test_a_run_that_stops_says_why_in_the_notebook_and_shows_no_traceback(open_round, tmp_path):
    opened(open_round, tmp_path)
    with Server(lambda seen, attempt: error(401, "no")) as server:
        shown = run_notebook(tmp_path, round_name="r1", model="scripted", base_url=server.url)
    for step in ("first", "run"):
        assert "did not accept the key (401: no)" in shown[step]
        assert "environment variable OPENAI_API_KEY" in shown[step]
        assert "Once that is put right, run the same again" in shown[step]


def test_failures_are_shown_whole_and_by_the_item(open_round, tmp_path):
    stored = opened(open_round, tmp_path)
    said = "Hmm. " * 40
    trial = Trial(stored, lambda messages: said, name="stand-in")
    trial.run()
    first, more = trial.failures(1)
    assert first.startswith("a/atlas-2: parse_error: no answers in the form asked for were found")
    assert first.endswith(f"\n\n{said}")
    assert more == "and 1 more: failures(2) shows all"


def test_the_table_beside_people_rounds_where_a_person_reads():
    from raterbook.judges.trial import as_table

    rows = [
        ("overall", "exact", 0.1846, 0.1195, 0.2742, 65, None),
        ("overall", "bias", -0.5077, -0.876, -0.1394, 65, None),
        ("label", "exact", None, None, None, 0, "nobody rated it"),
    ]
    columns = ["question", "statistic", "estimate", "low", "high", "n_items", "reason"]
    table = as_table(pd.DataFrame(rows, columns=columns))
    assert table.loc["overall", "the same"] == "18% (12% to 27%)"
    assert table.loc["overall", "higher by"] == "-0.51 (-0.88 to -0.14)"
    assert table.loc["overall", "items"] == 65
    assert list(table.loc["label", ["the same", "why not"]]) == ["–", "nobody rated it"]


@pytest.mark.parametrize("people", [True, False])
def test_labels_are_compared_too_and_a_missing_side_is_said(open_round, people):
    from raterbook.judges import judge
    from raterbook.judges.trial import beside_people

    stored = open_round("halo-support", raters=["ana"])
    judge(stored, lambda messages: "SUPPORTED", name="m")
    if people:
        [item] = stored.items()
        stored.save("ana", [Event("e", item.ref, "label", "SUPPORTED")])
    found = beside_people(stored)
    assert (found.loc[0, "estimate"] == 1.0) if people else found.loc[0, "reason"]
