"""Parts that are cut from a text of a later step: they come with it, and the work goes on."""

import pytest

from raterbook.protocols import parse
from tests.rating.test_blindness import LATER, STAGED


@pytest.fixture
def desk(bare_desk):
    return bare_desk(parse(LATER, source="later.yaml"), STAGED)


def test_the_next_step_comes_with_its_parts_and_the_item_is_submitted_by_keys(desk):
    assert "Sentence one" not in desk.page.content()
    assert "next step" not in desk.form.inner_text()
    desk.press("1").form.get_by_text("Sentence one").first.wait_for()
    assert desk.there_is_a_question()
    assert desk.at() == ("correct", 1)
    desk.press("1", "2").wait_for_state("saved")
    assert list(desk.values().values()) == ["yes", "right", "wrong"]
    desk.press("Control+Enter").form.get_by_text("This item is submitted.").wait_for()


def test_a_step_that_waits_for_its_parts_is_no_end(desk):
    desk.page.evaluate("() => { window.__kernel.alive = false }")
    desk.press("1", "Control+Enter")
    assert desk.form.get_by_role("button", name="Submit").get_attribute("aria-disabled") == "true"
    assert "Its next step is to come." in desk.form.inner_text()
    desk.page.evaluate("() => { window.__kernel.alive = true }")
    desk.form.get_by_text("Sentence one").first.wait_for(timeout=20_000)
    assert desk.marks() == []


def test_a_first_step_that_is_taken_back_and_answered_again_goes_on(desk):
    desk.press("1").form.get_by_text("Sentence one").first.wait_for()
    desk.press("u").wait_for_state("saved")
    desk.form.get_by_role("button", name="Next").click()
    desk.wait_for_position(2)
    desk.form.get_by_role("button", name="Back").click()
    desk.wait_for_position(1)
    assert "Sentence one" not in desk.form.inner_text()
    desk.press("2").form.get_by_text("Sentence one").first.wait_for()
