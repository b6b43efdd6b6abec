"""adjudicate.ipynb in a real JupyterLab: every dispute is settled, and no other item."""

import json
from pathlib import Path

import pytest

from raterbook import Workspace
from raterbook.numbers.disputes import disputes, undecided
from tests.browser.desk import Desk
from tests.panels.conftest import DISPUTES, RATERS, SAID, opened, say

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "adjudicate.ipynb"
_RUN = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
HOSTILE = "<img src=x onerror=window.hit=1> $\\alpha$ </style><script>window.hit=1</script>"


@pytest.fixture
def desk(lab, context, folder):
    round_ = opened(folder, SAID)
    say(round_, "ana", "q1/cedar", "label_comment", HOSTILE)
    say(round_, "ben", "q1/cedar", "label_comment", "The second line says the contrary.")
    note = '{"evidence": {"field": "text", "start": 0, "end": 4, "quote": "What"}}'
    assert round_.mark("eva", "q1/cedar", "note", reason=note).ok
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] == "parameters":
            cell["source"] = ['round_name = "round-01"\n', 'adjudicator = "uma"']
    path = folder / "adjudicate.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    desk = Desk(lab, context.new_page(), path)
    desk.page.set_viewport_size({"width": 1366, "height": 1200})
    desk.open(run=False)
    desk.page.evaluate(_RUN)
    yield desk
    desk.page.close(run_before_unload=False)
    lab.end_kernels()
    assert desk.errors == []


def test_an_adjudicator_settles_every_dispute_and_no_other_item(desk, folder):
    page = desk.page
    panel = page.locator(".rb-adjudicate")
    panel.get_by_text("2 questions in dispute: 0 settled, 2 open.").wait_for(timeout=60_000)
    desk.picture("adjudicate-first")
    for settled, (title, answer) in enumerate(
        [("1 of 2. Tone", "3 Level 3"), ("2 of 2. Label", "no")], start=1
    ):
        panel.locator("h3", has_text=title).wait_for()
        panel.get_by_label(answer, exact=True).check()
        panel.locator("textarea").fill(f"Reason {settled} <b>of</b> two.")
        if settled == 2:
            desk.picture("adjudicate-second")
        panel.get_by_role("button", name="Decide", exact=True).click()
        panel.get_by_text(f"2 questions in dispute: {settled} settled").wait_for()
        if settled == 1:  # and the next is drawn: the keyboard is where it was
            assert page.evaluate("document.activeElement.textContent") == "Decide"
    panel.get_by_text("Nothing is left to decide.").wait_for()
    desk.picture("adjudicate-settled")
    round_ = Workspace(folder).round("round-01")
    assert undecided(disputes(round_)) == []
    frame = round_.frame(reasons=True)
    own = frame[frame["rater"].eq("uma")][["item", "question", "value", "reason"]]
    assert sorted(own.astype(object).to_numpy().tolist()) == [
        ["q1/cedar", "label", "no", "Reason 2 <b>of</b> two."],
        ["q2/birch", "tone", "3", "Reason 1 <b>of</b> two."],
    ]
    assert {(item, question) for item, question, *_ in own.to_numpy()} == set(DISPUTES)
    assert page.evaluate("() => window.hit") is None


def test_a_vote_is_revealed_discussed_and_taken_again(desk, folder):
    panel = desk.page.locator(".rb-adjudicate")
    panel.get_by_role("tab", name="Calibrate").click()
    panel.get_by_text("A blind vote").wait_for(timeout=60_000)
    assert panel.get_by_text("Level 3").filter(visible=True).count() == 0
    panel.get_by_label("Everybody has voted").check()
    panel.get_by_role("button", name="Reveal the answers").click()
    panel.get_by_text("1 vote revealed").wait_for()
    round_ = Workspace(folder).round("round-01")
    for rater in RATERS:
        say(round_, rater, "q1/cedar", "label", "no")
    panel.get_by_role("button", name="Look again").click()
    panel.get_by_text("2 of 24").wait_for()
    desk.picture("adjudicate-votes")


def test_typing_anywhere_outside_the_reason_decides_nothing(desk, folder):
    """After a click into it letters, digits and Enter are nobody's: no cell goes either."""
    desk.page.locator(".rb-adjudicate details.item").wait_for(timeout=60_000)
    cells = desk.page.locator(".jp-Notebook .jp-Cell").count()
    desk.page.locator(".rb-adjudicate p", has_text="questions in dispute").click()
    for key in ["d", "d", "x", *"123yno jk", "Enter"]:
        desk.page.keyboard.press(key)
    desk.page.wait_for_timeout(500)
    assert desk.page.locator(".jp-Notebook .jp-Cell").count() == cells
    frame = Workspace(folder).round("round-01").frame()
    assert not frame["rater"].eq("uma").any()
