"""Questions that depend on another answer: what is asked, whoever answers and in which order."""

import pytest

from raterbook.rounds import Event


@pytest.fixture
def now(stored):
    """What ana says now about q0/a: question → value."""
    ref = next(item.ref for item in stored.items() if item.key == "q0/a")

    def read():
        return {
            question: answer.value
            for (subject, _, question), answer in stored.current("ana").items()
            if subject == ref
        }

    return read


def save(stored, *said, **more):
    events = [Event(None, "q0/a", question, value, **more) for question, value in said]
    return stored.save("ana", events)


def test_an_answer_to_a_question_that_is_not_asked_is_refused_with_the_condition(stored, now):
    ok, refused = save(stored, ("label", "yes"), ("why_not", "so"))
    assert ok.ok
    assert refused.reason == (
        "so answers “why_not”, which is asked only if Label is no; ana gave yes to label. Leave it "
        "empty, or correct label."
    )
    assert not save(stored, ("why_not", "so"))[0].ok
    assert now() == {"label": "yes"}


def test_in_one_message_the_order_does_not_matter(stored, now):
    assert all(ack.ok for ack in save(stored, ("why_not", "so"), ("label", "no")))
    assert now() == {"label": "no", "why_not": "so"}


def test_what_arrives_before_the_answer_it_rests_on_is_kept_until_that_is_there(stored, now):
    """A message was lost, and comes again after the next one."""
    assert save(stored, ("why_not", "so"))[0].ok
    assert save(stored, ("label", "no"))[0].ok
    assert now() == {"label": "no", "why_not": "so"}


@pytest.mark.parametrize("label", ["yes", None])
def test_a_correction_withdraws_what_is_not_asked_any_more(stored, now, label):
    save(stored, ("label", "no"), ("why_not", "so"))
    status = "answered" if label else "retracted"
    assert save(stored, ("label", label), status=status)[0].ok
    assert now() == ({"label": "yes"} if label else {})
    assert save(stored, ("label", "no"), ("why_not", "so"))[1].ok
    assert now() == {"label": "no", "why_not": "so"}


def test_a_late_answer_that_is_overtaken_is_history_and_withdraws_nothing(stored, now, say):
    save(stored, ("label", "no"), ("why_not", "so"), lamport=5)
    assert say("ana", "q0/a", "label", "yes", lamport=4).ok
    assert now() == {"label": "no", "why_not": "so"}


def test_a_refused_answer_sent_twice_is_refused_twice_and_one_sent_before_does_not_stand(stored):
    again = Event("e1", "q0/a", "why_not", "so")
    events = [Event("e0", "q0/a", "label", "yes"), again, again]
    events.append(Event("e2", "q0/a", "why_not", "or so"))
    assert [ack.ok for ack in stored.save("ana", events)] == [True, False, False, False]
    assert "why_not" not in set(stored.frame(texts=True)["question"])


def test_other_raters_and_other_items_are_left_alone(stored, say):
    say("ben", "q0/a", "label", "no")
    say("ben", "q0/a", "why_not", "so")
    say("ana", "q0/b", "label", "no")
    say("ana", "q0/b", "why_not", "so")
    say("ana", "q0/a", "label", "yes")
    assert list(stored.frame(texts=True)["question"]).count("why_not") == 2


def test_a_models_reply_comes_whole_so_that_nothing_in_it_rests_on_what_is_not_there(stored):
    stored.add_rater("robot", "model")
    (ack,) = stored.save("robot", [Event("r1", "q0/a", "why_not", "so")])
    assert "no answer to label" in ack.reason
    rests = [Event("r2", "q0/a", "label", "no"), Event("r3", "q0/a", "why_not", "so")]
    assert all(ack.ok for ack in stored.save("robot", rests))
