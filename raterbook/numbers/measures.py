"""What is measured of a round: what its protocol declares, by the groups asked for, and of models.

Where models or automatic raters answered beside people, they are compared without being told to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Interval
from raterbook.numbers.counted import MACHINES, Board, Grid, count, listed, recoded
from raterbook.numbers.number import Pair
from raterbook.numbers.parameters import Parameters, check_names
from raterbook.numbers.targets import Sight
from raterbook.protocols.statistics import (
    PROPORTION,
    Takes,
    difference_of,
    known_statistic,
    of_family,
)
from raterbook.rounds import Round


def wanted(protocol: Any, frame: pd.DataFrame, parameters: Parameters) -> list[dict[str, Any]]:
    """The protocol's measures, narrowed to the questions and widened by the groups asked for."""
    columns = set(frame.columns)
    kept = []
    declared = [measure.to_dict() for measure in protocol.measures]
    for entry in declared:
        entry["question"] = with_criteria(entry, declared)
        if not says_what_it_is_of(entry):
            continue
        statistic = known_statistic(entry["statistic"])
        if statistic.asks == "first":
            # A number of the overall that was stated, whose criteria are not chosen by a reader.
            stated = entry["question"][0]
            if parameters.questions is not None and stated not in parameters.questions:
                continue
        elif parameters.questions is not None and entry.get("question") is not None:
            asked = [name for name in asked_of(entry) if name in parameters.questions]
            if not asked:
                continue
            entry["question"] = asked
        by = [group for group in entry.get("by") or [] if columns.issuperset(listed(group))]
        entry["by"] = by + [[name] for name in parameters.groups if [name] not in by]
        if statistic.is_difference and protocol.item.system:
            entry["system"] = protocol.item.system
        if parameters.ties == "first" and entry["statistic"] == "evaluator_agreement":
            entry["tie"] = "first"
        kept.append(entry)
        compared = difference_of(statistic.name)
        several = len(asked_of(entry)) > 1 and protocol.item.system
        if several and compared is not None and compared.asks == "all":
            together = {"statistic": compared.name, "question": entry["question"]}
            together |= {"system": protocol.item.system, **one_correction(protocol)}
            if together not in kept:  # else one comparison would be corrected for twice
                kept.append(together)
    machines = machines_beside_people(protocol, frame, parameters)
    return [*kept, *comparisons(machines, kept)]


def one_correction(protocol: Any) -> dict[str, str]:
    """The correction that all comparisons the protocol declares have; else the usual one."""
    differences = [m for m in protocol.measures if known_statistic(m.statistic).is_difference]
    declared = {measure.correction for measure in differences}
    only = declared.pop() if len(declared) == 1 else None
    return {"correction": only} if only else {}


def says_what_it_is_of(measure: dict[str, Any]) -> bool:
    """False for what rounds opened long ago may still ask, which no protocol may ask today."""
    try:
        check_measure(measure)
    except ValueError:
        return False
    return True


def with_criteria(measure: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> Any:
    """Its questions; a stated overall alone, with those its computed one is made of."""
    asked, statistic = asked_of(measure), known_statistic(measure["statistic"])
    if statistic.asks != "first" or len(asked) != 1:
        return measure.get("question")
    made_of = (asked_of(each) for each in others if each["statistic"] in statistic.of)
    return [*asked, *next(made_of, ())]


def comparisons(
    machines: dict[str, list[Any]], declared: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The comparisons with people that this round allows, over those the protocol declares.

    Scores are compared in every way, labels of models by what takes labels; an automatic label
    has measures of its own.
    """
    found = []
    for kind, questions in machines.items():
        scales = [q.id for q in questions if q.is_score]
        labels = [q.id for q in questions if q.is_label and kind == "model"]
        for statistic in of_family("judge"):
            done = {
                name
                for measure in declared
                if measure["statistic"] == statistic and kind == "model"
                for name in asked_of(measure)
            }
            takes_labels = known_statistic(statistic).takes == "values"
            asked = [*scales, *(labels if takes_labels else [])]
            asked = [name for name in asked if name not in done]
            if asked:
                found.append({"statistic": statistic, "question": asked, "of": kind})
    return found


def machines_beside_people(
    protocol: Any, frame: pd.DataFrame, parameters: Parameters
) -> dict[str, list[Any]]:
    """By kind of machine, the questions that it and people answered, where only people count."""
    if not set(MACHINES) & set(frame["rater_kind"].unique()):
        return {}
    counted = count(frame, protocol.questions, parameters.raters)
    if parameters.raters is not None and set(counted.people["rater_kind"]) != {"human"}:
        return {}
    both = {(kind, question.id) for _, kind, question in counted.machines()}
    asked = [
        q
        for q in protocol.questions
        if parameters.questions is None or q.id in parameters.questions
    ]
    return {
        kind: [question for question in asked if (kind, question.id) in both] for kind in MACHINES
    }


# The round's answers, and what analysis has to know of them.


def frame_of(
    stored: Round, parameters: Parameters, texts: bool = False, sight: Sight | None = None
) -> pd.DataFrame:
    """The round's answers, with the columns and under the names the parameters ask for: those
    that may be seen by now."""
    check_names(stored, parameters)
    until = None if sight is None else sight.until
    return stored.frame(
        texts=texts, pseudonyms=parameters.pseudonyms, groups=parameters.groups, until=until
    )


def cluster_of(frame: pd.DataFrame) -> str | None:
    """What is resampled together: the declared cluster, else cases."""
    return "cluster" if "cluster" in frame and frame["cluster"].notna().any() else None


def drawn_with(rows: pd.DataFrame) -> pd.Series:
    """What each answer is drawn with: its declared cluster, else its case."""
    case = rows["case"].astype(object)
    cluster = rows["cluster"].astype(object) if "cluster" in rows else case
    return cluster.where(cluster.notna(), case).astype(str)


def questions_of(protocol: Any) -> dict[str, dict[str, Any]]:
    """What analysis needs to know of each question: its type, level and declared scale."""
    return {
        question.id: {
            "type": question.type,
            "level": question.level,
            "scale": list(question.values) if question.values else None,
            "covers": list(question.covers),
        }
        for question in protocol.questions
    }


def asked_of(measure: Mapping[str, Any]) -> list[str]:
    """The questions of a measure; none where it is of all."""
    return listed(measure.get("question") or [])


# What a measure is computed from, what it hands back, and which function computes it.


@dataclass(frozen=True)
class Finding:
    """One number to be: `group` joins the columns of the group it was computed for."""

    question: str | None
    estimate: Estimate
    units: np.ndarray
    group: dict[str, Any] = field(default_factory=dict)
    aggregate: str | None = None
    raters: Any = None
    pair: Pair | None = None


@dataclass(frozen=True)
class Task:
    """One measure on one group of units."""

    board: Board
    measure: dict[str, Any]
    mask: np.ndarray
    options: Interval

    @property
    def questions(self) -> list[str]:
        return asked_of(self.measure)

    @property
    def statistic(self) -> str:
        return str(self.measure["statistic"])

    def grid(self, question: str) -> Grid:
        """The question's answers, recoded where the measure says so."""
        recode = self.measure.get("recode") or {}
        if not recode:
            return self.board.grid(question)
        new, groups = next(iter(recode.items()))
        if question == new:
            question = self.source(groups)
        grid = self.board.grid(question)
        scale, codes = recoded(grid.scale, grid.codes, groups)
        return Grid(new, scale, codes, grid.confidence)

    def called(self, question: str) -> str:
        """The name its numbers stand under: the recoded one where the measure recodes."""
        return next(iter(self.measure.get("recode") or {}), question)

    def source(self, groups: dict[str, Any]) -> str:
        """The question that has the values a recoding starts from."""
        olds = {str(old) for values in groups.values() for old in values}
        for name, question in self.board.questions.items():
            if olds <= {str(value) for value in question.get("scale") or ()}:
                return name
        raise ValueError(f"no question has the values {', '.join(sorted(olds))}")

    def each_grid(self) -> list[Grid]:
        return [self.grid(question) for question in self.questions]


def nothing(statistic: str, reason: str, **counts: Any) -> Estimate:
    """An estimate that is not there, and why."""
    return Estimate(None, statistic=statistic, reason=reason, **counts)


def unpaired(given: np.ndarray, otherwise: str = "no_pairable_units") -> str:
    """Why what was given, units × raters, is not compared; `otherwise` where some were paired."""
    raters = int(given.any(axis=0).sum())
    if raters < 2:
        return ("no_ratings", "single_rater")[raters]
    return otherwise if (given.sum(axis=1) >= 2).any() else "no_pairable_units"


def without_ties(finding: Finding) -> Finding:
    """The finding with the warning that some units had no single value and were left out."""
    warnings = (*finding.estimate.warnings, "ties_left_out")
    return replace(finding, estimate=replace(finding.estimate, warnings=warnings))


Compute = Callable[[Task], list[Finding]]
COMPUTES: dict[str, Compute] = {}


def computes(*names: str) -> Callable[[Compute], Compute]:
    """The function computes these statistics for one group; each has one such function.

    That of `proportion_` computes every share that only a protocol knows.
    """

    def attach(function: Compute) -> Compute:
        for name in names:
            if COMPUTES.setdefault(name, function) is not function:
                raise ValueError(f"{name} is computed by {COMPUTES[name].__name__} already")
        return function

    return attach


def measured_by(name: str) -> Compute:
    """The function that computes a statistic for one group."""
    found = known_statistic(name)
    return COMPUTES[PROPORTION if found.is_proportion and name not in COMPUTES else name]


def is_of_shares(measure: Mapping[str, Any]) -> bool:
    """Whether it says which values count, or out of which."""
    return measure.get("is") is not None or measure.get("of") is not None


def takes(measure: Mapping[str, Any]) -> Takes:
    """What a measure needs of its questions' values."""
    return known_statistic(str(measure["statistic"])).values(is_of_shares(measure))


def correction_of(measure: Mapping[str, Any]) -> str | None:
    """How the p of its pairs is corrected for their number: Holm's way unless it says another."""
    if not known_statistic(str(measure["statistic"])).is_difference:
        return None
    return str(measure.get("correction") or "holm")


def check_measure(measure: Mapping[str, Any]) -> None:
    """Refuse a measure that does not say what it is of."""
    name = str(measure["statistic"])
    if takes(measure) != "answers" and not measure.get("question"):
        raise ValueError(f"{name} needs a question")
    if known_statistic(name).asks == "first" and len(asked_of(measure)) < 2:
        raise ValueError(
            f"{name} needs the criteria: name them after the stated overall, or ask for "
            f"{' or '.join(known_statistic(name).of)} of them"
        )
    missing = [key for key in known_statistic(name).needs if measure.get(key) is None]
    if missing:
        said = " and ".join(repr(key) for key in missing)
        raise ValueError(f"{name} needs {said}: the values that count, and those they are out of")
