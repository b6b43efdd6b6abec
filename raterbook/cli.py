"""`raterbook …`: which words there are, and what a failure looks like.

Exit status: 0 done; 1 a target missed or undefined, or a round incomplete where that was asked;
2 bad input, with a message that names file, row, value and remedy.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from . import __version__
from .commands import (  # noqa: F401  (each brings its commands)
    COMMANDS,
    Command,
    judges,
    protocols,
    reports,
    rounds,
    team,
    terminal,
    workspaces,
)
from .commands.rounds import Refused


def main(words: Sequence[str] | None = None) -> int:
    with terminal():
        return run(words)


def run(words: Sequence[str] | None) -> int:
    known = parser()
    if not (sys.argv[1:] if words is None else words):
        known.print_help(sys.stderr)
        return 2
    given, rest = known.parse_known_args(words)
    if rest:
        said = f"unrecognized arguments: {' '.join(rest)}"
        if "options" in given:  # of another program
            said += f": what is JupyterLab's own stands behind --, lab -- {' '.join(rest)}"
        known.error(said)
    try:
        return given.run(given) or 0
    except KeyboardInterrupt:
        print("Stopped; what was saved stays saved.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0
    except (ValueError, LookupError, OSError, Refused) as error:
        from .rounds.model import message  # no room is loaded before one is needed

        print(message(error), file=sys.stderr)
        return 2


def formatter(prog: str) -> argparse.HelpFormatter:
    """Help as wide as the terminal; argparse loads shutil to ask, a twentieth of --help."""
    try:
        width = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        try:
            width = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
        except (AttributeError, ValueError, OSError):
            width = 0
    return argparse.HelpFormatter(prog, width=(width if width > 0 else 80) - 2)


class Word(argparse.ArgumentParser):
    """A command, made when it is used: two dozen would take longer than all else in --help.

    Its help may end in a list made from a registry.
    """

    command: Command

    def __init__(self, **how: Any):
        self.__dict__["how"] = how

    def __getattr__(self, name: str) -> Any:
        if "how" not in self.__dict__:
            raise AttributeError(name)
        super().__init__(**self.__dict__.pop("how"), formatter_class=formatter)
        self.set_defaults(run=self.command.run)
        for names, options in self.command.arguments:
            self.add_argument(*names, **options)
        return getattr(self, name)

    def _check_help(self, action: argparse.Action) -> None:
        """Python 3.14 would make each command here, to see whether its line of help is sound."""

    def format_help(self) -> str:
        more = self.command.more
        return super().format_help() + (f"\n{more()}\n" if more else "")


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="raterbook",
        description="Rate model outputs, know how far the raters can be trusted, publish a report.",
        epilog="Begin with `raterbook demo`, the sample rounds and their pages, or with `raterbook "
        "new .`, a workspace of your own. What a command takes: `raterbook COMMAND --help`.",
        formatter_class=formatter,
    )
    top.add_argument("--version", action="version", version=f"raterbook {__version__}")
    top.add_argument("--workspace", metavar="DIR", help="folder of the workspace (default: here)")
    top.add_argument("--db", metavar="URL", help="database (default: data/raterbook.sqlite in it)")
    top.add_argument("--reports", metavar="DIR", help="where pages go (default: reports/ in it)")
    words = top.add_subparsers(
        required=True, metavar="COMMAND", title="commands", parser_class=Word
    )
    for name, command in COMMANDS.items():
        words.add_parser(name, help=command.help, description=command.help).command = command
    return top
