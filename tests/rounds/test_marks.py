"""Marks: flags and submissions are events, each once, the latest counts."""

import pytest

from raterbook.rounds import Store
from tests.rounds.test_migrations import KEPT, restored


def complete(say, rater="ana", item="q0/a"):
    say(rater, item, "tone", 3)
    for part in (1, 2):
        say(rater, item, "correct", "right", part=part)


def test_a_flag_stands_with_its_reason_until_it_is_taken_back(stored):
    ref = stored.items()[0].ref
    assert stored.mark("ana", ref, "flag", "m1", reason="text is cut").ok
    mark = stored.marks("ana")[ref]
    assert (mark.flagged, mark.reason, mark.submitted) == (True, "text is cut", False)
    assert stored.marks("ben") == {}
    stored.mark("ana", ref, "unflag", "m2")
    assert not stored.marks("ana")[ref].flagged


def test_the_same_mark_twice_is_one_and_a_late_retry_changes_nothing(stored):
    ref = stored.items()[0].ref
    first = stored.mark("ana", ref, "flag", "m1")
    stored.mark("ana", ref, "unflag", "m2")
    assert stored.mark("ana", ref, "flag", "m1") == first
    assert not stored.marks("ana")[ref].flagged
    assert not stored.mark("ana", ref, "submit", "m1").ok


def test_marks_are_ordered_by_their_counter(stored):
    ref = stored.items()[0].ref
    stored.mark("ana", ref, "flag", "m1", lamport=9)
    stored.mark("ana", ref, "unflag", "m2", lamport=3)
    assert stored.marks("ana")[ref].flagged


def test_a_submission_that_was_taken_back_before_it_came_need_not_be_complete_any_more(stored, say):
    complete(say)
    ref = stored.items()[0].ref
    stored.mark("ana", ref, "unsubmit", "m2", lamport=12)
    say("ana", ref, "tone", status="retracted")
    assert stored.mark("ana", ref, "submit", "m1", lamport=11).ok
    assert not stored.marks("ana")[ref].submitted
    assert "tone" in stored.mark("ana", ref, "submit", "m3", lamport=13).reason


def test_a_mark_without_a_counter_comes_after_those_with_one_and_before_the_next(stored):
    ref = stored.items()[0].ref
    assert stored.mark("ana", ref, "flag", "m1", lamport=1_717_243_200_000).ok
    stored.mark("ana", ref, "unflag", "m2")  # from a cell of the notebook
    assert not stored.marks("ana")[ref].flagged
    stored.mark("ana", ref, "flag", "m3", lamport=stored.counter("ana") + 1)
    assert stored.marks("ana")[ref].flagged


def test_the_count_goes_on_above_answers_marks_and_what_was_taken_back(stored, say):
    assert stored.counter("ana") == 0
    say("ana", "q0/a", "tone", 3, lamport=5)
    say("ana", "q0/a", "tone", status="retracted", lamport=7)
    say("ana", "q0/a", "tone", 2, replicate=2, lamport=8)
    assert stored.counter("ana") == 8
    stored.mark("ana", "q0/b", "flag", "m1", lamport=9)
    assert stored.counter("ana") == 9
    assert stored.counter("ben") == 0


@pytest.mark.parametrize("fixture", KEPT, ids=lambda path: path.stem)
def test_marks_of_old_databases_stand_until_one_that_counts_on_from_them(fixture, tmp_path):
    old = Store(restored(fixture, tmp_path / "old.sqlite")).round("round-01")
    ref = old.items()[0].ref
    assert old.marks("ana")[ref].flagged
    assert old.mark("ana", ref, "unflag", "new", lamport=old.counter("ana") + 1).ok
    assert not old.marks("ana")[ref].flagged


def test_an_incomplete_item_cannot_be_submitted_and_what_is_missing_is_named(stored, say):
    say("ana", "q0/a", "tone", 1)
    say("ana", "q0/a", "correct", "right", part=1)
    ack = stored.mark("ana", "q0/a", "submit", "m1")
    assert not ack.ok
    assert ack.reason == "not complete yet: “tone_comment”; “correct” of part 2"
    assert not stored.marks("ana")


def test_what_cannot_be_judged_is_submitted_open_and_counts_as_missing(stored, say):
    complete(say)
    say("ana", "q0/a", "tone", status="skipped", reason="It breaks off.")
    assert stored.mark("ana", "q0/a", "submit", "m1").ok
    ana = stored.status()["raters"][0]
    assert (ana["submitted"], ana["complete"]) == (1, 0)
    (held,) = [answer for answer in stored.current("ana").values() if answer.status == "skipped"]
    assert held.reason == "It breaks off."
    before = ana["missing"]
    say("ana", "q0/a", "tone", status="not_applicable", reason="no_kg")
    assert stored.mark("ana", "q0/a", "submit", "m2").ok
    assert stored.status()["raters"][0]["missing"] == before - 1


def test_a_submission_can_be_taken_back(stored, say):
    complete(say)
    ref = stored.items()[0].ref
    stored.mark("ana", ref, "submit", "m1", client_time="2024-06-01T12:00:00Z")
    assert stored.marks("ana")[ref].submitted_at == "2024-06-01T12:00:00Z"
    stored.mark("ana", ref, "unsubmit", "m2")
    assert not stored.marks("ana")[ref].submitted


@pytest.mark.parametrize(
    ("kind", "subject", "words"),
    [("flagg", "q0/a", "is not one of flag, unflag, submit"), ("flag", "q9", "there is no item")],
)
def test_what_cannot_be_marked_says_why(stored, kind, subject, words):
    ack = stored.mark("ana", subject, kind, "m1")
    assert not ack.ok
    assert words in ack.reason


def test_notes_on_an_item_all_come_back_oldest_first(stored):
    ref = stored.items()[0].ref
    stored.mark("ana", ref, "note", "m1", reason="first")
    stored.mark("ana", ref, "note", "m2", reason="second")
    stored.mark("ana", ref, "note", "m2", reason="second")
    assert stored.marks("ana")[ref].notes == ("first", "second")
    assert stored.marks("ben") == {}
