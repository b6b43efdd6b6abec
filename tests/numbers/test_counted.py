"""The answers of a round as tables: who counts beside whom, and where an answer stands."""

import numpy as np
import pandas as pd
import pytest

from raterbook.numbers.completeness import completeness_of
from raterbook.numbers.compute import frame_of, summary
from raterbook.numbers.counted import DOT, Scale, count, majority_of
from raterbook.numbers.parameters import Parameters
from tests.reporting.rounds import asking, choice, measured, opened, scale

ASKED = {"s": scale(3), "label": choice("yes", "no")}
ITEMS = [{"id": f"i{n}", "text": "A text.", "auto": "yes"} for n in range(3)]


def counted(folder, answers, kinds=None, raters=None, parts=None):
    text = asking(ASKED, [measured("mean", "s")], parts=parts)
    stored = opened(folder, text=text, items=ITEMS, answers=answers, kinds=kinds)
    return count(frame_of(stored, Parameters("by-hand")), stored.protocol.questions, raters)


BOTH = [
    *(("ana", "i0", "s", 1), ("ana", "i2", "s", 3), ("ben", "i0", "s", 2)),
    *(("ana", "i0", "label", "no"), ("ben", "i1", "label", "yes")),
    *(("owl", "i0", "s", 3), ("owl", "i1", "label", "no")),
]


def test_a_table_holds_scores_as_they_are_and_labels_by_their_place(tmp_path):
    found = counted(tmp_path, BOTH, {"owl": "model"})
    scores, labels = (found.table(question) for question in found.questions)
    assert scores.to_dict("index") == {
        "i0": {"ana": 1.0, "ben": 2.0},
        "i2": {"ana": 3.0, "ben": pytest.approx(np.nan, nan_ok=True)},
    }
    assert labels.loc["i0", "ana"] == 1.0
    assert labels.loc["i1", "ben"] == 0.0
    assert found.raters() == ["ana", "ben"]
    assert found.places() == {"i0": ("i0", 0), "i1": ("i1", 0), "i2": ("i2", 0)}


def test_machines_stand_beside_people_where_both_answered(tmp_path):
    found = counted(tmp_path, BOTH, {"owl": "model"})
    beside = [(rater, kind, question.id) for rater, kind, question in found.machines()]
    assert beside == [
        ("auto", "automatic", "label"),
        ("owl", "model", "label"),
        ("owl", "model", "s"),
    ]


def test_where_models_alone_answered_they_are_the_people(tmp_path):
    found = counted(
        tmp_path, [("owl", "i0", "s", 3), ("elk", "i1", "s", 2)], {"owl": "model", "elk": "model"}
    )
    assert (found.kind, found.raters(), found.machines()) == ("model", ["elk", "owl"], [])
    assert [question.id for question in found.numeric()] == ["s"]
    assert found.labelled() == []
    assert found.table(found.questions[1]).empty


def test_whoever_is_named_counts_whatever_they_are(tmp_path):
    found = counted(tmp_path, BOTH, {"owl": "model"}, raters=["owl"])
    assert (found.kind, found.raters()) == ("named", ["owl"])


def test_a_majority_is_more_than_half_of_those_who_said_anything():
    table = pd.DataFrame(
        {"a": [2.0, 2, 2, np.nan], "b": [2.0, 1, 1, np.nan], "c": [1.0, 1, np.nan, np.nan]}
    )
    assert majority_of(table).tolist()[:2] == [2.0, 1.0]
    assert majority_of(table).isna().tolist() == [False, False, True, True]


def test_an_answer_given_twice_is_refused_with_whose_and_where_it_is():
    names = ["ana", "ben", "eva"]
    rows = [(f"i{n}", name, 1.0 + n) for n in range(4) for name in names] + [("i2", "eva", 2.0)]
    frame = pd.DataFrame(rows, columns=["item", "rater", "number"])
    frame = frame.assign(case=frame["item"], part=0, rater_kind="human", question="s", value="1")
    with pytest.raises(ValueError, match="eva answered “s” on i2 twice"):
        summary(frame, [{"statistic": "mean", "question": "s"}], {"s": {"type": "scale"}})


def test_a_blank_is_no_label_whatever_number_stands_beside_it():
    rows = [("i0", "ana", "yes", np.nan), ("i0", "ben", "", 1.0), ("i1", "ben", "no", np.nan)]
    frame = pd.DataFrame(rows, columns=["item", "rater", "value", "number"])
    frame = frame.assign(case=frame["item"], part=0, rater_kind="human", question="q")
    [row] = summary(
        frame,
        [{"statistic": "percent_agreement", "question": "q"}],
        {"q": {"type": "choice", "scale": ["yes", "no"]}},
    )
    assert (row["estimate"], row["reason"]) == (None, "no_pairable_units")


def test_a_case_is_a_unit_beside_the_items_of_others():
    rows = [("a", "a", 1.0), ("b", "b", 2.0), (None, "c", 3.0)]
    frame = pd.DataFrame(rows, columns=["item", "case", "number"])
    frame = frame.assign(part=0, rater="ana", rater_kind="human", question="s", value="1")
    [row] = summary(frame, [{"statistic": "mean", "question": "s"}], {"s": {"type": "scale"}})
    assert (row["estimate"], row["n_items"]) == (2.0, 3)


def test_a_value_is_known_in_any_way_its_number_is_written():
    scale = Scale((1, 2, 4), np.array([1.0, 2.0, 4.0]), True, False)
    assert [scale.code(each) for each in (4, "4", 4.0, "4.0", "1e0", 3, "many")] == [3] * 4 + [
        1,
        0,
        0,
    ]
    labels = Scale(("1", "2"), np.array([1.0, 2.0]), True, True)
    assert [labels.code(each) for each in ("2", 2, "2.0")] == [2, 2, 0]


def test_what_is_missing_is_what_the_plans_ask_for_and_nobody_gave(tmp_path):
    text = asking(ASKED, [measured("mean", "s")])
    stored = opened(tmp_path, text=text, items=ITEMS, answers=BOTH, kinds={"owl": "model"})
    found = completeness_of(stored, Parameters("by-hand"))
    assert (found.required, found.given, found.missing) == (2 * 2 * 3, 5, 7)
    assert (found.share, found.raters) == (pytest.approx(5 / 12), 2)


@pytest.mark.parametrize(
    ("answers", "kind", "who"),
    [
        ([("ana", "i0", "s", 1), ("owl", "i0", "label", "no")], "human", ["ana", "owl"]),
        ([("owl", "i0", "label", "no")], "model", ["owl"]),
        ([("bot", "i0", "label", "no")], "human", []),
    ],
)
def test_a_round_is_of_people_unless_only_models_answered(tmp_path, answers, kind, who):
    found = counted(tmp_path, answers, {"owl": "model", "bot": "automatic"})
    assert (found.kind, found.raters()) == (kind, who)


def test_a_part_is_named_behind_its_item_and_the_whole_item_is_not(frame):
    found = count(frame([("i0", part, "ana", "s", 1) for part in (0, 1, 2)]), [])
    assert found.places() == {"i0": ("i0", 0), f"i0{DOT}1": ("i0", 1), f"i0{DOT}2": ("i0", 2)}
