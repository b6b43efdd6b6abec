"""kill -9 of four writers: what was acknowledged is there, and a retry is harmless."""

import random
import time

import pytest

from raterbook.rounds import Store
from tests.rounds.faults import writers
from tests.rounds.faults.writers import Acknowledged, events_of, integrity, running

RATERS = ["ana", "ben", "cem", "dia"]


def kill_again_and_again(folder, rounds, target):
    """How many acknowledged answers are missing, and how many stored ones were never told."""
    path, rng = folder / "store.sqlite", random.Random(11)
    writers.new_round(path, RATERS)
    acks = {rater: folder / f"{rater}.acks" for rater in RATERS}
    for run in range(rounds):
        with running(target, path, folder, RATERS, run, 10_000) as processes:
            deadline = time.monotonic() + 30
            while not any(f"{run}-" in _tail(file) for file in acks.values()):
                assert time.monotonic() < deadline, "no writer came to its first answer"
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.08))
            for process in processes:
                process.kill()
    told = {event for file in acks.values() for event in Acknowledged.read(file)}
    stored = set(writers.stored_ids(path))
    return len(told - stored), len(stored - told), len(told)


def _tail(file):
    if not file.exists():
        return ""
    with open(file, "rb") as lines:
        lines.seek(max(0, file.stat().st_size - 60))
        return lines.read().decode().rpartition("\n")[0].rpartition("\n")[2]


def hold(folder, rounds):
    lost, untold, told = kill_again_and_again(folder, rounds, writers.rate)
    path = folder / "store.sqlite"
    print(f"{rounds} kills of 4 writers: {told} acknowledged, {lost} lost, {untold} never told")
    assert lost == 0
    assert integrity(path) == "ok"
    stored = Store(path).round("faults")
    before = len(writers.stored_ids(path))
    for rater in RATERS:  # every sender tries its last run again, and finishes it
        acks = stored.save(rater, events_of(rater, rounds - 1, 20))
        assert all(ack.ok for ack in acks)
    ids = writers.stored_ids(path)
    assert len(ids) == len(set(ids))
    assert before <= len(ids) <= before + 20 * len(RATERS)


def test_fifty_kills_of_four_writers_lose_nothing(tmp_path):
    hold(tmp_path, 50)


@pytest.mark.long
def test_a_thousand_kills_of_four_writers_lose_nothing(tmp_path):
    hold(tmp_path, 1000)


def test_control_a_store_that_tells_before_it_commits_loses_answers(tmp_path):
    lost, _, _ = kill_again_and_again(tmp_path, 5, writers.rate_carelessly)
    assert lost > 0
