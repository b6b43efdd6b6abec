"""Five items worth reading: where raters differ most, with what they wrote."""

from __future__ import annotations

from typing import Any

from ..section import Section, fold, paragraph, safe, short, table
from ..tables.reading import answers_to, disagreements, range_of, worth
from ..tables.values import group_name, value_name, value_names
from ..words import count, listing
from .marked import marked
from .quoted import remark

SHOWN = 5
INLINE, TEXT, SOURCE = 70, 700, 3000
RANK = {"text": 0, "long": 1, "triples": 2}
COMMENTS = 6
RATERS = 12


def worth_reading(report: Any) -> Section | None:
    apart, marks = where_they_differ(report), marked(report)
    if not marks:
        return apart
    return Section("Items worth reading", (apart.html if apart else "") + marks)


def where_they_differ(report: Any) -> Section | None:
    counted = report.counted
    # What is said of the thing itself, percentages too; confidence is said of other answers.
    numbers = [q for q in counted.asked() if q.is_numeric and not q.covers]
    asked = [q for q in [*numbers, *counted.labelled()] if report.shared.get(q.id)]
    if not asked:
        return None
    apart = disagreements(counted, asked)
    compared = "; ".join(
        f"{report.label(q.id)}: {report.shared[q.id]:,}" for q in counted.asked() if q in asked
    )
    compared = f"Compared where two or more answered ({compared})."
    if not len(apart):
        if not len(counted.people):
            return None
        return Section(
            "Items worth reading",
            paragraph(f"Raters gave the same answers throughout: no item stands out. {compared}"),
        )
    machine = next(((name, q) for name, _, q in counted.machines() if q.type == "choice"), None)
    order = worth(counted, apart, report.texts, machine)
    chosen: dict[str, str] = {}
    for unit in order.index:  # five sides of one story tell less than five stories
        chosen.setdefault(case_of(report, unit), unit)
        if len(chosen) == SHOWN:
            break
    parts = report.protocol.parts
    what = parts.label.lower() if parts else "item"
    said = f"Raters differ on {count(len(apart), what)}"
    if len(chosen) > 1:
        said += f"; these {len(chosen)} come first by how far apart answers lie"
        said += (
            f", by remarks and by {machine[0]} saying otherwise" if machine else " and by remarks"
        )
    cards = "".join(card(report, unit, asked) for unit in chosen.values())
    return Section("Items worth reading", paragraph(said + ".") + cards)


def case_of(report: Any, unit: str) -> str:
    name, _ = report.places[unit]
    item = report.items.get(name)
    return item.case if item else name


def card(report: Any, unit: str, asked: list[Any]) -> str:
    """One item: its texts as text, the answers as a table, the comments as quotations."""
    name, part = report.places[unit]
    found = answers_to(report.counted, (name, part), case_of(report, unit), report.texts)
    widest = range_of(report.counted, unit, asked)
    title = short(name, 120) + (f", {report.protocol.parts.label.lower()} {part}" if part else "")
    lines = [f'<article class="item"><h3>{safe(title)}</h3>']
    if widest is not None:
        question, given = widest
        names = value_names(question)
        said = listing([names.get(value, value) for value in given], "and")
        lines.append(paragraph(f"{report.label(question.id)}: {said}", "soft"))
    lines.append('<div class="texts">')
    for label, text, source in texts_of(report, name, part):
        if len(text) <= INLINE and "\n" not in text:
            lines.append(f"<p><b>{safe(label)}:</b> {safe(text)}</p>")
        else:
            cited = f"<blockquote>{safe(text)}</blockquote>"
            lines.append(fold(label, cited) if source else f"<p><b>{safe(label)}</b></p>{cited}")
    lines += ["</div>", answer_table(report, found, title)]
    lines.append(comments(report, found, widest[0].id if widest else None))
    return "".join(lines) + "</article>"


def texts_of(report: Any, name: str, part: int) -> list[tuple[str, str, bool]]:
    """What raters saw of it, short fields first; what is only looked up can be folded."""
    fields = report.protocol.item.fields
    item = report.items.get(name)
    if item is None:
        case = next((case for case in report.stored.cases() if case.key == name), None)
        values, parts = (case.fields, case.parts) if case else ({}, ())
    else:
        values, parts = item.fields, item.parts or report.case_parts.get(item.case, ())
    found = []
    piece = next((one for one in parts if one.number == part), None) if part else None
    if piece is not None:
        found.append((f"{report.protocol.parts.label} {part}", short(piece.text, TEXT), False))
    shown = [n for n, field in fields.items() if field.visible and values.get(n)]
    for column in sorted(shown, key=lambda n: (RANK[fields[n].show], far(fields[n]))):
        field = fields[column]
        # A sentence is read beside its question; the whole text around it would bury it.
        source = field.show == "triples" or (
            field.show == "long" and (field.of == "case" or piece is not None)
        )
        value = group_name(report.protocol, column, values[column])
        found.append((field.label, short(value, SOURCE if source else TEXT), source))
    return found


def far(field: Any) -> bool:
    """A long text of the whole case comes after the item's own."""
    return bool(field.show == "long" and field.of == "case")


def text_questions(report: Any) -> list[Any]:
    return [question for question in report.protocol.questions if question.type == "text"]


def answer_table(report: Any, found: Any, title: str) -> str:
    """Rater × question; only questions somebody answered about this unit."""
    texts = {question.id for question in text_questions(report)}
    closed = found[~found["question"].isin(texts)]
    asked = [q for q in report.protocol.questions if q.id in set(closed["question"])]
    counting = set(report.counted.raters())
    rows = []
    raters = list(dict.fromkeys(closed["rater"]))
    for rater in raters[:RATERS]:
        own = closed[closed["rater"].eq(rater)].set_index("question")["value"]
        kind = closed.loc[closed["rater"].eq(rater), "rater_kind"].iloc[0]
        who = report.rater_name(rater) if rater in counting else f"{rater} ({kind})"
        given = (value_name(q, own[q.id]) if q.id in own else "–" for q in asked)
        rows.append((short(who, 60), *(short(value, 60) for value in given)))
    head = ("Rater", *(report.label(question.id) for question in asked))
    made = table(head, rows, f"Answers on {short(title, 80)}", text=len(head))
    if len(raters) > RATERS:
        made += paragraph(f"and {count(len(raters) - RATERS, 'further rater')}.", "soft")
    return made


def comments(report: Any, found: Any, question: str | None) -> str:
    """What raters wrote, on the question that divides them first; a few, not all."""
    rank = {}
    for place, asked in enumerate(text_questions(report)):
        about = asked.comment_of
        first = 0 if about and about == question else 2 if about or not asked.required else 1
        if about is None and len(text_questions(report)) == 1:
            first = 0
        rank[asked.id] = (first, place)
    said = found[found["question"].isin(rank)]
    rows = sorted(said.itertuples(), key=lambda row: (rank[row.question], row.rater))
    # Everyone is heard once before anyone is heard twice.
    heard: dict[str, list[Any]] = {}
    for row in rows:
        heard.setdefault(row.rater, []).append(row)
    telling = [row for row in rows if rank[row.question][0] < 2]
    if len(telling) >= 3:
        heard = {}
        for row in telling:
            heard.setdefault(row.rater, []).append(row)
    turns = [own[turn] for turn in range(2) for own in heard.values() if len(own) > turn]
    kept = sorted(turns[:COMMENTS], key=lambda row: (row.rater, rank[row.question]))
    counting = set(report.counted.raters())
    lines = []
    for row in kept:
        about = report.question(row.question).comment_of
        what = report.label(about or row.question)
        on = "" if len(rank) == 1 else what[0].lower() + what[1:]
        mine = row.rater in counting
        who = report.rater_name(row.rater) if mine else f"{row.rater} ({row.rater_kind})"
        lines.append(remark(who, on, row.value))
    return "".join(lines)
