"""What a lead hands out: items by a plan, the guide, a notebook and a sheet for each rater."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import ipywidgets as widgets
from markupsafe import Markup

from raterbook.panels.controls import BESIDE, Drawn, box, comma_separated
from raterbook.reporting.folder import slug, write_notebook
from raterbook.reporting.html import bullets, table
from raterbook.reporting.kernel import NOTEBOOK
from raterbook.reporting.shown import MOST, PLANNED, replanned
from raterbook.rounds import RoundError
from raterbook.widgets import row, show

RATE = NOTEBOOK.with_name("rate.ipynb")


def rating_notebook(round: Any, rater: str) -> Path:
    """notebooks/rate-NAME.ipynb, where this rater opens the form of this round and no other.

    A file that is there is never overwritten: one that is for this rater and round is the answer,
    and beside any other a further name is taken.
    """
    known = {one.name for one in round.raters()}
    if rater not in known:
        raise RoundError(f"{rater!r} is not a rater of {round.name}: add the name first.")
    folder = Path(round.workspace.path) / "notebooks"
    names = {"round_name": round.name, "rater": rater}
    stem = f"rate-{slug(rater)}"
    every = [stem, f"{stem}-{round.name}", *(f"{stem}-{round.name}-{n}" for n in range(2, 1_000))]
    for each in every:
        file = folder / f"{each}.ipynb"
        if not os.path.lexists(file):
            break
        if _parameters(file) == names:
            return file
    notebook = json.loads(RATE.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if "parameters" in cell["metadata"].get("tags", ()):
            lines = ["# parameters", *(f"{name} = {value!r}" for name, value in names.items())]
            cell["source"] = "\n".join(lines).splitlines(keepends=True)
    folder.mkdir(parents=True, exist_ok=True)
    write_notebook(notebook, file)
    return file


def _parameters(file: Path) -> Mapping[str, str]:
    """What a notebook's parameters are set to; nothing where it is none of these."""
    import ast

    try:
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        tagged = (c for c in cells if "parameters" in c["metadata"].get("tags", ()))
        source = "".join(next(tagged)["source"])
        lines = ast.parse(source).body
        return {line.targets[0].id: ast.literal_eval(line.value) for line in lines}  # type: ignore
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        StopIteration,
        SyntaxError,
    ):
        return {}


def link(file: Path) -> str | None:
    """The address of a file in the Lab that this kernel belongs to, where it lies in its folder."""
    try:
        from jupyter_server.serverapp import list_running_servers
    except ImportError:
        return None
    parent = os.environ.get("JPY_PARENT_PID")
    for server in list_running_servers() if parent else ():
        if str(server.get("pid")) != parent:
            continue
        try:
            inside = file.resolve().relative_to(Path(server["root_dir"]).resolve())
        except (KeyError, ValueError):
            return None
        return f"{server.get('base_url', '/')}lab/tree/{quote(inside.as_posix())}"
    return None


# The plan: who is given what.


class PlanPanel(widgets.VBox):
    """How many raters an item has, and further raters: what would change is shown first."""

    def __init__(self, round: Any, button: Callable[..., Any]):
        self._round = round
        self.per_item = box(
            widgets.BoundedIntText, "Raters an item", value=0, min=0, max=999, width="16em"
        )
        self.further = box(widgets.Text, "with", **BESIDE, placeholder="further names, with commas")
        self.planned = Drawn()
        self.trying = button("Show what would change", self._try)
        self.assigning = button("Change the plan", self._assign, button_style="primary")
        show(self.assigning, False)
        for one in (self.per_item, self.further):
            one.observe(self._untried, "value")
        super().__init__(
            [row(self.per_item, self.further, self.trying), self.planned, row(self.assigning)]
        )

    def _untried(self, _: Any = None) -> None:
        """What was shown is of another plan: it is shown anew before it can be made."""
        self.planned.draw()
        show(self.assigning, False)

    def _replanned(self, dry_run: bool) -> list[str]:
        names = comma_separated(self.further.value)
        plan = self._round.assign(self.per_item.value or None, names, dry_run=dry_run)
        head, notes = replanned(plan, names, "a larger number of raters an item")
        rows = [(name, *row) for name, row in plan.by_rater().items()]
        shown = table(PLANNED, rows[:MOST], f"The plan of {self._round.name}: {head}", text=1)
        more = [f"{MOST} of {len(rows):,} raters are shown."] if len(rows) > MOST else []
        self.planned.draw(shown, bullets([*notes, *more]) if notes or more else Markup())
        return [f"{self._round.name}: {head}"]

    def _try(self) -> list[str]:
        (head,) = self._replanned(dry_run=True)
        show(self.assigning, True)
        return [f"{head}, if it were done. Nothing is changed yet."]

    def _assign(self) -> list[str]:
        (head,) = self._replanned(dry_run=False)
        self.per_item.value, self.further.value = 0, ""
        return [f"{head}."]
