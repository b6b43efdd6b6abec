"""One call writes and answers a round's questions; no request holds both texts."""

import json

import pytest

from raterbook.judges.clients.model import Reply, Stop
from raterbook.judges.questions import answer, generate, questions, writers
from raterbook.rounds import Event, PartRow

ONE = ("s1", "reference one", {"m1": "text one of m1", "m2": "text one of m2"})
TWO = ("s2", "reference two", {"m1": "text two of m1", "m2": "text two of m2"})
ASKED = {
    "reference one": ["Who came?", "When was it?"],
    "reference two": ["Where was it?"],
}
SAID = {
    "reference one": {"Who came?": "Ana", "When was it?": "in May"},
    "reference two": {"Where was it?": "Oslo"},
    "text one of m1": {"Who came?": "Ana", "When was it?": "无法推断"},
    "text one of m2": {"Who came?": "Ben", "When was it?": "May"},
    "text two of m1": {"Where was it?": "<Unanswerable>"},
    "text two of m2": {"Where was it?": "  Oslo \n city "},
}


@pytest.fixture
def model(scripted):
    return scripted(ASKED, SAID)


def values(stored, rater, question):
    return {
        (row["item"] if isinstance(row["item"], str) else row["case"], row["part"]): row["value"]
        for row in stored.frame().to_dict("records")
        if row["rater"] == rater and row["question"] == question and row["status"] == "answered"
    }


def test_one_call_writes_checks_and_answers_everything(opened, model):
    stored = opened(ONE, TWO)
    done = questions(stored, "scripted-1", model)
    assert done.complete
    assert (done.written, done.answers, done.requests) == (3, 3 + 3 + 6, 2 + 2 + 2 + 4)
    assert done.counts == {
        "write": {"ok": 2},
        "check": {"ok": 2},
        "reference": {"ok": 2},
        "generated": {"ok": 4},
    }
    assert [[part.text for part in case.parts] for case in stored.cases()] == [
        ASKED["reference one"],
        ASKED["reference two"],
    ]
    assert values(stored, "scripted-1", "reference_answer") == {
        ("s1", 1): "Ana",
        ("s1", 2): "in May",
        ("s2", 1): "Oslo",
    }
    assert values(stored, "scripted-1", "generated_answer") == {
        ("s1/m1", 1): "Ana",
        ("s1/m1", 2): "<Unanswerable>",
        ("s1/m2", 1): "Ben",
        ("s1/m2", 2): "May",
        ("s2/m1", 1): "<Unanswerable>",
        ("s2/m2", 1): "Oslo city",
    }
    assert set(values(stored, "scripted-1", "keep").values()) == {"keep"}
    assert [(one.name, one.kind) for one in stored.raters()] == [("scripted-1", "model")]


def test_no_request_holds_more_than_one_text_or_names_a_system(opened, model):
    questions(opened(ONE, TWO), "scripted-1", model)
    for _, user in model.asked:
        assert sum(text in user for text in SAID) == 1
        assert not any(said in user for said in ("Ana", "Oslo", "s1/"))


def test_run_again_it_asks_nothing_and_stores_nothing(opened, model):
    stored = opened(ONE, TWO)
    questions(stored, "scripted-1", model)
    before = (len(model.asked), stored.data_hash())
    again = questions(stored, "scripted-1", model)
    assert (again.total, again.requests, again.answers) == (0, 0, 0)
    assert (len(model.asked), stored.data_hash()) == before


def test_after_an_interruption_it_goes_on_where_it_was(opened, model):
    stored = opened(ONE, TWO)
    calls = []

    def stops_at_five(messages):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return model(messages)

    with pytest.raises(KeyboardInterrupt):
        questions(stored, "scripted-1", stops_at_five)
    assert len(model.asked) == 4
    rest = questions(stored, "scripted-1", model)
    assert rest.complete
    assert rest.written == 0
    assert len(model.asked) == 10
    assert len(values(stored, "scripted-1", "generated_answer")) == 6


def test_replies_are_kept_by_text_model_prompt_and_parameters(opened, model, tmp_path):
    stored, other = opened(ONE), opened(ONE)
    questions(stored, "scripted-1", model)
    asked = len(model.asked)
    same = questions(other, "scripted-1", model)
    assert len(model.asked) == asked
    assert same.frame()["cached"].all()
    assert questions(opened(ONE), "scripted-2", model).requests == asked
    own = tmp_path / "prompts"
    own.mkdir()
    from raterbook.judges.questions.wording import OWN

    text = (OWN / "answer.en.md").read_text(encoding="utf-8")
    (own / "answer.en.md").write_text(text.replace("version: 1", "version: 2"), encoding="utf-8")
    changed = questions(opened(ONE), "scripted-1", model, prompts=own, name="scripted-1-own")
    assert changed.frame().groupby("step")["cached"].all().to_dict() == {
        "write": True,
        "check": True,
        "reference": False,
        "generated": False,
    }


def test_questions_that_are_there_already_are_kept_and_answered(opened, model):
    rows = [PartRow("s1", None, "Who came?")]
    stored = opened(ONE, TWO, parts=rows)
    done = questions(stored, "scripted-1", model)
    assert [len(case.parts) for case in stored.cases()] == [1, 1]
    assert done.written == 1
    assert set(writers(stored)) == {("s2", 1)}
    assert writers(stored)["s2", 1] == "scripted-1 (write.en 1)"


def test_the_halves_can_be_called_apart_and_by_different_models(opened, scripted):
    stored = opened(ONE, TWO)
    writer, answerer = scripted(ASKED), scripted(answers=SAID)
    assert generate(stored, writer, name="writer-1").written == 3
    assert stored.frame().empty
    assert answer(stored, answerer, name="answerer-1", of="reference").answers == 3
    assert answer(stored, answerer, name="answerer-1").answers == 6
    assert set(writer.steps()) == {"write"}
    assert set(answerer.steps()) == {"answer"}
    assert {by.split(" ")[0] for by in writers(stored).values()} == {"writer-1"}


def test_a_reply_with_wrong_numbers_is_asked_once_more_and_then_a_mismatch(opened, model):
    stored = opened(ONE)

    def counts_badly(messages):
        reply = json.loads(model(messages))
        if "answers" in reply and "text one of m1" in messages[1]["content"]:
            reply["answers"] = reply["answers"][:-1]
        return json.dumps(reply)

    done = questions(stored, "scripted-1", counts_badly)
    assert done.counts["generated"] == {"mismatch": 1, "ok": 1}
    assert not done.complete
    assert "no answer under 2" in done.failures()["problem"].iloc[0]
    assert ("s1/m1", 1) not in values(stored, "scripted-1", "generated_answer")
    skipped = stored.frame().query("status == 'skipped'")
    assert len(skipped) == 2
    reasons = {answer.reason for answer in stored.current("scripted-1").values()}
    assert reasons == {None, "mismatch"}
    [failure] = done.failures().to_dict("records")
    del failure["reply"]
    assert failure == {
        "step": "generated",
        "subject": "s1/m1",
        "status": "mismatch",
        "problem": "no answer under 2",
    }


def test_what_failed_is_taken_up_again_by_the_next_run(opened, model):
    stored = opened(ONE)
    assert questions(stored, "scripted-1", lambda messages: "no idea").failed == 1
    stuck = questions(stored, "scripted-1", model)
    assert stuck.failed == 1  # the reply is stored; only fresh asks again
    assert questions(stored, "scripted-1", model, fresh=True).complete


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("I'm sorry, but I can't help with that.", "refused"),
        (Reply(refusal="policy"), "refused"),
        (Reply(error="time-out"), "api_error"),
        (Reply('{"questions": [{"key', finish="length"), "parse_error"),
        ("", "parse_error"),
        ('{"questions": []}', "no_questions"),
        ('{"questions": [{"question": "  "}]}', "no_questions"),
    ],
)
def test_a_failure_to_write_has_its_status_and_leaves_no_questions(opened, reply, status):
    stored = opened(ONE)
    done = questions(stored, "scripted-1", lambda messages: reply)
    assert done.counts == {"write": {status: 1}}
    assert stored.cases()[0].parts == ()
    assert list(done.failures()["status"]) == [status]


def test_a_blank_answer_is_missing_and_not_unanswerable(opened, scripted):
    said = {**SAID, "text one of m1": {"Who came?": " ", "When was it?": "May"}}
    stored = opened(ONE)
    done = questions(stored, "scripted-1", scripted(ASKED, said))
    assert done.counts["generated"] == {"partial": 1, "ok": 1}
    assert ("s1/m1", 1) not in values(stored, "scripted-1", "generated_answer")
    assert values(stored, "scripted-1", "generated_answer")["s1/m1", 2] == "May"


def test_an_empty_generated_text_answers_nothing_and_nobody_is_asked(opened, model):
    stored = opened(("s1", "reference one", {"m1": "", "m2": "text one of m2"}))
    questions(stored, "scripted-1", model)
    assert values(stored, "scripted-1", "generated_answer")["s1/m1", 1] == "<Unanswerable>"
    assert len(model.asked) == 1 + 1 + 1 + 1


def test_an_answer_changed_by_a_later_run_is_a_revision(opened, scripted, model):
    stored = opened(ONE)
    questions(stored, "scripted-1", model)
    later = {**SAID, "text one of m1": {"Who came?": "Cem", "When was it?": "无法推断"}}
    done = questions(stored, "scripted-1", scripted(ASKED, later), fresh=True)
    assert done.answers == 1
    [ref] = [item.ref for item in stored.items() if item.key == "s1/m1"]
    assert stored.current("scripted-1")[ref, 1, "generated_answer"].revision == 2


def test_peoples_answers_stand_beside_the_models(opened, model):
    stored = opened(ONE, raters=["ana"])
    generate(stored, model, name="scripted-1")
    acks = stored.save("ana", [Event(None, "s1", "reference_answer", "Ana Berg", part=1)])
    assert acks[0].ok
    assert questions(stored, "scripted-1", model).complete
    assert set(stored.frame()["rater"]) == {"ana", "scripted-1"}


def test_a_run_ends_when_its_budget_is_used_up(opened, scripted):
    def dear(messages):
        return Reply(scripted(ASKED, SAID)(messages), cost=0.4, tokens_in=10, tokens_out=10)

    stored = opened(ONE, TWO)
    done = questions(stored, "dear-1", dear, budget=1.0, prices={"dear-1": (1.0, 1.0)})
    assert done.stopped == "the budget is used up"
    assert done.requests == 3
    assert "1.2000 USD" in str(done)


def test_a_wrong_key_ends_the_run_and_says_so(opened):
    def locked(messages):
        raise Stop("the server did not accept the key")

    done = questions(opened(ONE, TWO), "scripted-1", locked)
    assert done.requests == 1
    assert "did not accept the key" in str(done)
    assert not done.complete


def test_nothing_is_printed_in_a_pipe(opened, model, capsys):
    questions(opened(ONE), "scripted-1", model)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "Say who writes and answers"),
        ({"ask": print, "base_url": "http://x"}, "Name one source"),
        ({"ask": print, "steps": "write,guess"}, "steps: guess; choose among write, check"),
        ({"ask": print, "most": 0}, "use 1 or more"),
        ({"ask": print, "items": ["s9"]}, "has no item 's9'"),
        ({"ask": print, "language": "fr"}, "choose auto, en or zh"),
    ],
)
def test_a_wrong_request_says_what_to_do(opened, how, message):
    with pytest.raises(ValueError, match=message):
        questions(opened(ONE), **how)


def test_a_protocol_without_questions_to_generate_is_refused(tmp_path):
    from raterbook.protocols import load
    from raterbook.rounds import ItemTable, Store

    protocol = load("halo-support")
    names = [*protocol.item.key, protocol.item.case, *protocol.item.fields]
    record = {name: "SUPPORTED" if "label" in name else "1" for name in names}
    table = ItemTable.from_records(protocol, [record])
    stored = Store(tmp_path / "r.sqlite").open("h", protocol, table)
    with pytest.raises(ValueError, match="has no questions to generate"):
        questions(stored, rules=True)
    stored.store.dispose()


def test_chosen_items_are_all_that_is_asked_about(opened, model):
    stored = opened(ONE, TWO)
    questions(stored, "scripted-1", model, items=["s1/m2"])
    assert [len(case.parts) for case in stored.cases()] == [2, 0]
    assert set(values(stored, "scripted-1", "generated_answer")) == {("s1/m2", 1), ("s1/m2", 2)}
