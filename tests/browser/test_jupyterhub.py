"""docs/jupyterhub.md, done: a real JupyterHub, three raters and a lead in browsers of their own."""

import pytest

from raterbook import Workspace
from raterbook.cli import main
from tests.browser.conftest import open_round
from tests.browser.hub import Hub, python_with_hub

pytestmark = pytest.mark.long
RATERS = ("ana", "ben", "cem")


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    python_with_hub()
    folder = tmp_path_factory.mktemp("hub")
    assert main(["new", str(folder / "study")]) == 0
    open_round(folder / "study", "stem-sentences", 3, raters=RATERS)
    hub = Hub(folder, "jupyterhub.md")
    yield hub
    hub.stop()


def at_the_desk(hub, page, name):
    notebook = hub.folder / "study" / "people" / name / "notebooks" / f"rate-{name}.ipynb"
    return hub.desk(page, notebook).run()


def test_three_raters_rate_at_once_each_under_the_own_login_and_the_lead_sees_it(hub, come):
    desks = {name: at_the_desk(hub, come(name), name) for name in RATERS}
    for number, desk in enumerate(desks.values(), start=1):
        desk.press(str(number))
    for desk in desks.values():
        desk.wait_for_state("saved", 30_000)
    round = Workspace(hub.folder / "study").round("round-01")
    answers = {name: len(round.current(name)) for name in RATERS}
    assert answers == dict.fromkeys(RATERS, 1)

    lead = come("lead")
    desk = hub.desk(lead, hub.folder)
    lead.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    panel = lead.locator(".rb-lead").first
    panel.wait_for(timeout=60_000)
    assert "round-01" in panel.inner_text()
    assert [error for each in (*desks.values(), desk) for error in each.errors] == []
    assert round.store.history().findings == ()


def test_a_raters_server_is_closed_to_other_raters(hub, come):
    come("ben")
    page = come("ana")
    answer = page.goto(f"{hub.url}/user/ben/lab")
    assert answer.status in (403, 404)
    assert "rate-ben" not in page.content()
    own = page.goto(f"{hub.url}/user/ana/lab")  # the control: the own one is open
    assert own.status == 200


def test_who_has_no_part_in_the_round_does_not_come_in(hub, come):
    page = come("eve", lands=False)
    page.wait_for_load_state()
    assert "/hub/login" in page.url


def test_a_rater_sees_one_notebook_and_the_lead_the_workspace(hub, come):
    def files(page, name):
        script = """async path => {
          const token = document.cookie.match(/_xsrf=([^;]*)/)?.[1] ?? "";
          const answer = await fetch(path, {headers: {"X-XSRFToken": token}});
          return [answer.status, (await answer.json()).content?.map(one => one.name)];
        }"""
        status, names = page.evaluate(script, f"/user/{name}/api/contents/notebooks")
        assert status == 200
        return set(names)

    assert files(come("cem"), "cem") == {"rate-cem.ipynb"}
    assert files(come("lead"), "lead") >= {"open.ipynb", "round_report.ipynb"}
