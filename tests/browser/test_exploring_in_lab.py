"""explore.ipynb in a real JupyterLab: views show something, and choosing redraws the panel."""

import json
import uuid
from pathlib import Path

import pytest

from raterbook.rounds import Event
from tests.browser.conftest import open_round
from tests.browser.desk import Desk
from tests.reporting.rounds import records

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "explore.ipynb"
QUESTIONS = ("relevance", "accuracy", "completeness", "fluency", "kg_alignment")
TITLES = ("Who is severe?", "Which items split the raters?", "Which pairs differ?")
_RUN = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"


@pytest.fixture
def page(lab, context, folder):
    """The notebook on twelve pairs: two raters alike but for accuracy, and a milder third."""
    stored = open_round(folder, "neureg-qa", records("neureg-qa", 12), raters=("ana", "ben", "eva"))
    for rater, more in (("ana", 0), ("ben", 0), ("eva", 1)):
        events = []
        for n, item in enumerate(stored.items()):
            for question in QUESTIONS:
                away = 1 if rater == "ben" and question == "accuracy" else more
                events.append(Event(uuid.uuid4().hex, item.ref, question, 2 + n % 3 + away))
        assert all(ack.ok for ack in stored.save(rater, events))
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] == "parameters":
            cell["source"] = 'round_name, raters, now = "round-01", None, False'
    path = folder / "explore.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    desk = Desk(lab, context.new_page(), path)
    desk.page.set_viewport_size({"width": 1200, "height": 6000})  # Lab draws what is in sight
    desk.open(run=False)
    desk.page.evaluate(_RUN)
    yield desk.page
    desk.page.close(run_before_unload=False)
    lab.end_kernels()
    assert desk.errors == []


def test_views_are_shown_and_choosing_redraws_the_panel(page):
    for title in TITLES:
        page.locator(".jp-OutputArea-output h2", has_text=title).first.wait_for(timeout=60_000)
    panel = page.locator(".rb-view")
    view, question, item = (panel.locator("select:not([multiple])").nth(n) for n in range(3))
    view.select_option(label="Which pairs differ?")
    panel.locator("img[alt*='give the same answer in 0\xa0% to']").wait_for()
    question.select_option("accuracy")
    panel.locator("img[alt*='give the same answer in 0\xa0% to 100\xa0%']").wait_for()
    panel.locator("select[multiple]").first.select_option(["ben", "eva"])
    panel.locator("img[alt*='give the same answer in 100\xa0% of the 12 answers']").wait_for()
    item.select_option(index=1)
    panel.locator("details.item summary").wait_for()


def test_what_a_view_shows_is_what_its_code_makes_in_the_notebook(page):
    code = page.locator(".jp-OutputArea-output pre code").first
    code.wait_for(state="attached", timeout=60_000)
    assert "frame, figure = " in code.text_content()
