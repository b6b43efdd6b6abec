"""Knowledge graph triples as people write them: one a line, numbered or not, with any arrow."""

import re
from dataclasses import dataclass
from typing import NamedTuple

_NUMBERING = re.compile(r"^\s*(?:\d+\s*[.):]\s+|[-*•]\s+)?")
_ARROWS = (  # the first that splits a line in three is meant
    re.compile(r"\s*(?:→|⟶|⇒|➝|➔)\s*"),
    re.compile(r"\s*(?:-{1,2}>|=>)\s*"),
    re.compile(r"\s*\|\s*"),
    re.compile(r"\t+"),
)
_SHUT = {"(": ")", "<": ">", "[": "]"}


class Triple(NamedTuple):
    """A subject, a predicate, an object."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True)
class BadLine:
    """A line that is no triple: its number, counted from 1, what it says and what is wrong."""

    line: int
    text: str
    reason: str


def read_triples(text: str) -> tuple[list[Triple], list[BadLine]]:
    """The triples of a field, and the lines that are none. Blank lines do not count.

    >>> read_triples("1. esfa → funds → colleges\\n2. esfa -> sets")[0]
    [Triple(subject='esfa', predicate='funds', object='colleges')]
    """
    triples, bad = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        plain = _NUMBERING.sub("", line, count=1).strip()
        if not plain:
            continue
        parts = _split(plain)
        if len(parts) != 3:
            bad.append(BadLine(number, line.strip(), f"{len(parts)} parts instead of 3"))
        elif not all(parts):
            missing = Triple._fields[parts.index("")]
            bad.append(BadLine(number, line.strip(), f"the {missing} is empty"))
        else:
            triples.append(Triple(*parts))
    return triples, bad


def _split(line: str) -> list[str]:
    if line[0] in _SHUT and line[-1] == _SHUT[line[0]]:
        line = line[1:-1]
    splits = [[part.strip() for part in arrow.split(line)] for arrow in _ARROWS]
    for parts in splits:
        if len(parts) == 3:
            return parts
    return next((parts for parts in splits if len(parts) > 1), [line])
