"""After an item's submission and after the last one: what a rater still lacks."""

import pytest


@pytest.mark.xfail(strict=True, reason="part 14: undo across Submit")
def test_undo_takes_back_a_flag_of_a_submitted_item(bare_desk):
    desk = bare_desk("halo-support", 2)
    desk.press("1", "Control+Enter").form.get_by_text("This item is submitted.").wait_for()
    desk.press("f").write("Cut off.").press("Enter", "u").wait_for_state("saved")
    assert desk.marks()[-1][0] == "unflag"


@pytest.mark.xfail(strict=True, reason="part 14: undo across Submit")
def test_undo_takes_back_a_submission(bare_desk):
    desk = bare_desk("halo-support", 2)
    desk.press("1", "Control+Enter").form.get_by_text("This item is submitted.").wait_for()
    desk.press("u").wait_for_state("saved")
    assert desk.marks()[-1][0] == "unsubmit"


@pytest.mark.xfail(strict=True, reason="part 14: undo across Submit")
def test_a_submitted_item_is_opened_again_by_a_key(bare_desk):
    desk = bare_desk("halo-support", 2)
    desk.press("1", "Control+Enter").form.get_by_text("This item is submitted.").wait_for()
    button = desk.form.get_by_role("button", name="Change my answers")
    assert button.locator(".rb-key").count() == 1


@pytest.mark.xfail(strict=True, reason="part 14: an end screen")
def test_the_end_is_said(bare_desk):
    desk = bare_desk("neureg-qa", 1)
    desk.press(*"55555", "Control+Enter").wait_for_submitted(1)
    assert "all your items" in desk.form.inner_text().lower()


@pytest.mark.xfail(strict=True, reason="part 14: the protocol says whether a reason is needed")
def test_a_protocol_can_ask_for_the_reason_why_something_cannot_be_judged(bare_desk):
    desk = bare_desk("neureg-qa", 1)  # “leave it open and say why in the comment”
    desk.press("c", "Enter").wait_for_state("saved")
    assert desk.rows("SELECT count(*) FROM answer_event")[0][0] == 0
