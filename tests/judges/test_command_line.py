"""`ratebook judge`: the modes, and what a failure looks like."""

import json

import pytest

from ratebook.cli import main
from ratebook.rounds import Store

from .server import Server, error
from .standin import reply_to


@pytest.fixture
def workspace(open_round, tmp_path):
    stored = open_round("feedback-quality", store=Store(tmp_path / "data" / "ratebook.sqlite"))

    def run(*words):
        return main(["--workspace", str(tmp_path), "judge", "r1", *words])

    return stored, run


def test_a_round_is_judged_by_one_command(workspace, capsys):
    stored, run = workspace
    with Server() as server:
        assert run("--model", "scripted", "--base-url", server.url, "--replicates", "2") == 0
        assert len(server.seen) == 4
    shown = capsys.readouterr()
    assert "4 of 4 asked of scripted, 4 ok; 72 answers" in shown.out
    assert shown.err == ""  # no bar in a pipe
    assert set(stored.frame()["rater"]) == {"scripted"}


def test_a_dry_run_asks_nothing(workspace, capsys):
    stored, run = workspace
    assert run("--model", "gpt-4o-mini", "--dry-run") == 0
    assert capsys.readouterr().out.startswith("2 requests to gpt-4o-mini: about ")
    assert stored.raters() == []


def test_prompts_go_out_and_replies_come_in(workspace, capsys, tmp_path):
    stored, run = workspace
    prompts, replies = tmp_path / "p.jsonl", tmp_path / "r.jsonl"
    assert run("--model", "chat", "--prompts-out", str(prompts)) == 0
    lines = [json.loads(line) for line in prompts.read_text().splitlines()]
    replies.write_text("\n".join(
        json.dumps({"id": one["id"], "reply": reply_to(one["messages"])}) for one in lines))
    assert run("--model", "chat", "--replies", str(replies)) == 0
    assert "2 of 2 asked of chat, 2 ok" in capsys.readouterr().out
    assert len(stored.frame().query("question == 'overall'")) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--budget", "1"], "No price is known for 'scripted'"),
     (["--base-url", "host"], "'host' is no address"),
     (["--replicates", "0"], "0 replicates is not a number of replicates"),
     (["--replies", "none.jsonl"], "no such file of replies")],
)
def test_bad_input_ends_with_2_and_a_message(workspace, capsys, words, said):
    _, run = workspace
    assert run("--model", "scripted", *words) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "Traceback" not in shown


def test_a_wrong_key_ends_with_2_and_names_its_variable(workspace, capsys, monkeypatch):
    _, run = workspace
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-1234567890")
    with Server(lambda seen, attempt: error(401, "Incorrect key sk-wrong-1234567890")) as server:
        assert run("--model", "scripted", "--base-url", server.url) == 2
    said = capsys.readouterr().err
    assert "did not accept the key (401: Incorrect key [key])" in said
    assert "read from the environment variable OPENAI_API_KEY" in said
    assert "r1: 0 of 2 asked of scripted, 0 ok. Run it again to go on." in said
