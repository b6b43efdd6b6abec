"""Five items worth reading: where raters differ most, with what they wrote."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..section import Section, paragraph, safe, short, table
from ..tables.reading import answers_to, disagreements
from ..words import count, listing

SHOWN = 5
PER_CASE = 1  # five sides of one story tell less than five stories
LONG, TEXT, COMMENT = 420, 700, 320


def worth_reading(report: Any) -> Section | None:
    counted = report.counted
    if len(counted.raters()) < 2:
        return None
    asked = [*counted.numeric(), *counted.labelled()]
    apart = disagreements(counted, [question for question in asked if question.values])
    if not len(apart):
        every = paragraph("Raters gave the same answers throughout: no item stands out.")
        return Section("Items worth reading", every) if len(counted.people) else None
    chosen: list[str] = []
    seen: set[str] = set()
    for unit in apart.index:
        case = case_of(report, unit)
        if case not in seen:
            seen.add(case)
            chosen.append(unit)
        if len(chosen) == SHOWN:
            break
    split = len(apart)
    what = "unit" if report.protocol.parts else "item"
    intro = paragraph(
        f"Raters differ on {count(split, what)}; these {len(chosen)} divide them most."
        if len(chosen) > 1 else f"Raters differ on {count(split, what)}."
    )
    return Section("Items worth reading", intro + "".join(card(report, u) for u in chosen))


def case_of(report: Any, unit: str) -> str:
    item = report.items.get(unit.split(" · ")[0])
    return item.case if item else unit.split(" · ")[0]


def card(report: Any, unit: str) -> str:
    """One item: its texts as text, the answers as a table, the comments as quotations."""
    name, _, part = unit.partition(" · ")
    answers = answers_to(report.counted, unit, report.texts)
    lines = [f'<article class="item"><h3>{safe(unit)}</h3>']
    lines += [
        f"<p><b>{safe(label)}</b></p><blockquote>{safe(text)}</blockquote>"
        for label, text in texts_of(report, name, int(part) if part else 0)
    ]
    lines.append(answer_table(report, answers, unit))
    said = answers[answers["question"].isin(text_questions(report))]
    for row in said.itertuples():
        lines.append(
            f"<p class=said><b>{safe(row.rater)}</b> on {safe(report.label(row.question).lower())}: "
            f"{safe(short(row.value, COMMENT))}</p>"
        )
    return "".join(lines) + "</article>"


def texts_of(report: Any, name: str, part: int) -> list[tuple[str, str]]:
    """What raters saw of it, long sources last and shortest."""
    fields = report.protocol.item.fields
    item = report.items.get(name)
    if item is None:
        case = next((case for case in report.stored.cases() if case.key == name), None)
        values, parts = (case.fields, case.parts) if case else ({}, ())
    else:
        values, parts = item.fields, item.parts
    found = []
    piece = next((one for one in parts if one.number == part), None)
    if piece is not None:
        found.append((f"{report.protocol.parts.label} {part}", short(piece.text, TEXT)))
    shown = [n for n, field in fields.items() if field.visible and values.get(n)]
    # A sentence is read beside its question; the whole article would bury it.
    order = sorted(shown, key=lambda n: (fields[n].show != "text", list(fields).index(n)))
    for field in order:
        if piece is not None and fields[field].show != "text":
            continue
        limit = LONG if fields[field].of == "case" and fields[field].show == "long" else TEXT
        if fields[field].show == "triples":
            continue
        found.append((fields[field].label, short(values[field], limit)))
    return found


def text_questions(report: Any) -> list[str]:
    return [question.id for question in report.protocol.questions if question.type == "text"]


def answer_table(report: Any, answers: pd.DataFrame, unit: str) -> str:
    """Rater × question; only questions somebody answered about this unit."""
    closed = answers[~answers["question"].isin(text_questions(report))]
    ids = [q.id for q in report.protocol.questions if q.id in set(closed["question"])]
    counting = set(report.counted.raters())
    rows = []
    raters = list(dict.fromkeys(closed["rater"]))
    for rater in raters[:12]:
        own = closed[closed["rater"].eq(rater)].set_index("question")["value"]
        kind = closed.loc[closed["rater"].eq(rater), "rater_kind"].iloc[0]
        who = rater if rater in counting else f"{rater} ({kind})"
        rows.append((who, *(short(own.get(q, "–"), 60) for q in ids)))
    head = ("Rater", *(report.label(question) for question in ids))
    made = table(head, rows, f"Answers on {unit}", text=len(head))
    if len(raters) > 12:
        made += paragraph(f"and {listing(raters[12:])}.", "soft")
    return made
