"""A round, looked at from all sides: every view an object with its frame, its figure and its code.

`Explore(round)` fills in what a view asks for, `where` filters all of them, `panel` puts
ipywidgets in front. The views themselves stand in views.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt

from ..numbers.counted import subjects
from ..numbers.targets import refuse_hidden
from ..rounds import RoundError
from ..rounds.store.postgres import masked
from . import views
from .figures import in_both_lights, style, svg
from .html import Section, dressed, figure, fold, join, paragraph, part, table
from .report import Report
from .sections.reading import card
from .words import count, minus

# The views in their order, each with the question it answers.
VIEWS = {
    "distributions": "Who gave which values?",
    "severity": "Who is severe?",
    "splitting": "Which items split the raters?",
    "pairs": "Which pairs differ?",
    "dropping": "What would dropping a rater do?",
    "confusion": "Which levels are confused?",
    "confidence": "Does confidence mean anything?",
    "certainty": "Are raters surer of high scores?",
    "correlations": "Which criteria go together?",
    "systems": "Which system is rated highest?",
    "differences": "Where do two systems differ?",
    "mixed": "Does the lead depend on the group?",
    "length": "Do longer items score higher?",
    "order": "Do raters change as they go on?",
    "time": "How long do answers take?",
}
IMPORTS = """\
from raterbook import Workspace
from raterbook.reporting.figures import style
"""
NOBODY = "No given answer to a main item is left here: choose other raters, systems or groups."
SHOWN = 12  # rows of a frame below its figure


@dataclass(frozen=True)
class View:
    """One look at a round. Without a frame and a figure `said` is the reason."""

    title: str
    said: str
    code: str
    frame: pd.DataFrame | None = None
    figure: Any = None

    def __repr__(self) -> str:
        return f"View({self.title!r}): {self.said}"

    def section(self) -> Section:
        if self.frame is None:
            return Section(self.title, paragraph(self.said))
        picture = in_both_lights(svg(self.figure.axes[0]))
        more = f"; the first {SHOWN} of {len(self.frame):,}" if len(self.frame) > SHOWN else ""
        shown = table(
            [str(self.frame.index.name or ""), *map(str, self.frame.columns)],
            [(str(name), *map(written, row)) for name, row in self.rows()],
            f"The frame behind it{more}",
        )
        inside = [figure(picture, self.said), fold("Its numbers", shown)]
        return Section(self.title, join([*inside, fold("Its code", part("code", self.code))]))

    def rows(self) -> list[tuple[Any, list[Any]]]:
        assert self.frame is not None
        head = self.frame.head(SHOWN)
        return list(zip(head.index, head.to_numpy(dtype=object).tolist(), strict=True))

    def _repr_html_(self) -> str:
        return self.section()._repr_html_()


def written(value: object) -> str:
    if isinstance(value, float):
        return "" if pd.isna(value) else minus(f"{value:.4g}")
    return str(value)


def own(column: str) -> str:
    """What an item's column is called among the answers, where views have one of that name."""
    return f"{column} (item)" if column in ("unit", "draw") else column


class Explore:
    """`Explore(round).where(rater=["ana"]).systems(question="tone")`: a view, ready to look at."""

    def __init__(self, round: Any, filters: Mapping[str, Sequence[str]] | None = None):
        self.round = round
        self.protocol = round.protocol
        self.filters = dict(filters or {})  # column → the values that are left

    def __getattr__(self, name: str) -> Any:
        if name not in VIEWS:
            raise AttributeError(f"there is no view {name!r}: choose {', '.join(VIEWS)}")
        return partial(self.view, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *VIEWS})

    def where(self, /, **columns: Sequence[str] | str) -> Explore:
        """Only these raters, systems, groups: `where(rater=["ana", "ben"], model="atlas-2")`."""
        unknown = [name for name in columns if name not in self.every]
        if unknown:
            known = ", ".join(["rater", *self.columns])
            raise RoundError(f"there is no column {unknown[0]} to filter by: choose {known}")
        given = {n: [v] if isinstance(v, str) else list(v) for n, v in columns.items()}
        for name, values in given.items():
            there = set(self.every[name].dropna().astype(str))
            if absent := [value for value in values if value not in there]:
                known = ", ".join(sorted(there)[:12])
                raise RoundError(f"no answer has {name} {absent[0]!r}: there are {known}")
        found = Explore(self.round, {**self.filters, **given})
        found.__dict__["every"] = self.every  # read once, however often it is filtered
        return found

    @cached_property
    def until(self) -> int | None:
        """The last answer of the look that was declared and taken; refused before the first."""
        sight = refuse_hidden(self.round)
        return None if sight is None else sight.until

    @cached_property
    def every(self) -> pd.DataFrame:
        found: pd.DataFrame = self.round.frame(until=self.until)
        return found

    @property
    def asked(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What `views.chosen` is given beside the answers: raters, shares, and columns by name."""
        columns = dict(self.filters)
        raters = columns.pop("rater", None)
        if raters is None and "rater_kind" in columns:  # who is meant is said by their kind
            raters = sorted(self.every["rater"].astype(str).unique())
        return (raters, self.shares), columns

    @cached_property
    def answers(self) -> pd.DataFrame:
        given, columns = self.asked
        return views.chosen(self.every, *given, **columns)

    @cached_property
    def shares(self) -> dict[str, str]:
        """Where a round has no numbers, shares of each question's first label stand for them."""
        asked = self.protocol.questions
        if any(q.is_numeric and not q.covers for q in asked):
            return {}
        there = set(self.every["question"].astype(str))
        return {q.id: str(q.values[0]) for q in asked if q.is_label and q.id in there and q.values}

    @cached_property
    def columns(self) -> list[str]:
        """The items' columns that split answers: the system first."""
        from ..rounds.frame import COLUMNS

        named = [c for c in self.every if c not in COLUMNS and self.every[c].nunique() > 1]
        return sorted(named, key=lambda column: column != self.protocol.item.system)

    def numeric(self) -> list[str]:
        """Criteria with numbers that somebody answered; confidence is said of other answers."""
        there = set(self.answers.loc[self.answers["number"].notna(), "question"])
        asked = self.protocol.questions
        return [q.id for q in asked if q.is_numeric and not q.covers and q.id in there]

    def scored(self) -> list[str]:
        """What has numbers: criteria, else shares of labels."""
        return self.numeric() or [f"{name}: {label}" for name, label in self.shares.items()]

    def labelled(self) -> list[str]:
        there = set(self.answers["question"])
        return [q.id for q in self.protocol.questions if q.is_label and q.id in there]

    def view(self, name: str, **given: Any) -> View:
        """A view by its name, with what it asks for: named, else the first there is."""
        make = getattr(views, name)
        if self.answers.empty:
            return View(VIEWS[name], "Nobody has answered yet." if self.every.empty else NOBODY, "")
        asked = inspect.signature(make).parameters
        if unknown := [word for word in given if word not in asked]:
            raise TypeError(f"{name} has no {unknown[0]}: it takes {', '.join([*asked][1:])}")
        try:
            words = {
                word: given[word] if word in given else self.usual(word, name)
                for word, one in list(asked.items())[1:]
                if word in given or one.default is inspect.Parameter.empty
            }
            if "scale" in asked and "scale" not in words:
                words["scale"] = self.scale(words.get("question") or words["questions"][0])
            words |= {word: own(words[word]) for word in ("system", "by") if word in words}
            code = self.code(make, words)
            if "lengths" in words:
                words["lengths"] = views.lengths(self.round.items())
            with style():
                frame, drawn = make(self.answers, **words)
                plt.close(drawn)  # kept here, no longer by pyplot
        except views.NothingToSee as reason:
            return View(VIEWS[name], str(reason), "")
        return View(VIEWS[name], drawn.get_suptitle().replace("\n", " "), code, frame, drawn)

    def scale(self, question: str) -> list[str]:
        """The values of a question, as the protocol has them in order."""
        asked = {q.id: q.values for q in self.protocol.questions}
        return [str(value) for value in asked.get(question) or ()]

    def usual(self, word: str, name: str) -> Any:
        """What a view is shown for where nothing is named."""
        system = self.protocol.item.system
        if word == "lengths":
            return None
        if word in ("question", "questions"):
            found = self.numeric() or self.labelled() if name in LABELS_TOO else self.scored()
            if not found:
                raise views.NothingToSee("This round has no numbers to show here.")
            if name == "confusion":  # values of one scale; another's are other values
                values = {q.id: q.values for q in self.protocol.questions}
                found = [each for each in found if values.get(each) == values.get(found[0])]
            return found if word == "questions" else found[0]
        if word == "level":
            return "ordinal" if self.numeric() else "nominal"
        if word == "system":
            if system not in self.columns:
                raise views.NothingToSee("The items of this round are not of several systems.")
            return system
        if word in ("first", "second"):
            named = sorted(
                self.answers[own(self.usual("system", name))].dropna().astype(str).unique()
            )
            if len(named) < 2:
                raise views.NothingToSee("Only one system is left.")
            return named[0 if word == "first" else 1]
        groups = [column for column in self.columns if column != system]
        if not groups:
            raise views.NothingToSee("The items have no column to group them by.")
        return groups[0]

    def code(self, make: Any, words: Mapping[str, Any]) -> str:
        """Everything it takes to make the view again, from the round's answers on."""
        place = self.round.workspace
        source = inspect.getsource(views).splitlines()
        imports = [line for line in source if line.startswith(("import ", "from "))]
        text = inspect.getsource(make)
        needed: list[Any] = [views.NothingToSee, views.chosen]
        needed += [
            one for one in views.HELPERS if f"{one.__name__}(" in text or one.__name__ in words
        ]
        called = ", ".join(
            f"{word}=lengths(round_.items())" if word == "lengths" else f"{word}={value!r}"
            for word, value in words.items()
        )
        given, columns = self.asked
        source_of = "answers()" if self.until is None else f"frame(until={self.until})"
        kept = f", {given[0]!r}, {given[1]!r}" if any(given) else ""
        kept += f", **{columns!r}" if columns else ""  # a column may have any name
        return "\n".join(
            [IMPORTS + "\n".join(imports), "", ""]
            + [inspect.getsource(one) + "\n" for one in needed]
            + [text + "\n"]
            + [
                f"round_ = Workspace({str(place.path)!r}, db={masked(place.db)!r})"
                f".round({self.round.name!r})",
                f"answers = chosen(round_.{source_of}{kept})",
                "with style():",
                f"    frame, figure = {make.__name__}(answers, {called})",
            ]
        ).replace("(answers, )", "(answers)")

    # From a mark to the item

    @cached_property
    def report(self) -> Report:
        """The round's numbers and texts, for its items; read at the first one that is opened."""
        found: Report = self.round.read()
        return found

    @cached_property
    def units(self) -> list[str]:
        """The units, those that raters differ on most first."""
        split = self.view("splitting", most=1).frame
        first = [] if split is None else [str(name) for name in split.index]
        every = sorted(self.answers["unit"].unique())
        return list(dict.fromkeys([*first, *every]))

    def item(self, unit: str) -> Section:
        """One unit: its texts, everyone's answers, comments and flags."""
        from ..rounds import RoundError

        report = self.report
        named = {report.unit_name(u): u for u in report.places}
        place = unit if unit in report.places else named.get(unit)
        if place is None:
            rows = self.answers[self.answers["unit"].eq(unit)]
            if rows.empty:
                raise RoundError(f"There is no unit {unit!r} among the answers that are shown.")
            wanted = (str(subjects(rows).iloc[0]), int(rows["part"].iloc[0]))
            place = next(u for u, where in report.places.items() if where == wanted)
        asked = [*report.counted.numeric(), *report.counted.labelled()]
        return Section(f"{unit}", card(report, place, asked, unit))

    def panel(self) -> Any:
        """Widgets: a view, a question, filters that hold for all, and the items behind the marks.

        Everything is drawn into widgets of its own and is not captured as output: a notebook that
        runs without a page then has nothing to send back while it waits for the cell to end, which
        is where nbclient can miss that it has ended.
        """
        import ipywidgets

        from ..widgets import PANEL, Keyboard, Picker, row

        at = {"style": {"description_width": "8em"}, "layout": {"width": "21em"}}
        shown = ipywidgets.Dropdown(
            options=[(title, name) for name, title in VIEWS.items()],
            description="View",
            style=at["style"],
            layout={"width": "27em"},  # the longest question is whole
        )
        asked = [(name, name) for name in [*self.scored(), *self.labelled()]]
        question = ipywidgets.Dropdown(
            options=[("usual", ""), *asked], description="Question", **at
        )
        filters = {
            name: ipywidgets.SelectMultiple(
                options=sorted(self.answers[own(name)].dropna().astype(str).unique()),
                description=name.capitalize().replace("_", " "),
                rows=4,
                **at,
            )
            for name in ["rater", *self.columns][:4]
        }
        item = Picker("Item", self.units, "none")
        page, below = ipywidgets.HTML(), ipywidgets.HTML()

        def draw(_: Any = None) -> None:
            chosen = {name: list(box.value) for name, box in filters.items() if box.value}
            here = self.where(**chosen)
            takes = inspect.signature(getattr(views, shown.value)).parameters
            words: dict[str, Any] = {}
            if question.value and "question" in takes:
                words["question"] = question.value
            elif question.value and "questions" in takes:
                words["questions"] = [question.value]
            page.value = here.view(shown.value, **words)._repr_html_()

        def read(_: Any = None) -> None:
            below.value = self.item(item.value)._repr_html_() if item.value else dressed("")

        for box in (shown, question, *filters.values()):
            box.observe(draw, "value")
        item.observe(read, "value")
        draw()
        above = [row(shown, question), row(*filters.values())]
        box = ipywidgets.VBox([*above, page, item, below, Keyboard()])
        return box.add_class("rb-view").add_class(PANEL).add_class("mathjax_ignore")

    def __repr__(self) -> str:
        return f"Explore({self.round.name!r}): {count(len(VIEWS), 'view')}: {', '.join(VIEWS)}"


# Views that show labels where a round has no numbers.
LABELS_TOO = {"distributions", "splitting", "pairs", "dropping", "confusion"}
