"""Same answers, same page: byte for byte; another seed moves only what is drawn at random."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from raterbook.numbers.compute import numbers
from raterbook.reporting import Report, build
from raterbook.reporting.html import fill, undressed
from raterbook.reporting.report import SECTIONS
from raterbook.rounds import Event
from tests.golden import kept, moved
from tests.reporting.conftest import ROOT, SAMPLES
from tests.reporting.rounds import records


@pytest.fixture(scope="module")
def again(workspace, built, tmp_path_factory):
    """The HALO page a second time, elsewhere."""
    from raterbook import Workspace

    other = Workspace(workspace.path, reports=tmp_path_factory.mktemp("again"))
    build(other, ["halo-sample"], paper=True)
    return other.reports / "halo-sample"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_built_pages_numbers_are_those_kept(numbers_of, name):
    assert moved(kept(name), numbers_of[name]) == []


@pytest.mark.parametrize("name", ["halo-sample", "stem-sample"])
def test_the_head_of_the_history_stands_on_the_page_and_beside_it(workspace, built, name):
    head = json.loads((built / name / "run.json").read_text("utf-8"))["history"]
    assert f"<dt>history</dt><dd>{head['head']}" in (built / name / "index.html").read_text("utf-8")
    assert workspace.store.recorded(head["head"], head["links"]).fits


def test_two_runs_are_the_same_byte_for_byte_but_for_the_times(built, again):
    first = built / "halo-sample"
    names = sorted(str(path.relative_to(first)) for path in first.rglob("*") if path.is_file())
    assert names == sorted(str(p.relative_to(again)) for p in again.rglob("*") if p.is_file())
    for name in names:
        if name != "run.json":
            assert (first / name).read_bytes() == (again / name).read_bytes(), name


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_comes_out_the_same_in_another_process(workspace, built, tmp_path, name):
    """Here without a kernel, and with strings hashed otherwise than there."""
    report = Report(workspace.store.round(name))
    sections = [getattr(report, section)() for section in SECTIONS]
    shown = [section._repr_html_() for section in sections if section is not None]
    body = "\n".join(map(undressed, shown))
    (tmp_path / "index.html").write_text(fill(name, body), encoding="utf-8")
    report.save(tmp_path)
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(made) > 6
    for path in made:
        place = path.relative_to(tmp_path)
        assert path.read_bytes() == (built / name / place).read_bytes(), place


def test_the_times_the_commit_and_the_dirty_flag_stand_in_run_json_alone(again):
    run = json.loads((again / "run.json").read_text("utf-8"))
    assert {"finished_at", "commit", "dirty", "versions"} <= set(run)
    year = run["finished_at"][:4]
    for file in again.rglob("*"):
        if file.name == "run.json" or not file.is_file():
            continue
        text = file.read_text("utf-8")
        assert run["finished_at"][:10] not in text
        assert not run["commit"] or run["commit"][:10] not in text
        assert '"dirty"' not in text
        assert "execution_time" not in text
        assert f"{year}-" not in text.replace(f"{year}-03-", "")


def test_another_seed_changes_only_drawn_intervals_and_the_seed(workspace):
    stored = workspace.store.round("stem-sample")
    given = {"interval": "bootstrap", "resamples": 200}
    one, same, other = (numbers(stored, seed=seed, **given) for seed in (1, 1, 2))
    assert one.to_json() == same.to_json()
    drawn = {"low", "high", "low_like", "high_like"}
    moved = 0
    for a, b in zip(one.rows, other.rows, strict=True):
        assert str({k: v for k, v in a.items() if k not in drawn}).replace("seed 1", "seed 2") == (
            str({k: v for k, v in b.items() if k not in drawn})
        )
        moved += a != b
    assert moved
    assert one.data == other.data
    assert one.parameters | {"seed": 0} == other.parameters | {"seed": 0}


def test_without_drawing_the_seed_changes_nothing(workspace):
    stored = workspace.store.round("stem-sample")
    one, other = (numbers(stored, seed=seed) for seed in (1, 2))
    assert one.rows == other.rows


def test_one_changed_answer_changes_the_hash_of_the_data(by_hand):
    items = records("halo-support", 3)
    said = [("ana", f"i{n:03d}", "label", "SUPPORTED") for n in range(3)]
    stored = by_hand("halo-support", items, said)
    before = numbers(stored).data
    event = Event(uuid.uuid4().hex, "i001", "label", "NO EVIDENCE")
    stored.save("ana", [event])
    after = numbers(stored).data
    assert before["answers"] != after["answers"]
    assert before["protocol"] == after["protocol"]


def test_plain_papermill_works_from_any_folder(workspace, built, tmp_path):
    """And gives the numbers of the report run."""
    words = [
        *(sys.executable, "-m", "papermill", "--no-progress-bar"),
        *(
            str(ROOT / "notebooks" / "round_report.ipynb"),
            "out.ipynb",
            "-p",
            "round_name",
            "halo-sample",
        ),
    ]
    environment = os.environ | {
        "RATERBOOK_WORKSPACE": str(workspace.path),
        "RATERBOOK_REPORT_OUTPUT": str(tmp_path),
    }
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()[-800:]
    assert (tmp_path / "out.ipynb").exists()
    ours = (built / "halo-sample" / "numbers.json").read_text("utf-8")
    assert (tmp_path / "numbers.json").read_text("utf-8") == ours


def test_the_exploring_notebook_runs_for_scores_and_for_labels(workspace, tmp_path):
    import nbformat
    import papermill

    from raterbook.reporting.kernel import printed, private_transport, surroundings

    notebook = str(ROOT / "notebooks" / "explore.ipynb")
    for name in ("feedback-sample-2", "stem-sample"):
        out = tmp_path / f"{name}.ipynb"
        # Tests run side by side: over sockets of its own no kernel takes another's port.
        with surroundings(RATERBOOK_WORKSPACE=str(workspace.path)), private_transport() as config:
            papermill.execute_notebook(
                notebook,
                str(out),
                {"round_name": name},
                kernel_name="python3",
                progress_bar=False,
                execution_timeout=300,
                **config,
            )
        done = nbformat.read(out, as_version=4)
        assert printed(done) == ""
        widgets = done.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
        drawn = [one["state"].get("value", "") for one in widgets.values()
                 if one["model_name"] == "HTMLModel"]  # fmt: skip
        assert "Who gave which values?" in "".join(drawn)
        outputs = [output for cell in done.cells for output in cell.get("outputs", ())]
        shown = "".join(one.get("data", {}).get("text/html", "") for one in outputs)
        for title in ("Which items split", "Which pairs differ?", "Which levels are confused?"):
            assert f"<h2>{title}" in shown
        # What is captured as output is sent back while the cell ends, and its end can be missed.
        assert "OutputModel" not in {one["model_name"] for one in widgets.values()}


def test_starting_to_report_loads_neither_matplotlib_nor_papermill():
    code = (
        "import sys, raterbook.reporting\n"
        "heavy = {'matplotlib', 'papermill', 'pandas', 'seaborn', 'nbformat'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "from raterbook.reporting.run import build_one\n"  # all the work is the kernel's
        "heavy = {'matplotlib', 'pandas', 'sqlalchemy', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "from raterbook.reporting import numbers, ReportError\n"
        "heavy = {'matplotlib', 'papermill', 'seaborn'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(ROOT))
