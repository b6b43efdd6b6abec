"""Where pages go: a folder of their own while they are made, then in place in one step."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..rounds.store.backup import new_file

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


class ReportError(RuntimeError):
    """A page could not be built; the message names the round and where to look."""


def fresh_folder(reports: Path, name: str) -> Path:
    """An empty folder beside the finished ones, readable like them."""
    try:
        reports.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{name[:60]}-", dir=reports))
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
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with os.fdopen(new_file(draft), "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def write_notebook(notebook: Any, file: Path) -> None:
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    # A notebook may hold half a surrogate pair in a text; a file cannot.
    write_whole(file, text.encode("utf-8", "replace").decode("utf-8"))
