"""The notebook, run by papermill in a fresh kernel; what went wrong, in one line."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ..environment import SHIPPED
from .html import fill, undressed

# Errors with a sentence of our own, which says all by itself.
OURS = ("ValueError", "RoundError", "ReportError", "ProtocolError")
RESCUING = "raterbook"
NOTEBOOK = SHIPPED / "notebooks" / "round_report.ipynb"
TIMES = ("papermill", "execution", "ExecuteTime")
# Hears how many cells of how many are done, where somebody watches.
WATCHER: ContextVar[Callable[[int, int], None] | None] = ContextVar("watcher", default=None)


def execute(
    path: str, db: str, work: Path, parameters: dict[str, Any], paper: bool = False
) -> tuple[Any, str | None]:
    """The executed notebook, and the reason where it failed; without a notebook if none began."""
    import nbformat
    import papermill
    from papermill.exceptions import PapermillExecutionError

    register_rescuing()
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    names = {"round": "round_name"}  # where in a notebook it would hide Python's own `round`
    given = {
        names.get(name, name): value
        for name, value in parameters.items()
        if value not in (None, [])
    }
    own = {
        "RATERBOOK_WORKSPACE": str(Path(path).resolve()),
        "RATERBOOK_DB": db if "://" in db else str(Path(db).resolve()),
        "RATERBOOK_REPORT_OUTPUT": str(work.resolve()),
        "RATERBOOK_REPORT_PAPER": "1" if paper else "",
    }
    result = work / ".executed.ipynb"
    problem = None
    try:
        with surroundings(**own), private_transport() as config:
            papermill.execute_notebook(
                str(NOTEBOOK),
                str(result),
                parameters=given,
                kernel_name="python3",
                cwd=str(work),
                progress_bar=False,
                log_output=False,
                engine_name=RESCUING,
                rescue=str(result),
                request_save_on_cell_execute=False,  # it would write the notebook 60 times
                autosave_cell_every=0,
                # The kernel's own log is no part of the output; what fails is in the notebook.
                extra_arguments=["--IPKernelApp.log_level=50"],
                **config,
            )
    except PapermillExecutionError as error:
        problem = first_line(error.evalue)
        if error.ename not in OURS:
            problem = f"{error.ename}: {problem}"
    except OSError:
        raise
    except Exception as error:  # a killed kernel, a kernel that never answers
        problem = f"{type(error).__name__}: {first_line(str(error))}"
    if not result.exists():
        return None, problem or "the notebook left no result."
    notebook = steady(nbformat.read(result, as_version=4))
    result.unlink()
    said = printed(notebook)
    if problem is None and said:
        problem = f"the notebook printed a warning, which a page must not hide: {first_line(said)}"
    if problem is not None:
        without_paths(notebook, work)
    return notebook, problem


def page(notebook: Any, title: str) -> str:
    """The page of a run: every text/html output in order, without code or script."""
    sections = [
        html
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
        for html in displayed(cell)
    ]
    return fill(title, "\n".join(sections))


def displayed(cell: Any) -> list[str]:
    found = []
    for output in cell["outputs"]:
        if output["output_type"] in ("display_data", "execute_result"):
            html = output["data"].get("text/html")
            if html:
                found.append(undressed("".join(html)))
    return found


def steady(notebook: Any) -> Any:
    """Strip what differs from run to run: times, the injected cell's id, absolute paths."""
    for name in (*TIMES, "widgets"):
        notebook["metadata"].pop(name, None)
    language = notebook["metadata"].get("language_info")
    if language:
        notebook["metadata"]["language_info"] = {"name": language["name"]}
    for number, cell in enumerate(notebook["cells"]):
        for name in TIMES:
            cell["metadata"].pop(name, None)
        if "injected-parameters" in cell["metadata"].get("tags", []):
            cell["id"] = "injected-parameters"
        elif "id" not in cell:
            cell["id"] = f"cell-{number:02d}"
    return notebook


def register_rescuing() -> None:
    """Papermill's engine, but what was done is written once: at the end, or when a kernel dies."""
    from papermill.engines import NBClientEngine, papermill_engines

    class Rescuing(NBClientEngine):
        @classmethod
        def execute_managed_notebook(
            cls, nb_man: Any, kernel_name: str, rescue: str = "", **more: Any
        ) -> None:
            watch, complete = WATCHER.get(), nb_man.cell_complete

            def completed(cell: Any, cell_index: int, **told: Any) -> None:
                complete(cell, cell_index, **told)
                if watch is not None:
                    watch(cell_index + 1, len(nb_man.nb.cells))

            nb_man.cell_complete = completed
            try:
                super().execute_managed_notebook(nb_man, kernel_name, **more)
            except Exception:
                nb_man.output_path = rescue
                nb_man.save()
                raise

    papermill_engines.register(RESCUING, Rescuing)


@contextmanager
def private_transport() -> Iterator[dict[str, Any]]:
    """Talk to the kernel over sockets in a folder of its own.

    Nobody else on the machine can listen, and runs side by side never share an address.
    """
    if os.name == "nt":
        yield {}
        return
    from traitlets.config import Config

    # Addresses of sockets are short: the system's own temporary folder, not one deep inside.
    short = "/tmp"  # noqa: S108  (mkdtemp makes a folder in it that is ours alone)
    folder = tempfile.mkdtemp(prefix="rb-", dir=short if os.access(short, os.W_OK) else None)
    try:
        yield {"config": Config({"AsyncKernelManager": {"transport": "ipc", "ip": f"{folder}/k"}})}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def first_line(text: str) -> str:
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    line = lines[0] if lines else "no message"
    return line if line.endswith(".") else line + "."


def printed(notebook: Any) -> str:
    """What cells wrote to standard error."""
    return "".join(
        output["text"]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
        for output in cell["outputs"]
        if output["output_type"] == "stream" and output["name"] == "stderr"
    )


def without_paths(notebook: Any, work: Path) -> None:
    """Tracebacks name files; where these lie on this machine is nobody's business."""
    places = {
        str(work.resolve()): "report",
        str(Path(__file__).parents[2]): "raterbook",
        str(Path(sys.prefix)): "python",
        str(Path.home()): "~",
    }
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                output["traceback"] = [shortened(line, places) for line in output["traceback"]]
            elif output["output_type"] == "stream":
                output["text"] = shortened(output["text"], places)


def shortened(text: str, places: dict[str, str]) -> str:
    for place in sorted(places, key=len, reverse=True):
        if place not in ("/", os.sep):
            text = text.replace(place, places[place])
    return re.sub(r"(/tmp/|/var/folders/)[^\s:'\"]+", "…", text)


# Where a report's kernel may write: caches inside the system's cache folder, nothing in HOME.


FOLDERS = {
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "MPLCONFIGDIR": "matplotlib",
}
# A kernel gives back what it no longer needs, or a large round's report takes half as much again.
# Its matrices are small: threads that wait for each other took a sixth of a report's time.
THRIFT = {
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(2**18),
    "MALLOC_ARENA_MAX": "2",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


ALONE = threading.Lock()


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "raterbook"


@contextmanager
def surroundings(**further: str) -> Iterator[None]:
    """Environment variables for a run, put back afterwards.

    They are the whole process's, so the runs of an executor's threads wait for each other here.
    """
    with ALONE:
        yield from _set(**further)


def _set(**further: str) -> Iterator[None]:
    wanted = {name: str(cache_folder() / folder) for name, folder in FOLDERS.items()}
    wanted = {name: os.environ.get(name) or value for name, value in wanted.items()}
    # IPython writes its history there; a report has none to keep, and a shared file would lock.
    for name in FOLDERS:
        Path(wanted[name]).mkdir(parents=True, exist_ok=True)
    wanted |= {name: os.environ.get(name) or value for name, value in THRIFT.items()}
    wanted |= {"PYTHONHASHSEED": "0", "MPLBACKEND": "agg", **further}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
