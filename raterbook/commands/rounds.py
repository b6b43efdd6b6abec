"""Rounds: open, fill, look at, hand over, freeze."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import FILE, RATER, ROUND, WHY, Registry, arg, command

if TYPE_CHECKING:
    from pathlib import Path

    from ..workspace import Workspace, WorkspaceRound


# What a protocol, a file or a run may name. One more is a line.
REGISTRIES = {
    "statistics": Registry("protocols.statistics", "STATISTICS", words="says"),
    "comparisons": Registry("protocols.comparisons", "BESIDE", words="says"),
    "cautions": Registry("reporting.words", "CAUTIONS", words="note"),
    "sections": Registry("reporting.report", "SECTIONS", words="__doc__"),
    "types": Registry("protocols", "TYPES", words="__doc__"),
    "layouts": Registry("files.layouts", "LAYOUTS", words="title"),
    "clients": Registry("judges.clients", "CLIENTS", words="help"),
    "formats": Registry("files.formats", "FORMATS", words="title"),
}


@command(
    "what protocols, files and runs may name, registry by registry",
    arg("what", nargs="?", metavar="WHAT", choices=REGISTRIES, help="one of %(choices)s"),
    name="list",
)
def list_registries(given: Namespace) -> None:
    """Every registry, or one: the names, each with what it is."""
    wanted = [given.what] if given.what else list(REGISTRIES)
    for place, title in enumerate(wanted):
        if len(wanted) > 1:
            print(("\n" if place else "") + title)
        entries = list(REGISTRIES[title].entries())
        width = max(len(name) for name, _ in entries)
        for name, words in entries:
            print(f"  {name:<{width}}  {words}".rstrip())


@command(
    "open a round: one protocol, its items, its raters",
    ROUND,
    arg("--protocol", required=True, metavar="NAME|FILE"),
    arg("--items", required=True, metavar="FILE"),
    arg(
        "--map",
        action="append",
        default=[],
        metavar="FIELD=HEADER,…",
        help="what fields are called in the items file",
    ),
    arg("--parts", metavar="FILE", help="sentences or questions already written"),
    arg("--raters", default="", metavar="A,B"),
    arg("--per-item", type=int, metavar="K", help="raters for each item (default: all)"),
    arg("--sample", type=int, metavar="N", help="draw N items"),
    arg("--double", type=int, metavar="N", help="draw N items for people; a model rates all"),
    arg("--by", default="", metavar="COLUMNS", help="… in proportion to these columns"),
    arg("--cluster", metavar="COLUMN", help="what intervals treat as one draw"),
    arg("--bare", action="store_true", help="items without texts: only to be analysed"),
    arg("--gold", type=float, metavar="RATE", help="share of gold items mixed in"),
    arg("--training", type=int, metavar="N", help="training items put first"),
    arg("--seed", type=int, default=0, metavar="N"),
    arg("--looks", metavar="N|SHARES", help="hide agreement until then: 4, or 25%%,50%%,100%%"),
    name="open",
)
def open_round(given: Namespace) -> None:
    from ..rounds.plan import Mix

    # How training and gold items stand among the others, where that was said.
    is_mixed = given.gold is not None or given.training is not None
    opened = led(given).open(
        given.round,
        given.protocol,
        given.items,
        parts=given.parts,
        raters=names(given.raters),
        headers=headers(given.map),
        per_item=given.per_item,
        sample=given.sample,
        double=given.double,
        by=names(given.by),
        cluster=given.cluster,
        bare=given.bare,
        seed=given.seed,
        mix=Mix(gold=given.gold or 0.0, training=given.training) if is_mixed else None,
        looks=given.looks,
    )
    found = opened.log()[0]["items"]
    print(f"{given.round}: {found:,} items of {opened.protocol.name}.")
    if given.looks is not None:
        print(opened.status()["looks"]["said"])
    for line in opened.notes:
        print(line)


@command(
    "take in a file of answers, whole or not at all",
    ROUND,
    FILE,
    arg("--rater", metavar="NAME", help="whose answers these are"),
    arg(
        "--kind",
        metavar="KIND",
        choices=Registry("rounds", "RATER_KINDS"),
        help="what the rater is: %(choices)s",
    ),
    arg("--replace", action="store_true", help="differing answers become new revisions"),
    arg("--new-raters", action="store_true", help="names like a known one are other people"),
    arg("--dry-run", action="store_true", help="say what would be taken in; store nothing"),
    name="import",
)
def import_file(given: Namespace) -> None:
    stored = chosen(given)
    print(
        (stored.rehearse if given.dry_run else stored.add)(
            given.file,
            rater=given.rater,
            kind=given.kind,
            replace=given.replace,
            new_raters=given.new_raters,
        )
    )
    if given.dry_run:
        print("Nothing was stored: the same without --dry-run does it.")


def what_layouts_carry() -> str:
    from ..files.layouts import described

    return described()


@command(
    "write a round's answers",
    ROUND,
    FILE,
    arg(
        "--layout",
        metavar="LAYOUT",
        choices=REGISTRIES["layouts"],
        default="long",
        help="%(choices)s (default: %(default)s)",
    ),
    arg("--pseudonyms", action="store_true", help="instead of the names of people"),
    name="export",
    more=what_layouts_carry,
)
def export_file(given: Namespace) -> None:
    said = chosen(given).export(given.file, layout=given.layout, pseudonyms=given.pseudonyms)
    if said and given.file != "-":
        print(said)


@command("what is stored, by whom, what is missing", arg("round", nargs="?", metavar="ROUND"))
def status(given: Namespace) -> None:
    place = workspace(given)
    print(
        "\n\n".join(
            str(place.round(name).status())
            for name in ([given.round] if given.round else place.rounds())
        )
        or _no_rounds(place)
    )
    if place.rounds() and (head := place.store.head()) is not None:
        print(f"\nHistory: {head}")


def _no_rounds(place: Workspace) -> str:
    from ..rounds.store.postgres import is_address

    if not is_address(place.db):
        return place.nothing
    store = place.store
    if store.server is not None and store.server.is_masked():
        return (
            f"{store.path}: this rater has no part in a round yet: a lead gives one by "
            "`raterbook open … --raters` or `raterbook assign ROUND --raters`."
        )
    return f"{store.path} has no rounds yet: open one with `raterbook open`."


@command(
    "declare when agreement may be seen before the end, or show what was declared",
    ROUND,
    arg("shares", nargs="?", metavar="N|SHARES", help="4, or 25%%,50%%,100%%"),
)
def looks(given: Namespace) -> None:
    from ..numbers.targets import planned

    stored = chosen(given)
    if given.shares is not None:
        stored.declare_looks(given.shares)
    found = stored.looks()
    if found is None:
        raise Refused(
            f"{given.round} declared no looks: `raterbook looks {given.round} 4` declares some "
            "until the first answer is there."
        )
    print(f"{given.round}: {stored.status()['looks']['said'].removeprefix('looks: ')}.")
    for line in planned(found):
        print(f"  {line}")


@command(
    "a round's answers as Parquet with its schema and hashes, a folder for each round",
    ROUND,
    arg("folder", metavar="FOLDER"),
    arg("--pseudonyms", action="store_true", help="instead of the names of people"),
)
def archive(given: Namespace) -> None:
    from ..files.archive import write_archive

    print(write_archive(chosen(given), given.folder, given.pseudonyms))


WAYS = Registry("numbers.disputes", "BY")


@command(
    "list what raters differ on and what adjudicators decided, or write it to a file",
    ROUND,
    arg("--question", action="append", default=[], metavar="ID", help="only this; may be repeated"),
    arg("--by", choices=WAYS, default="majority", metavar="WAY", help="%(choices)s"),
    arg("--beyond", type=float, default=1, metavar="N", help="levels, for spread (default: 1)"),
    arg("--agenda", metavar="FILE", help="a page to meet over, .html or .md"),
    arg("--names", action="store_true", help="of raters, on the agenda"),
    arg("--table", metavar="FILE", help="a row for each, with who decided what and why"),
)
def disputes(given: Namespace) -> None:
    from ..numbers.disputes import BY, undecided
    from ..numbers.disputes import disputes as found_in
    from ..reporting.sections.disputes import agenda, lines, write_table
    from ..rounds.looks import looks_of

    stored = chosen(given)
    found = found_in(stored, given.question, given.by, given.beyond)
    if given.agenda:
        _written(agenda(stored, found, given.agenda, given.names))
    if given.table:
        _written(write_table(found, given.table))
    if given.agenda or given.table:
        return
    seen, left = looks_of(stored), f"{len(undecided(found)):,} undecided"
    if seen is not None and seen.state == "open":
        left = "undecided, to be settled and not to be counted before the declared looks are over"
    print(f"{given.round}: {left}, where {BY[given.by]}.")
    print("\n".join(lines(stored, found)), end="\n" if found else "")


@command(
    "move a rater's unfinished items to another",
    ROUND,
    arg("giver", metavar="FROM"),
    arg("taker", metavar="TO"),
    WHY,
)
def reassign(given: Namespace) -> None:
    from ..rounds.model import counted, listed

    giver, taker = given.giver, given.taker
    done = chosen(given).reassign(giver, taker, given.why)
    if not done.moved and not done.doubled:
        print(f"{given.round}: nothing moved: {giver} had nothing unfinished.")
        return
    print(f"{given.round}: {counted(len(done.moved), 'item')} moved from {giver} to {taker}.")
    if not done.doubled:
        return
    which = f"{counted(len(done.doubled), 'item')} ({listed(done.doubled, 5)}) {taker} had already"
    if not done.kept:
        print(f"{which}: nobody is asked about them in place of {giver} now.")
    elif done.other:
        how = f"raterbook reassign {given.round} {giver} {done.other}"
        print(
            f"{which}: they stay with {giver}, or an item would lose a rater. "
            f"`{how}` gives them to {done.other}."
        )
    else:
        print(
            f"{which}: they stay with {giver}, or an item would lose a rater, and everybody else "
            "has them too. Let somebody new answer them, or leave them missing."
        )


@command(
    "set how many raters each item has, or bring in further raters",
    ROUND,
    arg("--per-item", type=int, metavar="K", help="raters for each item"),
    arg("--raters", default="", metavar="A,B", help="further people, who get items by the plan"),
    arg("--dry-run", action="store_true", help="say what would change; change nothing"),
    WHY,
)
def assign(given: Namespace) -> None:
    from ..reporting.shown import PLANNED, aligned, replanned

    stored = chosen(given)
    plan = stored.assign(given.per_item, names(given.raters), given.why, given.dry_run)
    head, notes = replanned(plan, names(given.raters))
    print(f"{given.round}: {head}{', if it were done' if given.dry_run else ''}.")
    rows = [[each.lower() for each in PLANNED]]
    rows += [[name, *map(str, row)] for name, row in plan.by_rater().items()]
    print("\n".join("  " + line for line in aligned(rows, words=1)))
    for note in notes:
        print(note)
    if given.dry_run:
        print("Nothing was changed: the same without --dry-run does it.")


@command(
    "pin items as anchors: models are held against earlier rounds on them",
    ROUND,
    arg("items", nargs="*", metavar="ITEM", help="items by their key"),
    arg("--where", metavar="COLUMN=VALUE", help="all items with this value"),
    WHY,
)
def anchor(given: Namespace) -> None:
    from ..rounds.items import keys_with, pinned
    from ..rounds.model import counted, listed

    stored, wanted = chosen(given), list(given.items)
    if given.where:
        [(column, value)] = pairs([given.where], "--where").items()
        wanted += keys_with(stored, column, value)
    found = stored.pin(*wanted, why=given.why) if wanted else pinned(stored)
    print(f"{given.round}: {counted(len(found), 'anchor')}: {listed(found, 10) or 'none yet'}.")


@command(
    "leave a rater out of every number", ROUND, RATER, arg("--why", required=True, metavar="TEXT")
)
def exclude(given: Namespace) -> None:
    chosen(given).exclude(given.rater, given.why)
    print(f"{given.round}: {given.rater} no longer counts: {given.why}")


@command("freeze a round", ROUND, WHY)
def close(given: Namespace) -> None:
    chosen(given).close(given.why)
    print(f"{given.round} is closed.")


@command("let a round go on", ROUND, WHY)
def reopen(given: Namespace) -> None:
    chosen(given).reopen(given.why)
    print(f"{given.round} is open.")


@command("copy the database, consistently, while raters work", FILE)
def backup(given: Namespace) -> None:
    print(f"Copied to {workspace(given).backup(given.file)}.")


@command("let an excluded rater count again", ROUND, RATER, WHY)
def include(given: Namespace) -> None:
    chosen(given).include(given.rater, given.why)
    print(f"{given.round}: {given.rater} counts again.")


@command("forget who a rater is; the answers stay", RATER, WHY)
def erase(given: Namespace) -> None:
    pseudonym = led(given).existing().erase(given.rater, given.why)
    print(f"{given.rater} is forgotten here; the answers stay under {pseudonym}.")
    print(
        "This reaches only this database. Backups, exported files and pages made before still "
        f"hold the name {given.rater}: delete them, or make them again."
    )


@command(
    "write a round's sentences or questions to a file, or take edited ones in",
    ROUND,
    FILE,
    arg("--take", action="store_true", help="take the file in; else write it"),
    WHY,
)
def parts(given: Namespace) -> None:
    from ..files import export_parts, import_parts

    stored = chosen(given)
    if given.take:
        print(f"{given.round}: {import_parts(stored, given.file, given.why)}.")
    else:
        print(f"{given.file}: {export_parts(stored, given.file):,} parts.")


@command("write the annotation guide, .html or .md", ROUND, FILE)
def guide(given: Namespace) -> None:
    from ..files import write_guide

    _written(write_guide(own(given), given.file))


@command("write what every column and value means, .md", ROUND, FILE)
def codebook(given: Namespace) -> None:
    from ..files.handbook import write_codebook

    _written(write_codebook(own(given), given.file))


@command(
    "write a rater's items as a table to fill in, .csv, .tsv or .xlsx",
    ROUND,
    RATER,
    FILE,
)
def sheet(given: Namespace) -> None:
    _written(own(given).sheet(given.rater, given.file))


def _written(file: Path) -> None:
    """The file's name, unless it was standard output: there it would stand in the text."""
    if str(file) != "-":
        print(file)


# Which workspace and round a command speaks of, and how it refuses.


class Refused(RuntimeError):
    """A request that cannot be carried out; the message says why and what to do."""


def workspace(given: Namespace) -> Workspace:
    from pathlib import Path

    from ..workspace import Workspace

    folder = Path(given.workspace or ".")
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{folder} is a file: name the folder of a workspace.")
    return Workspace(folder, db=given.db, reports=given.reports)


def led(given: Namespace) -> Workspace:
    """For what only a lead does: a rater's login on a server sees a part of the workspace."""
    from ..rounds.store.backup import refuse_masked
    from ..rounds.store.postgres import is_address

    place = workspace(given)
    if is_address(place.db):
        refuse_masked(place.store)
    return place


def chosen(given: Namespace) -> WorkspaceRound:
    return led(given).round(given.round)


def own(given: Namespace) -> WorkspaceRound:
    """The round as whoever asks sees it: a rater on a server, the own part."""
    return workspace(given).round(given.round)


def names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


_PAIR = r"""\s*([^=,"]+?)\s*=\s*("(?:[^"]|"")*"|[^,"]*?)\s*(?:,|$)"""  # made when it is used


def headers(words: Sequence[str]) -> dict[str, str]:
    """`--map field=Header,other="A header, with a comma"`, several times."""
    found: dict[str, str] = {}
    pair = re.compile(_PAIR)
    for word in words:
        place = 0
        while place < len(word.rstrip()):
            match = pair.match(word, place)
            header = match[2].strip('"').replace('""', '"').strip() if match else ""
            if match is None or not header:
                raise Refused(
                    f"--map {word!r}: write field=Header, several with commas between them, and "
                    'a header with a comma in quotes: answer="Output, final".'
                )
            if match[1] in found:
                raise Refused(f"--map: {match[1]} is named twice. Leave one out.")
            found[match[1]] = header
            place = match.end()
    return found


def pairs(words: list[str], option: str = "--param") -> dict[str, str]:
    """`--param name=value`, several times."""
    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise Refused(f"{option} {word!r}: write it as name=value, for example seed=3.")
        found[name] = value
    return found
