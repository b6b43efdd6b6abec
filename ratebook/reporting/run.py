"""One reproducible page per round: papermill runs the notebook, the result is put in place whole.

A failed run leaves report.failed.ipynb and one clear line, never a page that looks finished.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any

from .page import page, steady
from .parameters import checked
from .provenance import run_record
from .surroundings import surroundings

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "round_report.ipynb"
WRITTEN = ("index.html", "numbers.json", "numbers.csv", "report.ipynb", "figures", "run.json")


class ReportError(RuntimeError):
    """A page could not be built; the message names the round and where to look."""


def build(
    workspace: Any,
    rounds: Sequence[str],
    jobs: int = 1,
    parameters: Mapping[str, Any] | None = None,
    executor: Executor | None = None,
) -> list[Path]:
    """Build every named round's page; one that fails does not stop the others."""
    from tqdm import tqdm

    if not rounds:
        raise ReportError(f"{workspace.path} has no rounds yet: open one with `ratebook open`.")
    for name in rounds:  # all names and parameters are checked before the first kernel starts
        workspace.store.round(name)
        checked(name, parameters or {})
    place = (str(workspace.path), workspace.db, str(workspace.reports))
    own = None
    if executor is None and jobs > 1 and len(rounds) > 1:
        context = multiprocessing.get_context("spawn")
        executor = own = ProcessPoolExecutor(min(jobs, len(rounds)), mp_context=context)
    pages, failures = [], []
    try:
        if executor is None:
            futures = None
        else:
            futures = [executor.submit(build_one, *place, name, parameters) for name in rounds]
        # disable=None: a bar on a terminal, none in a pipe.
        for index, name in enumerate(tqdm(rounds, desc="reports", unit="round", disable=None)):
            try:
                done = futures[index].result() if futures else build_one(*place, name, parameters)
                pages.append(done)
            except ReportError as error:
                failures.append(str(error))
    finally:
        if own is not None:
            own.shutdown()
    from .index import write_index

    write_index(workspace.reports)
    if failures:
        raise ReportError("\n".join(failures))
    return pages


def build_one(
    path: str, db: str, reports: str, name: str, parameters: Mapping[str, Any] | None = None
) -> Path:
    """Run the notebook for one round in a fresh kernel and put its page in place."""
    asked = checked(name, parameters or {})
    target = Path(reports) / name
    try:
        Path(reports).mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=reports))
    except OSError as error:
        raise ReportError(f"{name}: cannot write to {reports}: {error.strerror}.") from error
    try:
        notebook, problem = execute(path, db, work, asked.to_dict())
        if problem is not None:
            target.mkdir(exist_ok=True)
            write_notebook(notebook, target / "report.failed.ipynb")
            raise ReportError(f"{name}: {problem} The notebook is {target}/report.failed.ipynb.")
        write_notebook(notebook, work / "report.ipynb")
        document = page(notebook, title=name)
        (work / "index.html").write_text(document, encoding="utf-8")
        (work / "run.json").write_text(run_record(), encoding="utf-8")
        replace(work, target)
    except OSError as error:
        raise ReportError(f"{name}: {error.strerror or error} ({error.filename}).") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target / "index.html"


def execute(path: str, db: str, work: Path, parameters: dict[str, Any]):
    """The executed notebook, and the one-line reason where a cell failed."""
    import nbformat
    import papermill
    from papermill.exceptions import PapermillExecutionError

    logging.getLogger("papermill").setLevel(logging.ERROR)
    given = {name: value for name, value in parameters.items() if value not in (None, [])}
    own = {
        "RATEBOOK_WORKSPACE": str(Path(path).resolve()),
        "RATEBOOK_DB": absolute(db),
        "RATEBOOK_REPORT_OUTPUT": str(work.resolve()),
    }
    result = work / ".executed.ipynb"
    try:
        with surroundings(**own):
            papermill.execute_notebook(
                str(NOTEBOOK),
                str(result),
                parameters=given,
                kernel_name="python3",
                cwd=str(work),
                progress_bar=False,
                log_output=False,
            )
        return steady(nbformat.read(result, as_version=4)), None
    except PapermillExecutionError as error:
        notebook = nbformat.read(result, as_version=4)
        return steady(notebook), f"{error.ename}: {first_line(error.evalue)}"
    except Exception as error:  # a killed kernel, a kernel that never answers
        if not result.exists():
            raise ReportError(
                f"{parameters['round']}: {type(error).__name__}: {first_line(str(error))}"
            ) from error
        notebook = nbformat.read(result, as_version=4)
        return steady(notebook), f"{type(error).__name__}: {first_line(str(error))}"
    finally:
        result.unlink(missing_ok=True)


def absolute(db: str) -> str:
    return db if "://" in db else str(Path(db).resolve())


def first_line(text: str) -> str:
    lines = [line for line in str(text).strip().splitlines() if line.strip()]
    line = lines[0] if lines else "no message"
    return line if line.endswith(".") else line + "."


def write_notebook(notebook: Any, file: Path) -> None:
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    file.write_text(text, encoding="utf-8")


def replace(work: Path, target: Path) -> None:
    """Put a finished report where the old one was; readers see the old or the new, not a mix."""
    old = Path(str(work) + ".old")
    if target.exists():
        for extra in target.iterdir():
            if extra.name not in (*WRITTEN, "report.failed.ipynb"):
                kept = work / extra.name
                os.rename(extra, kept)
        os.rename(target, old)
    os.rename(work, target)
    shutil.rmtree(old, ignore_errors=True)
