"""The rows of numbers.json: what analysis finds, kept within what is possible, and corrected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

import analysis
from analysis.catalogue import correction_of
from analysis.options import Options
from analysis.summary import by_measure

from .parameters import Parameters

ROW = (
    *("question", "group", "statistic", "estimate", "low", "high", "low_like", "high_like"),
    *("raters", "n_items", "n_raters", "n_ratings", "method", "p", "p_holm"),
    *("p_corrected", "correction", "reason"),
    *("aggregate", "warnings"),
)
MEANS = (
    *("mean", "median", "weighted_mean", "weighted_mean_within"),
    *("overall_mean", "overall_computed_mean"),
)


def rows_of(
    protocol: Any,
    frame: pd.DataFrame,
    measures: list[dict[str, Any]],
    parameters: Parameters,
    cluster: str | None,
) -> list[dict[str, Any]]:
    """The rows of the measures, as analysis finds them."""
    given = parameters
    ranges = ranges_of(protocol)
    found = by_measure(
        frame,
        measures,
        questions_of(protocol),
        Options(given.interval, given.resamples, given.coverage, given.seed),
        cluster=cluster,
        raters=list(given.raters) if given.raters else None,
    )
    return corrected(
        [
            within({**row, "correction": correction_of(measure)}, possible(row, ranges, measure))
            for measure, rows in zip(measures, found, strict=True)
            for row in rows
        ]
    )


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


def ranges_of(protocol: Any) -> dict[str, tuple[float, float]]:
    """The least and the greatest value of each numeric question."""
    return {
        question.id: (float(question.min), float(question.max))
        for question in protocol.questions
        if question.is_numeric and question.min is not None and question.max is not None
    }


def possible(
    row: Mapping[str, Any],
    ranges: Mapping[str, tuple[float, float]],
    measure: Mapping[str, Any],
) -> tuple[float, float] | None:
    """The values this number can have at all; None where nothing is known of them."""
    statistic = row["statistic"]
    names = row["question"] or measure.get("question") or ()
    found = [
        ranges[name] for name in ([names] if isinstance(names, str) else names) if name in ranges
    ]
    if statistic in MEANS and found:
        return min(low for low, _ in found), max(high for _, high in found)
    if statistic == "macro_f1_halves":
        return 0.0, 1.0
    if statistic in ("mae", "bias") and found:
        widest = max(high - low for low, high in found)
        return 0.0 if statistic == "mae" else -widest, widest
    if statistic.startswith("difference"):
        of_shares = measure.get("is") is not None or measure.get("of") is not None
        widest = max((high - low for low, high in found), default=1.0)
        return (-1.0, 1.0) if of_shares else (-widest, widest)
    return None


def within(row: dict[str, Any], ends: tuple[float, float] | None) -> dict[str, Any]:
    """An interval that reaches beyond the scale ends where the scale does, and says so.

    It covers as often as before: no true value lies in what is cut off. The warning speaks of the
    ends that pages print, those of these raters.
    """
    if ends is None:
        return row
    low, high = ends
    cut = {
        name: min(max(row[name], low), high)
        for name in ("low", "high", "low_like", "high_like")
        if row[name] is not None and not low <= row[name] <= high
    }
    if not cut:
        return row
    said = ["cut_at_scale"] if {"low", "high"} & set(cut) else []
    return {**row, **cut, "warnings": [*row["warnings"], *said]}


def corrected(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with each comparison's p corrected for all comparisons of the round.

    Those that the protocol wants corrected in one way are counted together. Pooled and compatible
    readings and those by group compare the same systems once more; they are not counted again.
    """
    found = [{**row, "p_holm": None, "p_corrected": None} for row in rows]
    for correction in {row["correction"] for row in rows} - {None}:
        same = [row for row in found if row["correction"] == correction and is_comparison(row)]
        for row, p in zip(same, analysis.adjust([row["p"] for row in same], correction)):
            row["p_corrected"] = p
            row["p_holm"] = p if correction == "holm" else None
    return found


def is_comparison(row: Mapping[str, Any]) -> bool:
    """Two systems over the whole round, in the reading the page leads with."""
    return (
        row["statistic"].startswith("difference")
        and set(row["group"] or ()) == {"systems"}
        and row["aggregate"] in (None, "macro")
    )
