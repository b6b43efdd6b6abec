"""Nothing that a stranger wrote is typeset in JupyterLab, loaded or run; beside it a formula is."""

import json
from pathlib import Path

import pytest

from raterbook.files.handbook import write_codebook
from raterbook.protocols import load
from tests.browser.conftest import open_round
from tests.browser.desk import Desk
from tests.reporting.rounds import records

FORMULA = r"$\rule{30em}{9em}$ \(x^2\) $$\color{red}{0.99}$$ \begin{align}y\end{align}"
IMAGE = "![x](http://elsewhere.invalid/x.png) <img src=http://elsewhere.invalid/y.png onerror=z>"
SHOWN = """
from IPython.display import HTML, display
from raterbook.notebooks import chosen
from raterbook.reporting.explore import Explore

stored = chosen("round-01")
report = stored.read()
display(report.worth_reading(), report.made(), stored.answers(texts=True), stored.flags())
explore = Explore(stored)
display(explore.panel(), explore.splitting(), stored.form("ana"))
display(chosen("round-02").form("ana"))
display(HTML("<p id='ours'>A formula of our own: $x^2$</p>"))
"""
MARKDOWN = load(Path(__file__).parent / "markdown.yaml")
_RUN = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
_PREVIEW = """path => void window.jupyterapp.commands.execute(
  'docmanager:open', {path, factory: 'Markdown Preview'})"""
# Where formulas were made, and the text before them, to say which.
_TYPESET = """place => [...document.querySelectorAll(place + ' mjx-container')]
  .map(made => made.closest('p, td, section, .rb')?.textContent ?? '')"""


@pytest.fixture
def desk(lab, context, folder):
    """A notebook over a round whose texts, remarks and reasons are formulas."""
    items = [{**item, "answer": f"{FORMULA} {IMAGE}"} for item in records("neureg-qa", 3)]
    stored = open_round(folder, "neureg-qa", items, raters=("ana", "ben", "eva"))
    written = [{"id": "a1", "answer": f"So it is: $E = m c^2$. {FORMULA} {IMAGE}"}]
    open_round(folder, MARKDOWN, written, raters=("ana",), name="round-02")
    said = [
        f"{item.key},{rater},{question},{value}"
        for rater, off in (("ana", 0), ("ben", 1), ("eva", 2))
        for item in stored.items()
        for question, value in (("accuracy", 2 + off), ("comment", f'"{FORMULA} {IMAGE}"'))
    ]
    (folder / "said.csv").write_text("\n".join(["item,rater,question,value", *said]))
    from raterbook.files import import_answers

    import_answers(stored, folder / "said.csv")
    stored.mark("ana", stored.items()[0].ref, "flag", reason=FORMULA)
    stored.exclude("eva", f"{FORMULA} {IMAGE}")
    write_codebook(stored, folder / "codebook.md")
    cell = {
        "cell_type": "code",
        "id": "shown",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": SHOWN,
    }
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path = folder / "formulas.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    desk = Desk(lab, context.new_page(), path)
    desk.requests = []
    desk.page.on("request", lambda request: desk.requests.append(request.url))
    desk.page.set_viewport_size({"width": 1200, "height": 6000})  # Lab draws what is in sight
    yield desk
    desk.page.close(run_before_unload=False)
    lab.end_kernels()
    assert desk.errors == []


def test_items_remarks_and_reasons_are_letters_in_a_notebook_and_in_the_codebook(desk):
    desk.open(run=False)
    page = desk.page
    page.evaluate(_RUN)
    page.locator("#ours mjx-container").wait_for(timeout=90_000)  # the control: it does typeset
    page.locator(".rb-block").first.wait_for()
    ours = page.locator(".rb-passage .rb-formula math")  # of an item in Markdown, by ourselves
    ours.first.wait_for()
    assert ours.all_text_contents()[0] == "E=mc2"
    assert page.locator(".rb-view").count() == 1
    assert page.evaluate(_TYPESET, ".jp-Notebook") == ["A formula of our own: x2"]
    outputs = page.locator(".jp-OutputArea").first.inner_text()
    assert outputs.count(FORMULA.split()[0]) > 3

    path = f"{desk.folder.name}/codebook.md"
    page.evaluate(_PREVIEW, path)
    preview = page.locator(".jp-MarkdownViewer")
    preview.get_by_text("excluded because").wait_for()
    page.wait_for_timeout(1500)  # for what is typeset last, and for what would be loaded
    assert FORMULA in preview.inner_text()
    assert page.evaluate(_TYPESET, ".jp-MarkdownViewer") == []
    assert preview.locator("img, script").count() == 0
    assert [url for url in desk.requests if "elsewhere" in url] == []
