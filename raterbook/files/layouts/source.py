"""The source layout: the items file as it came, with answers filled into its own columns.

For protocols whose items file has columns for answers (fields with `exchange`, as halo-support's
human_label and notes). Nothing else in the file changes, to the byte. With one person the column
has that person's answers; with several it has their consensus, and each one's answers stand in a
column of their own at the end: human_label_<rater>.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raterbook.files.formats import quoted, restored, safe
from raterbook.files.items import known_columns
from raterbook.files.layouts.wide import read_wide
from raterbook.files.sheet import Sheet, name_columns
from raterbook.files.subjects import LEFT_OUT
from raterbook.protocols import Protocol, Question
from raterbook.protocols.kinds import plain
from raterbook.rounds.consensus import agreed
from raterbook.rounds.current import Fact
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import RATER_KINDS, FileError, Given, Problems, listed, shown
from raterbook.rounds.raters import PEOPLE


@dataclass(frozen=True)
class Cell:
    """Where a cell stands in the text, its quotes included, and what it says."""

    start: int
    end: int
    value: str


def table(text: str, separator: str) -> list[list[Cell]]:
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


def filled(
    original: Decoded,
    name: str,
    separator: str,
    protocol: Protocol,
    facts: Sequence[Fact],
    left_out: Sequence[str] = (),
) -> bytes:
    """The file's bytes with every answer in its place.

    Where raters get columns of their own, one more header names what is left out.
    """
    text = original.text
    rows = [row for row in table(text, separator) if any(cell.value.strip() for cell in row)]
    placed = name_columns([cell.value for cell in rows[0]], known_columns(protocol), Problems(name))
    every = answer_columns(protocol)
    slots = {question: column for question, column in every.items() if column in placed}
    told = {fact.question for fact in facts if fact.kind in PEOPLE}
    lacking = {
        question: column
        for question, column in every.items()
        if question in told and column not in placed
    }  # the file came without them
    more = extra_columns(protocol, facts, every)
    answers: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        answers.setdefault((fact.subject, fact.question), []).append(fact)
    end = rows[0][-1].end
    behind = [LEFT_OUT.format(", ".join(left_out))] if more and left_out else []
    heads = [*lacking.values(), *more, *behind]
    changes = [(end, end, "".join(separator + _written(head, separator) for head in heads))]
    keys = [
        protocol.key(
            {
                column: row[placed[column]].value.strip()
                for column in protocol.item.key
                if column in placed
            }
        )
        for row in rows
    ]
    if later := {fact.subject for fact in facts} - set(keys[1:]):
        raise FileError(
            f"{len(later)} items came after {name} ({listed(sorted(later), 5)}), and "
            "their answers have no row in it. Use long."
        )
    for key, row in zip(keys[1:], rows[1:]):
        for question, column in slots.items():
            cell = row[placed[column]]
            new = _new_value(protocol, question, answers.get((key, question), []), cell.value)
            if new is not None:
                was_quoted = text[cell.start : cell.start + 1] == '"'
                changes.append((cell.start, cell.end, _written(new, separator, was_quoted)))
        added = [
            _new_value(protocol, question, answers.get((key, question), []), "") or ""
            for question in lacking
        ]
        added += [
            next(
                (fact.text for fact in answers.get((key, question), []) if fact.rater == rater), ""
            )
            for question, rater in more.values()
        ]
        added += [""] * (len(heads) - len(added))
        end = row[-1].end
        changes.append((end, end, "".join(separator + _written(each, separator) for each in added)))
    pieces, position = [], 0
    for start, stop, new in sorted(changes, key=lambda change: change[:2]):
        pieces += [text[position:start], new]
        position = stop
    return original.encode("".join(pieces) + text[position:])


def answer_columns(protocol: Protocol) -> dict[str, str]:
    """Question → the column of the items file that takes its answers."""
    return {field.exchange: name for name, field in protocol.item.fields.items() if field.exchange}


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


def _written(value: str, separator: str, was_quoted: bool = False) -> str:
    cell = safe(value)
    needs = was_quoted or re.search(rf'["\r\n{re.escape(separator)}]|^\s|\s$', cell)
    return quoted(cell) if needs and (cell or was_quoted) else cell


# Reading items files whose own columns hold answers: human_label, notes, human_label_<rater>.


def has_slots(sheet: Sheet, protocol: Protocol) -> bool:
    """Whether the file has columns for answers and none for raters."""
    slots = set(answer_columns(protocol).values())
    headers = {plain(name) for name in sheet.columns}
    per_rater = any(_owner(name, protocol) for name in sheet.columns)
    return bool({plain(name) for name in slots} & headers or per_rater) and "rater" not in headers


def read_slots(
    sheet: Sheet, protocol: Protocol, problems: Problems, rater: str | None, kind: str | None
) -> tuple[list[Given], list[str]]:
    """The answers of such a file, and notes.

    Where people have columns of their own, the unnamed column is their consensus and is not read;
    else it holds the answers of the one rater who is named.
    """
    owners = {
        place: owner
        for place, name in enumerate(sheet.columns)
        if (owner := _owner(name, protocol))
    }
    people = sorted({name for _, name, who in owners.values() if who in PEOPLE})
    if people and rater is not None:
        raise FileError(
            f"{sheet.name} has columns of {listed(people)}. Leave --rater "
            f"{shown(rater)} out, or remove their columns."
        )
    slots = answer_columns(protocol)
    main = [
        place
        for place, name in enumerate(sheet.columns)
        if plain(name) in {plain(slot) for slot in slots.values()}
    ]
    filled = [place for place in main if any(row[place].strip() for row in sheet.rows)]
    found: list[Given] = []
    notes: list[str] = []
    if not people and filled:
        if rater is None:
            raise FileError(
                f"{sheet.name}: {listed(sheet.columns[place] for place in filled)} is filled, and "
                "nothing says by whom. Name the rater: --rater NAME."
            )
        rest = _without(sheet, set(owners))
        found, notes = read_wide(rest, protocol, problems, rater, kind)
    for question in dict.fromkeys(question for question, _, _ in owners.values()):
        for place, (about, name, who) in owners.items():
            if about == question:
                column = _renamed(sheet, place, question, set(owners) | set(main))
                more, _ = read_wide(column, protocol, problems, name, who)
                for each in more:
                    each.column = sheet.columns[place]
                found += more
    return found, notes


def _owner(header: str, protocol: Protocol) -> tuple[str, str, str] | None:
    """Question, rater and kind of a column such as human_label_ana or model_label_gpt-5."""
    for question, column in answer_columns(protocol).items():
        beginnings = [(f"{column}_", "human")]
        beginnings += [(f"{kind}_{question}_", kind) for kind in RATER_KINDS]
        for beginning, kind in beginnings:
            name = header[len(beginning) :].strip()
            if header.lower().startswith(beginning.lower()) and name:
                return question, name, kind
    return None


def _without(sheet: Sheet, places: set[int]) -> Sheet:
    kept = [place for place in range(len(sheet.columns)) if place not in places]
    return Sheet(
        sheet.name,
        [sheet.columns[place] for place in kept],
        [[row[place] for place in kept] for row in sheet.rows],
        sheet.numbers,
    )


def _renamed(sheet: Sheet, place: int, question: str, others: set[int]) -> Sheet:
    """The file with this one column of answers, under the question's name."""
    kept = [each for each in range(len(sheet.columns)) if each == place or each not in others]
    columns = [question if each == place else sheet.columns[each] for each in kept]
    return Sheet(
        sheet.name, columns, [[row[each] for each in kept] for row in sheet.rows], sheet.numbers
    )


# One answer from several people: adjudicated, else a strict majority, else none.


PRECEDENCE = ("adjudicator", "human", "model")


def consensus(question: Question, facts: Sequence[Fact]) -> str:
    """The answer that stands for all of them to one question about one thing; empty for none.

    Only the first replicate counts, and only what was answered. Adjudicators settle it by a strict
    majority of their own; where they tie, nothing was adjudicated.
    """
    said: dict[str, list[str]] = {}
    for fact in facts:
        if fact.status == "answered" and fact.replicate == 1:
            said.setdefault(fact.kind, []).append(fact.text)
    return agreed(said, PRECEDENCE if question.consensus == "precedence" else PRECEDENCE[:2])
