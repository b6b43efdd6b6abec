"""A protocol nobody has seen before is a YAML file and no code."""

import json
import re
from pathlib import Path

import pytest

from raterbook import Workspace
from raterbook.rounds import Event

FILES = Path(__file__).parent / "sixth"
CHOICES = {"ana": ["A", "B", "tie"], "ben": ["A", "B", "B"], "cem": ["A", "B", "A"]}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Pairwise preference, rated by three people through the store as the form does it."""
    workspace = Workspace(tmp_path_factory.mktemp("sixth"))
    round = workspace.open(
        "pairs", FILES / "pairwise.yaml", FILES / "items.csv", raters=["ana", "ben", "cem"]
    )
    places = {item.key: place for place, item in enumerate(round.items())}
    for rater, choices in CHOICES.items():
        for item in round.queue(rater):
            choice = choices[places[item.key]]
            events = [Event(f"{rater}-{item.key}-p", item.ref, "preference", choice)]
            if choice != "tie":
                events.append(Event(f"{rater}-{item.key}-r", item.ref, "reason", "It is usable."))
            assert all(ack.ok for ack in round.save(rater, events))
    return workspace, round


def test_the_form_opens_on_it(opened):
    _, round = opened
    assert round.form("ana") is not None


def test_a_value_that_is_no_option_is_refused(opened):
    _, round = opened
    item = round.queue("ana")[0]
    ack = round.save("ana", [Event("x", item.ref, "preference", "C")])[0]
    assert not ack.ok
    assert all(value in ack.reason for value in ("A", "B", "tie"))


def test_a_model_rates_it_from_the_same_file(opened):
    _, round = opened
    seen = []

    def model(messages):
        prompt = json.dumps(messages)
        seen.append(prompt)
        return json.dumps({"preference": "B", "reason": "It says what to do."})

    round.judge(model, name="stand-in-1")
    answers = round.answers()
    mine = answers[answers["rater"].eq("stand-in-1") & answers["question"].eq("preference")]
    assert list(mine["value"].astype(str)) == ["B", "B", "B"]
    assert set(mine["rater_kind"].astype(str)) == {"model"}
    # A model is as blind as people: the topic is hidden, the three options are not.
    assert not any(re.search("kitchen|tools", prompt) for prompt in seen)
    assert all("Neither is better" in prompt for prompt in seen)


def test_the_report_has_its_numbers_and_its_target(opened):
    _, round = opened
    page = round.report()
    numbers = json.loads((page.parent / "numbers.json").read_text())
    found = {
        row["statistic"]: row["estimate"]
        for row in numbers["numbers"]
        if row["group"] is None and row["raters"] != ["stand-in-1"]
    }
    # p1 AAA, p2 BBB, p3 tie B A: pairs that agree 3 + 3 + 0 of 9.
    assert found["percent_agreement"] == pytest.approx(2 / 3)
    assert found["proportion_a"] == pytest.approx(4 / 8)
    target = numbers["targets"][0]
    assert (target["met"], target["target"]) == (False, 0.8)
    assert "Which of two answers is better?" in page.read_text()
