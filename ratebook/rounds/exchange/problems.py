"""What is wrong with a file, all of it at once, in words for the person who holds the file."""

from collections.abc import Iterable

from ratebook.rounds.model import RoundError

SHOWN = 20


class FileError(RoundError):
    """A file that was not taken; `problems` has every reason, the message the first twenty."""

    def __init__(self, problems: str | Iterable[str]):
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        shown = self.problems[:SHOWN]
        rest = len(self.problems) - SHOWN
        if rest > 0:
            shown.append(f"and {counted(rest, 'more row')} with problems.")
        super().__init__("\n".join(shown))


class Problems:
    """Collects what is wrong, row by row, so that one look at the file mends it all."""

    def __init__(self, source: str):
        self.source = source
        self.found: list[tuple[int, str]] = []

    def add(self, message: str, row: int | None = None, column: str | None = None) -> None:
        """One problem; the message names the value and ends with the remedy."""
        where = self.source
        if row is not None:
            where += f", row {row}"
        if column is not None:
            where += f", column {shown(column)}" if column else ", a column without a name"
        self.found.append((row or 0, f"{where}: {message}"))

    def stop(self) -> None:
        """Refuse the file if anything was found; problems are told in the order of rows."""
        if self.found:
            raise FileError([words for _, words in sorted(self.found, key=lambda each: each[0])])


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
