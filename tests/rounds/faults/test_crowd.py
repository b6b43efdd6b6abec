"""Thirty-two writers at once: all are served, each in its turn."""

import os
import sqlite3
import statistics
import subprocess
import sys
import time
from contextlib import closing

import pytest

from raterbook.rounds import Event, Store
from tests.rounds.faults import writers
from tests.rounds.faults.writers import Acknowledged, running

CROWD = [f"rater-{number:02d}" for number in range(32)]


def told_by_all(folder, path, target, count):
    """What every writer was told, when all have finished by themselves."""
    acks = [folder / f"{rater}.acks" for rater in CROWD]
    with running(target, path, folder, CROWD, 0, count) as processes:
        deadline = time.monotonic() + 60
        while not all(Acknowledged.read(file) for file in acks):
            assert time.monotonic() < deadline, "the writers did not come up"
            time.sleep(0.01)
        start = time.perf_counter()
        (folder / "go").touch()
        for process in processes:
            process.join(600)
            assert process.exitcode == 0
        took = time.perf_counter() - start
    return [Acknowledged.read(file)[1:] for file in acks], took


def alone(stored, name):
    """The median time of one answer while nobody else writes, in seconds."""
    durations = []
    for number in range(50):
        start = time.perf_counter()
        stored.save("rater-00", [Event(f"{name}-{number}", "i0", "score", 1 + number % 5)])
        durations.append(time.perf_counter() - start)
    return statistics.median(durations)


def crowd(folder, target=writers.rate_and_time):
    """Thirty-two writers to the end: how often one was overtaken, and its longest wait.

    The wait is given as a multiple of the median answer of one writer alone.
    """
    path = folder / "store.sqlite"
    stored = writers.new_round(path, CROWD)
    before = alone(stored, "before")
    told, took = told_by_all(folder, path, target, 100)
    median = max(before, alone(stored, "after"))  # other work on the machine comes and goes
    assert {len(lines) for lines in told} == {100}
    ids = writers.stored_ids(path)
    assert len(ids) == len(set(ids)) == 32 * 100 + 100
    assert {line.split()[0] for lines in told for line in lines} <= set(ids)
    overtaken = most_overtaken([id.split("-")[2] for id in ids if id.startswith("0-rater-")])
    worst = max(float(line.split()[1]) for lines in told for line in lines)
    print(
        f"32 writers × 100: {3200 / took:.0f} answers/s, median of one {median * 1000:.2f} ms, "
        f"worst wait {worst * 1000:.0f} ms = {worst / median:.0f} × the median, "
        f"nobody overtaken by more than {overtaken}"
    )
    return overtaken, worst / median


def most_overtaken(writers_in_order):
    """The most answers of others between two of one writer, who asks again at once."""
    last, most = {}, 0
    for place, writer in enumerate(writers_in_order):
        if writer in last:
            most = max(most, place - last[writer] - 1)
        last[writer] = place
    return most


def test_the_count_of_overtaking_writers():
    assert most_overtaken("abcabcaab") == 3


def test_thirty_two_writers_with_a_hundred_answers_each_are_all_served_in_turn(tmp_path):
    overtaken, _ = crowd(tmp_path)
    assert overtaken <= 200  # in turn it is 31; who writes again at once would be let in at once


@pytest.mark.long
def test_nobody_among_thirty_two_waits_longer_than_200_answers_of_one_alone(tmp_path):
    waits = []
    for attempt in ("first", "second", "third"):
        folder = tmp_path / attempt
        folder.mkdir()
        waits.append(crowd(folder)[1])
        if waits[-1] <= 200:
            return
    if os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip("all were served; how long they waited says nothing on a machine this busy")
    pytest.fail(f"the worst waits were {waits} × the median of one")


def test_control_a_crowd_that_does_not_queue_is_not_served_in_turn(tmp_path):
    overtaken, _ = crowd(tmp_path, writers.rate_without_queue)
    assert overtaken > 200


@pytest.mark.long
def test_control_somebody_in_a_crowd_that_does_not_queue_waits_longer(tmp_path):
    _, waited = crowd(tmp_path, writers.rate_without_queue)
    assert waited > 200


def test_control_a_crowd_on_bare_sqlite_is_not_all_served(tmp_path):
    path = tmp_path / "bare.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bare (event_id TEXT UNIQUE)")
    connection.close()
    told, _ = told_by_all(tmp_path, path, writers.write_bare, 20)
    assert sum(map(len, told)) < 32 * 20


def test_many_processes_may_make_one_store_at_once(tmp_path):
    path = tmp_path / "new" / "store.sqlite"
    with running(make_store, path, tmp_path, CROWD[:8], 0, 0) as processes:
        for process in processes:
            process.join(60)
            assert process.exitcode == 0
    assert writers.integrity(path) == "ok"


def make_store(path, acks, rater, run, count):
    assert Store(path).rounds() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_and_its_parent_do_not_share_a_connection(tmp_path):
    path = tmp_path / "store.sqlite"
    stored = writers.new_round(path, ["ana", "ben"])
    stored.save("ana", [Event("before", "i0", "score", 1)])
    code = (
        "import os, sys\n"
        "from raterbook.rounds import Event, Store\n"
        "stored = Store(sys.argv[1]).round('faults')\n"
        "stored.save('ana', [Event('parent', 'i1', 'score', 1)])\n"
        "child = os.fork()\n"
        "rater, name = ('ben', 'child') if child == 0 else ('ana', 'again')\n"
        "events = [Event(f'{name}-{n}', f'i{n}', 'score', 2) for n in range(50)]\n"
        "assert all(stored.save(rater, [event])[0].ok for event in events)\n"
        "os._exit(0) if child == 0 else sys.exit(os.waitpid(child, 0)[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(writers.stored_ids(path)) == 102
    assert writers.integrity(path) == "ok"
