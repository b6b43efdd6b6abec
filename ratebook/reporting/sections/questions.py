"""RAGQuestEval question by question: unusable references, answers that part, and the trace."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..section import fold, heading, paragraph, short, table
from ..tables.trace import SCORED, UNUSABLE, by_grade, by_sample, graded
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
            (r.item, r.part, short(r.question, 110), short(r.generated, 60), r.status)
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
    """Where the reference says nothing and the text answers; a missing answer tells neither."""
    from analysis import is_unanswerable

    kept = [
        r.reference is not None
        and r.generated is not None
        and is_unanswerable(r.reference)
        and not is_unanswerable(r.generated)
        for r in rows.itertuples()
    ]
    return rows[kept]


def listed(caption: str, rows: pd.DataFrame, limit: int = LISTED) -> str:
    return caption if len(rows) <= limit else f"{caption}, the first {limit} of {len(rows):,}"


def same_meaning(report: Any, traced: pd.DataFrame) -> str:
    """What people say of the pairs of answers, beside the words they share."""
    both = traced[traced["status"].eq(SCORED)]
    question = report.question("match")
    if question is None or not len(both):
        return ""
    made = heading("Do the answers mean the same?")
    grades = graded(report)
    if not len(grades):
        return made + paragraph(
            "Nobody graded whether the two answers mean the same, so precision rests on shared "
            "words alone: a right answer in other words counts as wrong. People grade it in the "
            "form, a model with ratebook judge."
        )
    who = "a model, and by no person" if set(grades["rater_kind"]) == {"model"} else "people"
    said = f"{count(len(grades), 'pair')} of answers {was(len(grades))} graded by {who}. "
    found = by_grade(grades)
    harsh = int(found["low"].get("same", 0))
    kind = int(found["n"].get("different", 0) - found["low"].get("different", 0))
    if harsh or kind:
        said += (
            f"Shared words mislead {count(harsh + kind, 'time')}: {harsh:,} mean the same and "
            f"share less than half of their words, {kind:,} differ and share half or more. "
        )
    if missing := int(both["match"].isna().sum()):
        said += f"{missing:,} of the {count(len(both), 'pair')} scored have no grade."
    lines = [
        (
            option.label,
            int(found["n"].get(option.value, 0)),
            number(found["f1"].get(option.value)),
            int(found["low"].get(option.value, 0)),
        )
        for option in question.options
    ]
    head = (question.label, "Pairs", "Mean token F1", "F1 below .5")
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


def samples_table(traced: pd.DataFrame) -> str:
    """Each text's own recall and precision, the lowest recall first."""
    rows = by_sample(traced).sort_values(["recall", "precision", "item"], kind="stable")
    lines = [
        (
            r.item,
            r.answerable,
            r.answered,
            number(r.recall, "recall"),
            "–" if pd.isna(r.precision) else number(r.precision, "precision"),
        )
        for r in rows.head(ROWS).itertuples()
    ]
    head = ("Text", "Questions", "Answered", "Recall", "Precision")
    caption = listed("Questions that the reference answers, text by text", rows, ROWS)
    return fold("Text by text", table(head, lines, caption)) if lines else ""


def trace_table(traced: pd.DataFrame) -> str:
    """Every question on every text, as many whole samples as a page can hold."""
    if not len(traced):
        return ""
    counts = traced.groupby("case", sort=False).size().cumsum()
    shown = max(1, int((counts <= ROWS).sum()))
    rows = traced[traced["case"].isin(counts.index[:shown])]
    lines = [
        (*line(r), number(r.f1) if r.status == SCORED else r.status) for r in rows.itertuples()
    ]
    left = len(counts) - shown
    caption = "Every question on every text"
    caption += f", the first {count(shown, 'sample')} of {len(counts):,}" if left else ""
    inside = table((*HEAD, "F1, or why none"), lines, caption, text=4)
    note = "The whole of it, with the grades, is in trace.csv beside this page."
    return fold("Trace, question by question", paragraph(note, "soft") + inside)


def answer(said: str | None) -> str:
    """An answer as it was given; the sign for none in words."""
    from analysis import is_unanswerable

    if said is None:
        return "–"
    return "unanswerable" if is_unanswerable(said) else said


def line(row: Any) -> tuple[object, ...]:
    """The text and number, the question, and both answers as one cell that can wrap."""
    a, b = (short(answer(said), 60) for said in (row.reference, row.generated))
    return f"{row.item} · {row.part}", short(row.question, 90), f"{a} → {b}"
