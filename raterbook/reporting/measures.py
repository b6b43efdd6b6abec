"""What is measured of a round: what its protocol declares, by the groups asked for, and of models.

Where models or automatic raters answered beside people, they are compared without being told to.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.catalogue import check_measure

from .parameters import Parameters
from .tables.counted import count

SCORES = ("exact", "within_one", "mae", "bias", "spearman")
HALVES = ("exact_halves", "macro_f1_halves")
COMPARISONS = (*SCORES, *HALVES)
# Means over several questions, which are compared between systems as well.
TOGETHER = ("overall_mean", "overall_computed_mean")


def wanted(protocol: Any, frame: pd.DataFrame, parameters: Parameters) -> list[dict[str, Any]]:
    """The protocol's measures, narrowed to the questions and widened by the groups asked for."""
    columns = set(frame.columns)
    kept = []
    for measure in protocol.measures:
        entry = measure.to_dict()
        if not says_what_it_is_of(entry):
            continue
        if entry["statistic"] == "adjusted_share":
            # A number of the overall that was stated, whose criteria are not chosen by a reader.
            entry["question"] = with_criteria(asked_of(entry), protocol)
            stated, *criteria = entry["question"]
            asked_for = parameters.questions is None or stated in parameters.questions
            if not (criteria and asked_for):
                continue
        elif parameters.questions is not None and entry.get("question") is not None:
            asked = [name for name in asked_of(entry) if name in parameters.questions]
            if not asked:
                continue
            entry["question"] = asked
        by = [group for group in entry.get("by") or [] if columns.issuperset(listed(group))]
        entry["by"] = by + [[name] for name in parameters.groups if [name] not in by]
        if entry["statistic"].startswith("difference") and protocol.item.system:
            entry["system"] = protocol.item.system
        if parameters.ties == "first" and entry["statistic"] == "evaluator_agreement":
            entry["tie"] = "first"
        kept.append(entry)
        if entry["statistic"] in TOGETHER and len(asked_of(entry)) > 1 and protocol.item.system:
            together = {"statistic": "difference_overall", "question": entry["question"]}
            together |= {"system": protocol.item.system, **one_correction(protocol)}
            if together not in kept:  # else one comparison would be corrected for twice
                kept.append(together)
    machines = machines_beside_people(protocol, frame, parameters)
    return [*kept, *comparisons(machines, kept)]


def one_correction(protocol: Any) -> dict[str, str]:
    """The correction that all comparisons the protocol declares have; else the usual one."""
    declared = {m.correction for m in protocol.measures if m.statistic.startswith("difference")}
    only = declared.pop() if len(declared) == 1 else None
    return {"correction": only} if only else {}


def says_what_it_is_of(measure: dict[str, Any]) -> bool:
    """False for what rounds opened long ago may still ask, which no protocol may ask today."""
    try:
        check_measure(measure)
    except ValueError:
        return False
    return True


def with_criteria(asked: list[str], protocol: Any) -> list[str]:
    """A stated overall with its criteria; alone, with those its computed one is made of."""
    if len(asked) > 1:
        return asked
    made_of = (m.question for m in protocol.measures if m.statistic == "overall_computed_mean")
    return [*asked, *next(made_of, ())]


def comparisons(
    machines: dict[str, list[Any]], declared: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The comparisons with people that this round allows, over those the protocol declares.

    Scores are compared by all of SCORES, labels of models by `exact`; an automatic label has
    measures of its own.
    """
    found = []
    for kind, questions in machines.items():
        scales = [q.id for q in questions if q.type == "scale"]
        labels = [q.id for q in questions if q.type == "choice" and kind == "model"]
        for statistic in SCORES:
            done = {
                name
                for measure in declared
                if measure["statistic"] == statistic and kind == "model"
                for name in asked_of(measure)
            }
            asked = [*scales, *(labels if statistic == "exact" else [])]
            asked = [name for name in asked if name not in done]
            if asked:
                found.append({"statistic": statistic, "question": asked, "of": kind})
    return found


def machines_beside_people(
    protocol: Any, frame: pd.DataFrame, parameters: Parameters
) -> dict[str, list[Any]]:
    """By kind of machine, the questions that it and people answered, where only people count."""
    if not {"model", "automatic"} & set(frame["rater_kind"].unique()):
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
        kind: [question for question in asked if (kind, question.id) in both]
        for kind in ("model", "automatic")
    }


def asked_of(measure: dict[str, Any]) -> list[str]:
    """The questions of a measure; none where it is of all."""
    return listed(measure.get("question") or [])


def listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
