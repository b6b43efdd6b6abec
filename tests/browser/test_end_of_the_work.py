"""After an item's submission and after the last one: what a rater still lacks."""

import pytest


def test_undo_takes_back_a_flag_of_a_submitted_item(bare_desk):
    desk = bare_desk("halo-support", 2)
    desk.press("1", "Control+Enter").form.get_by_text("This item is submitted.").wait_for()
    desk.press("f").write("Cut off.").press("Enter", "u").wait_for_state("saved")
    assert desk.marks()[-1][0] == "unflag"


def test_undo_takes_back_a_submission(bare_desk):
    desk = bare_desk("halo-support", 2)
    desk.press("1", "Control+Enter").form.get_by_text("This item is submitted.").wait_for()
    desk.press("u").wait_for_state("saved")
    assert desk.marks()[-1][0] == "unsubmit"


def test_a_submitted_item_is_opened_again_by_a_key(bare_desk):
    desk = bare_desk("halo-support", 2)
    desk.press("1", "Control+Enter").form.get_by_text("This item is submitted.").wait_for()
    button = desk.form.get_by_role("button", name="Change my answers")
    assert button.locator(".rb-key").count() == 1


def test_the_end_is_said(bare_desk):
    desk = bare_desk("neureg-qa", 1)
    desk.press(*"55555", "Control+Enter").wait_for_submitted(1)
    assert "all your items" in desk.form.inner_text().lower()


@pytest.mark.parametrize("size", [(1186, 512), (567, 354), (384, 660)])
def test_the_end_is_seen_whatever_the_width(bare_desk, size):
    desk = bare_desk("neureg-qa", 1, size=size)
    desk.press(*"55555", "Control+Enter").wait_for_submitted(1).drawn()
    title = desk.form.get_by_text("All your items are submitted.").bounding_box()
    bar = desk.form.locator(".rb-bar").bounding_box()
    assert bar["y"] + bar["height"] <= title["y"]
    assert title["y"] + title["height"] <= size[1]


def test_a_rater_without_items_is_told_so_for_as_long_as_there_are_none(bare_desk):
    desk = bare_desk("halo-support", 1, rater="zoe", raters=("ana", "zoe"), per_item=1, seed=1)
    said = desk.form.locator(".rb-questions").get_by_text("zoe has no items in round-01.")
    said.wait_for()
    assert desk.notice() == ""


def test_a_protocol_can_ask_for_the_reason_why_something_cannot_be_judged(bare_desk):
    desk = bare_desk("neureg-qa", 1)  # `ask_why: true`
    desk.press("c", "Enter")
    assert desk.form.locator(".rb-ask").is_visible()
    assert desk.rows("SELECT count(*) FROM answer_event")[0][0] == 0
    desk.write("The source is cut off.").press("Enter").wait_for_state("saved")
    stored = desk.rows("SELECT status, reason FROM answer_event")
    assert stored == [("skipped", "The source is cut off.")]


def test_where_no_reason_is_asked_for_enter_leaves_the_question_open(bare_desk):
    desk = bare_desk("halo-support", 1)
    desk.press("c", "Enter").wait_for_state("saved")
    stored = desk.rows("SELECT status, reason FROM answer_event WHERE status = 'skipped'")
    assert stored == [("skipped", None)]


def test_undo_goes_back_to_the_item_that_was_submitted_last(bare_desk):
    desk = bare_desk("neureg-qa", 2)
    desk.press(*"55555", "Control+Enter").wait_for_submitted(1)
    desk.press("u", "u").wait_for_state("saved")
    assert desk.marks()[-1][0] == "unsubmit"
    assert "Item 1 of 2 · 0 submitted" in desk.form.inner_text()


def test_all_items_are_one_key_away_and_show_how_each_stands(bare_desk):
    desk = bare_desk("neureg-qa", 3)
    desk.press(*"55555", "Control+Enter").wait_for_submitted(1)
    desk.press("4", "f").write("Odd.").press("Enter", "l")
    desk.form.get_by_role("button", name="Item 1, submitted").wait_for()
    desk.form.get_by_role("button", name="Item 2, begun, flagged").wait_for()
    desk.form.get_by_role("button", name="Item 3, to do").click()
    desk.form.get_by_text("Item 3 of 3").wait_for()
