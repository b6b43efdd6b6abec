"""A model as one more rater, for every protocol: what is asked, stored and repeated."""

import asyncio
import json

import pandas as pd
import pytest

from raterbook.judges import account, judge
from raterbook.judges.clients.scripted import reply_to
from raterbook.judges.money import Prices
from raterbook.judges.outcome import JudgeRun
from raterbook.judges.sheets import groups, sheets
from raterbook.rounds import Event

from .conftest import ITEMS
from .standin import Recorder


@pytest.mark.parametrize("protocol", ITEMS)
def test_a_function_answers_every_question_of_every_protocol(protocol, open_round):
    stored = open_round(protocol)
    run = judge(stored, Recorder(), name="stand-in")
    assert run.complete
    assert run.failed == 0
    frame = stored.frame(texts=True)
    frame = frame[frame["rater_kind"] == "model"]
    closed = {q.id for q in stored.protocol.questions if q.type != "text" and q.when is None}
    assert closed <= set(frame["question"])
    assert next(one for one in stored.raters() if one.name == "stand-in").version


def test_a_protocol_nobody_has_seen_needs_no_code(open_round, pairwise):
    items = pd.read_csv(pairwise.with_name("items.csv"), dtype=str).to_dict("records")
    stored, model = open_round(pairwise, items), Recorder()
    run = judge(stored, model, name="stand-in")
    assert run.counts == {"ok": len(items)}
    assert set(stored.frame()["value"]) <= {"A", "B", "tie"}
    assert "Answer A is clearly more useful." in model.prompts[0][0]["content"]
    assert items[0]["topic"] not in model.prompts[0][1]["content"]


def test_a_match_is_asked_only_where_both_answers_are_there(open_round):
    stored = open_round("rag-questeval")
    model = Recorder(generated_answer="<Unanswerable>", reference_answer="France")
    run = judge(stored, model, name="stand-in")
    assert len(run.outcomes) == 1 + 2  # the case, and each system's text
    assert "match" not in set(stored.frame()["question"])


def test_conditions_decide_what_is_stored(open_round):
    def reply(messages):
        parts = [
            {
                "part": 1,
                "accuracy": {"reasoning": "r", "answer": "accurate"},
                "severity": {"reasoning": "r", "answer": "severe"},
            },
            {
                "part": 2,
                "accuracy": {"reasoning": "r", "answer": "disputed"},
                "severity": {"reasoning": "r", "answer": "not_severe"},
            },
        ]
        return json.dumps({"parts": parts})

    stored = open_round("stem-sentences")
    assert judge(stored, reply, name="stand-in").failed == 0
    frame = stored.frame()
    severity = frame[frame["question"] == "severity"]
    assert list(severity["part"]) == [2]


def test_reasoning_is_stored_as_the_comment_it_belongs_to(open_round):
    stored = open_round("feedback-quality")
    judge(stored, Recorder(), name="stand-in", items="a/atlas-2")
    texts = stored.frame(texts=True).set_index("question")["value"]
    for question in ("tone_comment", "overall_reason"):
        assert texts[question] == "“the second part” says so."
    for question in ("evidence", "suggestions"):
        assert texts[question] == "Said in a line."


def test_half_a_per_cent_is_stored_as_what_was_said_and_ends_no_run(open_round):
    stored = open_round("ai-detection")
    run = judge(stored, lambda messages: reply_to(messages, confidence="0.5%"), name="unsure")
    assert run.counts["ok"] == len(stored.items())
    said = stored.frame().query("rater == 'unsure' and question == 'confidence'")
    assert set(said["number"]) == {0.5}


def test_nothing_is_asked_twice(open_round):
    stored, model = open_round("feedback-quality"), Recorder()
    first = judge(stored, model, name="stand-in")
    again = judge(stored, model, name="stand-in")
    assert (first.requests, again.requests, len(model.prompts)) == (2, 0, 2)
    assert again.counts == {"ok": 2}
    assert (stored.frame()["revision"] == 1).all()
    fresh = judge(stored, model, name="stand-in", fresh=True)
    assert fresh.requests == 2


def test_an_answer_given_again_after_another_one_is_what_stands(open_round):
    stored, said = open_round("halo-support"), []
    for label in ("SUPPORTED", "CONTRADICTED", "SUPPORTED", "SUPPORTED"):
        judge(stored, lambda messages, label=label: label, name="stand-in", fresh=True)
        labels = stored.frame().query("question == 'label' and rater == 'stand-in'")
        said += list(zip(labels["value"], labels["revision"]))
    assert said == [("SUPPORTED", 1), ("CONTRADICTED", 2), ("SUPPORTED", 3), ("SUPPORTED", 3)]
    # What follows from stored replies is a repeat.
    judge(stored, lambda messages: "nobody is asked", name="stand-in")
    labels = stored.frame().query("question == 'label' and rater == 'stand-in'")
    assert list(zip(labels["value"], labels["revision"])) == said[-1:]


def test_replicates_are_asked_for_one_by_one_and_stored_as_such(open_round):
    stored, model = open_round("halo-support"), Recorder()
    run = judge(stored, model, name="stand-in", replicates=3)
    assert run.requests == 3
    labels = stored.frame().query("question == 'label' and rater == 'stand-in'")
    assert sorted(labels["replicate"]) == [1, 2, 3]
    assert judge(stored, model, name="stand-in", replicates=3).requests == 0


def test_a_failed_reply_takes_no_earlier_answer_back(open_round):
    stored = open_round("halo-support")
    judge(stored, lambda messages: "SUPPORTED", name="stand-in")
    run = judge(stored, lambda messages: "I must decline.", name="stand-in", fresh=True)
    assert run.counts == {"refused": 1}
    label = stored.frame().query("question == 'label' and rater == 'stand-in'")
    assert list(label["value"]) == ["SUPPORTED"]
    assert list(label["status"]) == ["answered"]


def test_a_better_parser_can_read_old_replies_again(open_round, monkeypatch):
    from raterbook.judges import prompts as running
    from raterbook.judges.replies import Parsed, parse

    stored = open_round("halo-support")
    broken = lambda *_, **__: Parsed("parse_error", problems=("no luck",))  # noqa: E731
    monkeypatch.setattr(running, "parse", broken)
    said = {"calls": 0}

    def model(messages):
        said["calls"] += 1
        return "SUPPORTED"

    assert judge(stored, model, name="stand-in").counts == {"parse_error": 1}
    monkeypatch.setattr(running, "parse", parse)
    before = said["calls"]
    assert judge(stored, model, name="stand-in").counts == {"ok": 1}
    assert said["calls"] == before
    label = stored.frame().query("question == 'label' and rater == 'stand-in'")
    assert list(label["value"]) == ["SUPPORTED"]


def test_a_stored_reply_is_parsed_once_a_version_of_the_parser(open_round, monkeypatch):
    from raterbook.judges import prompts as running
    from raterbook.judges.replies import parse

    read = []

    def counted(text, *given, **how):
        read.append(text)
        return parse(text, *given, **how)

    monkeypatch.setattr(running, "parse", counted)
    stored = open_round("halo-support")
    model = lambda messages: "Label: SUPPORTED\nNotes: \ud800 “as said”"  # noqa: E731
    before = judge(stored, model, name="stand-in")
    again = judge(stored, model, name="stand-in")
    assert len(read) == 1
    assert again.outcomes[0].parsed == before.outcomes[0].parsed
    monkeypatch.setattr(running, "PARSER", running.PARSER + 1)
    judge(stored, model, name="stand-in")
    assert len(read) == 2


def test_replies_are_parsed_off_the_event_loop(open_round, monkeypatch):
    from raterbook.judges import prompts as running
    from raterbook.judges.replies import parse

    loops = []

    def watched(text, *given, **how):
        try:
            loops.append(asyncio.get_running_loop())
        except RuntimeError:
            loops.append(None)
        return parse(text, *given, **how)

    monkeypatch.setattr(running, "parse", watched)
    judge(open_round("halo-support"), lambda messages: "SUPPORTED", name="stand-in")
    assert loops == [None]


def test_one_reask_carries_what_was_wrong(open_round):
    seen = []

    def model(messages):
        seen.append(messages)
        return "MAYBE" if len(seen) == 1 else "SUPPORTED"

    stored = open_round("halo-support")
    assert judge(stored, model, name="stand-in").counts == {"ok": 1}
    assert [one["role"] for one in seen[1]] == ["system", "user", "assistant", "user"]
    assert "'MAYBE' is not one of SUPPORTED, CONTRADICTED, NO EVIDENCE" in seen[1][-1]["content"]


def test_a_function_that_fails_is_recorded_with_what_it_said(open_round):
    def model(messages):
        if "Nice map" in messages[1]["content"]:
            raise RuntimeError("out of memory")
        return None

    stored = open_round("feedback-quality")
    run = judge(stored, model, name="stand-in")
    assert run.counts == {"api_error": 2}
    problems = " ".join(run.failures()["problem"])
    assert "RuntimeError: out of memory" in problems
    assert "the function returned NoneType" in problems
    assert stored.frame().empty


def test_functions_of_a_text_and_coroutines_are_models_too(open_round):
    async def slow(messages):
        return "SUPPORTED"

    def of_text(prompt):
        assert isinstance(prompt, str)
        return "CONTRADICTED"

    stored = open_round("halo-support")
    judge(stored, slow, name="slow")
    judge(stored, of_text, name="text")
    labels = stored.frame().query("question == 'label'").set_index("rater")["value"]
    assert (labels["slow"], labels["text"]) == ("SUPPORTED", "CONTRADICTED")
    with pytest.raises(TypeError, match="int cannot be asked"):
        judge(stored, 5, name="five")


def test_a_run_works_inside_an_event_loop_as_in_a_notebook(open_round):
    import asyncio

    stored = open_round("halo-support")

    async def cell():
        return judge(stored, Recorder(), name="stand-in")

    assert asyncio.run(cell()).counts == {"ok": 1}


def test_rounds_that_cannot_be_judged_say_why(open_round):
    bare = open_round("feedback-quality", name="bare", bare=True)
    with pytest.raises(ValueError, match="opened without its texts"):
        judge(bare, Recorder(), name="m")
    closed = open_round("feedback-quality", name="closed")
    closed.close()
    with pytest.raises(ValueError, match="closed is closed: `raterbook reopen closed`"):
        judge(closed, Recorder(), name="m")
    with pytest.raises(ValueError, match="0 replicates"):
        judge(bare, Recorder(), name="m", replicates=0)
    with pytest.raises(ValueError, match="has no item 'zz'"):
        judge(open_round("halo-support"), Recorder(), name="m", items=["zz"])


def test_only_items_that_are_named_are_asked_about(open_round):
    stored, model = open_round("feedback-quality"), Recorder()
    run = judge(stored, model, name="stand-in", items=["b/birch-1"])
    assert run.total == 1
    assert "eight plants" in model.prompts[0][1]["content"]
    [group] = groups(stored.protocol)
    assert len(list(sheets(stored, group, {}, None))) == 2


def test_people_and_models_stand_in_one_frame(open_round):
    stored = open_round("halo-support", raters=["ana"])
    [item] = stored.items()
    stored.save("ana", [Event("e1", item.ref, "label", "CONTRADICTED")])
    judge(stored, lambda messages: "SUPPORTED", name="stand-in")
    frame = stored.frame()
    labels = frame[frame["question"] == "label"].set_index("rater_kind")["value"]
    assert (labels["human"], labels["model"]) == ("CONTRADICTED", "SUPPORTED")


def test_every_answer_can_be_traced_to_its_reply_later_on(open_round):
    def model(messages):
        return "hm" if "Nice map" in messages[1]["content"] else reply_to(messages)

    stored = open_round("feedback-quality")
    judge(stored, model, name="stand-in", replicates=2, examples=())
    again = account(stored, "stand-in")
    assert again.counts == {"ok": 2, "parse_error": 2}
    frame = again.frame()
    assert frame["at"].str.startswith("20").all()
    assert frame["prompt"].nunique() == 1
    assert set(again.failures()["reply"]) == {"hm"}
    assert again.requests == 0
    with pytest.raises(ValueError, match="has no replies of 'nobody'; its models are stand-in"):
        account(stored, "nobody")


def test_the_account_of_a_run_reads_as_a_line(open_round):
    run = judge(open_round("feedback-quality"), Recorder(), name="stand-in")
    assert run.summary() == (
        "r1: 2 of 2 asked of stand-in, 2 ok; 36 answers; "
        f"price unknown: {Prices().source} do not name the model"
    )
    assert list(run.frame()["status"]) == ["ok", "ok"]
    assert run.failures().empty
    assert isinstance(run, JudgeRun)
    assert repr(run).startswith("JudgeRun(r1: 2 of 2")


def test_half_characters_and_nul_in_a_reply_do_no_harm(open_round):
    def model(messages):
        content = json.loads(reply_to(messages))
        content["evidence"] = "a\ud800b\x00c"
        return json.dumps(content) + "\x00"

    stored = open_round("feedback-quality")
    assert judge(stored, model, name="stand-in").counts == {"ok": 2}
    texts = stored.frame(texts=True).set_index("question")["value"]
    assert set(texts["evidence"]) == {"a�b�c"}


def test_an_interrupted_cell_of_a_notebook_stops_the_run_and_keeps_what_is_there(open_round):
    import asyncio
    import signal
    import time

    from .conftest import feedback_items

    stored = open_round("feedback-quality", feedback_items(30))
    calls = []

    def slow(messages):
        calls.append(1)
        time.sleep(0.05)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return reply_to(messages)

    async def cell():
        judge(stored, slow, name="stand-in")

    loop = asyncio.new_event_loop()  # a kernel's loop, unlike asyncio.run, lets SIGINT through
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(cell())
    loop.close()
    assert 1 <= len(stored.frame().query("question == 'overall'")) < 30
    assert judge(stored, reply_to, name="stand-in").counts == {"ok": 30}
