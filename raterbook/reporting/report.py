"""The report of one round: computed once, shown section by section by the notebook."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from raterbook.analysis import Ratings
from raterbook.analysis.estimate import WARNINGS

from ..design import TOKENS
from ..numbers.compare import beside_people
from ..numbers.compare.comparison import Comparison
from ..numbers.compare.sides import Sides
from ..numbers.completeness import Completeness, completeness_of
from ..numbers.compute import Numbers, compute
from ..numbers.counted import Counted, count
from ..numbers.measures import cluster_of, frame_of
from ..numbers.number import LEADING
from ..numbers.parameters import checked
from ..numbers.targets import in_sight
from ..protocols import Question
from ..protocols.statistics import PROPORTION
from ..rounds import Round
from ..rounds.frame import in_words
from .folder import slug, write_whole
from .html import Section, cell, figure, plain
from .leanings import concord, leans, scores, strict_leans
from .pairs import Copies, copies
from .sections import (
    conduct,
    criteria,
    disputes,
    machines,
    made,
    next_round,
    raters,
    reading,
    recall,
    shares,
    systems,
    trace,
    trust,
    verdict,
    weighting,
)
from .sections.machines import beside
from .words import CAUTIONS, interval, name_of, number
from .words import count as count_of

# The sections of the page in the order of its reader: the verdict, the result, whether the raters
# can be trusted, the items that show why not, the rest. A further one is its function, its line
# here, and a cell of notebooks/round_report.ipynb.
SECTIONS: dict[str, Callable[[Report], Section | None]] = {
    section.__name__: section
    for section in (
        verdict.verdict,
        verdict.targets,
        systems.systems,
        criteria.criteria,
        recall.coverage,
        shares.shares,
        shares.overall,
        trust.trust,
        machines.machines,
        beside.beside,
        reading.worth_reading,
        disputes.decisions,
        disputes.calibration,
        next_round.next_round,
        criteria.breakdowns,
        shares.majorities,
        machines.labels,
        raters.raters,
        criteria.confusion,
        weighting.weighting,
        conduct.conduct,
        made.made,
    )
}


def contents() -> str:
    """docs/page.md: every section of the page and every caution beside a number, as they are."""
    warnings = [(code, note) for code, note in WARNINGS.items() if code not in CAUTIONS]
    sections = [
        (name, (section.__doc__ or "").split("\n")[0]) for name, section in SECTIONS.items()
    ]
    numbers = [
        (number(0.19, "percent_agreement"), "a share"),
        (number(-0.12), "a score or a coefficient"),
        (f"{number(0.42)} ({interval(0.31, 0.53)})", "an estimate with its interval"),
        (cell(1530), "a count"),
        (number(None), "undefined; the reason stands beside it"),
    ]
    listed = {"sections": sections, "cautions": CAUTIONS, "warnings": warnings}
    return plain("contents.md", **listed, numbers=numbers, tokens=TOKENS)


class Report(reading.ItemTexts):
    """`Report(stored, seed=3)`; each method is one section, None where it has nothing to say."""

    def __init__(self, stored: Round, **given: Any):
        self.stored = stored
        self.head = stored.store.head()  # of the history: the page speaks of what it stands for
        self.protocol = stored.protocol
        # What may be seen by now, where the round declared looks.
        self.parameters, self.sight = in_sight(stored, checked(stored.name, given))
        self.frame: pd.DataFrame = frame_of(stored, self.parameters, sight=self.sight)
        # How many required answers were asked for, and who is left out.
        self.asked: Completeness = completeness_of(stored, self.parameters)
        self.numbers: Numbers = compute(stored, self.parameters, self.frame, self.asked, self.sight)
        self.pictures: dict[str, str] = {}
        self.files: dict[str, str] = {}  # what a section leaves beside the page

    def __getattr__(self, name: str) -> Callable[[], Section | None]:
        if name not in SECTIONS:
            raise AttributeError(f"a report has no section {name!r}: choose {', '.join(SECTIONS)}")
        return partial(SECTIONS[name], self)

    def __repr__(self) -> str:
        return f"Report({self.stored.name!r}): {len(self.numbers.rows):,} numbers"

    @cached_property
    def counted(self) -> Counted:
        return count(self.frame, self.protocol.questions, self.parameters.raters)

    @cached_property
    def texts(self) -> pd.DataFrame:
        """The free texts, with the units they speak of; read only where a section shows some."""
        texts = [question.id for question in self.protocol.questions if question.is_text]
        every = self.frame.iloc[:0]
        if texts:
            given, until = self.parameters, self.sight.until if self.sight else None
            every = in_words(self.stored, given.pseudonyms, until, given.groups)
        return count(every[every["question"].isin(texts)], self.protocol.questions).given

    @cached_property
    def places(self) -> dict[str, tuple[str, int]]:
        """Unit → its item or case, and the number of its part or 0."""
        return self.counted.places()

    def unit_name(self, unit: str) -> str:
        """What a unit is called on the page: `c1/atlas, sentence 2`."""
        return self.place_name(*self.places[unit])

    def place_name(self, name: str, part: int) -> str:
        """An item or case, and which of its parts where it is one of them."""
        parts = self.protocol.parts
        return f"{name}, {parts.label.lower()} {part}" if part and parts else name

    @cached_property
    def judged(self) -> dict[str, tuple[Sides, Comparison]]:
        """The models that are set beside people number by number, as the parameter `judge` asks."""
        return beside_people(self.stored, self.frame, self.parameters, self.sight)

    @cached_property
    def scores(self) -> tuple[pd.DataFrame, Ratings]:
        """One line a score, and the same as ratings of which a rater's leaning is made."""
        every = scores(self)
        own = Ratings(every[["unit", "rater", "value", "cluster"]], cluster="cluster")
        return every[["rater", "item", "cluster", "at", "apart"]].copy(), own

    @cached_property
    def leans(self) -> pd.DataFrame:
        """How each rater leans against the others."""
        return leans(self)

    @cached_property
    def strict_leans(self) -> pd.DataFrame:
        """The same, with intervals by which a rater may be named."""
        found = strict_leans(self)
        vars(self).pop("scores", None)  # much memory, and nothing else is made of them
        return found

    @cached_property
    def grades(self) -> pd.DataFrame:
        """What people say of RAGQuestEval's pairs of answers."""
        return trace.graded(self)

    @cached_property
    def system(self) -> str | None:
        """The column that names systems, where the round has more than one."""
        column = self.protocol.item.system
        if column is None or column not in self.frame:
            return None
        return column if self.frame[column].nunique() > 1 else None

    @cached_property
    def system_names(self) -> list[str]:
        if self.system is None:
            return []
        return sorted(str(name) for name in self.frame[self.system].dropna().unique())

    @property
    def cluster(self) -> str | None:
        return cluster_of(self.frame)

    @property
    def independent(self) -> str:
        """What intervals take as one draw: a cluster by its column's name, a case, or an item."""
        if self.cluster and self.stored.cluster:
            return self.stored.cluster.replace("_", " ")
        item = self.protocol.item
        return "item" if item.key == (item.case,) else "case"

    @property
    def people(self) -> str:
        """What those who count are called."""
        return "model" if self.counted.kind == "model" else "rater"

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each rater who counts."""
        people = self.counted.people[["rater", "rater_kind"]].drop_duplicates()
        return dict(zip(people["rater"].astype(str), people["rater_kind"], strict=True))

    @property
    def who(self) -> str:
        """“2 people and 1 model”: whose answers count."""
        found = list(self.kinds.values())
        people, models = found.count("human"), found.count("model")
        said = [count_of(people, "person", "people")] if people else []
        said += [count_of(models, "model")] if models else []
        return " and ".join(said) or "nobody"

    @cached_property
    def mixed(self) -> dict[str, set[str]]:
        """Question → the kinds of those whose answers to it count; empty where all are people.

        Where only models count, one line at the head of the page says so, and nothing here.
        """
        if set(self.kinds.values()) != {"human", "model"}:
            return {}
        found = self.counted.people.groupby("question")["rater_kind"].unique()
        return {str(question): set(kinds) for question, kinds in found.items()}

    def whose(self, question: str | None) -> str:
        """“ (by a model)”, behind whatever rests on answers that are not people's alone."""
        kinds = self.mixed.get(question or "", {"human"})
        if kinds == {"human"}:
            return ""
        if kinds == {"model"}:
            rows = self.counted.of(str(question))
            return " (by a model)" if rows["rater"].nunique() == 1 else " (by models)"
        return " (by people and models)"

    def name(self, row: Mapping[str, Any]) -> str:
        """What a row's statistic is called, and whose it is where that is not people's alone."""
        said = name_of(row["statistic"])
        if row["statistic"] in self.repeated:
            return f"{self.label(row['question'])}: {said.lower()}"
        if row["question"]:
            return said + self.whose(row["question"])
        return f"{said} (by models)" if self.mixed and row["raters"] == "model" else said

    @cached_property
    def repeated(self) -> set[str]:
        """Shares that several questions have under one name: each is said with its question."""
        asked = {
            (row["statistic"], row["question"])
            for row in self.numbers.rows
            if row["statistic"].startswith(PROPORTION)
        }
        times = Counter(statistic for statistic, _ in asked)
        return {statistic for statistic, many in times.items() if many > 1}

    @cached_property
    def marked(self) -> list[dict[str, Any]]:
        """Flags, evidence and answers after a reveal of those who are not excluded."""
        return self.stored.marked(self.parameters.pseudonyms, excluded=False)

    def rater_name(self, rater: str) -> str:
        """A model among people who count is called one."""
        is_model = self.mixed and self.kinds.get(rater) == "model"
        return f"{rater} (model)" if is_model else rater

    @cached_property
    def shared(self) -> dict[str, int]:
        """Question → on how many units two or more of those who count can be compared."""
        found = {}
        for question in self.counted.asked():
            if question.values or question.is_numeric:
                many = self.counted.of(question.id)["unit"].value_counts()
                found[question.id] = int((many > 1).sum())
        return found

    @cached_property
    def copies(self) -> list[Copies]:
        """Pairs of raters whose answers look like one another's."""
        asked = [q for q in [*self.counted.numeric(), *self.counted.labelled()] if q.values]
        return copies(self.counted, asked)

    @cached_property
    def concord(self) -> pd.DataFrame:
        """How often each rater gives the others' answer, beside how often these give theirs."""
        asked = [q for q in [*self.counted.numeric(), *self.counted.labelled()] if q.values]
        return concord(self.counted, asked, self.parameters.coverage, self.cluster)

    def question(self, question: str | None) -> Question | None:
        """A question of the protocol; None for those made by recoding."""
        return next((each for each in self.protocol.questions if each.id == question), None)

    def label(self, question: str | None) -> str:
        """What a question is called on the page."""
        asked = self.question(question)
        said = asked.label if asked else (question or "all").replace("_", " ").capitalize()
        return said + self.whose(question)

    def rows(
        self, statistic: str, question: str | None = None, **group: Any
    ) -> list[dict[str, Any]]:
        """The rows of a statistic with just this group; undefined ones are among them."""
        return [
            row
            for row in self.numbers.rows
            if row["statistic"] == statistic
            and (question is None or row["question"] == question)
            and (row["group"] or {}) == group
            and row["aggregate"] in LEADING
        ]

    def by(
        self, statistic: str, column: str | None, question: str | None = None
    ) -> list[dict[str, Any]]:
        """The rows of a statistic split by one column and nothing else."""
        return [
            row
            for row in self.numbers.rows
            if row["statistic"] == statistic
            and (question is None or row["question"] == question)
            and row["group"]
            and list(row["group"]) == [column]
            and row["aggregate"] in LEADING
        ]

    def picture(self, name: str, ax: Any, alt: str, caption: str = "") -> Markup:
        """The figure as it stands on the page; its file is written with the numbers."""
        from .figures import in_both_lights, svg

        drawn = self.pictures[slug(name)] = svg(ax)
        return figure(in_both_lights(drawn), alt, caption)

    def save(self, folder: str | Path | None = None) -> None:
        """Write the numbers, the figures and sections' files where a report run asks for them."""
        place = folder or os.environ.get("RATERBOOK_REPORT_OUTPUT")
        if not place:
            return
        self.numbers.write(Path(place))
        if os.environ.get("RATERBOOK_REPORT_PAPER"):
            from .paper import paper

            write_whole(Path(place) / "paper.tex", paper(self))
        for name, text in self.files.items():
            write_whole(Path(place) / name, text)
        if self.pictures:
            figures = Path(place) / "figures"
            figures.mkdir(exist_ok=True)
            for name, text in self.pictures.items():
                write_whole(figures / f"{name}.svg", text)
