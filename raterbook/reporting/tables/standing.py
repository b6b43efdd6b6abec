"""Whose answers to RAGQuestEval's questions the numbers take."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.measures.trace import STANDING

# Of the raters who answered a question, those of the first of these kinds count, all alike.
ORDER = {kind: place for place, kind in enumerate(STANDING)}


def standing(report: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The answers from the references and from the texts that the numbers take, and who gave them.

    From a reference the kinds stand in line question by question. From the texts people count
    where any person answered, else models, else those named; an adjudicator's stands alone.
    """
    given, named = report.counted.given, report.parameters.raters
    rank = given["rater_kind"].map(ORDER)
    from_reference = given["question"].eq("reference_answer")
    from_text = given["question"].eq("generated_answer")
    person = ORDER["human"]
    if named is not None:
        own = given["rater"].isin(list(named))
        from_text &= own
        rank = rank.where(from_reference, rank.clip(upper=person))
        # References often come from someone else than the raters a report is narrowed to.
        if (from_reference & own).any():
            from_reference &= own
    elif (from_text & rank.eq(person)).any():
        from_text &= rank.le(person)
    return (
        foremost(given[from_reference], rank, "case", "reference"),
        foremost(given[from_text], rank, "item", "generated"),
    )


def foremost(rows: pd.DataFrame, rank: pd.Series, of: str, side: str) -> pd.DataFrame:
    """The answers of those first in line at each question."""
    rank = rank[rows.index]
    best = rank.groupby([rows[of].astype(object), rows["part"]]).transform("min")
    rows = rows[rank.eq(best)]
    columns = {of: rows[of], "part": rows["part"], side: rows["value"], f"{side}_by": rows["rater"]}
    found = pd.DataFrame({name: column.astype(object) for name, column in columns.items()})
    return found.astype({"part": int, side: str})
