"""What is asked, and what a file could be asked about: protocols, and the doctor of files."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from . import arg, command
from .rounds import Refused, names, workspace

if TYPE_CHECKING:
    from ..protocols import Protocol
    from ..protocols.draft import ProtocolDraft


@command(
    "list the protocols; show, check, make or preview one",
    arg("name", nargs="?", metavar="NAME|FILE", help="a protocol's name or its YAML file"),
    arg("--yaml", action="store_true", help="print the file itself, to start one of your own from"),
    arg("--new", metavar="NAME", help="write NAME.yaml from a few questions, put here or by --ask"),
    arg("--from", dest="from_", metavar="FILE", help="… its fields from an items file's columns"),
    arg("--columns", default="", metavar="A,B", help="… or from these, the first names the item"),
    arg(
        "--ask",
        action="append",
        default=[],
        metavar="'PROMPT = ANSWERS'",
        help="… a question: 'Is it right? = yes, no', '… = 1-5', '… = percent', '… = text'",
    ),
    arg("--title", default="", metavar="TEXT", help="… what it is called"),
    arg("--preview", action="store_true", help="write its form on two made-up items, and open it"),
    arg("--no-open", action="store_true", help="… without opening it in a browser"),
    arg("--schema", action="store_true", help="print the JSON Schema of protocol files"),
)
def protocols(given: Namespace) -> None:
    from ..files.content import put
    from ..protocols import check, load, overview, show
    from ..protocols import names as listed

    wanted = [word for word in ("yaml", "new", "preview", "schema") if getattr(given, word)]
    if len(wanted) > 1:
        raise Refused(f"--{wanted[0]} and --{wanted[1]} are one at a time: leave one out.")
    if given.new:
        if given.name:
            raise Refused(f"--new {given.new} is a new protocol: leave {given.name} out.")
        _made(given)
        return
    if given.from_ or given.columns or given.ask or given.title:
        raise Refused("--from, --columns, --ask and --title make a new protocol: give --new NAME.")
    if given.schema:
        from ..protocols import keys

        put(keys.schema_text().encode(), "-")
        return
    if wanted and not given.name:
        raise Refused(f"--{wanted[0]} takes one protocol: name it, one of {', '.join(listed())}.")
    if given.yaml:
        put(f"{load(given.name).text.rstrip()}\n".encode(), "-")
    elif given.preview:
        _previewed(load(given.name), given)
    elif not given.name:
        print(overview(load(name) for name in listed()))
    else:
        found = load(given.name)
        if given.name not in listed():
            print(check(given.name, found) + "\n")
        print(show(found))


def _previewed(protocol: Protocol, given: Namespace) -> None:
    """The page stands beside the protocol's file, or here for one that comes with raterbook."""
    import webbrowser
    from pathlib import Path

    from ..files.content import put
    from ..rating.preview import preview

    named = Path(given.name)
    page = named.with_suffix(".preview.html") if named.suffix else Path(f"{named}.preview.html")
    put(preview(protocol).encode(), page)
    print(f"{page}: the form of {protocol.name} on two made-up items.")
    if not given.no_open and not webbrowser.open(page.resolve().as_uri()):
        print("There is no browser here: open the file in one.")


# A new protocol: from options, or from questions where there is a terminal to put them on.


def _made(given: Namespace) -> None:
    from dataclasses import replace
    from pathlib import Path

    from ..protocols.draft import DraftQuestion, ProtocolDraft
    from ..protocols.keys import SCHEMA_FILE

    path = Path(given.new if given.new.endswith((".yaml", ".yml")) else f"{given.new}.yaml")
    if given.from_ and given.columns:
        raise Refused("--from and --columns both say which columns there are: give one of them.")
    ProtocolDraft(path.stem).check_free(path)  # before anybody answers for nothing
    talking = sys.stdin.isatty() and not given.ask
    title = given.title or (_told("What is it called?", path.stem) if talking else "")
    draft = _columns(given, talking)
    answered = bool(draft.questions)  # the file is one of answers, and has its questions
    questions = given.ask or (list(_questions()) if talking and not answered else [])
    draft = replace(draft, name=path.stem, title=title)
    if questions:
        draft = replace(draft, questions=tuple(map(DraftQuestion.read, questions)))
    draft.write(path)
    items, mine = shlex.quote(given.from_ or "ITEMS.csv"), shlex.quote(str(path))
    beside = path.with_name(SCHEMA_FILE)
    print(f"{path}: {len(draft.fields)} fields; {beside} lets editors complete its keys.")
    print("Read it through, then:")
    print(f"  raterbook protocols {mine} --preview")
    if answered:
        print(f"  raterbook doctor {items} --protocol {mine}")
        return
    print(f"  raterbook open ROUND --protocol {mine} --items {items} --raters A,B")
    print("Raters then work in `raterbook lab`, files of answers come in with `raterbook import`,")
    print("and `raterbook report ROUND` builds the page.")


def _columns(given: Namespace, talking: bool) -> ProtocolDraft:
    from ..protocols.draft import ProtocolDraft, of_columns

    if given.from_:
        from ..files.columns import draft_of
        from ..files.formats import read_table

        return draft_of(read_table(given.from_))
    listed = names(given.columns)
    if not listed and talking:
        said = "Which columns has the items file? The first names the item."
        listed = names(_told(said, ", ".join(field.name for field in ProtocolDraft("x").fields)))
    return of_columns(listed) if listed else ProtocolDraft("")


def _told(question: str, usual: str) -> str:
    """What is typed, or what is usual where nothing is."""
    try:
        return input(f"{question} [{usual}] " if usual else f"{question} ").strip() or usual
    except EOFError:
        return usual


def _questions() -> Iterator[str]:
    """One question after the other, until an empty line."""
    from ..protocols.draft import HOW, DraftQuestion

    print(f"What is asked of each item? {HOW[0].upper()}{HOW[1:]}; an empty line ends.")
    while line := _told("Question:", ""):
        try:
            DraftQuestion.read(line)
        except ValueError as error:
            print(error)
        else:
            yield line


# What a file holds, and how to go on with it.


@command(
    "say what a file holds, which protocols it could serve, and how to go on",
    arg("file", metavar="FILE", help="a file of items or of answers"),
    arg("--protocol", action="append", default=[], metavar="FILE", help="a protocol of your own"),
)
def doctor(given: Namespace) -> None:
    from ..files.doctor import Doctor
    from ..protocols import load
    from ..protocols import names as listed

    if given.file.endswith((".yaml", ".yml")):
        file = shlex.quote(given.file)
        raise Refused(f"{given.file} is no file of items: `raterbook protocols {file}` checks it.")
    place = workspace(given)
    known = {name: load(name) for name in (*given.protocol, *listed())}
    rounds = [place.round(name) for name in place.rounds()]
    print(Doctor(known, rounds, " ".join(_beginning(given))).look(given.file))


def _beginning(given: Namespace) -> Iterable[str]:
    """`raterbook` with the options of the workspace that were given."""
    yield "raterbook"
    for option in ("workspace", "db"):
        if value := getattr(given, option):
            yield from (f"--{option}", shlex.quote(value))
