"""A rehearsal: what is written is checked as ever, and nothing of it stays."""

import sqlite3
import threading

import pytest

from raterbook import Workspace
from raterbook.rounds import Event, RoundError
from tests.conftest import ROOT

ITEMS = ROOT / "data" / "samples" / "halo-support" / "items.csv"


@pytest.fixture
def stored(tmp_path):
    return Workspace(tmp_path).open("round-01", "halo-support", ITEMS, raters=["ana"], sample=4)


def dump(stored):
    connection = sqlite3.connect(stored.store.path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def file_of(stored, label):
    file = stored.workspace.path / "ratings.csv"
    key = stored.items()[0].key
    file.write_text(f"item,rater,question,value\n{key},ben,label,{label}\n", encoding="utf-8")
    return file


def test_a_rehearsed_file_leaves_the_database_as_it_was(stored):
    before = dump(stored)
    assert stored.rehearse(file_of(stored, "SUPPORTED")).added == 1
    assert dump(stored) == before
    assert stored.add(file_of(stored, "SUPPORTED")).added == 1  # the control
    assert dump(stored) != before


def test_a_rehearsal_that_is_refused_ends_like_any(stored):
    with pytest.raises(RoundError, match="row 2"):
        stored.rehearse(file_of(stored, "PERHAPS"))
    assert stored.add(file_of(stored, "SUPPORTED")).added == 1
    assert len(stored.answers().query("rater == 'ben'")) == 1


def test_what_raters_save_meanwhile_stays(stored):
    item = stored.queue("ana")[0]

    def save():
        saved.extend(stored.save("ana", [Event("e1", item.ref, "label", "SUPPORTED")]))

    saved = []
    with stored.store.rehearsal():
        rater = threading.Thread(target=save)
        rater.start()
        rater.join()
        stored.add_rater("eva")
    assert saved[0].ok
    assert len(stored.current("ana")) == 1
    assert [one.name for one in stored.raters()] == ["ana", "auto"]
