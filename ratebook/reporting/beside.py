"""What is measured of models and automatic raters beside people; nothing where there are none."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .parameters import Parameters

SCORES = ("exact", "within_one", "mae", "bias", "spearman")
HALVES = ("exact_halves", "macro_f1_halves")
COMPARISONS = (*SCORES, *HALVES)


def beside(
    protocol: Any, frame: pd.DataFrame, parameters: Parameters, declared: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The comparisons with people that this round allows, over those the protocol declares.

    Scores are compared by all of SCORES, labels of models by `exact`; an automatic label has
    measures of its own.
    """
    found = []
    for kind, questions in answered(protocol, frame, parameters).items():
        scales = [q.id for q in questions if q.type == "scale"]
        labels = [q.id for q in questions if q.type == "choice" and kind == "model"]
        for statistic in SCORES:
            done = said_of(declared, statistic) if kind == "model" else set()
            asked = [*scales, *(labels if statistic == "exact" else [])]
            asked = [name for name in asked if name not in done]
            if asked:
                found.append({"statistic": statistic, "question": asked, "of": kind})
    return found


def possible(
    protocol: Any, frame: pd.DataFrame, parameters: Parameters, measures: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Declared comparisons are kept for what a model answered, and wherever a target waits."""
    if not any(measure["statistic"] in COMPARISONS for measure in measures):
        return measures
    by_models = {q.id for q in answered(protocol, frame, parameters).get("model", ())}
    aims = {target.statistic for target in protocol.targets}
    kept = []
    for measure in measures:
        if measure["statistic"] in COMPARISONS and measure["statistic"] not in aims:
            asked = [name for name in listed(measure) if name in by_models]
            if not asked:
                continue
            measure = {**measure, "question": asked}
        kept.append(measure)
    return kept


def answered(protocol: Any, frame: pd.DataFrame, parameters: Parameters) -> dict[str, list[Any]]:
    """By kind of machine, the questions that it and people answered, where people count."""
    if not {"model", "automatic"} & set(frame["rater_kind"].unique()):
        return {}
    kinds = frame["rater_kind"].astype(object)
    if parameters.raters is None:
        counts = kinds.eq("human")
    else:
        counts = frame["rater"].isin(list(parameters.raters))
        if not kinds[counts].eq("human").all():
            return {}
    keep = frame["status"].eq("answered") & frame["replicate"].eq(1)
    if "role" in frame:
        role = frame["role"].astype(object)
        keep &= role.isna() | role.eq("main")
    by_people = set(frame.loc[keep & counts, "question"].unique())
    wanted = parameters.questions
    found = {}
    for kind in ("model", "automatic"):
        by_kind = set(frame.loc[keep & kinds.eq(kind), "question"].unique()) & by_people
        found[kind] = [
            question
            for question in protocol.questions
            if question.id in by_kind and (wanted is None or question.id in wanted)
        ]
    return found


def said_of(measures: list[dict[str, Any]], statistic: str) -> set[str]:
    return {
        name
        for measure in measures
        if measure["statistic"] == statistic
        for name in listed(measure)
    }


def listed(measure: dict[str, Any]) -> list[str]:
    asked = measure.get("question") or []
    return [asked] if isinstance(asked, str) else list(asked)
