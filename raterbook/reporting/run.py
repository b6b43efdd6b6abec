"""One reproducible page per round: papermill runs the notebook, the result is put in place whole.

A failed run leaves report.failed.ipynb and one clear line, never a page that looks finished.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..numbers.parameters import checked

__all__ = ["ReportError", "build", "build_one"]


def build(
    workspace: Any,
    rounds: Sequence[str],
    jobs: int = 1,
    parameters: Mapping[str, Any] | None = None,
    executor: Executor | None = None,
    pdf: bool = False,
    paper: bool = False,
) -> list[Path]:
    """Build every named round's page and the index; one that fails does not stop the others.

    `executor` is any of concurrent.futures' kind; without one, `jobs` processes share the rounds.
    """
    from tqdm import tqdm

    from ..numbers.completeness import check_names
    from .index import write_index

    if not rounds:
        raise ReportError(f"{workspace.path} has no rounds yet: open one with `raterbook open`.")
    rounds = list(dict.fromkeys(rounds))
    for name in rounds:  # all names and parameters are checked before the first kernel starts
        check_names(workspace.store.round(name), checked(name, parameters or {}))
    place = (str(workspace.path), workspace.db, str(workspace.reports))
    pages: list[Path] = []
    failures: list[str] = []
    with ExitStack() as stack:
        if executor is None and jobs > 1 and len(rounds) > 1:
            context = multiprocessing.get_context("spawn")
            pool = ProcessPoolExecutor(min(jobs, len(rounds)), mp_context=context)
            executor = stack.enter_context(pool)
        futures: list[Future[Path]] = []
        if executor is not None:
            futures = [
                executor.submit(build_one, *place, name, parameters, pdf, paper) for name in rounds
            ]
        # disable=None: a bar on a terminal, none in a pipe.
        for index, name in enumerate(tqdm(rounds, desc="reports", unit="round", disable=None)):
            try:
                page = (
                    futures[index].result()
                    if futures
                    else build_one(*place, name, parameters, pdf, paper)
                )
                pages.append(page)
            except ReportError as error:
                failures.append(str(error))
    if workspace.reports.is_dir():
        write_index(workspace.reports, workspace.rounds())
    if failures:
        raise ReportError("\n".join(failures))
    return pages


def build_one(
    path: str,
    db: str,
    reports: str,
    name: str,
    parameters: Mapping[str, Any] | None = None,
    pdf: bool = False,
    paper: bool = False,
) -> Path:
    """Run the notebook for one round in a fresh kernel and put its page in place."""
    from .kernel import execute, page
    from .sections.made import run_record

    asked = checked(name, parameters or {})
    target = Path(reports) / name
    # What stood beside the old page is made anew, so that all files speak of one run.
    paper = paper or (target / "paper.tex").exists()
    work = fresh_folder(Path(reports), name)
    try:
        notebook, problem = execute(path, db, work, asked.to_dict(), paper)
        if problem is not None:
            raise ReportError(f"{name}: {problem}{keep_failed(notebook, target)}")
        document = page(notebook, title=name)
        write_notebook(notebook, work / "report.ipynb")
        (work / "index.html").write_text(document, encoding="utf-8")
        (work / "run.json").write_text(run_record(), encoding="utf-8")
        if pdf or (target / "report.pdf").exists():
            from .paper import print_page

            try:
                print_page(work / "index.html", work / "report.pdf")
            except ReportError:
                if pdf:  # else an old print goes, rather than stand beside another page
                    raise
        put_in_place(work, target)
    except OSError as error:
        said = error.strerror or str(error) or type(error).__name__
        raise ReportError(
            f"{name}: {said} while writing {target}: make room or make the folder writable, then "
            "run the report again. A page of an earlier run is left as it was."
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target / "index.html"


def keep_failed(notebook: Any, target: Path) -> str:
    """Leave the failed notebook beside the page; where even that fails, say only the problem."""
    if notebook is None:
        return ""
    try:
        target.mkdir(exist_ok=True)
        write_notebook(notebook, target / "report.failed.ipynb")
    except OSError:
        return ""
    return f" The notebook is {target / 'report.failed.ipynb'}."


# Where pages go: a folder of their own while they are made, then in place in one step.


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
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def write_notebook(notebook: Any, file: Path) -> None:
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    # A notebook may hold half a surrogate pair in a text; a file cannot.
    write_whole(file, text.encode("utf-8", "replace").decode("utf-8"))
