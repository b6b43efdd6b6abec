"""Many people, a few items each: import and status say what “missing” rests on, and who is who."""

import contextlib

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.rounds import RoundError
from tests.reporting.rounds import page_of, words_of

from .test_one_rule import PROTOCOL

ITEMS = pd.DataFrame([{"id": f"i{number}", "model": "m", "text": "x"} for number in range(12)])


@pytest.fixture
def place(tmp_path):
    (tmp_path / "p.yaml").write_text(PROTOCOL.text, encoding="utf-8")
    ITEMS.to_csv(tmp_path / "items.csv", index=False)
    return Workspace(tmp_path)


def crowd(people=12, each=3, name="worker {}"):
    """Item i has answers of `each` people; everybody has as many items."""
    return pd.DataFrame(
        [
            {
                "item": f"i{item}",
                "rater": name.format((item + turn) % people),
                "question": "tone",
                "value": "4",
            }
            for item in range(12)
            for turn in range(each)
        ]
    )


def test_import_says_how_many_people_an_item_has_and_what_to_do(place):
    round = place.open("r", PROTOCOL, ITEMS)
    said = str(round.add(crowd()))
    assert "Each item has answers of 3 of 12 people. Without a plan everybody is asked" in said
    assert "--per-item 3" in said
    planned = place.open("planned", PROTOCOL, ITEMS, per_item=3)
    assert "Without a plan" not in str(planned.add(crowd()))
    all_of_all = place.open("all", PROTOCOL, ITEMS)
    assert "Without a plan" not in str(all_of_all.add(crowd(3, 3)))


def test_status_says_of_whom_the_missing_answers_are_wanted(place, capsys):
    place.open("r", PROTOCOL, ITEMS).add(crowd())
    assert main(["--workspace", str(place.path), "status", "r"]) == 0
    said = capsys.readouterr().out
    assert "108 required answers missing if all 12 people are to answer about every item" in said
    assert "items have 3 people on average, and no plan says" in said
    place.open("planned", PROTOCOL, ITEMS, per_item=3).add(crowd())
    assert main(["--workspace", str(place.path), "status", "planned"]) == 0
    assert "if all" not in capsys.readouterr().out


def test_people_named_for_a_round_owe_their_answers_from_the_first_file_on(place):
    round = place.open("named", PROTOCOL, ITEMS, raters=[str(n) for n in range(12)])
    round.add(crowd(12, 3, "{}"))
    assert "108 required answers missing; " in str(round.status())


def test_the_page_asks_nobody_to_fill_what_no_plan_says_they_were_asked(place):
    round = place.open("r", PROTOCOL, ITEMS)
    round.add(crowd())
    page = words_of(page_of(round))
    assert "108 of 144 required answers are missing if everybody is to answer about" in page
    assert "items have 3 of 12 people on average" in page
    assert "ask the raters to fill them" not in page


def test_a_plan_is_set_after_opening_and_then_nothing_is_missing(place):
    round = place.open("r", PROTOCOL, ITEMS)
    round.add(crowd())
    with contextlib.suppress(SystemExit):
        main(["--workspace", str(place.path), "assign", "r", "--per-item", "3"])
    assert round.status()["missing"] == 0


def test_a_hundred_new_raters_are_ten_names_and_a_count(place):
    said = str(place.open("r", PROTOCOL, ITEMS, per_item=12).add(crowd(162, 12, "worker {}")))
    assert max(map(len, said.splitlines())) < 500
    assert "and 13 more" in said


def test_an_unknown_rater_of_a_crowd_is_refused_in_a_line(place):
    round = place.open("r", PROTOCOL, ITEMS, per_item=3)
    round.add(crowd())
    with pytest.raises(RoundError, match=r"worker 9 and 2 more\. Correct the name"):
        round.exclude("nobody", "why not")


def test_a_name_of_another_round_is_one_person_and_import_and_open_say_so(place, capsys):
    place.open("first", PROTOCOL, ITEMS).add(crowd(12, 3, "{}"))
    round = place.open("second", PROTOCOL, ITEMS)
    said = str(round.add(crowd(4, 3, "{}")))
    assert (
        "0, 1, 2, 3 are known from other rounds here, and one name is one person over all rounds."
    ) in said
    assert "such as second-0, or a workspace of their own" in said
    assert "known from other rounds" not in str(round.add(crowd(4, 3, "{}")))
    assert (
        main(
            [
                "--workspace",
                str(place.path),
                "open",
                "third",
                "--protocol",
                str(place.path / "p.yaml"),
                "--items",
                str(place.path / "items.csv"),
                "--raters",
                "new,1",
            ]
        )
        == 0
    )
    assert "1 is known from other rounds here" in capsys.readouterr().out


def test_a_file_of_many_people_is_the_plan_where_everybody_about_everything_would_be_too_much(
    place,
):
    items = pd.DataFrame([{"id": f"i{n}", "model": "m", "text": "x"} for n in range(1_000)])
    lines = pd.DataFrame(
        [{"item": f"i{n}", "rater": f"w{n}", "question": "tone", "value": "4"} for n in range(250)]
    )
    round = place.open("r", PROTOCOL, items)
    said = str(round.add(lines))
    assert "250 answers added" in said
    assert "Each item has answers of 1 of 250 people. 1 an item is the plan from now on" in said
    assert "raterbook assign r --per-item N" in said
    status = round.status()
    assert (status["per_item"], status["missing"]) == (1, 0)
    assert {each["assigned"] for each in status["raters"]} == {1}
    assert any(entry["action"] == "assign" and entry["per_item"] == 1 for entry in round.log())
    more = lines.assign(rater="late")[:1]
    assert "1 answer added" in str(round.add(more.assign(item="i900")))
    assert round.status()["raters"][-1]["assigned"] == 1


def test_few_answers_of_a_few_people_ask_nobody_about_all_of_a_very_large_round(place, monkeypatch):
    monkeypatch.setattr("raterbook.files.content.GIVEN", (20, 1))
    round = place.open("r", PROTOCOL, ITEMS)
    with pytest.raises(RoundError, match="3 answers of 3 new raters, who would be asked 36 times"):
        round.add(crowd(3, 3)[:3])
    assert round.frame().empty
    round.assign(per_item=2, raters=["worker 0", "worker 1", "worker 2"])
    assert "3 answers added" in str(round.add(crowd(3, 3)[:3]))


def test_few_lines_make_no_crowd_that_is_asked_about_every_gold_item(place):
    items = pd.DataFrame(
        [{"id": f"i{n}", "model": "m", "text": "x", "role": "gold"} for n in range(1_000)]
    )
    lines = pd.DataFrame(
        [{"item": f"i{n}", "rater": f"w{n}", "question": "tone", "value": "4"} for n in range(250)]
    )
    round = place.open("r", PROTOCOL, items)
    with pytest.raises(RoundError, match="250 new raters, who would be asked 250,000 times"):
        round.add(lines)
    assert round.frame().empty
