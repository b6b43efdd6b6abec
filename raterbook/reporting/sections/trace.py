"""RAGQuestEval question by question: unusable references, answers that part, and the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...files.formats import safe as harmless
from ...numbers.questeval import NEVER, PLACES, QUESTION, in_line
from ..html import NOTHING, fold, heading, paragraph, short, table
from ..pairs import settled
from ..words import count, number, was

if TYPE_CHECKING:
    from ..report import Report

LISTED = 25
ROWS = 400
LOW = 0.5
HEAD = ("Text", "Question", "Reference → text")


def unusable(traced: pd.DataFrame) -> Markup:
    """Questions out of the numbers, by reason; a text that answers them had it from elsewhere."""
    bad = traced[traced["status"].isin(UNUSABLE)]
    if not len(bad):
        return NOTHING
    questions = bad.drop_duplicates(["case", "part"])
    reasons = [
        f"{reason}: {number_of:,}"
        for reason in UNUSABLE
        if (number_of := int(questions["status"].eq(reason).sum()))
    ]
    total = len(traced.drop_duplicates(["case", "part"]))
    said = f"{len(questions):,} of {count(total, 'question')} have no usable reference ("
    said += f"{'; '.join(reasons)}). "
    answered = from_elsewhere(bad)
    if len(answered):
        said += (
            f"{count(len(answered), 'time')} a text answers such a question all the same, from "
            "somewhere else than its reference, unless that was misread:"
        )
    made = heading("Questions without a usable reference") + paragraph(said.strip())
    if len(answered):
        lines = [
            (r.item, r.part, short(r.question, 110), short(answer(r.generated), 60), r.status)
            for r in answered.head(LISTED).itertuples()
        ]
        head = ("Text", "No.", "Question", "Answered", "Reference")
        made += table(head, lines, listed("Answered from elsewhere", answered), text=5)
    told = set(zip(answered["case"], answered["part"], strict=True))
    rest = questions[[(r.case, r.part) not in told for r in questions.itertuples()]]
    others = [
        (r.case, r.part, short(r.question, 110), r.status) for r in rest.head(LISTED).itertuples()
    ]
    title = f"The {'other ' if len(answered) else ''}unusable questions"
    inside = table(("Sample", "No.", "Question", "Reference"), others, listed(title, rest), 4)
    return made + (fold(title, inside) if others else NOTHING)


def from_elsewhere(rows: pd.DataFrame) -> pd.DataFrame:
    """Where no reader of the reference finds an answer and one of the text does.

    A missing answer tells neither.
    """
    from raterbook.protocols.conditions import is_unanswerable

    kept = [
        bool(r.reference)
        and all(is_unanswerable(said) for said in r.reference)
        and not all(is_unanswerable(said) for said in r.generated)
        for r in rows.itertuples()
    ]
    return rows[kept]


def listed(caption: str, rows: pd.DataFrame, limit: int = LISTED) -> str:
    return caption if len(rows) <= limit else f"{caption}, the first {limit} of {len(rows):,}"


def same_meaning(report: Report, pairs: pd.DataFrame) -> Markup:
    """What people say of the pairs of answers, beside the words they share."""
    both = pairs[pairs["status"].eq(SCORED)]
    both = both.assign(apart=both["reference_by"].ne(both["generated_by"]))
    # Equal answers are one pair, of one rater if any gave both.
    both = both.sort_values("apart").drop_duplicates(["item", "part", "reference", "generated"])
    question = report.question("match")
    if question is None or not len(both):
        return NOTHING
    made = heading("Do the answers mean the same?")
    grades = report.grades
    if not len(grades):
        return made + paragraph(
            "Nobody graded whether the two answers mean the same, so precision rests on shared "
            "words alone: a right answer in other words counts as wrong. People grade it in the "
            "form, a model with raterbook judge."
        )
    who = "a model, and by no person" if set(grades["rater_kind"]) == {"model"} else "people"
    graded = len(grades[["item", "part", "reference", "generated"]].drop_duplicates())
    said = f"{count(graded, 'pair')} of answers {was(graded)} graded by {who}"
    said += f", {len(grades):,} times in all. " if len(grades) > graded else ". "
    found = by_grade(grades)
    harsh = int(found["low"].get("same", 0))
    kind = int(found["n"].get("different", 0) - found["low"].get("different", 0))
    if harsh or kind:
        said += (
            f"Shared words mislead {count(harsh + kind, 'time')}: {harsh:,} mean the same and "
            f"share less than half of their words, {kind:,} differ and share half or more. "
        )
    if missing := int(both["match"].isna().sum()):
        said += f"{missing:,} of the {count(len(both), 'pair')} scored have no grade"
        apart = int((both["match"].isna() & both["apart"]).sum())
        said += f"; {apart:,} of these join answers of two raters." if apart else "."
    lines = [
        (
            option.label,
            int(found["n"].get(option.value, 0)),
            number(found["f1"].get(option.value)),
            int(found["low"].get(option.value, 0)),
        )
        for option in question.options
    ]
    head = (question.label, "Grades", "Mean token F1", "F1 below .5")
    return made + paragraph(said.strip()) + table(head, lines, "Grades beside token F1")


def lost(traced: pd.DataFrame) -> Markup:
    """Where the texts answer otherwise than the reference: the lowest F1 first."""
    both = traced[traced["status"].eq(SCORED)]
    worst = both[both["f1"] < LOW].sort_values(["f1", "case", "part", "item"], kind="stable")
    if not len(worst):
        return NOTHING
    lines = [(*line(r), number(r.f1), r.match or "–") for r in worst.head(LISTED).itertuples()]
    caption = listed("Answers that share less than half of their words", worst)
    made = table((*HEAD, "F1", "Match"), lines, caption, text=3)
    return fold(f"Answers unlike the reference ({len(worst):,})", made)


def samples_table(pairs: pd.DataFrame) -> Markup:
    """Each text's own recall and precision, the lowest recall first."""
    rows = by_sample(pairs).sort_values(["recall", "precision", "item"], kind="stable")
    lines = [
        (
            r.item,
            f"{round(r.answerable, 2):g}",
            f"{round(r.answered, 2):g}",
            number(r.recall, "recall"),
            "–" if pd.isna(r.precision) else number(r.precision, "precision"),
        )
        for r in rows.head(ROWS).itertuples()
    ]
    head = ("Text", "Questions", "Answered", "Recall", "Precision")
    caption = listed("Questions that the reference answers, text by text", rows, ROWS)
    note = NOTHING
    if any("." in cell for line in lines for cell in line[1:3]):
        note = paragraph("A question on which readers part counts in part.", "soft")
    return fold("Text by text", note + table(head, lines, caption)) if lines else NOTHING


def trace_table(traced: pd.DataFrame) -> Markup:
    """Every question on every text, as many whole samples as a page can hold."""
    if not len(traced):
        return NOTHING
    counts = traced.groupby("case", sort=False).size().cumsum()
    shown = max(1, int((counts <= ROWS).sum()))
    rows = traced[traced["case"].isin(counts.index[:shown])]
    lines = [(*line(r), came_to(r)) for r in rows.itertuples()]
    left = len(counts) - shown
    caption = "Every question on every text"
    caption += f", the first {count(shown, 'sample')} of {len(counts):,}" if left else ""
    inside = table((*HEAD, "F1, or why none"), lines, caption, text=4)
    note = (
        "Where several answered differently, their answers stand side by side, and F1 is the mean "
        "over the pairs where both sides answer. Every pair, with who gave it, its weight and its "
        "grade, is in trace.csv beside this page."
    )
    return fold("Trace, question by question", paragraph(note, "soft") + inside)


def came_to(row: Any) -> str:
    """The F1, and of how many pairs where some lack an answer; else why there is none."""
    if row.status != SCORED:
        return str(row.status)
    part = "" if row.scored == row.pairs else f" ({row.scored:,} of {count(row.pairs, 'pair')})"
    return number(row.f1) + part


def answer(said: tuple[str, ...]) -> str:
    """The answers as they were given; the sign for none in words."""
    from raterbook.protocols.conditions import is_unanswerable

    words = ("unanswerable" if is_unanswerable(text) else text for text in said)
    return " / ".join(dict.fromkeys(words)) or "–"


def line(row: Any) -> tuple[object, ...]:
    """The text and number, the question, and both answers as one cell that can wrap."""
    a, b = (short(answer(said), 60) for said in (row.reference, row.generated))
    return f"{row.item} · {row.part}", short(row.question, 90), f"{a} → {b}"


# RAGQuestEval pair by pair: two answers, who gave them, how alike they are, and what it counts.


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


def trace(report: Report) -> pd.DataFrame:
    """One row a pair of answers to a question, also where one is missing: nothing is passed over.

    The weights of a question on a text come to 1; they are missing where it is in no number.
    """
    from raterbook.analysis.text import token_f1

    reference, generated = counted_answers(report)
    rows = questions_on_texts(report).merge(reference, "left", ["case", "part"])
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


def questions_on_texts(report: Report) -> pd.DataFrame:
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


def systems_of(report: Report) -> dict[str, str]:
    """The system behind each item, which the items themselves keep from raters."""
    if report.system is None:
        return {}
    rows = report.frame.dropna(subset=["item", report.system]).drop_duplicates("item")
    return {
        str(item): str(name) for item, name in zip(rows["item"], rows[report.system], strict=True)
    }


def status_of(reference: str | None, generated: str | None, dropped: bool) -> str:
    """What became of one pair of answers."""
    from raterbook.protocols.conditions import is_unanswerable

    if dropped:
        return DROPPED
    if reference is None:
        return NO_ANSWER
    if is_unanswerable(reference):
        return NOT_IN_REFERENCE
    if generated is None:
        return NOT_READ
    return NOT_IN_TEXT if is_unanswerable(generated) else SCORED


def kept(report: Report) -> dict[tuple[str, int], str]:
    """What an adjudicator, else more than half of the raters, say of a question: keep or drop."""
    question = report.question("keep")
    if question is None:
        return {}
    said, values = settled(report.counted, question).dropna(), question.values or ()
    return {report.places[unit]: str(values[int(code)]) for unit, code in said.items()}


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
    from raterbook.protocols.conditions import is_unanswerable

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


# What people say of two answers: do they mean the same.


GRADE_COLUMNS = ["rater", "rater_kind", "item", "part", "reference", "generated", "grade", "f1"]


def graded(report: Report) -> pd.DataFrame:
    """rater, rater_kind, item, part, reference, generated, grade, f1: one row a grade.

    A grade is of the two answers its rater saw, which are their own where they gave any, else
    those that all who count gave. Those of people, else of models; adjudicators first.
    """
    from raterbook.analysis.text import token_f1
    from raterbook.protocols.conditions import is_unanswerable

    given = report.counted.given
    shared = [
        only(rows, of, side)
        for rows, of, side in zip(
            counted_answers(report), ("case", "item"), ("reference", "generated"), strict=True
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
    made = pd.DataFrame(found, columns=GRADE_COLUMNS)
    rank = made["rater_kind"].map(PLACES)
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


def matches(report: Report, rows: pd.DataFrame) -> list[str | None]:
    """The grades given to each pair of answers; several where people differ."""
    question = report.question("match")
    grades: dict[Any, set[str]] = {}
    for row in report.grades.itertuples():
        grades.setdefault((row.item, row.part, row.reference, row.generated), set()).add(row.grade)
    places = zip(rows["item"], rows["part"], rows["reference"], rows["generated"], strict=True)
    found = [grades.get(place, set()) for place in places]
    values = [str(value) for value in question.values or ()] if question else []
    return [" / ".join(v for v in values if v in each) or None for each in found]


def by_grade(grades: pd.DataFrame) -> pd.DataFrame:
    """n, f1 and low by grade: how many, their mean token F1, and how many are below a half."""
    groups = grades.groupby("grade")["f1"]
    low = grades["f1"].lt(0.5).groupby(grades["grade"]).sum()
    return pd.DataFrame({"n": groups.size(), "f1": groups.mean(), "low": low})


# Whose answers the page takes: those the numbers take.


def counted_answers(report: Report) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The answers from references and from texts that the numbers take, and who gave them."""
    given, named = report.counted.given, report.parameters.raters
    return (
        foremost(given[given["question"].eq("reference_answer")], named, "case", "reference"),
        foremost(given[given["question"].eq(QUESTION)], named, "item", "generated"),
    )


def foremost(rows: pd.DataFrame, named: Iterable[str] | None, of: str, side: str) -> pd.DataFrame:
    """The answers to one question of those first in line at each unit."""
    own = None if named is None else rows["rater"].isin(list(named)).to_numpy()
    places = in_line(f"{side}_answer", rows["rater_kind"], np.ones(len(rows), dtype=bool), own)
    rank = pd.Series(places, index=rows.index)
    best = rank.groupby([rows[of].astype(object), rows["part"]]).transform("min")
    rows = rows[rank.eq(best) & rank.lt(NEVER)]
    columns = {of: rows[of], "part": rows["part"], side: rows["value"], f"{side}_by": rows["rater"]}
    found = pd.DataFrame({name: column.astype(object) for name, column in columns.items()})
    return found.astype({"part": int, side: str})
