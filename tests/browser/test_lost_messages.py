"""Messages that come late, twice or never; and what a simpler form or store makes of them."""

import os
import signal

import pytest

from raterbook.rating import Form, front
from raterbook.rounds import Round, Store
from tests.browser.bare import BareDesk
from tests.browser.test_nothing_is_lost import SIX, item, stored

_MISS = "count => { window.__kernel.misses = count; }"


def flag_and_take_back(desk):
    """The flag's first message is lost, so that its retry comes after its taking back."""
    desk.press("f").write("Cut off.").page.evaluate(_MISS, 1)
    desk.press("Enter", "f").wait_for_state("saved")
    assert desk.marks() == [("unflag", None), ("flag", "Cut off.")]
    return flagged(desk)


def flagged(desk):
    (mark,) = Store(desk.database).round("round-01").marks("ana").values()
    return mark.flagged


def flag_button(desk, pressed):
    name = "Flagged" if pressed else "Flag"
    return desk.form.get_by_role("button", name=name, pressed=pressed)


def test_a_flag_whose_first_message_was_lost_stays_taken_back(stem):
    assert not flag_and_take_back(stem)
    flag_button(stem, False).wait_for()
    stem.open()
    flag_button(stem, False).wait_for()


def test_the_control_where_the_last_mark_to_come_stands_the_flag_is_back(stem, monkeypatch):
    mark = Round.mark
    monkeypatch.setattr(
        Round, "mark", lambda *said, lamport, **more: mark(*said, lamport=None, **more)
    )
    assert flag_and_take_back(stem)


def test_a_flag_on_its_way_is_shown_when_its_item_comes_again(stem):
    stem.press("f").write("Cut off.").page.evaluate(_MISS, 1)
    stem.press("Enter", "]").wait_for_position(2).press("[").wait_for_position(1)
    flag_button(stem, True).wait_for()
    stem.wait_for_state("saved")
    flag_button(stem, True).wait_for()


def test_a_browser_whose_clock_is_far_behind_still_takes_back_what_others_marked(stem):
    stem.page.clock.install(time=0)
    sitting = stem.widget._sitting
    ref = sitting.turns[0].ref
    sitting.round.mark("ana", ref, "flag", "then", lamport=1_800_000_000_000)
    stem.open()
    flag_button(stem, True).wait_for()
    stem.press("f").wait_for_state("saved")
    assert not flagged(stem)
    now = {"event_id": "now", "mark": "flag", "subject": ref, "lamport": 1_900_000_000_000}
    stem.from_elsewhere({"kind": "save", "tab": "other", "events": [now]})
    flag_button(stem, True).wait_for()
    stem.press("f").wait_for_state("saved")
    assert not flagged(stem)


def a_burst_into_a_kernel_that_hangs(desk, state):
    """Of sixty keys the last fifty come while a cell is running, and then the kernel is ended."""
    desk.run().press(*["1"] * 10)
    while desk.count() < 10:
        desk.page.wait_for_timeout(50)
    desk.execute("import time; time.sleep(600)")
    desk.wait_for_busy_kernel()
    desk.press(*["1"] * 50)
    assert desk.count() == 10
    os.kill(desk.kernel_number(), signal.SIGKILL)
    desk.restarted().run().wait_for_state(state)


@pytest.mark.usefixtures("lab_without_subshells")
def test_a_burst_of_sixty_keys_is_sixty_rows_although_the_kernel_was_busy_and_ended(sit_down):
    desk = sit_down("stem-sentences", [item(60)], run=False)
    a_burst_into_a_kernel_that_hangs(desk, "saved")
    assert desk.count() == 60
    assert stored(desk) == sorted(("accurate", number) for number in range(1, 61))


@pytest.mark.usefixtures("lab_without_subshells")
def test_the_control_without_the_outbox_what_came_while_the_kernel_was_busy_is_missing(sit_down):
    sent = "      this.outbox.sent(batch);\n"
    assert front.script().count(sent) == 1
    forgets = "for (const event of batch) this.outbox.remove(event.event_id);\n"
    desk = sit_down("stem-sentences", [item(60)], run=False)
    desk.execute(
        "from raterbook.rating import Form\n"
        f"Form._esm = Form._esm.replace({sent!r}, {sent + forgets!r})"
    )
    a_burst_into_a_kernel_that_hangs(desk, "ready")
    assert stored(desk) == sorted(("accurate", number) for number in range(1, 11))


def in_two_tabs(desk, context):
    """What one tab could not send another one sends, and then the first one again."""
    desk.page.evaluate("window.__kernel.alive = false")
    desk.press("1", "1", "1")
    other = BareDesk(context.new_page(), desk.widget, desk.database)
    try:
        other.open().wait_for_state("saved")
        desk.page.evaluate("window.__kernel.alive = true")
        desk.wait_for_state("saved")
    finally:
        other.page.close()
    assert other.errors == []
    assert stored(desk) == SIX[:3]
    return desk.count()


def test_what_two_tabs_send_is_stored_once(bare_desk, context):
    assert in_two_tabs(bare_desk("stem-sentences", [item()]), context) == 3


def test_the_control_without_ids_what_two_tabs_send_is_stored_twice(
    bare_desk, context, monkeypatch
):
    answer = Form.answer

    def without_ids(form, content):
        """Each event gets an id of its own whenever it comes; the browser is told the old one."""
        events = content.get("events", [])
        said = answer(form, {**content, "events": [nameless(one) for one in events]})
        if events:
            for ack, event in zip(said["acks"], events):
                ack["event_id"] = event["event_id"]
        return said

    come = iter(range(10**6))

    def nameless(event):
        return {**event, "event_id": f"{next(come)}"}

    monkeypatch.setattr(Form, "answer", without_ids)
    assert in_two_tabs(bare_desk("stem-sentences", [item()]), context) == 6
