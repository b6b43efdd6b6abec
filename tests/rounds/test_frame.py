"""The long frame: one row per current answer, with everything numbers are made from."""

from hashlib import sha256

import numpy as np
import pandas as pd

from raterbook.rounds import Event
from raterbook.rounds.frame import COLUMNS


def test_it_has_the_columns_of_the_contract_then_the_groups(stored):
    assert tuple(stored.frame().columns) == (*COLUMNS, "model", "domain")


def test_an_empty_frame_has_the_same_columns_and_types(store, protocol, table, stored):
    bare = table.__class__(
        tuple(row for row in table.rows if row.case == "q0"), table.columns, "one.csv"
    )
    empty = store.open("empty", protocol, bare, raters=["ana"]).frame()
    assert len(empty) == 0
    assert empty.dtypes.astype(str).to_dict() == stored.frame().dtypes.astype(str).to_dict()


def test_a_row_says_who_answered_what_about_which_item(stored, say):
    say("ana", "q1/b", "correct", "wrong", part=2)
    row = stored.frame().query("rater == 'ana'").iloc[0].to_dict()
    assert (row["round"], row["item"], row["case"], row["part"]) == ("round-01", "q1/b", "q1", 2)
    assert (row["rater_kind"], row["question"], row["value"]) == ("human", "correct", "wrong")
    assert (row["role"], row["cluster"], row["model"], row["domain"]) == ("main", "t1", "b", "d1")


def test_the_automatic_rater_answers_at_open(stored):
    automatic = stored.frame().query("rater_kind == 'automatic'")
    assert automatic["item"].tolist() == ["q1/a", "q1/b", "q2/a", "q2/b"]
    assert set(automatic["value"]) == {"yes"}


def test_values_are_categories_and_numbers_floats(stored, say):
    say("ana", "q0/a", "tone", "good")
    say("ana", "q0/a", "overall", 4.5)
    say("ana", "q0/b", "overall", "4.0")
    frame = stored.frame().query("rater == 'ana'").sort_values("number")
    assert frame["value"].tolist() == ["3", "4", "4.5"]
    assert frame["number"].tolist() == [3.0, 4.0, 4.5]
    assert isinstance(frame["value"].dtype, pd.CategoricalDtype)


def test_texts_come_only_when_asked_for_but_answers_always(stored, say):
    say("ana", "q0/a", "tone_comment", "Too short.")
    say("ana", "q0", "reference", "The answer")
    assert set(stored.frame().query("rater == 'ana'")["question"]) == {"reference"}
    assert "Too short." in set(stored.frame(texts=True)["value"])


def test_confidence_is_the_answers_own_else_that_of_the_question_that_covers_it(stored, say):
    say("ana", "q0/a", "tone", 1)
    say("ana", "q0/a", "label", "no", confidence=20)
    say("ana", "q0/a", "overall", 3)
    say("ana", "q0/a", "sure", 85)
    say("ana", "q0/b", "tone", 1)
    frame = stored.frame().query("rater == 'ana' and item == 'q0/a'").set_index("question")
    assert frame.loc["tone", "confidence"] == 85
    assert frame.loc["label", "confidence"] == 20
    assert np.isnan(frame.loc["overall", "confidence"])
    other = stored.frame().query("rater == 'ana' and item == 'q0/b'")
    assert other["confidence"].isna().all()


def test_an_excluded_rater_is_left_out_and_can_be_asked_for(stored, say):
    say("ana", "q0/a", "tone", 1)
    stored.exclude("ana", why="answered without reading")
    assert "ana" not in set(stored.frame()["rater"])
    assert "ana" in set(stored.frame(excluded=True)["rater"])
    stored.include("ana")
    assert "ana" in set(stored.frame()["rater"])


def test_replicates_stand_side_by_side(stored, say):
    say("ana", "q0/a", "tone", 1, replicate=1)
    say("ana", "q0/a", "tone", 2, replicate=2)
    frame = stored.frame().query("rater == 'ana'")
    assert frame[["replicate", "value"]].values.tolist() == [[1, "1"], [2, "2"]]


def test_rows_are_in_the_order_of_items_whatever_the_order_of_answering(stored):
    stored.save("ben", [Event("1", "q2/a", "tone", 1), Event("2", "q0/b", "tone", 1)])
    stored.save("ana", [Event("3", "q0/b", "tone", 1)])
    people = stored.frame().query("rater_kind == 'human'")
    assert people[["item", "rater"]].values.tolist() == [
        ["q0/b", "ana"],
        ["q0/b", "ben"],
        ["q2/a", "ben"],
    ]


def test_the_hash_of_the_data_knows_answers_and_not_times_or_order(store, protocol, table):
    hashes = []
    for name, order in (("one", (0, 1)), ("two", (1, 0))):
        stored = store.open(name, protocol, table, raters=["ana"])
        events = [Event("a", "q0/a", "tone", 1), Event("b", "q0/b", "tone", 2)]
        for place in order:
            stored.save("ana", [events[place]])
        hashes.append(stored.data_hash())
    assert hashes[0] == hashes[1]
    stored.save("ana", [Event("c", "q0/b", "tone", 3)])
    assert stored.data_hash() != hashes[0]


def test_the_hash_of_the_data_is_that_of_its_rows_as_texts_in_order(stored, say):
    """So that a hash of an earlier version goes on naming the same answers."""
    for item, text in (("q0/a", "it's"), ("q0/b", 'she said "it\'s"'), ("q1/a", "1, 2)\n(")):
        say("ana", item, "tone", 1, confidence=62.5)
        say("ana", item, "tone_comment", text)
    frame = stored.frame(texts=True)
    names = ("item", "case", "part", "rater", "rater_kind", "question", "replicate", "value")
    columns = [frame[n].astype(object) for n in (*names, "status", "confidence", "role")]
    rows = zip(*(column.where(column.notna(), None) for column in columns), strict=True)
    lines = [stored.protocol_hash, *(f"{line}\n" for line in sorted(map(repr, rows)))]
    assert stored.data_hash() == sha256("".join(lines).encode()).hexdigest()


def test_who_writes_into_a_frame_changes_nothing_for_the_next(stored, say):
    say("ana", "q0/a", "tone", 1)
    before = stored.frame(reasons=True)
    written = stored.frame(reasons=True)
    for name in ("part", "replicate", "seconds", "revision", "number", "confidence"):
        written.iloc[:, written.columns.get_loc(name)] = 7
    pd.testing.assert_frame_equal(stored.frame(reasons=True), before)


def test_what_is_said_meanwhile_stands_in_the_next_frame(stored, store, say):
    say("ana", "q0/a", "tone", 1)
    assert stored.frame().query("rater == 'ana'")["value"].tolist() == ["1"]
    other = store.round(stored.name)
    other.save("ana", [Event("a-later-one", "q0/a", "tone", 2)])
    assert stored.frame().query("rater == 'ana'")["value"].tolist() == ["2"]


def test_what_all_answers_have_alike_and_what_one_has_are_read_the_same(stored, say):
    say("ana", "q0/a", "tone", 1)
    say("ana", "q0/b", "tone", 2)
    alike = stored.frame().query("rater == 'ana'").set_index("item")
    say("ana", "q1/a", "label", "no", confidence=20, seconds=3, replicate=2)
    told = stored.frame().query("rater == 'ana'").set_index("item")
    assert alike.loc["q0/a"].equals(told.loc["q0/a"])
    said = told.loc["q1/a"]
    assert (said["confidence"], said["seconds"], said["replicate"]) == (20, 3, 2)


def test_cells_are_told_apart_however_large_their_numbers():
    from raterbook.rounds.current import Events

    size = 4
    ones = np.ones(size, dtype=np.int64)
    nothing = np.full(size, np.nan)
    events = Events(
        rater=np.array([1, 2**40, 1, 1]),
        subject=np.array([5, 2**40, 5, 2**40]),
        part=ones,
        question=np.array([1, 2**30, 1, 1]),
        replicate=ones,
        status=ones * 0,
        value_id=ones,
        number=nothing,
        confidence=nothing,
        seconds=nothing,
        lamport=np.array([2, 1, 1, 1]),
        answered_at=ones,
        text=np.full(size, None),
        revision=ones,
    )
    current = events.current()
    assert len(current) == 3
    assert sorted(current.revision.tolist()) == [1, 1, 2]
