"""Items that come late: what was pressed meanwhile is taken, or the rater is told it was not."""

import pytest

_LATE = """(late) => {
  const answer = window.__answer;
  const ways = ['step', 'position', 'unfinished'];
  const wanted = (said) => ways.some((way) => way in JSON.parse(said));
  window.__answer = async (said) => {
    if (wanted(said)) await new Promise((go) => setTimeout(go, late));
    return answer(said);
  };
}"""


@pytest.fixture
def late(bare_desk):
    """late(ms, protocol) is a desk to which another item comes so late."""

    def late(ms, protocol="neureg-qa"):
        desk = bare_desk(protocol, 3)
        desk.page.evaluate(_LATE, ms)
        return desk

    return late


def test_the_rater_is_told_after_the_item_came_how_many_keys_were_not_taken(late):
    desk = late(1500)
    desk.press("]").page.wait_for_timeout(700)
    desk.press("5", "4").wait_for_position(2)
    assert desk.notice() == "2 keys or clicks came before this was here and were not taken."
    assert desk.count() == 0


def test_a_click_on_the_item_that_is_leaving_is_not_passed_over_in_silence(late):
    desk = late(900)
    desk.press("]").form.locator("[role=radio]").first.click()
    desk.wait_for_position(2)
    assert desk.notice() == "1 key or click came before this was here and was not taken."
    assert desk.count() == 0


def test_what_is_typed_into_the_item_that_is_leaving_is_not_passed_over_in_silence(late):
    desk = late(1500, "halo-support")
    desk.press("n", "Enter").form.get_by_role("button", name="Next").click()
    desk.form.locator("textarea").click()
    desk.write("see").wait_for_position(2)
    assert desk.notice() == "3 keys or clicks came before this was here and were not taken."
    assert desk.values() == {}


def test_a_key_that_is_held_for_the_next_item_goes_to_it_and_nothing_is_said(late):
    desk = late(300)
    desk.press("]", "5").wait_for_position(2).wait_for_state("saved")
    assert desk.notice() == ""
    assert desk.count() == 1


def test_where_an_undo_leads_is_still_to_be_read_when_its_item_is_there(late):
    desk = late(0)
    desk.press("5").wait_for_state("saved")
    desk.press("]").wait_for_position(2).press("u").wait_for_position(1)
    assert "U again takes it back there" in desk.notice()


def test_an_item_that_comes_after_all_does_not_pull_the_one_at_work_from_under_the_rater(late):
    desk = late(4500)
    desk.press("]").page.wait_for_timeout(3200)
    assert "does not answer yet" in desk.notice()
    desk.press("5").wait_for_state("saved")
    desk.page.wait_for_timeout(1800)
    desk.press("4").wait_for_state("saved")
    assert desk.form.locator(".rb-where").inner_text().startswith("Item 1 of")
    assert desk.values() == {("relevance", 0): 5, ("accuracy", 0): 4}
