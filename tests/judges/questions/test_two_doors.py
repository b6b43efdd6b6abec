"""`raterbook questions` and `raterbook judge` read one reply as one answer, and count its cost."""

import json

import pytest

from raterbook.judges import judge
from raterbook.judges.clients.model import Reply
from raterbook.judges.questions import questions
from raterbook.rounds import PartRow

ONE = ("s1", "reference one", {"m1": "text one"})
TWO = [PartRow("s1", 1, "Who came?"), PartRow("s1", 2, "When was it?")]
SAID = "<Unanswerable> because the text is silent"


def as_questions(*said):
    return json.dumps(
        {"answers": [{"number": number, "answer": one} for number, one in enumerate(said, start=1)]}
    )


def as_judge(*said):
    return json.dumps(
        {
            "parts": [
                {
                    "part": number,
                    "generated_answer": {"reasoning": "", "answer": one},
                    "reference_answer": {"reasoning": "", "answer": one},
                }
                for number, one in enumerate(said, start=1)
            ]
        }
    )


def by_questions(stored, *said):
    questions(stored, "by-questions", lambda messages: as_questions(*said), steps="generated")
    return answers(stored, "by-questions")


def by_judge(stored, *said):
    judge(stored, lambda messages: as_judge(*said), "by-judge")
    return answers(stored, "by-judge")


def answers(stored, rater):
    (item,) = stored.items()
    return [
        (found.status, found.value)
        for (ref, part, question), found in sorted(stored.current(rater).items())
        if (ref, question) == (item.ref, "generated_answer")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "in May",
        SAID,
        "＜unanswerable＞",
        "cannot be determined",
        " two  spaces ",
        "a\u0000b",
        "\ud800c",
    ],
)
def test_one_answer_is_stored_alike_whoever_asked_for_it(opened, said):
    stored = opened(ONE, parts=TWO)
    assert by_judge(stored, "Ana", said) == by_questions(stored, "Ana", said)


def test_unanswerable_with_a_reason_behind_it_is_unanswerable_at_every_door(opened):
    stored = opened(ONE, parts=TWO)
    stored.add_rater("ana")
    from raterbook.rounds import Event

    assert all(
        ack.ok
        for ack in stored.save(
            "ana", [Event(None, "s1/m1", "generated_answer", SAID, part) for part in (1, 2)]
        )
    )
    unanswerable = ("answered", "<Unanswerable>")
    assert answers(stored, "ana") == by_judge(stored, SAID, SAID) == [unanswerable] * 2


def test_a_reply_that_had_to_be_asked_for_twice_costs_both(opened):
    def second_time_good(good):
        replies = iter([Reply("no idea", cost=0.01), Reply(good, cost=0.02)])
        return lambda messages: next(replies)

    done = questions(
        opened(ONE, parts=TWO), "m", second_time_good(as_questions("a", "b")), steps="generated"
    )
    assert done.frame()["cost"].sum() == pytest.approx(done.spent) == pytest.approx(0.03)


def test_two_replies_that_both_failed_cost_both(opened):
    done = questions(
        opened(ONE, parts=TWO), "m", lambda messages: Reply("no idea", cost=0.01), steps="generated"
    )
    assert done.frame()["cost"].sum() == pytest.approx(done.spent) == pytest.approx(0.02)


def test_one_blank_answer_of_a_reply_leaves_the_others_at_either_door(opened):
    stored = opened(ONE, parts=TWO)
    assert by_judge(stored, "Ana", "") == by_questions(stored, "Ana", "")


def test_an_empty_text_answers_nothing_at_either_door_and_nobody_is_asked(opened):
    stored = opened(("s1", "reference one", {"m1": " "}), parts=TWO)
    seen = []

    def model(messages):
        seen.append(messages[1]["content"])
        return as_judge("Ana", "in May")

    judge(stored, model, "by-judge")
    assert seen
    assert all("reference one" in user for user in seen)
    unanswerable = ("answered", "<Unanswerable>")
    assert answers(stored, "by-judge") == by_questions(stored) == [unanswerable] * 2
