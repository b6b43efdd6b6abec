"""How answers lie in a file: one row each, a row per item, as the items came, as tools have them.

A new layout is a module with a Layout, and its line here.
"""

from __future__ import annotations

import raterbook.files.formats as formats
from raterbook.files.layouts.layout import FEATURES, Layout
from raterbook.files.layouts.long import LONG, MARKS, PARQUET
from raterbook.files.layouts.source import SOURCE
from raterbook.files.layouts.tools import ARGILLA, LABEL_STUDIO
from raterbook.files.layouts.wide import WIDE
from raterbook.files.table import Records, Table
from raterbook.protocols import Protocol

LAYOUTS: dict[str, Layout] = {
    each.name: each for each in (LONG, WIDE, SOURCE, PARQUET, LABEL_STUDIO, ARGILLA, MARKS)
}


def found_in(file: Table | Records, protocol: Protocol) -> Layout:
    """The layout of a file that comes in: the last listed are asked first."""
    return next(each for each in reversed(LAYOUTS.values()) if each.is_in(file, protocol))


def described() -> str:
    """Every layout and format, and what each layout can carry: for `raterbook export --help`."""
    return "\n".join(
        [
            *("layouts:", *(f"  {line}" for line in listing()), ""),
            *("formats, by the ending of the file:", *(f"  {line}" for line in formats.listing())),
            *(
                "",
                "what a file carries; what is named is said in its header or by the command:",
                *(f"  {line}" for line in carried()),
            ),
        ]
    )


def listing() -> list[str]:
    """A line for each layout: its name, what it is, and the endings of its files."""
    return [f"{n:<13} {each.title} ({', '.join(each.endings)})" for n, each in LAYOUTS.items()]


def carried() -> list[str]:
    """A table of what answers can have, and which layout carries it, names or refuses it."""
    of_answers = [each for each in LAYOUTS.values() if each.carries]
    head = ["", *(each.name for each in of_answers)]
    rows = [[each.name, *(layout.carries[each.name] for layout in of_answers)] for each in FEATURES]
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in (head, *rows)
    ]
