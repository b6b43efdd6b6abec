"""The panel that mends how an item was split."""

import pytest

from raterbook.protocols import load, parse
from raterbook.rating import PartsPanel
from raterbook.rounds import Event, ItemTable, RoundError, Store
from tests.rating.conftest import QUESTEVAL, QUESTIONS

STEM = {
    "question_id": "q1",
    "question": "Why?",
    "article_id": "a1",
    "article": "An article.",
    "model": "m",
    "response": "It holds. See Fig. 2 for more. Done.",
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
    assert panel.said.value == "Saved 2 sentences of q1/m."
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


def test_questions_are_written_beside_the_reference_and_without_a_system_answer(questeval):
    panel = PartsPanel(questeval)
    assert [text.value for text in panel.texts.children] == [
        "The tower was lit in 1862.",
        "When?",
    ]
    panel.lines.value += "\nHow was it lit?"
    panel.save()
    assert panel.said.value == "Saved 3 questions of c1."


def test_what_stands_beside_a_line_stays_with_it_when_another_is_changed(questeval):
    panel = PartsPanel(questeval)
    first, _ = panel.lines.value.splitlines()
    panel.lines.value = f"Was it lit?\n{first}"
    panel.save()
    assert facts(questeval) == {"Was it lit?": {}, first: {"key_info": "hidden-fact-1"}}


def facts(stored):
    with stored.store.read() as connection:
        seen, inside = stored.look(connection), stored.inside(connection)
        number = seen.cases["c1"].id
        return {text: inside.of(number, part) for part, text in inside.parts[number]}


def test_protocols_whose_parts_need_more_than_a_line_have_no_panel(open_round):
    text = load("rag-questeval").text.replace(
        "was written from, show: hidden, required: false", "was written from, show: hidden"
    )
    with pytest.raises(RoundError, match="need key_info too: edit them in a file"):
        PartsPanel(open_round(parse(text, source="t.yaml"), QUESTEVAL, QUESTIONS))


def test_protocols_without_parts_have_no_panel(tmp_path):
    protocol = load("halo-support")
    item = {"id": "s1", "question": "q", "context": "c", "generated_answer": "a"}
    table = ItemTable.from_records(protocol, [item])
    stored = Store(tmp_path / "r.sqlite").open("halo", protocol, table)
    with pytest.raises(RoundError, match="no parts"):
        PartsPanel(stored)
