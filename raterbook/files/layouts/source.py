"""The source layout: the items file as it came, with answers filled into its own columns.

For protocols whose items file has columns for answers (fields with `exchange`, as halo-support's
human_label and notes). Nothing else in the file changes, to the byte. With one person the column
has that person's answers; with several it has their consensus, and each one's answers stand in a
column of their own at the end: human_label_<rater>, or model_label_<rater> for other kinds. It is
also what wide is for these protocols.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import raterbook.files.formats as formats
from raterbook.files.formats import restored, written
from raterbook.files.layouts.layout import TYPED, Incoming, Layout, Outgoing, carries
from raterbook.files.layouts.long import is_long
from raterbook.files.layouts.wide import WideRows, read_wide, wide_columns
from raterbook.files.names import answer_columns, known_columns
from raterbook.files.table import LEAST, LEFT_OUT, Columns, Records, Table
from raterbook.protocols import Protocol, Question
from raterbook.protocols.kinds import plain
from raterbook.rounds.consensus import agreed
from raterbook.rounds.current import Fact
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import (
    CONSENSUS,
    PEOPLE,
    RATER_KINDS,
    FileError,
    Given,
    Problems,
    listed,
    shown,
)


@dataclass(frozen=True)
class Cell:
    """Where a cell stands in the text, its quotes included, and what it says."""

    start: int
    end: int
    value: str


def cells(text: str, separator: str) -> list[list[Cell]]:
    """Every row's cells with their places. The text has been read before, so it is sound."""
    mark = re.escape(separator)
    pattern = re.compile(
        rf'(?:"(?P<q>[^"]*(?:""[^"]*)*)"|(?P<p>[^{mark}\r\n]*))'
        rf"(?P<after>{mark}|\r\n|\r|\n|\Z)"
    )
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    position = 0
    while position < len(text) or row:
        found = pattern.match(text, position)
        assert found is not None
        inner = found["q"]
        value = found["p"] if inner is None else inner.replace('""', '"')
        row.append(Cell(found.start(), found.start("after"), restored(value)))
        position = found.end()
        if found["after"] != separator:
            rows.append(row)
            row = []
    return rows


def write_source(out: Outgoing) -> tuple[bytes, int]:
    """The file's bytes with every answer in its place.

    Where raters get columns of their own, one more header names what is left out.
    """
    round, protocol, facts = out.round, out.round.protocol, out.facts
    if round.bare:
        raise FileError(
            f"{round.name} was opened without its texts (--bare), so its items file "
            "cannot be written. Use long."
        )
    original = out.original or Decoded(_rebuilt(out), "utf-8")
    SOURCE.format(out)
    text = original.text
    separator, _ = formats.separator(text, round.name)
    rows = [row for row in cells(text, separator) if any(cell.value.strip() for cell in row)]
    header = Table(round.name, [cell.value for cell in rows[0]], [])
    placed = Columns(header, known_columns(protocol), Problems(round.name)).placed
    answers: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        answers.setdefault((fact.subject, fact.question), []).append(fact)
    every = answer_columns(protocol)
    slots = {question: column for question, column in every.items() if column in placed}
    people = {fact.question for fact in facts if fact.kind in PEOPLE}
    lacking = {  # the file came without them
        question: column
        for question, column in every.items()
        if question in people and column not in placed
    }
    more = extra_columns(protocol, facts, every)
    behind = [LEFT_OUT.format(", ".join(out.left_out))] if more and out.left_out else []
    keys = [
        protocol.key(
            {
                column: row[placed[column]].value.strip()
                for column in protocol.item.key
                if column in placed
            }
        )
        for row in rows[1:]
    ]
    if later := {fact.subject for fact in facts} - set(keys):
        raise FileError(
            f"{len(later)} items came after {round.name} ({listed(sorted(later), 5)}), and "
            "their answers have no row in it. Use long."
        )
    changes: list[tuple[int, int, str]] = []

    def append(row: Sequence[Cell], added: Sequence[str]) -> None:
        end = row[-1].end
        changes.append((end, end, "".join(separator + written(e, separator) for e in added)))

    append(rows[0], [*lacking.values(), *more, *behind])
    for key, row in zip(keys, rows[1:]):
        said = {question: answers.get((key, question), []) for question in every}
        for question, column in slots.items():
            cell = row[placed[column]]
            new = _new_value(protocol, question, said[question], cell.value)
            if new is not None:
                was_quoted = text[cell.start : cell.start + 1] == '"'
                changes.append((cell.start, cell.end, written(new, separator, was_quoted)))
        own = [
            next((fact.text for fact in said[question] if fact.rater == rater), "")
            for question, rater in more.values()
        ]
        common = [_new_value(protocol, question, said[question], "") or "" for question in lacking]
        append(row, [*common, *own, *("" for _ in behind)])
    pieces, position = [], 0
    for start, stop, new in sorted(changes, key=lambda change: change[:2]):
        pieces += [text[position:start], new]
        position = stop
    return original.encode("".join(pieces) + text[position:]), len(facts)


def _rebuilt(out: Outgoing) -> str:
    """An items file for rounds that were not opened from one."""
    items = [each for (_, of_case), each in out.fields.items() if not of_case]
    own = [
        name
        for name, field in out.round.protocol.item.fields.items()
        if field.exchange or any(each.get(name) for each in items)
    ]
    columns = list(dict.fromkeys([*own, *(name for each in items for name in each)]))
    rows = [[each.get(name, "") for name in columns] for each in items]
    return formats.write_csv(Table(out.name, columns, rows)).decode()


def extra_columns(
    protocol: Protocol, facts: Sequence[Fact], slots: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Header → (question, rater) of each column of one rater's own: none where one person rated."""
    raters = {fact.rater: fact.kind for fact in facts}
    people = [name for name, kind in raters.items() if kind in PEOPLE]
    shown = [
        name
        for name, kind in raters.items()
        if not (kind == "automatic" or (kind == "human" and len(people) == 1))
    ]
    found = {}
    for rater in shown:
        for question, column in slots.items():
            if any(fact.rater == rater and fact.question == question for fact in facts):
                head = column if raters[rater] == "human" else f"{raters[rater]}_{question}"
                found[f"{head}_{rater}"] = (question, rater)
    return found


def _new_value(protocol: Protocol, question: str, facts: Sequence[Fact], old: str) -> str | None:
    """What goes into the cell, or None where it says so already or nobody was asked."""
    asked = protocol.question(question)
    people = [fact for fact in facts if fact.kind in PEOPLE]
    if not people:
        return None
    new = consensus(asked, people)
    try:
        same = asked.check(old) == asked.check(new)
    except ValueError:
        same = old.strip() == new.strip() == ""
    return None if same else new


# Reading items files whose own columns hold answers: human_label, notes, human_label_<rater>.


class Owner(NamedTuple):
    """A column such as human_label_ana or model_label_gpt-5: whose answers it has."""

    place: int
    question: str
    rater: str
    kind: str


def owners(file: Table, protocol: Protocol) -> list[Owner]:
    """The columns of single raters, question by question."""
    columns = answer_columns(protocol)
    beginnings = [
        (beginning.lower(), question, kind)
        for question, column in columns.items()
        for beginning, kind in (
            (f"{column}_", "human"),
            *((f"{kind}_{question}_", kind) for kind in RATER_KINDS),
        )
    ]
    found: dict[str, list[Owner]] = {}
    for place, header in enumerate(file.columns):
        for beginning, question, kind in beginnings:
            name = header[len(beginning) :].strip()
            if header.lower().startswith(beginning) and name:
                found.setdefault(question, []).append(Owner(place, question, name, kind))
                break
    return [owner for each in found.values() for owner in each]


def is_source(file: Table | Records, protocol: Protocol) -> bool:
    """Whether the file has columns for answers and none for raters."""
    if not isinstance(file, Table) or is_long(file, protocol):
        return False
    headers = {plain(name) for name in file.columns}
    slots = {plain(name) for name in answer_columns(protocol).values()}
    return bool(slots & headers or owners(file, protocol)) and "rater" not in headers


def read_source(given: Incoming) -> tuple[list[Given], list[str]]:
    """The answers of such a file, and notes.

    Where people have columns of their own, the unnamed column is their consensus and is not read;
    else it holds the answers of the one rater who is named.
    """
    file, protocol = given.table, given.protocol
    own = owners(file, protocol)
    people = sorted({owner.rater for owner in own if owner.kind in PEOPLE})
    if people and given.rater is not None:
        raise FileError(
            f"{file.name} has columns of {listed(people)}. Leave --rater "
            f"{shown(given.rater)} out, or remove their columns."
        )
    slots = {plain(slot) for slot in answer_columns(protocol).values()}
    main = [place for place, name in enumerate(file.columns) if plain(name) in slots]
    filled = [place for place in main if any(row[place].strip() for row in file.rows)]
    found: list[Given] = []
    notes: list[str] = []
    if not people and filled:
        if given.rater is None:
            raise FileError(
                f"{file.name}: {listed(file.columns[place] for place in filled)} is filled, and "
                "nothing says by whom. Name the rater: --rater NAME."
            )
        found, notes = read_wide(given, [owner.place for owner in own])
    if own:
        others = [*main, *(owner.place for owner in own)]
        columns = Columns(file, wide_columns(protocol), given.problems, others)
        if "item" not in columns:
            columns.require(protocol.item.key[:1], LEAST)
        rows = WideRows(columns, protocol)
        for owner in own:
            raters = columns.raters(owner.rater)
            found += rows.answers(owner.place, owner.question, raters, owner.kind)
    return found, notes


# One answer from several people: adjudicated, else a strict majority, else none.


def consensus(question: Question, facts: Sequence[Fact]) -> str:
    """The answer that stands for all of them to one question about one thing; empty for none.

    Only the first replicate counts, and only what was answered. Adjudicators settle it by a strict
    majority of their own; where they tie, nothing was adjudicated.
    """
    said: dict[str, list[str]] = {}
    for fact in facts:
        if fact.status == "answered" and fact.replicate == 1:
            said.setdefault(fact.kind, []).append(fact.text)
    return agreed(said, CONSENSUS if question.consensus == "precedence" else CONSENSUS[:2])


SOURCE = Layout(
    "source",
    "the items file with answers in its own columns; is wide where it has them",
    (".csv", ".tsv"),
    write_source,
    carries(
        named=(
            "the name of a single person",
            "skipped",
            "not applicable",
            "reasons",
            "confidence",
            "versions of raters",
            "seconds",
            "answered_at",
            "earlier revisions",
        ),
        refused=(
            "answers about parts",
            "questions without a column",
            "several replicates",
            "answers about cases",
            "automatic raters that came later",
        ),
        no=("when each answer was given", *TYPED),
    ),
    is_source,
    read_source,
    lambda fact: fact.kind != "automatic",
)
