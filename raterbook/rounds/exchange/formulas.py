"""Cells a spreadsheet would run: made safe on the way out, exactly themselves on the way in."""

import re

# A plain number such as -1 is a number, not a formula.
_RISKY = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_PREFIXED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\Z")


def safe(cell: str) -> str:
    """The cell with an apostrophe before it where a spreadsheet would take it for a formula.

    Cells that already look prefixed get one more, so that `restored` is exact.

    >>> safe("=1+1"), safe("-1"), safe("'=x"), safe("plain")
    ("'=1+1", '-1', "''=x", 'plain')
    """
    if cell and cell[0] in "'=+-@\t\r\n＝＋－＠" and _RISKY.match(cell) and not _NUMBER.match(cell):
        return "'" + cell
    return cell


def restored(cell: str) -> str:
    """The cell as it was before `safe`.

    >>> restored("'=1+1"), restored("''=x"), restored("'tis")
    ('=1+1', "'=x", "'tis")
    """
    return cell[1:] if cell[:1] == "'" and _PREFIXED.match(cell) else cell
