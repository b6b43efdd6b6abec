"""A rater at a desk: one notebook with the form, in one page of the browser."""

import json
import os
import re
import sqlite3
from pathlib import Path

from raterbook.rounds import Store
from tests.browser.lab import TOKEN, Lab

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "rate.ipynb"
_PID = "import os, pathlib\npathlib.Path('pid').write_text(str(os.getpid()))"
_READY = """() => {
  const here = window.jupyterapp?.shell.currentWidget;
  const context = here?.sessionContext;
  const kernel = context?.session?.kernel;
  return Boolean(context?.isReady && kernel?.info && here.content?.widgets?.length);
}"""
_KNOWN = """() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.info"""

_BUSY = """() =>
  window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'busy'"""
_RUN = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"


def write_notebook(
    folder: Path, round_name: str, rater: str, name: str = "rate.ipynb", before_all: str = ""
) -> Path:
    """notebooks/rate.ipynb with these parameters, and a cell that notes the kernel's number."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] == "parameters":
            cell["source"] = [f"round_name = {round_name!r}\n", f"rater = {rater!r}"]
    pid = {
        "cell_type": "code",
        "id": "pid",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": [_PID + "\n" + before_all],
    }
    notebook["cells"].insert(1, pid)
    path = folder / name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


class Desk:
    def __init__(self, lab: Lab, page, notebook: Path):
        self.lab, self.page, self.notebook = lab, page, notebook
        self.folder = notebook.parent
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    # The notebook

    def open(self, run: bool = True) -> "Desk":
        path = self.notebook.relative_to(self.lab.folder).as_posix()
        space = re.sub(r"\W", "", path)
        # A workspace of its own, so that no other test's notebooks are opened again.
        self.page.goto(f"{self.lab.url}/lab/workspaces/{space}/tree/{path}?token={TOKEN}&reset")
        self.ready()
        return self.run() if run else self

    def ready(self) -> None:
        self.page.wait_for_function(_READY, timeout=60_000)
        self.page.evaluate(_KNOWN)

    def run(self) -> "Desk":
        self.page.evaluate(_RUN)
        self.form.locator(".rb-bar").wait_for(timeout=60_000)
        self.form.locator(".rb-questions > *").first.wait_for()
        self.form.scroll_into_view_if_needed()
        return self

    def restarted(self) -> "Desk":
        """After its death: the kernel is another one, and Lab has said so."""
        dead = self.kernel_number()
        dialog = self.page.locator(".jp-Dialog")
        dialog.wait_for(timeout=30_000)
        dialog.locator("button.jp-mod-accept").click()
        self.ready()
        assert self.kernel_number() == dead  # the cell that notes the number has not run again
        return self

    def save_notebook(self) -> None:
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    def execute(self, code: str) -> None:
        """Runs code in the notebook's kernel, as a cell would."""
        self.page.evaluate(
            "code => void window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
            ".requestExecute({code})",
            code,
        )

    def wait_for_busy_kernel(self) -> None:
        self.page.wait_for_function(_BUSY)

    def kernel_number(self) -> int:
        return int((self.folder / "pid").read_text())

    # The form

    @property
    def form(self):
        return self.page.locator(".rb").last

    def press(self, *keys: str) -> "Desk":
        for key in keys:
            self.page.keyboard.press(key)
        return self.drawn()

    def write(self, text: str) -> "Desk":
        self.page.keyboard.type(text)
        return self.drawn()

    def drawn(self) -> "Desk":
        """When the page shows what the last key led to; see form.js."""
        self.page.evaluate("() => new Promise((drawn) => setTimeout(drawn, 10))")
        return self

    def open_part(self, number: int) -> "Desk":
        self.form.locator(".rb-part-head").nth(number - 1).click()
        return self

    def at(self) -> tuple[str, int]:
        """The open question and its part."""
        card = self.form.locator(".rb-card")
        return card.get_attribute("data-question"), int(card.get_attribute("data-part"))

    def there_is_a_question(self) -> bool:
        self.form.locator(".rb-waits").wait_for(state="detached")
        return self.form.locator(".rb-card").count() > 0

    def state(self) -> str:
        return self.form.locator(".rb-saved").get_attribute("data-state")

    def wait_for_state(self, name: str, timeout: float = 15_000) -> "Desk":
        self.form.locator(f".rb-saved[data-state='{name}']").wait_for(timeout=timeout)
        return self

    def notice(self) -> str:
        return self.form.locator(".rb-notice").inner_text()

    def wait_for_position(self, position: int) -> "Desk":
        where = self.form.locator(".rb-where")
        where.filter(has_text=f"Item {position} of").wait_for(timeout=15_000)
        return self

    def wait_for_submitted(self, count: int) -> "Desk":
        where = self.form.locator(".rb-where")
        where.filter(has_text=f"· {count} submitted").wait_for(timeout=15_000)
        return self

    # The store

    @property
    def database(self) -> Path:
        return self.folder / "data" / "raterbook.sqlite"

    def rows(self, query: str = "SELECT count(*) FROM answer_event"):
        """Straight from the file, past all our code."""
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def count(self) -> int:
        return self.rows()[0][0]

    def values(self) -> dict[tuple[str, int], object]:
        """What stands of the item answered: (question, part) → value."""
        answers = Store(self.database).round("round-01").current("ana")
        return {(question, part): answer.value for (_, part, question), answer in answers.items()}

    def marks(self) -> list[tuple[str, str | None]]:
        return self.rows("SELECT kind, reason FROM mark_event ORDER BY seq")

    def picture(self, name: str) -> None:
        """A screenshot to look at, where RATERBOOK_PICTURES names a folder for them."""
        if os.environ.get("RATERBOOK_PICTURES"):
            self.page.screenshot(path=Path(os.environ["RATERBOOK_PICTURES"]) / f"{name}.png")
