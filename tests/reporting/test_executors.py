"""Pages made by an executor's workers: all of them whole, each once, also where a worker dies."""

import gc
import json
import os
import signal
import threading
import time
import warnings
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.commands.reports import workers
from raterbook.files import import_answers
from raterbook.reporting import ReportError, build
from tests.analysis.look_designs import DESIGNS, false_verdicts
from tests.benchmarks import shared

from .rounds import records

ROUNDS = ("one", "two", "three")


@pytest.fixture(autouse=True)
def ended():
    """Loops that threads leave open, Dask's and a notebook's, end here and in no other test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.fixture
def place(tmp_path):
    """Three rounds of three items, two people each."""
    workspace = Workspace(tmp_path / "place", reports=tmp_path / "reports")
    items = tmp_path / "items.jsonl"
    rows = records("halo-support", 3)
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answers = tmp_path / "answers.csv"
    lines = [f"i00{i},{who},label,SUPPORTED" for i in range(3) for who in ("ana", "ben")]
    answers.write_text("\n".join(["item,rater,question,value", *lines]) + "\n", encoding="utf-8")
    for name in ROUNDS:
        workspace.open(name, "halo-support", items)
        import_answers(workspace.round(name), answers)
    return workspace


def whole(place) -> dict[str, bool]:
    """Which rounds have a page with all that belongs to it."""
    files = ("index.html", "numbers.json", "numbers.csv", "report.ipynb", "run.json")
    return {
        name: all((place.reports / name / file).is_file() for file in files)
        and (place.reports / name / "index.html").read_text("utf-8").rstrip().endswith("</html>")
        for name in ROUNDS
    }


def left_behind(place) -> list[str]:
    return [path.name for path in place.reports.iterdir() if path.name.startswith(".")]


def test_threads_of_one_process_do_not_mix_their_pages(place):
    with ThreadPoolExecutor(2) as executor:
        pages = place.report(*ROUNDS[:2], executor=executor)
    made = [json.loads((page.parent / "numbers.json").read_text("utf-8")) for page in pages]
    names = [each["round"] for each in made]
    assert names == list(ROUNDS[:2])


class Repeating(Executor):
    """Runs all that it is given twice, as a scheduler does that lost the first answer."""

    def submit(self, work, /, *given, **named):
        future = Future()
        work(*given, **named)
        before = os.stat(Path(given[0][2]) / given[1] / "index.html").st_ino
        future.set_result(work(*given, **named))
        assert os.stat(Path(given[0][2]) / given[1] / "index.html").st_ino == before
        return future


def test_a_page_in_place_is_not_made_again_in_the_same_run(place):
    build(place, ["one"], Repeating())
    before = os.stat(place.reports / "one" / "index.html").st_ino
    build(place, ["one"])
    assert os.stat(place.reports / "one" / "index.html").st_ino != before


class Failing(Executor):
    """Gives up one of the rounds, and makes the others."""

    def submit(self, work, /, *given, **named):
        future = Future()
        if given[1] == "two":
            future.set_exception(OSError("the worker is gone"))
        else:
            future.set_result(work(*given, **named))
        return future


def test_what_an_executor_gives_up_is_named_and_the_others_are_made(place):
    with pytest.raises(ReportError, match=r"^two: the executor gave it up: OSError: the worker"):
        build(place, ["two", "one"], Failing())
    assert (place.reports / "one" / "index.html").exists()


def test_a_scheduler_that_does_not_answer_is_named(place, capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("raterbook.commands.reports.PATIENCE", 0.2)
    words = ["--workspace", str(place.path), "report", "one", "--dask", "tcp://127.0.0.1:9"]
    assert main(words) == 2
    assert "no scheduler answers" in capsys.readouterr().err
    assert main([*words, "--jobs", "2"]) == 2
    assert "give one of them" in capsys.readouterr().err


class Idle(ExitStack):
    """A client of a scheduler that has no workers, or one."""

    threads: ClassVar[dict[str, int]] = {}

    def nthreads(self):
        return self.threads

    def get_executor(self):
        return None


@pytest.mark.parametrize("threads", [{}, {"tcp://127.0.0.1:8787": 1}])
def test_a_scheduler_without_workers_says_what_it_waits_for(capsys, monkeypatch, threads):
    pytest.importorskip("distributed")
    monkeypatch.setattr(Idle, "threads", threads)
    monkeypatch.setattr("distributed.Client", lambda *_, **__: Idle())
    with workers("tcp://127.0.0.1:8786"):
        said = capsys.readouterr().err
    assert ("waiting for `dask worker tcp://127.0.0.1:8786`" in said) is not bool(threads)


# Dask: a scheduler and two workers on loopback, each worker a process of its own.


def counting():
    """`build_one`, with a line in a file for each time it begins and each time it ends."""

    def counted(place, name, *given):  # sent to the workers as it is, which know no tests
        import os
        from pathlib import Path

        from raterbook.reporting.run import build_one

        def note(word):
            with (Path(place[2]).parent / "log").open("a", encoding="utf-8") as file:
                file.write(f"{word} {name} {os.getpid()}\n")

        note("begun")
        found = build_one(place, name, *given)
        note("done")
        return found

    return counted


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_of_dask_leaves_every_page_whole_and_made_once(place, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("raterbook.reporting.run.build_one", counting())
    log = place.path.parent / "log"
    killed = []

    def kill() -> None:
        while not killed:
            begun = log.read_text("utf-8").split() if log.exists() else []
            working = [
                folder
                for folder in place.reports.glob(".*")
                if folder.is_dir() and any(folder.iterdir())
            ]
            if begun and working:
                victim = int(begun[2])
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)
            time.sleep(0.01)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        threading.Thread(target=kill, daemon=True).start()
        pages = build(place, ROUNDS, client.get_executor())
    assert killed
    assert [page.parent.name for page in pages] == list(ROUNDS)
    assert whole(place) == dict.fromkeys(ROUNDS, True)
    done = [line.split()[1] for line in log.read_text("utf-8").splitlines() if line[0] == "d"]
    assert sorted(done) == sorted(ROUNDS)
    begun = [line for line in log.read_text("utf-8").splitlines() if line[0] == "b"]
    assert len(begun) > len(ROUNDS)  # the control: what the worker had begun was begun again
    assert left_behind(place) == []


def simulated(jobs=1, dask=None):
    """The share of false verdicts in a few rounds of two designs, by whoever counts them."""
    with shared(SimpleNamespace(jobs=jobs, dask=dask)) as over:
        return [*over(false_verdicts, list(DESIGNS)[:2], [40, 40], [False, False])]


@pytest.mark.filterwarnings("ignore")
def test_a_simulation_comes_to_the_same_on_processes_and_on_dask():
    distributed = pytest.importorskip("distributed")
    alone = simulated()
    assert simulated(jobs=2) == alone
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        assert simulated(dask=cluster.scheduler_address) == alone
