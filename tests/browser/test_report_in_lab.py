"""papermill's notebook in a real JupyterLab, its export by nbconvert, and the page of one round."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from raterbook import Workspace
from raterbook.rounds import Event
from tests.browser.conftest import open_round
from tests.browser.desk import Desk

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "round_report.ipynb"
LABELS = ("SUPPORTED", "NO EVIDENCE", "CONTRADICTED")
# What stands where, word for word: the verdict, the cards, the tables; pictures by their sentence.
_SAID = """() => Object.fromEntries(
  ['.verdict', '.strip dt', '.strip dd', 'table', 'h2', 'h3', 'img'].map((one) => [one,
    [...document.querySelectorAll(`.rb-page ${one}`)].map((node) =>
      (node.alt ?? node.textContent).replace(/\\s+/g, ' ').trim())]))"""
_CARDS = """() => [...document.querySelectorAll('.rb-page .strip')].map(
  (one) => getComputedStyle(one).display)"""


@pytest.fixture
def out(lab, folder):
    """out.ipynb of a round that three people rated, by papermill from the command line."""
    raters = ("ana", "ben", "eva")
    stored = open_round(folder, "halo-support", 12, raters=raters)
    for at, rater in enumerate(raters):
        events = [
            Event(uuid.uuid4().hex, item.ref, "label", LABELS[(n + (at == 2 and n % 4 == 0)) % 3])
            for n, item in enumerate(stored.items())
        ]
        assert all(ack.ok for ack in stored.save(rater, events))
    run("papermill", "--no-progress-bar", NOTEBOOK, "out.ipynb", "-p", "round_name", "round-01",
        folder=folder)  # fmt: skip
    return folder / "out.ipynb"


def run(module, *words, folder, **places):
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)], cwd=folder, capture_output=True,
        env=os.environ | {"RATERBOOK_WORKSPACE": str(folder)} | places, check=False, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_papermill_nbconvert_and_the_page_say_the_same_and_look_alike(lab, context, folder, out):
    run("nbconvert", "--to", "html", "--no-input", out, folder=folder)
    built = Workspace(folder).round("round-01").report()
    desk = Desk(lab, context.new_page(), out)
    page = desk.page
    page.set_viewport_size({"width": 1100, "height": 2200})
    said = {}
    for name, file in (("page", built), ("nbconvert", folder / "out.html")):
        page.goto(Path(file).as_uri())
        said[name] = page.evaluate(_SAID), page.evaluate(_CARDS)
        desk.picture(f"report-{name}")

    # JupyterLab leaves the style out of what another program ran, until one says it is trusted.
    lab.change_setting("@jupyterlab/notebook-extension:tracker", '{"windowingMode": "none"}')
    desk.open(run=False)
    page.locator(".rb-page").first.wait_for()
    desk.picture("report-lab-not-trusted")
    assert page.evaluate(_SAID) == said["page"][0]
    assert "grid" not in page.evaluate(_CARDS)
    data = folder.parent / ".jupyter" / "jupyter_data_dir"
    run("jupyter", "trust", out, folder=folder, JUPYTER_DATA_DIR=str(data))
    desk.open(run=False)
    page.locator(".rb-page").first.wait_for()
    said["lab"] = page.evaluate(_SAID), page.evaluate(_CARDS)
    desk.picture("report-lab")
    lab.change_setting("@jupyterlab/notebook-extension:tracker", "{}")
    page.close()
    lab.end_kernels()

    assert said["page"][0][".verdict"]
    assert said["page"][0][".strip dd"]
    assert said["page"][0]["table"]
    assert set(said["page"][1]) == {"grid"}
    for name in ("nbconvert", "lab"):
        assert said[name] == said["page"], name
