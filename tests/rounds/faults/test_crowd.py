"""Thirty-two writers at once: all are served, each in its turn."""

import os
import sqlite3
import statistics
import time

import pytest

from ratebook.rounds import Event
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
            process.join(120)
            assert process.exitcode == 0
        took = time.perf_counter() - start
    return [Acknowledged.read(file)[1:] for file in acks], took


def crowd(folder):
    """The median of one writer alone, and the longest wait among thirty-two, in seconds."""
    path = folder / "store.sqlite"
    stored = writers.new_round(path, CROWD)
    alone = []
    for number in range(100):
        start = time.perf_counter()
        stored.save("rater-00", [Event(f"alone-{number}", "i0", "score", 1 + number % 5)])
        alone.append(time.perf_counter() - start)
    told, took = told_by_all(folder, path, writers.rate_and_time, 100)
    assert {len(lines) for lines in told} == {100}
    ids = writers.stored_ids(path)
    assert len(ids) == len(set(ids)) == 32 * 100 + 100
    assert {line.split()[0] for lines in told for line in lines} <= set(ids)
    waits = [float(line.split()[1]) for lines in told for line in lines]
    median = statistics.median(alone)
    print(
        f"32 writers × 100: {3200 / took:.0f} answers/s, median of one {median * 1000:.2f} ms, "
        f"worst wait {max(waits) * 1000:.0f} ms = {max(waits) / median:.0f} × the median"
    )
    return median, max(waits)


def test_thirty_two_writers_with_a_hundred_answers_each_are_all_served_in_turn(tmp_path):
    for attempt in ("first", "second", "third"):  # what else the machine does adds to the wait
        folder = tmp_path / attempt
        folder.mkdir()
        median, worst = crowd(folder)
        if worst <= 200 * median:
            return
    if hasattr(os, "getloadavg") and os.getloadavg()[2] > 2 * (os.cpu_count() or 1):
        pytest.skip("all were served; how long they waited says nothing on a machine this busy")
    pytest.fail(f"the worst of three crowds waited {worst / median:.0f} × the median of one")


def test_control_a_crowd_on_bare_sqlite_is_not_all_served(tmp_path):
    path = tmp_path / "bare.sqlite"
    with sqlite3.connect(path) as connection:
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
    from ratebook.rounds import Store

    assert Store(path).rounds() == []


def test_a_forked_child_and_its_parent_do_not_share_a_connection(tmp_path):
    if not hasattr(os, "fork"):
        return
    path = tmp_path / "store.sqlite"
    stored = writers.new_round(path, ["ana", "ben"])
    stored.save("ana", [Event("before", "i0", "score", 1)])
    code = (
        "import os, sys\n"
        "from ratebook.rounds import Event, Store\n"
        "stored = Store(sys.argv[1]).round('faults')\n"
        "stored.save('ana', [Event('parent', 'i1', 'score', 1)])\n"
        "child = os.fork()\n"
        "rater, name = ('ben', 'child') if child == 0 else ('ana', 'again')\n"
        "events = [Event(f'{name}-{n}', f'i{n}', 'score', 2) for n in range(50)]\n"
        "assert all(stored.save(rater, [event])[0].ok for event in events)\n"
        "os._exit(0) if child == 0 else sys.exit(os.waitpid(child, 0)[1])\n"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(writers.stored_ids(path)) == 102
    assert writers.integrity(path) == "ok"
