"""Killed at any moment, a run goes on where it was: no reply that was stored is asked for again."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from raterbook.judges import Endpoint, JudgeStopped, cache, judge, judge_async
from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store

from .conftest import feedback_items
from .server import Server, error

ROOT = Path(__file__).parents[2]
CONCURRENCY = 4


class Runs:
    """Runs of one round, each in a process of its own."""

    def __init__(self, database, server):
        self._nursery = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.judges.resuming",
                str(database),
                server.url,
                str(CONCURRENCY),
            ],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._nursery.kill()
        self._nursery.communicate()

    def start(self):
        self._nursery.stdin.write("\n")
        self._nursery.stdin.flush()
        self.process = int(self._nursery.stdout.readline())

    def end(self):
        """What the run said, and its status."""
        said = []
        for line in self._nursery.stdout:
            if line.strip().removeprefix("-").isdigit():
                return "".join(said), int(line)
            said.append(line)
        raise AssertionError("the runs have ended: " + "".join(said))


def opened(folder, items):
    protocol = load("feedback-quality")
    database = folder / "workspace.sqlite"
    table = ItemTable.from_records(protocol, feedback_items(items))
    Store(database).open("r1", protocol, table).store.dispose()
    return database


def stored_of(requests, stored, url):
    """The keys of those requests whose replies are in the store."""
    identity = Endpoint("scripted", url).identity()
    keys = {
        cache.reply_key(
            identity,
            seen.body["messages"],
            seen.body["response_format"]["json_schema"]["schema"],
            1,
        )
        for seen in requests
    }
    return {key for key in keys if stored.replies.get(key) is not None}


def test_after_kill_9_at_20_random_times_only_what_was_under_way_is_asked_again(tmp_path):
    kills, items, draw = 20, 240, random.Random(1)
    database = opened(tmp_path, items)
    stored = Store(database).round("r1")
    with Server(delay=0.05) as server, Runs(database, server) as runs:
        kept, first = set(), 0
        for _ in range(kills):
            # What the run before asked, none of which had a stored reply when it began.
            assert not kept & stored_of(server.seen[first:], stored, server.url)
            kept = stored_of(server.seen, stored, server.url)
            first = len(server.seen)
            runs.start()
            while len(server.seen) == first:
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.1))
            os.kill(runs.process, signal.SIGKILL)
            assert runs.end()[1] == -signal.SIGKILL  # and not at its own end
        runs.start()
        said, status = runs.end()
        asked = Counter(seen.user for seen in server.seen)
        assert not kept & stored_of(server.seen[first:], stored, server.url)
        assert len(stored_of(server.seen, stored, server.url)) == items
    assert status == 0, said
    assert f"{items} ok" in said
    assert len(asked) == items
    assert sum(count - 1 for count in asked.values()) <= kills * CONCURRENCY
    frame = Store(database).round("r1").frame()
    assert (frame["revision"] == 1).all()
    assert len(frame[frame["question"] == "overall"]) == items


def test_a_run_that_ignores_stored_replies_would_be_found_out(open_round):
    """The control of the check above."""
    stored = open_round("feedback-quality", feedback_items(3))
    with Server() as server:
        judge(stored, Endpoint("scripted", server.url), "judge")
        kept = stored_of(server.seen, stored, server.url)
        judge(stored, Endpoint("scripted", server.url), "judge", fresh=True)
        assert kept & stored_of(server.seen[3:], stored, server.url) == kept
    assert len(kept) == 3


def test_a_stored_reply_is_never_asked_for_again(open_round):
    """Resumed after every single reply: the requests are exactly the items."""
    stored = open_round("feedback-quality", feedback_items(5))
    with Server() as server:
        for number in range(1, 6):
            keys = [item.key for item in stored.items()][:number]
            judge(stored, Endpoint("scripted", server.url), "judge", items=keys)
        assert len(server.seen) == 5


def test_a_run_that_was_stopped_goes_on_when_the_cause_is_gone(open_round):
    stored = open_round("feedback-quality", feedback_items(8))
    state = {"quota": 3}

    def script(seen, attempt):
        state["quota"] -= 1
        return error(429, "quota", code="insufficient_quota") if state["quota"] < 0 else None

    with Server(script) as server:
        model = lambda: Endpoint("scripted", server.url, concurrency=1)  # noqa: E731
        with pytest.raises(JudgeStopped, match="3 of 8 asked"):
            judge(stored, model(), "judge")
        state["quota"] = 100
        run = judge(stored, model(), "judge")
        assert run.counts == {"ok": 8}
        assert run.requests == 5
        assert len(server.seen) == 9


def test_a_failed_request_is_asked_again_next_time(open_round):
    stored = open_round("feedback-quality")
    script = lambda seen, attempt: error(413, "large") if len(server.seen) <= 2 else None  # noqa: E731
    with Server(script) as server:
        first = judge(stored, Endpoint("scripted", server.url), "judge")
        second = judge(stored, Endpoint("scripted", server.url), "judge")
    assert first.counts == {"api_error": 2}
    assert second.counts == {"ok": 2}


def test_ctrl_c_leaves_what_was_answered_and_the_next_run_goes_on(tmp_path):
    database = opened(tmp_path, 40)
    with Server(delay=0.2) as server, Runs(database, server) as runs:
        runs.start()
        while len(server.answered) < 8:
            time.sleep(0.01)
        os.kill(runs.process, signal.SIGINT)
        said, status = runs.end()
        assert status != 0
        assert "KeyboardInterrupt" in said
        at_stop = len(server.seen)
        runs.start()
        said, _ = runs.end()
        assert "40 ok" in said
        assert len(server.seen) <= 40 + CONCURRENCY
        assert at_stop < 40


def test_a_run_cancelled_at_any_moment_ends_at_once_and_can_go_on(open_round):
    stored = open_round("feedback-quality", feedback_items(20))
    draw = random.Random(3)

    async def cancelled(server):
        model = Endpoint("scripted", server.url, concurrency=CONCURRENCY)
        run = asyncio.create_task(judge_async(stored, model, "judge", fresh=True))
        await asyncio.sleep(draw.uniform(0, 0.4))
        run.cancel()
        done, _ = await asyncio.wait({run}, timeout=15)
        return bool(done)

    with Server(delay=0.02) as server:
        assert all(asyncio.run(cancelled(server)) for _ in range(8))
        assert judge(stored, Endpoint("scripted", server.url), "judge").counts == {"ok": 20}
