"""A round led by hand: who is how far, raters, handouts, files of answers, the end."""

import json
import re
import sys
import uuid
from pathlib import Path

import pytest

from raterbook import Workspace
from raterbook.panels.lead import time_left
from raterbook.rounds import Event
from tests.browser.conftest import sample_rows
from tests.panels.reading import is_there, words

FRONT = Path(__file__).parents[1] / "rating" / "front"


@pytest.fixture
def opened(tmp_path):
    """opened(rater, …) is a round of six items of halo-support, in a workspace of its own."""
    import pandas as pd

    from raterbook.protocols import load

    def opened(*raters, **plan):
        rows, _ = sample_rows(load("halo-support"), 6)
        items = pd.DataFrame(rows)
        return Workspace(tmp_path).open("round-01", "halo-support", items, raters=raters, **plan)

    return opened


def answer(stored, rater, count, label="SUPPORTED", seconds=30.0):
    """The rater's first items, each in so many seconds."""
    events = [
        Event(uuid.uuid4().hex, item.ref, "label", label, seconds=seconds)
        for item in stored.queue(rater)[:count]
    ]
    assert all(ack.ok for ack in stored.save(rater, events))


def choose(panel, **values):
    for name, value in values.items():
        getattr(panel, name).value = value


# Progress


def test_progress_says_who_is_how_far_with_pace_and_time_left(opened):
    stored = opened("ana", "ben")
    answer(stored, "ana", 4, seconds=90.0)
    said = words(stored.panel().progress)
    assert "ana human 6 4 0 2 0 90 s an item about 3 min" in said
    assert "ben human 6 0 0 6 0" in said


def test_flags_stand_with_their_reasons(opened):
    stored = opened("ana")
    stored.mark("ana", stored.queue("ana")[0].ref, "flag", reason="two answers in one")
    key = stored.queue("ana")[0].key
    assert f"flagged by ana, {key}: two answers in one" in words(stored.panel().progress)


def test_what_others_did_meanwhile_is_there_when_one_looks_again(opened):
    stored = opened("ana")
    panel = stored.panel()
    Workspace(stored.workspace.path).round("round-01").add_rater("eva")
    assert "eva" not in words(panel.progress)
    panel.looking.click()
    assert "eva human 6" in words(panel.progress)


def test_the_panel_tells_time_left_as_the_form_does():
    for case in json.loads((FRONT / "left.json").read_text(encoding="utf-8")):
        assert time_left(case["durations"], case["items"]) == (case["left"] or "")


def test_nothing_of_agreement_is_in_the_panel_while_the_round_is_open(opened):
    stored = opened("ana", "ben")
    for rater in ("ana", "ben"):
        answer(stored, rater, 6)
    panel = stored.panel()
    assert not is_there(panel.building)
    assert is_there(panel.hidden)
    assert "Agreement stays hidden until the round is closed" in words(panel.hidden)
    drawn = [one.value for one in (panel.head, panel.progress, panel.page)]
    assert not re.search("[ακ]|alpha|kappa|agree", " ".join(drawn).rpartition("</style>")[2])
    panel.making.click()
    assert panel.page.value == ""
    panel.closing.click()
    assert is_there(panel.building)


# Raters


def test_a_rater_is_added_and_gets_items_by_the_plan(opened):
    stored = opened("ana")
    panel = stored.panel()
    choose(panel, newcomer="eva")
    panel.adding.click()
    assert words(panel.notice) == "eva is a rater of round-01, with 6 items."
    assert len(stored.queue("eva")) == 6


def test_unfinished_items_move_and_the_reason_is_in_the_log(opened):
    stored = opened("ana", "ben", per_item=1)
    panel = stored.panel()
    choose(panel, newcomer="eva")
    panel.adding.click()
    assert "without items. Every item has its raters: move unfinished ones." in words(panel.notice)
    choose(panel, giver="ana", taker="eva", reason="ana is ill")
    panel.reassigning.click()
    assert words(panel.notice) == "3 items moved from ana to eva."
    assert (len(stored.queue("ana")), len(stored.queue("eva"))) == (0, 3)
    assert "ana is ill" in str(stored.log())


def test_a_rater_is_left_out_only_with_a_reason_and_can_count_again(opened):
    stored = opened("ana", "ben")
    panel = stored.panel()
    choose(panel, leaving="ben")
    panel.excluding.click()
    assert "Say why ben is excluded from round-01" in words(panel.notice)
    choose(panel, why="rated <i>in</i> his sleep")
    panel.excluding.click()
    assert {one.name: one.excluded for one in stored.raters()}["ben"] == "rated <i>in</i> his sleep"
    assert "ben (excluded: rated <i>in</i> his sleep)" in words(panel.progress)
    choose(panel, returning="ben")
    panel.including.click()
    assert {one.name: one.excluded for one in stored.raters()}["ben"] is None


def test_nobody_chosen_is_a_sentence_and_changes_nothing(opened):
    stored = opened("ana", "ben")
    panel = stored.panel()
    panel.reassigning.click()
    assert words(panel.notice) == "Choose whom first, under “Move from”."
    assert len(stored.queue("ana")) == 6


# What is handed out


def test_a_notebook_is_for_its_rater_and_round_and_never_overwritten(opened):
    stored = opened("ana", "ben")
    panel = stored.panel()
    panel.notebooks.click()
    files = sorted((stored.workspace.path / "notebooks").iterdir())
    assert [file.name for file in files] == ["rate-ana.ipynb", "rate-ben.ipynb"]
    source = "".join(json.loads(files[0].read_text(encoding="utf-8"))["cells"][1]["source"])
    assert "round_name = 'round-01'\nrater = 'ana'" in source
    files[0].write_text("mine", encoding="utf-8")
    panel.notebooks.click()
    assert files[0].read_text(encoding="utf-8") == "mine"
    assert "rate-ana-round-01.ipynb" in words(panel.handed)
    panel.notebooks.click()
    assert len(list(files[0].parent.iterdir())) == 3


def test_a_name_that_looks_like_a_path_or_code_stays_a_name(opened):
    names = ("../up", "<b>x</b>'); import os  #", "CON")
    stored = opened(*names)
    panel = stored.panel()
    panel.notebooks.click()
    files = list((stored.workspace.path / "notebooks").iterdir())
    assert len(files) == 3
    given = set()
    for file in files:
        scope: dict = {}
        exec("".join(json.loads(file.read_text(encoding="utf-8"))["cells"][1]["source"]), scope)
        given.add(scope["rater"])
    assert given == set(names)
    assert "<b>" not in panel.handed.value
    assert "<b>" not in panel.progress.value


def test_a_sheet_names_no_system_and_comes_back_filled_in(opened):
    import openpyxl

    stored = opened("ana", "ben")
    panel = stored.panel()
    choose(panel, receiver="ana")
    panel.sheets.click()
    (file,) = (stored.workspace.path / "handouts" / "round-01").iterdir()
    book = openpyxl.load_workbook(file)
    sheet = book.active
    head = [cell.value for cell in sheet[1]]
    assert head == ["item", "question", "context", "generated_answer", "rater", "label", "notes"]
    for row in sheet.iter_rows(min_row=2):
        assert row[0].value not in {item.key for item in stored.items()}
        row[head.index("label")].value = "SUPPORTED"
    book.save(file)
    panel.answers.take(file.name, file.read_bytes())
    assert "6 answers added, 0 unchanged (ana). Nothing is stored yet." in words(panel.rehearsed)
    panel.taking.click()
    assert len(stored.current("ana")) == 6


def test_the_guide_is_written_and_named(opened):
    stored = opened("ana")
    panel = stored.panel()
    panel.guide.click()
    file = stored.workspace.path / "handouts" / "round-01" / "guide.html"
    assert "everybody: handouts/round-01/guide.html" in words(panel.handed)
    assert file.exists()
    assert "NO EVIDENCE" in file.read_text(encoding="utf-8")


# Files of answers


def answers(stored, rater, labels):
    keys = [item.key for item in stored.items()]
    lines = [f"{key},{rater},label,{label}" for key, label in zip(keys, labels, strict=False)]
    return "\n".join(["item,rater,question,value", *lines]).encode()


def test_a_file_is_shown_before_it_is_taken_in(opened):
    stored = opened("ana")
    panel = stored.panel()
    panel.answers.take("ratings.csv", answers(stored, "ben", ["SUPPORTED"] * 3))
    assert "3 answers added, 0 unchanged (ben). Nothing is stored yet." in words(panel.rehearsed)
    assert len(stored.answers().query("rater == 'ben'")) == 0
    assert [one.name for one in stored.raters()] == ["ana", "auto"]
    panel.taking.click()
    assert len(stored.answers().query("rater == 'ben'")) == 3
    assert not is_there(panel.taking)


def test_rows_that_are_wrong_are_named_and_cannot_be_taken_in(opened):
    stored = opened("ana")
    panel = stored.panel()
    panel.answers.take("ratings.csv", answers(stored, "ben", ["SUPPORTED", "PERHAPS"]))
    assert "ratings.csv, row 3" in words(panel.rehearsed)
    assert not is_there(panel.taking)
    panel.answers.take("ratings.csv", b"\x00\xff not a table")
    assert not is_there(panel.taking)


def test_differing_answers_come_in_only_as_corrections(opened):
    stored = opened("ana")
    answer(stored, "ana", 6)
    panel = stored.panel()
    panel.answers.take("ratings.csv", answers(stored, "ana", ["NO EVIDENCE"]))
    assert "differs from SUPPORTED" in words(panel.rehearsed)
    panel.replace.value = True
    assert "1 corrected" in words(panel.rehearsed)
    assert set(stored.answers().query("rater == 'ana'")["value"]) == {"SUPPORTED"}


def test_the_command_rehearses_too(opened, tmp_path, capsys):
    from raterbook.cli import main

    stored = opened("ana")
    file = tmp_path / "ratings.csv"
    file.write_bytes(answers(stored, "ben", ["SUPPORTED"] * 3))
    words = ["--workspace", str(tmp_path), "import", "round-01", str(file)]
    assert main([*words, "--dry-run"]) == 0
    assert "3 answers added" in capsys.readouterr().out
    assert "ben" not in [one.name for one in stored.raters()]
    assert main(words) == 0
    assert "ben" in [one.name for one in stored.raters()]


# The end


def test_closing_reopening_and_the_page(opened, monkeypatch, tmp_path):
    stored = opened("ana", "ben")
    for rater in ("ana", "ben"):
        answer(stored, rater, 6)
    panel = stored.panel()
    choose(panel, ending="all have answered")
    panel.closing.click()
    assert stored.state == "closed"
    assert "all have answered" in str(stored.log())
    assert not is_there(panel._adding)
    seen = []
    panel.bar.observe(lambda change: seen.append(change.new), "value")
    panel.making.click()
    assert words(panel.notice) == "The page is built; here it is."
    assert "srcdoc" in panel.page.value
    assert seen == sorted(seen)
    assert seen[-1] == panel.bar.max > 20
    panel.reopening.click()
    assert panel.page.value == ""
    assert stored.state == "open"


# In any notebook


def test_without_a_page_a_round_and_a_workspace_show_html(opened, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    stored = opened("ana")
    for led in (stored, stored.workspace):
        assert led._repr_mimebundle_() == {}
        assert "round-01" in led._repr_html_()


def test_in_jupyter_they_show_the_panel(opened, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/here/open.ipynb")
    stored = opened("ana")
    for led in (stored, stored.workspace):
        assert list(led._repr_mimebundle_()) == ["application/vnd.jupyter.widget-view+json"]


def test_without_ipywidgets_they_show_html_in_jupyter_too(opened, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/here/open.ipynb")
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert opened("ana")._repr_mimebundle_() == {}


def test_a_workspace_shows_its_rounds_before_a_new_one_is_opened(opened):
    panel = opened("ana").workspace.panel()
    assert "round-01 halo-support open 6 2 6 6" in words(panel.place)
    panel.chosen.value = "round-01"
    assert panel.panel.round_name == "round-01"


# Declared looks


def test_at_a_declared_look_the_page_can_be_built_and_not_before(opened):
    stored = opened("ana", "ben", looks=2)
    panel = stored.panel()
    assert not is_there(panel.building)
    assert "look 1 of 2 comes at 50 %; 0 of 12" in words(panel.hidden)
    panel.making.click()
    assert panel.page.value == ""
    for rater in ("ana", "ben"):
        answer(stored, rater, 3)
    panel.looking.click()
    assert is_there(panel.building)
    assert "look 1 of 2 is due: 6 of 12" in words(panel.hidden)


# The plan


def test_a_new_plan_is_shown_before_it_is_made(opened):
    stored = opened("ana", "ben")
    panel = stored.panel()
    plan = panel.plan
    choose(plan, per_item=1, further="eva, dan")
    assert not is_there(plan.assigning)
    plan.trying.click()
    assert words(panel.notice).startswith("round-01: 1 rater for each item, if it were done.")
    assert "eva" in words(plan.planned)
    assert {one.name for one in stored.raters() if one.kind == "human"} == {"ana", "ben"}
    plan.assigning.click()
    assert words(panel.notice) == "round-01: 1 rater for each item."
    work = {name: len(stored.queue(name)) for name in ("ana", "ben", "eva", "dan")}
    assert (len(work), sum(work.values())) == (4, 6)
    assert not is_there(plan.assigning)


def test_a_plan_that_was_changed_is_shown_anew_before_it_is_made(opened):
    panel = opened("ana", "ben").panel()
    plan = panel.plan
    choose(plan, per_item=1)
    plan.trying.click()
    assert is_there(plan.assigning)
    choose(plan, per_item=2)
    assert not is_there(plan.assigning)
    assert words(plan.planned) == ""


def test_a_plan_that_cannot_be_made_says_why(opened):
    panel = opened("ana", "ben").panel()
    plan = panel.plan
    choose(plan, per_item=3)
    plan.trying.click()
    assert not is_there(plan.assigning)
    assert "3" in words(panel.notice)
    choose(plan, per_item=0)
    plan.trying.click()
    assert "Say how many raters an item is to have" in words(panel.notice)


def test_a_panel_that_another_replaces_is_closed_with_all_its_parts(opened, tmp_path):
    opened("ana")
    panel = Workspace(tmp_path).panel("round-01")
    before = panel.panel
    parts = [before, before.tabs, before.adding, before.answers]
    panel.chosen.value = ""
    assert [one.comm for one in parts] == [None] * 4
    assert panel.panel.button.comm is not None
