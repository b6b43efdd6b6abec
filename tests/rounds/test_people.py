"""Raters: one identity over the workspace, pseudonyms, exclusion, reassignment, forgetting."""

import re

import pytest

from raterbook.rounds import Event, RoundError, Store
from raterbook.rounds.store import database

ON_A_FILE_ONLY = ("test_erasing_a_rater_keeps_the_answers_and_forgets_the_name",)


def test_a_pseudonym_is_stable_over_rounds_and_tells_nothing_of_the_name(
    store, stored, protocol, table
):
    other = store.open("round-02", protocol, table, raters=["ben", "ana"])
    first = {rater.name: rater.pseudonym for rater in stored.raters()}
    assert {rater.name: rater.pseudonym for rater in other.raters()} == first
    assert len(set(first.values())) == len(first)
    assert all(re.fullmatch(r"R-[2-9a-z]{4}", pseudonym) for pseudonym in first.values())


def test_two_workspaces_give_one_name_two_pseudonyms(tmp_path, protocol, table):
    found = {
        Store(tmp_path / f"{name}.sqlite")
        .open("r", protocol, table, raters=["ana"])
        .raters()[0]
        .pseudonym
        for name in "abcd"
    }
    assert len(found) > 1


def test_the_frame_can_have_pseudonyms_for_people_and_names_for_models(stored, say):
    say("ana", "q0/a", "tone", 1)
    stored.add_rater("judge-1", kind="model", version="2024-06")
    say("judge-1", "q0/a", "tone", 2)
    pseudonym = next(r.pseudonym for r in stored.raters() if r.name == "ana")
    names = set(stored.frame(pseudonyms=True)["rater"])
    assert names == {pseudonym, "judge-1", "auto"}


def test_erasing_a_rater_keeps_the_answers_and_forgets_the_name(store, stored, say):
    stored.add_rater("Annegret Unverwechselbar")
    say("Annegret Unverwechselbar", "q0/a", "tone", 3)
    before = stored.frame().drop(columns="rater")
    pseudonym = store.erase("Annegret Unverwechselbar", "asked for it")
    assert stored.frame().drop(columns="rater").equals(before)
    assert pseudonym in set(stored.frame()["rater"])
    store.dispose()
    for file in store.path.parent.iterdir():
        assert b"Unverwechselbar" not in file.read_bytes()
    erased = next(rater for rater in store.raters() if rater.erased)
    assert (erased.name, erased.pseudonym) == (pseudonym, pseudonym)
    assert store.erase(pseudonym) == pseudonym
    with pytest.raises(RoundError, match="was erased and cannot come back"):
        stored.add_rater(pseudonym)


@pytest.mark.parametrize("sound", [True, False])
def test_an_erased_name_is_in_no_file_while_others_have_the_store_open(
    tmp_path, protocol, table, monkeypatch, sound
):
    monkeypatch.setattr(database, "has_sound_wal", lambda: sound)
    store = Store(tmp_path / "r.sqlite")
    store.open("r", protocol, table, raters=["Annegret Unverwechselbar"])
    other = Store(tmp_path / "r.sqlite")
    assert len(other.raters()) == 2
    store.erase("Annegret Unverwechselbar")
    for file in tmp_path.iterdir():
        assert b"Unverwechselbar" not in file.read_bytes(), file.name
    store.dispose()
    other.dispose()


def test_erasing_nobody_names_who_is_there(store, stored):
    with pytest.raises(RoundError, match="There is no rater 'eve' to erase; known: ana, ben, auto"):
        store.erase("eve")


def test_a_name_stays_with_one_kind_and_one_version(stored):
    stored.add_rater("judge-1", kind="model", version="2024-06")
    assert stored.add_rater("judge-1", kind="model", version="2024-06").version == "2024-06"
    with pytest.raises(RoundError, match="known here with version 2024-06, not 2025-01"):
        stored.add_rater("judge-1", kind="model", version="2025-01")
    with pytest.raises(RoundError, match="known here with kind human, not model"):
        stored.add_rater("ana", kind="model")
    with pytest.raises(RoundError, match="choose human, model, automatic, key, adjudicator"):
        stored.add_rater("x", kind="modle")


def test_a_rater_added_later_gets_everything_and_changes_nobodys_order(stored):
    before = {name: [item.key for item in stored.queue(name)] for name in ("ana", "ben")}
    stored.add_rater("cem")
    assert len(stored.queue("cem")) == 6
    assert {name: [item.key for item in stored.queue(name)] for name in before} == before


def test_models_take_every_item_without_a_plan(stored):
    stored.add_rater("judge-1", kind="model")
    assert sorted(item.key for item in stored.queue("judge-1")) == [
        "q0/a",
        "q0/b",
        "q1/a",
        "q1/b",
        "q2/a",
        "q2/b",
    ]


def test_with_too_few_raters_for_k_per_item_the_plan_waits_for_the_rest(store, protocol, table):
    stored = store.open("r", protocol, table, raters=["a"], per_item=2)
    assert stored.queue("a") == []
    stored.add_rater("b")
    assert len(stored.queue("a")) == len(stored.queue("b")) == 6


def test_excluding_needs_a_reason_and_is_in_the_log(stored, say):
    say("ana", "q0/a", "tone", 1)
    with pytest.raises(RoundError, match="Say why ana is excluded"):
        stored.exclude("ana", why=" ")
    stored.exclude("ana", why="straight-lined")
    stored.exclude("ana", why="again")
    assert next(r.excluded for r in stored.raters() if r.name == "ana") == "straight-lined"
    entries = [entry for entry in stored.log() if entry["action"] == "exclude"]
    assert [(entry["rater"], entry["reason"]) for entry in entries] == [("ana", "straight-lined")]
    stored.include("ana", why="a mistake of mine")
    assert next(r.excluded for r in stored.raters() if r.name == "ana") is None


def finish(stored, rater, key):
    events = [Event(f"{key}-tone", key, "tone", 2)]
    events += [Event(f"{key}-{part}", key, "correct", "right", part=part) for part in (1, 2)]
    assert all(ack.ok for ack in stored.save(rater, events))


def test_reassigning_moves_unfinished_work_and_leaves_answers_with_who_gave_them(
    store, protocol, table
):
    stored = store.open("r", protocol, table, raters=["ana", "ben", "cem"], per_item=1, seed=2)
    mine, theirs = ([item.key for item in stored.queue(name)] for name in ("ana", "ben"))
    finish(stored, "ana", mine[0])
    moved = list(stored.reassign("ana", "ben", "on leave").moved)
    assert sorted(moved) == sorted(mine[1:])
    assert [item.key for item in stored.queue("ana")] == mine[:1]
    assert [item.key for item in stored.queue("ben")] == theirs + moved
    assert set(stored.frame().query("rater == 'ana'")["item"]) == {mine[0]}
    entry = stored.log()[-1]
    assert (entry["action"], entry["giver"], entry["taker"], entry["reason"]) == (
        "reassign",
        "ana",
        "ben",
        "on leave",
    )


def test_reassigning_what_the_other_has_already_only_takes_it_away(stored):
    assert stored.reassign("ana", "ben").moved == ()
    assert stored.queue("ana") == []
    assert len(stored.queue("ben")) == 6
    with pytest.raises(RoundError, match="are one rater"):
        stored.reassign("ben", "ben")


def test_an_item_the_other_has_already_stays_where_each_is_to_have_so_many_raters(
    store, protocol, table
):
    stored = store.open("r", protocol, table, raters=["ana", "ben", "cem"], per_item=2, seed=2)
    mine, theirs, third = (
        {item.key for item in stored.queue(name)} for name in ("ana", "ben", "cem")
    )
    assert mine & theirs
    assert mine - theirs
    done = stored.reassign("ana", "ben", "on leave")
    assert set(done.moved) == mine - theirs
    assert set(done.doubled) == mine & theirs == {item.key for item in stored.queue("ana")}
    assert done.kept
    assert done.other == "cem"
    done = stored.reassign("ana", "cem", "on leave")
    assert set(done.moved) == (mine & theirs) - third
    held = [item.key for name in ("ana", "ben", "cem") for item in stored.queue(name)]
    assert {key: held.count(key) for key in held} == dict.fromkeys(held, 2)
