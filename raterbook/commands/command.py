"""A command of `raterbook`: its name, help and arguments, said where its function stands."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

Run = Callable[[Namespace], int | None]


@dataclass(frozen=True)
class Argument:
    names: tuple[str, ...]
    options: dict[str, Any]


@dataclass(frozen=True)
class Command:
    name: str
    help: str
    run: Run
    arguments: tuple[Argument, ...]

    def add_to(self, words: Any) -> ArgumentParser:
        """One more word of the command line."""
        parser: ArgumentParser = words.add_parser(self.name, help=self.help, description=self.help)
        parser.set_defaults(run=self.run)
        for argument in self.arguments:
            parser.add_argument(*argument.names, **argument.options)
        return parser


class Registry:
    """What a room can be extended by, by name; looked up only when somebody asks what there is."""

    def __init__(self, room: str, name: str):
        self.room, self.name = room, name

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.entries())

    def entries(self) -> Iterator[tuple[str, str]]:
        """Every name, with the help or the first line of the documentation it has."""
        found: Iterable[Any] = getattr(import_module(f"raterbook.{self.room}"), self.name)
        for each in found:
            value = found[each] if isinstance(found, dict) else each
            name = each if isinstance(each, str) else each.name
            words = getattr(value, "help", None) or (getattr(value, "__doc__", None) or "")
            plain = isinstance(value, str | tuple | list | dict)
            yield name, "" if plain else words.strip().partition("\n")[0]


COMMANDS: dict[str, Command] = {}


def command(help: str, *arguments: Argument, name: str = "") -> Callable[[Run], Run]:
    """Makes a function a command, by its own name unless another is given."""

    def registered(run: Run) -> Run:
        made = Command(name or run.__name__, help, run, arguments)
        COMMANDS[made.name] = made
        return run

    return registered


def arg(*names: str, **options: Any) -> Argument:
    return Argument(names, options)


ROUND = arg("round", metavar="ROUND", help="name of the round")
FILE = arg("file", metavar="FILE", help="a file; - is standard input or output")
WHY = arg("--why", metavar="TEXT")
RATER = arg("rater", metavar="RATER")
PARAM = arg("--param", action="append", default=[], metavar="NAME=VALUE")
