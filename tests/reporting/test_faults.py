"""When something goes wrong: one clear line, a failed notebook to look at, and no finished page."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import nbformat
import pytest

from raterbook import Workspace
from raterbook.numbers.compute import numbers
from raterbook.reporting import ReportError, build, kernel
from raterbook.reporting.run import build_one
from tests.browser.conftest import open_round
from tests.reporting.conftest import ROOT
from tests.reporting.rounds import records

PARAMETERS = """round_name = ""
raters = questions = groups = None
coverage = interval = resamples = seed = ties = pseudonyms = None"""
SECTION = """import os
from pathlib import Path
from raterbook.reporting.html import Section
Path(os.environ["RATERBOOK_REPORT_OUTPUT"], "numbers.json").write_text(
    '{"round": "%s", "protocol": "p", "numbers": [], "targets": []}' % round_name)
Section("Done", "<p>a page</p>")"""


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Lets a report run another notebook: the parameters, then these cells."""

    def use(*cells):
        def cell(number, source, tags=()):
            return {
                "cell_type": "code",
                "id": f"c{number}",
                "metadata": {"tags": list(tags)},
                "execution_count": None,
                "outputs": [],
                "source": source,
            }

        document = {
            "cells": [cell(0, PARAMETERS, ["parameters"])]
            + [cell(number, source) for number, source in enumerate(cells, 1)],
            "metadata": {
                "kernelspec": {"name": "python3", "display_name": "p", "language": "python"}
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        file = tmp_path / "given.ipynb"
        file.write_text(json.dumps(document), encoding="utf-8")
        monkeypatch.setattr(kernel, "NOTEBOOK", file)

    return use


@pytest.fixture
def place(workspace, tmp_path):
    return Workspace(workspace.path, reports=tmp_path / "reports")


def test_a_notebook_that_raises_leaves_itself_and_one_line(notebook, place):
    notebook("1 / 0")
    with pytest.raises(ReportError) as caught:
        build(place, ["halo-sample"])
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("halo-sample: ZeroDivisionError: division by zero.")
    folder = place.reports / "halo-sample"
    assert [path.name for path in folder.iterdir()] == ["report.failed.ipynb"]
    failed = (folder / "report.failed.ipynb").read_text("utf-8")
    assert "ZeroDivisionError" in failed
    assert str(ROOT) not in failed
    assert "halo-sample" not in (place.reports / "index.html").read_text("utf-8")


def test_a_killed_kernel_is_said_to_be_dead(notebook, place):
    notebook("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(ReportError, match=r"halo-sample: DeadKernelError: Kernel died\."):
        build(place, ["halo-sample"])
    folder = place.reports / "halo-sample"
    assert [path.name for path in folder.iterdir()] == ["report.failed.ipynb"]


def test_a_warning_is_a_failure_that_quotes_it(notebook, place):
    notebook("import warnings\nwarnings.warn('old ways')", SECTION)
    with pytest.raises(ReportError, match=r"printed a warning.*old ways"):
        build(place, ["halo-sample"])


def test_the_others_go_on_when_one_round_fails(notebook, place):
    notebook("assert round_name != 'halo-sample', 'not this one'", SECTION)
    with pytest.raises(ReportError, match="halo-sample: AssertionError: not this one"):
        build(place, ["halo-sample", "stem-sample"])
    assert (place.reports / "stem-sample" / "index.html").exists()
    assert not (place.reports / "halo-sample" / "index.html").exists()


def test_an_earlier_page_stays_when_a_run_fails_and_the_index_says_so(notebook, place):
    notebook(SECTION)
    build(place, ["halo-sample"])
    note = place.reports / "halo-sample" / "note.txt"
    note.write_text("by hand")
    notebook("1 / 0")
    with pytest.raises(ReportError):
        build(place, ["halo-sample"])
    folder = place.reports / "halo-sample"
    assert "a page" in (folder / "index.html").read_text("utf-8")
    assert "the latest run failed" in (place.reports / "index.html").read_text("utf-8")
    notebook(SECTION)
    build(place, ["halo-sample"])
    assert not (folder / "report.failed.ipynb").exists()
    assert note.read_text() == "by hand"


def test_a_folder_that_cannot_be_written_is_named_with_a_remedy(workspace, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file, not a folder")
    with pytest.raises(ReportError, match=r"taken cannot be written .*--reports"):
        build_one((str(workspace.path), workspace.db, str(taken)), "halo-sample")


def test_a_full_disk_is_one_line_and_leaves_no_half_page(notebook, place, monkeypatch):
    notebook(SECTION)
    write = Path.write_text

    def full(self, text, *given, **named):
        if self.name == "index.html" and self.parent.name.startswith(".halo"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return write(self, text, *given, **named)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ReportError, match=r"halo-sample: No space left on device.*make room"):
        build(place, ["halo-sample"])
    assert not (place.reports / "halo-sample").exists()
    assert [path.name for path in place.reports.iterdir()] == ["index.html"]


def test_a_disk_that_fills_up_inside_the_kernel_is_one_line_too(notebook, place):
    notebook("raise OSError(28, 'No space left on device', 'numbers.json')")
    with pytest.raises(ReportError, match=r"halo-sample: OSError: .*No space left on device"):
        build(place, ["halo-sample"])


def test_two_runs_at_once_on_one_round_leave_one_whole_report(notebook, place):
    """Both finish; the later one stays, and no half of either."""
    notebook(SECTION)
    place.reports.mkdir()
    from raterbook.reporting.folder import MADE, fresh_folder, put_in_place

    failures = []

    def run(number):
        try:
            for _ in range(20):
                work = fresh_folder(place.reports, "halo-sample")
                for name in ("index.html", "numbers.json"):
                    (work / name).write_text(str(number))
                put_in_place(work, place.reports / "halo-sample")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    folder = place.reports / "halo-sample"
    texts = {path.read_text() for path in folder.iterdir()}
    assert len(texts) == 1
    assert {path.name for path in folder.iterdir()} <= set(MADE)
    assert [path.name for path in place.reports.iterdir()] == ["halo-sample"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sede": 3}, r"Unknown report parameter 'sede'.*Did you mean seed\?"),
        ({"seed": "x"}, "parameter seed: 'x' is not a whole number"),
        ({"seed": 1.5}, "parameter seed: 1.5 is not a whole number"),
        ({"coverage": 95}, r"parameter coverage: 95.0 is not between \.5 and 1"),
        ({"interval": "normal"}, "'normal' is not one of jackknife, bootstrap, bca, analytic"),
        ({"resamples": 3}, "parameter resamples: 3 is not 100 to 1,000,000"),
        ({"ties": "last"}, "'last' is not one of none, first"),
        ({"round": "x"}, "Unknown report parameter 'round'"),
    ],
)
def test_parameters_are_checked_before_a_kernel_starts(place, given, said):
    with pytest.raises(ValueError, match=said):
        build(place, ["halo-sample"], parameters=given)
    assert not place.reports.exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"raters": "r2,zoe"}, r"^parameter raters: halo-sample has no 'zoe'\. Choose from .*r2"),
        ({"questions": ["lable"]}, r"^parameter questions: .* no 'lable'\. Choose from label"),
        ({"groups": "domain"}, r"^parameter groups: .* no 'domain'\. Choose from auto_label"),
    ],
)
def test_names_the_round_does_not_have_are_refused_before_a_kernel_starts(place, given, said):
    with pytest.raises(ValueError, match=said):
        place.round("halo-sample").numbers(**given)
    with pytest.raises(ValueError, match=said):
        build(place, ["halo-sample"], parameters=given)
    assert not place.reports.exists()


def test_an_excluded_rater_cannot_be_named_and_the_way_back_is(by_hand):
    items = records("halo-support", 3)
    stored = by_hand("halo-support", items, [("ana", "i000", "label", "SUPPORTED")])
    stored.exclude("ana", "left the study")
    with pytest.raises(ValueError, match=r"ana is excluded .*left the study.*raterbook include"):
        numbers(stored, raters="ana")


def test_what_a_sentence_of_ours_says_in_the_kernel_needs_no_name_of_an_error(notebook, place):
    notebook("raise ValueError('halo-sample: nothing to report, because of this.')")
    with pytest.raises(ReportError, match=r"^halo-sample: halo-sample: nothing to report"):
        build(place, ["halo-sample"])


def test_an_unknown_round_is_refused_before_anything_is_written(place):
    with pytest.raises((ValueError, LookupError), match="halo-smaple"):
        build(place, ["halo-sample", "halo-smaple"])
    assert not place.reports.exists()


def test_two_commands_at_once_on_one_round_leave_one_whole_report(built, workspace, tmp_path):
    """Real runs, each in a process of its own; what stays is the page of either, in full."""
    words = [
        *(sys.executable, "-m", "raterbook", "--workspace", str(workspace.path)),
        *("--reports", str(tmp_path / "reports"), "report", "halo-sample"),
    ]
    runs = [
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for run in runs:
        _, said = run.communicate(timeout=300)
        assert run.returncode == 0, said
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == [
        "halo-sample",
        "index.html",
    ]
    folder = tmp_path / "reports" / "halo-sample"
    for name in ("index.html", "numbers.json", "numbers.csv", "report.ipynb"):
        assert (folder / name).read_bytes() == (built / "halo-sample" / name).read_bytes(), name


def test_ctrl_c_while_processes_build_pages_is_one_line_and_leaves_nothing_half_built(tmp_path):
    for number in range(4):
        open_round(tmp_path, "halo-support", 3, name=f"r{number}")
    words = [*(sys.executable, "-m", "raterbook", "--workspace", str(tmp_path)),
             *("report", "--all", "--jobs", "2")]  # fmt: skip
    run = subprocess.Popen(words, cwd=tmp_path, start_new_session=True, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    reports = tmp_path / "reports"
    while run.poll() is None and not (reports.is_dir() and any(reports.iterdir())):
        time.sleep(0.05)  # until a process builds
    os.killpg(run.pid, signal.SIGINT)  # as the keys do: all of the group hear it
    said, errors = run.communicate(timeout=120)
    assert (run.returncode, said) == (130, "")
    assert errors == "Stopped; what was saved stays saved.\n"
    assert not reports.is_dir() or list(reports.iterdir()) == []


def test_a_process_whose_ctrl_c_was_passed_over_leaves_no_page_and_no_failed_notebook(
    tmp_path, monkeypatch
):
    """Somebody's `except:` can take the SystemExit of the handler; the kernel then fails of it."""
    open_round(tmp_path, "halo-support", 3, name="r")
    place = Workspace(tmp_path)
    heard = threading.Event()
    monkeypatch.setattr("raterbook.reporting.run.ENDED", heard)

    def executed(*given):
        heard.set()
        return nbformat.v4.new_notebook(), "KeyboardInterrupt: no message."

    monkeypatch.setattr(kernel, "execute", executed)
    with pytest.raises(SystemExit):
        build_one((str(place.path), place.db, str(place.reports)), "r")
    assert list(place.reports.iterdir()) == []


def begun_by(pid):
    """How many processes of a pool it has."""
    told = subprocess.run(["ps", "-o", "args=", "--ppid", str(pid)], capture_output=True, text=True)
    return told.stdout.count("multiprocessing.spawn")


@pytest.mark.parametrize("tell", [os.killpg, os.kill], ids=["all", "one"])
def test_ctrl_c_before_the_processes_build_is_heard_by_them_too(tmp_path, tell):
    """Told to all, as the keys do, or to the one that began them, as a service does."""
    for number in range(3):
        open_round(tmp_path, "halo-support", 3, name=f"r{number}")
    words = [*(sys.executable, "-m", "raterbook", "--workspace", str(tmp_path)),
             *("report", "--all", "--jobs", "2")]  # fmt: skip
    run = subprocess.Popen(words, cwd=tmp_path, start_new_session=True, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    while run.poll() is None and not begun_by(run.pid):
        time.sleep(0.05)
    tell(run.pid, signal.SIGINT)
    said, errors = run.communicate(timeout=120)
    assert (run.returncode, said, errors) == (130, "", "Stopped; what was saved stays saved.\n")
    assert list((tmp_path / "reports").glob("*/index.html")) == []
