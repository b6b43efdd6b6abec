"""The disk is full at every fiftieth write: the answer is refused with the remedy, or it is safe.

The kernel refuses the write in three ways: strace makes it say ENOSPC, a limit on the size of
files makes it say EFBIG, and a small tmpfs really is full.
"""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.rounds.faults import writers
from tests.rounds.faults.recorded import can_record

ROOT = Path(__file__).parents[3]
SAVE = """
import sqlite3, sys
from contextlib import closing

def ids(path):
    with closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute("SELECT event_id FROM answer_event")}

def save_all(stored, count, before=lambda number: None, after=lambda: None):
    told, refused = [], []
    for number in range(count):
        event = Event(f"e{number}", f"i{number % 100}", "score", 1 + number % 5)
        note = Event(f"n{number}", f"i{number % 100}", "note", "because " * 300)
        before(number)
        for _again in range(20):
            try:
                acks = stored.save("ana", [event, note])
                break
            except RoundError as error:
                refused.append(str(error))
                after()
        else:
            sys.exit(f"answer {number} is never taken: {refused[-1]}")
        assert all(ack.ok for ack in acks), acks
        told += [event.event_id, note.event_id]
    print(len(refused), flush=True)
    assert set(told) <= ids(path)
    for line in sorted(set(refused)):
        print(line)
"""
START = (
    """
import os, resource, signal, sys
from raterbook.rounds import Event, RoundError, Store
path = sys.argv[1]
stored = Store(path).round("faults")
"""
    + SAVE
)
EVERY_FIFTIETH = START + "save_all(stored, int(sys.argv[2]))"
LIMITED = (
    START
    + """
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
def limit(number):
    if number % 50 == 49:
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path), most))
def lift():
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
save_all(stored, int(sys.argv[2]), limit, lift)
"""
)
REALLY_FULL = (
    START
    + """
ballast = os.path.join(os.path.dirname(path), "ballast")
def fill(number):
    if number % 50 == 49:
        file = os.open(ballast, os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(file, bytes(1024))
        except OSError:
            os.close(file)
save_all(stored, int(sys.argv[2]), fill, lambda: os.remove(ballast))
"""
)
IN_THE_MOUNT = """
import sys
sys.path.insert(0, sys.argv[3])
from tests.rounds.faults import writers
writers.new_round(sys.argv[1], ["ana"]).store.dispose()
"""
NO_JOURNAL = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = OFF")
connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE)")
for number in range(60):
    try:
        connection.execute("BEGIN")
        for n in range(30):
            connection.execute("INSERT INTO t (b) VALUES (?)", (os.urandom(400).hex(),))
        connection.execute("COMMIT")
    except sqlite3.Error:
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass
"""
INJECT = [
    "strace",
    "-o",
    "/dev/null",
    "-e",
    "trace=pwrite64",
    "-e",
    "inject=pwrite64:error=ENOSPC:when=50+50",
]

needs_strace = pytest.mark.skipif(not can_record(), reason="needs strace, and leave to trace")


def run(code, *words, inside=()):
    done = subprocess.run(
        [*inside, sys.executable, "-c", code, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def hold(path, output, least):
    refusals, *messages = output
    assert int(refusals) >= least
    assert messages
    for message in messages:
        assert str(path) in message
        assert "disk" in message
        assert "nothing of this step was saved" in message
        assert "try again" in message
    assert writers.integrity(path) == "ok"


@needs_strace
def test_no_space_at_every_fiftieth_write_loses_nothing(tmp_path):
    path = tmp_path / "store.sqlite"
    writers.new_round(path, ["ana"]).store.dispose()
    hold(path, run(EVERY_FIFTIETH, path, 100, inside=INJECT), least=10)


def test_a_limit_on_the_file_at_every_fiftieth_answer_loses_nothing(tmp_path):
    path = tmp_path / "store.sqlite"
    writers.new_round(path, ["ana"]).store.dispose()
    hold(path, run(LIMITED, path, 200), least=3)


@pytest.mark.long
def test_ten_thousand_answers_on_a_limited_file_lose_nothing(tmp_path):
    path = tmp_path / "store.sqlite"
    writers.new_round(path, ["ana"]).store.dispose()
    hold(path, run(LIMITED, path, 10_000), least=150)


def test_a_small_file_system_that_is_full_loses_nothing(tmp_path):
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    mount = ["sh", "-c", 'mount -t tmpfs -o size=3m raterbook "$0" && exec "$@"', str(tmp_path)]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*unshare, *mount, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("needs leave to mount a tmpfs in a namespace of its own")
    path = tmp_path / "store.sqlite"
    code = IN_THE_MOUNT + REALLY_FULL + "print(writers.integrity(path))"
    mounted = [*unshare, *mount]
    refusals, *messages, state = run(code, path, 120, ROOT, inside=mounted)
    assert int(refusals) >= 2
    assert all("the disk is full" in message for message in messages)
    assert state == "ok"


@needs_strace
def test_control_without_a_journal_a_full_disk_leaves_a_damaged_or_half_written_file(tmp_path):
    path = tmp_path / "bare.sqlite"
    run(NO_JOURNAL, path, inside=INJECT)
    try:
        whole = writers.integrity(path) == "ok"
        with closing(sqlite3.connect(path)) as connection, connection:
            (rows,) = connection.execute("SELECT count(*) FROM t").fetchone()
        connection.close()
    except sqlite3.DatabaseError:
        whole, rows = False, 0
    assert not whole or rows % 30
