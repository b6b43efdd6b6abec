"""Backups: one consistent copy, while raters work; they replace nothing."""

import threading

import pytest

from raterbook.rounds import Event, RoundError, Store
from tests.rounds.faults.writers import integrity, stored_ids

ON_A_FILE_ONLY = ("test_a_backup_replaces_nothing_and_says_where_it_cannot_go",)


def test_a_backup_is_the_store_at_one_moment(stored, say, tmp_path):
    say("ana", "q0/a", "tone", 1)
    copy = Store(stored.store.backup(tmp_path / "copy.sqlite")).round("round-01")
    say("ana", "q0/a", "tone", 2)
    assert copy.frame().query("rater == 'ana'")["value"].tolist() == ["1"]
    assert copy.data_hash() != stored.data_hash()


def test_backups_made_while_raters_work_are_whole(stored, tmp_path):
    """Answers are saved in pairs; no copy has half a pair."""
    stop, errors = threading.Event(), []

    def work(rater):
        number = 0
        while not stop.is_set():
            number += 1
            pair = [
                Event(f"{rater}-{number}-{half}", "q0/a", q, 1 + number % 3)
                for half, q in (("a", "tone"), ("b", "overall"))
            ]
            errors.extend(ack for ack in stored.save(rater, pair) if not ack.ok)

    threads = [threading.Thread(target=work, args=(rater,)) for rater in ("ana", "ben")]
    for thread in threads:
        thread.start()
    try:
        copies = [stored.store.backup(tmp_path / f"copy-{number}.sqlite") for number in range(8)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == []
    for copy in copies:
        assert integrity(copy) == "ok"
        ids = [each for each in stored_ids(copy) if each[-2:] in ("-a", "-b")]
        assert sorted(each[:-2] for each in ids[::2]) == sorted(each[:-2] for each in ids[1::2])
        assert {each[:-1] + "a" for each in ids} <= set(ids)
        assert {each[:-1] + "b" for each in ids} <= set(ids)
    assert not list(tmp_path.glob("*.partial"))


def test_a_backup_replaces_nothing_and_says_where_it_cannot_go(store, tmp_path):
    there = tmp_path / "there.sqlite"
    there.write_text("precious")
    with pytest.raises(RoundError, match="exists already, and a backup replaces nothing"):
        store.backup(there)
    with pytest.raises(RoundError, match="is no folder"):
        store.backup(tmp_path / "nowhere" / "copy.sqlite")
    assert there.read_text() == "precious"
    with pytest.raises(RoundError, match="exists already"):
        store.backup(store.path)


def test_a_folder_gets_a_copy_of_the_same_name(store, tmp_path):
    (tmp_path / "safe").mkdir()
    assert store.backup(tmp_path / "safe") == tmp_path / "safe" / "raterbook.sqlite"
