"""Raters a file names for the first time: added, unless one looks like a slip of the pen.

An answer under a wrong name cannot be moved afterwards, and one person who counts as two spoils
every agreement. So a name that differs from a known one in case, spaces or one letter is refused
until somebody says that they are two.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from raterbook.rounds.exchange.given import Given
from raterbook.rounds.exchange.problems import Problems, counted, listed, shown
from raterbook.rounds.model import RoundError
from raterbook.rounds.people import PEOPLE

ACCENTS = frozenset(map(chr, range(0x300, 0x370)))
NAMED = 10  # so many names are written out
SHORTEST = 4  # names of fewer letters often differ in one


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
                f"{shown(twin)} if they are one, or add --new-raters if they are two.", each.row,
            )
        known.setdefault(folded(name), name)


def refuse_one_spelt_twice(names: Iterable[str], others: Iterable[str]) -> None:
    """Where a round is opened: “ana” beside “Ana” of this list, or of another round."""
    known = {folded(name): name for name in others}
    for name in names:
        twin = known.setdefault(folded(name), name)
        if twin != name and name not in known.values():
            raise RoundError(
                f"{shown(name)} and {shown(twin)} are spelt like one rater. Write {shown(twin)} if "
                "they are one; if they are two, give one of them another name."
            )


def welcomed(given: Sequence[Given], mine: Iterable[str], others: Iterable[str]) -> str:
    """A line on those who are new, with how much they said, and whom they are like."""
    mine = list(mine)
    known = {folded(name): name for name in (*others, *mine)}
    counts = Counter(each.rater for each in given)
    new = [name for name in counts if name not in mine]
    said = []
    for name in new[:NAMED]:
        also = [twin for twin in dict.fromkeys((known.get(folded(name)), *mine))
                if twin and twin != name and (folded(twin) == folded(name) or is_slip(name, twin))]
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
    return [f"{listed(twice, NAMED)} {are} known from other rounds here, and one name is one "
            "person over all rounds. If these are other people, give them names of their own, "
            f"such as {round}-{shown(twice[0])}, or a workspace of their own."]


def folded(name: str) -> str:
    """A name without case, Latin accents, width, spaces and dashes.

    >>> folded("Ana-Maria Ruíz") == folded("ana maria ruiz")
    True
    """
    apart = unicodedata.normalize("NFKD", name).casefold()
    # Signs that combine are letters of their own in other scripts.
    kept = (c for c in apart if c.isalnum() or (unicodedata.combining(c) and c not in ACCENTS)
            or unicodedata.category(c) == "Mc")
    return "".join(kept) or name


def is_slip(one: str, other: str) -> bool:
    """Whether a letter was left out, doubled or swapped; numbered names are different names.

    >>> is_slip("carla", "calra"), is_slip("carl", "carla"), is_slip("rater1", "rater2")
    (True, True, False)
    >>> is_slip("rater-a", "rater-b"), is_slip("ben", "bern")
    (False, False)
    """
    a, b = sorted((folded(one), folded(other)), key=len)
    if len(a) < SHORTEST or a == b or len(b) - len(a) > 1:
        return False
    if [c for c in a if not c.isalpha()] != [c for c in b if not c.isalpha()]:
        return False
    first = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), len(a))
    if len(a) < len(b):
        return a[first:] == b[first + 1 :]
    swapped = a[first + 1 : first + 2] + a[first]
    return b[first:] == swapped + a[first + 2 :] or (
        first < len(a) - 1 and a[first + 1 :] == b[first + 1 :]  # the last letter tells a from b
    )
