"""What is typed beside the form is no rating: not while it loads, and not afterwards."""

import json
import re
import sqlite3
import time
import uuid

import pytest
from axe_playwright_python.sync_playwright import Axe

from raterbook.rounds import Event
from tests.browser.conftest import open_round
from tests.browser.desk import NOTEBOOK, Desk, write_notebook
from tests.reporting.rounds import CRITERIA, records

SECONDS = 10
TEXT = 'round_name = "r-stem" 5 s 4 '
# The kernel takes its time, so that the form arrives while somebody types.
SLOW = """
import time
from raterbook.rating import Form, front
_answer = Form.answer
def answer(self, content):
    time.sleep(3 if content["kind"] == "open" else 0)
    return _answer(self, content)
Form.answer = answer
"""
RULE = "export function mayTakeFocus(root) {"
WITHOUT_THE_RULE = f"""
rule = {RULE.removeprefix("export ")!r}
assert rule in front.script()
Form._esm = front.script().replace(rule, rule + " return true;")
"""
_RUN = "name => void window.jupyterapp.commands.execute(name)"


def in_the_code_cell(desk):
    desk.page.locator(".jp-CodeCell .cm-content").nth(1).click()


def in_the_markdown_cell(desk):
    desk.page.locator(".jp-MarkdownCell").first.dblclick()
    desk.page.locator(".jp-MarkdownCell .cm-content").first.click()


def in_command_mode_on_another_cell(desk):
    desk.page.locator(".jp-InputPrompt").nth(2).click()


def in_the_file_browsers_filter(desk):
    desk.page.evaluate(_RUN, "filebrowser:activate")
    box = desk.page.locator(".jp-FileBrowser-filterBox")
    if not box.is_visible():
        desk.page.evaluate(_RUN, "filebrowser:toggle-file-filter")
    box.wait_for()
    box.click()


def in_a_new_cell(desk):
    desk.page.evaluate(_RUN, "notebook:insert-cell-below")
    desk.page.keyboard.press("Enter")


PLACES = [
    in_the_code_cell, in_the_markdown_cell, in_command_mode_on_another_cell,
    in_the_file_browsers_filter, in_a_new_cell,
]  # fmt: skip


def named(place):
    return place.__name__.replace("_", " ")


@pytest.fixture
def saved(lab, context, folder):
    """saved(more) is a notebook with a form that was run and saved; `more` ran in its kernel."""
    desks = []

    def saved(more=""):
        open_round(folder, "neureg-qa", 2, None, ("ana",), "r-stem")
        path = write_notebook(folder, "r-stem", "ana", before_all=SLOW + more)
        desks.append(Desk(lab, context.new_page(), path))
        desk = desks[-1].open()
        desk.save_notebook()
        return desk

    yield saved
    for desk in desks:
        desk.page.close(run_before_unload=False)
    lab.end_kernels()


def type_while_it_loads(desk, place, until=None, seconds=SECONDS):
    """For ten seconds, from before the form is there to long after, or `until` something holds."""
    desk.page.reload()
    desk.ready()
    place(desk)
    assert desk.form.locator(".rb-bar").count() == 0
    end = time.monotonic() + seconds
    while time.monotonic() < end and not (until and until()):
        desk.page.keyboard.type(TEXT, delay=30)
        if not until and time.monotonic() > end - seconds / 2:
            assert desk.form.locator(".rb-bar").is_visible()
    desk.page.wait_for_timeout(500)


def stored(desk):
    return desk.count() + desk.rows("SELECT count(*) FROM mark_event")[0][0]


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_what_is_typed_beside_a_form_that_loads_is_not_stored(saved, place):
    desk = saved()
    type_while_it_loads(desk, place)
    assert stored(desk) == 0
    desk.picture(f"typed-{place.__name__}")
    desk.form.locator(".rb-prompt").first.click()  # a click, and the keys are the form's
    desk.press("5").wait_for_state("saved")
    assert desk.count() == 1


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_the_control_a_form_that_takes_the_keyboard_from_anything_stores_it(saved, place):
    desk = saved(WITHOUT_THE_RULE)
    # Lab may give the keyboard to the place typed in after the form took it: then the page is
    # loaded once more. The control ends with the first answer stored.
    for _ in range(5):
        type_while_it_loads(desk, place, until=lambda: stored(desk), seconds=2 * SECONDS)
        if stored(desk):
            return
    pytest.fail("a form that takes the keyboard from anything stored nothing in five loads")


# Every notebook there is, on one round: what is typed beside it as it loads changes nothing.

NOTEBOOKS = sorted(NOTEBOOK.parent.glob("*.ipynb"))
GIVEN = {"round_name": "round-01", "rater": "ana", "adjudicator": "uma"}
# What a notebook draws, which there is to type beside.
DRAWN = dict.fromkeys((path.stem for path in NOTEBOOKS), ".jp-OutputArea-output") | {
    "rate": ".rb-bar",
    "open": ".rb-lead button",
    "adjudicate": ".rb-adjudicate button",
    "explore": ".rb-view select",
}
# The form comes late, and every run of a cell is a line of a file.
WATCHED = (
    SLOW
    + """
def run_of(info):
    with open("runs", "a") as file:
        print(repr(info.raw_cell), file=file)
get_ipython().events.register("pre_run_cell", run_of)
"""
)
A_PANEL_THAT_TAKES_THE_KEYBOARD = """() => setInterval(() => {
  const at = (window.__at = (window.__at ?? 0) + 1);
  const fields = ".rb-adjudicate textarea, .rb-adjudicate button";
  const leave = (one) => one.tagName === "TEXTAREA" || one.textContent.includes("Leave open");
  const found = [...document.querySelectorAll(fields)].filter(leave);
  for (const one of found) one.dataset.lmSuppressShortcuts = "true";  // no key is Lab's here
  found[at % found.length]?.focus();
}, 400)"""


@pytest.fixture
def of_a_round(lab, context, folder):
    """of_a_round(path) runs this notebook on a round with disputes, a model and an adjudicator."""
    desks = []
    tracker = "@jupyterlab/notebook-extension:tracker"
    lab.change_setting(tracker, '{"windowingMode": "none"}')  # drawn whole, in sight or not

    def of_a_round(path):
        raters = ("ana", "ben", "eva")
        stored = open_round(folder, "neureg-qa", records("neureg-qa", 12), raters=raters)
        stored.add_rater("gauge", kind="model")
        stored.add_rater("uma", kind="adjudicator")
        for at, rater in enumerate((*raters, "gauge")):
            events = [
                Event(uuid.uuid4().hex, item.ref, question, 1 + (n + at * (n % 3)) % 5)
                for n, item in enumerate(stored.items())
                for question in CRITERIA
            ]
            assert all(ack.ok for ack in stored.save(rater, events))
        notebook = json.loads(path.read_text(encoding="utf-8"))
        given = GIVEN | ({"model": "gauge"} if path.stem == "compare" else {})
        for cell in notebook["cells"]:
            if cell["id"] == "parameters":
                words = "".join(cell["source"])
                for name, value in given.items():
                    words = re.sub(rf"^{name} = .*$", f"{name} = {value!r}", words, flags=re.M)
                cell["source"] = [words]
                watch = {"id": "watch", "metadata": {}, "outputs": [], "execution_count": None}
                cells = [{"cell_type": "code", "source": [WATCHED], **watch}]
        notebook["cells"][1:1] = cells
        copy = folder / path.name
        copy.write_text(json.dumps(notebook), encoding="utf-8")
        desks.append(Desk(lab, context.new_page(), copy))
        desks[-1].page.set_viewport_size({"width": 1400, "height": 2600})
        desk = desks[-1].open(run=False)
        desk.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        drawn(desk, path).wait_for(timeout=60_000)
        desk.save_notebook()
        codes = [one["id"] for one in notebook["cells"] if one["cell_type"] == "code"]
        assert len(runs(desk)) == len(codes) - 1  # all but the one that watches
        return desk

    yield of_a_round
    for desk in desks:
        desk.page.close(run_before_unload=False)
    lab.change_setting(tracker, "{}")
    lab.end_kernels()


def drawn(desk, path):
    return desk.page.locator(DRAWN[path.stem]).filter(visible=True).first


def runs(desk):
    return (desk.folder / "runs").read_text().splitlines()


def everything(desk):
    """The database, table by table, text for text."""
    connection = sqlite3.connect(f"file:{desk.database}?mode=ro", uri=True)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def type_in_every_place(desk, until=None):
    """For ten seconds from before anything is drawn, two in each place; commands' keys last."""
    places = sorted(PLACES, key=lambda place: place is in_command_mode_on_another_cell)
    for place in places:
        place(desk)
        end = time.monotonic() + SECONDS / len(places)
        while time.monotonic() < end and not (until and until()):
            desk.page.keyboard.type(TEXT, delay=30)
    desk.page.wait_for_timeout(500)


# One after the other gets the keyboard; these do not tell Lab that its keys are not meant.
_LOUD = """() => [...document.querySelectorAll(
    '.jp-OutputArea-output :is(a, button, input, select, summary, textarea, [tabindex])')]
  .filter(one => one.focus() ?? (document.activeElement === one
    && !one.hasAttribute('data-lm-suppress-shortcuts')))
  .map(one => one.outerHTML)"""
_CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(
  (cell) => [cell.model.type, cell.model.id])"""
OF_LAB = "ddxabmyr"  # delete, cut, add, change what a cell is


def loud(desk):
    """What of the outputs leaves Lab its keys, by what it says and by what Lab does then."""
    found = desk.page.evaluate(_LOUD)
    cells = desk.page.evaluate(_CELLS)
    for kind in ("button", "select", "summary", ".scroll", ".rb-panel"):
        for one in (
            desk.page.locator(f".jp-OutputArea-output {kind}").filter(visible=True).all()[:1]
        ):
            one.focus()
            for key in OF_LAB:
                desk.page.keyboard.press(key)
            if desk.page.evaluate(_CELLS) != cells:
                return [*found, kind]
    return found


def barriers(desk):
    """What axe-core calls serious in what is ours: panels, sections of the page, the form."""
    ours = [one for one in (".rb-panel", ".rb-page", ".rb") if desk.page.locator(one).count()]
    if not ours:
        return []
    response = Axe().run(desk.page, context={"include": [[one] for one in ours]}).response
    assert response["passes"]
    return [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in response["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_typing_beside_any_notebook_that_loads_stores_nothing_and_runs_no_cell(of_a_round, path):
    """In the same sitting: keys within its panels are not Lab's, and nobody is shut out."""
    desk = of_a_round(path)
    before = everything(desk), runs(desk)
    desk.page.reload()
    desk.ready()
    type_in_every_place(desk)
    assert (everything(desk), runs(desk)) == before
    # Spaces among what was typed went to its end, and past it.
    desk.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
    desk.picture(f"typed-beside-{path.stem}")
    assert drawn(desk, path).is_visible()
    assert loud(desk) == []
    assert barriers(desk) == []


def test_the_control_a_panel_that_takes_the_keyboard_stores_a_decision(of_a_round):
    desk = of_a_round(NOTEBOOK.with_name("adjudicate.ipynb"))
    before = everything(desk)
    desk.page.reload()
    desk.ready()
    desk.page.evaluate(A_PANEL_THAT_TAKES_THE_KEYBOARD)
    for _ in range(3):
        type_in_every_place(desk, until=lambda: everything(desk) != before)
        if everything(desk) != before:
            return
    pytest.fail("a panel that takes the keyboard stored nothing in thirty seconds")


# Beside the form on a plain page, with the markup of Notebook 7 and Voilà, there is this.
_BESIDE = """(kind) => {
  const made = {
    input: () => document.createElement('input'),
    textarea: () => document.createElement('textarea'),
    select: () => document.createElement('select'),
    editable: () => Object.assign(document.createElement('div'), { contentEditable: 'true' }),
    cell: () => Object.assign(document.createElement('div'), { className: 'jp-Cell', tabIndex: 0 }),
    frame: () => Object.assign(document.createElement('iframe'), { srcdoc: '<input>' }),
    component: () => {
      const host = document.createElement('div');
      host.attachShadow({ mode: 'open' }).append(document.createElement('input'));
      return host;
    },
  }[kind]();
  made.id = 'beside';
  document.body.prepend(made);
  const field = made.shadowRoot?.firstChild ?? made;
  field.focus();
  window.__has = () => document.activeElement === made;
  return window.__has();
}"""


@pytest.mark.parametrize(
    "kind", ["input", "textarea", "select", "editable", "cell", "frame", "component"]
)
def test_an_item_come_anew_does_not_take_the_keyboard_from_whoever_has_it(stem, kind):
    stem.press("1").wait_for_state("saved")
    assert stem.page.evaluate(_BESIDE, kind)
    ref = stem.widget._sitting.turns[0].ref
    other = {
        "event_id": "other",
        "subject": ref,
        "part": 3,
        "question": "accuracy",
        "value": "accurate",
        "lamport": 9,
    }
    stem.from_elsewhere({"kind": "save", "tab": "other", "events": [other]})
    stem.form.locator(".rb-part", has_text="Sentence 3").get_by_text("Accurate").wait_for()
    stem.press("4", "5")
    assert stem.page.evaluate("window.__has()")
    assert stem.count() == 2


def test_a_key_still_on_its_way_to_the_next_item_opens_nothing_under_the_typing_hands(stem):
    stem.page.evaluate("""() => {
      const answer = window.__answer;
      window.__answer = async (said) => {
        if (said.includes('"step"')) await new Promise((go) => setTimeout(go, 400));
        return answer(said);
      };
    }""")
    stem.press("]", "f")  # the flag's reason is asked on the next item, which is not there yet
    assert stem.page.evaluate(_BESIDE, "input")
    stem.wait_for_position(2)
    stem.write("a reason").press("Enter")
    assert stem.page.evaluate("document.activeElement.value") == "a reason"
    assert stem.marks() == []


def test_a_form_without_the_keyboard_says_how_it_gets_it(stem):
    hint = stem.form.get_by_text("Click the form to rate by keys")
    assert not hint.is_visible()
    assert stem.page.evaluate(_BESIDE, "input")
    assert hint.is_visible()
    stem.form.locator(".rb-prompt").first.click()
    assert not hint.is_visible()
