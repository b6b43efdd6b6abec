"""The whole way by the commands: people on three cases, a model behind a socket, one page."""

import csv
import html
import json
import re

import pytest

from raterbook import Workspace
from raterbook.cli import main

CASES = ("s1", "s2", "s3")
SYSTEMS = ("m1", "m2")
ASKED = ("Who came?", "When was it?")
# What a reader finds in each text, question by question.
PEOPLE = {"reference": ("Ana", "in May"), "m1": ("Ana", "May"), "m2": ("Ben", "<Unanswerable>")}
MODEL = {"reference": ("Ana", "in May"), "m1": ("Ana", "<Unanswerable>"), "m2": ("Ben", "May")}


def write(path, head, rows):
    with path.open("w", newline="", encoding="utf-8") as lines:
        csv.writer(lines).writerows([head, *rows])
    return str(path)


@pytest.fixture
def raterbook(tmp_path, monkeypatch):
    """Runs a command in this workspace, where a round with the three cases is open."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def run(*words):
        return main(["--workspace", str(tmp_path), *map(str, words)])

    items = write(
        tmp_path / "items.csv",
        ("id", "ground_truth", "generated", "model"),
        [(c, f"reference of {c}", f"{m} of {c}", m) for c in CASES for m in SYSTEMS],
    )
    assert run("open", "r1", "--protocol", "rag-questeval", "--items", items) == 0
    run.folder = tmp_path
    return run


@pytest.fixture
def server(scripted, serving):
    """Writes and answers questions as `raterbook questions` asks, and fills in a judge's sheets."""
    texts = {f"{name} of {case}": said for case in CASES for name, said in MODEL.items()}
    model = scripted(
        {f"reference of {case}": list(ASKED) for case in CASES},
        {text: dict(zip(ASKED, said, strict=True)) for text, said in texts.items()},
    )
    fixed = {"keep": "keep", "reference_answer": "Ana", "generated_answer": "Ana", "match": "same"}
    with serving(model, **fixed) as listening:
        yield listening


def by_hand(folder):
    """What one person says of all three cases, as a file to import."""
    rows = []
    for case in CASES:
        for part in (1, 2):
            rows.append((case, part, "ana", "keep", "keep"))
            rows.append((case, part, "ana", "reference_answer", PEOPLE["reference"][part - 1]))
            for system in SYSTEMS:
                said = PEOPLE[system][part - 1]
                rows.append((f"{case}/{system}", part, "ana", "generated_answer", said))
        rows.append((f"{case}/m1", 1, "ana", "match", "same"))
        rows.append((f"{case}/m1", 2, "ana", "match", "same"))
        rows.append((f"{case}/m2", 1, "ana", "match", "different"))
    return write(folder / "ana.csv", ("item", "part", "rater", "question", "value"), rows)


def reported(raterbook):
    """numbers.json and the page's words."""
    assert raterbook("report", "r1") == 0
    folder = raterbook.folder / "reports" / "r1"
    rows = json.loads((folder / "numbers.json").read_text("utf-8"))["numbers"]
    assert len((folder / "trace.csv").read_text("utf-8").splitlines()) == 1 + 3 * 2 * 2
    page = (folder / "index.html").read_text("utf-8")
    page = re.sub(r"<style.*?</style>", "", page, flags=re.S)
    text = html.unescape(re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " ")
    return rows, " ".join(text.split())


def value(rows, statistic, group=None):
    [found] = [
        row["estimate"]
        for row in rows
        if (row["statistic"], row["group"], row["aggregate"]) == (statistic, group, "macro")
    ]
    return found


def test_people_and_a_model_do_the_whole_of_it_and_stand_on_one_page(raterbook, server, capsys):
    model = ("questions", "r1", "--model", "scripted-1", "--base-url", server.url)
    assert raterbook(*model) == 0
    assert "6 questions written" in capsys.readouterr().out
    assert raterbook("import", "r1", by_hand(raterbook.folder)) == 0
    rows, page = reported(raterbook)
    # What people say stands; each rater alone is beside it.
    assert value(rows, "recall") == pytest.approx((1 + 0.5) / 2)
    assert value(rows, "recall", {"rater": "ana"}) == value(rows, "recall")
    alone = {"model": "m2", "rater": "scripted-1"}
    assert value(rows, "recall", alone) == 1.0
    assert value(rows, "recall", {"model": "m2", "rater": "ana"}) == 0.5
    assert re.search(r"ana, person Recall 100 .* scripted-1, model Recall 50 ", page)
    assert "9 pairs of answers were graded by people" in page
    assert "one family, scripted by their names, wrote 6 of 6 questions" in page
    pair = [row for row in rows if row["statistic"] == "difference_recall"]
    assert pair[0]["group"] == {"systems": "m1 − m2"}


def test_a_round_of_a_model_alone_is_reported_too(raterbook, server):
    assert raterbook("questions", "r1", "--model", "scripted-1", "--base-url", server.url) == 0
    rows, page = reported(raterbook)
    assert value(rows, "recall", {"model": "m1"}) == 0.5
    assert {row["raters"] for row in rows if row["statistic"] == "recall"} == {"model"}
    assert "Nobody graded whether the two answers mean the same" in page


def test_judge_grades_whether_the_answers_mean_the_same(raterbook, server):
    assert (
        raterbook(
            "questions", "r1", "--model", "writer-1", "--base-url", server.url, "--steps", "write"
        )
        == 0
    )
    assert raterbook("judge", "r1", "--model", "judge-1", "--base-url", server.url) == 0
    stored = Workspace(raterbook.folder).round("r1")
    frame = stored.frame()
    assert set(frame["question"]) == {"keep", "reference_answer", "generated_answer", "match"}
    grades = frame[frame["question"].eq("match")]
    assert len(grades) == len(CASES) * len(SYSTEMS) * len(ASKED)
    assert set(grades["value"]) == {"same"}
    # The grader sees two answers and neither text.
    for seen in server.seen:
        if "two answers mean the same" in seen.body["messages"][0]["content"]:
            assert " of s" not in seen.user


def test_judge_under_the_name_that_answered_only_grades_those_answers(raterbook, server):
    model = ("--model", "scripted-1", "--base-url", server.url)
    assert raterbook("questions", "r1", *model) == 0
    before = Workspace(raterbook.folder).round("r1").frame()
    asked = len(server.seen)
    assert raterbook("judge", "r1", *model) == 0
    graded = [seen.body["messages"][0]["content"] for seen in server.seen[asked:]]
    assert graded
    assert all("two answers mean the same" in system for system in graded)
    frame = Workspace(raterbook.folder).round("r1").frame()
    grades = frame["question"].eq("match")
    # m1: one of two questions is answered from both texts; m2: both.
    assert grades.sum() == len(CASES) * (1 + 2)
    assert frame[~grades].reset_index(drop=True).equals(before)
    assert raterbook("judge", "r1", *model) == 0
    assert len(server.seen) == asked + len(graded)


def test_what_a_run_costs_is_said_by_prices_of_ones_own_and_a_budget_ends_it(
    raterbook, server, capsys
):
    prices = raterbook.folder / "prices.json"
    table = {"as_of": "2026-01", "models": {"scripted-1": {"input": 100.0, "output": 500.0}}}
    prices.write_text(json.dumps(table), encoding="utf-8")
    words = ["questions", "r1", "--model", "scripted-1", "--base-url", server.url]
    words += ["--prices", prices, "--concurrency", "1"]
    # A request has 1,000 tokens and its reply 200: 0.20 USD.
    assert raterbook(*words, "--budget", "0.7") == 1
    said = capsys.readouterr().out
    assert "the budget is used up" in said
    spent = float(re.search(r"requests, ([\d.]+) USD", said)[1])
    assert 0 < spent <= 0.7
    assert raterbook(*words, "--rater", "reader") == 0
    done = len(server.seen)
    assert raterbook(*words, "--rater", "reader") == 0
    assert "nothing was left to do" in capsys.readouterr().out
    assert len(server.seen) == done
    assert raterbook(*words, "--rater", "reader", "--steps", "reference", "--fresh") == 0
    assert len(server.seen) == done + len(CASES)


def test_the_upstream_cache_comes_in_by_the_command_and_a_file_that_is_none_is_refused(
    raterbook, capsys
):
    cache = raterbook.folder / "task_quest_gt_save.json"
    entry = {"key_info": ["Ana"], "question": ["Who came?"], "answers": ["Ana"]}
    cache.write_text(json.dumps({"s1": entry, "s9": entry}), encoding="utf-8")
    assert raterbook("questions", "r1", "--cache", cache, "--model", "gpt-3.5-turbo") == 0
    assert "1 × no such case in the round" in capsys.readouterr().out
    stored = Workspace(raterbook.folder).round("r1")
    [rater] = stored.raters()
    assert (rater.name, rater.version) == ("upstream-cache", "gpt-3.5-turbo")
    cache.write_text("[1, 2]", encoding="utf-8")
    assert raterbook("questions", "r1", "--cache", cache, "--rater", "other") == 2
    assert "the cache is one object of entries by ID" in capsys.readouterr().err
    assert raterbook("questions", "r1") == 2
    assert "Say who writes and answers: a model's name (--model)" in capsys.readouterr().err
