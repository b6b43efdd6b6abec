"""The widget: whom it refuses, what it says in a saved notebook, and that threads may call it."""

import json
import threading

import pytest

from raterbook.rating import Form
from raterbook.rounds import RoundError
from tests.rating.conftest import HALO


def test_a_stranger_is_refused_with_the_names_of_the_raters(halo):
    with pytest.raises(RoundError, match=r"'eve' is not a rater of round-01 \(raters: .*ana"):
        Form(halo, "eve")


def test_an_automatic_rater_gets_no_form(halo):
    with pytest.raises(RoundError, match="automatic: the form is for people"):
        Form(halo, "auto")


def test_an_excluded_rater_is_refused_with_the_reason(open_round):
    round = open_round("halo-support", HALO, raters=("ana", "ben"))
    round.exclude("ben", "answered at random")
    with pytest.raises(RoundError, match="answered at random"):
        Form(round, "ben")


def test_a_bare_round_cannot_be_rated(open_round):
    round = open_round("halo-support", HALO, bare=True)
    with pytest.raises(RoundError, match="without the texts"):
        Form(round, "ana")


def test_a_closed_round_rejects_answers_and_says_how_to_go_on(halo, browser):
    ana = browser(halo)
    ana.say("open")
    halo.close()
    ack = ana.answer(halo.queue("ana")[0].ref, "label", "SUPPORTED")
    assert not ack["ok"]
    assert "reopen" in ack["reason"]


def test_a_rater_without_items_is_told_so(open_round, browser):
    round = open_round("halo-support", HALO[:1], raters=("ana",))
    round.add_rater("zoe")
    zoe = browser(round, "zoe")
    zoe.say("open")
    said = zoe.say("item")
    assert said["kind"] == "item" or "zoe has no items" in said["text"]


def test_a_saved_notebook_says_what_to_do_where_the_form_was(halo, browser):
    form = browser(halo).form
    assert repr(form).startswith("The rating form. Run this cell")


def test_messages_may_come_on_any_thread(halo, browser):
    ana = browser(halo)
    ana.say("open")
    refs = [item.ref for item in halo.queue("ana")]
    results = []

    def answer(number):
        event = {
            "event_id": f"t{number}",
            "subject": refs[number % 4],
            "question": "notes",
            "value": f"note {number}",
            "status": "answered",
            "lamport": number,
        }
        message = {"kind": "save", "tab": "t", "events": [event]}
        results.extend(ana.form.answer(message)["acks"])

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ack["ok"] for ack in results] == [True] * 40
    values = {answer.value for answer in halo.current("ana").values()}
    assert values == {"note 36", "note 37", "note 38", "note 39"}


def test_answers_a_rater_downloaded_are_taken_in_once_and_only_for_that_rater(
    halo, browser, tmp_path
):
    ana = browser(halo)
    ana.say("open")
    refs = [item.ref for item in halo.queue("ana")]
    answers = [ana.event(ref, "label", "SUPPORTED") for ref in refs[:3]]
    answers.append(ana.event(refs[3], "label", "MAYBE", rejected="no option"))
    file = tmp_path / "unsaved-round-01-ana.json"
    file.write_text(json.dumps({"round": "round-01", "rater": "ana", "answers": answers}))
    for _ in range(2):
        said = ana.form.add_unsaved(file)
        assert said.startswith("3 answers are in the store, 1 were refused: ")
        assert len(halo.current("ana")) == 3
    file.write_text(json.dumps({"round": "round-01", "rater": "ben", "answers": []}))
    with pytest.raises(RoundError, match="answers of ben in round-01"):
        ana.form.add_unsaved(file)
