"""Prompts out, replies in: the way without an API, through the same parser."""

import csv
import json

import pytest

from raterbook.judges import dry_run, take_replies, write_prompts
from raterbook.judges.by_hand import askings
from raterbook.judges.clients.scripted import reply_to

from .replies import GUIDE


def test_a_dry_run_shows_a_prompt_and_an_estimate_and_sends_nothing(open_round):
    stored = open_round("feedback-quality")
    plan = dry_run(stored, "gpt-4o-mini", replicates=2)
    assert plan.tokens_in > 4_000
    assert plan.cost == pytest.approx((plan.tokens_in * 0.15 + plan.tokens_out * 0.6) / 1e6)
    said = str(plan)
    assert said.startswith("4 requests to gpt-4o-mini: about ")
    assert "Nice map!" in said
    assert "atlas-2" not in said
    assert stored.raters() == []


def test_a_dry_run_says_what_waits_for_answers(open_round):
    plan = dry_run(open_round("rag-questeval"))
    assert plan.later == ("match",)
    assert "wait for answers: match" in str(plan)


@pytest.mark.parametrize("suffix", ["jsonl", "txt", "md"])
def test_prompts_go_out_and_replies_come_in_under_the_same_ids(open_round, tmp_path, suffix):
    stored = open_round("feedback-quality")
    file = tmp_path / f"prompts.{suffix}"
    assert write_prompts(stored, file) == 2
    text = file.read_text(encoding="utf-8")
    assert "birch-1" not in text
    replies = tmp_path / f"replies.{suffix}"
    if suffix == "jsonl":
        lines = [json.loads(line) for line in text.splitlines()]
        made = [{"id": one["id"], "reply": reply_to(one["messages"])} for one in lines]
        replies.write_text("\n".join(json.dumps(one) for one in made))
    else:
        ids = [one.id for one in askings(stored)]
        assert all(f"=== {one} ===" in text for one in ids)
        replies.write_text("".join(f"=== {one} ===\n{GUIDE}\n\n" for one in ids))
    run = take_replies(stored, replies, "chat")
    assert run.counts == {"ok": 2}
    frame = stored.frame()
    assert set(frame["rater_kind"]) == {"model"}
    assert write_prompts(stored, tmp_path / "rest.jsonl", name="chat") == 0
    again = take_replies(stored, replies, "chat")
    assert again.counts == {"ok": 2}
    assert (stored.frame()["revision"] == 1).all()


def test_a_reply_taken_in_again_after_another_one_is_what_stands(open_round, tmp_path):
    stored, said = open_round("halo-support"), []
    for label in ("SUPPORTED", "CONTRADICTED", "SUPPORTED", "SUPPORTED"):
        replies = tmp_path / "replies.jsonl"
        name = next(iter(askings(stored))).id
        replies.write_text(json.dumps({"id": name, "reply": label}))
        take_replies(stored, replies, "chat")
        labels = stored.frame().query("question == 'label' and rater == 'chat'")
        said += list(zip(labels["value"], labels["revision"]))
    assert said == [("SUPPORTED", 1), ("CONTRADICTED", 2), ("SUPPORTED", 3), ("SUPPORTED", 3)]


def test_items_keys_and_csv_are_taken_too(open_round, tmp_path):
    stored = open_round("halo-support")
    file = tmp_path / "replies.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows(
            [["item", "reply", "replicate"], ["s1", "SUPPORTED", ""], ["s1", "NO EVIDENCE", "2"]]
        )
    run = take_replies(stored, file, "chat")
    assert run.counts == {"ok": 2}
    labels = stored.frame().query("question == 'label' and rater == 'chat'")
    assert dict(zip(labels["replicate"], labels["value"])) == {1: "SUPPORTED", 2: "NO EVIDENCE"}


def test_a_file_that_is_refused_leaves_no_rater(open_round, tmp_path):
    stored, file = open_round("feedback-quality"), tmp_path / "r.jsonl"
    file.write_text('{"id": "zz", "reply": "x"}')
    with pytest.raises(ValueError, match=r"r1 has no 'zz'.*Nothing was taken in"):
        take_replies(stored, file, "chat")
    assert stored.raters() == []


def test_a_reply_that_says_nothing_is_recorded_as_that(open_round, tmp_path):
    stored = open_round("halo-support")
    file = tmp_path / "replies.jsonl"
    file.write_text('{"id": "s1", "reply": "Well, perhaps."}\n')
    run = take_replies(stored, file, "chat")
    assert run.counts == {"parse_error": 1}
    assert "Well, perhaps." in run.failures()["reply"].tolist()


def test_later_prompts_come_out_once_earlier_answers_are_in(open_round, tmp_path):
    stored = open_round("rag-questeval")
    first, replies = tmp_path / "first.jsonl", tmp_path / "replies.jsonl"
    assert write_prompts(stored, first, name="chat") == 3
    made = [json.loads(line) for line in first.read_text().splitlines()]
    replies.write_text(
        "\n".join(json.dumps({"id": one["id"], "reply": reply_to(one["messages"])}) for one in made)
    )
    assert take_replies(stored, replies, "chat").counts == {"ok": 3}
    second = tmp_path / "second.jsonl"
    assert write_prompts(stored, second, name="chat") == 2
    assert "Do the two answers mean the same?" in second.read_text()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"id": "nobody", "reply": "SUPPORTED"}', "r1 has no 'nobody'; ids are those of"),
        (
            '{"id": "s1", "reply": "SUPPORTED"}\n{"id": "s1", "reply": "CONTRADICTED"}',
            "stands twice",
        ),
        ('{"id": "s1"}', r"line 1: an id .* and a reply .* are needed; it has id"),
        ("not json", "line 1: not JSON"),
        ("[1]", "line 1: write"),
        ("", "no reply in it"),
        ('{"id": "s1", "reply": "SUPPORTED", "replicate": 0}', "replicate 0 is not a whole"),
    ],
)
def test_a_file_with_a_fault_is_refused_whole(open_round, tmp_path, content, words):
    stored = open_round("halo-support")
    file = tmp_path / "replies.jsonl"
    file.write_text(content)
    with pytest.raises(ValueError, match=words):
        take_replies(stored, file, "chat")
    assert "chat" not in set(stored.frame()["rater"])
    with pytest.raises(ValueError, match="no such file of replies"):
        take_replies(stored, tmp_path / "none.jsonl", "chat")
