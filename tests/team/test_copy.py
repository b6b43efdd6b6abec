"""A workspace moves between a file and a server whole, and both sides are compared."""

import pytest
from sqlalchemy import insert

from raterbook.cli import run
from raterbook.rounds import Event, RoundError, Store
from raterbook.rounds.store import backup, schema
from raterbook.workspace import Workspace
from tests.conftest import ROOT
from tests.server import with_schema
from tests.team.study import with_team

ITEMS = ROOT / "data" / "samples" / "halo-support" / "items.csv"


@pytest.fixture
def filled(tmp_path):
    """A file with answers of every kind, a mark, a closed round and somebody erased."""
    place = Workspace(tmp_path)
    round = place.open("r1", "halo-support", ITEMS, raters=["ana", "ben", "cem"], sample=4)
    for rater in ("ana", "ben"):
        for number, item in enumerate(round.queue(rater)):
            events = [Event(f"{rater}{number}", item.ref, "label", "SUPPORTED", client_time=1e9)]
            assert round.save(rater, events)[0].ok
            round.mark(rater, item.ref, "flag", f"m{rater}{number}", "odd – “so”")
    place.store.replies.put("k", "text", cost=0.1)
    place.store.erase("cem")
    round.close("enough")
    return place.store


@pytest.fixture
def empty(cluster):
    return cluster.address(cluster.like("made", with_schema))


def whole(store):
    with store.read() as connection:
        return backup.fingerprints(connection)


def test_there_and_back_again_is_the_same(filled, empty, tmp_path, capsys):
    assert run(["copy", str(filled.path), empty]) == 0
    back = tmp_path / "back.sqlite"
    assert run(["copy", empty, str(back)]) == 0
    assert "rows of 20 tables are in" in capsys.readouterr().out
    assert whole(Store(back)) == whole(Store(empty)) == whole(filled)


def test_a_copied_round_goes_on_where_it_was(filled, empty):
    backup.copy_workspace(filled, Store(empty))
    there, here = Store(empty).round("r1"), filled.round("r1")
    assert there.data_hash() == here.data_hash()
    there.reopen()
    first = there.queue("ana")[0]
    (ack,) = there.save("ana", [Event("new", first.ref, "label", "CONTRADICTED")])
    assert (ack.ok, ack.revision) == (True, 2)
    (again,) = there.save("ana", [Event("ana0", first.ref, "label", "SUPPORTED")])
    assert (again.ok, again.revision) == (True, 1)  # what was acknowledged before is known there


def test_a_copied_round_opens_for_raters_by_its_steps(filled, cluster):
    name = cluster.like("made", with_schema)
    backup.copy_workspace(filled, Store(cluster.address(name)))
    rules = cluster.sql("SELECT kind, name FROM raterbook.rule", name)
    assert ("submit", "") in rules
    assert any(kind == "shown" for kind, _ in rules)


@pytest.mark.parametrize("kind", ["file", "server"])
def test_what_holds_anything_is_not_copied_over(filled, empty, tmp_path, capsys, kind):
    target = empty if kind == "server" else str(tmp_path / "other.sqlite")
    Store(target).replies.put("k", "kept")
    before = whole(Store(target))
    assert run(["copy", str(filled.path), target]) == 2
    assert "replaces nothing" in capsys.readouterr().err
    assert whole(Store(target)) == before


def test_a_copy_that_differs_is_none(filled, empty, monkeypatch):
    kept = backup.insert
    lost = lambda table: kept(table) if table is not schema.mark_event else _none(table)  # noqa: E731
    monkeypatch.setattr(backup, "insert", lost)
    target = Store(empty)
    with pytest.raises(RoundError, match="mark_event has 8 rows there and 0 here"):
        backup.copy_workspace(filled, target)
    assert target.rounds() == []


def _none(table):
    """An insert of nothing."""
    from sqlalchemy import literal, select

    nothing = select(*(literal(None) for _ in table.c)).where(literal(False))
    return insert(table).from_select([c.name for c in table.c], nothing)


def test_a_rater_s_part_is_no_copy(cluster, tmp_path, capsys):
    address = cluster.address(with_team(cluster), "ana")
    assert run(["copy", address, str(tmp_path / "all.sqlite")]) == 2
    assert "this needs all of it: let a lead do it" in capsys.readouterr().err
    assert not (tmp_path / "all.sqlite").exists()


def test_a_backup_of_a_server_is_a_file(filled, empty, tmp_path, capsys):
    backup.copy_workspace(filled, Store(empty))
    assert run(["--db", empty, "backup", str(tmp_path / "safe.sqlite")]) == 0
    assert whole(Store(tmp_path / "safe.sqlite")) == whole(filled)


def test_a_history_is_held_against_one_on_a_server(filled, empty, capsys):
    backup.copy_workspace(filled, Store(empty))
    assert run(["--db", str(filled.path), "verify", "--against", empty]) == 0
    assert "Both have the same" in capsys.readouterr().out


def test_a_server_that_is_no_copy_is_told_without_its_password(filled, capsys):
    away = "postgresql://ana:hush-hush@127.0.0.1:1/study"
    assert run(["--db", str(filled.path), "verify", "--against", away]) == 2
    said = capsys.readouterr().err
    assert "ana@127.0.0.1:1/study cannot be reached" in said
    assert "hush-hush" not in said
