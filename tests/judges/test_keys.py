"""A key is in the request's header and nowhere else: not one byte of it is written or shown."""

import json
import logging
import os
import subprocess
import sys
import traceback

import pytest

from raterbook.judges import Endpoint, JudgeStopped, judge
from raterbook.judges.clients import faults
from raterbook.judges.clients.scripted import reply_to

from .server import Play, Server, error, says

KEY = "sk-proj-Zq9xT4vLw7RkYb2NcM8d"
ODD = "my.secret+token/with=signs"


def everything_in(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("key", [KEY, ODD])
def test_a_key_appears_in_no_database_log_output_or_error(
    key, open_round, tmp_path, monkeypatch, caplog, capfd
):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    caplog.set_level(logging.DEBUG)

    def script(seen, attempt):
        number = len(server.seen)
        if number == 1:
            return error(500, f"upstream said: key {key} is odd", {"x-request-id": key})
        if number == 2:
            return Play(502, f"<html>Authorization: Bearer {key}</html>".encode())
        if number == 3:
            return says(f"I know your key, it is {key}.", model=f"model-{key}")
        if number == 4:
            content = json.loads(reply_to(seen.body["messages"]))
            return says(json.dumps({**content, "evidence": f"the key {key}"}))
        if number == 5:
            return error(413, f"too large for {key}")
        return error(401, f"Incorrect API key provided: {key}")

    stored = open_round(
        "feedback-quality", [{"id": f"i{n}", "text": f"Text {n}.", "model": "m"} for n in range(4)]
    )
    shown = []
    with Server(script) as server:
        model = Endpoint("scripted", server.url, concurrency=1, backoff=0.01, timeout=5)
        with pytest.raises(JudgeStopped) as stopped:
            judge(stored, model, "judge")
        shown += [str(stopped.value), repr(stopped.value.run), stopped.value.run.summary()]
        shown += traceback.format_exception(stopped.value)
        shown.append(stopped.value.run.frame().to_csv())
        assert all(seen.headers["authorization"] == f"Bearer {key}" for seen in server.seen)
    shown += [stored.frame(texts=True).to_csv(), repr(model), str(vars(model))]
    out, err = capfd.readouterr()
    shown += [out, err, caplog.text]
    assert len(caplog.text) > 100
    written = everything_in(tmp_path)
    assert b"[key]" in written
    assert key.encode() not in written
    for text in shown:
        assert key not in text


def test_a_key_is_in_no_output_of_a_command_that_fails(tmp_path):
    """A process of its own, with the client's own logging switched on."""
    code = """
import sys
from raterbook.judges import Endpoint, judge
from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store
protocol = load("halo-support")
items = [{"id": "s", "context": "c", "generated_answer": "g", "question": "q"}]
stored = Store(sys.argv[1]).open("r", protocol, ItemTable.from_records(protocol, items))
judge(stored, Endpoint("m", sys.argv[2]), "judge")
"""
    with Server(lambda seen, attempt: error(401, f"bad key {KEY}")) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "w.sqlite"), server.url],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_LOG": "debug"},
        )
    assert done.returncode == 1
    assert "did not accept the key" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert KEY.encode() not in everything_in(tmp_path)


def test_an_address_with_a_secret_in_it_is_refused_without_repeating_it():
    for url in (f"https://user:{KEY}@host/v1", f"https://host/v1?key={KEY}"):
        with pytest.raises(ValueError, match="keys come from the environment only") as refused:
            Endpoint("m", url)
        assert KEY not in str(refused.value)
    with pytest.raises(ValueError, match=r"'host/v1' is no address"):
        Endpoint("m", "host/v1")


def test_a_missing_key_is_named_by_its_variable(open_round):
    with Server(lambda seen, attempt: error(401, "no key")) as server:
        model = Endpoint("m", server.url, key_env="MY_OWN_KEY")
        with pytest.raises(JudgeStopped, match="variable MY_OWN_KEY is not set"):
            judge(open_round("halo-support"), model, "judge")


def test_another_variable_can_hold_the_key(open_round, monkeypatch):
    monkeypatch.setenv("MY_OWN_KEY", KEY)
    with Server() as server:
        judge(open_round("halo-support"), Endpoint("m", server.url, key_env="MY_OWN_KEY"), "judge")
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abcd1234********wxyz.",
        "token hf_AbCdEfGhIjKlMnOp is invalid",
        "Authorization: Bearer abcdefghijk",
        "key AIzaSyA1234567890abc",
        "gsk_1234567890abcdef",
    ],
)
def test_what_looks_like_a_key_is_hidden_in_messages(text):
    hidden = faults.scrubbed(text)
    assert faults.HIDDEN in hidden
    pieces = ("abcd1234", "AbCdEf", "abcdefgh", "SyA1", "1234567")
    assert not any(piece in hidden for piece in pieces)


def test_ordinary_words_of_a_reply_stay():
    text = "The risk-benefit key-value map: sketchy, sk8, hf."
    assert faults.without_keys(text) == text
    assert faults.scrubbed(text) == text
