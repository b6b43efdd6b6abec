"""A real JupyterHub on ports of its own, as a page of the docs has it set up."""

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

from tests.browser.desk import Desk
from tests.browser.lab import TOKEN, free_port

DOCS = Path(__file__).parents[2] / "docs"
NO_HUB = "THE JUPYTERHUB TESTS DID NOT RUN"
MISSING = (
    f"{NO_HUB}: pip install jupyterhub (or name a Python that has it and Raterbook in "
    "RATERBOOK_HUB_PYTHON), and npm install -g configurable-http-proxy."
)
MORE = """
c.JupyterHub.bind_url = "{url}"
c.JupyterHub.hub_port = {hub}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.JupyterHub.db_url = "sqlite:///:memory:"
c.Spawner.args = ["--allow-root", "--LabApp.expose_app_in_browser=True"]
c.JupyterHub.services = [{{"name": "operator", "api_token": "{token}"}}]
c.JupyterHub.load_roles = [
    {{"name": "operator", "scopes": ["admin:servers"], "services": ["operator"]}}
]
"""


def python_with_hub() -> str:
    """Which Python is to run it; without any, or without its proxy, what is missing is said."""
    python = os.environ.get("RATERBOOK_HUB_PYTHON")
    if python is None and importlib.util.find_spec("jupyterhub"):
        python = sys.executable
    if python is None or shutil.which("configurable-http-proxy") is None:
        pytest.skip(MISSING)
    return python


def titled(page: str, title: str) -> str:
    """The file that a page of the docs shows under this title."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(rf"```\w+ title=\"{re.escape(title)}\"\n(.*?)```", text, re.S)
    assert found, f"{page} shows no {title}"
    return found[1]


class Hub:
    """The page's own configuration, with ports and a database of the hub's own, and `more`."""

    def __init__(self, folder: Path, page: str, more: str = ""):
        python = python_with_hub()
        self.folder, self.port = folder, free_port()
        ports = MORE.format(url=self.url, hub=free_port(), api=free_port(), token=TOKEN)
        text = titled(page, "jupyterhub_config.py") + ports + more
        (folder / "jupyterhub_config.py").write_text(text, encoding="utf-8")
        path = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])
        self.words, self.environment = [python, "-m", "jupyterhub"], {**os.environ, "PATH": path}
        self.start()

    def start(self) -> None:
        self.log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            self.words, cwd=self.folder, stdout=self.log, stderr=self.log, env=self.environment
        )
        end = time.monotonic() + 90
        while not self.answers():
            if time.monotonic() > end or self.process.poll() is not None:
                self.stop()
                pytest.fail((self.folder / "log").read_text())
            time.sleep(0.2)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, method: str = "GET") -> int:
        """What the hub answers to who runs it."""
        request = urllib.request.Request(
            f"{self.url}/hub/api{path}", method=method, headers={"Authorization": f"token {TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status

    def answers(self) -> bool:
        try:
            return self.ask("/") == 200
        except (urllib.error.URLError, OSError):
            return False

    def end_server(self, name: str) -> None:
        """Stops one server and waits until it is gone."""
        while self.ask(f"/users/{name}/server", "DELETE") != 204:
            time.sleep(0.2)

    def log_in(self, page, name: str) -> None:
        page.goto(f"{self.url}/hub/login")
        page.locator("input[name=username]").fill(name)
        page.locator("input[name=password]").fill("any")
        page.locator("input[type=submit], button[type=submit]").first.click()

    def landed(self, page, name: str) -> None:
        """When the own server has started and shows what it shows first."""
        page.wait_for_url(f"**/user/{name}/lab/tree/**", timeout=120_000)

    def desk(self, page, place: Path) -> Desk:
        """The notebook that a page shows by now, `place` or one in it, with its kernel."""
        desk = Desk(SimpleNamespace(folder=self.folder, url=self.url), page, place)
        desk.ready()
        return desk

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.log.close()
