"""Which item or case a file means by a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from raterbook.files.sheet import Sheet
from raterbook.protocols import Protocol
from raterbook.protocols.kinds import plain
from raterbook.rounds.model import PEOPLE, Given, Problems, counted, listed, shown
from raterbook.rounds.raters import folded, is_slip


class Subjects:
    """Items by key, cases by name, and items by their case where it has only one."""

    def __init__(self, pairs: Iterable[tuple[str, str]]):
        """`pairs` has each item's key and case."""
        self.cases: dict[str, list[str]] = {}
        self.items: dict[str, str] = {}
        for key, case in pairs:
            self.items[key] = case
            self.cases.setdefault(case, []).append(key)

    def item(self, name: str) -> str:
        """The key of the item, or a ValueError that says what the name could have been."""
        if name in self.items:
            return name
        keys = self.cases.get(name)
        if keys is None:
            raise ValueError(
                f"{shown(name)} is no item of the round. {self._near(name, self.items)}"
            )
        if len(keys) > 1:
            raise ValueError(
                f"{shown(name)} names {len(keys)} items. "
                f"Write which one: {', '.join(map(shown, keys[:4]))}"
                f"{', …' if len(keys) > 4 else ''}."
            )
        return keys[0]

    def case(self, name: str) -> str:
        """The case of that name, or of the item of that name."""
        if name in self.cases:
            return name
        if name in self.items:
            return self.items[name]
        raise ValueError(f"{shown(name)} is no case of the round. {self._near(name, self.cases)}")

    @staticmethod
    def _near(name: str, known: Iterable[str]) -> str:
        from difflib import get_close_matches

        every = list(known)
        near = get_close_matches(name, every[:5_000], n=1, cutoff=0.8)
        if near:
            return f"Did you mean {shown(near[0])}?"
        return f"Its names look like {shown(every[0])}." if every else "It has none."


# Which item a row of answers is about, and which columns of a file nobody reads.


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
            if row[0].strip()
            else ""
            for row in zip(*columns)
        ]
    if "case" in placed and not all(names):
        cases = sheet.column(placed["case"])
        names = [name or case.strip() for name, case in zip(names, cases)]
    return names


def meant(sheet: Sheet) -> str:
    """What a column is meant to be that is spelt almost like one of a long file."""
    headers = {plain(name): name for name in sheet.columns}
    missing = [name for name in ("question", "value") if name not in headers]
    found = [
        (headers[near[0]], name)
        for name in missing
        if (near := get_close_matches(name, list(headers), 1, 0.7))
    ]
    return "".join(f"Column {shown(header)}: did you mean {name}? " for header, name in found)


def unread(
    sheet: Sheet,
    placed: Iterable[str],
    known: Iterable[str],
    meant: Iterable[str],
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


# Raters a file names for the first time: added, unless one looks like a slip of the pen.
#
# An answer under a wrong name cannot be moved afterwards, and one person who counts as two spoils
# every agreement. So a name that differs from a known one in case, spaces or one letter is refused
# until somebody says that they are two.


NAMED = 10  # so many names are written out


def refuse_lookalikes(
    given: Sequence[Given], mine: Iterable[str], others: Iterable[str], problems: Problems
) -> None:
    """New names that look like a rater of this round, of another round, or of this very file."""
    mine = list(mine)
    known = {folded(name): name for name in (*others, *mine)}
    told = set(mine) | set(known.values())
    for each in given:
        name = each.rater
        if name in told:
            continue
        told.add(name)
        twin = known.get(folded(name))
        if twin is None and each.kind in (None, *PEOPLE):
            twin = next((old for old in mine if is_slip(name, old)), None)
        if twin is not None:
            problems.add(
                f"{shown(name)} would be a new rater, and there is {shown(twin)}. Write "
                f"{shown(twin)} if they are one, or add --new-raters if they are two.",
                each.row,
            )
        known.setdefault(folded(name), name)


def welcomed(given: Sequence[Given], mine: Iterable[str], others: Iterable[str]) -> str:
    """A line on those who are new, with how much they said, and whom they are like."""
    mine = list(mine)
    known = {folded(name): name for name in (*others, *mine)}
    counts = Counter(each.rater for each in given)
    new = [name for name in counts if name not in mine]
    said = []
    for name in new[:NAMED]:
        also = [
            twin
            for twin in dict.fromkeys((known.get(folded(name)), *mine))
            if twin and twin != name and (folded(twin) == folded(name) or is_slip(name, twin))
        ]
        like = f", not to be taken for {shown(also[0])}" if also else ""
        said.append(f"{shown(name)} ({counted(counts[name], 'answer')}{like})")
    if rest := new[NAMED:]:
        answers = counted(sum(counts[name] for name in rest), "answer")
        said.append(f"and {len(rest):,} more ({answers})")
    return f"new rater{'s' if len(new) > 1 else ''}: {', '.join(said)}" if new else ""


def one_person(round: str, names: Iterable[str], others: Iterable[str]) -> list[str]:
    """A line where people who come into a round are known from other rounds."""
    known = set(others)
    twice = sorted(name for name in names if name in known)
    if not twice:
        return []
    are = "is" if len(twice) == 1 else "are"
    return [
        f"{listed(twice, NAMED)} {are} known from other rounds here, and one name is one "
        "person over all rounds. If these are other people, give them names of their own, "
        f"such as {round}-{shown(twice[0])}, or a workspace of their own."
    ]
