"""Model answers in the round, beside people's and an adjudicator's, and in the page."""

import html
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from raterbook.judges import judge
from raterbook.judges.clients.scripted import reply_to
from raterbook.rounds import Event
from raterbook.samples import build

ROOT = Path(__file__).parents[2]


def test_suggestions_and_evidence_are_stored(open_round):
    stored = open_round("feedback-quality")
    judge(
        stored,
        lambda messages: reply_to(
            messages, suggestions="Name a chapter.", evidence="“the second part”"
        ),
        name="m",
    )
    texts = stored.frame(texts=True)
    assert set(texts.query("question == 'suggestions'")["value"]) == {"Name a chapter."}
    assert set(texts.query("question == 'evidence'")["value"]) == {"“the second part”"}


def test_an_adjudicator_decides_beside_the_model_and_erases_nothing(open_round):
    stored = open_round("halo-support", raters=["ana"])
    [item] = stored.items()
    stored.save("ana", [Event("a", item.ref, "label", "CONTRADICTED")])
    judge(stored, lambda messages: "SUPPORTED", name="m")
    stored.add_rater("chair", kind="adjudicator")
    stored.save("chair", [Event("c", item.ref, "label", "NO EVIDENCE")])
    labels = stored.frame().query("question == 'label'")
    found = dict(zip(labels["rater_kind"], labels["value"]))
    assert found == {
        "automatic": "SUPPORTED",
        "human": "CONTRADICTED",
        "model": "SUPPORTED",
        "adjudicator": "NO EVIDENCE",
    }
    assert stored.current("m")[item.ref, 0, "label"].value == "SUPPORTED"


def test_the_two_commands_of_the_docs_put_a_model_beside_people_on_one_page(tmp_path):
    page = (ROOT / "docs" / "howto" / "judge.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(raterbook .*feedback-sample.*)$", page, re.M)
    assert [re.search(r"judge|report", one)[0] for one in commands] == ["judge", "report"]
    build(tmp_path / "workspace", ["feedback-sample"])
    said = [run(one, tmp_path / "workspace") for one in commands]
    assert "72 of 72 asked of scripted, 72 ok" in said[0]
    page = tmp_path / "workspace" / "reports" / "feedback-sample" / "index.html"
    text = " ".join(html.unescape(re.sub("<[^>]+>", " ", page.read_text("utf-8"))).split())
    section = text.partition("Machines against people scripted, the model")[2]
    assert "scripted against the people, question by question" in section
    found = json.loads((page.parent / "numbers.json").read_text("utf-8"))["numbers"]
    for name in ("Correctness", "Clarity", "Overall"):
        [row] = [
            each
            for each in found
            if each["statistic"] == "exact"
            and each["question"] == name.lower()
            and each["group"] == {"rater": "scripted"}
        ]
        assert row["n_items"] == 72
        assert row["low"] <= row["estimate"] <= row["high"]
        assert re.search(rf"{name} 72 {100 * row['estimate']:.0f}[\d.]* % \(", section)
    assert "“the second part” says so." in text  # what the model said is read beside people's words


def run(command, workspace):
    """A command of the docs, word for word but for its places."""
    words = shlex.split(command)
    assert words.pop(0) == "raterbook"
    places = {"data/samples/workspace": str(workspace)}
    done = subprocess.run(
        [sys.executable, "-m", "raterbook", *(places.get(word, word) for word in words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
