"""What raters marked beside their answers: flags, questions left open, evidence."""

from __future__ import annotations

from typing import Any

from ..section import paragraph
from ..words import count
from .quoted import remark

SHOWN = 12


def marked(report: Any) -> str:
    """Lines for the page; nothing where nobody marked anything."""
    pseudonyms = report.parameters.pseudonyms
    rows = report.stored.marked(pseudonyms, excluded=False)
    flags = [row for row in rows if row["mark"] == "flag"]
    stretches = len(rows) - len(flags)
    every = report.stored.frame(texts=True, details=True, pseudonyms=pseudonyms)
    left = every[every["status"].eq("skipped") & every["rater_kind"].isin(["human", "adjudicator"])]
    told = []
    if flags:
        items = len({row["item"] for row in flags})
        said = f"Raters flagged {count(items, 'item')}"
        told.append((said, [(row["rater"], row["item"], row["reason"]) for row in flags]))
    if len(left):
        said = f"Raters left {count(len(left), 'answer')} open"
        about = left["item"].astype(object).where(left["item"].notna(), left["case"])
        places = zip(about, left["part"], left["question"], strict=True)
        what = [f"{report.place_name(name, part)}, {report.label(q)}" for name, part, q in places]
        told.append((said, list(zip(left["rater"], what, left["reason"]))))
    lines = []
    for said, given in told:
        lines.append(paragraph(said + ":"))
        for rater, name, why in given[:SHOWN]:
            reasoned = isinstance(why, str) and why
            lines.append(remark(rater, name, why) if reasoned else paragraph(f"{rater}, {name}"))
        if len(given) > SHOWN:
            lines.append(paragraph(f"and {len(given) - SHOWN:,} more.", "soft"))
    if stretches:
        lines.append(paragraph(
            f"They marked {count(stretches, 'stretch', 'stretches')} of text as evidence."
        ))
    if rows:
        lines.append(paragraph(
            "Flags and evidence are in an export with --layout marks.", "soft"
        ))
    return "".join(lines)
