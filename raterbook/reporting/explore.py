"""A round, looked at from six sides: figures with a line of reading each, for a notebook.

Every method returns something Jupyter shows; `choose` puts ipywidgets in front of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from markupsafe import Markup

from .html import NOTHING, Section, paragraph, short, table
from .pairs import agreement_matrix, confusions, worst_pair
from .report import Report
from .sections.criteria import one as confused
from .sections.criteria import scales
from .sections.raters import labels, lean, left_out, matrix
from .sections.reading import disagreements
from .sections.weighting import weighting
from .words import count, percent

# Widgets have small letters in lines of a fixed height; a view reads as the notebook around it.
AS_AROUND = "font-size: var(--jp-content-font-size1, 14px); line-height: 1.5"


class Explore:
    """`Explore(report)`: who is severe, what splits the raters, does confidence mean anything."""

    def __init__(self, report: Report):
        self.report = report
        asked = [*report.counted.numeric(), *report.counted.labelled()]
        self.questions = {question.label: question for question in asked if question.values}
        self.raters = report.counted.raters()

    def severity(self) -> Section:
        """Who scores above or below the others; for labels, who uses which."""
        return shown("Who is severe?", lean(self.report) + labels(self.report))

    def splitting(self, question: str = "", most: int = 10) -> Section:
        """The items on which raters differ most, over all questions or on one."""
        asked = self.asked(question)
        found = disagreements(self.report.counted, asked)
        said = f"Raters differ on {count(len(found), 'item or part', 'items or parts')}."
        name = self.report.unit_name
        rows = [
            (name(str(unit)), *answers(self.report, str(unit), asked), f"{apart:.2f}")
            for unit, apart in found.head(most).items()
        ]
        head = ("Item", *(q.label for q in asked), "Apart")
        made = table(head, rows, "The most divided first", text=len(head) - 1) if rows else NOTHING
        return shown("Which items split the raters?", paragraph(said) + made)

    def confidence(self) -> Section:
        """Whether surer answers are closer to the others'."""
        found = weighting(self.report)
        return shown("Does confidence mean anything?", found.html if found else NOTHING)

    def pairs(self, question: str = "") -> Section:
        """Which two raters agree least."""
        asked = self.asked(question)
        found = agreement_matrix(self.report.counted, asked).stack()
        if not len(found):
            return shown("Which pairs differ?", NOTHING)
        first, second = found.idxmin()
        both = [
            self.report.counted.table(one).reindex(columns=[first, second]).notna().all(axis=1)
            for one in asked
        ]
        shared = sum(int(each.sum()) for each in both)
        said = (
            f"{first} and {second} agree least: {percent(found.min())} % of the {shared:,} answers "
            "they have in common are the same. Of many pairs one is always the lowest."
        )
        return shown("Which pairs differ?", paragraph(said) + matrix(self.report, asked))

    def dropping(self) -> Section:
        """What leaving a rater out would do to agreement."""
        return shown("What would dropping a rater do?", left_out(self.report))

    def confusion(self, question: str = "") -> Section:
        """Which values are taken for each other; questions on one scale together."""
        groups = [self.asked(question)] if question else scales(self.report.counted)
        inside = NOTHING
        for place, group in enumerate(groups):
            found = confusions(self.report.counted, group)
            worst = worst_pair(found)
            inside += confused(self.report, group, found, worst, place) if worst else NOTHING
        return shown("Which levels are confused?", inside)

    def asked(self, question: str) -> list[Any]:
        """One question by its label, or all."""
        return [self.questions[question]] if question else list(self.questions.values())

    def choose(self, view: Callable[..., Section], **further: tuple[int, int, int]) -> Any:
        """A drop-down of questions over a view, and a slider (least, most, step) for each number.

        The view stands in a widget of its own and is not captured as output: a notebook that runs
        without a page then has nothing to send back while it waits for the cell to end, which is
        where nbclient can miss that it has ended.
        """
        import ipywidgets

        names = [("all questions", ""), *((name, name) for name in self.questions)]
        boxes = {"question": ipywidgets.Dropdown(options=names, description="question")}
        for name, (least, most, step) in further.items():
            usual = signature(view).parameters[name].default
            boxes[name] = ipywidgets.IntSlider(
                usual, least, most, step, description=name, continuous_update=False
            )
        page = ipywidgets.HTML().add_class("jp-RenderedHTMLCommon")

        def draw(_: Any = None) -> None:
            made = view(**{name: box.value for name, box in boxes.items()})
            page.value = f'<div style="{AS_AROUND}">{made._repr_html_()}</div>'

        for box in boxes.values():
            box.observe(draw, "value")
        draw()
        return (
            ipywidgets.VBox([*boxes.values(), page])
            .add_class("rb-view")
            .add_class("mathjax_ignore")
        )


def shown(title: str, inside: Markup) -> Section:
    return Section(title, inside or paragraph("Nothing can be said about it in this round."))


def answers(report: Report, unit: str, asked: list[Any]) -> list[str]:
    """For each question what was said, in the order of the raters: `5 4 2`."""
    rows = report.counted.people
    own = rows[rows["unit"].eq(unit)]
    found = []
    for question in asked:
        given = own[own["question"].eq(question.id)].sort_values("rater")["value"]
        found.append(" ".join(short(value, 24) for value in given))
    return found
