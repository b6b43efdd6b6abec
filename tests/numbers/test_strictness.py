"""A round's severities: whose scores they are of, and models set against people."""

import random
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest

import raterbook.protocols
from raterbook.commands.reports import required
from raterbook.numbers.agreement import severity_model
from raterbook.numbers.compare import compare
from raterbook.numbers.compare.strictness import likeness, strictness
from raterbook.numbers.compute import cluster_of, numbers, questions_of, summary
from raterbook.numbers.counted import Board
from raterbook.numbers.targets import verdict
from tests.reporting.rounds import opened, records

LABELS = ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")


def rated(folder, protocol="neureg-qa", question="accuracy", values=(1, 2, 3, 4, 5), people=3):
    """Sixty items that people and the model gauge rated; gauge scores one higher, one in two."""
    rng, answers = random.Random(4), []
    for item in range(60):
        true = rng.randrange(len(values))
        for person in range(people):
            said = true if rng.random() < 0.7 else rng.randrange(len(values))
            answers.append((f"p{person}", f"i{item:03d}", question, values[said]))
        own = min(len(values) - 1, true + (rng.random() < 0.5))
        answers.append(("gauge", f"i{item:03d}", question, values[own]))
    return opened(folder, protocol, records(protocol, 60), answers, {"gauge": "model"})


def board_of(stored):
    frame = stored.frame()
    return Board(frame, questions_of(stored.protocol), cluster=cluster_of(frame))


def made(stored, **given):
    return strictness(board_of(stored), stored.protocol.questions, **given)


def test_people_alone_are_the_centre_and_a_model_beside_them_is_set_against_it(tmp_path):
    found = made(rated(tmp_path), models=["gauge"])
    assert found.centre == ("p0", "p1", "p2")
    assert found.models == ("gauge",)
    severity = found.rasch.raters.set_index("rater")["severity"]
    assert severity[["p0", "p1", "p2"]].mean() == pytest.approx(0, abs=1e-9)
    assert found.rasch.raters.set_index("rater").loc["gauge", "high"] < 0


def test_a_model_that_nobody_asks_about_does_not_count(tmp_path):
    assert list(made(rated(tmp_path)).rasch.raters["rater"]) == ["p0", "p1", "p2"]


def test_whoever_gave_no_score_is_no_centre_and_what_was_not_scored_has_no_system(frame):
    """dan, who is named, labelled one item more, whose system nobody knows."""
    scores = {"ana": "112345", "ben": "113342"}
    answers = [
        (f"i{at}", 0, rater, "tone", int(value))
        for rater, values in scores.items()
        for at, value in enumerate(values)
    ]
    answers.append(("i9", 0, "dan", "label", "yes"))
    asked = {"tone": {"scale": [1, 2, 3, 4, 5], "level": "ordinal"}, "label": {"level": "nominal"}}
    built = frame(answers, model={f"i{at}": "ab"[at % 2] for at in range(6)})
    board = Board(built, asked, raters=["ana", "ben", "dan"])
    questions = [SimpleNamespace(id="tone", is_score=True)]
    found = strictness(board, questions, system="model", interval=None)
    assert found.centre == ("ana", "ben")
    assert sorted(found.rasch.fair["group"].dropna().unique()) == ["a", "b"]


@pytest.mark.parametrize(("systems", "there"), [("ababab", 2), ("aaaaaa", 0), ("ababa-", 0)])
def test_systems_have_a_fair_mean_where_there_are_two_and_every_item_has_one(frame, systems, there):
    model = {f"i{at}": name for at, name in enumerate(systems) if name != "-"}
    answers = [(f"i{at}", 0, rater, "tone", 1 + (at + off) % 5)
               for off, rater in enumerate(("ana", "ben")) for at in range(6)]  # fmt: skip
    board = Board(frame(answers, model=model), {"tone": {"scale": [1, 2, 3, 4, 5]}})
    questions = [SimpleNamespace(id="tone", is_score=True)]
    found = strictness(board, questions, system="model", interval=None)
    assert len(found.rasch.fair) == there


def test_a_severity_is_of_all_items_that_were_scored_the_lowest_too_and_of_no_other(frame, pick):
    scores = {"ana": "112345", "ben": "113342"}
    answers = [
        (f"i{at}", 0, rater, "tone", int(value))
        for rater, values in scores.items()
        for at, value in enumerate(values)
    ]
    answers.append(("i9", 0, "ana", "label", "yes"))  # no score
    measure = {"statistic": "severity_logits", "question": "tone"}
    asked = {"tone": {"scale": [1, 2, 3, 4, 5], "level": "ordinal"}}
    rows = summary(frame(answers), [measure], asked, interval=None)
    assert pick(rows, "severity_logits", None, {"rater": "ana"})["n_items"] == 6


@pytest.mark.parametrize(("top", "named"), [(3, [None, None]), (4, ["tone"] * 2 + ["use"] * 3)])
def test_questions_share_their_thresholds_where_they_have_one_scale(frame, top, named):
    asked = {
        name: {"type": "scale", "level": "ordinal", "scale": list(range(1, most + 1))}
        for name, most in (("tone", 3), ("use", top))
    }
    answers = [
        (f"i{at}", 0, rater, name, 1 + (at + off) % len(asked[name]["scale"]))
        for name in asked
        for off, rater in enumerate(("ana", "ben", "eva"))
        for at in range(8)
    ]
    board = Board(frame(answers), asked)
    grids = [board.grid(name) for name in asked]
    found = severity_model(board, grids, np.arange(3), board.everything, interval=None)
    assert found.thresholds["criterion"].tolist() == named


def test_labels_have_no_severity(tmp_path):
    assert made(rated(tmp_path, "halo-support", "label", LABELS)) is None


def coded_of(stored, question):
    board = board_of(stored)
    grid = board.grid(question)
    columns = [board.raters.index(name) for name in ("p0", "p1", "p2", "gauge")]
    return board.ratings(grid, np.array(columns), board.everything)


def test_of_scores_a_model_has_a_distance_beside_a_person_s(tmp_path):
    coded = coded_of(rated(tmp_path), "accuracy")
    [found] = likeness(coded, "gauge", labels=False, interval="jackknife")
    assert found.statistic == "distance"
    assert found.difference.value == pytest.approx(found.model.value - found.persons.value)


def test_of_labels_a_model_is_scored_on_the_people_s_truth_alone(tmp_path):
    coded = coded_of(rated(tmp_path, "halo-support", "label", LABELS), "label")
    [found] = likeness(coded, "gauge", labels=True, interval="jackknife")
    assert found.statistic == "label_accuracy"
    assert found.model.low < found.model.value < found.model.high
    assert found.persons.n_raters == 3
    assert found.persons.low < found.persons.value < found.persons.high
    assert found.difference.low <= 0 <= found.difference.high


def test_of_two_people_s_labels_nobody_can_say_what_is_true(tmp_path):
    stored = rated(tmp_path, "halo-support", "label", LABELS, people=2)
    board = board_of(stored)
    grid = board.grid("label")
    coded = board.ratings(grid, np.arange(3), board.everything)
    [found] = likeness(coded, "gauge", labels=True, interval="jackknife")
    assert found.model.reason == "too_few_for_truth"


def test_a_protocol_may_ask_for_severities_and_a_gate_for_one_rater_s(tmp_path):
    """The rows are those of the model of these questions; a row per rater, over all questions."""
    text = (files(raterbook.protocols) / "library" / "neureg-qa.yaml").read_text("utf-8")
    asked = "measures:\n  - {statistic: severity_logits, question: [accuracy, fluency]}\n"
    answers = [
        (f"p{person}", f"i{item:03d}", question, min(5, max(1, 1 + (item + person * at) % 5)))
        for at, question in enumerate(("accuracy", "fluency"))
        for item in range(40)
        for person in range(3)
    ]
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 40), answers,
                    text=text.replace("measures:\n", asked))  # fmt: skip
    rows = [row for row in numbers(stored).rows if row["statistic"] == "severity_logits"]
    model = made(stored).rasch.raters.set_index("rater")
    assert {row["group"]["rater"]: row["estimate"] for row in rows} == pytest.approx(
        model["severity"].to_dict()
    )
    assert [(row["question"], row["n_raters"]) for row in rows] == [(None, 1)] * 3
    target, row = required("severity_logits[rater=p0]<=1", stored.name, rows)
    assert verdict(target, row)["met"] is True


# Where a model is compared with people.


def test_a_comparison_has_the_model_s_severity_between_the_people_s(tmp_path):
    stored = rated(tmp_path)
    rows = numbers(stored, judge="gauge")
    severity = made(stored, models=["gauge"]).rasch.raters.set_index("rater")["severity"]
    people = severity.drop("gauge")
    found = [
        rows.get("severity_beside", "accuracy", rater="gauge", **whose)["estimate"]
        for whose in ({}, {"whose": "strictest person"}, {"whose": "most lenient person"})
    ]
    assert found == pytest.approx([severity["gauge"], people.max(), people.min()])


def test_a_comparison_says_in_a_sentence_that_a_model_is_lenient(tmp_path):
    assert "gauge is more lenient than people on average, by " in str(
        compare(rated(tmp_path), "gauge")
    )


@pytest.mark.parametrize(
    ("round", "name"),
    [
        ({}, "distance:accuracy"),
        ({"protocol": "halo-support", "question": "label", "values": LABELS}, "label_accuracy"),
    ],
)
def test_a_gate_may_ask_what_a_model_does_where_people_are_unsure(tmp_path, round, name):
    stored = rated(tmp_path, **round)
    rows = numbers(stored, judge="gauge").rows
    target, row = required(f"{name}[rater=gauge, whose=in place]<=1", stored.name, rows)
    assert verdict(target, row)["met"] is True


def test_without_a_model_asked_for_no_severity_beside_people_is_a_row(tmp_path):
    rows = numbers(rated(tmp_path)).rows
    assert not [row for row in rows if row["statistic"] in ("severity_beside", "distance")]
