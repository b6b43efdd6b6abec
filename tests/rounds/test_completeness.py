"""What is put to whom and what of it is given, by one definition for status, form and page."""

import random

import pytest

from raterbook.protocols import is_required
from raterbook.rounds import Event, PartRow
from raterbook.rounds.completeness import finished
from tests.files.rounds import protocol_round


def by_hand(stored, rater):
    """(question, whether it is given) of all that is put to this rater, item by item."""
    current = stored.current(rater)
    values = {
        where: answer.value for where, answer in current.items() if answer.status == "answered"
    }
    done = {
        where
        for where, answer in current.items()
        if answer.status in ("answered", "not_applicable")
    }
    found = []
    cases = {case.key: case.ref for case in stored.cases()}
    for item in stored.queue(rater):
        for question in stored.protocol.questions:
            if question.of != "item":
                continue
            parts = [0] if question.per == "whole" else [part.number for part in item.parts]
            for part in parts:
                about = {
                    name: value
                    for (ref, number, name), value in values.items()
                    if ref in (item.ref, cases[item.case]) and number in (0, part)
                }
                if is_required(question, about):
                    found.append((question.id, (item.ref, part, question.id) in done))
    return found


def answer_some(stored, rater, share, seed):
    """Each question about each thing with this chance, sometimes with another status."""
    chance = random.Random(seed)
    events = []
    for question in stored.protocol.questions:
        for about in stored.cases() if question.of == "case" else stored.items():
            for part in [0] if question.per == "whole" else [p.number for p in about.parts]:
                if chance.random() > share:
                    continue
                status = chance.choice(["answered"] * 4 + ["not_applicable", "skipped"])
                values = question.values or ([50] if question.is_numeric else ["a text"])
                value = chance.choice(values) if status == "answered" else None
                if question.type == "scale" and not question.values:
                    value = 3.5 if status == "answered" else None
                events.append(
                    Event(
                        None,
                        about.ref,
                        question.id,
                        value,
                        part,
                        status=status,
                        reason=None if status == "answered" else "no_kg",
                    )
                )
    acks = stored.save(rater, events)
    assert all(ack.ok or "which is asked only if" in (ack.reason or "") for ack in acks)


@pytest.mark.parametrize(
    "protocol", ["feedback-quality", "stem-sentences", "rag-questeval", "neureg-qa", "halo-support"]
)
@pytest.mark.parametrize("share", [0, 0.6, 1])
def test_every_required_answer_is_counted_as_item_by_item(tmp_path, protocol, share):
    stored = protocol_round(tmp_path, protocol)
    for seed, rater in enumerate(("ana", "ben")):
        stored.add_rater(rater)
        answer_some(stored, rater, share, seed)
    found = {each.rater: each for each in stored.standings()[0]}
    for rater in ("ana", "ben"):
        expected = by_hand(stored, rater)
        put = {name for name, _ in expected}
        assert {name: n for name, n in found[rater].put.items() if n} == {
            name: sum(each == name for each, _ in expected) for name in put
        }
        assert sum(found[rater].given.values()) == sum(given for _, given in expected)
        assert found[rater].missing == sum(not given for _, given in expected)
        assert found[rater].items == 4


def test_questions_of_cases_are_missing_until_somebody_answers_them(tmp_path):
    """Two cases of two questions by two systems: 8 answers of ana's, 8 about the cases."""
    stored = protocol_round(tmp_path, "rag-questeval")
    stored.add_rater("ana")
    status = stored.status()
    assert status["raters"][0]["missing"] == 8
    assert (status["missing"], status["missing_of_cases"]) == (16, 8)
    stored.add_rater("gpt", "model")
    stored.save(
        "gpt",
        [Event(None, "c1", "reference_answer", "four", 1), Event(None, "c1", "keep", "keep", 1)],
    )
    status = stored.status()
    assert (status["missing"], status["missing_of_cases"]) == (14, 6)
    stored.exclude("gpt", why="another prompt")
    assert stored.status()["missing_of_cases"] == 8


def test_a_round_whose_questions_are_not_written_yet_is_not_complete(store, tmp_path):
    from raterbook.protocols import load
    from raterbook.rounds import ItemTable

    protocol = load("rag-questeval")
    items = ItemTable.from_records(protocol, [{"id": "c1", "ground_truth": "t", "generated": "g"}])
    stored = store.open("q", protocol, items, raters=["ana"])
    status = stored.status()
    assert (status["missing"], status["without_parts"], status["complete"]) == (0, 1, False)
    stored.add_parts([PartRow("c1", 1, "Which?")])
    status = stored.status()
    assert (status["missing"], status["without_parts"]) == (3, 0)


def test_training_and_gold_items_can_be_left_out(store, protocol, table):
    from dataclasses import replace

    rows = tuple(replace(row, role="gold" if row.case == "q0" else "main") for row in table.rows)
    stored = store.open("mixed", protocol, replace(table, rows=rows), raters=["ana"])
    (ana, *_), _ = stored.standings()
    (only, *_), _ = stored.standings(roles=("main",))
    assert (ana.items, only.items) == (6, 4)
    assert only.put["tone"] == 4


def test_models_are_put_what_they_began(stored):
    stored.add_rater("gpt", "model")
    stored.save("gpt", [Event(None, "q0/a", "tone", 3), Event(None, "q0/a", "correct", "right", 1)])
    gpt = next(each for each in stored.standings()[0] if each.rater == "gpt")
    assert (gpt.items, gpt.complete, gpt.begun, gpt.planned) == (1, 0, 1, False)
    assert (gpt.put["correct"], gpt.given["correct"]) == (2, 1)


def test_what_is_finished_is_not_reassigned(stored, say):
    say("ana", "q0/a", "tone", 3)
    for part in (1, 2):
        say("ana", "q0/a", "correct", "right", part=part)
    say("ana", "q0/b", "tone", 3)
    with stored.store.read() as connection:
        seen = stored.look(connection)
        questions, ana = stored.questions(connection), seen.rater("ana")
        done = finished(connection, seen, stored.protocol, questions, ana)
        assert {seen.subjects[number].key for number in done} == {"q0/a"}
