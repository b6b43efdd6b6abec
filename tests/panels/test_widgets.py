"""What every panel has: nothing left behind in a long sitting, and long lists in short."""

import pytest
from ipywidgets import Widget

from raterbook import Workspace
from raterbook.panels.adjudicate import Adjudication
from raterbook.rounds import RoundError
from raterbook.widgets import LISTED, Picker
from tests.panels.conftest import ASKED, opened, say
from tests.panels.reading import is_there, words


def alive():
    return len(Widget.get_manager_state()["state"])


def stepping(panel):
    panel.decide.buttons["later"].click()


def between_rounds(panel):
    panel.chosen.value = "" if panel.chosen.value else "round-01"


@pytest.mark.parametrize(
    ("made", "step"),
    [(lambda r: Adjudication(r, "uma"), stepping), (lambda r: r.workspace.panel(), between_rounds)],
    ids=["the next dispute", "another round"],
)
def test_what_another_has_taken_the_place_of_is_closed(round_, made, step):
    panel = made(Workspace(round_.workspace.path).round("round-01"))
    step(panel)
    step(panel)
    before = alive()
    for _ in range(6):
        step(panel)
    assert alive() == before


def test_a_long_list_has_some_and_what_is_typed_finds_the_others():
    picker = Picker("Item", [f"i{n}" for n in range(LISTED + 50)], "none")
    assert [name for name, _ in picker.list.options[:2]] == ["none", "i0"]
    assert (len(picker.list.options), picker.more.value) == (
        LISTED + 1,
        "and 50 more: type to find one",
    )
    picker.find.value = "I24"
    assert [name for name, _ in picker.list.options] == [
        "none",
        "i24",
        *(f"i24{n}" for n in range(10)),
    ]
    picker.list.value = "i247"
    assert picker.value == "i247"


def test_what_is_typed_to_find_another_leaves_what_was_chosen_while_it_is_found_too():
    picker, heard = Picker("Item", [f"i{n}" for n in range(LISTED + 50)]), []
    picker.value = "i24"
    picker.observe(lambda change: heard.append(change.new), "value")
    picker.find.value = "24"
    assert (picker.value, heard) == ("i24", [])
    picker.find.value = "i249"
    assert (picker.value, heard) == ("i249", ["i249"])


def test_a_name_that_is_not_listed_is_found_where_a_script_chooses_it():
    picker = Picker("Item", [f"i{n}" for n in range(LISTED + 50)])
    picker.value = "i249"
    assert picker.list.value == "i249"
    with pytest.raises(ValueError, match="There is no 'i900' to choose"):
        picker.value = "i900"


def test_of_many_questions_to_discuss_some_are_drawn_and_the_others_a_click_away(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("raterbook.panels.adjudicate.LISTED", 3)
    said = {f"q{n}/m": {"label": ("yes", "no")} for n in range(5)}
    round_ = opened(tmp_path, said, {"label": ASKED["label"]}, ("ana", "ben"))
    panel = Adjudication(round_, "uma").calibrate
    panel.ready.value = True
    panel.reveal.click()
    assert "3 of 5 are shown." in words(panel.page)
    panel.more.click()
    assert "5. Label" in words(panel.page)
    assert not is_there(panel.more)


def test_before_a_declared_look_nobody_is_shown_what_is_in_dispute(tmp_path):
    said = {f"q{n}/m": {"label": ("yes", None)} for n in range(4)}
    round_ = opened(tmp_path, said, {"label": ASKED["label"]}, ("ana", "ben"), looks="100%")
    say(round_, "ben", "q0/m", "label", "no")
    with pytest.raises(RoundError, match="Agreement and verdicts are hidden"):
        Adjudication(round_, "uma")
    for n in range(1, 4):
        say(round_, "ben", f"q{n}/m", "label", "no")
    assert len(Adjudication(round_, "uma").decide.found) == 4
