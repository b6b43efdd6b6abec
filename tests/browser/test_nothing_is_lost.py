"""Whatever dies, every answer entered is in the store in the end, and once."""

import os
import signal
import time

import pytest

from raterbook.rounds import Store
from tests.browser.conftest import open_round
from tests.browser.desk import Desk, write_notebook
from tests.browser.lab import Lab

SIX = [("accurate", number) for number in range(1, 7)]


def item(sentences=6, question="q1"):
    """A response of so many sentences, each asked for its accuracy; key 1 answers and goes on."""
    numbers = range(1, sentences + 1)
    return {
        "question_id": question,
        "question": "What does it say?",
        "article_id": "a1",
        "article": "It says one thing after another.",
        "model": "m1",
        "response": " ".join(f"It says so in paragraph {n} of it." for n in numbers),
    }


def stored(desk):
    answers = Store(desk.database).round("round-01").current("ana")
    return sorted((answer.value, part) for (_, part, _), answer in answers.items())


def test_a_burst_of_sixty_keys_is_sixty_rows(sit_down):
    desk = sit_down("stem-sentences", [item(60)])
    desk.press(*["1"] * 60).wait_for_state("saved")
    assert desk.count() == 60
    assert stored(desk) == sorted(("accurate", number) for number in range(1, 61))


def test_a_burst_over_twelve_items_with_their_submissions_loses_nothing(sit_down):
    rows = [item(5, f"q{n}") for n in range(12)]
    desk = sit_down("stem-sentences", rows)
    for position in range(1, 13):
        desk.press(*["1"] * 5, "Control+Enter")
        desk.wait_for_position(min(position + 1, 12))
    desk.wait_for_state("saved")
    assert desk.count() == 60
    assert desk.rows("SELECT count(*) FROM mark_event WHERE kind = 'submit'")[0][0] == 12


def test_answers_survive_the_death_of_the_kernel(sit_down):
    desk = sit_down("stem-sentences", [item()])
    desk.press("1", "1", "1").wait_for_state("saved")
    os.kill(desk.kernel_number(), signal.SIGKILL)
    desk.press("1", "1", "1").wait_for_state("silent")
    desk.form.locator(".rb-trouble", has_text="3 answers are not stored yet").wait_for()
    desk.restarted()  # Lab says so in a dialog, which stands before the form
    with desk.page.expect_download() as download:
        desk.form.get_by_text("Download my unsaved answers").click()
    assert download.value.path().read_text().count('"accurate"') == 3
    assert desk.count() == 3
    desk.run().wait_for_state("saved")
    assert desk.count() == 6
    assert stored(desk) == SIX


def test_the_control_without_the_browsers_storage_answers_after_the_death_are_lost(sit_down):
    desk = sit_down("stem-sentences", [item()])
    desk.press("1", "1", "1").wait_for_state("saved")
    os.kill(desk.kernel_number(), signal.SIGKILL)
    desk.press("1", "1", "1").wait_for_state("silent")
    desk.restarted().page.evaluate("localStorage.clear()")
    desk.page.reload()
    desk.ready()
    desk.run()
    assert desk.at() == ("accuracy", 4)
    assert stored(desk) == SIX[:3]


def test_answers_survive_a_reload_in_the_middle_of_sending(sit_down):
    desk = sit_down("stem-sentences", [item()])
    desk.press("1", "1", "1")
    desk.page.reload()
    desk.ready()
    desk.run()
    assert desk.at() == ("accuracy", 4)  # exactly where the rater was
    desk.press("1", "1", "1").wait_for_state("saved")
    assert stored(desk) == SIX
    assert desk.count() == 6


def reload_before_anybody_answers(desk, first):
    """Three answers that no kernel has taken, and the page is loaded anew."""
    desk.page.evaluate("window.__kernel.alive = false")
    desk.press("1", "1", "1").wait_for_state("silent")
    assert desk.count() == 0
    desk.page.evaluate(first)
    desk.open()


def test_answers_no_kernel_has_taken_survive_a_reload(bare_desk):
    desk = bare_desk("stem-sentences", [item()])
    reload_before_anybody_answers(desk, "null")
    desk.wait_for_state("saved")
    assert stored(desk) == SIX[:3]


def test_the_control_without_the_browsers_storage_a_reload_loses_them(bare_desk):
    desk = bare_desk("stem-sentences", [item()])
    reload_before_anybody_answers(desk, "localStorage.clear()")
    assert desk.at() == ("accuracy", 1)
    desk.press("1").wait_for_state("saved")
    assert stored(desk) == SIX[:1]


def test_a_reload_with_a_living_kernel_brings_the_form_back_by_itself(sit_down):
    desk = sit_down("stem-sentences", [item()])
    desk.press("1", "1").wait_for_state("saved")
    desk.save_notebook()
    desk.page.reload()
    desk.ready()
    desk.form.locator(".rb-card").wait_for()
    assert desk.at() == ("accuracy", 3)


def test_two_tabs_of_one_rater_neither_lose_nor_double(sit_down, context):
    first = sit_down("stem-sentences", [item()])
    first.press("1", "1", "1").wait_for_state("saved")
    second = Desk(first.lab, context.new_page(), first.notebook).open()
    try:
        assert second.at() == ("accuracy", 4)
        second.press("1", "1").wait_for_state("saved")
        first.page.bring_to_front()
        first.open_part(4).press("4").wait_for_state("saved")  # a newer answer than the other tab's
        first.form.locator("[data-question='severity'] [role=radio]").first.wait_for()
        first.press("2").wait_for_state("saved")
        second.page.bring_to_front()
        second.open_part(6).press("1").wait_for_state("saved")
    finally:
        second.page.close()
    answers = Store(first.database).round("round-01").current("ana")
    values = {(part, question): answer.value for (_, part, question), answer in answers.items()}
    assert values[4, "accuracy"] == "inaccurate"
    assert len(values) == 7
    assert first.count() == 8


def test_answers_come_in_while_a_cell_is_busy(sit_down):
    desk = sit_down("stem-sentences", [item()])
    desk.execute("import time; time.sleep(20)")
    desk.wait_for_busy_kernel()
    desk.press(*["1"] * 6).wait_for_state("saved", timeout=10_000)
    assert stored(desk) == SIX


@pytest.mark.usefixtures("lab_without_subshells")
def test_answers_wait_for_a_kernel_that_is_busy_for_half_a_minute(sit_down):
    desk = sit_down("stem-sentences", [item()])
    desk.press("1", "1", "1").wait_for_state("saved")
    desk.execute("import time; time.sleep(30)")
    desk.wait_for_busy_kernel()
    desk.press("1", "1", "1").wait_for_state("silent")
    assert desk.count() == 3
    desk.wait_for_state("saved", timeout=45_000)
    assert stored(desk) == SIX
    assert desk.count() == 6


def restart_the_server(context, tmp_path, then, state):
    """Three answers stored and three after the server's end; `then` runs in the page."""
    lab = Lab(tmp_path).start()
    page = context.new_page()
    try:
        open_round(tmp_path, "stem-sentences", [item()])
        desk = Desk(lab, page, write_notebook(tmp_path, "round-01", "ana")).open()
        desk.press("1", "1", "1").wait_for_state("saved")
        os.kill(desk.kernel_number(), signal.SIGKILL)
        lab.kill()
        desk.press("1", "1", "1").wait_for_state("silent")
        desk.page.evaluate(then)
        lab.start()
        return desk.open().wait_for_state(state)
    finally:
        page.close()
        lab.stop()


def test_answers_survive_a_restart_of_the_server(context, tmp_path):
    desk = restart_the_server(context, tmp_path, "null", "saved")
    assert stored(desk) == SIX
    assert desk.count() == 6


def test_the_control_without_the_browsers_storage_a_restart_of_the_server_loses_them(
    context, tmp_path
):
    desk = restart_the_server(context, tmp_path, "localStorage.clear()", "ready")
    assert stored(desk) == SIX[:3]


def test_an_hours_sleep_disturbs_neither_order_nor_time(sit_down):
    desk = sit_down("stem-sentences", [item()], run=False)
    desk.page.clock.install()
    desk.run()
    desk.press("1", "1", "4").wait_for_state("saved")
    desk.page.clock.fast_forward("01:00:00")  # as when a laptop was closed
    all_six_in_order(desk)


def test_a_clock_set_back_disturbs_neither_order_nor_time(bare_desk):
    desk = bare_desk("stem-sentences", [item()])
    desk.page.clock.install()
    desk.press("1", "1", "4").wait_for_state("saved")
    desk.page.clock.set_system_time(time.time() - 3600)
    all_six_in_order(desk)


def all_six_in_order(desk):
    desk.open_part(3).press("1")  # the later answer counts, whatever the clock says
    for part in (4, 5, 6):
        assert desk.at() == ("accuracy", part)
        desk.press("1")
    desk.wait_for_state("saved")
    assert stored(desk) == SIX
    times = "SELECT max(client_time) - min(client_time) FROM answer_event"
    assert desk.rows(times)[0][0] > 3_500_000_000  # microseconds: the clock did move
    assert desk.rows("SELECT max(seconds) FROM answer_event")[0][0] < 100
