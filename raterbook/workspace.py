"""The workspace and its rounds: what notebooks and the command line use; above all rooms."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .environment import SHIPPED, setting
from .protocols import Protocol, load
from .rounds import Round, RoundError, Store
from .rounds.raters import known_from_rounds
from .rounds.store.database import is_there
from .rounds.store.postgres import masked

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

    from .files.exporting import Exported
    from .files.importing import ImportSummary
    from .judges import JudgeRun
    from .numbers.compare.comparison import Comparison
    from .numbers.compare.drift import Drifts
    from .numbers.compare.ranking import Ranking
    from .numbers.compute import Numbers
    from .numbers.forecast import Forecast
    from .panels.lead import LeadPanel, RoundPanel
    from .rating import Form, PartsPanel
    from .reporting import Report
    from .reporting.shown import Status
    from .rounds.looks import RoundLooks

DATABASE = Path("data") / "raterbook.sqlite"
EARLIER = Path("data") / "ratebook.sqlite"  # where workspaces before 0.2 have it


class Workspace:
    """A folder with one database of rounds and the reports built from it."""

    def __init__(
        self,
        path: str | Path | None = None,
        db: str | None = None,
        reports: str | Path | None = None,
    ):
        self.path = Path(path) if path is not None else find_workspace()
        self.db = str(db or setting("DB") or database_in(self.path) or self.path / DATABASE)
        self.reports = Path(reports) if reports is not None else self.path / "reports"
        self._store: Store | None = None

    def __repr__(self) -> str:
        return f"Workspace({str(self.path)!r}): {', '.join(self.rounds()) or 'no rounds yet'}"

    def _repr_mimebundle_(self, **how: Any) -> dict[str, Any]:
        return as_panel(self, how)

    def _repr_html_(self) -> str:
        from .reporting.shown import rounds

        # Without what adjudicators left and decided, of which the table says nothing.
        return rounds([Round.status(self.round(name)) for name in self.rounds()], self.path)

    @property
    def store(self) -> Store:
        if self._store is None:
            self._store = Store(self.db)
        return self._store

    def rounds(self) -> list[str]:
        """The names of the rounds there are; looking makes no database."""
        return self.store.rounds() if is_there(self.db) else []

    def round(self, name: str) -> WorkspaceRound:
        """The round of this name."""
        self.existing(f"There is no round {name!r}, and no database")
        return WorkspaceRound(self, name)

    def existing(self, lacking: str = "There is no database") -> Store:
        """The store of a workspace that has one: looking makes none."""
        if not is_there(self.db):
            raise RoundError(
                f"{lacking} {masked(self.db)} yet: open a round first, or name the workspace it is "
                "in (--workspace DIR before the command, RATERBOOK_WORKSPACE for notebooks)."
            )
        return self.store

    def open(
        self,
        name: str,
        protocol: str | Path | Protocol,
        items: str | Path | pd.DataFrame,
        *,
        parts: str | Path | None = None,
        raters: Iterable[str] = (),
        headers: Mapping[str, str] | None = None,
        **plan: Any,
    ) -> WorkspaceRound:
        """A new round: one protocol, its items, its raters, who rates what.

        `headers` says what fields are called in the items file: {"context": "Passage"}.
        """
        from .files import read_items, read_parts
        from .files.checks import one_person

        asked = protocol if isinstance(protocol, Protocol) else load(protocol)
        bare = bool(plan.get("bare", False))
        table = read_items(items, asked, bare=bare, headers=headers)
        pieces = read_parts(parts, asked, table) if parts is not None else None
        raters = tuple(raters)
        with self.store.read() as connection:
            others = known_from_rounds(connection)
        self.store.open(name, asked, table, parts=pieces, raters=raters, **plan)
        return WorkspaceRound(self, name, (*table.notes, *one_person(name, raters, others)))

    def panel(self, round_name: str | None = None) -> LeadPanel:
        """Open a round by hand, then lead it: what the command line does, as widgets."""
        from .panels.lead import LeadPanel

        return LeadPanel(self, round_name)

    @property
    def nothing(self) -> str:
        """What is said of it before a round is opened."""
        where = "This folder" if self.path == Path() else str(self.path)
        return f"{where} has no rounds yet: open one with `raterbook open`."

    def backup(self, file: str | Path) -> Path:
        """One consistent copy of the database, while raters work."""
        return self.existing().backup(file)

    def report(
        self,
        *rounds: str,
        jobs: int = 1,
        pdf: bool = False,
        paper: bool = False,
        executor: Executor | None = None,
        **parameters: Any,
    ) -> list[Path]:
        """Build the page of each named round (of all, when none is named)."""
        from .reporting import build

        wanted = list(rounds) or self.rounds()
        return build(self, wanted, executor or jobs, parameters, pdf=pdf, paper=paper)


class WorkspaceRound(Round):
    """One evaluation round, as its notebooks use it."""

    def __init__(self, workspace: Workspace, name: str, notes: Sequence[str] = ()):
        super().__init__(workspace.store, name)
        self.workspace = workspace
        self.notes = tuple(notes)  # what the reader of its items file had to say

    def status(self) -> Status:
        """What is stored, by whom, and what is missing: data, which shows itself in a few lines."""
        from .numbers.disputes import disputes
        from .reporting.shown import Status, looked, settled
        from .rounds.consensus import ADJUDICATOR

        found = super().status()
        if any(rater["kind"] == ADJUDICATOR for rater in found["raters"]):
            found |= settled(disputes(self))
        if (declared := self.looks()) is not None:
            found |= looked(declared)
        return Status(found)

    def _repr_mimebundle_(self, **how: Any) -> dict[str, Any]:
        return as_panel(self, how)

    def _repr_html_(self) -> str:
        return self.status()._repr_html_()

    def answers(self, texts: bool = False) -> pd.DataFrame:
        """The long frame: one row per current answer."""
        return self.frame(texts=texts)

    def ratings(self, question: str, raters: Sequence[str] | None = None) -> pd.DataFrame:
        """One question's ratings for `analysis`, of those who count: unit, rater, value, cluster.

        `alpha(Ratings(round.ratings("tone"), cluster="cluster"), "ordinal")` is the round's own
        number.
        """
        from .numbers.compute import ratings_of

        return ratings_of(self, question, raters)

    def flags(self) -> pd.DataFrame:
        """Flags with their reasons, and the evidence raters marked: a row each."""
        import pandas as pd

        from .rounds.marks import MARKED

        return pd.DataFrame(self.marked(), columns=list(MARKED))

    def add(self, file: str | Path, **how: Any) -> ImportSummary:
        """Take in a file of answers, whole or not at all."""
        from .files import import_answers

        return import_answers(self, file, **how)

    def rehearse(self, file: str | Path, **how: Any) -> ImportSummary:
        """What `add` would say and do, or why it would refuse; nothing is stored."""
        with self.store.rehearsal():
            return self.add(file, **how)

    def export(self, file: str | Path, layout: str = "long", pseudonyms: bool = False) -> Exported:
        """Write the current answers to a file."""
        from .files import export_answers

        return export_answers(self, file, layout, pseudonyms)

    def sheet(self, rater: str, file: str | Path) -> Path:
        """Write a rater's items as a table to fill in; `add` takes it back."""
        from .files.exporting import write_sheet

        return write_sheet(self, rater, file)

    def notebook(self, rater: str) -> Path:
        """A notebook in which this rater opens the form; one that is there stays as it is."""
        from .panels.handout import rating_notebook

        return rating_notebook(self, rater)

    def form(self, rater: str | None) -> Form:
        """The form this rater works in."""
        from .rating import Form

        return Form(self, rater)

    def declare_looks(self, looks: str | int | Iterable[float]) -> tuple[float, ...]:
        """When agreement may be seen before the end: 4, or "25%,50%,100%", until the first answer.

        Gives the shares of the planned ratings at which the round will be looked at.
        """
        from .rounds.looks import declare

        return declare(self, looks)

    def looks(self) -> RoundLooks | None:
        """What was declared, which looks were taken, how far the round is; None without any."""
        from .rounds.looks import looks_of

        return looks_of(self)

    def peek(self, why: str | None = None) -> RoundLooks | None:
        """Look before a declared look is due: it spends error, and the page says so."""
        from .rounds.looks import taken_now

        return taken_now(self, early=True, why=why)

    def panel(self) -> RoundPanel:
        """Progress, raters, handouts, files, and the page at the end: the lead's panel."""
        from .panels.lead import RoundPanel

        return RoundPanel(self)

    def follow(self, heard: Callable[[], None]) -> Callable[[], None]:
        """Call `heard` whenever something comes to the round; gives the function that ends it."""
        return self.store.follow(self, heard)

    def parts_panel(self) -> PartsPanel:
        """A small panel to mend how items were split, until their first answers."""
        from .rating import PartsPanel

        return PartsPanel(self)

    def judge(self, model: Callable[..., str] | str, name: str, **how: Any) -> JudgeRun:
        """Let a model answer the round's questions, as one more rater."""
        from .judges import judge

        return judge(self, model, name=name, **how)

    def numbers(self, **parameters: Any) -> Numbers:
        """Every number of the round's protocol, with targets and checks."""
        from .numbers.compute import numbers

        return numbers(self, **parameters)

    def compare(self, model: str | None = None, **how: Any) -> Comparison:
        """The model's answers beside people's: may it replace them, assist them, or not?"""
        from .numbers.compare import compare

        return compare(self, model, **how)

    def rank(self, models: Iterable[str] = ("all",), **how: Any) -> Ranking:
        """Several models beside the same people: who is nearest, and what of it is shown."""
        from .numbers.compare import rank

        return rank(self, list(models), **how)

    def pin(self, *items: str, why: str | None = None) -> list[str]:
        """Pin items as anchors, on which models are held against earlier rounds; gives them all."""
        from .rounds.items import pin

        return pin(self, items, why)

    def drift(self, against: str, *models: str, seed: int = 0) -> Drifts:
        """Whether models answer otherwise than in another round, beyond what they do anyway."""
        from .judges.judging import asked_otherwise
        from .numbers.compare.drift import drift

        before = self.workspace.round(against)
        found = drift(self, before, models, seed)
        for model in dict.fromkeys(part.model for part in found.parts):
            found = found.noted(*asked_otherwise(self, before, model))
        return found

    def forecast(self, **how: Any) -> Forecast:
        """How wide the intervals of the next round will be, with this one as the pilot.

        `how` takes `measures`, `sizes`, `width`, `coverage` and `assume`, as `raterbook plan` does.
        """
        from .judges.judging import spent_per_item
        from .numbers.forecast import forecast

        return forecast(self, **how).priced(spent_per_item(self))

    def read(self, **parameters: Any) -> Report:
        """The report's sections, to look at one by one in a notebook."""
        from .reporting import Report

        return Report(self, **parameters)

    def report(self, **parameters: Any) -> Path:
        """Build the round's page: the path of its index.html; a notebook shows the page."""
        return self.workspace.report(self.name, **parameters)[0]


def lay_out(folder: Path) -> list[Path]:
    """A workspace's folders, notebooks and texts; what is there already is left as it is.

    Gives the files that were written.
    """
    texts = SHIPPED / "workspace"
    wanted = {path.relative_to(texts): path for path in texts.rglob("*") if path.is_file()}
    wanted[Path(".gitignore")] = wanted.pop(Path("gitignore"))
    return [*copied(wanted, folder), *lay_notebooks(folder)]


def lay_notebooks(folder: Path) -> list[Path]:
    """The notebooks, where the workspace does not have them; those that were written."""
    notebooks = sorted((SHIPPED / "notebooks").glob("*.ipynb"))
    return copied({Path("notebooks") / path.name: path for path in notebooks}, folder)


def copied(files: Mapping[Path, Path], folder: Path) -> list[Path]:
    written = []
    for name, source in sorted(files.items()):
        target = folder / name
        if target.exists() or target.is_symlink():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)  # the contents alone: what came along may be read-only
        written.append(target)
    return written


def as_panel(led: Workspace | WorkspaceRound, how: dict[str, Any]) -> dict[str, Any]:
    """The panel, in a notebook that somebody has open in Jupyter and where there is ipywidgets.

    A run without a page (papermill, nbconvert) keeps the HTML, which shows without widgets.
    """
    try:
        import ipywidgets  # noqa: F401
    except ImportError:
        return {}
    if "JPY_SESSION_NAME" not in os.environ:  # set for every notebook that is open in Jupyter
        return {}
    bundle = led.panel()._repr_mimebundle_(**how) or {}
    return {kind: data for kind, data in bundle.items() if kind.startswith("application/")}


def database_in(folder: Path) -> Path | None:
    """The workspace's database, under the name it has or had; None where there is none yet."""
    places = (folder / DATABASE, folder / EARLIER)
    return next((place for place in places if place.exists()), None)


_said: set[Path] = set()


def _is_taken(database: Path) -> bool:
    """A database of a folder above is taken if it is one's own, and either way that is said."""
    mine = not hasattr(os, "geteuid") or database.stat().st_uid == os.geteuid()
    if database not in _said:
        _said.add(database)
        words = (
            f"Workspace: {database}, in a folder above."
            if mine
            else f"{database}, in a folder above, is somebody else's and was not taken."
        )
        remedy = "Workspace(path) or RATERBOOK_WORKSPACE names another."
        print(f"{words} {remedy}", file=sys.stderr)
    return mine


def find_workspace() -> Path:
    """RATERBOOK_WORKSPACE, else the nearest folder upwards with a database, else here.

    That the database is of a folder above is said, and somebody else's is not taken.
    """
    named = setting("WORKSPACE")
    if named:
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        database = database_in(folder)
        if database is not None and (folder == here or _is_taken(database)):
            return folder
    samples, checkout = SHIPPED / "samples" / "workspace", SHIPPED.parents[1]
    # A notebook run inside a checkout without rounds of its own shows the samples; from anywhere
    # else nobody means them, and a round would be opened among them.
    inside = here == checkout or checkout in here.parents
    return samples if inside and database_in(samples) else here
