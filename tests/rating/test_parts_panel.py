"""The panel that mends how an item was split."""

import pytest

from ratebook.protocols import load
from ratebook.rating import PartsPanel
from ratebook.rounds import Event, ItemTable, RoundError, Store

STEM = {
    "question_id": "q1", "question": "Why?", "article_id": "a1", "article": "An article.",
    "model": "m", "response": "It holds. See Fig. 2 for more. Done.",
}


@pytest.fixture
def stored(tmp_path):
    protocol = load("stem-sentences")
    table = ItemTable.from_records(protocol, [STEM])
    return Store(tmp_path / "r.sqlite").open("stem", protocol, table, raters=["ana"])


def parts(stored):
    return {part.number: part.text for part in stored.items()[0].parts}


def test_saved_lines_are_the_parts_and_old_numbers_are_not_used_again(stored):
    panel = PartsPanel(stored)
    assert panel.lines.value.splitlines() == ["It holds.", "See Fig. 2 for more.", "Done."]
    panel.lines.value = "It holds.\n\nSee Fig. 2 for more. Done.\n"
    panel.save()
    assert panel.said.value == "Saved 2 parts of q1/m."
    assert list(parts(stored).values()) == ["It holds.", "See Fig. 2 for more. Done."]
    assert not {2, 3} & {n for n, text in parts(stored).items() if text.startswith("See")}


def test_an_item_with_answers_keeps_its_parts_and_the_panel_says_why(stored):
    item = stored.queue("ana")[0]
    assert stored.save("ana", [Event("e1", item.ref, "accuracy", "accurate", part=1)])[0].ok
    before = parts(stored)
    panel = PartsPanel(stored)
    panel.lines.value = "One line."
    panel.save()
    assert parts(stored) == before
    assert "q1/m" in panel.said.value


def test_an_empty_panel_saves_nothing(stored):
    panel = PartsPanel(stored)
    panel.lines.value = " \n"
    panel.save()
    assert len(parts(stored)) == 3
    assert "at least one line" in panel.said.value


def test_protocols_without_parts_have_no_panel(tmp_path):
    protocol = load("halo-support")
    item = {"id": "s1", "question": "q", "context": "c", "generated_answer": "a"}
    table = ItemTable.from_records(protocol, [item])
    stored = Store(tmp_path / "r.sqlite").open("halo", protocol, table)
    with pytest.raises(RoundError, match="no parts"):
        PartsPanel(stored)
