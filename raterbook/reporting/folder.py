"""Where pages go: a folder of their own while they are made, then in place in one step."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: runs on one round at a time are left to the user
    fcntl = None  # type: ignore[assignment]

MADE = [
    "index.html",
    "numbers.json",
    "numbers.csv",
    "trace.csv",
    "report.ipynb",
    "figures",
    "run.json",
    "report.pdf",
    "paper.tex",
    "report.failed.ipynb",
]


RUN = 12  # letters of a run's name in the names of its folders
PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")


def slug(name: str) -> str:
    """A file's name, without its ending, for whatever somebody called something.

    Names that are not plain end in a few letters of their own, so that no two share a file, also
    where capitals make no difference.

    >>> slug("against-auto-label"), slug("differences-meta-llama/Llama-3")
    ('against-auto-label', 'differences-meta-llama-llama-3-7a6ccf9f')
    """
    if PLAIN.fullmatch(name):
        return name
    letters = re.sub(r"[^a-z0-9_]+", "-", name.lower())[:60].strip("-")
    own = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{letters}-{own}" if letters else own


def comparison_file(first: str, second: str) -> str:
    """Where two rounds stand side by side; their names are plain, and may hold “-vs-” too."""
    name = f"{first}-vs-{second}"
    return f"{name if name.count('-vs-') == 1 else slug(f'{first} vs {second}')}.html"


class ReportError(RuntimeError):
    """A page could not be built; the message names the round and where to look."""


def fresh_folder(reports: Path, name: str, run: str = "") -> Path:
    """An empty folder beside the finished ones, readable like them; it says which run's it is."""
    if name in ("", ".", "..") or Path(name).name != name:
        raise ReportError(f"{name!r} is no name of a folder in {reports}.")
    try:
        reports.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{name[:60]}-{run[:RUN]}-", dir=reports))
        mask = os.umask(0)
        os.umask(mask)
        work.chmod(0o777 & ~mask)
    except OSError as error:
        raise ReportError(
            f"{name}: {reports} cannot be written ({error.strerror}): choose another folder with "
            "--reports, or make this one writable for you."
        ) from error
    return work


def put_in_place(work: Path, target: Path) -> None:
    """Swap a finished report for the old one; readers see the old or the new, never a mix.

    Files of others in the folder (a note, a drawing) move along.
    """
    if target.is_symlink():
        raise ReportError(
            f"{target} is a link, and pages are not written through one: remove it, or choose "
            "another folder with --reports."
        )
    with alone(target.parent):
        old = work.with_name(work.name + ".old")
        if target.exists():
            for extra in target.iterdir():
                if extra.name not in MADE:
                    os.rename(extra, work / extra.name)
            os.rename(target, old)
        os.rename(work, target)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One process at a time changes what stands in this folder."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_whole(file: Path, text: str) -> None:
    """A file that is there in full or not at all."""
    from ..rounds.store.backup import whole_file  # the store loads more than a page needs

    with whole_file(file) as stream:
        stream.write(text.encode())


def write_notebook(notebook: Any, file: Path) -> None:
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    # A notebook may hold half a surrogate pair in a text; a file cannot.
    write_whole(file, text.encode("utf-8", "replace").decode("utf-8"))


class BuiltPage(type(Path())):  # type: ignore[misc]  # a path of this machine's kind
    """A built page: its path, and in a notebook the page itself, also outside Lab's folder."""

    def _repr_html_(self) -> str:
        from .html import dressed, paragraph, part

        try:
            text = self.read_text(encoding="utf-8")
        except OSError as error:
            return dressed(paragraph(f"{self}: {error.strerror}; build it again."))
        # No script runs inside, and its links up to the index would lead nowhere.
        whole = text.replace('<nav class="home">', '<nav class="home" style="display: none">', 1)
        return dressed(paragraph(str(self), "soft") + part("framed", whole, self.parent.name))
