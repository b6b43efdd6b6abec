"""An answer as a file gives it, before it is held against the round; and its small cells."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeVar

from raterbook.files.sheet import Sheet
from raterbook.protocols import Protocol, kinds
from raterbook.protocols.kinds import plain
from raterbook.rounds.model import RATER_KINDS, STATUSES, Problems, listed, microseconds, shown

T = TypeVar("T")


def parsed(
    sheet: Sheet,
    placed: dict[str, int],
    name: str,
    parse: Callable[[str], T],
    empty: T,
    problems: Problems,
) -> list[T]:
    """One column through `parse`, each distinct cell once; what it refuses is a problem."""
    position = placed.get(name)
    if position is None:
        return [empty] * len(sheet.rows)
    known: dict[str, T] = {"": empty}
    found = []
    for number, row in zip(sheet.numbers, sheet.rows):
        cell = row[position]
        if cell not in known:
            try:
                known[cell] = parse(cell.strip()) if cell.strip() else empty
            except ValueError as error:
                problems.add(str(error), number, name)
                found.append(empty)
                continue
        found.append(known[cell])
    return found


def part(cell: str) -> int:
    """Empty and 0 are the whole."""
    if not re.fullmatch(r"\d{1,6}", cell, re.ASCII):
        raise ValueError(
            f"{shown(cell)} is no part. Leave it empty for the whole, or use 1, 2, 3, …"
        )
    return int(cell)


def replicate(cell: str) -> int:
    if not re.fullmatch(r"\d{1,6}", cell, re.ASCII) or int(cell) < 1:
        raise ValueError(f"{shown(cell)} is no replicate. Use 1, 2, 3, …")
    return int(cell)


def confidence(cell: str) -> float:
    """0–100, with or without %."""
    try:
        return kinds.confidence(cell)
    except ValueError as error:
        remedy = pointed(cell, "", kinds.confidence)
        raise ValueError(
            f"{shown(cell)} is no confidence. {remedy}" if remedy else shown(error, 200)
        ) from None


def seconds(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1e9 or "_" in cell:
        raise ValueError(
            f"{shown(cell)} is no number of seconds. "
            + pointed(cell, "Use a number from 0.", seconds)
        )
    return value


def pointed(cell: str, usual: str, check: Callable[[str], object]) -> str:
    """The remedy for a decimal comma, where a point makes the cell right; else the usual one.

    >>> pointed("85,5", "Use a number.", confidence), pointed("four", "Use a number.", confidence)
    ('Decimals have a point: write 85.5.', 'Use a number.')
    """
    # Three digits after a comma can be thousands.
    comma = re.fullmatch(r"\s*(-?\d+),((?:\d{1,2}|\d{4,})\s*%?)\s*", cell, re.ASCII)
    if comma is None:
        return usual
    meant = f"{comma[1]}.{comma[2]}"
    try:
        check(meant)
    except ValueError:
        return usual
    return f"Decimals have a point: write {meant}."


def time(cell: str) -> str:
    microseconds(cell)
    return cell


def status(cell: str) -> str:
    word = plain(cell).replace(" ", "_")
    if word not in STATUSES:
        raise ValueError(f"{shown(cell)} is no status. Use one of {listed(STATUSES)}.")
    return word


def kind(cell: str) -> str:
    word = plain(cell)
    if word not in RATER_KINDS:
        raise ValueError(f"{shown(cell)} is no kind of rater. Use one of {listed(RATER_KINDS)}.")
    return word


def text(cell: str) -> str:
    return cell


def question_names(protocol: Protocol) -> dict[str, str]:
    """Every spelling of a question, by `plain`: ids first, then aliases, then labels."""
    names: dict[str, str] = {}
    for question in protocol.questions:
        names.setdefault(plain(question.id), question.id)
    for question in protocol.questions:
        for alias in question.aliases:
            names.setdefault(plain(alias), question.id)
    for question in protocol.questions:
        names.setdefault(plain(question.label), question.id)
    for name, field in protocol.item.fields.items():
        if field.exchange:
            names.setdefault(plain(name), field.exchange)
    return names


def rater_headers(protocol: Protocol) -> tuple[str, ...]:
    """What a column of raters may be called."""
    return (
        *protocol.item.rater,
        "rater_id",
        "annotator",
        "annotator_id",
        "evaluator",
        "evaluator_id",
        "judge",
    )


def comment_of(protocol: Protocol, question: str) -> str | None:
    """The question that takes a comment on this one, if there is one."""
    return next((each.id for each in protocol.questions if each.comment_of == question), None)


def one_rater(
    sheet: Sheet, placed: dict[str, int], rater: str | None, problems: Problems
) -> list[str]:
    """Who answered, row by row: the file's column, or the one name that was given."""
    if "rater" not in placed:
        if rater is None:
            problems.add(
                "no column says who answered. Add a column rater, or name the rater "
                "(--rater NAME).",
                1,
            )
        return [rater or ""] * len(sheet.rows)
    names = [cell.strip() for cell in sheet.column(placed["rater"])]
    others = {name for name in names if name and name != rater}
    if rater is not None and others:
        problems.add(
            f"it names its raters itself ({listed(sorted(others), 5)}). "
            f"Leave --rater {shown(rater)} out.",
            None,
            "rater",
        )
    for number, name in zip(sheet.numbers, names):
        if not name and rater is None:
            problems.add("empty. Write who answered.", number, "rater")
        elif name and (len(name) > 128 or not name.isprintable()):
            problems.add(
                f"{shown(name)} is no name of a rater. Use 1 to 128 printable characters.",
                number,
                "rater",
            )
    return [name or rater or "" for name in names]
