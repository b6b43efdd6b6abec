"""RAGQuestEval pair by pair: two answers, who gave them, how alike they are, and what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from ...rounds.exchange.formulas import safe as harmless
from .grades import matches
from .pairs import settled
from .standing import standing

COLUMNS = [
    *("case", "part", "item", "system", "question", "reference", "reference_by"),
    *("generated", "generated_by", "f1", "match", "weight", "status"),
]
TEXT = ["case", "part", "item"]
DROPPED = "dropped"
NO_ANSWER = "nobody answered it from the reference"
NOT_IN_REFERENCE = "not in the reference"
NOT_READ = "no answer from the text"
NOT_IN_TEXT = "not in the text"
SCORED = "both answer"
UNUSABLE = (DROPPED, NO_ANSWER, NOT_IN_REFERENCE)
# Where the pairs of one question on one text differ, the first that any has. Only the first two
# are in recall, and only the first is in precision.
STATUSES = (SCORED, NOT_IN_TEXT, NOT_READ, NOT_IN_REFERENCE, NO_ANSWER, DROPPED)


def trace(report: Any) -> pd.DataFrame:
    """One row a pair of answers to a question, also where one is missing: nothing is passed over.

    The weights of a question on a text come to 1; they are missing where it is in no number.
    """
    from analysis import token_f1

    reference, generated = standing(report)
    rows = asked(report).merge(reference, "left", ["case", "part"])
    rows = rows.merge(generated, "left", ["item", "part"])
    for name in ("reference", "reference_by", "generated", "generated_by"):
        rows[name] = rows[name].astype(object).where(rows[name].notna(), None)
    keep = kept(report)
    places = zip(rows["case"], rows["part"], strict=True)
    gone = np.array([keep.get(place) == "drop" for place in places], dtype=bool)
    sides = list(zip(rows["reference"], rows["generated"], strict=True))
    rows["status"] = [status_of(*pair, out) for pair, out in zip(sides, gone, strict=True)]
    f1 = cache(token_f1)
    scored = rows["status"].eq(SCORED)
    found = [f1(*pair) if both else np.nan for pair, both in zip(sides, scored, strict=True)]
    rows["f1"] = np.array(found, dtype=float)
    inside = rows["reference"].notna() & rows["generated"].notna() & ~gone
    rows["weight"] = (1 / rows.groupby(TEXT)["status"].transform("size")).where(inside)
    rows["match"] = pd.Series(matches(report, rows), rows.index, dtype=object)
    order = [*TEXT, "reference_by", "generated_by"]
    return rows[COLUMNS].sort_values(order, ignore_index=True)


def asked(report: Any) -> pd.DataFrame:
    """Every question on every text."""
    systems = systems_of(report)
    found = [
        (item.case, part.number, item.key, systems.get(item.key, ""), part.text)
        for item in report.stored.items()
        if item.role == "main"
        for part in report.case_parts.get(item.case, ())
    ]
    rows = pd.DataFrame(found, columns=COLUMNS[:5], dtype=object)
    return rows.astype({"part": int})


def systems_of(report: Any) -> dict[str, str]:
    """The system behind each item, which the items themselves keep from raters."""
    if report.system is None:
        return {}
    rows = report.frame.dropna(subset=["item", report.system]).drop_duplicates("item")
    return {
        str(item): str(name) for item, name in zip(rows["item"], rows[report.system], strict=True)
    }


def status_of(reference: str | None, generated: str | None, dropped: bool) -> str:
    """What became of one pair of answers."""
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
    question = report.question("keep")
    if question is None:
        return {}
    said = settled(report.counted, question).dropna()
    return {report.places[unit]: str(question.values[int(code)]) for unit, code in said.items()}


def by_question(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row a question and text: each side's answers, the most given first, and their mean F1.

    `scored` of its `pairs` have an answer on both sides; all of them weigh the same.
    """
    found = []
    for place, group in groupby(pairs.itertuples(), lambda row: (row.case, row.part, row.item)):
        rows = list(group)
        scored = [row.f1 for row in rows if row.status == SCORED]
        found.append(
            (
                *(*place, rows[0].system, rows[0].question),
                distinct(row.reference for row in rows),
                distinct(row.generated for row in rows),
                sum(sorted(scored)) / len(scored) if scored else np.nan,
                " / ".join(distinct(said for row in rows for said in grades_of(row))) or None,
                min((row.status for row in rows), key=STATUSES.index),
                *(len(scored), len(rows)),
            )
        )
    sides = ["reference", "generated", "f1", "match", "status", "scored", "pairs"]
    return pd.DataFrame(found, columns=[*TEXT, "system", "question", *sides])


def grades_of(row: Any) -> list[str]:
    return row.match.split(" / ") if row.match else []


def distinct(texts: Iterable[str | None]) -> tuple[str, ...]:
    """The most given first, an answer before none, and else by the alphabet."""
    from analysis import is_unanswerable

    counts = Counter(text for text in texts if text is not None)
    return tuple(sorted(counts, key=lambda text: (-counts[text], is_unanswerable(text), text)))


def by_sample(pairs: pd.DataFrame) -> pd.DataFrame:
    """item, answerable, answered, recall and precision, one row a text with usable questions.

    Precision is missing where no question is answered from both.
    """
    usable = pairs[pairs["status"].isin([SCORED, NOT_IN_TEXT])]
    weight = usable["weight"]
    scored = weight.where(usable["status"].eq(SCORED), 0.0)
    sums = pd.DataFrame({"answerable": weight, "answered": scored, "f1": scored * usable["f1"]})
    found = sums.groupby(usable["item"], sort=False).sum()
    found["recall"] = found["answered"] / found["answerable"]
    found["precision"] = found["f1"] / found["answered"].where(found["answered"] > 0)
    return found.reset_index()


def csv_of(pairs: pd.DataFrame) -> str:
    """trace.csv; a text that a spreadsheet would run is made harmless, as in every export."""
    cells = pairs.map(lambda cell: harmless(cell) if isinstance(cell, str) else cell)
    return cells.to_csv(index=False, lineterminator="\n")
