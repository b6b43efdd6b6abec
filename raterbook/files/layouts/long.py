"""The long layout: one row per answer. It carries everything there is to say about answers."""

from __future__ import annotations

from collections.abc import Iterable

from raterbook.files import cells
from raterbook.files.checks import Blanks
from raterbook.files.sheet import Sheet, name_columns, required
from raterbook.files.subjects import LEAST, item_names, unread
from raterbook.protocols import Protocol
from raterbook.protocols.kinds import plain
from raterbook.rounds.current import Fact
from raterbook.rounds.model import Given, Problems, listed, shown

ALWAYS = ("item", "part", "rater", "question", "value")
OPTIONAL = (
    "replicate",
    "confidence",
    "comment",
    "seconds",
    "answered_at",
    "rater_kind",
    "rater_version",
    "status",
    "reason",
    "revision",
)  # revision tells, and is not read


def is_long(sheet: Sheet) -> bool:
    """Whether a file has one answer a row: it has the columns question and value."""
    names = {plain(name) for name in sheet.columns}
    return {"question", "value"} <= names


def read_long(
    sheet: Sheet, protocol: Protocol, problems: Problems, rater: str | None, kind: str | None
) -> tuple[list[Given], list[str]]:
    """The answers of a long file, and notes. An empty value without a status is no answer."""
    known = _known(protocol)
    placed = name_columns(sheet.columns, known, problems)
    problems.stop()
    keys = [name for name in protocol.item.key if name in placed]
    if not keys:
        required(sheet, ("item",), placed, LEAST)
    notes = unread(sheet, placed, known, [*ALWAYS, *OPTIONAL], problems)
    raters = cells.one_rater(sheet, placed, rater, problems)
    columns = zip(
        sheet.numbers,
        item_names(sheet, placed, protocol, keys),
        cells.parsed(sheet, placed, "question", _question(protocol), "", problems),
        sheet.column(placed["value"]),
        raters,
        cells.parsed(sheet, placed, "part", cells.part, 0, problems),
        cells.parsed(sheet, placed, "replicate", cells.replicate, 1, problems),
        cells.parsed(sheet, placed, "status", cells.status, "", problems),
        cells.parsed(sheet, placed, "reason", cells.text, None, problems),
        cells.parsed(sheet, placed, "confidence", cells.confidence, None, problems),
        cells.parsed(sheet, placed, "seconds", cells.seconds, None, problems),
        cells.parsed(sheet, placed, "answered_at", cells.time, None, problems),
        cells.parsed(sheet, placed, "rater_kind", cells.kind, kind, problems),
        cells.parsed(sheet, placed, "rater_version", cells.text, None, problems),
    )
    comments = sheet.column(placed["comment"]) if "comment" in placed else None
    found: list[Given] = []
    empty: list[Given] = []
    for index, (row, item, question, value, name, part, replicate, status, *rest) in enumerate(
        columns
    ):
        if not item or not question:
            if not item or not sheet.rows[index][placed["question"]].strip():
                problems.add(
                    "empty. Every answer names its item and its question.",
                    row,
                    "question" if item else "item",
                )
            continue
        answer = Given(
            row, "value", item, question, value, name, part, replicate, status or "answered", *rest
        )
        if value.strip() or status not in ("", "answered"):
            found.append(answer)
        elif status == "answered" or answer.reason or answer.confidence is not None:
            problems.add(
                "empty, and the row says more about the answer. Write the value, or the "
                "status skipped or not_applicable.",
                row,
                "value",
            )
        elif comments is None or not comments[index].strip():
            empty.append(answer)
        if comments is not None and comments[index].strip():
            _comment(answer, comments[index], protocol, problems, found)
    blanks = Blanks(protocol)
    blanks.among(empty, found)
    return found, [*notes, *blanks.notes(sheet.name)]


def _known(protocol: Protocol) -> dict[str, tuple[str, ...]]:
    """The columns of a long file. Key columns name the item too, and `case` where it is empty."""
    keys = dict.fromkeys((*protocol.item.key, protocol.item.case, "case"), ())
    known: dict[str, tuple[str, ...]] = {**keys, **dict.fromkeys((*ALWAYS, *OPTIONAL), ())}
    known["item"] = ("item_id", "subject")
    known["rater"] = cells.rater_headers(protocol)
    known["question"] = tuple({"question_id", "criterion", "metric"} - set(keys))
    return known


def _question(protocol: Protocol):
    names = cells.question_names(protocol)

    def find(cell: str) -> str:
        if plain(cell) not in names:
            every = listed(question.id for question in protocol.questions)
            raise ValueError(
                f"{shown(cell)} is no question of {protocol.name}. Use one of {every}."
            )
        return names[plain(cell)]

    return find


def _comment(
    answer: Given, comment: str, protocol: Protocol, problems: Problems, found: list[Given]
) -> None:
    target = cells.comment_of(protocol, answer.question)
    if target is None:
        problems.add(_no_comment(answer, protocol), answer.row, "comment")
        return
    found.append(
        Given(
            answer.row,
            "comment",
            answer.item,
            target,
            comment,
            answer.rater,
            answer.part,
            answer.replicate,
            at=answer.at,
            kind=answer.kind,
            version=answer.version,
        )
    )


def _no_comment(answer: Given, protocol: Protocol) -> str:
    """Where the comment can go instead: to a question that has one, or that is a text itself."""
    takes = [each.comment_of for each in protocol.questions if each.comment_of]
    texts = [each.id for each in protocol.questions if each.is_text and not each.comment_of]
    ways = [f"comment on {listed(takes)}"] if takes else []
    if texts:
        ways.append(
            f"write it in the column value of a row of its own, with {listed(texts)} as "
            "its question"
        )
    if not ways:
        return f"{protocol.name} takes no comments. Leave the column out."
    way = "; or ".join(ways)
    return f"“{answer.question}” takes no comment of its own. {way[0].upper()}{way[1:]}."


def long_rows(facts: Iterable[Fact]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a long file; optional columns that say nothing are left out."""
    rows = [
        [
            fact.subject,
            fact.part_text,
            fact.rater,
            fact.question,
            fact.text,
            "" if fact.replicate == 1 else str(fact.replicate),
            fact.confidence_text,
            "",
            fact.seconds_text,
            fact.answered_at or "",
            fact.kind,
            fact.version or "",
            "" if fact.status == "answered" else fact.status,
            fact.reason or "",
            "" if fact.revision == 1 else str(fact.revision),
        ]
        for fact in facts
    ]
    columns = [*ALWAYS, *OPTIONAL]
    used = [
        place
        for place, name in enumerate(columns)
        if name in ALWAYS or any(row[place] for row in rows)
    ]
    return [columns[place] for place in used], [[row[place] for place in used] for row in rows]
