"""What the form's door says of an answer, a file's says too; and what goes out, as it came in."""

import json
from contextlib import closing

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.judges import judge
from raterbook.protocols import parse
from raterbook.rounds import Event, RoundError

PROTOCOL = parse(
    """
name: doors
title: Many kinds
about: For tests.
instructions: [Answer.]
item:
  key: [id, model]
  case: id
  fields:
    id: {label: Id, show: none}
    model: {label: Model, show: hidden}
    text: {label: Text}
questions:
  - {id: tone, label: Tone of voice, prompt: Rate it, type: scale, min: 1, max: 5}
  - {id: sure, prompt: How sure, type: percent, covers: [tone], required: false}
  - id: label
    prompt: Which
    type: choice
    required: false
    options: [{value: "NO EVIDENCE", description: None}, {value: SUPPORTED, description: Some}]
  - {id: why, prompt: Why, type: text, when: {label: [SUPPORTED]}, required: false}
  - {id: said, prompt: What, type: text, required: false}
""",
    source="doors.yaml",
)
ITEMS = [
    {"id": "i1", "model": "m", "text": "one"},
    {"id": "i2", "model": "m", "text": "two"},
    {"id": "i2", "model": "n", "text": "three"},
]


@pytest.fixture
def opened(tmp_path):
    """A round of a workspace of its own; further ones by name."""
    place = Workspace(tmp_path)

    def make(name="r", **how):
        return place.open(name, PROTOCOL, pd.DataFrame(ITEMS), **how)

    return make


def saved(round, rater, *events):
    round.add_rater(rater)
    return round.save(
        rater, [Event(None, *event[:3], **(event[3] if event[3:] else {})) for event in events]
    )


def long(tmp_path, *rows, head="item,rater,question,value"):
    file = tmp_path / "a.csv"
    file.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return file


def tasks(tmp_path, value, kind="textarea", name="said", item="i1/m"):
    key = "text" if kind == "textarea" else kind
    file = tmp_path / "a.json"
    file.write_text(
        json.dumps(
            [
                {
                    "data": {"item": item},
                    "annotations": [
                        {
                            "completed_by": "ana",
                            "result": [{"from_name": name, "type": kind, "value": {key: [value]}}],
                        }
                    ],
                }
            ]
        )
    )
    return file


@pytest.mark.parametrize("text", ["a\u0000b", "half \ud800 a letter"])
def test_a_text_no_file_can_hold_is_refused_by_form_and_json_alike(opened, tmp_path, text):
    round = opened()
    (ack,) = saved(round, "ana", ("i1/m", "said", text))
    assert "no file can hold" in ack.reason
    with pytest.raises(RoundError, match=r"a\.json, row 1, column said: .*no file can hold.*Write"):
        round.add(tasks(tmp_path, text), rater="ana")
    assert round.answers(texts=True).empty


def test_so_is_a_reason(opened):
    (ack,) = saved(
        opened(), "ana", ("i1/m", "tone", None, {"status": "skipped", "reason": "half \ud800"})
    )
    assert "the reason has characters no file can hold" in ack.reason


def test_percentages_have_one_spelling_in_frame_and_file(opened, tmp_path):
    round = opened()
    acks = saved(round, "ana", ("i1/m", "sure", 80), ("i2/m", "sure", "0.5%"))
    assert all(ack.ok for ack in acks)
    round.export(tmp_path / "out.csv")
    assert list(round.answers()["value"]) == ["80", "0.5%"]
    assert list(pd.read_csv(tmp_path / "out.csv", dtype=str)["value"]) == ["80", "0.5%"]


def test_percentages_have_that_spelling_in_the_view_too(opened):
    import sqlite3

    round = opened()
    saved(round, "ana", ("i1/m", "sure", 80), ("i2/m", "sure", "0.5%"))
    with closing(sqlite3.connect(round.workspace.db)) as database, database:
        found = database.execute("SELECT value FROM current_answer ORDER BY subject").fetchall()
    assert found == [("80",), ("0.5%",)]


def test_a_round_s_own_frame_is_taken_in_again_as_it_is(opened):
    round, other = opened(), opened("other")
    acks = saved(
        round,
        "ana",
        ("i1/m", "sure", "0.5%"),
        ("i1/m", "tone", 4),
        ("i2/m", "tone", 2, {"confidence": "0.5%", "seconds": 1.5}),
        ("i2/n", "tone", None, {"status": "skipped"}),
        ("i1/m", "said", " =1+1 "),
    )
    assert all(ack.ok for ack in acks)
    frame = round.answers(texts=True)
    other.add(frame)
    again = other.answers(texts=True)
    pd.testing.assert_frame_equal(
        frame.drop(columns="round"), again.drop(columns="round"), check_categorical=False
    )


def test_confidence_of_one_half_is_refused_by_form_and_file_alike(opened, tmp_path):
    round = opened()
    (ack,) = saved(round, "ana", ("i1/m", "tone", 4, {"confidence": 0.5}))
    assert "0.5 could be a fraction or a percentage. Write 50, or 0.5%." in ack.reason
    with pytest.raises(RoundError, match=r"0\.5 could be a fraction or a percentage"):
        round.add(
            long(tmp_path, "i1/m,ana,tone,4,0.5", head="item,rater,question,value,confidence")
        )
    assert saved(round, "ana", ("i1/m", "tone", 4, {"confidence": "0.5%"}))[0].ok
    assert round.answers()["confidence"].tolist() == [0.5]


def test_the_case_names_its_one_item_for_form_file_and_judge_alike(opened, tmp_path):
    round = opened()
    assert saved(round, "ana", ("i1", "tone", 4))[0].ok
    round.add(long(tmp_path, "i1,ana,tone,4"))
    run = judge(round, lambda text: '{"tone": {"reasoning": "", "score": 4}}', "m", items=["i1"])
    assert run.total == 1
    assert set(round.answers()["item"]) == {"i1/m"}


def test_a_case_with_two_items_names_none_at_either_door(opened, tmp_path):
    round = opened()
    (ack,) = saved(round, "ana", ("i2", "tone", 4))
    assert "'i2' names 2 items: write which one, i2/m, i2/n" in ack.reason
    with pytest.raises(RoundError, match="i2 names 2 items"):
        round.add(long(tmp_path, "i2,ana,tone,4"))


def test_a_question_s_label_heads_its_column_in_wide_as_it_names_it_in_long(opened, tmp_path):
    round = opened()
    round.add(long(tmp_path, "i1/m,ana,Tone of voice,4"))
    round.add(long(tmp_path, "i1/m,ben,4", head="item,rater,Tone of voice"))
    assert list(round.answers()["value"]) == ["4", "4"]


@pytest.mark.parametrize("spelt", ["NO−EVIDENCE", "no_evidence", "No–Evidence", "ＮＯ EVIDENCE"])
def test_a_dash_of_any_kind_spells_an_option_at_every_door(opened, tmp_path, spelt):
    round = opened()
    assert saved(round, "ana", ("i1/m", "label", spelt))[0].ok
    round.add(long(tmp_path, f"i1/m,ben,label,{spelt}"))
    round.add(tasks(tmp_path, spelt, "choices", "label"), rater="cyd")
    assert list(round.answers()["value"]) == ["NO EVIDENCE"] * 3


@pytest.mark.parametrize("layout", ["long", "wide", "parquet", "label-studio", "argilla"])
def test_an_excluded_rater_is_in_no_export_and_the_export_says_so(opened, tmp_path, layout):
    round = opened()
    for rater in ("ana", "ben"):
        saved(round, rater, ("i1/m", "tone", 4))
    round.exclude("ben", "did not read the guide")
    file = tmp_path / {"parquet": "o.parquet"}.get(
        layout, "o.json" if "-" in layout or layout == "argilla" else "o.csv"
    )
    said = round.export(file, layout)
    assert "answers of ben (excluded)" in str(said)
    other = opened("other")
    other.add(file)
    assert set(other.answers()["rater"]) == {"ana"}


def test_an_answer_to_a_question_that_is_not_asked_is_refused_by_form_and_file(opened, tmp_path):
    round = opened()
    with pytest.raises(RoundError, match="asked only if"):
        round.add(long(tmp_path, "i1/m,ana,label,NO EVIDENCE", "i1/m,ana,why,so"))
    acks = saved(round, "ana", ("i1/m", "label", "NO EVIDENCE"), ("i1/m", "why", "so"))
    assert [ack.ok for ack in acks] == [True, False]


def test_an_unknown_item_is_a_problem_of_the_column_item_whatever_its_name(opened, tmp_path):
    with pytest.raises(RoundError, match=r"row 2, column item: department-3 is no item"):
        opened().add(long(tmp_path, "department-3,ana,tone,4"))


def test_a_role_is_read_alike_from_a_file_and_from_records(opened, tmp_path):
    from raterbook.rounds import ItemTable

    round = opened()
    rows = [{"id": "i9", "model": "m", "text": "x", "role": " Gold "}]
    round.add_items(ItemTable.from_records(PROTOCOL, rows))
    assert {item.key: item.role for item in round.items()}["i9/m"] == "gold"


def test_an_item_with_answers_that_is_to_be_replaced_is_refused_in_words(opened):
    from raterbook.rounds import ItemTable

    round = opened()
    saved(round, "ana", ("i1/m", "tone", 4))
    table = ItemTable.from_records(PROTOCOL, [{**ITEMS[0], "text": "other"}])
    with pytest.raises(RoundError, match=r"row 1: 'i1/m' has answers, and its text cannot change"):
        round.add_items(table, replace=True)


@pytest.mark.parametrize("command", ["guide", "codebook"])
def test_guide_and_codebook_go_to_standard_output(tmp_path, capsysbinary, command):
    (tmp_path / "p.yaml").write_text(PROTOCOL.text, encoding="utf-8")
    pd.DataFrame(ITEMS).to_csv(tmp_path / "items.csv", index=False)
    place = ["--workspace", str(tmp_path)]
    assert (
        main(
            [
                *place,
                "open",
                "r",
                "--protocol",
                str(tmp_path / "p.yaml"),
                "--items",
                str(tmp_path / "items.csv"),
            ]
        )
        == 0
    )
    capsysbinary.readouterr()
    assert main([*place, command, "r", "-"]) == 0
    out = capsysbinary.readouterr().out.decode()
    assert out.startswith("# ")
    assert not out.rstrip().endswith("\n-")
