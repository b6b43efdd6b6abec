"""Which item a row of answers is about, and which columns of a file nobody reads."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from raterbook.protocols import Protocol
from raterbook.rounds.exchange.headers import plain
from raterbook.rounds.exchange.problems import Problems, listed, shown
from raterbook.rounds.exchange.sheet import Sheet

LEAST = ("item", "rater", "question", "value")  # the columns of a long file
LEFT_OUT = "(not in this file: {})"  # a header that names what a layout leaves behind


def item_names(
    sheet: Sheet, placed: Mapping[str, int], protocol: Protocol, keys: list[str]
) -> list[str]:
    """Row by row: the column item, else the key columns joined by /, else the case."""
    if "item" in placed:
        names = [cell.strip() for cell in sheet.column(placed["item"])]
    else:
        columns = [sheet.column(placed[name]) for name in keys]
        names = [
            protocol.key({name: cell.strip() for name, cell in zip(keys, row)})
            if row[0].strip() else "" for row in zip(*columns)
        ]
    if "case" in placed and not all(names):
        cases = sheet.column(placed["case"])
        names = [name or case.strip() for name, case in zip(names, cases)]
    return names


def meant(sheet: Sheet) -> str:
    """What a column is meant to be that is spelt almost like one of a long file."""
    headers = {plain(name): name for name in sheet.columns}
    missing = [name for name in ("question", "value") if name not in headers]
    found = [(headers[near[0]], name) for name in missing
             if (near := get_close_matches(name, list(headers), 1, 0.7))]
    return "".join(f"Column {shown(header)}: did you mean {name}? " for header, name in found)


def unread(
    sheet: Sheet, placed: Iterable[str], known: Iterable[str], meant: Iterable[str],
    problems: Problems,
) -> list[str]:
    """Columns that are neither answers nor items': noted, or refused where one of ours is meant."""
    known, meant = set(known), [plain(each) for each in meant]
    left = []
    for name in placed:
        if name in known or name.startswith(LEFT_OUT.split(":")[0]):
            continue
        near = get_close_matches(plain(name), meant, 1, 0.8)
        if near:
            problems.add(f"no such column. Did you mean {near[0].replace(' ', '_')}?", 1, name)
        else:
            left.append(name)
    return [f"{sheet.name}: not read, as no question: {listed(left, 10)}."] if left else []
