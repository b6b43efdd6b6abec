"""Rounds: open, fill, look at, hand over, freeze."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from ..rounds.exchange.problems import counted, listed
from .place import chosen, names, workspace


def protocols(given: Namespace) -> None:
    from ..protocols import check, load, overview, show
    from ..protocols import names as listed

    if not given.name:
        print(overview(load(name) for name in listed()))
        return
    if given.name not in listed():
        print(check(given.name) + "\n")
    print(show(load(given.name)))


def open_round(given: Namespace) -> None:
    opened = workspace(given).open(
        given.round,
        given.protocol,
        given.items,
        parts=given.parts,
        raters=names(given.raters),
        per_item=given.per_item,
        sample=given.sample,
        by=names(given.by),
        cluster=given.cluster,
        bare=given.bare,
        seed=given.seed,
        mix=mix(given),
    )
    found = len(opened.stored.items())
    print(f"{given.round}: {found:,} items of {opened.protocol.name}.")
    for line in opened.notes:
        print(line)


def mix(given: Namespace):
    """How training and gold items stand among the others, where that was said."""
    from ..rounds.plan import Mix

    if given.gold is None and given.training is None:
        return None
    return Mix(gold=given.gold or 0.0, training=given.training)


def import_file(given: Namespace) -> None:
    print(
        chosen(given).add(
            given.file,
            rater=given.rater,
            kind=given.kind,
            replace=given.replace,
            new_raters=given.new_raters,
        )
    )


def export_file(given: Namespace) -> None:
    said = chosen(given).export(given.file, layout=given.layout, pseudonyms=given.pseudonyms)
    if said and given.file != "-":
        print(said)


def status(given: Namespace) -> None:
    from .standing import standing

    place = workspace(given)
    print(
        "\n\n".join(
            standing(place.round(name).status())
            for name in ([given.round] if given.round else place.rounds())
        )
        or f"{place.path} has no rounds yet: open one with `raterbook open`."
    )


def reassign(given: Namespace) -> None:
    giver, taker = given.giver, given.taker
    done = chosen(given).stored.reassign(giver, taker, given.why)
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
        print(f"{which}: they stay with {giver}, or an item would lose a rater. "
              f"`{how}` gives them to {done.other}.")
    else:
        print(f"{which}: they stay with {giver}, or an item would lose a rater, and everybody else "
              "has them too. Let somebody new answer them, or leave them missing.")


def exclude(given: Namespace) -> None:
    chosen(given).stored.exclude(given.rater, given.why)
    print(f"{given.round}: {given.rater} no longer counts: {given.why}")


def close(given: Namespace) -> None:
    chosen(given).close(given.why)
    print(f"{given.round} is closed.")


def reopen(given: Namespace) -> None:
    chosen(given).reopen(given.why)
    print(f"{given.round} is open.")


def backup(given: Namespace) -> None:
    print(f"Copied to {workspace(given).backup(given.file)}.")


def include(given: Namespace) -> None:
    chosen(given).stored.include(given.rater, given.why)
    print(f"{given.round}: {given.rater} counts again.")


def erase(given: Namespace) -> None:
    pseudonym = workspace(given).store.erase(given.rater, given.why)
    print(f"{given.rater} is forgotten here; the answers stay under {pseudonym}.")
    print(
        "This reaches only this database. Backups, exported files and pages made before still "
        f"hold the name {given.rater}: delete them, or make them again."
    )


def parts(given: Namespace) -> None:
    from ..rounds.exchange import export_parts, import_parts

    stored = chosen(given).stored
    if given.take:
        print(f"{given.round}: {import_parts(stored, given.file, given.why)}.")
    else:
        print(f"{given.file}: {export_parts(stored, given.file):,} parts.")


def guide(given: Namespace) -> None:
    from ..rounds.exchange import write_guide

    _written(write_guide(chosen(given).stored, given.file))


def codebook(given: Namespace) -> None:
    from ..rounds.codebook import write_codebook

    _written(write_codebook(chosen(given).stored, given.file))


def _written(file: Path) -> None:
    """The file's name, unless it was standard output: there it would stand in the text."""
    if str(file) != "-":
        print(file)
