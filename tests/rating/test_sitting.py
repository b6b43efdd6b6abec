"""What the form is handed, and what becomes of what it sends."""

import json

import pytest

from raterbook.protocols import UNANSWERABLE
from raterbook.rounds import Round

ON_EVERY_STORE = True


def item(browser, **which):
    return browser.say("item", **which)["item"]


def test_an_answer_is_acknowledged_and_is_in_the_store(halo, browser):
    ana = browser(halo)
    ana.say("open")
    page = item(ana)
    ack = ana.answer(page["ref"], "label", "SUPPORTED")
    assert ack == {"event_id": "e1", "ok": True, "reason": None}
    ((key, answer),) = halo.current("ana").items()
    assert (key, answer.value) == ((page["ref"], 0, "label"), "SUPPORTED")


def test_a_retry_is_acknowledged_and_stored_once(halo, browser):
    ana = browser(halo)
    ana.say("open")
    event = ana.event(item(ana)["ref"], "label", "SUPPORTED")
    assert [ack["ok"] for ack in ana.save([event]) + ana.save([event])] == [True, True]
    (answer,) = halo.current("ana").values()
    assert answer.revision == 1


def test_a_value_outside_the_scale_is_rejected_with_the_reason_and_the_rest_is_stored(
    halo, browser
):
    ana = browser(halo)
    ana.say("open")
    ref = item(ana)["ref"]
    events = [ana.event(ref, "label", "MAYBE"), ana.event(ref, "notes", "Hm.")]
    bad, good = ana.save(events)
    assert not bad["ok"]
    assert "CONTRADICTED" in bad["reason"]
    assert good["ok"]


def test_events_about_other_raters_items_or_none_are_rejected(open_round, browser):
    from tests.rating.conftest import HALO

    round = open_round("halo-support", HALO, raters=("ana", "ben"), per_item=1)
    ana = browser(round)
    ana.say("open")
    theirs = {one.ref for one in round.queue("ben")} - {one.ref for one in round.queue("ana")}
    acks = [ana.answer(ref, "label", "SUPPORTED") for ref in (*theirs, "nonsense", None)]
    assert [ack["ok"] for ack in acks] == [False] * len(acks)
    assert round.current("ben") == {}


def test_malformed_messages_break_nothing(halo, browser):
    ana = browser(halo)
    ana.say("open")
    assert ana.say("dance")["kind"] == "say"
    assert ana.say("save", events="none")["kind"] == "trouble"
    ref = item(ana)["ref"]
    odd = [
        {},
        {"event_id": 5},
        {"event_id": "x", "subject": ref, "question": ["label"]},
        ana.event(ref, "label", {"a": 1}),
        ana.event(ref, "label", "SUPPORTED", part="one"),
        ana.event(ref, "label", "SUPPORTED", lamport="first"),
        ana.event(ref, "label", "SUPPORTED", seconds="long"),
        "a string",
        None,
        {**ana.marking("flag", ref), "lamport": "1"},
        ana.marking("wave", ref),
    ]
    acks = ana.save(odd)
    assert [ack["ok"] for ack in acks] == [False] * len(odd)
    assert all(ack["reason"] for ack in acks)
    assert halo.current("ana") == {}
    assert halo.marks("ana") == {}
    assert ana.form.answer("not a message") is None


def test_work_goes_on_in_the_item_answered_last_and_then_in_the_next_unfinished(halo, browser):
    ana = browser(halo)
    ana.say("open")
    refs = [one.ref for one in halo.queue("ana")]
    ana.answer(refs[2], "notes", "Began here.")
    assert item(browser(halo), position=1)["ref"] == refs[0]
    assert item(ana)["ref"] == refs[2]
    ana.answer(refs[2], "label", "SUPPORTED")
    assert ana.mark("submit", refs[2])["ok"]
    assert item(ana, ref=refs[2], unfinished=True)["ref"] == refs[3]
    assert item(ana, ref=refs[3], step=1)["ref"] == refs[3]
    assert item(ana, ref=refs[3], step=-1)["ref"] == refs[2]


def test_an_incomplete_item_is_not_submitted_and_the_reason_names_what_is_missing(halo, browser):
    ana = browser(halo)
    ana.say("open")
    ack = ana.mark("submit", item(ana)["ref"])
    assert not ack["ok"]
    assert "label" in ack["reason"]


def test_what_is_shown_afterwards_comes_after_submission_and_only_when_asked_for(halo, browser):
    ana = browser(halo)
    ana.say("open")
    ref = item(ana)["ref"]
    assert not ana.mark("reveal", ref)["ok"] or item(ana, ref=ref)["after"] is None
    ana.answer(ref, "label", "SUPPORTED")
    ana.mark("submit", ref)
    ana.mark("reveal", ref)
    (held,) = item(ana, ref=ref)["after"]
    assert held["text"].startswith("gold-")


def test_flags_and_marked_evidence_reach_the_store_with_their_reasons(halo, browser):
    ana = browser(halo)
    ana.say("open")
    ref = item(ana)["ref"]
    assert ana.mark("flag", ref, "The context is cut off.")["ok"]
    assert item(ana, ref=ref)["flagged"]
    assert halo.marks("ana")[ref].reason == "The context is cut off."
    assert ana.mark("unflag", ref)["ok"]
    assert not item(ana, ref=ref)["flagged"]


def last_to_come(monkeypatch):
    """A store that lets the mark that came last stand."""
    mark = Round.mark
    monkeypatch.setattr(
        Round, "mark", lambda *said, lamport, **more: mark(*said, lamport=None, **more)
    )


@pytest.mark.parametrize("kept", [True, False], ids=["counted", "control: as they come"])
@pytest.mark.parametrize(("kind", "back"), [("flag", "unflag"), ("submit", "unsubmit")])
def test_a_mark_whose_first_message_was_lost_does_not_stand_over_its_taking_back(
    halo, browser, kind, back, kept, monkeypatch
):
    if not kept:
        last_to_come(monkeypatch)
    ana = browser(halo)
    ana.say("open")
    ref = item(ana)["ref"]
    ana.answer(ref, "label", "SUPPORTED")
    first, second = ana.marking(kind, ref), ana.marking(back, ref)
    for event in (second, first, first):
        assert ana.save([event])[0]["ok"]
    page = item(ana, ref=ref)
    assert page[{"flag": "flagged", "submit": "submitted"}[kind]] is not kept


def test_a_browser_is_told_to_look_again_when_a_later_mark_was_there_before_its_own(halo, browser):
    ana = browser(halo)
    ana.say("open")
    ref = item(ana)["ref"]
    flag, unflag = ana.marking("flag", ref), ana.marking("unflag", ref)
    assert [ana.say("save", events=[one])["reload"] for one in (unflag, flag)] == [False, True]
    assert ana.say("save", events=[ana.marking("flag", ref)])["reload"] is False


def test_a_browser_new_to_the_rater_counts_on_from_all_that_was_said(halo, browser):
    """Whatever its clock says: marks and what was taken back are in the count as answers are."""
    assert browser(halo).say("item")["lamport"] == 0
    ref = halo.queue("ana")[0].ref
    for kind in ("flag", "unflag", "flag", "unflag", "flag"):
        assert halo.mark("ana", ref, kind).ok  # counted by the store, as before browsers did
    ana = browser(halo)
    ana.count = ana.say("item")["lamport"]
    assert ana.mark("unflag", ref)["ok"]
    assert not item(ana, ref=ref)["flagged"]
    ana.answer(ref, "label", "SUPPORTED")
    ana.save([ana.event(ref, "label", None, status="retracted")])
    said = ana.say("item", ref=ref)
    assert said["item"]["answers"] == []
    assert said["lamport"] == browser(halo).say("item")["lamport"] == ana.count == 8


def test_evidence_is_gone_when_taken_back_in_whatever_order_the_two_notes_came(halo, browser):
    ana = browser(halo)
    ana.say("open")
    ref = item(ana)["ref"]
    first, second = ({"field": "context", "start": 0, "end": end, "quote": "x"} for end in (3, 5))
    for place in (first, second, second):
        ana.mark("note", ref, json.dumps({"evidence": place}))
    assert item(ana, ref=ref)["evidence"] == [first, second, second]
    ana.mark("note", ref, json.dumps({"evidence": second, "taken_back": True}))
    assert item(ana, ref=ref)["evidence"] == [first, second]
    other = item(ana, ref=ref, step=1)["ref"]
    ana.mark("note", other, json.dumps({"evidence": first, "taken_back": True}))
    ana.mark("note", other, json.dumps({"evidence": first}))
    assert item(ana, ref=other)["evidence"] == []


def test_a_note_that_is_no_evidence_breaks_nothing(halo, browser):
    ana = browser(halo)
    ana.say("open")
    ref = item(ana)["ref"]
    for note in ("words", "5", "[]", '{"evidence": 5}', '{"evidence": {"field": ["context"]}}'):
        assert ana.mark("note", ref, note)["ok"]
    assert item(ana, ref=ref)["evidence"] == []


def test_a_case_is_shown_by_its_reference_alone_until_its_questions_are_answered(
    questeval, browser
):
    ana = browser(questeval)
    ana.say("open")
    page = item(ana)
    assert set(page["fields"]) == {"ground_truth"}
    for part in (1, 2):
        ana.answer(page["case"], "keep", "keep", part)
        assert "generated" not in item(ana, ref=page["ref"])["fields"]
        ana.answer(page["case"], "reference_answer", "1862", part)
    assert set(item(ana, ref=page["ref"])["fields"]) == {"ground_truth", "generated"}


def test_before_its_questions_are_written_a_case_shows_its_reference_alone(open_round, browser):
    from tests.rating.conftest import QUESTEVAL

    ana = browser(open_round("rag-questeval", QUESTEVAL))
    ana.say("open")
    assert set(item(ana)["fields"]) == {"ground_truth"}


def test_answers_about_the_case_come_back_with_its_other_item(questeval, browser):
    ana = browser(questeval)
    ana.say("open")
    first = item(ana)
    ana.answer(first["case"], "reference_answer", UNANSWERABLE, 1)
    second = item(ana, ref=first["ref"], step=1)
    assert second["case"] == first["case"]
    (answer,) = second["answers"]
    assert (answer["question"], answer["value"]) == ("reference_answer", UNANSWERABLE)
