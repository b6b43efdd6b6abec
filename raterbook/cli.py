"""`raterbook …`: which words there are, and what a failure looks like.

Exit status: 0 done; 1 a target missed or undefined, or a round incomplete where that was asked;
2 bad input, with a message that names file, row, value and remedy.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from . import __version__
from .commands import judges, reports, rounds  # noqa: F401  (each brings its commands)
from .commands.command import COMMANDS
from .commands.rounds import Refused
from .rounds.model import message


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    try:
        return given.run(given) or 0
    except KeyboardInterrupt:
        print("Stopped; what was saved stays saved.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0
    except (ValueError, LookupError, OSError, Refused) as error:
        print(message(error), file=sys.stderr)
        return 2


class Word(argparse.ArgumentParser):
    """A command, whose help may end in a list made from a registry, when somebody asks for it."""

    more: Callable[[], str] | None = None

    def format_help(self) -> str:
        return super().format_help() + (f"\n{self.more()}\n" if self.more else "")


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="raterbook",
        description="Rate model outputs, know how far the raters can be trusted, publish a report.",
    )
    top.add_argument("--version", action="version", version=f"raterbook {__version__}")
    top.add_argument("--workspace", metavar="DIR", help="folder of the workspace (default: here)")
    top.add_argument("--db", metavar="URL", help="database (default: data/raterbook.sqlite in it)")
    top.add_argument("--reports", metavar="DIR", help="where pages go (default: reports/ in it)")
    words = top.add_subparsers(
        required=True, metavar="COMMAND", title="commands", parser_class=Word
    )
    for name, command in COMMANDS.items():
        word = words.add_parser(name, help=command.help, description=command.help)
        word.more = command.more
        word.set_defaults(run=command.run)
        for names, options in command.arguments:
            word.add_argument(*names, **options)
    return top
