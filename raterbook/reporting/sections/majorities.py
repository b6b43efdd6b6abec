"""Full agreement, a majority, or none; each rater against the majority; how far all lie apart."""

from __future__ import annotations

from typing import Any

from ..section import Section, heading, paragraph, table
from ..words import cell, percent, reason
from .scattered import scattered

MOST = 20
EVERYONE = "Items that every rater rated"
KINDS = {
    "full_agreement": "All raters the same",
    "majority": "A majority",
    "no_majority": "No majority",
}


def majorities(report: Any) -> Section | None:
    inside = agreed(report) + scattered(report)
    return Section("Majorities", inside, folded=True) if inside else None


def agreed(report: Any) -> str:
    """How often all or most of those who rated an item gave the same score."""
    rows = {kind: rows for kind in KINDS if (rows := report.rows(kind))}
    asked = [row for kind in rows for row in rows[kind]]
    found = {
        (kind, row["question"]): row
        for kind in rows
        for row in rows[kind]
        if row["estimate"] is not None
    }
    lines = []
    for question in dict.fromkeys(row["question"] for row in asked if row["question"]):
        own = [found.get((kind, question)) for kind in rows]
        counted = next((row["n_items"] for row in own if row is not None), None)
        if counted is not None:
            lines.append((report.label(question), *map(cell, own), counted))
    if not asked:
        return against(report)
    if not lines:
        why = reason(asked[0]["reason"])
        if asked[0]["reason"] == "single_rater" and report.mixed:
            why = "only one person answered"  # and a model beside them, which does not count here
        return paragraph(f"No majorities are counted: {why}.") + against(report)
    head = ("Question", *(KINDS[kind] for kind in rows), "Items")
    said = summary(found)
    made = (paragraph(said) if said else "") + table(head, lines, caption(found))
    return made + against(report)


def caption(found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """Which items are counted: those that all raters rated, or as many of them as rated most."""
    rows = [row for (_, question), row in found.items() if question]
    if all(row["n_ratings"] >= row["n_raters"] * row["n_items"] for row in rows):
        return EVERYONE
    return f"Items {usual(found)}"


def usual(found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """How often the counted items were rated, as a number where all items were as often."""
    each = {row["n_ratings"] / row["n_items"] for (_, question), row in found.items() if question}
    if uneven(found) or len(each) > 1:
        return "with as many ratings as most have"
    return f"with {each.pop():g} ratings each"


def uneven(found: dict[tuple[str, str | None], dict[str, Any]]) -> bool:
    """Whether items with fewer or more ratings than most are left out anywhere."""
    return any("uneven_units" in row["warnings"] for row in found.values())


def summary(found: dict[tuple[str, str | None], dict[str, Any]]) -> str:
    """The items as a whole: on how many questions the raters have a majority."""
    everyone = caption(found) == EVERYONE
    whole, some, none = (found.get((kind, None)) for kind in KINDS)
    if whole is None and everyone:
        return "Only items that every rater rated are counted here."
    if whole is None:
        return "Items with fewer ratings than most are not counted here." if uneven(found) else ""
    rated = "rated by everyone" if everyone else usual(found)
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
