"""`raterbook questions`, killed at any moment, goes on where it was; what it costs is said."""

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from raterbook.judges.clients.model import Reply
from raterbook.judges.questions import questions
from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store

ROOT = Path(__file__).parents[3]
CASES, SYSTEMS, KILLS = 12, ("m1", "m2"), 2
REQUESTS = CASES * (3 + len(SYSTEMS))  # written, checked, answered from each text
ASKED = ["Who came?", "When was it?"]


@pytest.fixture
def texts():
    return [f"{what} {n}" for n in range(CASES) for what in ("reference", "m1 says", "m2 says")]


@pytest.fixture
def model(scripted, texts):
    said = {text: {"Who came?": "Ana", "When was it?": "May"} for text in texts}
    return scripted(dict.fromkeys(texts, ASKED), said)


@pytest.fixture
def workspace(tmp_path):
    protocol = load("rag-questeval")
    records = [
        {"id": f"s{n}", "ground_truth": f"reference {n}", "generated": f"{m} says {n}", "model": m}
        for n in range(CASES)
        for m in SYSTEMS
    ]
    store = Store(tmp_path / "data" / "raterbook.sqlite")
    store.open("q1", protocol, ItemTable.from_records(protocol, records))
    store.dispose()
    return tmp_path


def started(workspace, server):
    words = ["questions", "q1", "--model", "scripted-1", "--base-url", server.url]
    return subprocess.Popen(
        [sys.executable, "-m", "raterbook", "--workspace", workspace, *words, "--concurrency", "4"],
        cwd=ROOT,
        env={**os.environ, "OPENAI_API_KEY": "none"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def kept(workspace):
    store = Store(workspace / "data" / "raterbook.sqlite")
    try:
        return len(store.replies)
    finally:
        store.dispose()


def killed(workspace, server, after):
    """Starts it, kills it after so many requests; (requests seen, replies stored)."""
    process = started(workspace, server)
    enough, begin = len(server.seen) + after, time.monotonic()
    while len(server.seen) < enough and time.monotonic() - begin < 120:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    return server.settled(), kept(workspace)


def test_after_kill_9_no_request_whose_reply_is_stored_is_sent_again(workspace, model, serving):
    draw = random.Random(7)
    with serving(model, delay=0.04) as server:
        for _ in range(KILLS):
            # Four at once: where a tenth is asked, some replies are stored.
            seen, stored = killed(workspace, server, draw.randint(10, 24))
            assert 0 < stored < REQUESTS
        process = started(workspace, server)
        said, _ = process.communicate(timeout=120)
        assert process.returncode == 0, said
        assert len(server.seen) == seen + REQUESTS - stored
        everything = {seen.user + seen.body["messages"][0]["content"] for seen in server.seen}
        assert len(everything) == REQUESTS
        assert len(server.seen) - REQUESTS <= 4 * KILLS
    store = Store(workspace / "data" / "raterbook.sqlite")
    round_ = store.round("q1")
    assert all([part.text for part in case.parts] == ASKED for case in round_.cases())
    frame = round_.frame()
    assert (frame["revision"] == 1).all()
    assert len(frame) == CASES * len(ASKED) * (2 + len(SYSTEMS))
    store.dispose()


def test_a_bar_shows_the_texts_done_the_cost_and_the_failures(opened, scripted, capsys):
    one = ("s1", "reference", {"m1": "text"})
    model = scripted({"reference": ASKED}, {"reference": dict.fromkeys(ASKED, "x")})

    def priced(messages):
        if "text" in messages[1]["content"].split("~~~")[1]:
            return Reply("no idea", cost=0.25)
        return Reply(model(messages), cost=0.25)

    questions(opened(one), "scripted-1", priced, progress=True)
    shown = capsys.readouterr().err
    assert "scripted-1 on quest-1" in shown
    last = shown.strip().split("\r")[-1]
    assert re.search(
        r"4/4 .*1\.2500 USD, 1 failed", last
    )  # the reply without sense was asked twice


def test_a_failure_ends_the_run_also_where_a_cancellation_is_swallowed(opened):
    class Stubborn:
        """Fails on the first text; on the second it ignores the first cancellation."""

        name, concurrency, asked = "stubborn-1", 2, 0

        def identity(self):
            return {"model": self.name}

        async def ask(self, messages, schema, replicate):
            self.asked += 1
            if self.asked == 1:
                await asyncio.sleep(0.05)
                raise RuntimeError("out of order")
            try:
                await asyncio.sleep(1.0)
            except asyncio.CancelledError:
                if self.asked > 2:
                    raise
            return Reply("no idea")

        async def close(self):
            pass

    model = Stubborn()
    rows = [(f"s{n}", f"reference {n}", {"m1": "text"}) for n in range(9)]
    with pytest.raises(RuntimeError, match="out of order"):
        questions(opened(*rows), ask=model)
    assert model.asked == 3
