"""What each word of the command line does: its name, help and arguments stand at its function."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any, NamedTuple, TextIO, cast

Run = Callable[[Namespace], int | None]
Argument = tuple[tuple[str, ...], dict[str, Any]]  # its names, and what argparse is told of it


class Command(NamedTuple):
    help: str
    run: Run
    arguments: tuple[Argument, ...]
    more: Callable[[], str] | None = None  # what its help ends in


class Registry:
    """What a room can be extended by, by name; looked up only when somebody asks what there is.

    `words` is the attribute of an entry that says in a line what it is.
    """

    def __init__(self, room: str, name: str, words: str = ""):
        self.room, self.name, self.words = room, name, words

    def __iter__(self) -> Iterator[str]:
        return iter(getattr(import_module(f"raterbook.{self.room}"), self.name))

    def entries(self) -> Iterator[tuple[str, str]]:
        """Every name, with its line."""
        found = getattr(import_module(f"raterbook.{self.room}"), self.name)
        for name in found:
            words = getattr(found[name], self.words) if self.words else ""
            yield name, words.partition("\n")[0]


COMMANDS: dict[str, Command] = {}


def command(
    help: str, *arguments: Argument, name: str = "", more: Callable[[], str] | None = None
) -> Callable[[Run], Run]:
    """Makes a function a command, by its own name unless another is given."""

    def registered(run: Run) -> Run:
        COMMANDS[name or run.__name__] = Command(help, run, arguments, more)
        return run

    return registered


def arg(*names: str, **options: Any) -> Argument:
    return names, options


ROUND = arg("round", metavar="ROUND", help="name of the round")
FILE = arg("file", metavar="FILE", help="a file; - is standard input or output")
WHY = arg("--why", metavar="TEXT", help="the reason, for the log")
RATER = arg("rater", metavar="RATER")
PARAM = arg("--param", action="append", default=[], metavar="NAME=VALUE")


# Texts of strangers and models reach a terminal here, and nowhere else.


class Terminal:
    """A stream on which nobody's text moves the cursor; the bytes of files go by `buffer`."""

    def __init__(self, stream: TextIO, bars: bool = False):
        self._stream, self._bars = stream, bars

    def write(self, text: str) -> int:
        # A progress bar goes back to where its line begins, and stands there anew.
        back = "\r" if self._bars and text.startswith("\r") else ""
        rest = text[len(back) :]
        if not rest.replace("\n", "").replace("\t", "").isprintable():
            from ..protocols.problems import printable

            rest = printable(rest)
        self._stream.write(back + rest)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def terminal() -> Iterator[None]:
    """While a command runs, all that is printed is printable."""
    out, err = Terminal(sys.stdout), Terminal(sys.stderr, bars=True)
    with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, err)):
        yield
