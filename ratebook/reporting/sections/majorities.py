"""Full agreement, a majority, or none; each rater against the majority; how far all lie apart."""

from __future__ import annotations

from typing import Any

from ..section import Section, heading, paragraph, table
from ..words import cell, percent, reason
from .scattered import scattered

MOST = 20
KINDS = ("full_agreement", "majority", "no_majority")


def majorities(report: Any) -> Section | None:
    inside = agreed(report) + scattered(report)
    return Section("Majorities", inside, folded=True) if inside else None


def agreed(report: Any) -> str:
    """How often all or most of those who rated an item gave the same score."""
    rows = {kind: report.rows(kind) for kind in KINDS}
    questions = [row["question"] for row in rows["full_agreement"] if row["question"]]
    found = {
        (kind, row["question"]): row
        for kind in KINDS
        for row in rows[kind]
        if row["estimate"] is not None
    }
    lines = [
        (
            report.label(question),
            *(cell(found.get((kind, question))) for kind in KINDS),
            found[KINDS[0], question]["n_items"],
        )
        for question in questions
        if (KINDS[0], question) in found
    ]
    if not lines:
        asked = [row["reason"] for kind in KINDS for row in rows[kind]]
        return paragraph(f"No majorities are counted: {reason(asked[0])}.") if asked else ""
    head = ("Question", "All raters the same", "A majority", "No majority", "Items")
    made = paragraph(summary(report, found)) + table(head, lines, caption(found))
    return made + against(report)


def caption(found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """Which items are counted: those that all raters rated, or as many of them as rated most."""
    rows = [row for (_, question), row in found.items() if question]
    everyone = all(row["n_ratings"] >= row["n_raters"] * row["n_items"] for row in rows)
    return "Items that every rater rated" if everyone else "Items with as many ratings as most have"


def summary(report: Any, found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """The items as a whole: on how many questions the raters have a majority."""
    whole = found.get((KINDS[0], None))
    if whole is None:
        return "Items with fewer ratings than most are not counted here."
    everyone = caption(found) == "Items that every rater rated"
    rated = "rated by everyone" if everyone else "with as many ratings as most have"
    some, none = found.get((KINDS[1], None)), found.get((KINDS[2], None))
    return (
        f"Of {whole['n_items']:,} items {rated} on every question, "
        f"{percent(whole['estimate'])} % have a majority on all questions, "
        f"{percent(some['estimate']) if some else '–'} % on some, "
        f"{percent(none['estimate']) if none else '–'} % on none."
    )


def against(report: Any) -> str:
    """How often each rater gave the commonest score; ties are left out."""
    rows = report.by("evaluator_agreement", "rater")
    if not rows:
        return ""
    every = sorted({row["group"]["rater"] for row in rows})
    raters = every[:MOST]
    questions = list(dict.fromkeys(row["question"] for row in rows))
    cells = {(row["group"]["rater"], row["question"]): row for row in rows}
    lines = [
        (
            report.rater_name(rater),
            *(cell(cells.get((rater, q))) for q in questions),
        )
        for rater in raters
    ]
    head = ("Rater", *(report.label(q) if q else "All" for q in questions))
    ties = (
        "the first rater’s score wins a tie"
        if report.parameters.ties == "first"
        else "ties are left out"
    )
    return heading("Each rater against the commonest score") + table(
        head,
        lines,
        f"Share of a rater’s scores that are the commonest one; {ties}"
        + (f"; the first {MOST} of {len(every):,} by name" if len(every) > MOST else ""),
    )
