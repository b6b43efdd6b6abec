"""Undo takes back whatever the rater did last: an answer, a text, marked evidence, a flag."""

import pytest

_LIT = "[...CSS.highlights.get('rb-evidence') ?? []].map(range => range.startOffset + ' ' + range)"


def test_undo_takes_back_an_answer_with_everything_it_cleared(stem):
    stem.press("4", "1")
    stem.open_part(1).press("1", "u").wait_for_state("saved")
    assert stem.values() == {("accuracy", 1): "inaccurate", ("severity", 1): "severe"}
    stem.press("u", "u").wait_for_state("saved")
    assert stem.values() == {}
    stem.press("u")
    assert stem.notice() == "Nothing to undo."


def mark_evidence(desk):
    """Without a mouse: search, and mark what was found."""
    return desk.press("/").write("accuracy").press("Enter", "Escape", "e")


@pytest.mark.parametrize("key", ["u", "Control+z"])
def test_undo_takes_back_marked_evidence_in_its_turn_among_the_answers(stem, key):
    mark_evidence(stem.press("1"))
    stem.press("1")
    assert len(stem.page.evaluate(_LIT)) == 1
    stem.press(key)
    assert len(stem.page.evaluate(_LIT)) == 1
    assert stem.at() == ("accuracy", 2)
    stem.press(key)
    assert stem.page.evaluate(_LIT) == []
    assert stem.at() == ("accuracy", 2)
    stem.press(key).wait_for_state("saved")
    assert stem.values() == {}
    stem.press(key)
    assert stem.notice() == "Nothing to undo."
    stem.open()
    assert stem.page.evaluate(_LIT) == []


def test_of_two_marks_undo_takes_back_the_later_one_and_the_other_is_there_after_a_reload(stem):
    mark_evidence(stem)
    mark_evidence(stem).press("/", "Enter", "Escape", "e")
    assert len(stem.page.evaluate(_LIT)) == 3
    kept = stem.page.evaluate(_LIT)[:2]
    stem.press("u").wait_for_state("saved")
    assert stem.page.evaluate(_LIT) == kept
    stem.open()
    assert stem.page.evaluate(_LIT) == kept


def test_evidence_in_an_open_text_is_one_step_of_undo_and_leaves_the_keys_with_the_form(stem):
    stem.press("n")
    assert stem.at() == ("accuracy_comment", 1)
    mark_evidence(stem)
    assert stem.page.evaluate("document.activeElement.closest('.rb-card') !== null")
    assert stem.form.locator("textarea").input_value().lower() == "“accuracy”"
    stem.press("u").wait_for_state("saved")
    assert stem.form.locator("textarea").input_value() == ""
    assert stem.page.evaluate(_LIT) == []
    assert stem.values() == {}


def test_undo_takes_back_a_flag_and_puts_back_one_with_its_reason(stem):
    stem.press("f").write("Cut off.").press("Enter", "u", "f").write("Too long.").press("Enter")
    stem.wait_for_state("saved").open()
    stem.press("f", "u").wait_for_state("saved")
    assert stem.marks() == [
        ("flag", "Cut off."),
        ("unflag", None),
        ("flag", "Too long."),
        ("unflag", None),
        ("flag", "Too long."),
    ]
    stem.form.get_by_role("button", name="Flagged", pressed=True).wait_for()


def listed(desk):
    return [text.lower() for text in desk.form.locator(".rb-quote").all_inner_texts()]


def test_evidence_is_marked_by_a_button_and_each_mark_is_removed_by_its_own(stem):
    for wanted in ("accuracy", "the"):
        stem.press("/").write(wanted)
        stem.form.get_by_role("button", name="Evidence", exact=True).first.click()
        stem.press("Escape")
    assert listed(stem) == ["“accuracy”", "“the”"]
    stem.form.get_by_role("button", name="Remove the evidence “accuracy”").click()
    stem.wait_for_state("saved")
    assert listed(stem) == ["“the”"]
    stem.open()
    assert listed(stem) == ["“the”"]


def test_a_selected_stretch_stays_selected_for_the_button(stem):
    passage = stem.form.locator(".rb-material .rb-block").first
    passage.evaluate(
        "node => getSelection().setBaseAndExtent(node.firstChild, 2, node.firstChild, 9)"
    )
    wanted = stem.page.evaluate("() => String(getSelection())")
    stem.form.get_by_role("button", name="Evidence", exact=True).first.click()
    assert listed(stem) == [f"“{wanted.strip().lower()}”"]


def test_undo_marks_again_what_was_removed_and_the_keys_stay_with_the_form(stem):
    mark_evidence(stem)
    lit = stem.page.evaluate(_LIT)
    stem.form.locator(".rb-unmark").press("Enter")
    assert stem.page.evaluate(_LIT) == []
    assert stem.page.evaluate("document.activeElement.closest('.rb-card') !== null")
    stem.press("u").wait_for_state("saved")
    assert stem.page.evaluate(_LIT) == lit
    stem.press("u").wait_for_state("saved")
    assert stem.page.evaluate(_LIT) == []
    stem.open()
    assert listed(stem) == []
