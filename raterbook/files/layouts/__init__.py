"""How answers lie in a file: one row each, a row per item, as the items came, as tools have them.

A new layout is a module with a Layout, and its line here.
"""

from __future__ import annotations

from raterbook.files.formats import FORMATS
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
    width = max(map(len, LAYOUTS))
    lines = ["layouts:"]
    lines += [
        f"  {name:<{width}}  {each.title} ({', '.join(each.endings)})"
        for name, each in LAYOUTS.items()
    ]
    lines += ["", "formats, by the ending of the file:"]
    for name, kind in FORMATS.items():
        others = [each for each in (*kind.also, *kind.reads) if each]
        lines.append(
            f"  {name:<{width}}  {kind.title}" + (f", also {', '.join(others)}" if others else "")
        )
    carrying = [each for each in LAYOUTS.values() if each.carries]
    head = ["what they carry", *(each.name for each in carrying)]
    rows = [[each.name, *(layout.carries[each.name] for layout in carrying)] for each in FEATURES]
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    lines.append("")
    for row in (head, *rows):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return "\n".join(lines)
