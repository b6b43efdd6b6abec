"""Answers: saved once each, corrected by new events, read back as what holds now."""

import math
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from raterbook.rounds import Event, RoundError, Store


def value(stored, rater, subject, question, part=0):
    ref = next(item.ref for item in stored.items() if item.key == subject)
    found = stored.current(rater).get((ref, part, question))
    return None if found is None else found.value


def test_a_correction_is_a_new_revision_and_the_first_answer_stays_in_the_store(stored, say):
    assert say("ana", "q0/a", "tone", 2).revision == 1
    assert say("ana", "q0/a", "tone", 3).revision == 2
    assert value(stored, "ana", "q0/a", "tone") == 3
    status = stored.status()
    assert status["events"] - status["answers"] == 1


def test_the_same_event_twice_is_one_answer(stored):
    event = Event("e1", "q0/a", "tone", 2)
    first, again = stored.save("ana", [event])[0], stored.save("ana", [event, event])
    assert all(ack.ok and ack.revision == first.revision == 1 for ack in again)
    assert len(stored.frame().query("rater == 'ana'")) == 1


def test_an_event_id_used_for_another_answer_is_rejected_and_says_so(stored):
    stored.save("ana", [Event("e1", "q0/a", "tone", 2)])
    (ack,) = stored.save("ana", [Event("e1", "q0/a", "tone", 3)])
    assert not ack.ok
    assert "already belongs to another answer" in ack.reason
    assert value(stored, "ana", "q0/a", "tone") == 2


def test_two_raters_and_two_rounds_may_use_one_event_id(store, stored, protocol, table):
    other = store.open("round-02", protocol, table, raters=["ana"])
    for round_, rater in ((stored, "ana"), (stored, "ben"), (other, "ana")):
        assert round_.save(rater, [Event("e1", "q0/a", "tone", 2)])[0].ok


def test_a_late_retry_never_overrides_a_newer_answer(stored, say):
    say("ana", "q0/a", "tone", 3, lamport=5)
    assert say("ana", "q0/a", "tone", 1, lamport=4).revision == 1
    assert value(stored, "ana", "q0/a", "tone") == 3


def test_of_two_clients_at_one_count_the_later_arrival_holds(stored, say):
    say("ana", "q0/a", "tone", 1, lamport=5)
    assert say("ana", "q0/a", "tone", 2, lamport=5).revision == 2
    assert value(stored, "ana", "q0/a", "tone") == 2


def test_an_answer_without_a_counter_comes_after_everything_stored(stored, say):
    say("ana", "q0/a", "tone", 1, lamport=50)
    assert say("ana", "q0/a", "tone", 2).lamport == 51


def test_a_clock_going_backwards_changes_no_order(place, protocol, table):
    hours = iter(range(10_000, 0, -1))
    store = Store(place("backwards"), clock=lambda: next(hours) * 3600.0)
    stored = store.open("r", protocol, table, raters=["ana"])
    for number, tone in enumerate((1, 2, 3)):
        stored.save("ana", [Event(f"e{number}", "q0/a", "tone", tone, client_time=9e8 - number)])
    assert value(stored, "ana", "q0/a", "tone") == 3


def test_a_retracted_answer_is_gone_until_it_is_given_again(stored, say):
    say("ana", "q0/a", "tone", 2)
    say("ana", "q0/a", "tone", status="retracted")
    assert value(stored, "ana", "q0/a", "tone") is None
    assert "ana" not in set(stored.frame()["rater"])
    say("ana", "q0/a", "tone", 2)
    assert value(stored, "ana", "q0/a", "tone") == 2


@pytest.mark.parametrize("status", ["skipped", "not_applicable"])
def test_skipping_and_not_applicable_are_kept_with_their_reason(stored, say, status):
    say("ana", "q0/a", "tone", status=status, reason="no_kg")
    row = stored.frame(reasons=True).query("rater == 'ana'").iloc[0]
    assert (row["status"], row["reason"]) == (status, "no_kg")
    assert math.isnan(row["number"])


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event("e", "q0/a", "tone", 4), "outside 1–3"),
        (Event("e", "q0/a", "tone", 2.5), "not a whole number"),
        (Event("e", "q0/a", "label", "maybe"), "not one of yes, no"),
        (Event("e", "q0/a", "ton", 1), "it asks tone, tone_comment, label, why_not, overall"),
        (Event("e", "q9/a", "tone", 1), "there is no item 'q9/a'"),
        (Event("e", "q0", "tone", 1), "'q0' names 2 items"),
        (Event("e", "q0/a", "tone", 1, part=1), "asked about the whole"),
        (Event("e", "q0/a", "correct", "right"), "say which"),
        (Event("e", "q0/a", "correct", "right", part=3), "there is no part 3"),
        (Event("e", "q0/a", "tone", None), "empty"),
        (Event("e", "q0/a", "tone", 1, status="done"), "answered, not_applicable, skipped, retr"),
        (Event("e", "q0/a", "tone", 1, status="skipped"), "leave one out"),
        (Event("e", "q0/a", "tone", 1, confidence=101), "from 0 to 100"),
        (Event("e", "q0/a", "tone", 1, seconds=-1), "outside 0"),
        (Event("e", "q0/a", "tone", 1, seconds=math.nan), "not a number"),
        (Event("e", "q0/a", "tone", 1, lamport=-1), "whole number"),
        (Event("e", "q0/a", "tone", 1, lamport=2**60), "whole number"),
        (Event("e", "q0/a", "tone", 1, replicate=0), "whole number"),
        (Event("e", "q0/a", "tone", 1, client_time="noon"), "is not a time"),
        (Event("e", "q0/a", "why_not", "a\x00b"), "NUL"),
    ],
)
def test_what_cannot_be_stored_is_rejected_with_the_reason_and_nothing_else_is(
    stored, event, words
):
    good = Event("good", "q0/b", "tone", 1)
    bad, fine = stored.save("ana", [event, good])
    assert not bad.ok
    assert words in bad.reason
    assert fine.ok
    assert len(stored.frame(texts=True).query("rater == 'ana'")) == 1


def test_answers_to_questions_of_the_case_go_to_the_case_whoever_is_named(stored, say):
    say("ana", "q0/a", "reference", "42")
    assert say("ana", "q0", "reference", "43").revision == 2
    (row,) = stored.frame().query("question == 'reference'").to_dict("records")
    assert (row["case"], row["value"]) == ("q0", "43")
    assert pd.isna(row["item"])


def test_a_rater_nobody_knows_is_refused_with_the_known_names(stored):
    with pytest.raises(RoundError, match="'eve' is no rater of round-01: its raters are ana, ben"):
        stored.save("eve", [Event("e", "q0/a", "tone", 1)])


def test_threads_may_save_at_once_through_one_round(stored):
    items = [item.ref for item in stored.items()]

    def rate(number):
        events = [Event(f"{number}-{ref}", ref, "tone", 1 + number % 3) for ref in items]
        return [ack.ok for event in events for ack in stored.save("ana", [event])]

    with ThreadPoolExecutor(8) as pool:
        assert all(ok for done in pool.map(rate, range(16)) for ok in done)
    frame = stored.frame().query("rater == 'ana'")
    assert frame["revision"].tolist() == [16] * len(items)


def test_both_times_are_kept(stored, say):
    say("ana", "q0/a", "tone", 1, client_time="2024-06-01T12:00:00+02:00", seconds=3.5)
    row = stored.frame().query("rater == 'ana'").iloc[0]
    assert row["answered_at"].isoformat() == "2024-06-01T10:00:00+00:00"
    assert row["seconds"] == 3.5
