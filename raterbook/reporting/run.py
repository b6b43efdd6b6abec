"""One reproducible page per round: papermill runs the notebook, the result is put in place whole.

A failed run leaves report.failed.ipynb and one clear line, never a page that looks finished.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..environment import setting
from ..numbers.parameters import check_names, checked
from .folder import RUN, BuiltPage, ReportError, fresh_folder, put_in_place, write_notebook

__all__ = ["ReportError", "build", "build_one"]


def build(
    workspace: Any,
    rounds: Sequence[str],
    jobs: int | Executor = 1,
    parameters: Mapping[str, Any] | None = None,
    pdf: bool = False,
    paper: bool = False,
) -> list[Path]:
    """Build every named round's page and the index; one that fails does not stop the others.

    `jobs` are the processes that share the rounds, or an executor of concurrent.futures' kind,
    Dask's among them, whose workers see the same folders. Where a worker dies and its round is
    given to another, a page that is in place already is not made again.
    """
    from tqdm import tqdm

    from ..rounds.store.backup import refuse_masked
    from .index import write_index

    if isinstance(jobs, int) and jobs < 1:
        raise ReportError(f"{jobs} jobs can build nothing: name 1 process or more.")
    if not rounds:
        raise ReportError(workspace.nothing)
    refuse_masked(workspace.store)
    rounds = list(dict.fromkeys(rounds))
    for name in rounds:  # all names and parameters are checked before the first kernel starts
        stored, asked = workspace.store.round(name), checked(name, parameters or {})
        check_names(stored, asked)
        if asked.judge:
            from ..numbers.compare.sides import the_models

            the_models(stored, asked.judge)
    place = (str(workspace.path), workspace.db, str(workspace.reports))
    run = uuid.uuid4().hex
    pages: list[Path] = []
    failures: list[str] = []
    with ExitStack() as stack:
        executor = jobs if isinstance(jobs, Executor) else None
        if isinstance(jobs, int) and jobs > 1 and len(rounds) > 1:
            context = multiprocessing.get_context("spawn")
            pool = ProcessPoolExecutor(
                min(jobs, len(rounds)), mp_context=context, initializer=end_quietly
            )
            executor = stack.enter_context(pool)
            stack.push(shutdown_of(pool))
        futures: list[Future[Path]] = []
        if executor is not None:
            with until_they_listen():
                futures = [
                    executor.submit(build_one, place, name, parameters, pdf, paper, run)
                    for name in rounds
                ]
        # disable=None: a bar on a terminal, none in a pipe.
        for index, name in enumerate(tqdm(rounds, desc="reports", unit="round", disable=None)):
            try:
                page = (
                    futures[index].result()
                    if futures
                    else build_one(place, name, parameters, pdf, paper, run)
                )
                pages.append(BuiltPage(page))
            except ReportError as error:
                failures.append(str(error))
            except SystemExit as stopped:
                if not futures:
                    raise
                raise KeyboardInterrupt from stopped  # a process heard it, if this one did not
            except Exception as error:
                if executor is None:
                    raise
                failures.append(f"{name}: the executor gave it up: {plain_error(error)}")
        sweep(workspace.reports, run)
    if workspace.reports.is_dir():
        write_index(workspace.reports, workspace.rounds())
    if failures:
        raise ReportError("\n".join(failures))
    return pages


@contextmanager
def until_they_listen() -> Iterator[None]:
    """Processes that begin here hear of Ctrl+C once they know what to do then, and not before."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def shutdown_of(pool: ProcessPoolExecutor) -> Callable[..., None]:
    """What is still to do when a pool is left: nothing new is begun, and Ctrl+C is for all."""
    others = {process.pid for process in multiprocessing.active_children()}

    def leave(kind: type[BaseException] | None, *_: object) -> None:
        pool.shutdown(wait=False, cancel_futures=True)
        if kind is KeyboardInterrupt:  # it may have been told to this process alone
            for process in multiprocessing.active_children():
                if process.pid and process.pid not in others:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGINT)

    return leave


ENDED = threading.Event()  # in a process of a pool: what is still in its queue is not begun


def end_quietly() -> None:
    """In a process of a pool: on Ctrl+C it clears up and goes, and only who began it says so."""

    def end(*_: Any) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ENDED.set()
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stderr.fileno())
        raise SystemExit(130)

    signal.signal(signal.SIGINT, end)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def build_one(
    place: tuple[str, str, str],
    name: str,
    parameters: Mapping[str, Any] | None = None,
    pdf: bool = False,
    paper: bool = False,
    run: str = "",
) -> Path:
    """Run the notebook for one round in a fresh kernel and put its page in place.

    `place` names the workspace, its database and the folder of the reports. `run` is the same for
    all pages that are asked for at once; what it has put in place is not made again.
    """
    from ..rounds import Store
    from .kernel import execute, page
    from .sections.made import run_record

    if ENDED.is_set():
        raise SystemExit(130)
    path, db, reports = place
    asked = checked(name, parameters or {})
    target = Path(reports) / name
    if run and run_of(target) == run:
        return target / "index.html"
    # What stood beside the old page is made anew, so that all files speak of one run.
    paper = paper or (target / "paper.tex").exists()
    work = fresh_folder(Path(reports), name, run)
    try:
        head = Store(db).head()
        notebook, problem = execute(path, db, work, asked.to_dict(), paper)
        if ENDED.is_set():  # Ctrl+C, heard where it was passed over: its kernel failed of it
            raise SystemExit(130)
        if problem is not None:
            raise ReportError(f"{name}: {problem}{keep_failed(notebook, target)}")
        document = page(notebook, title=name)
        write_notebook(notebook, work / "report.ipynb")
        (work / "index.html").write_text(document, encoding="utf-8")
        (work / "run.json").write_text(run_record(head, run), encoding="utf-8")
        if pdf or (target / "report.pdf").exists():
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


def run_of(target: Path) -> str | None:
    """The run that made the page here, if there is one."""
    try:
        found: str | None = json.loads((target / "run.json").read_text("utf-8")).get("run")
    except (OSError, ValueError, AttributeError):
        return None
    return found


def sweep(reports: Path, run: str) -> None:
    """Take away what workers that died left half made."""
    for folder in reports.glob(f".*-{run[:RUN]}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def plain_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


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


# A round in an archive: its numbers on a page, without its texts.


HEAD = ("Question", "Group", "Number", "These raters", "Raters like these", "Ratings")


def build_archived(
    folder: str | Path, name: str, reports: Path, parameters: Mapping[str, Any] | None = None
) -> Path:
    """numbers.json, numbers.csv and a page of a round in an archive, put in place together."""
    from ..files.archive import open_archive
    from ..numbers.archived import numbers_of
    from .sections.made import run_record

    if (reports / name / "report.ipynb").exists():
        raise ReportError(
            f"{reports / name} holds the page of a round of this workspace, which has more on it: "
            "keep the archive's apart with --reports DIR."
        )
    archive = open_archive(folder, name)
    found = numbers_of(archive, **(parameters or {}))
    work = fresh_folder(reports, name)
    try:
        found.write(work)
        (work / "index.html").write_text(archived_page(archive, found), encoding="utf-8")
        (work / "run.json").write_text(run_record(None), encoding="utf-8")
        put_in_place(work, reports / name)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return BuiltPage(reports / name / "index.html")


def archived_page(archive: Any, found: Any) -> str:
    """Every number with its interval, and why others have no value."""
    from .html import Section, fill, join, paragraph, table, undressed
    from .words import cell, count, interval, name_of, reason

    made = [row for row in found.rows if row["estimate"] is not None]
    lines = [
        (
            row["question"] or "",
            ", ".join(f"{name} {value}" for name, value in (row["group"] or {}).items()),
            name_of(row["statistic"]),
            cell(row),
            interval(row["low_like"], row["high_like"], row["statistic"]),
            f"{row['n_ratings']:,}",
        )
        for row in made
    ]
    why = {row["reason"] for row in found.rows if row["estimate"] is None}
    without: dict[str, list[str]] = {
        each: list(
            dict.fromkeys(name_of(row["statistic"]) for row in found.rows if row["reason"] == each)
        )
        for each in sorted(why)
    }
    said = (
        f"{count(archive.rows, 'answer')} of an archive in {count(len(archive.files), 'file')}, "
        f"whose columns and hashes are as they were sealed. Intervals are "
        f"{found.parameters['coverage'] * 100:g} %; whose answers stand behind each number, people "
        "or models, numbers.json says."
    )
    parts = [paragraph(said), table(HEAD, lines, "Number by number", 3)]
    parts += [
        paragraph(f"Without a value: {', '.join(names)}. {reason(each)}", "soft")
        for each, names in without.items()
    ]
    title = archive.protocol.title
    shown = Section(f"{title}: {archive.round}", join(parts))
    return fill(archive.round, undressed(shown._repr_html_()))


# The page on paper, printed by Chromium with everything unfolded.


BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
)
PATIENCE = 120  # seconds


def print_page(page: Path, file: Path) -> None:
    """Write `page` as a PDF; RATERBOOK_CHROMIUM names the browser where it has another name."""
    installed = filter(None, map(shutil.which, BROWSERS))
    browser = setting("CHROMIUM") or next(installed, None)
    if browser is None:
        raise ReportError(
            f"{file.name}: printing needs Chromium, and none of {', '.join(BROWSERS)} is "
            "installed. Install one, name it in RATERBOOK_CHROMIUM, or print the page yourself."
        )
    with tempfile.TemporaryDirectory() as folder:
        unfolded = Path(folder) / "page.html"
        text = page.read_text(encoding="utf-8").replace("<details", "<details open")
        unfolded.write_text(text, encoding="utf-8")
        words = [browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--print-to-pdf={file}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            words.append("--no-sandbox")  # Chromium has no sandbox for the superuser
        try:
            done = subprocess.run(  # noqa: S603  (the browser found or named, and files of ours)
                [*words, unfolded.as_uri()],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            said = f"{file.name}: {browser} could not print the page: {error}."
            raise ReportError(said) from error
    if not file.exists():
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ReportError(f"{file.name}: {browser} printed nothing: {last}")
