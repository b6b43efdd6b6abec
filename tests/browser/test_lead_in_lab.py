"""open.ipynb in a real JupyterLab: a lead goes from a CSV to a page by browser alone."""

import json
import uuid
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from raterbook import Workspace
from raterbook.rounds import Event
from tests.browser.conftest import open_round
from tests.browser.desk import Desk

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "open.ipynb"
LABELS = ("SUPPORTED", "NO EVIDENCE", "CONTRADICTED")
_RUN = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
_IN_SIGHT = """() => {
  const lines = [...document.querySelectorAll('.rb-lead p')];
  const said = lines.find((line) => /is open:/.test(line.innerText));
  const { top, bottom } = said.getBoundingClientRect();
  return top > 90 && bottom < innerHeight;
}"""
SLOW = 30_000  # a kernel starts, a page is built


@pytest.fixture
def sit_down(lab, context, folder):
    """sit_down() runs the lead's notebook; sit_down(code) another last cell in its place."""
    desks = []

    def sit_down(code=None):
        notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        if code is not None:
            notebook["cells"][-1]["source"] = [code]
        path = folder / "open.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        desk = Desk(lab, context.new_page(), path)
        desks.append(desk)
        desk.page.set_viewport_size({"width": 1366, "height": 2600})  # Lab draws what is in sight
        desk.open(run=False)
        desk.page.evaluate(_RUN)
        desk.page.locator(".rb-lead").first.wait_for(timeout=SLOW)
        return desk

    yield sit_down
    for desk in desks:
        desk.page.close(run_before_unload=False)
    lab.end_kernels()
    assert [error for desk in desks for error in desk.errors] == []


def items(count=12):
    lines = ["id,question,Stretch,generated_answer,auto_label"]
    for n in range(count):
        label = LABELS[n % 3]
        lines.append(f"s{n},How many are {n}?,There are {n} of them.,About {n}.,{label}")
    return "\n".join(lines).encode()


def answers(count=12):
    """ana and eva agree but once, ben says the same of everything."""
    lines = ["item,rater,question,value"]
    for n in range(count):
        lines += [f"s{n},{rater},label,{LABELS[n % 3]}" for rater in ("ana", "eva")]
        lines.append(f"s{n},ben,label,SUPPORTED")
    lines[1] = "s0,ana,label,NO EVIDENCE"
    return "\n".join(lines).encode()


def field(page, label):
    """The box behind this label, in the tab that is open."""
    row = f".rb-lead .widget-inline-hbox:visible:has(> label:text-is('{label}'))"
    return page.locator(f"{row} >> :is(input, select, textarea)").last


def fill(page, label, text):
    field(page, label).fill(text)
    field(page, label).press("Tab")


def press(page, words):
    page.locator(".rb-lead button:visible", has_text=words).first.click()


def tab(page, title):
    page.locator(".rb-lead .lm-TabBar-tab", has_text=title).click()


def hear(page, words):
    page.locator(".rb-lead :is(p, h3)", has_text=words).first.wait_for(timeout=SLOW)


def drop(page, name, data):
    page.locator(".rb-drop:visible input").first.set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": data}
    )


def test_from_a_csv_to_a_page_with_a_rater_added_and_one_left_out(sit_down):
    desk = sit_down()
    page = desk.page
    asked = "halo-support: Is the answer supported by its context?"
    field(page, "Protocol").select_option(asked)
    desk.picture("lead-1-protocol")
    drop(page, "items.csv", items())
    hear(page, "Not yet sound")
    desk.picture("lead-2-wrong")
    field(page, "context").select_option("Stretch")
    hear(page, "items.csv: 12 items in 12 cases.")
    fill(page, "Raters", "ana, ben")
    hear(page, "2 raters: everybody rates all 12 items.")
    desk.picture("lead-3-understood")
    page.set_viewport_size({"width": 1366, "height": 900})
    press(page, "Open the round")
    hear(page, "round-01 is open: 12 items of halo-support.")
    page.wait_for_function(_IN_SIGHT)  # what was opened, not the nothing below its end
    page.set_viewport_size({"width": 1366, "height": 2600})
    desk.picture("lead-4-progress")
    page.locator(".rb-lead button", has_text="Look again").focus()
    desk.press("x", "d", "d", "a")  # in a cell Lab would cut, delete and add
    assert page.locator(".jp-Notebook .jp-Cell").count() == 3
    serious = [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in Axe().run(page, context=".rb-lead").response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []

    tab(page, "Raters")
    fill(page, "A new rater", "eva")
    press(page, "Add")
    hear(page, "eva is a rater of round-01, with 12 items.")
    desk.picture("lead-5-raters")

    tab(page, "Hand out")
    press(page, "Notebook to rate in")
    page.locator(".rb-lead li a", has_text="rate-eva.ipynb").wait_for()
    desk.picture("lead-6-handed")

    tab(page, "Take in a file")
    drop(page, "answers.csv", answers())
    hear(page, "Taken in, it would be: 36 answers added")
    desk.picture("lead-7-rehearsed")
    press(page, "Take it in")
    hear(page, "36 answers added, 0 unchanged")

    tab(page, "Raters")
    field(page, "Leave out").select_option("ben")
    fill(page, "because", "gave one label to all")  # the last of those in sight
    press(page, "Leave out of every number")
    hear(page, "ben no longer counts: gave one label to all")

    tab(page, "Close and report")
    hear(page, "Agreement stays hidden until the round is closed")
    desk.picture("lead-8-open")
    press(page, "Close the round")
    hear(page, "round-01 is closed")
    press(page, "Build the page")
    frame = page.locator(".rb-lead iframe.framed")
    page.locator(".rb-lead .jupyter-widgets-progress-bar, .rb-lead .progress").first.wait_for()
    frame.wait_for(timeout=SLOW)
    inside = page.frame_locator(".rb-lead iframe.framed")
    inside.get_by_text("gave one label to all").first.wait_for(state="attached")
    inside.get_by_text("round-01").first.wait_for()  # drawn, and not only there
    desk.picture("lead-9-page")
    page.evaluate("() => { document.body.dataset.jpThemeLight = 'false'; }")  # as Lab's dark theme
    inside.locator("html[data-jp-theme-light='false']").wait_for(state="attached")
    inside.get_by_text("round-01").first.wait_for()
    ground = "node => getComputedStyle(node).backgroundColor"
    assert inside.locator(".rb-page").evaluate(ground) == "rgb(22, 24, 27)"
    desk.picture("lead-9-page-dark")
    stored = Workspace(desk.folder).round("round-01")
    assert {one.name: one.excluded for one in stored.raters() if one.kind == "human"} == {
        "ana": None,
        "ben": "gave one label to all",
        "eva": None,
    }
    opened = json.loads((desk.folder / "notebooks" / "rate-eva.ipynb").read_text(encoding="utf-8"))
    assert "rater = 'eva'" in "".join(opened["cells"][1]["source"])


HOSTILE = '<img src=x onerror="window.hit=1"> $\\frac{1}{2}$'


def test_a_round_as_the_last_line_of_a_cell_is_its_panel_and_names_are_text(sit_down, folder):
    stored = open_round(folder, "halo-support", 6, raters=("ana", HOSTILE))
    for rater in ("ana", HOSTILE):
        for item in stored.queue(rater)[:4]:
            stored.save(
                rater, [Event(uuid.uuid4().hex, item.ref, "label", "SUPPORTED", seconds=70)]
            )
        stored.mark(rater, stored.queue(rater)[5].ref, "flag", reason=f"odd {HOSTILE}")
    desk = sit_down("from raterbook import Workspace\nWorkspace().round('round-01')")
    page = desk.page
    hear(page, "round-01: halo-support, open since")
    page.locator(".rb-lead summary", has_text="2 flags, with reasons").click()
    page.locator(".rb-lead li", has_text=f"odd {HOSTILE}").first.wait_for()
    desk.picture("lead-round")
    tab(page, "Raters")
    field(page, "Leave out").select_option(HOSTILE)
    fill(page, "because", HOSTILE)
    press(page, "Leave out of every number")
    hear(page, f"{HOSTILE} no longer counts: {HOSTILE}")
    tab(page, "Hand out")
    press(page, "Notebook to rate in")
    page.locator(".rb-lead li", has_text="ana: notebooks/rate-ana.ipynb").wait_for()
    assert page.locator(".rb-lead mjx-container, .rb-lead img").count() == 0
    assert page.evaluate("window.hit") is None


def test_a_workspace_as_the_last_line_of_a_cell_lists_its_rounds(sit_down, folder):
    open_round(folder, "halo-support", 6)
    desk = sit_down("from raterbook import Workspace\nWorkspace()")
    desk.page.locator(".rb-lead th", has_text="round-01").wait_for()
    field(desk.page, "Round").select_option("round-01")
    hear(desk.page, "round-01: halo-support, open since")
    desk.picture("lead-workspace")
