"""What the store refuses, and that it says why and what to do."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from raterbook.rounds import Event, ItemTable, RoundError, Store, opening
from raterbook.rounds.store import database, schema
from tests.rounds.conftest import records

ON_A_FILE = True


def refusal(call, *words):
    with pytest.raises(RoundError) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("item,rater,question,value\n" * 50)
    before = path.read_bytes()
    refusal(lambda: Store(path), "answers.csv is not a Raterbook database", "--db", "not changed")
    assert path.read_bytes() == before


def test_a_database_of_another_program(tmp_path):
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    path.chmod(0o644)
    before = path.read_bytes()
    refusal(lambda: Store(path), "is a database of another program (bookmarks)", "--db")
    assert path.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o644  # its rights are its owner's affair


def test_a_database_of_a_newer_raterbook(stored):
    path = stored.store.path
    with stored.store.write() as connection:
        connection.execute(schema.workspace.update().values(schema_version=schema.VERSION + 1))
    refusal(
        lambda: Store(path),
        "written by a newer Raterbook",
        f"schema {schema.VERSION + 1}",
        "install the newer version",
    )


@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
def test_a_file_that_was_cut_short(stored, share):
    path = stored.store.path
    stored.store.dispose()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    refusal(lambda: Store(path).round("round-01").frame(), "cut short", "raterbook backup")


def test_a_file_that_another_program_holds(stored):
    store = Store(stored.store.path, wait=0.2)
    other = sqlite3.connect(stored.store.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    event = Event("e", "q0/a", "tone", 1)
    refusal(
        lambda: store.round("round-01").save("ana", [event]),
        "locked by another program",
        "nothing was saved",
        "close database browsers",
    )
    other.close()
    assert store.round("round-01").save("ana", [event])[0].ok


def test_a_lock_that_a_stopped_process_holds(stored):
    code = (
        "import sys, time\nfrom raterbook.rounds import Store\n"
        "with Store(sys.argv[1]).write():\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(stored.store.path)], stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        store = Store(stored.store.path, patience=0.3)
        refusal(
            lambda: store.round("round-01").save("ana", [Event("e", "q0/a", "tone", 1)]),
            "locked by another process",
            "nothing was saved",
            "stopped Raterbook or notebook",
        )
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    assert stored.save("ana", [Event("e", "q0/a", "tone", 1)])[0].ok


SAVE_ONE = """
import sys
from raterbook.rounds import Event, RoundError, Store
stored = Store(sys.argv[1]).round("round-01")
print(len(stored.items()))
try:
    stored.save("ana", [Event("e", "q0/a", "tone", 1)])
except RoundError as error:
    print(error)
"""
# The administrator may write everywhere, unless this leave is given back.
HUMBLE = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize(
    ("closed", "journal"),
    [
        (["raterbook.sqlite"], None),
        (["raterbook.sqlite.lock"], None),
        (["raterbook.sqlite.lock.gate"], None),
        (["raterbook.sqlite", "raterbook.sqlite.lock", "."], None),
        (["raterbook.sqlite", "raterbook.sqlite.lock", "."], "wal"),  # of a newer SQLite
    ],
)
def test_a_read_only_file_or_folder_can_be_read_and_refuses_answers(stored, closed, journal):
    path = stored.store.path
    stored.store.dispose()
    if journal:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {journal}")
    inside = HUMBLE if os.geteuid() == 0 else []
    if inside and shutil.which("setpriv") is None:
        pytest.skip("an administrator may write everywhere")
    for name in closed:
        (path.parent / name).chmod(0o555 if name == "." else 0o444)
    try:
        done = subprocess.run(
            [*inside, sys.executable, "-c", SAVE_ONE, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.parent.chmod(0o755)
    assert done.returncode == 0, done.stderr
    items, message = done.stdout.splitlines()
    assert items == "6"
    for words in (str(path), "so answers cannot be saved", "writable", "--db"):
        assert words in message


@pytest.mark.parametrize(
    ("mounts", "kind"),
    [
        ([("/", "ext4"), ("{parent}", "nfs4")], "nfs4"),
        ([("/", "ext4"), ("{parent}", "ext4"), ("{parent}", "cifs")], "cifs"),
        ([("{parent}", "fuse.sshfs"), ("/", "ext4")], "fuse.sshfs"),
    ],
)
def test_a_network_file_system(tmp_path, mounts, kind):
    table = [(point.format(parent=tmp_path.resolve()), each) for point, each in mounts]
    refusal(
        lambda: Store(tmp_path / "data" / "r.sqlite", mounts=table),
        f"network file system ({kind}, mounted at {tmp_path.resolve()})",
        "local disk",
        "--db",
        "raterbook backup",
    )
    assert not (tmp_path / "data").exists()


def test_a_local_disk_under_a_network_mount_and_its_neighbour_are_fine(tmp_path):
    table = [("/", "nfs"), (str(tmp_path.resolve()), "ext4"), (f"{tmp_path.resolve()}x", "nfs")]
    assert Store(tmp_path / "r.sqlite", mounts=table).rounds() == []


def test_the_mount_table_of_this_system_can_be_read():
    table = database.mounted()
    if Path("/proc/self/mounts").exists():
        assert any(point == "/" for point, _ in table)
    assert database._plain("/mnt/my\\040disk") == "/mnt/my disk"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://host/db", "mysql:// databases are not supported"),
        (":memory:", "names no file"),
        ("", "names no file"),
        ("sqlite://", "names no file"),
    ],
)
def test_an_address_that_names_no_file(url, words):
    refusal(lambda: Store(url), words, "data/raterbook.sqlite")


def test_a_folder_in_place_of_a_file(tmp_path):
    refusal(lambda: Store(tmp_path), "is a folder", "name a file in it")


def test_paths_may_have_any_characters(tmp_path, protocol, table):
    path = tmp_path / "a b?c=d#e%20f" / "ünï.sqlite"
    stored = Store(path).open("r", protocol, table, raters=["ana"])
    assert stored.save("ana", [Event("e", "q0/a", "tone", 1)])[0].ok
    assert path.exists()
    assert Store(f"sqlite:///{tmp_path / 'plain.sqlite'}").rounds() == []


def test_a_failed_step_leaves_nothing_behind_in_memory_either(stored, protocol, monkeypatch):
    def fail(*_):
        raise RoundError("no")

    table = ItemTable.from_records(protocol, records(cases=4))
    monkeypatch.setattr(opening, "add_answers", fail)
    refusal(lambda: stored.add_items(table), "no")
    monkeypatch.undo()
    assert len(stored.items()) == 6
    assert len(stored.add_items(table)) == 2
    assert len(stored.items()) == 8
