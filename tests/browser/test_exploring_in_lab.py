"""explore.ipynb in a real JupyterLab: all six views show something, and choosing redraws one."""

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
TITLES = (
    "Who is severe?", "Which items split the raters?", "Does confidence mean anything?",
    "Which pairs differ?", "What would dropping a rater do?", "Which levels are confused?",
)  # fmt: skip
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
            cell["source"] = ['round_name = "round-01"\n', "raters = None"]
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


def test_six_views_are_shown_and_choosing_a_question_redraws_its_own(page):
    for title in TITLES:
        page.locator(".jp-OutputArea-output h2", has_text=title).wait_for(timeout=60_000)
    pairs = page.locator(".rb-view", has=page.locator("h2", has_text=TITLES[3]))
    pairs.get_by_text("ana and eva agree least: 0 %").wait_for()
    pairs.locator("select").select_option("Accuracy")
    pairs.get_by_text("ana and ben agree least: 0 %").wait_for()
    assert "ben and eva 100\xa0%" in pairs.locator("img").get_attribute("alt")
    levels = page.locator(".rb-view", has=page.locator("h2", has_text=TITLES[5]))
    assert "5 questions" in levels.locator("img").get_attribute("alt")
    levels.locator("select").select_option("Fluency")
    levels.locator("img[alt*='on Fluency']").wait_for()
    items = page.locator(".rb-view", has=page.locator("h2", has_text=TITLES[1]))
    assert items.locator("tbody tr").count() == 10
    items.locator(".noUi-handle").press("ArrowRight")
    items.locator("tbody tr").nth(11).wait_for()
    assert items.locator("tbody tr").count() == 12
