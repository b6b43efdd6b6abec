"""A workspace: a new one, one to look at, and its notebooks in JupyterLab."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import arg, command
from .rounds import Refused, workspace

if TYPE_CHECKING:
    from pathlib import Path

    from ..rounds import Store
    from ..rounds.store.history import Match

DEMO = "raterbook-demo"


@command(
    "make a workspace: notebooks, folders, environment.yml, README",
    arg("folder", metavar="FOLDER", help="a new folder, or one of yours: nothing is overwritten"),
)
def new(given: Namespace) -> None:
    from ..workspace import lay_out

    folder = _folder(given.folder)
    written = lay_out(folder)
    if not written:
        print(f"{folder} has all of a workspace already; nothing was written.")
        return
    for path in written:
        print(path)
    print(f"Next: {folder / 'README.md'} says how to open a round.")


@command(
    "build the sample rounds and their pages, to see what it looks like",
    arg("folder", nargs="?", default=DEMO, metavar="FOLDER", help="default: %(default)s"),
    arg("--no-open", action="store_true", help="do not open the pages in a browser"),
)
def demo(given: Namespace) -> None:
    import webbrowser

    from ..reporting import ReportError
    from ..samples import LOOK, demo

    folder = _folder(given.folder)
    try:
        index = demo(folder)
    except ReportError as error:
        raise Refused(str(error)) from error
    opened = not given.no_open and has_screen() and webbrowser.open(index.resolve().as_uri())
    print(f"\nThe pages{' are open in the browser' if opened else ''}: {index}")
    print("Six rounds, rated by made-up people. Look at:")
    for name, what in LOOK:
        print(f"  {name:18} {what}")
    print(f"To rate in one yourself: raterbook --workspace {folder} lab")


@command(
    "copy all of a workspace between a file and a PostgreSQL database, and compare both",
    arg("from_", metavar="FROM", help="data/raterbook.sqlite, or postgresql://USER@HOST/DATABASE"),
    arg("to", metavar="TO", help="an empty database, or a new file"),
)
def copy(given: Namespace) -> None:
    from pathlib import Path

    from ..rounds import Store
    from ..rounds.store.backup import copied, copy_workspace
    from ..rounds.store.database import is_there
    from ..rounds.store.postgres import is_address, masked

    if not is_there(given.from_):
        raise Refused(f"There is no database {given.from_}: name the one to copy.")
    source = Store(given.from_)
    if is_address(given.to):
        found = copy_workspace(source, Store(given.to))
    else:
        _, found = copied(source, Path(given.to))
    rows = sum(count for count, _ in found.values())
    print(f"{rows:,} rows of {len(found)} tables are in {masked(given.to)}, and equal:")
    for name in ("round", "subject", "rater", "answer_event"):
        count, hash = found[name]
        print(f"  {name:<13} {count:>9,}  {hash[:16]}")


def _folder(name: str) -> Path:
    """The folder to write to, which may be new; said before any work is done for it."""
    from pathlib import Path

    folder = Path(name)
    inmost = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not inmost.is_dir():
        raise Refused(f"{inmost} is a file: name a folder, a new one or one of yours.")
    if not os.access(inmost, os.W_OK | os.X_OK):
        raise Refused(f"Nothing can be written in {inmost}: name a folder of your own.")
    return folder


def has_screen() -> bool:
    """Whether a browser could show anything: without a screen a text browser would take over."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in screens)


@command(
    "look whether every event is as it was written",
    arg("--head", metavar="HEX", help="a head written down before, or its first 12 digits or more"),
    arg(
        "--against",
        metavar="FILE",
        help="run.json of a page, or another copy, also on a server",
    ),
)
def verify(given: Namespace) -> int:
    from ..rounds.model import counted
    from ..rounds.store.history import SHORTEST

    store = workspace(given).existing()
    if given.head and not re.fullmatch(rf"[0-9a-fA-F]{{{SHORTEST},64}}", given.head):
        raise Refused(f"--head {given.head!r} is no head: {SHORTEST} to 64 digits, 0–9 and a–f.")
    compared = []
    if given.head:
        compared.append(store.recorded(given.head))
    if given.against:
        compared.append(_against(store, given.against))
    history = store.history()
    if history.head is None:
        print(f"{store.path} has no links yet: they are made when something is written to it next.")
        return 1 if compared else 0
    wrong = [each.said for each in history.findings] + [*_altered(store)]
    if wrong:
        print(f"{store.path} is not as it was written. The first that is not: {wrong[0]}.")
        for said in wrong[1:]:
            print(f"  Also: {said}.")
        if history.more:
            print(f"  And {counted(history.more, 'further event')}.")
    else:
        print(f"{store.path}: {counted(history.head.links, 'link')}, each as it was written.")
        print("  " + ", ".join(f"{word}: {many:,}" for word, many in history.events.items()))
    if history.found:
        print(
            f"  Of these, {counted(history.found, 'event')} came before links were kept: what they "
            "said on the first writing after that is what is held."
        )
    for each in compared:
        print(f"  {each.said[:1].upper()}{each.said[1:]}")
    print(f"  Head: {history.head.digits}")
    if not compared:
        print(
            "  What was taken from the end, or written anew from the beginning, shows only beside "
            "a head written down before: --head HEX, or --against run.json."
        )
    return int(bool(wrong) or not all(each.fits for each in compared))


def _altered(store: Store) -> Iterator[str]:
    """The links hold a protocol's hash, and the hash its text."""
    from ..rounds.model import RoundError

    for name in store.rounds():
        try:
            store.round(name).protocol  # noqa: B018  (read, to be held to its hash)
        except RoundError as error:
            yield str(error).rstrip(".")


def _against(store: Store, place: str) -> Match:
    """The head of a run.json, or the whole history of another database."""
    import json
    from pathlib import Path

    from ..rounds import Store
    from ..rounds.store.postgres import is_address

    if is_address(place):
        return store.parting(Store(place))
    file = Path(place)
    if not file.is_file():
        raise Refused(f"{file} is no file: name a page's run.json, or a copy of the database.")
    with file.open("rb") as opened:
        if opened.read(15) == b"SQLite format 3":
            return store.parting(file)
    try:
        recorded = json.loads(file.read_text("utf-8"))["history"]
        return store.recorded(str(recorded["head"]), int(recorded["links"]))
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise Refused(
            f"{file} names no head: name a run.json with `history` in it, as pages have it since "
            "links are kept, or a copy of the database."
        ) from None


@command(
    "JupyterLab on the notebooks of raters and leads",
    arg("options", nargs="*", metavar="OPTION", help="behind --, for JupyterLab: --port=8900"),
)
def lab(given: Namespace) -> int:
    import signal
    import subprocess

    from ..environment import SHIPPED, optional
    from ..workspace import lay_notebooks

    optional("jupyterlab", "lab", "The interface of the notebooks")
    place = workspace(given)
    if not place.path.is_dir():
        raise Refused(f"There is no folder {place.path}: `raterbook new {place.path}` makes one.")
    for path in lay_notebooks(place.path):
        print(f"{path} is new.", file=sys.stderr)
    # Lab's question whether one wants its news would lie on the form's Submit.
    settings = [os.environ.get("JUPYTER_CONFIG_PATH", ""), str(SHIPPED / "jupyter")]
    environment = os.environ | {
        "RATERBOOK_WORKSPACE": str(place.path.resolve()),
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, settings)),
    }
    notebooks = place.path / "notebooks"
    process = subprocess.Popen(  # noqa: S603  (this Python, and a folder of ours)
        [sys.executable, "-m", "jupyterlab", f"--notebook-dir={notebooks}", *given.options],
        env=environment,
    )
    # Whoever ends this command ends JupyterLab with it; Ctrl+C in a terminal reaches both already.
    ended = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue  # JupyterLab asks whether it is meant
    finally:
        signal.signal(signal.SIGTERM, ended)
