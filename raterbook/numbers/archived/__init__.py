"""The numbers of an archive that is larger than memory: its engine counts, and what it counted is
inferred from as ever.

Coefficients, means, medians, deviations and shares of one question's values come from patterns of
its answers. What goes through answers one by one, or sets questions, systems or models against
each other, is named with that reason and has no value. A small archive is read, and has all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from raterbook.analysis import Ratings, mean, proportion, weighted_mean
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.coefficients.tables import NAMES, coefficient
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.ratings.engine import fetched
from raterbook.files.archive import Archive
from raterbook.numbers.checks import checks
from raterbook.numbers.compute import Numbers, kept_within, rows_of, why_not, wordings
from raterbook.numbers.counted import listed, scale_of
from raterbook.numbers.measures import (
    asked_of,
    cluster_of,
    correction_of,
    nothing,
    questions_of,
    wanted,
)
from raterbook.numbers.number import Number
from raterbook.numbers.parameters import Parameters, checked
from raterbook.numbers.targets import verdicts
from raterbook.protocols.statistics import PROPORTION, known_statistic
from raterbook.rounds.model import COUNTING

# Answers of an archive that is read as a whole.
IN_MEMORY = 1_000_000
AVERAGES: dict[str, Callable[..., Estimate]] = {
    "mean": mean,
    "sd": sd,
    "median": median,
    "weighted_mean": weighted_mean,
}
ONE_BY_ONE = "needs_each_answer"


def numbers_of(archive: Archive, **given: Any) -> Numbers:
    """The numbers of one round of an archive; `given` are the report's parameters."""
    parameters = checked(archive.round, given)
    if archive.rows <= IN_MEMORY:
        frame = archive.frame()
        measures = wanted(archive.protocol, frame, parameters)
        rows = rows_of(archive.protocol, frame, measures, parameters, cluster_of(frame))
        asked = questions_of(archive.protocol)
        return _numbers(archive, parameters, rows, checks(frame, rows, measures, asked))
    found = [
        number
        for measure in wanted(archive.protocol, _skeleton(archive), parameters)
        for number in ArchivedAnswers(archive, parameters).measured(measure)
    ]
    return _numbers(archive, parameters, [each.row() for each in found], [])


def _numbers(archive: Archive, parameters: Parameters, rows: Any, checked: Any) -> Numbers:
    protocol = archive.protocol
    return Numbers(
        round=archive.round,
        protocol=protocol.name,
        parameters=parameters.to_dict(),
        data={
            "protocol": protocol.hash,
            "answers": archive.sealed["answers"],
            "questions": wordings(protocol),
        },
        rows=rows,
        targets=verdicts(protocol.targets, rows, parameters.questions),
        checks=checked,
    )


def _skeleton(archive: Archive) -> pd.DataFrame:
    """The archive's columns without answers: what protocols measure by, and no model beside."""
    return pd.DataFrame({name: pd.Series(dtype=object) for name in archive.columns})


@dataclass(frozen=True)
class ArchivedAnswers:
    """An archive's answers where they lie, and what is asked of them."""

    archive: Archive
    parameters: Parameters

    @cached_property
    def questions(self) -> dict[str, dict[str, Any]]:
        return questions_of(self.archive.protocol)

    @cached_property
    def given(self) -> Any:
        """The answers that count of main items, with the unit, owner and cluster of each.

        As a round's board has them: a unit is an item, a case, or a part of one.
        """
        table = self.archive.table()
        filled = (table.value.notnull() & (table.value.strip() != "")) | table.number.notnull()
        table = table.filter(
            filled,
            table.status == "answered",
            table.replicate.fill_null(1) == 1,
            table.role.isnull() | (table.role == "main"),
        )
        kind = table["item"].notnull().ifelse("item ", "case ")
        owner = kind + table["item"].coalesce(table["case"])
        part = table["part"].fill_null(0)
        case = table["case"].coalesce(table["item"])
        cluster = table["cluster"].coalesce("case " + case) if self._clustered else case
        number = table["number"].nullif(float("nan"))
        unit = owner + " · " + part.cast("string")
        return table.mutate(owner=owner, unit=unit, cluster=cluster, number=number)

    @cached_property
    def _clustered(self) -> bool:
        """Whether any answer has a declared cluster; else cases are resampled."""
        table = self.archive.table()
        return bool(fetched(table.aggregate(n=table["cluster"].count()))["n"][0])

    @cached_property
    def seen(self) -> pd.DataFrame:
        """The values given to each question, by kind of rater, and how often."""
        table = self.given
        grouped = table.group_by("question", "rater_kind", "rater", "value", "number")
        return fetched(grouped.agg(n=table.count()))

    def measured(self, measure: Mapping[str, Any]) -> list[Number]:
        """A measure of the round and of each group, as far as an engine can count it."""
        statistic = str(measure["statistic"])
        asked: list[Any] = asked_of(measure) or [None]
        if not _counts(measure):
            whole: list[Any] = [None] if known_statistic(statistic).asks == "all" else asked
            return [self._missing(measure, name, ONE_BY_ONE) for name in whole]
        found = []
        for group, table in self._groups(measure):
            for question in asked:
                found.append(replace(self._number(measure, question, table), group=group or None))
        return kept_within(self.archive.protocol, found, measure)

    def _missing(self, measure: Mapping[str, Any], question: str | None, why: str) -> Number:
        return Number(
            statistic=str(measure["statistic"]),
            question=next(iter(measure.get("recode") or {}), question),
            n_items=0,
            n_raters=0,
            n_ratings=0,
            correction=correction_of(measure),
            reason=why,
        )

    def _groups(self, measure: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
        """The round, then its groups in the order of their names."""
        yield {}, self.given
        for columns in measure.get("by") or []:
            table = self.given
            known = table.filter([table[name].notnull() for name in columns])
            for row in fetched(known.select(*columns).distinct().order_by(columns)).itertuples():
                group = dict(zip(columns, row[1:], strict=True))
                yield group, table.filter([table[name] == group[name] for name in columns])

    def _number(self, measure: Mapping[str, Any], question: str, table: Any) -> Number:
        kind, names = self._who(question)
        called = next(iter(measure.get("recode") or {}), question)
        of_it = table.filter(table.question == question, table.rater.isin(names or [""]))
        estimate, owners = self._estimate(measure, question, of_it)
        return Number.of(
            str(measure["statistic"]), estimate, question=called, raters=kind, n_items=owners
        )

    def _who(self, question: str) -> tuple[Any, list[str]]:
        """Whose answers count: people, else models, else whoever was named."""
        here = self.seen[self.seen["question"] == question]
        if self.parameters.raters:
            named = list(self.parameters.raters)
            return named, sorted(set(here["rater"]) & set(named))
        for kind in COUNTING:
            raters = here.loc[here["rater_kind"] == kind, "rater"]
            if len(raters):
                return kind, sorted(set(raters))
        return "human", []

    def _estimate(
        self, measure: Mapping[str, Any], question: str, table: Any
    ) -> tuple[Estimate, int]:
        """The estimate of one question's answers, and of how many items or cases they are."""
        statistic = str(measure["statistic"])
        scale, _ = scale_of(self.questions[question], self.seen[self.seen["question"] == question])
        values, numeric = list(scale.values), not scale.labels
        if reason := why_not(measure, self.questions[question], scale):
            return nothing(statistic, reason), 0
        value = table["number"] if numeric else table["value"]
        if recode := measure.get("recode"):
            groups = next(iter(recode.values()))
            kind = float if numeric else str
            olds = [(kind(old), new) for new, many in groups.items() for old in listed(many)]
            value, values = value.cases(*olds), list(groups)
        table = table.mutate(value=value)
        table = table.filter(table.value.notnull())
        alone = fetched(table.aggregate(u=table.unit.nunique(), c=table["cluster"].nunique()))
        shared = int(alone["c"][0]) < int(alone["u"][0])
        columns = ["unit", "rater", "value", "cluster"]
        if statistic == "weighted_mean":
            columns.append("confidence")
        declared = values if scale.declared or recode else None
        ratings = Ratings(
            table.select(*columns), declared, "cluster" if shared or len(columns) > 4 else None
        )
        if statistic in NAMES:
            return coefficient(statistic, ratings, self.parameters.wish), self._owners(table, 2)
        if statistic in AVERAGES:
            found = AVERAGES[statistic](ratings, interval=self.parameters.wish)
            if statistic == "weighted_mean":
                table = table.filter(table.confidence.notnull())
            return found, self._owners(table, 1)
        of = measure.get("of")
        found = proportion(ratings, listed(measure["is"]), of=of, interval=self.parameters.wish)
        among = table if of is None else table.filter(table.value.isin(listed(of)))
        return replace(found, statistic=statistic), self._owners(among, 1)

    def _owners(self, table: Any, least: int) -> int:
        """How many items or cases the units with so many answers belong to."""
        units = table.group_by("unit").agg(n=table.count(), owner=table.owner.min())
        kept = units.filter(units.n >= least)
        return int(fetched(kept.aggregate(n=kept.owner.nunique()))["n"][0])


def _counts(measure: Mapping[str, Any]) -> bool:
    """Whether patterns of one question's answers are all that the measure needs."""
    statistic, share = str(measure["statistic"]), measure.get("is")
    if not asked_of(measure):
        return False
    if statistic in NAMES or statistic in AVERAGES:
        return share is None
    simple = isinstance(share, list | str) and not isinstance(measure.get("of"), dict)
    return statistic.startswith(PROPORTION) and simple and not measure.get("recode")
