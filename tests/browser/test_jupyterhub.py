"""docs/jupyterhub.md, done: a real JupyterHub, three raters and a lead in browsers of their own.

Needs JupyterHub here, or in RATERBOOK_HUB_PYTHON, a Python that has it and Raterbook; and
configurable-http-proxy on the PATH.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from raterbook import Workspace
from raterbook.cli import main
from tests.browser.conftest import ARGUMENTS, NO_HUB, open_round
from tests.browser.desk import Desk
from tests.browser.lab import free_port

pytestmark = pytest.mark.long
PAGE = Path(__file__).parents[2] / "docs" / "jupyterhub.md"
RATERS = ("ana", "ben", "cem")
MISSING = f"{NO_HUB}: pip install jupyterhub and npm install -g configurable-http-proxy."
MORE = """
import os
c.JupyterHub.bind_url = "{url}"
c.JupyterHub.hub_port = {hub}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.JupyterHub.db_url = "sqlite:///:memory:"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root", "--LabApp.expose_app_in_browser=True"]
"""


class Hub:
    """The page's own configuration, with ports, and a database of the hub's, of this test's own."""

    def __init__(self, folder: Path, python: str):
        self.folder, self.port = folder, free_port()
        text = re.search(
            r"```python title=\"jupyterhub_config.py\"\n(.*?)```", PAGE.read_text(), re.S
        )
        more = MORE.format(url=self.url, hub=free_port(), api=free_port(), python=python)
        (folder / "jupyterhub_config.py").write_text(text[1] + more)
        self.log = (folder / "log").open("ab")
        words = [python, "-m", "jupyterhub", "-f", "jupyterhub_config.py"]
        self.process = subprocess.Popen(words, cwd=folder, stdout=self.log, stderr=self.log)
        end = time.monotonic() + 90
        while not self.answers():
            if time.monotonic() > end or self.process.poll() is not None:
                self.stop()
                pytest.fail((folder / "log").read_text())
            time.sleep(0.2)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/hub/api/", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.log.close()


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    python = os.environ.get("RATERBOOK_HUB_PYTHON")
    if python is None and importlib.util.find_spec("jupyterhub"):
        python = sys.executable
    if python is None or shutil.which("configurable-http-proxy") is None:
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("hub")
    assert main(["new", str(folder / "study")]) == 0
    open_round(folder / "study", "stem-sentences", 3, raters=RATERS)
    hub = Hub(folder, python)
    yield hub
    hub.stop()


@pytest.fixture
def come(hub, chromium, playwright):
    """come(name) logs in in a browser of one's own, and waits for what the server shows first."""
    browser = playwright.chromium.launch(executable_path=str(chromium), args=ARGUMENTS)

    def come(name, lands=True):
        page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
        page.goto(f"{hub.url}/hub/login")
        page.locator("input[name=username]").fill(name)
        page.locator("input[name=password]").fill("any")
        page.locator("input[type=submit], button[type=submit]").first.click()
        if lands:
            page.wait_for_url(f"**/user/{name}/lab/tree/**", timeout=120_000)
        return page

    yield come
    browser.close()


def at_the_desk(hub, page, name):
    notebook = hub.folder / "study" / "people" / name / "notebooks" / f"rate-{name}.ipynb"
    desk = Desk(SimpleNamespace(folder=hub.folder, url=hub.url), page, notebook)
    desk.ready()
    return desk.run()


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
    desk = Desk(SimpleNamespace(folder=hub.folder, url=hub.url), lead, hub.folder)
    desk.ready()
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
