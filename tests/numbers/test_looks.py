"""Declared looks of a round: what is hidden until when, what is said, and what a peek costs."""

import json
import random
import re
import uuid
from pathlib import Path

import jsonschema
import pytest

import raterbook.reporting
from raterbook import Workspace
from raterbook.analysis.looks import Looks
from raterbook.cli import main
from raterbook.numbers.compute import numbers
from raterbook.reporting.explore import Explore
from raterbook.rounds import Event, RoundError
from raterbook.rounds.looks import shares_of
from tests.reporting.rounds import page_of, records, words_of

PEOPLE = ("ana", "ben")
WORDS = re.compile(r"κ|α of|agree on|target at least|: met|: missed")


@pytest.fixture
def opened(tmp_path):
    """opened(looks=4) is a round of 40 items of halo-support for two people."""
    import pandas as pd

    def opened(items=40, protocol="halo-support", raters=PEOPLE, **plan):
        rows = pd.DataFrame(records(protocol, items))
        return Workspace(tmp_path).open("r1", protocol, rows, raters=raters, **plan)

    return opened


def rate(stored, share, off=0.1, raters=PEOPLE):
    """Everybody answers so much of the queue; `off` is how often it is not SUPPORTED."""
    for rater in raters:
        queue, done = stored.queued(rater), stored.current(rater)
        rng = random.Random(rater)
        labels = ["SUPPORTED" if rng.random() > off else "NO EVIDENCE" for _ in queue]
        events = [
            Event(uuid.uuid4().hex, each.ref, "label", label)
            for each, label in list(zip(queue, labels))[: round(share * len(queue))]
            if (each.ref, 0, "label") not in done
        ]
        assert all(ack.ok for ack in stored.save(rater, events))


def run(stored, capsys, *words):
    at = ["--workspace", str(stored.workspace.path), "--db", stored.workspace.db]
    status = main([*at, *words])
    told = capsys.readouterr()
    return status, told.out + told.err


# Declaring


@pytest.mark.parametrize(
    ("said", "shares"),
    [
        (4, (0.25, 0.5, 0.75, 1)),
        ("2", (0.5, 1)),
        ("25%,50%", (0.25, 0.5, 1)),
        (".3, .6,1", (0.3, 0.6, 1)),
        ("100%", (1,)),
        ([0.2, 0.9], (0.2, 0.9, 1)),
    ],
)
def test_looks_are_a_number_or_shares_and_the_end_is_one(said, shares):
    assert shares_of(said) == shares


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("50%,25%", "later than the one before"),
        ("50%,50%", "later than the one before"),
        ("0%,50%", "above 0"),
        ("25,50", "at most 100%"),
        ("half", "'half' is no share"),
        ("0", "declare 1 to 20"),
        (21, "declare 1 to 20"),
        ("", "'' is no share"),
        ("nan", "'nan' is no share"),
        ("²", "'²' is no share"),
        ("9" * 5000, "at most 100%"),
        ([float("nan")], "above 0"),
    ],
)
def test_what_are_no_looks_is_refused_and_no_round_is_opened(opened, tmp_path, said, why):
    with pytest.raises(RoundError, match=re.escape(why)):
        opened(looks=said)
    assert Workspace(tmp_path).rounds() == []


def test_looks_can_be_declared_until_the_first_answer_and_stand_in_the_log(opened, capsys):
    stored = opened()
    assert stored.looks() is None
    status, said = run(stored, capsys, "looks", "r1", "25%,100%")
    assert status == 0
    assert "look 1 of 2 comes at 25 %" in said
    assert "at    25 %  spent under .0001  intervals cover 99.999 %" in said
    rate(stored, 0.1)
    status, said = run(stored, capsys, "looks", "r1", "4")
    assert status == 2
    assert "looks are declared before the first one" in said
    assert stored.looks().declared == (0.25, 1)
    assert [e["shares"] for e in stored.log() if e["action"] == "looks"] == [[0.25, 1]]


def test_labels_that_came_with_the_items_are_no_answer(opened):
    stored = opened()  # each has an automatic label
    assert stored.declare_looks(2) == (0.5, 1)


def test_the_command_opens_a_round_with_looks(tmp_path, capsys, root):
    items = root / "data" / "samples" / "halo-support" / "items.csv"
    words = ["open", "r1", "--protocol", "halo-support", "--items", str(items), "--looks", "4"]
    assert main(["--workspace", str(tmp_path), *words, "--raters", "ana,ben"]) == 0
    assert "look 1 of 4 comes at 25 %; 0 of 200 planned ratings" in capsys.readouterr().out


# Hidden until then


def test_until_the_first_look_nothing_says_how_far_people_agree(opened, capsys):
    stored = opened(looks=4)
    rate(stored, 0.2)
    page = words_of(page_of(stored))
    assert "hidden until look 1 of 4, at 25 % of the planned ratings: 16 of 80" in page
    assert not WORDS.search(page)
    found = numbers(stored)
    assert [row["statistic"] for row in found.rows] == ["completeness"]
    assert {target["reason"] for target in found.targets} == {"hidden_until_a_look"}
    for words in (["status", "r1"], ["check", "r1"], ["check", "r1", "--json"]):
        assert not WORDS.search(run(stored, capsys, *words)[1])
    assert "agreement is hidden until then" in run(stored, capsys, "status", "r1")[1]
    assert "look" not in {entry["action"] for entry in stored.log()}


def test_without_declared_looks_an_open_round_shows_its_numbers_as_ever(opened, capsys):
    stored = opened()
    rate(stored, 0.2)
    assert WORDS.search(words_of(page_of(stored)))
    assert "look" not in json.loads(numbers(stored).to_json())
    assert "looks" not in stored.status()


def test_a_gate_stays_shut_while_everything_is_hidden(opened, capsys):
    stored = opened(looks=2)
    rate(stored, 0.2, off=0)
    status, said = run(stored, capsys, "check", "r1", "--require", "percent_match>=.1")
    assert status == 1
    assert "hidden until look 1 of 2" in said
    assert json.loads(run(stored, capsys, "check", "r1", "--json")[1])["passed"] is False


@pytest.mark.parametrize(
    "look",
    [
        lambda stored: stored.ratings("label"),
        lambda stored: stored.forecast(),
        lambda stored: stored.compare("auto"),
        lambda stored: Explore(stored).distributions(),
    ],
    ids=["ratings", "plan", "compare", "explore"],
)
def test_every_other_door_is_shut_until_then(opened, look):
    stored = opened(looks=2)
    rate(stored, 0.2)
    with pytest.raises(RoundError, match="hidden until look 1 of 2"):
        look(stored)


def test_what_is_in_dispute_is_not_in_the_status_before_the_end(opened):
    stored = opened(looks=2)
    stored.add_rater("eva", "adjudicator")
    rate(stored, 0.5, off=0.5)
    assert stored.status()["undecided"]
    assert "undecided" not in str(stored.status())
    stored.close()
    assert "undecided" in str(stored.status())


def test_disputes_are_listed_to_be_settled_and_not_counted_before_the_end(opened, capsys):
    stored = opened(looks=2)
    rate(stored, 0.5, off=0.5)
    for count in (False, True):
        assert main(["--db", str(stored.store.path), "disputes", stored.name]) == 0
        said, *listed = capsys.readouterr().out.splitlines()
        assert listed
        assert any(letter.isdigit() for letter in said.removeprefix(stored.name)) == count
        stored.close()


# At a look


def test_a_look_shows_its_answers_until_the_next_one_is_due(opened):
    stored = opened(looks=2)
    rate(stored, 0.5)
    at_look = numbers(stored)
    assert (at_look.look["number"], at_look.look["complete"]) == (1, 40)
    rate(stored, 0.7)
    later = numbers(stored)
    assert later.get("percent_match") == at_look.get("percent_match")
    assert "By now 56 of 80 are complete" in later.look["sentence"]
    assert [e["number"] for e in stored.log() if e["action"] == "look"] == [1]
    rate(stored, 1)
    assert numbers(stored).look["number"] == 2
    now, before = (each.get("percent_match")["n_items"] for each in (numbers(stored), at_look))
    assert now > before


def test_the_intervals_of_a_look_are_as_wide_as_its_level_asks(opened):
    stored = opened(looks=4)
    rate(stored, 0.5, off=0.4)
    found = numbers(stored)  # the second is due, the first was passed unseen
    assert found.look["number"] == 2
    assert found.look["spent"] == pytest.approx(0.00305, abs=1e-5)
    assert found.parameters["coverage"] == pytest.approx(1 - found.look["level"])
    plain = stored.workspace.open("r2", "halo-support", frame_of_items(40), raters=PEOPLE)
    events = stored.frame()
    for rater in PEOPLE:
        own = events[events["rater"] == rater]
        answers = [
            Event(uuid.uuid4().hex, each.item, "label", str(each.value))
            for each in own.itertuples()
        ]
        assert all(ack.ok for ack in plain.save(rater, answers))
    wide, usual = (each.get("percent_match") for each in (found, numbers(plain)))
    assert wide["estimate"] == usual["estimate"]
    assert wide["low"] < usual["low"] < usual["high"] < wide["high"]


def test_a_target_that_is_far_off_stops_the_round_and_one_that_is_near_does_not(opened):
    near = opened(looks=2)
    rate(near, 0.5, off=0.15)
    assert numbers(near).look["decision"] == "go on"
    assert "Go on: " in words_of(page_of(near))
    far = near.workspace.open("far", "halo-support", frame_of_items(60), raters=PEOPLE, looks=2)
    rate(far, 0.5, off=1)
    found = numbers(far, questions=["label"])
    missed = [t["verdict"] for t in found.targets if t["name"].startswith("Match")]
    assert missed == ["missed"]


def frame_of_items(many):
    import pandas as pd

    return pd.DataFrame(records("halo-support", many))


def test_systems_that_differ_stop_a_round_without_targets(tmp_path):
    import pandas as pd

    rows = [row | {"model": model} for row in records("neureg-qa", 30) for model in ("a", "b")]
    place = Workspace(tmp_path)
    stored = place.open("r1", "neureg-qa", pd.DataFrame(rows), raters=PEOPLE, looks="90%")
    keys = {item.ref: item.key for item in stored.items()}
    rng = random.Random(3)
    for rater in PEOPLE:
        events = [
            Event(uuid.uuid4().hex, each.ref, question, rng.choice(marks[keys[each.ref][-1]]))
            for each in stored.queued(rater)
            for question in ("relevance", "accuracy", "completeness", "fluency", "kg_alignment")
            for marks in [{"a": (4, 5), "b": (1, 2)}]
        ]
        assert all(ack.ok for ack in stored.save(rater, events))
    found = numbers(stored)
    assert found.look["decision"] == "stop"
    assert "Stop: every difference of two systems is decided." in found.look["sentence"]


def test_at_the_end_everything_is_shown_and_a_round_closed_early_spends_no_more_than_its_share(
    opened,
):
    stored = opened(looks=4)
    rate(stored, 0.6)
    stored.close()
    found = numbers(stored)
    assert found.look["at_end"]
    assert found.look["spent"] == pytest.approx(0.00762, abs=1e-5)  # of .05, at 60 %
    assert numbers(stored).look == found.look
    assert [e["at_end"] for e in stored.log() if e["action"] == "look"] == [True]


def test_the_end_with_nothing_new_is_the_last_look_again(opened):
    stored = opened(looks=2)
    rate(stored, 1)
    level = numbers(stored).look["level"]
    stored.close()
    assert numbers(stored).look["level"] == level


def test_reopened_after_it_was_seen_a_round_was_looked_at_undeclared(opened):
    stored = opened(looks=2)
    rate(stored, 0.2)
    stored.close()
    numbers(stored)
    stored.reopen()
    assert stored.looks().undeclared == 1
    assert not stored.looks().hidden


# A peek


def test_a_peek_shows_everything_is_recorded_and_stands_on_the_page(opened, capsys):
    stored = opened(looks=4)
    rate(stored, 0.2)
    _, said = run(stored, capsys, "check", "r1", "--now", "--why", "the board asked")
    assert "A look that was not declared (the board asked), at 16 of 80" in said
    (entry,) = [e for e in stored.log() if e["action"] == "look"]
    assert (entry["number"], entry["reason"]) == (None, "the board asked")
    rate(stored, 0.5)
    page = words_of(page_of(stored))
    assert "Look 2 of 4, at 40 of 80" in page
    assert "Of 2 looks taken 1 had not been declared" in page


def test_every_peek_leaves_less_for_the_looks_that_were_declared(opened):
    still = opened(looks=2)
    nosy = still.workspace.open("r2", "halo-support", frame_of_items(40), raters=PEOPLE, looks=2)
    for share in (0.3, 0.4, 0.5):
        for stored in (still, nosy):
            rate(stored, share)
        if share < 0.5:
            nosy.peek()
    assert numbers(nosy).look["level"] < numbers(still).look["level"]


def test_a_peek_at_a_round_that_hides_nothing_says_so(opened, capsys, monkeypatch):
    stored = opened()
    rate(stored, 1)
    monkeypatch.setattr(raterbook.reporting, "build", lambda *a, **k: [])
    assert (
        "declared no looks, so nothing is hidden" in run(stored, capsys, "report", "r1", "--now")[1]
    )


def test_a_bootstrap_too_small_for_a_look_is_refused(opened):
    stored = opened(looks=4)
    rate(stored, 0.5)
    with pytest.raises(ValueError, match=r"2,000 draws carry no interval of 99\.6949 %"):
        numbers(stored, interval="bootstrap")


# The files


SCHEMA = json.loads(
    (Path(raterbook.reporting.__file__).parent / "numbers.schema.json").read_text("utf-8")
)


@pytest.mark.parametrize("share", [0.1, 0.5, 1])
def test_numbers_json_says_which_look_it_is_of(opened, share):
    stored = opened(looks=2)
    rate(stored, share)
    document = json.loads(numbers(stored).to_json())
    jsonschema.validate(document, SCHEMA)
    assert document["look"]["hidden"] == (share < 0.5)


def test_at_a_look_persons_are_tested_at_its_level_on_one_side(tmp_path):
    rows = records("neureg-qa", 60)
    import pandas as pd

    raters = ("ana", "ben", "cai")
    stored = Workspace(tmp_path).open("r1", "neureg-qa", pd.DataFrame(rows), raters=raters, looks=2)
    stored.add_rater("gauge", "model")
    asked = ("relevance", "accuracy", "completeness", "fluency", "kg_alignment")
    rng = random.Random(1)
    truth = {item.key: rng.choice((2, 3, 4)) for item in stored.items()}
    for rater in (*raters, "gauge"):
        items = [item for item in stored.items() if item.key < "i036" or rater == "gauge"]
        events = [
            Event(uuid.uuid4().hex, item.ref, question, truth[item.key] + rng.choice((0, 0, 0, 1)))
            for item in items
            for question in asked
        ]
        assert all(ack.ok for ack in stored.save(rater, events))
    found = stored.compare("gauge")
    level = Looks((0.6,), sides=1).levels[0]
    assert found.coverage == pytest.approx(1 - Looks((0.6,)).levels[0])
    assert f"Persons are tested at {level:.3g}." in found.notes[-1]
