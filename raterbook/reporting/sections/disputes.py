"""What raters differ on, side by side: for who decides it, for a meeting, and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup

from raterbook.analysis.estimate import Estimate

from ...files.content import label, put
from ...files.formats import endings, written_as
from ...files.handbook import Block, Heading, Lines, TableBlock, Text, write_page
from ...files.table import Table as Rows
from ...numbers.disputes import BY, Dispute, Statement, Vote, disputes, undecided, votes
from ...rounds import Round
from ...rounds.consensus import ADJUDICATOR
from ...rounds.model import shown as one_line
from ...rounds.model import to_the_minute
from ..html import Section, bullets, fold, join, paragraph, part, short, table
from ..words import (
    capital,
    count,
    listing,
    reason,
    say,
    scale_names,
    value_name,
    was,
)
from .reading import ItemTexts, texts_of

if TYPE_CHECKING:
    from ..report import Report

Row = tuple[str, ...]
LISTED = 12  # disputes of the page that are named
DECISIONS = 60  # decisions in its table
REMARK = 2000  # signs of what a rater wrote


class Cards(ItemTexts):
    """A round's disputes as they are shown: what was rated, and what was said of it."""

    def __init__(self, stored: Round):
        self.stored, self.protocol = stored, stored.protocol

    def card(self, one: Dispute, title: str, names: bool, decided: bool = True) -> Markup:
        """The texts that raters saw, what was asked, and the answers side by side.

        Neither the item's name, which can tell whose output it is, nor raters' names unless wanted.
        """
        question = self.protocol.question(one.question)
        texts = texts_of(self, one.subject, one.part, whole=True)
        head, rows = self.side_by_side(one, names)
        inside = paragraph(question.prompt)
        inside += table(head, rows, f"Answers on {question.label}", len(head))
        if decided:
            inside += join(paragraph(line) for line in settled(question, one))
        return part("item", title, how_far(question, one), texts, inside, True)

    def side_by_side(self, one: Dispute, names: bool) -> tuple[Row, list[Row]]:
        """The answers with what was written and marked beside them, alike ones together.

        Columns that say nothing are left out.
        """
        question = self.protocol.question(one.question)
        order = {str(value): place for place, value in enumerate(question.values or ())}
        known = scale_names(question)

        def place(said: Statement) -> tuple[Any, ...]:
            # Without names the order within an answer must not tell either.
            who = sha256(f"{one.unit}\x1f{said.rater}".encode()).hexdigest()
            where = float(said.value) if question.is_numeric else order.get(said.value, 0)
            return where, said.rater if names else who

        rows = [
            (
                said.rater if names else f"Rater {at}",
                known.get(said.value, said.value),
                "\n".join(short(text, REMARK) for text in said.comments),
                "\n".join(f"“{short(text, REMARK)}”" for text in said.evidence),
                "" if said.confidence is None else f"{said.confidence:g} %",
                "" if said.seconds is None else f"{said.seconds:,.0f} s",
                moment(said.at),
            )
            for at, said in enumerate(sorted(one.said, key=place), start=1)
        ]
        head = ("Rater", "Answer", "Comment", "Evidence", "Confidence", "Took", "Given")
        used = [n for n in range(len(head)) if n < 2 or any(row[n] for row in rows)]
        return tuple(head[n] for n in used), [tuple(row[n] for n in used) for row in rows]


def moment(at: pd.Timestamp | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"


def how_far(question: Any, one: Dispute) -> str:
    """“a tie, 3 levels apart”."""
    said = ["a tie"] if one.tied else []
    if one.spread and (question.is_numeric or question.level == "ordinal"):
        whole = one.spread == round(one.spread)
        said.append(f"{count(round(one.spread), 'level') if whole else f'{one.spread:g}'} apart")
    elif one.spread:
        said.append(count(int(one.spread) + 1, "answer"))
    if one.final and one.decision is None:
        said.append("adjudicators differ")
    return ", ".join(said)


def settled(question: Any, one: Dispute) -> list[str]:
    """What adjudicators decided or left open, each with the reason."""
    known = scale_names(question)
    said = [
        f"{final.rater} decided {known.get(final.value, final.value)}" + because(final)
        for final in one.final
    ]
    said += [f"{left.rater} left it open" + because(left) for left in one.left]
    if len(one.final) > 1 and one.decision is None:
        said.append("Adjudicators differ, so nothing is settled.")
    return said


def because(said: Statement) -> str:
    return f": {said.reason}" if said.reason else ", without a reason."


def agenda(stored: Round, found: Sequence[Dispute], file: str | Path, names: bool = False) -> Path:
    """A page to meet over: every dispute that is open, in its order, with room for the decision."""
    left, shown = undecided(found), Cards(stored)
    decided = len([one for one in found if one.disputed]) - len(left)
    said = f"{capital(count(len(left), 'question'))} in dispute"
    said += f", {count(decided, 'other')} settled." if decided else "."
    blocks: list[Block] = [Heading(1, f"{stored.name}: an agenda"), Text(said)]
    for place, one in enumerate(left, start=1):
        question = stored.protocol.question(one.question)
        texts = [(label, text) for label, text, _ in texts_of(shown, one.subject, one.part, True)]
        head, rows = shown.side_by_side(one, names)
        blocks += [
            Heading(2, f"{place}. {question.label}: {how_far(question, one)}"),
            Lines(tuple(texts)),
            Text(question.prompt),
            TableBlock(head, tuple(rows)),
            TableBlock(("Decision", "Reason"), (("", ""),)),
        ]
    return write_page(blocks, f"{stored.name}: an agenda", file, "an agenda")


COLUMNS = ("item", "part", "question", "state", "value", "by", "reason", "answers")


def write_table(found: Sequence[Dispute], file: str | Path) -> Path:
    """A file with a row for each dispute: undecided, or decided by whom and why."""
    rows = []
    for one in found:
        done = one.decision
        told = [done] if done else [*one.final, *one.left]
        rows.append(
            [
                one.subject,
                str(one.part or ""),
                one.question,
                "decided" if done else "undecided",
                done.value if done else "",
                "; ".join(each.rater for each in told),
                "; ".join(each.reason for each in told if each.reason),
                "; ".join(f"{each.rater}: {each.value}" for each in one.said),
            ]
        )
    suffix = "" if str(file) == "-" else Path(file).suffix.lower()
    chosen = written_as(suffix, endings("texts"), f"{label(file)}: a table of disputes")
    put(chosen.write(Rows(str(file), list(COLUMNS), rows)), file)
    return Path(file)


def lines(stored: Round, found: Sequence[Dispute]) -> list[str]:
    """A line for each dispute, as a terminal shows it: undecided ones first, numbered as on the
    agenda; then the decisions. Nothing in a text moves the cursor or begins a line."""
    said = []
    for place, one in enumerate(undecided(found), start=1):
        question = stored.protocol.question(one.question)
        far = how_far(question, one)
        given = listing([f"{each.rater} {each.value}" for each in one.said], "and", 12)
        told = "".join(f"; {each.rater} left it open{because(each)}" for each in one.left)
        said.append(f"{place:>3}. {one.unit}, {question.label} ({far}): {given}{told}")
    for one in found:
        if one.decision is not None:
            label = stored.protocol.question(one.question).label
            what = f"{one.decision.rater} decided {one.decision.value}"
            said.append(f"     {one.unit}, {label}: {what}{because(one.decision)}")
    return [one_line(line, 2 * REMARK) for line in said]


def decisions(report: Report) -> Section | None:
    """What adjudicators decided and why, and what is still in dispute."""
    if not any(rater.kind == ADJUDICATOR for rater in report.stored.raters()):
        return None
    if report.sight is not None and report.stored.state == "open":
        return None  # what is in dispute by now says how far raters agree by now
    found = disputes(report.stored, pseudonyms=report.parameters.pseudonyms)
    left = undecided(found)
    disputed = [one for one in found if one.disputed]
    done = [one for one in found if one.decision is not None]
    solved = len(disputed) - len(left)
    said = f"{capital(count(len(disputed), 'question'))} {was(len(disputed))} in dispute, as "
    said += f"{BY['majority']}; {solved:,} of them {was(solved)} settled by adjudicators."
    if other := len(done) - solved:
        said += f" They decided {count(other, 'question')} besides, on which a majority agreed."
    inside = paragraph(said)
    if left:
        named = [undecided_line(report, one) for one in left[:LISTED]]
        named += [f"and {count(len(left) - LISTED, 'further one')}"] if len(left) > LISTED else []
        inside += paragraph("Undecided:") + bullets(named)
    if done:
        rows = [
            (
                report.place_name(short(one.subject, 120), one.part),
                report.label(one.question),
                value_of(report, one, each.value),
                each.rater,
                each.reason or "without a reason",
                given(report, one),
            )
            for one in done[:DECISIONS]
            for each in one.final
        ]
        head = ("Item", "Question", "Decided", "By", "Why", "Raters said")
        caption = "Decisions" + (f"; {DECISIONS} of {len(done):,}" if len(done) > DECISIONS else "")
        shown = table(head, rows, caption, len(head))
        inside += shown if len(done) <= LISTED else fold(count(len(done), "decision"), shown)
    return Section("What was decided", inside)


def undecided_line(report: Report, one: Dispute) -> str:
    where = report.place_name(short(one.subject, 120), one.part)
    told = [f"{each.rater} left it open{because(each)}" for each in one.left]
    told += [f"{each.rater} decided {value_of(report, one, each.value)}" for each in one.final]
    return "; ".join([f"{where}, {report.label(one.question)}: {given(report, one)}", *told])


def value_of(report: Report, one: Dispute, value: str) -> str:
    return value_name(report.question(one.question), value)


def given(report: Report, one: Dispute) -> str:
    """“ana yes, ben no”."""
    said = [f"{each.rater} {value_of(report, one, each.value)}" for each in one.said]
    return listing(said, "and", LISTED) or "nothing"


# Calibration: the votes before and after answers were revealed.


def calibration(report: Report) -> Section | None:
    """A calibration's votes: α before and after the answers were revealed, and whose they are."""
    given = report.parameters
    found = votes(report.stored, given.pseudonyms, given.questions, given.raters, given.wish)
    if not found or not found[0].n:
        return None
    first = found[0]
    said = f"{capital(count(len(found) - 1, 'vote'))} {was(len(found) - 1)} revealed. "
    said += f"Compared are the {count(first.n, 'answer')} that every vote has, "
    said += f"of {listing(first.raters, 'and', LISTED)}"
    changed = f"{found[1].changed:,} of them {was(found[1].changed)} changed"
    said += f"; {changed} after the first reveal."
    later = "Votes after a reveal are not blind: that α is higher then does not tell that raters "
    later += "would agree so far alone. The rest of this page is of the answers as they stand now."
    shown = vote_table(report.protocol, found)
    return Section("Calibration", paragraph(said) + shown + paragraph(later))


def vote_table(protocol: Any, found: Sequence[Vote]) -> Markup:
    """A row for each vote: when it was revealed, what was changed, and α of every question."""
    asked = {q.id: q.label for q in protocol.questions if q.id in found[0].alphas}
    rows = [
        (
            f"Vote {place}",
            "now" if vote.at is None else to_the_minute(vote.at),
            "" if place == 1 else f"{vote.changed:,} of {vote.n:,}",
            *(alpha_of(vote.alphas[name]) for name in asked),
        )
        for place, vote in enumerate(found, start=1)
    ]
    head = ("Vote", "Revealed", "Answers changed", *(f"α, {name}" for name in asked.values()))
    return table(head, rows, "Votes, on the answers that all of them have", len(head))


def alpha_of(estimate: Estimate) -> str:
    """“0.39 (0.12 to 0.60)”, marked as on the page; or why there is none, or no interval."""
    said = say({**vars(estimate), "estimate": estimate.value})
    if estimate.value is None or estimate.low is not None:
        return said
    why = f": {reason(estimate.reason)}" if estimate.reason else ""
    return f"{said} (no interval{why})"
