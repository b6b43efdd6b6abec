"""`raterbook judge`: the modes, and what a failure looks like."""

import asyncio
import json

import pytest

from raterbook.cli import main
from raterbook.judges.clients.scripted import reply_to
from raterbook.rounds import Store

from .server import Play, Server, error, says


@pytest.fixture
def workspace(open_round, tmp_path):
    stored = open_round("feedback-quality", store=Store(tmp_path / "data" / "raterbook.sqlite"))

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
    replies.write_text(
        "\n".join(
            json.dumps({"id": one["id"], "reply": reply_to(one["messages"])}) for one in lines
        )
    )
    assert run("--model", "chat", "--replies", str(replies)) == 0
    assert "2 of 2 asked of chat, 2 ok" in capsys.readouterr().out
    assert len(stored.frame().query("question == 'overall'")) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--budget", "1"], "No price is known for 'scripted'"),
        (["--base-url", "host"], "'host' is no address"),
        (["--replicates", "0"], "0 replicates is not a number of replicates"),
        (["--local", "x", "--base-url", "http://h/v1"], "one elsewhere: give one"),
        (["--constrained"], "give --local PATH as well"),
        (["--dry-run", "--replies", "r"], "--dry-run and --replies are one at a time"),
        (["--examples", "none.yaml"], "no such file of examples"),
        (["--replies", "none.jsonl"], "no such file of replies"),
    ],
)
def test_bad_input_ends_with_2_and_a_message(workspace, capsys, words, said):
    _, run = workspace
    assert run("--model", "scripted", *words) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "Traceback" not in shown


SERVED = {
    "a web page": (
        Play(200, b"<html>hello</html>"),
        "200 with a web page in place of a completion:"
        " check the address, it ends in /v1 with most servers",
    ),
    "a long prompt": (
        error(400, "maximum context length is 100"),
        "2 api_error: 400: maximum context length is 100",
    ),
    "a quota": (error(429, "no", code="insufficient_quota"), "the quota or credit is used up"),
    "no such model": (error(404, "no model"), "Check the model's name and the address"),
    "a country": (error(403, "not there"), "does not allow this (403: not there)"),
    "a long wait": (error(429, "full", {"retry-after": "3600"}), "asks to wait 3600 s (429: full)"),
}


@pytest.mark.parametrize("what", SERVED)
def test_a_run_that_comes_to_nothing_says_why_and_what_to_do(workspace, capsys, monkeypatch, what):
    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    stored, run = workspace
    play, said = SERVED[what]
    with Server(lambda seen, attempt: play) as server:
        status = run("--model", "scripted", "--base-url", server.url)
    shown = capsys.readouterr()
    assert said in shown.out + shown.err
    assert "nothing spent" in shown.out or status == 2
    assert "The same again asks what is left." in shown.out or "run the same again" in shown.err
    assert status in (1, 2)
    assert stored.raters() == []  # the name is free for the next try


_sleep = asyncio.sleep


async def no_sleep(seconds, *rest):
    await _sleep(min(seconds, 0.001), *rest)


def test_a_server_that_is_down_is_named(workspace, capsys, monkeypatch):
    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    _, run = workspace
    assert run("--model", "m", "--base-url", "http://127.0.0.1:9/v1") == 1
    assert "no connection to 127.0.0.1:9" in (said := capsys.readouterr().out)
    assert "is a server running there?" in said


def test_without_a_key_nothing_is_sent_to_openai(workspace, capsys):
    _, run = workspace
    assert run("--model", "gpt-4o-mini") == 2
    said = capsys.readouterr().err
    assert "api.openai.com needs a key" in said
    assert "the environment variable OPENAI_API_KEY is not set" in said
    assert "--base-url" in said


def test_a_budget_that_is_used_up_is_said_with_what_was_spent(workspace, capsys, tmp_path):
    _, run = workspace
    prices = tmp_path / "mine.json"
    prices.write_text('{"as_of": "May", "models": {"scripted": {"input": 10, "output": 50}}}')
    with Server() as server:
        words = ("--model", "scripted", "--base-url", server.url, "--prices", str(prices))
        assert run(*words, "--concurrency", "1", "--budget", "0.08") == 1
    said = capsys.readouterr().out
    assert "0.0200 USD by the prices in mine.json of May; stopped: the budget is used up" in said
    assert "The same with a larger --budget goes on." in said


def test_replies_that_were_cut_off_are_said_with_the_remedy(workspace, capsys):
    _, run = workspace
    with Server(lambda seen, attempt: says('{"correctness": {', finish="length")) as server:
        run("--model", "scripted", "--base-url", server.url)
    assert "cut off at their length limit: --max-tokens allows" in capsys.readouterr().out


def test_refusals_are_counted_with_their_reason(workspace, capsys):
    _, run = workspace
    with Server(lambda seen, attempt: says("I'm sorry, but I can't do that.")) as server:
        assert run("--model", "scripted", "--base-url", server.url) == 0
    assert "\n  2 refused: the model declined to answer" in capsys.readouterr().out


def test_other_settings_need_another_name_and_rater_gives_one(workspace, capsys):
    stored, run = workspace
    with Server() as server:
        words = ("--model", "scripted", "--base-url", server.url)
        assert run(*words) == 0
        assert run(*words, "--max-tokens", "900") == 2
        said = capsys.readouterr().err
        assert "scripted has answered here with max_tokens 4096; now it would be max_tokens" in said
        assert run(*words, "--max-tokens", "900", "--rater", "short") == 0
    assert {one.name for one in stored.raters()} == {"scripted", "short"}


def test_fresh_asks_again_and_examples_are_ones_own(workspace, tmp_path):
    _, run = workspace
    none = tmp_path / "none.json"
    none.write_text("[]")
    with Server() as server:
        words = ("--model", "scripted", "--base-url", server.url, "--examples", str(none))
        assert run(*words) == 0
        assert run(*words) == 0
        assert run(*words, "--fresh") == 0
        assert len(server.seen) == 4
        assert "Worked examples" not in server.seen[0].body["messages"][0]["content"]


def test_ctrl_c_says_that_the_same_again_goes_on(workspace, capsys, monkeypatch):
    from raterbook import judges

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(judges, "judge", interrupted)
    _, run = workspace
    assert run("--model", "m") == 130
    assert "What was answered is stored: the same again goes on." in capsys.readouterr().err


def test_the_command_for_the_replies_is_told_with_the_prompts(workspace, capsys, tmp_path):
    _, run = workspace
    assert run("--model", "chat", "--rater", "me", "--prompts-out", str(tmp_path / "p.txt")) == 0
    assert "raterbook judge r1 --model chat --rater me --replies FILE" in capsys.readouterr().out


def test_a_wrong_key_ends_with_2_and_names_its_variable(workspace, capsys, monkeypatch):
    _, run = workspace
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-1234567890")
    with Server(lambda seen, attempt: error(401, "Incorrect key sk-wrong-1234567890")) as server:
        assert run("--model", "scripted", "--base-url", server.url) == 2
    said = capsys.readouterr().err
    assert "did not accept the key (401: Incorrect key [key])" in said
    assert "read from the environment variable OPENAI_API_KEY" in said
    assert "r1: 0 of 2 asked of scripted, 0 ok. Once that is put right, run the same again" in said
