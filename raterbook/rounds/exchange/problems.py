"""What is wrong with a file, all of it at once, in words for the person who holds the file."""

import re
from collections.abc import Iterable, Sequence

from raterbook.rounds.model import RoundError

SHOWN = 20
_VALUE = re.compile(r"^.*?(?= (?:is|are|would|stands?|differs?|contradicts?|answers|names) )",
                    re.DOTALL)
APART = 5  # so many problems of one kind have lines of their own


class FileError(RoundError):
    """A file that was not taken. `problems` has every reason; the message has the first twenty, or
    `told`, which says them more shortly."""

    def __init__(self, problems: str | Iterable[str], told: Sequence[str] = ()):
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        told = told or self.problems
        shown = list(told[:SHOWN])
        rest = len(told) - SHOWN
        if rest > 0:
            shown.append(f"and {counted(rest, 'more row')} with problems.")
        super().__init__("\n".join(shown))


class Problems:
    """Collects what is wrong, row by row, so that one look at the file mends it all."""

    def __init__(self, source: str):
        self.source = source
        self.found: list[tuple[int, str, str]] = []  # row, kind of problem, words

    def add(self, message: str, row: int | None = None, column: str | None = None) -> None:
        """One problem; the message names the value and ends with the remedy."""
        where = self.source
        if row is not None:
            where += f", row {row}"
        if column is not None:
            where += f", column {shown(column)}" if column else ", a column without a name"
        self.found.append((row or 0, f"{column} {_kind(message)}", f"{where}: {message}"))

    def stop(self) -> None:
        """Refuse the file if anything was found; problems are told in the order of rows, and many
        of one kind in one line."""
        if not self.found:
            return
        found = sorted(self.found, key=lambda each: each[0])
        alike: dict[str, list[tuple[int, str]]] = {}
        for row, kind, words in found:
            alike.setdefault(kind, []).append((row, words))
        told = []
        for same in alike.values():
            if len(same) <= APART:
                told += same
                continue
            row, words = same[0]
            rows = listed((number for number, _ in same[1:]), APART)
            more = f"{counted(len(same) - 1, 'more row')}: {rows}" if row else "more places"
            told.append((row, f"{words} The same in {more}."))
        raise FileError([words for _, _, words in found], [words for _, words in sorted(told)])


def _kind(message: str) -> str:
    """What messages on one kind of mistake have in common: all but the values they name."""
    plain = _VALUE.sub("", message, count=1)
    plain = re.sub(r"Did you mean [^?]*\?|Its names look like .*\.", "", plain)
    return re.sub(r"'[^']*'|\d[\d.,]*", "…", plain)


def shown(value: object, most: int = 60) -> str:
    """A value as it can stand in a message: one line, no control characters, not too long."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))
    return text if len(text) <= most else text[: most - 1] + "…"


def counted(number: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "answer"), counted(1200, "more row")
    ('1 answer', '1,200 more rows')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def listed(words: Iterable[object], most: int = 40) -> str:
    """All the words, as the contract has it; a very long list says how many it leaves out.

    >>> listed([1, 2, 3])
    '1, 2, 3'
    """
    every = [shown(word) for word in words]
    if len(every) <= most:
        return ", ".join(every)
    return ", ".join(every[:most]) + f" and {len(every) - most:,} more"
