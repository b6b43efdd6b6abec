"""What people say of two answers: do they mean the same."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .standing import ORDER, standing

COLUMNS = ["rater", "rater_kind", "item", "part", "reference", "generated", "grade", "f1"]


def graded(report: Any) -> pd.DataFrame:
    """rater, rater_kind, item, part, reference, generated, grade, f1: one row a grade.

    A grade is of the two answers its rater saw, which are their own where they gave any, else
    those that all who count gave. Those of people, else of models; adjudicators first.
    """
    from analysis import is_unanswerable, token_f1

    given = report.counted.given
    shared = [
        only(rows, of, side)
        for rows, of, side in zip(
            standing(report), ("case", "item"), ("reference", "generated"), strict=True
        )
    ]
    rows = given[given["question"].eq("match")]
    of_people = rows["rater_kind"].isin(["adjudicator", "human"])
    rows = rows[of_people if of_people.any() else rows["rater_kind"].eq("model")]
    found = []
    for rater, grades in rows.groupby("rater", sort=True):
        mine = given[given["rater"].eq(rater)]
        reference = shared[0] | answers(mine, "reference_answer", "case")
        generated = shared[1] | answers(mine, "generated_answer", "item")
        for row in grades.itertuples():
            part = int(row.part)
            a, b = reference.get((row.case, part)), generated.get((row.item, part))
            if a and b and not is_unanswerable(a) and not is_unanswerable(b):
                grade = (str(row.value), token_f1(a, b))
                found.append((str(rater), row.rater_kind, row.item, part, a, b, *grade))
    made = pd.DataFrame(found, columns=COLUMNS)
    rank = made["rater_kind"].map(ORDER)
    return (
        made.assign(rank=rank).sort_values(["rank", "rater", "item", "part"]).drop(columns="rank")
    )


def answers(rows: pd.DataFrame, question: str, of: str) -> dict[tuple[str, int], str]:
    rows = rows[rows["question"].eq(question)]
    return {
        (str(name), int(part)): str(value)
        for name, part, value in zip(rows[of], rows["part"], rows["value"], strict=True)
    }


def only(rows: pd.DataFrame, of: str, side: str) -> dict[tuple[str, int], str]:
    """The answer to each question where all who count gave the same."""
    alike = rows.drop_duplicates([of, "part", side])
    alike = alike.drop_duplicates([of, "part"], keep=False)
    return {
        (str(name), int(part)): str(text)
        for name, part, text in zip(alike[of], alike["part"], alike[side], strict=True)
    }


def matches(report: Any, rows: pd.DataFrame) -> list[str | None]:
    """The grades given to each pair of answers; several where people differ."""
    question = report.question("match")
    grades: dict[Any, set[str]] = {}
    for row in report.grades.itertuples():
        grades.setdefault((row.item, row.part, row.reference, row.generated), set()).add(row.grade)
    places = zip(rows["item"], rows["part"], rows["reference"], rows["generated"], strict=True)
    found = [grades.get(place, set()) for place in places]
    values = [str(value) for value in question.values] if question else []
    return [" / ".join(v for v in values if v in each) or None for each in found]


def by_grade(grades: pd.DataFrame) -> pd.DataFrame:
    """n, f1 and low by grade: how many, their mean token F1, and how many are below a half."""
    groups = grades.groupby("grade")["f1"]
    low = grades["f1"].lt(0.5).groupby(grades["grade"]).sum()
    return pd.DataFrame({"n": groups.size(), "f1": groups.mean(), "low": low})
