"""A new round by hand: the protocol, the file with its columns, the raters, and one button."""

import re

import pytest

from raterbook import Workspace
from raterbook.panels.controls import DroppedFile
from raterbook.panels.lead import LeadPanel
from raterbook.rating import front
from tests.conftest import ROOT
from tests.panels.reading import is_there, words

ROWS = [
    ("s1", "How long?", "It is 20 m long.", "About 20 m.", "SUPPORTED"),
    ("s2", "Who built it?", "It is 20 m long.", "A monk.", "NO EVIDENCE"),
    ("s3", "When?", "It opened in 1931.", "In 1913.", "CONTRADICTED"),
    ("s4", "Where?", "It stands in Leith.", "In Leith.", "SUPPORTED"),
]
HEAD = ("id", "question", "context", "generated_answer", "auto_label")


def table(head=HEAD, rows=ROWS):
    return "\n".join(",".join(each) for each in (head, *rows)).encode()


@pytest.fixture
def panel(tmp_path):
    return Workspace(tmp_path).panel()


@pytest.fixture
def opening(panel):
    """At the second step: the protocol is chosen, and the file is missing."""
    panel.panel.protocol.value = "halo-support"
    return panel.panel


def test_a_protocol_is_read_as_the_command_shows_it_before_any_file(panel, capsys):
    from raterbook.cli import main

    opening = panel.panel
    assert not is_there(opening._file)
    opening.protocol.value = "halo-support"
    main(["protocols", "halo-support"])
    assert " ".join(capsys.readouterr().out.split()) in words(opening.reading)
    assert is_there(opening._file)


def test_a_protocol_of_ones_own_is_named_by_its_file_and_what_is_wrong_with_it_is_said(panel, root):
    opening = panel.panel
    opening.own.value = str(root / "tests" / "protocols" / "pairwise.yaml")
    assert opening.asked.name == "pairwise"
    opening.own.value = "nowhere.yaml"
    assert "nowhere.yaml" in words(opening.notice)
    assert not is_there(opening._file)


def test_a_sound_file_opens_a_round_with_what_was_typed(panel, opening):
    opening.items.take("items.csv", table())
    assert "items.csv: 4 items in 4 cases." in words(opening.understood)
    opening.raters.value = "ana, ben;\ncarl"
    opening.per_item.value = 2
    assert "3 raters, 2 for each item: about 3 items for everybody." in words(opening.shares)
    opening.cluster.value = "context"
    opening.name.value = "pilot"
    opening.button.click()
    stored = Workspace(panel._workspace.path).round("pilot")
    assert [one.name for one in stored.raters()] == ["ana", "ben", "carl", "auto"]
    assert (stored.per_item, stored.cluster) == (2, "context")
    assert "pilot is open: 4 items of halo-support." in words(panel.panel.notice)
    assert panel.chosen.value == "pilot"


def test_what_raters_do_not_see_is_said_column_by_column(opening):
    opening.items.take("items.csv", table())
    said = words(opening.understood)
    assert "auto_label hidden from raters; answers of auto auto_label SUPPORTED" in said
    assert "context shown to raters context It is 20 m long." in said


def test_columns_called_otherwise_are_mapped_as_open_maps_them(opening):
    opening.items.take("items.csv", table(("id", "question", "Stretch", "Turned in", "auto_label")))
    assert "context" in words(opening.understood)
    assert not is_there(opening._last)
    column = {one.description: one for one in opening.columns.children}
    column["context"].value = "Stretch"
    column["generated_answer"].value = "Turned in"
    assert opening.headers == {"context": "Stretch", "generated_answer": "Turned in"}
    opening.button.click()
    stored = opening._workspace.round("round-01")
    assert {item.fields["context"] for item in stored.items()} == {row[2] for row in ROWS}


def test_columns_called_otherwise_are_guessed_from_the_file_and_said_to_be(opening):
    head = ("id", "prompt", "Passage", "output", "auto_label")
    opening.items.take("items.csv", table(head))
    assert opening.headers == {
        "question": "prompt", "context": "Passage", "generated_answer": "output",
    }  # fmt: skip
    assert "context is taken from “Passage”, by its name" in words(opening.understood)
    assert is_there(opening._last)
    chosen = next(one for one in opening.columns.children if one.description == "context")
    chosen.value = "output"
    assert "context is taken from" not in words(opening.understood)


def test_a_column_that_nothing_suggests_is_left_to_choose(opening):
    head = ("id", "question", "xyz", "generated_answer", "auto_label")
    opening.items.take("items.csv", table(head))
    assert "context" not in opening.headers
    assert not is_there(opening._last)


def test_what_is_wrong_is_named_by_row_and_nothing_can_be_opened(opening):
    wrong = [*ROWS[:3], ("s4", "Where?", "It stands in Leith.", "In Leith.", "MAYBE")]
    opening.items.take("items.csv", table(rows=wrong))
    assert "items.csv, row 5, column auto_label: 'MAYBE' is not one of" in words(opening.understood)
    assert not is_there(opening._last)
    opening.button.click()
    assert "Choose a protocol and its items first." in words(opening.notice)
    assert opening._workspace.rounds() == []


def test_the_same_name_with_mended_rows_is_read_anew(opening):
    opening.items.take("items.csv", b"id,question\n1,2\n")
    opening.items.take("items.csv", table())
    assert is_there(opening._last)


def test_a_sample_is_drawn_of_the_size_that_is_asked_for(opening):
    opening.items.take("items.csv", table())
    opening.sample.value = 2
    opening.by.value = ["auto_label"]
    opening.button.click()
    assert len(opening._workspace.round("round-01").items()) == 2


def test_a_refused_name_is_a_sentence_and_the_next_try_opens(opening):
    opening.items.take("items.csv", table())
    opening.name.value = "../round"
    opening.button.click()
    assert "'../round' is not a round name" in words(opening.notice)
    opening.name.value = "round-01"
    opening.button.click()
    assert opening._workspace.rounds() == ["round-01"]


def test_a_file_comes_in_pieces_and_one_that_breaks_off_is_none(opening):
    data, dropped = table(), opening.items
    first = {"name": "items.csv", "size": len(data), "at": 0}
    dropped._heard(None, first, [memoryview(data[:50])])
    assert dropped.path == ""
    dropped._heard(None, {**first, "at": 90}, [memoryview(data[90:])])  # a piece is lacking
    assert dropped.path == ""
    dropped._heard(None, {**first, "at": 50}, [memoryview(data[50:])])
    assert is_there(opening._last)


def test_a_dropped_file_is_refused_as_a_named_one_is_before_it_comes(opening):
    piece = {"name": "x/items.csv", "size": 3 * 1024**3, "at": 0}
    opening.items._heard(None, piece, [memoryview(b"a")])
    assert "items.csv is larger than 2,048 MB. Split it" in words(opening.notice)


def test_a_hostile_file_is_text_in_the_panel_and_stays_in_its_folder(opening):
    hostile = "<img src=x onerror=alert(1)>"
    rows = [(f"{hostile}{n}", hostile, hostile, hostile, "SUPPORTED") for n in range(2)]
    opening.items.take("../../up<b>.csv", table(rows=rows))
    shown = opening.understood.value
    assert "<img" not in shown
    assert "&lt;img" in shown
    assert "mathjax_ignore" in shown
    assert opening.items.path.startswith(str(opening.items._folder))


def test_a_panel_of_a_round_that_is_not_there_names_those_there_are(tmp_path):
    from raterbook.rounds import RoundError

    with pytest.raises(RoundError, match="no round 'round-09'"):
        LeadPanel(Workspace(tmp_path), "round-09")


def test_of_a_file_dropped_and_a_path_typed_the_later_one_is_meant(opening):
    (opening._workspace.path / "mine.csv").write_bytes(table(rows=ROWS[:2]))
    opening.items.take("items.csv", table())
    opening.path.value = "mine.csv"
    assert "mine.csv: 2 items" in words(opening.understood)
    opening.items.take("items.csv", table())
    assert "items.csv: 4 items" in words(opening.understood)


SAMPLES = sorted(path.parent for path in (ROOT / "data" / "samples").glob("*/items.csv"))


@pytest.mark.parametrize("folder", SAMPLES, ids=lambda folder: folder.name)
def test_every_sample_opens_by_hand(panel, folder):
    opening = panel.panel
    opening.protocol.value = folder.name
    opening.items.take("items.csv", (folder / "items.csv").read_bytes())
    assert is_there(opening.parts) == (folder.name == "rag-questeval")
    if is_there(opening.parts):
        opening.parts.take("parts.csv", (folder / "parts.csv").read_bytes())
    opening.raters.value = "ana\nben"
    opening.button.click()
    (row,) = [each for each in panel.panel._round.status()["raters"] if each["rater"] == "ana"]
    assert row["assigned"] > 5
    assert panel.panel._round.status()["without_parts"] == 0


def test_no_rule_of_the_form_lays_out_a_part_of_a_panel(panel):
    """One Lab can show both, and the styles of each hold for all of it."""

    def classes(style):
        return set(re.findall(r"\.(rb-[\w-]+)", style))

    notice = panel.panel.notice
    form = classes(front.style())
    assert "rb-notice" in form  # the control
    assert not form & {*notice._dom_classes, *panel._dom_classes, *classes(DroppedFile._css)}


def test_looks_are_declared_in_the_panel_and_wrong_ones_are_said(panel, opening):
    opening.items.take("items.csv", table())
    opening.looks.value = "50%,20%"
    opening.button.click()
    assert "later than the one before" in words(opening.notice)
    opening.looks.value = "2"
    opening.button.click()
    assert panel._workspace.round("round-01").looks().declared == (0.5, 1)
