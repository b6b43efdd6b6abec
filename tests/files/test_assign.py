"""A plan set or widened after opening: what somebody began stays theirs, the rest is dealt anew."""

from collections import Counter

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.rounds import Event, RoundError

from .test_one_rule import PROTOCOL

ITEMS = pd.DataFrame([{"id": f"i{number}", "model": "m", "text": "x"} for number in range(12)])
PEOPLE = ("ana", "ben", "eve", "zoe")


@pytest.fixture
def place(tmp_path):
    return Workspace(tmp_path)


def plan(round, names=PEOPLE):
    return {name: {item.case for item in round.queue(name)} for name in names}


def raters_of_items(round, names=PEOPLE):
    return Counter(item for items in plan(round, names).values() for item in items)


def say(round, rater, *items):
    key_of = {item.case: item.key for item in round.items()}
    for item in items:
        (ack,) = round.save(rater, [Event(None, key_of[item], "tone", 4)])
        assert ack.ok, ack


def assign(round, *words):
    return main(["--workspace", str(round.workspace.path), "assign", round.name, *words])


def test_what_somebody_began_stays_and_every_item_has_its_two(place):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE)
    say(round, "ana", *(f"i{number}" for number in range(9)))
    round.assign(2)
    assert set(raters_of_items(round).values()) == {2}
    assert plan(round)["ana"] >= {f"i{number}" for number in range(9)}
    loads = [len(items) for name, items in plan(round).items() if name != "ana"]
    assert max(loads) - min(loads) <= 1


def test_an_item_begun_by_more_than_it_is_to_have_keeps_them_all(place, capsys):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE)
    for name in ("ana", "ben", "eve"):
        say(round, name, "i3")
    assert assign(round, "--per-item", "1") == 0
    assert "1 item had been begun by more people already" in capsys.readouterr().out
    assert raters_of_items(round) == {**{f"i{n}": 1 for n in range(12)}, "i3": 3}


def test_a_wider_plan_only_adds(place):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE, per_item=2)
    before = plan(round)
    changed = round.assign(3)
    assert all(plan(round)[name] >= before[name] for name in PEOPLE)
    assert changed.withdrawn == ()
    assert len(changed.given) == 12
    assert set(raters_of_items(round).values()) == {3}


def test_a_narrower_plan_gives_nobody_anything_new(place):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE, per_item=3)
    before = plan(round)
    round.assign(1)
    assert all(plan(round)[name] <= before[name] for name in PEOPLE)
    assert set(raters_of_items(round).values()) == {1}


def test_the_same_round_is_planned_alike_wherever_it_lies(tmp_path):
    plans = []
    for name in ("one", "other"):
        round = Workspace(tmp_path / name).open("r", PROTOCOL, ITEMS, raters=PEOPLE, seed=5)
        say(round, "eve", "i2", "i5")
        round.assign(2)
        plans.append(plan(round))
    assert plans[0] == plans[1]


def test_further_raters_get_items_by_the_plan(place, capsys):
    round = place.open("r", PROTOCOL, ITEMS, raters=("ana", "ben"), per_item=2)
    assert assign(round, "--raters", "eve,zoe", "--per-item", "3", "--why", "too few") == 0
    assert set(raters_of_items(round).values()) == {3}
    assert len(plan(round)["eve"]) == len(plan(round)["zoe"]) == 6
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "r: 3 raters for each item."
    assert said[1].split() == ["rater", "items", "new", "taken", "back", "begun"]
    assert said[4].split() == ["eve", "6", "6", "0", "0"]
    assert round.log()[-1]["reason"] == "too few"


def test_a_dry_run_says_what_would_change_and_changes_nothing(place, capsys):
    round = place.open("r", PROTOCOL, ITEMS, raters=("ana", "ben"))
    before, log = plan(round, ("ana", "ben")), round.log()
    assert assign(round, "--per-item", "1", "--raters", "eve", "--dry-run") == 0
    said = capsys.readouterr().out
    assert said.startswith("r: 1 rater for each item, if it were done.\n")
    assert "Nothing was changed" in said
    fresh = place.round("r")
    assert (plan(fresh, ("ana", "ben")), fresh.log()) == (before, log)
    assert [rater.name for rater in fresh.raters()] == ["ana", "ben"]
    assert fresh.per_item is None
    dry = [line.split() for line in said.splitlines()[2:5]]
    assert assign(round, "--per-item", "1", "--raters", "eve") == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[2:5]] == dry


def test_items_that_come_later_follow_the_plan_that_was_set(place):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE)
    round.assign(2)
    from raterbook.files import read_items

    later = pd.DataFrame([{"id": "i99", "model": "m", "text": "y"}])
    place.round("r").add_items(read_items(later, PROTOCOL))
    assert raters_of_items(round)["i99"] == 2


def test_an_excluded_rater_is_given_nothing_and_keeps_the_answers(place):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE)
    say(round, "zoe", "i0")
    round.exclude("zoe", "straight-lined")
    round.assign(2)
    assert set(raters_of_items(round, PEOPLE[:3]).values()) == {2}
    assert len(round.frame(excluded=True)) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--per-item", "5"), "5 raters per item need at least 5 raters, and there are 4. Add"),
        (("--per-item", "0"), "0 raters per item is not a plan. Use 1 or more."),
        ((), "Say how many raters an item is to have, or name further raters."),
        (("--raters", "Ana"), "Ana and ana are spelt like one rater"),
        (("--raters", "bot"), "Rater bot is known here with kind model, not human"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_and_nothing_is_changed(place, capsys, words, said):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE)
    round.add_rater("bot", kind="model")
    before, log = plan(round), round.log()
    assert assign(round, *words) == 2
    assert said in capsys.readouterr().err
    assert (plan(round), round.log()) == (before, log)


def test_a_closed_round_is_not_planned_anew(place):
    round = place.open("r", PROTOCOL, ITEMS, raters=PEOPLE)
    round.close()
    with pytest.raises(RoundError, match=r"r was closed on .* nothing was assigned"):
        round.assign(2)


def test_a_round_that_nobody_rates_asks_for_people(place):
    round = place.open("r", PROTOCOL, ITEMS)
    with pytest.raises(RoundError, match="r has nobody to give items to: name people"):
        round.assign(1)


def test_the_command_that_import_prints_ends_what_is_missing(place, capsys):
    round = place.open("r", PROTOCOL, ITEMS)
    rows = [
        {"item": f"i{n}", "rater": f"worker {(n + turn) % 12}", "question": "tone", "value": "4"}
        for n in range(12)
        for turn in range(3)
    ]
    said = str(round.add(pd.DataFrame(rows)))
    command = said.splitlines()[-1].partition("raterbook ")[2]
    assert round.status()["missing"] > 0
    assert main(["--workspace", str(place.path), *command.split()]) == 0
    assert round.status()["missing"] == 0


def test_import_offers_a_plan_where_each_item_has_three_of_five(place):
    round = place.open("r", PROTOCOL, ITEMS)
    rows = [
        {"item": f"i{n}", "rater": "abcde"[(n + turn) % 5], "question": "tone", "value": "4"}
        for n in range(12)
        for turn in range(3)
    ]
    said = str(round.add(pd.DataFrame(rows)))
    assert "raterbook assign r --per-item 3" in said


def test_import_offers_none_while_people_are_still_at_it(place):
    round = place.open("r", PROTOCOL, ITEMS)
    rows = [
        {"item": f"i{n}", "rater": who, "question": "tone", "value": "4"}
        for who, done in (("a", 12), ("b", 9), ("c", 5))
        for n in range(done)
    ]
    assert "raterbook assign" not in str(round.add(pd.DataFrame(rows)))


def test_an_answer_that_was_under_way_when_its_item_went_is_stored(place):
    round = place.open("r", PROTOCOL, ITEMS, raters=("ana", "ben"))
    form = round.form("ana")
    form.answer({"kind": "open", "tab": "t"})
    refs = {item.key: item.ref for item in round.items()}
    round.assign(1)
    (gone, *_) = set(refs) - {item.key for item in round.queue("ana")}
    event = {"event_id": "e1", "subject": refs[gone], "question": "tone", "value": 4, "lamport": 1}
    (ack,) = form.answer({"kind": "save", "tab": "t", "events": [event]})["acks"]
    form.close()
    assert ack["ok"], ack
    assert round.frame()["item"].tolist() == [gone]


def test_further_raters_for_whom_nothing_is_left_are_told_how_to_get_some(place, capsys):
    round = place.open("r", PROTOCOL, ITEMS, raters=("ana", "ben"), per_item=1)
    assert assign(round, "--raters", "eve") == 0
    assert "a larger --per-item gives out more" in capsys.readouterr().out
    assert [rater.name for rater in round.raters()] == ["ana", "ben", "eve"]
