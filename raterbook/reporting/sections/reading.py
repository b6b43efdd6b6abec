"""Five items worth reading: where raters differ most, with what they wrote."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...numbers.counted import Counted, codes, subjects
from ...protocols import Protocol
from ...rounds import Item, Round
from ...rounds.frame import in_words
from ...rounds.marks import AFTER_REVEAL
from ..html import (
    Section,
    bullets,
    fold,
    join,
    legible,
    paragraph,
    part,
    remark,
    short,
    table,
    told_apart,
)
from ..pairs import settled
from ..words import count, group_name, listing, percent, value_name, value_names

if TYPE_CHECKING:
    from ..report import Report

SHOWN = 5
INLINE, TEXT, SOURCE = 70, 700, 3000
RANK = {"text": 0, "long": 1, "markdown": 1, "code": 1, "formula": 0, "triples": 2}
COMMENTS = 6
RATERS = 12


def worth_reading(report: Report) -> Section | None:
    """Five items worth reading: where raters differ most, with what they wrote."""
    apart, marks = where_they_differ(report), marked(report)
    if not marks:
        return apart
    return Section("Items worth reading", (apart.html if apart else "") + marks)


def where_they_differ(report: Report) -> Section | None:
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
    machine = next(((name, q) for name, _, q in counted.machines() if q.is_label), None)
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
    units = list(chosen.values())
    called = told_apart(report.places[unit][0] for unit in units)
    cards = join(card(report, unit, asked, name) for unit, name in zip(units, called, strict=True))
    return Section("Items worth reading", paragraph(said + ".") + cards)


def case_of(report: Report, unit: str) -> str:
    name, _ = report.places[unit]
    item = report.items.get(name)
    return item.case if item else name


def card(report: Report, unit: str, asked: list[Any], called: str) -> Markup:
    """One item: its texts as text, the answers as a table, the comments as quotations."""
    name, number = report.places[unit]
    found = answers_to(report.counted, (name, number), case_of(report, unit), report.texts)
    widest = range_of(report.counted, unit, asked)
    title = report.place_name(called, number)
    said = ""
    if widest is not None:
        question, given = widest
        names = value_names(question)
        said = f"{report.label(question.id)}: "
        said += listing([names.get(value, value) for value in given], "and")
    inside = answer_table(report, found, title)
    inside += comments(report, found, widest[0].id if widest else None)
    inside += marks_on(report, name, number)
    return part("item", title, said, texts_of(report, name, number), inside)


class ItemTexts:
    """What was rated in a round, read once: whoever shows it has these."""

    stored: Round
    protocol: Protocol

    @cached_property
    def items(self) -> dict[str, Item]:
        return {item.key: item for item in self.stored.items()}

    @cached_property
    def case_parts(self) -> dict[str, tuple[Any, ...]]:
        return {case.key: case.parts for case in self.stored.cases()}


def texts_of(
    rated: ItemTexts, name: str, number: int, whole: bool = False
) -> list[tuple[str, str, str]]:
    """What raters saw of it, short fields first: a line, a block, or a source to be folded.

    Long texts are cut, and say so, unless they are wanted `whole`.
    """
    fields = rated.protocol.item.fields
    item = rated.items.get(name)
    if item is None:
        case = next((case for case in rated.stored.cases() if case.key == name), None)
        values, parts = (case.fields, case.parts) if case else ({}, ())
    else:
        values, parts = item.fields, item.parts or rated.case_parts.get(item.case, ())
    found = []
    piece = next((one for one in parts if one.number == number), None) if number else None
    if piece is not None:
        assert rated.protocol.parts is not None
        label = f"{rated.protocol.parts.label} {number}"
        text = legible(piece.text).strip() if whole else short(piece.text, TEXT)
        found.append((label, *shape(text, False)))
    shown = [n for n, field in fields.items() if field.visible and values.get(n)]
    for column in sorted(shown, key=lambda n: (RANK[fields[n].show], far(fields[n]))):
        field = fields[column]
        # A sentence is read beside its question; the whole text around it would bury it.
        source = field.show == "triples" or (
            field.show == "long" and (field.of == "case" or piece is not None)
        )
        value = group_name(rated.protocol, column, values[column])
        text = legible(value).strip() if whole else short(value, SOURCE if source else TEXT)
        found.append((field.label, *shape(text, source)))
    return found


def shape(text: str, source: bool) -> tuple[str, str]:
    """A text and how it is set."""
    if len(text) <= INLINE and "\n" not in text:
        return text, "line"
    return text, "source" if source else "block"


def far(field: Any) -> bool:
    """A long text of the whole case comes after the item's own."""
    return bool(field.show == "long" and field.of == "case")


def text_questions(report: Report) -> list[Any]:
    return [question for question in report.protocol.questions if question.is_text]


def answer_table(report: Report, found: Any, title: str) -> Markup:
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
        rows.append((who, *(short(value, 60) for value in given)))
    head = ("Rater", *(report.label(question.id) for question in asked))
    made = table(head, rows, f"Answers on {title}", text=len(head))
    if len(raters) > RATERS:
        made += paragraph(f"and {count(len(raters) - RATERS, 'further rater')}.", "soft")
    return made


def comments(report: Report, found: Any, question: str | None) -> Markup:
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
        about = report.protocol.question(row.question).comment_of
        what = report.label(about or row.question)
        on = "" if len(rank) == 1 else what[0].lower() + what[1:]
        mine = row.rater in counting
        who = report.rater_name(row.rater) if mine else f"{row.rater} ({row.rater_kind})"
        lines.append(remark(who, on, row.value))
    return join(lines)


# The items on which raters differ most: those worth reading first.


def disagreements(counted: Counted, questions: list[Any]) -> pd.Series:
    """Unit → how far its raters are apart, summed over questions, the widest first.

    For a scale the distance between highest and lowest answer, as a share of the scale; for
    labels the share of raters outside the commonest one. Units with one rater are not listed.
    """
    found: list[pd.Series] = []
    for question in questions:
        table = counted.table(question)
        cells = table.to_numpy(float)
        many = np.isfinite(cells).sum(axis=1)
        if question.is_numeric:
            apart = (folded(cells, np.fmax) - folded(cells, np.fmin)) / (
                question.max - question.min
            )
        else:
            top = np.zeros(len(cells))
            for value in np.unique(cells[np.isfinite(cells)]):
                top = np.maximum(top, (cells == value).sum(axis=1))
            apart = 1 - top / np.maximum(many, 1)
            if question.level == "ordinal":
                width = (folded(cells, np.fmax) - folded(cells, np.fmin)) / (
                    len(question.values) - 1
                )
                apart = (apart + width) / 2
        found.append(pd.Series(apart, index=table.index)[many >= 2])
    if not found:
        return pd.Series(dtype=float)
    total = pd.concat(found, axis=1).sum(axis=1)
    order = np.lexsort((total.index.to_numpy(dtype=object).astype(str), -total.to_numpy()))
    total = total.iloc[order]
    return total[total > 0]


def folded(cells: np.ndarray, how: Any) -> np.ndarray:
    """Highest or lowest of each row, missing ones left out."""
    return how.reduce(cells, axis=1) if cells.size else np.zeros(len(cells))


def against_machine(counted: Counted, question: Any, machine: str) -> pd.DataFrame:
    """unit, people, machine (codes): where the people's consensus and a machine label differ."""
    theirs = settled(counted, question)
    rows = counted.given[counted.given["rater"].eq(machine)]
    own = counted.table(question, rows)
    if not len(own):
        return pd.DataFrame(columns=["unit", "people", "machine"])
    both = pd.concat([theirs, own.iloc[:, 0]], axis=1, keys=["people", "machine"]).dropna()
    both = both[both["people"] != both["machine"]].sort_index()
    return both.rename_axis("unit").reset_index()


def answers_to(
    counted: Counted, place: tuple[str, int], case: str, texts: pd.DataFrame
) -> pd.DataFrame:
    """rater, rater_kind, question, value: all that was said about a unit.

    With it what was said of the whole it belongs to in words, and of the same part of its case.
    """
    name, part = place
    given = counted.given
    rows = given[given["subject"].isin([name, case]) & given["part"].fillna(0).eq(part)]
    said = texts[texts["subject"].eq(name) & texts["part"].fillna(0).isin([0, part])]
    found = pd.concat([rows, said])[["rater", "rater_kind", "question", "value"]]
    return found.drop_duplicates(["rater", "question"]).sort_values(["rater_kind", "rater"])


def worth(
    counted: Counted,
    apart: pd.Series,
    texts: pd.DataFrame,
    machine: tuple[str, Any] | None = None,
) -> pd.Series:
    """How much a unit has to tell: disagreement, comments, and a machine that differs."""
    total = apart.copy()
    if len(texts):
        notes = texts.groupby("unit").size().reindex(total.index).fillna(0)
        total += 0.02 * notes.clip(upper=3)
    if machine is not None:
        wrong = against_machine(counted, machine[1], machine[0])["unit"]
        total[total.index.isin(wrong)] += 0.25
    names = total.index.to_numpy(dtype=object).astype(str)
    return total.iloc[np.lexsort((names, -total.round(9).to_numpy()))]


def range_of(counted: Counted, unit: str, questions: list[Any]) -> tuple[Any, list[str]] | None:
    """The question on which a unit's raters differ most, and the values they gave, in order.

    As in `disagreements`: by shares of the scale, or of the raters outside the commonest label.
    """
    rows = counted.people[counted.people["unit"].eq(unit)]
    best: tuple[float, Any, list[str]] | None = None
    for question in questions:
        own = rows[rows["question"].eq(question.id)]
        found = codes(own, question)
        given, many = np.unique(found[np.isfinite(found)], return_counts=True)
        if len(given) < 2:
            continue
        if question.is_numeric:  # 20 in a hundred are less than one level of five
            width = float(given[-1] - given[0]) / (question.max - question.min)
        else:
            width = float(1 - many.max() / many.sum())
        if best is None or width > best[0]:
            names = [f"{value:g}" for value in given]
            if not question.is_numeric:
                names = [str(question.values[int(value)]) for value in given]
            best = (width, question, names)
    return None if best is None else best[1:]


# Two raters whose answers look like one another's: said before anything that rests on them.


LISTED = 3


def copied(report: Report) -> list[str]:
    """A sentence a pair, and what it does to the rest of the page."""
    found = report.copies
    said = []
    for pair in found[:LISTED]:
        who = f"{report.rater_name(pair.first)} and {report.rater_name(pair.second)}"
        same = (
            f"gave the same answer in all {pair.shared:,} answers they have in common"
            if pair.identical
            else f"gave the same answer in {pair.same:,} of {pair.shared:,} they have in common"
        )
        on = f", on {count(pair.items, 'item')}"
        if pair.usual is None:
            said.append(
                f"{who} {same}{on}. With two raters nobody can say whether one column is a copy "
                "of the other: make sure that they rated apart."
            )
        else:
            said.append(
                f"{who} {same}{on}; other pairs do in {percent(pair.usual)} %, by the median. A "
                "copied column looks so, and so do answers that follow another’s: find out how "
                "they came about before anything below is read."
            )
    if len(found) > LISTED:
        said.append(f"So it is with {count(len(found) - LISTED, 'further pair')} of raters.")
    if said and found[0].usual is not None:
        said[-1] += (
            " Agreement is overstated as long as both count, so nobody is named below for "
            "agreeing little with the others."
        )
    return said


def copying(report: Report) -> str:
    """“ana and ben”, for advice."""
    pairs = [f"{pair.first} and {pair.second}" for pair in report.copies]
    return listing(pairs, limit=LISTED)


# What raters marked beside their answers: flags, questions left open, evidence.


MARKS_SHOWN = 12


def labels(report: Report, questions: str) -> str:
    return ", ".join(report.label(question) for question in questions.split(", "))


def marks_on(report: Report, name: str, number: int) -> Markup:
    """Who flagged an item and why, and what they marked in its texts, beside these texts; of a
    part the evidence that touches it."""
    item = report.items.get(name)
    parts = item.parts or report.case_parts.get(item.case, ()) if item else ()
    piece = next((one.text for one in parts if one.number == number), None) if number else None
    lines = []
    for row in report.marked:
        if row["item"] != name or row["mark"] == AFTER_REVEAL:
            continue
        who, quote = report.rater_name(row["rater"]), str(row["quote"])
        if row["mark"] == "flag":
            why = f": {short(row['reason'])}" if row["reason"] else ""
            lines.append(f"{who} flagged it{why}")
        elif piece is None or quote in piece or piece in quote:
            label = report.protocol.item.fields[row["field"]].label
            lines.append(f"{who} marked in {label}: “{short(quote, INLINE)}”")
    more = [f"and {len(lines) - MARKS_SHOWN:,} more."] if len(lines) > MARKS_SHOWN else []
    return join([bullets([*lines[:MARKS_SHOWN], *more])] if lines else [])


def marked(report: Report) -> Markup:
    """Lines for the page; nothing where nobody marked anything."""
    pseudonyms, rows = report.parameters.pseudonyms, report.marked
    flags = [row for row in rows if row["mark"] == "flag"]
    late = [row for row in rows if row["mark"] == AFTER_REVEAL]
    stretches = len(rows) - len(flags) - len(late)
    left = in_words(report.stored, pseudonyms)
    left = left[left["status"].eq("skipped") & left["rater_kind"].isin(["human", "adjudicator"])]
    told = []
    if flags:
        items = len({row["item"] for row in flags})
        said = f"Raters flagged {count(items, 'item')}"
        told.append((said, [(row["rater"], row["item"], row["reason"]) for row in flags]))
    if late:
        said = "Answers given or changed after the rater had seen what is shown afterwards"
        about = [f"{row['item']}: {labels(report, row['reason'])}" for row in late]
        told.append((said, [(row["rater"], name, None) for row, name in zip(late, about)]))
    if len(left):
        said = f"Raters left {count(len(left), 'answer')} open"
        places = zip(subjects(left), left["part"], left["question"], strict=True)
        what = [f"{report.place_name(name, part)}, {report.label(q)}" for name, part, q in places]
        told.append((said, list(zip(left["rater"], what, left["reason"]))))
    lines = []
    for said, given in told:
        inside = [
            remark(rater, name, why)
            if isinstance(why, str) and why
            else paragraph(f"{rater}, {name}")
            for rater, name, why in given[:MARKS_SHOWN]
        ]
        if len(given) > MARKS_SHOWN:
            inside.append(paragraph(f"and {len(given) - MARKS_SHOWN:,} more.", "soft"))
        lines.append(fold(said, join(inside)))
    if stretches:
        lines.append(
            paragraph(
                f"They marked {count(stretches, 'stretch', 'stretches')} of text as evidence."
            )
        )
    if rows:
        kinds = "Flags, evidence and answers after a reveal" if late else "Flags and evidence"
        lines.append(paragraph(f"{kinds} are in an export with --layout marks.", "soft"))
    return join(lines)
