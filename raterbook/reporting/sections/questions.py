"""RAGQuestEval question by question: unusable references, answers that part, and the trace."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..section import fold, heading, paragraph, short, table
from ..tables.grades import by_grade
from ..tables.trace import SCORED, UNUSABLE, by_sample
from ..words import count, number, was

LISTED = 25
ROWS = 400
LOW = 0.5
HEAD = ("Text", "Question", "Reference → text")


def unusable(traced: pd.DataFrame) -> str:
    """Questions out of the numbers, by reason; a text that answers them had it from elsewhere."""
    bad = traced[traced["status"].isin(UNUSABLE)]
    if not len(bad):
        return ""
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
    return made + (fold(title, inside) if others else "")


def from_elsewhere(rows: pd.DataFrame) -> pd.DataFrame:
    """Where no reader of the reference finds an answer and one of the text does.

    A missing answer tells neither.
    """
    from analysis import is_unanswerable

    kept = [
        bool(r.reference)
        and all(is_unanswerable(said) for said in r.reference)
        and not all(is_unanswerable(said) for said in r.generated)
        for r in rows.itertuples()
    ]
    return rows[kept]


def listed(caption: str, rows: pd.DataFrame, limit: int = LISTED) -> str:
    return caption if len(rows) <= limit else f"{caption}, the first {limit} of {len(rows):,}"


def same_meaning(report: Any, pairs: pd.DataFrame) -> str:
    """What people say of the pairs of answers, beside the words they share."""
    both = pairs[pairs["status"].eq(SCORED)]
    both = both.assign(apart=both["reference_by"].ne(both["generated_by"]))
    # Equal answers are one pair, of one rater if any gave both.
    both = both.sort_values("apart").drop_duplicates(["item", "part", "reference", "generated"])
    question = report.question("match")
    if question is None or not len(both):
        return ""
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


def lost(traced: pd.DataFrame) -> str:
    """Where the texts answer otherwise than the reference: the lowest F1 first."""
    both = traced[traced["status"].eq(SCORED)]
    worst = both[both["f1"] < LOW].sort_values(["f1", "case", "part", "item"], kind="stable")
    if not len(worst):
        return ""
    lines = [(*line(r), number(r.f1), r.match or "–") for r in worst.head(LISTED).itertuples()]
    caption = listed("Answers that share less than half of their words", worst)
    made = table((*HEAD, "F1", "Match"), lines, caption, text=3)
    return fold(f"Answers unlike the reference ({len(worst):,})", made)


def samples_table(pairs: pd.DataFrame) -> str:
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
    note = ""
    if any("." in cell for line in lines for cell in line[1:3]):
        note = paragraph("A question on which readers part counts in part.", "soft")
    return fold("Text by text", note + table(head, lines, caption)) if lines else ""


def trace_table(traced: pd.DataFrame) -> str:
    """Every question on every text, as many whole samples as a page can hold."""
    if not len(traced):
        return ""
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
    from analysis import is_unanswerable

    words = ("unanswerable" if is_unanswerable(text) else text for text in said)
    return " / ".join(dict.fromkeys(words)) or "–"


def line(row: Any) -> tuple[object, ...]:
    """The text and number, the question, and both answers as one cell that can wrap."""
    a, b = (short(answer(said), 60) for said in (row.reference, row.generated))
    return f"{row.item} · {row.part}", short(row.question, 90), f"{a} → {b}"
