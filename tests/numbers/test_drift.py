"""A model held against an earlier round: what is drift, what its own noise, what nobody knows."""

import json
import random

import numpy as np
import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.judges import judge
from raterbook.judges.clients.scripted import reply_to
from raterbook.numbers.compare.drift import Arrangements
from raterbook.protocols import load
from raterbook.rounds import RoundError
from raterbook.rounds.items import pin
from tests.reporting.rounds import records

QUESTIONS = ("accuracy", "fluency")


@pytest.fixture
def place(tmp_path):
    return Workspace(tmp_path)


def opened(place, name, items=40, rows=None, **how):
    rows = records("neureg-qa", items) if rows is None else rows
    return place.open(name, "neureg-qa", pd.DataFrame(rows), **how)


def answered(stored, said, replicates=1, model="gauge", questions=QUESTIONS):
    """`said(item, question, replicate)` by the model, as a file brings it."""
    lines = ["item,rater,rater_kind,question,value,replicate"]
    for item in stored.items():
        for question in questions:
            for replicate in range(1, replicates + 1):
                value = said(item.key, question, replicate)
                if value is not None:
                    lines.append(f"{item.key},{model},model,{question},{value},{replicate}")
    file = stored.workspace.path / f"{stored.name}.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    stored.add(file)
    return stored


def noisy(seed, often=0.2, shift=None):
    """The same answer to the same thing, but for so many that are one off; `shift` moves some."""

    def said(item, question, replicate):
        value = random.Random(f"{item}{question}").choice((2, 3, 4))
        rng = random.Random(f"{seed}{item}{question}{replicate}")
        value += rng.choice((-1, 1)) if rng.random() < often else 0
        return max(1, value - 1) if shift == question else value

    return said


def run(place, capsys, *words):
    status = main(["--workspace", str(place.path), *words])
    told = capsys.readouterr()
    return status, told.out + told.err


def test_a_model_that_answers_as_before_passes(place, capsys):
    for name in ("may", "june"):
        answered(opened(place, name), noisy("one"), replicates=2)
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 0
    assert "Passed: 0 of 2 comparisons with may drifted." in said


def test_noise_of_its_own_is_no_drift(place, capsys):
    for name in ("may", "june"):
        answered(opened(place, name), noisy(name), replicates=2)
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 0
    assert "not shown to be more than its own noise" in said
    assert "answers changed; apart by" in said


def test_a_model_that_became_stricter_on_one_question_fails_and_it_is_named(place, capsys):
    answered(opened(place, "may"), noisy("may"), replicates=2)
    answered(opened(place, "june"), noisy("june", shift="accuracy"), replicates=2)
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 1
    assert "gauge on accuracy: 33 of 40 answers changed" in said
    assert "it drifted" in said
    assert "Changed: i000" in said
    assert "Not passed: 1 of 2 comparisons with may drifted." in said


def test_without_replicates_noise_is_unknown_and_the_changed_answers_are_counted(place, capsys):
    answered(opened(place, "may"), noisy("may"))
    answered(opened(place, "june"), noisy("june"))
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 1
    assert "whether that is noise is not known, as nothing was answered twice" in said
    assert "--replicates 2" in said
    found = place.round("june").drift("may")
    assert {part.verdict for part in found.parts} == {"cannot be told"}
    assert all(5 <= len(part.changed) <= 25 for part in found.parts)


def test_with_replicates_and_too_few_anchors_more_anchors_are_the_remedy(place, capsys):
    for name, value in (("may", 3), ("june", 2)):
        stored = opened(place, name, items=2)
        first = stored.items()[0].key
        answers = {first: value}
        answered(stored, lambda item, *_, of=answers: of.get(item, 4), replicates=2)
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 1
    assert "pin more items as anchors" in said
    assert "let the model answer the anchors twice" not in said


def test_without_replicates_a_change_with_a_direction_is_drift_all_the_same(place):
    answered(opened(place, "may"), noisy("may"))
    answered(opened(place, "june"), noisy("june", shift="fluency"))
    found = {part.question: part for part in place.round("june").drift("may").parts}
    assert found["fluency"].verdict == "drifted"
    assert found["fluency"].shift < -0.5
    assert found["accuracy"].verdict == "cannot be told"


def test_without_replicates_the_very_same_answers_pass(place, capsys):
    for name in ("may", "june"):
        answered(opened(place, name), noisy("one"))
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 0
    assert "all 40 answers are the same" in said


def test_replicates_of_either_round_show_the_noise(place):
    answered(opened(place, "may"), noisy("may"), replicates=3)
    answered(opened(place, "june"), noisy("june"))
    assert {part.verdict for part in place.round("june").drift("may").parts} == {"within its noise"}


def test_only_anchors_are_compared_where_some_are_pinned(place, capsys):
    may, june = opened(place, "may"), opened(place, "june")
    status, said = run(place, capsys, "anchor", "may", *(f"i{n:03d}" for n in range(20)))
    assert status == 0
    assert "may: 20 anchors: i000, i001" in said
    steady, moved = noisy("one"), noisy("one", shift="accuracy")
    answered(may, steady, replicates=2)
    answered(june, lambda key, *rest: (steady if key < "i020" else moved)(key, *rest), replicates=2)
    found = june.drift("may")
    assert found.passed
    assert {part.n_items for part in found.parts} == {20}
    assert found.notes == ("Compared on 20 anchor items.",)


def test_anchors_can_be_all_items_with_a_value(place, capsys):
    opened(place, "may", rows=[row | {"pin": "yes" if at < 5 else ""} for at, row in
                               enumerate(records("neureg-qa", 9))])  # fmt: skip
    assert "may: 5 anchors" in run(place, capsys, "anchor", "may", "--where", "pin=yes")[1]
    status, said = run(place, capsys, "anchor", "may", "--where", "pin=no")
    assert status == 2
    assert "No item of may has 'no' in pin" in said
    assert run(place, capsys, "anchor", "may", "i404")[0] == 2


def test_an_item_that_reads_otherwise_now_is_left_out_and_named(place):
    answered(opened(place, "may"), noisy("one"), replicates=2)
    rows = records("neureg-qa", 40)
    rows[3] = rows[3] | {"answer": "Another one."}
    answered(opened(place, "june", rows=rows), noisy("one"), replicates=2)
    found = place.round("june").drift("may")
    assert "1 item reads otherwise now, left out: i003." in found.notes
    assert {part.n_items for part in found.parts} == {39}


def test_another_protocol_is_said(place):
    answered(opened(place, "may"), noisy("one"), replicates=2)
    text = load("neureg-qa").text.replace("title: ", "title: New ", 1)
    file = place.path / "new.yaml"
    file.write_text(text, encoding="utf-8")
    june = place.open("june", file, pd.DataFrame(records("neureg-qa", 40)))
    answered(june, noisy("one"), replicates=2)
    assert any("The protocol is another one now" in note for note in june.drift("may").notes)


def test_a_judge_that_was_not_asked_again_does_not_pass(place, capsys):
    for name in ("may", "june"):
        judge(opened(place, name, items=6), lambda messages: reply_to(messages), name="gauge")
        place.store._clock = lambda clock=place.store._clock: clock() + 3600
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 1
    assert "6 of 6 replies are older than june: the model was not asked again" in said
    judge(place.round("june"), lambda messages: reply_to(messages), name="gauge", fresh=True)
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 0


def test_rounds_without_a_model_in_common_are_refused(place, capsys):
    answered(opened(place, "may"), noisy("one"), model="old")
    answered(opened(place, "june"), noisy("one"), model="new")
    status, said = run(place, capsys, "check", "june", "--against", "may")
    assert status == 2
    assert "No model answered in both june (new) and may (old)" in said


def test_the_rows_are_there_for_machines(place, capsys):
    answered(opened(place, "may"), noisy("may"), replicates=2)
    answered(opened(place, "june"), noisy("june", shift="accuracy"), replicates=2)
    status, said = run(place, capsys, "check", "june", "--against", "may", "--json")
    found = json.loads(said)
    assert (status, found["passed"], found["against"]) == (1, False, "may")
    row = next(row for row in found["drift"] if row["question"] == "accuracy")
    assert (row["verdict"], row["replicates"]) == ("drifted", [2, 2])
    assert row["p_corrected"] <= 0.05 < 1 < row["changed"] == len(row["items"])


def test_a_gate_asks_for_drift_and_numbers_together(place, capsys):
    for name in ("may", "june"):
        answered(opened(place, name), noisy("one"), replicates=2)
    words = ["check", "june", "--against", "may", "--require", "mean:accuracy>=4.9"]
    status, said = run(place, capsys, *words)
    assert status == 1
    assert "Passed: 0 of 2 comparisons" in said
    assert "Not passed: 0 of 1 target met by the estimate." in said


# How often noise is taken for drift: replicates of a cluster hang together.


def drawn(rng, r, scored, size, noise=0.6):
    """40 items in clusters of `size`, whose replicates share 70 % of their noise."""
    cluster, columns = np.arange(40) // size, sum(r)
    shared = rng.normal(0, 1, (40 // size, columns))[cluster] * (0.7 if size > 1 else 0) ** 0.5
    own = rng.normal(0, 1, (40, columns)) * (0.3 if size > 1 else 1) ** 0.5
    said = np.clip(np.rint(rng.integers(1, 6, 40)[:, None] + noise * (shared + own)), 1, 5)
    return (said if scored else said % 3), cluster


def false_drifts(r, scored, size, rounds, clustered=True):
    found = 0
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        said, cluster = drawn(rng, r, scored, size)
        test = Arrangements(said, r, cluster if clustered else np.arange(40), scored)
        p, _ = (test.in_one_direction if test.within is None else test.beyond_noise)(rng)
        found += p <= 0.05
    return found / rounds


@pytest.mark.parametrize("r", [(2, 2), (3, 1), (1, 1)])
@pytest.mark.parametrize("scored", [True, False])
def test_noise_is_taken_for_drift_five_times_in_a_hundred_at_most(r, scored):
    rounds = 60
    assert false_drifts(r, scored, 4, rounds) <= 0.05 + 2 * (0.05 * 0.95 / rounds) ** 0.5


def test_without_clusters_the_same_noise_would_pass_for_drift_more_often():
    assert false_drifts((1, 1), True, 4, 100, clustered=False) > 0.1


def test_another_prompt_is_said(place):
    judge(opened(place, "may", items=4), lambda messages: reply_to(messages), name="gauge")
    text = load("neureg-qa").text.replace("prompt: ", "prompt: Now, ", 1)
    file = place.path / "new.yaml"
    file.write_text(text, encoding="utf-8")
    june = place.open("june", file, pd.DataFrame(records("neureg-qa", 4)))
    judge(june, lambda messages: reply_to(messages), name="gauge")
    assert any("gauge: the prompt is another one now" in note for note in june.drift("may").notes)


def test_a_model_that_answered_one_round_alone_is_refused_and_anchors_that_are_gone_are_named(
    place,
):
    rows = records("neureg-qa", 12)
    may, june = opened(place, "may", rows=rows), opened(place, "june", rows=rows[:6])
    for stored in (may, june):
        answered(stored, noisy("one"), replicates=2)
    with pytest.raises(RoundError, match="'judge' did not answer in both rounds: choose gauge"):
        june.drift("may", "judge")
    pin(may, [f"i{n:03d}" for n in range(12)])
    found = june.drift("may")
    assert found.notes[:2] == (
        "Compared on 6 anchor items.",
        "6 anchors not in both rounds: i006, i007, i008, i009, i010 and 1 more.",
    )  # fmt: skip
