"""RAGQuestEval question by question: both answers, how alike they are, and what came of it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...rounds.exchange.formulas import safe as harmless
from .pairs import consensus

# Whose answer stands where several gave one.
ORDER = {"adjudicator": 0, "human": 1, "model": 2}
COLUMNS = [
    *("case", "part", "item", "system", "question"),
    *("reference", "generated", "f1", "match", "status"),
]
# The first that holds; only the last two are in recall, and only the last is in precision.
DROPPED = "dropped"
NO_ANSWER = "nobody answered it from the reference"
NOT_IN_REFERENCE = "not in the reference"
NOT_READ = "no answer from the text"
NOT_IN_TEXT = "not in the text"
SCORED = "both answer"
UNUSABLE = (DROPPED, NO_ANSWER, NOT_IN_REFERENCE)


def trace(report: Any) -> pd.DataFrame:
    """One row a question and text, also where an answer is missing: nothing is passed over."""
    from analysis import token_f1

    reference, generated = shared_answers(report)
    grades = {
        (row.item, row.part, row.reference, row.generated): row.grade
        for row in graded(report).iloc[::-1].itertuples()
    }
    keep = kept(report)
    systems = systems_of(report)
    found = []
    for item in report.stored.items():
        if item.role != "main":
            continue
        for part in report.case_parts.get(item.case, ()):
            place, own = (item.case, part.number), (item.key, part.number)
            a, b = reference.get(place), generated.get(own)
            status = status_of(a, b, keep.get(place) == "drop")
            found.append(
                (
                    item.case,
                    part.number,
                    item.key,
                    systems.get(item.key, ""),
                    part.text,
                    a,
                    b,
                    token_f1(a, b) if a and b and status == SCORED else None,
                    grades.get((*own, a, b)),
                    status,
                )
            )
    rows = pd.DataFrame(found, columns=COLUMNS)
    rows["f1"] = rows["f1"].astype(float)
    for name in ("reference", "generated", "match"):
        rows[name] = rows[name].astype(object).where(rows[name].notna(), None)
    return rows.sort_values(["case", "part", "item"], ignore_index=True)


def systems_of(report: Any) -> dict[str, str]:
    """The system behind each item, which the items themselves keep from raters."""
    if report.system is None:
        return {}
    rows = report.frame.dropna(subset=["item", report.system]).drop_duplicates("item")
    return {
        str(item): str(name) for item, name in zip(rows["item"], rows[report.system], strict=True)
    }


def shared_answers(report: Any) -> tuple[dict[tuple[str, int], str], dict[tuple[str, int], str]]:
    """What stands as the answer from each reference and from each text, as the numbers take them.

    People stand before models, from a reference question by question, from the texts altogether.
    """
    given = report.counted.given
    reference = answers(standing(given), "reference_answer", "case")
    final = given[given["rater_kind"].eq("adjudicator")]
    counting = pd.concat([final, report.counted.people])
    return reference, answers(standing(counting), "generated_answer", "item")


def standing(given: pd.DataFrame) -> pd.DataFrame:
    """One answer to each question and unit: the adjudicator's, else a person's, else a model's."""
    ranked = given.assign(rank=given["rater_kind"].map(ORDER).fillna(len(ORDER)))
    ranked = ranked.sort_values(["rank", "rater", "unit"], kind="stable")
    return ranked.drop_duplicates(["question", "unit"])


def answers(rows: pd.DataFrame, question: str, of: str) -> dict[tuple[str, int], str]:
    rows = rows[rows["question"].eq(question)]
    return {
        (str(name), int(part)): str(value)
        for name, part, value in zip(rows[of], rows["part"], rows["value"], strict=True)
    }


def graded(report: Any) -> pd.DataFrame:
    """rater, rater_kind, item, part, reference, generated, grade, f1: one row a grade.

    A grade is of the two answers its rater saw, which are their own where they gave any. Those of
    people, else of models; adjudicators first.
    """
    from analysis import token_f1

    given = report.counted.given
    shared = shared_answers(report)
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
            if status_of(a, b, False) == SCORED and a and b:
                grade = (str(row.value), token_f1(a, b))
                found.append((str(rater), row.rater_kind, row.item, part, a, b, *grade))
    columns = ["rater", "rater_kind", "item", "part", "reference", "generated", "grade", "f1"]
    made = pd.DataFrame(found, columns=columns)
    rank = made["rater_kind"].map(ORDER)
    return (
        made.assign(rank=rank).sort_values(["rank", "rater", "item", "part"]).drop(columns="rank")
    )


def status_of(reference: str | None, generated: str | None, dropped: bool) -> str:
    """What became of one question on one text."""
    from analysis import is_unanswerable

    if dropped:
        return DROPPED
    if reference is None:
        return NO_ANSWER
    if is_unanswerable(reference):
        return NOT_IN_REFERENCE
    if generated is None:
        return NOT_READ
    return NOT_IN_TEXT if is_unanswerable(generated) else SCORED


def kept(report: Any) -> dict[tuple[str, int], str]:
    """What an adjudicator, else more than half of the raters, say of a question: keep or drop."""
    counted, found = report.counted, {}
    question = report.question("keep")
    if question is None:
        return {}
    final = counted.given[counted.given["rater_kind"].eq("adjudicator")]
    for rows in (counted.people, final):
        for unit, code in consensus(counted.table(question, rows)).dropna().items():
            case, _, part = str(unit).rpartition(" · ")
            found[case, int(part)] = str(question.values[int(code)])
    return found


def by_grade(grades: pd.DataFrame) -> pd.DataFrame:
    """n, f1 and low by grade: how many, their mean token F1, and how many are below a half."""
    groups = grades.groupby("grade")["f1"]
    low = grades["f1"].lt(0.5).groupby(grades["grade"]).sum()
    return pd.DataFrame({"n": groups.size(), "f1": groups.mean(), "low": low})


def by_sample(traced: pd.DataFrame) -> pd.DataFrame:
    """item, answerable, answered, recall and precision, one row a text with usable questions.

    Precision is missing where no question is answered from both.
    """
    usable = traced[traced["status"].isin([SCORED, NOT_IN_TEXT])]
    scored = usable["status"].eq(SCORED)
    groups = usable.assign(scored=scored).groupby("item", sort=False)
    found = pd.DataFrame({"answerable": groups.size(), "answered": groups["scored"].sum()})
    found["recall"] = found["answered"] / found["answerable"]
    found["precision"] = groups["f1"].mean()
    return found.reset_index()


def csv_of(traced: pd.DataFrame) -> str:
    """trace.csv; a text that a spreadsheet would run is made harmless, as in every export."""
    cells = traced.map(lambda cell: harmless(cell) if isinstance(cell, str) else cell)
    return cells.to_csv(index=False, lineterminator="\n")
