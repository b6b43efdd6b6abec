"""The long layout: one row per answer. It carries everything there is to say about answers.

In Parquet its columns have types, and the file says which round and protocol it is of. Marks lie
in a file of the same form, one row for each flag and each stretch of evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

import raterbook.files.table as table
from raterbook.files.checks import Blanks
from raterbook.files.formats import FORMATS, named
from raterbook.files.layouts.layout import TYPED, Incoming, Layout, Outgoing, carries
from raterbook.files.names import comment_of, item_names, question_names, rater_headers
from raterbook.files.packed import write_parquet
from raterbook.files.table import LEAST, Columns, Records, Table
from raterbook.protocols import Protocol
from raterbook.protocols.kinds import plain
from raterbook.rounds.current import Fact
from raterbook.rounds.marks import MARKED
from raterbook.rounds.model import Given, Problems, listed, moment, shown


def _moment(fact: Fact) -> datetime:
    seconds, rest = divmod(moment(fact.client_time, fact.server_time), 1_000_000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)


def _number(fact: Fact) -> float | None:
    return None if fact.value is None or isinstance(fact.value, str) else float(fact.value)


@dataclass(frozen=True)
class LongColumn:
    """A column: its text of an answer, and its value where columns have types."""

    name: str
    text: Callable[[Fact], str | None] | None
    value: Callable[[Fact], Any] | None
    type: str = "string"


ALWAYS = ("item", "part", "rater", "question", "value")  # the others stand where they say something
COLUMNS = (
    LongColumn("item", attrgetter("subject"), attrgetter("subject")),
    LongColumn("part", attrgetter("part_text"), lambda fact: fact.part or None, "int32"),
    LongColumn("rater", attrgetter("rater"), attrgetter("rater")),
    LongColumn("question", attrgetter("question"), attrgetter("question")),
    LongColumn("value", attrgetter("text"), lambda fact: fact.text or None),
    LongColumn("number", None, _number, "float64"),  # repeats the value
    LongColumn(
        "replicate",
        lambda fact: "" if fact.replicate == 1 else str(fact.replicate),
        attrgetter("replicate"),
        "int32",
    ),
    LongColumn("confidence", attrgetter("confidence_text"), attrgetter("confidence"), "float64"),
    LongColumn("comment", lambda fact: "", None),  # is read: an answer of its own
    LongColumn("seconds", attrgetter("seconds_text"), attrgetter("seconds"), "float64"),
    LongColumn("answered_at", attrgetter("answered_at"), _moment, "time"),
    LongColumn("rater_kind", attrgetter("kind"), attrgetter("kind")),
    LongColumn("rater_version", attrgetter("version"), attrgetter("version")),
    LongColumn(
        "status",
        lambda fact: "" if fact.status == "answered" else fact.status,
        attrgetter("status"),
    ),
    LongColumn("reason", attrgetter("reason"), attrgetter("reason")),
    LongColumn(  # tells, and is not read
        "revision",
        lambda fact: "" if fact.revision == 1 else str(fact.revision),
        attrgetter("revision"),
        "int32",
    ),
)
TEXTS = [column for column in COLUMNS if column.text is not None]
ORDER = (
    "item part rater rater_kind rater_version question value number replicate status reason "
    "confidence seconds answered_at revision"
)
VALUES = [next(column for column in COLUMNS if column.name == name) for name in ORDER.split()]
# Beside item, question, value and rater: what a cell is read by, and what an empty one says.
READ: dict[str, tuple[Callable[[str], Any], Any]] = {
    "part": (table.part, 0),
    "replicate": (table.replicate, 1),
    "status": (table.status, ""),
    "reason": (str, None),
    "confidence": (table.confidence, None),
    "seconds": (table.seconds, None),
    "answered_at": (table.time, None),
    "rater_kind": (table.kind, None),
    "rater_version": (str, None),
}


def is_long(file: Table | Records, protocol: Protocol) -> bool:
    """Whether a file has one answer a row: it has the columns question and value."""
    return isinstance(file, Table) and {"question", "value"} <= {plain(n) for n in file.columns}


def read_long(given: Incoming) -> tuple[list[Given], list[str]]:
    """The answers of a long file, and notes. An empty value without a status is no answer."""
    protocol, problems, file = given.protocol, given.problems, given.table
    known = _known(protocol)
    columns = Columns(file, known, problems)
    if not any(name in columns for name in protocol.item.key):
        columns.require(("item",), LEAST)
    notes = columns.unread([column.name for column in TEXTS])
    raters = columns.raters(given.rater)
    rows = zip(
        file.numbers,
        item_names(columns, protocol),
        columns.parsed("question", _question(protocol), ""),
        columns.cells("value"),
        raters,
        *(
            columns.parsed(name, parse, given.kind if name == "rater_kind" else empty)
            for name, (parse, empty) in READ.items()
        ),
    )
    comments = columns.cells("comment")
    found: list[Given] = []
    blank: list[Given] = []
    for index, (row, item, question, value, rater, part, again, status, *rest) in enumerate(rows):
        if not item or not question:
            if not item or not file.rows[index][columns.placed["question"]].strip():
                words = "empty. Every answer names its item and its question."
                problems.add(words, row, "question" if item else "item")
            continue
        state = status or "answered"
        answer = Given(row, "value", item, question, value, rater, part, again, state, *rest)
        commented = bool(comments[index].strip())
        if value.strip() or status not in ("", "answered"):
            found.append(answer)
        elif status == "answered" or answer.reason or answer.confidence is not None:
            problems.add(
                "empty, and the row says more about the answer. Write the value, or the "
                "status skipped or not_applicable.",
                row,
                "value",
            )
        elif not commented:
            blank.append(answer)
        if commented:
            found += _comment(answer, comments[index], protocol, problems)
    blanks = Blanks(protocol)
    blanks.among(blank, found)
    return found, [*notes, *blanks.notes(file.name)]


def _known(protocol: Protocol) -> dict[str, tuple[str, ...]]:
    """The columns of a long file. Key columns name the item too, and `case` where it is empty."""
    keys = (*protocol.item.key, protocol.item.case, "case")
    known: dict[str, tuple[str, ...]] = dict.fromkeys(
        (*keys, *(column.name for column in TEXTS)), ()
    )
    known["item"] = ("item_id", "subject")
    known["rater"] = rater_headers(protocol)
    known["question"] = tuple({"question_id", "criterion", "metric"} - set(keys))
    return known


def _question(protocol: Protocol) -> Callable[[str], str]:
    names = question_names(protocol)

    def find(cell: str) -> str:
        if plain(cell) not in names:
            every = listed(question.id for question in protocol.questions)
            raise ValueError(
                f"{shown(cell)} is no question of {protocol.name}. Use one of {every}."
            )
        return names[plain(cell)]

    return find


def _comment(
    answer: Given, comment: str, protocol: Protocol, problems: Problems
) -> Iterator[Given]:
    """The comment beside an answer as an answer of its own, or where it can go instead."""
    if target := comment_of(protocol, answer.question):
        yield replace(
            answer,
            column="comment",
            question=target,
            value=comment,
            status="answered",
            reason=None,
            confidence=None,
            seconds=None,
        )
        return
    takes = [each.comment_of for each in protocol.questions if each.comment_of]
    texts = [each.id for each in protocol.questions if each.is_text and not each.comment_of]
    ways = [f"comment on {listed(takes)}"] if takes else []
    if texts:
        ways.append(
            f"write it in the column value of a row of its own, with {listed(texts)} as "
            "its question"
        )
    way = "; or ".join(ways)
    problems.add(
        f"“{answer.question}” takes no comment of its own. {way[0].upper()}{way[1:]}."
        if way
        else f"{protocol.name} takes no comments. Leave the column out.",
        answer.row,
        "comment",
    )


def write_long(out: Outgoing) -> tuple[bytes, int]:
    """Columns that say nothing are left out, but for the first five."""
    rows = [[column.text(fact) or "" for column in TEXTS if column.text] for fact in out.facts]
    used = [
        place
        for place, column in enumerate(TEXTS)
        if column.name in ALWAYS or any(row[place] for row in rows)
    ]
    names = [TEXTS[place].name for place in used]
    file = Table(out.name, names, [[row[place] for place in used] for row in rows])
    return LONG.encoded(out, file), len(rows)


def is_typed(file: Table | Records, protocol: Protocol) -> bool:
    """Whether it is our own typed file or frame, which repeats each value in `number`."""
    if not isinstance(file, Table) or not is_long(file, protocol):
        return False
    return bool(file.metadata) or {*ALWAYS, "number", "revision"} <= set(file.columns)


def read_typed(given: Incoming) -> tuple[list[Given], list[str]]:
    """Without `number`; and no confidence is a fraction."""
    file = given.table
    kept = [place for place, name in enumerate(file.columns) if name != "number"]
    columns = [file.columns[place] for place in kept]
    rows = [[row[place] for place in kept] for row in file.rows]
    if "confidence" in columns:
        place = columns.index("confidence")
        for row in rows:
            row[place] += "%" if row[place] and not row[place].endswith("%") else ""
    return read_long(replace(given, file=replace(file, columns=columns, rows=rows)))


def write_typed(out: Outgoing) -> tuple[bytes, int]:
    """Every column, with types, and what the file is of."""
    rows = [[column.value(fact) for column in VALUES if column.value] for fact in out.facts]
    file = Table(out.name, [column.name for column in VALUES], rows)
    file.types = {column.name: column.type for column in VALUES}
    file.metadata = {
        "layout": "long",
        "round": out.round.name,
        "protocol": out.round.protocol.name,
        "protocol_hash": out.round.protocol_hash,
        "data_hash": out.round.data_hash(),
    }
    format = FORMATS[named(out.suffix) or ".parquet"]
    write = format.write if format.holds == "values" else write_parquet
    return write(file), len(rows)


def write_marks(out: Outgoing) -> tuple[bytes, int]:
    found = out.round.marked(out.pseudonyms)
    rows = [["" if row[column] is None else str(row[column]) for column in MARKED] for row in found]
    return MARKS.encoded(out, Table(out.name, list(MARKED), rows)), len(rows)


LONG = Layout(
    "long",
    "one row per answer, with all there is to say about it",
    ("texts", "values"),
    write_long,
    carries(no=TYPED),
    is_long,
    read_long,
)
PARQUET = Layout(
    "parquet",
    "long with types, the protocol's hash and the data's",
    ("values",),
    write_typed,
    carries(),
    is_typed,
    read_typed,
)
MARKS = Layout(
    "marks",
    "no answers: flags with their reasons, evidence, answers after a reveal",
    ("texts",),
    write_marks,
    {},
)
