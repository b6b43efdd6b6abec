"""The notebooks, begun wrongly: a sentence, and nothing about another round than was asked for."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import papermill
import pytest

from raterbook.notebooks import refuse_unknown
from raterbook.numbers.parameters import checked
from raterbook.protocols.problems import Refusal
from raterbook.rounds import ItemTable, RoundError, Store
from tests.browser.conftest import sample_rows

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture
def folder(tmp_path):
    """A workspace with one round, round-01, and its rater ana."""
    from raterbook.protocols import load

    asked = load("halo-support")
    rows, _ = sample_rows(asked, 2)
    store = Store(tmp_path / "data" / "raterbook.sqlite")
    store.open("round-01", asked, ItemTable.from_records(asked, rows), raters=["ana"])
    store.dispose()
    return tmp_path


def run(folder, name, *words):
    """What papermill says at the end, and the output of the cell that failed."""
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "--no-progress-bar",
         str(ROOT / "notebooks" / f"{name}.ipynb"), "out.ipynb", *words],
        cwd=folder, env=os.environ | {"RATERBOOK_WORKSPACE": str(folder)}, capture_output=True,
        check=False, timeout=300, text=True,
    )  # fmt: skip
    cells = json.loads((folder / "out.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return done, [output for output in outputs if output["output_type"] == "error"]


def code(path, cell=None):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join(
        "".join(each["source"])
        for each in cells
        if each["cell_type"] == "code" and cell in (None, each["id"])
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_calls_the_round_by_one_name_and_has_no_default(path):
    first = ast.parse(code(path, "parameters")).body[0]
    assert (first.targets[0].id, first.value.value) == ("round_name", None)
    named = {
        node.id
        for node in ast.walk(ast.parse(code(path)))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    assert named.isdisjoint(dir(__import__("builtins")))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_papermill_reads_every_parameter_of_a_notebook_with_its_meaning(path):
    """Of a line with a second “=” it says that it cannot be parsed, and lists it nowhere."""
    first = ast.parse(code(path, "parameters")).body
    found = papermill.inspect_notebook(str(path))
    assert list(found) == [line.targets[0].id for line in first]
    assert all(each["help"] for each in found.values())


@pytest.mark.parametrize("given", [{"interval": "boot"}, {"coverage": "all"}, {"ties": "last"}])
def test_a_wrong_value_of_a_parameter_is_a_sentence_in_the_notebook(given):
    with pytest.raises(Refusal, match=f"parameter {next(iter(given))}: ") as found:
        checked("round-01", given)
    assert found.value._render_traceback_() == [str(found.value)]


def test_a_parameter_the_notebook_does_not_have_stops_it(folder):
    done, errors = run(folder, "round_report", "-p", "round_id", "round-01")
    assert done.returncode != 0
    said = errors[0]["evalue"]
    assert said.startswith("This notebook has no parameter round_id; it has round_name, raters, ")
    assert said.endswith("Did you mean round_name?")
    assert errors[0]["traceback"] == [said]


def test_the_leads_notebook_runs_with_a_round_and_knows_its_one_parameter(folder):
    done, errors = run(folder, "open", "-p", "round_name", "round-01")
    assert (done.returncode, errors) == (0, [])
    done, errors = run(folder, "open", "-p", "round", "round-01")
    assert errors[0]["evalue"].endswith("it has round_name. Did you mean round_name?")


def test_without_a_round_the_notebook_names_those_there_are(folder):
    done, errors = run(folder, "explore")
    assert done.returncode != 0
    assert "No round is named: set round_name" in errors[0]["evalue"]
    assert "round-01" in errors[0]["evalue"]


def test_the_plan_draws_its_curve_and_says_what_it_recommends(folder):
    from raterbook import Workspace
    from raterbook.protocols import load
    from raterbook.rounds import Event

    asked, labels = load("halo-support"), ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")
    rows, _ = sample_rows(asked, 24)
    table = ItemTable.from_records(asked, rows)
    round_ = Workspace(folder).store.open("pilot", asked, table, raters=["ana", "ben"])
    for place, who in enumerate(("ana", "ben")):
        said = {
            each.key: labels[(n + place * (n % 4 == 0)) % 3]
            for n, each in enumerate(round_.items())
        }
        round_.save(who, [Event(None, key, "label", value) for key, value in said.items()])
    done, errors = run(folder, "plan", "-p", "round_name", "pilot")
    assert (done.returncode, errors) == (0, [])
    assert "in place of" in (folder / "out.ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-p", "round_name", "round-1", "-p", "rater", "ana"),
         "There is no round 'round-1' in data/raterbook.sqlite; rounds: round-01."),
        (("-p", "round_name", "round-01", "-p", "rater", "anna"),
         "'anna' is not a rater of round-01 (raters: ana). Did you mean ana? Somebody new is "
         "added once with Workspace().round('round-01').add_rater('anna')."),
        (("-p", "round_name", "round-01"),
         "No rater is named: set rater to your name as round-01 has it (ana)."),
    ],
    ids=["round", "rater", "no rater"],
)  # fmt: skip
def test_a_wrong_name_is_answered_by_a_sentence_and_no_traceback(folder, words, said):
    _, (error,) = run(folder, "rate", *words)
    shown = error["evalue"].replace(str(folder) + "/", "")
    assert shown == said
    assert error["traceback"] == [error["evalue"]]


def test_only_papermills_own_cell_is_looked_at_for_unknown_parameters():
    own = "round_name = None\nseed = 0"
    refuse_unknown([])
    refuse_unknown(["", own, "further = 3"])
    refuse_unknown(["", own, "# Parameters\nseed = 3\n", "further = 3"])
    with pytest.raises(RoundError, match=r"no parameter sede, x; it has round_name, seed\. Did"):
        refuse_unknown(["", own, "# Parameters\nsede = 3\nx = 1\nseed = 2\n"])


def test_a_workspace_a_round_and_its_numbers_show_themselves_in_a_few_lines(folder):
    from raterbook import Workspace

    round_ = Workspace(folder).round("round-01")
    for shown in (Workspace(folder), round_, round_.status(), round_.numbers()):
        assert hasattr(shown, "_repr_html_")
        assert len(repr(shown)) < 5_000


def test_a_section_brings_its_look_to_whatever_shows_the_notebook(folder):
    from raterbook import Workspace

    assert "<style" in Workspace(folder).round("round-01").read().verdict()._repr_html_()


def test_what_a_report_returns_opens_the_page_from_the_notebook(folder):
    from raterbook import Workspace

    assert hasattr(Workspace(folder).round("round-01").report(), "_repr_html_")


def submitted(round_, *places):
    """What the form sends when these items of ana are answered and submitted."""
    from raterbook.rounds import Event

    for place in places:
        key = round_.items()[place].key
        round_.save("ana", [Event(None, key, "label", "SUPPORTED")])
        assert round_.mark("ana", key, "submit").ok


@pytest.mark.parametrize(
    ("name", "more"), [("explore", ()), ("plan", ()), ("compare", ("-p", "model", "gauge"))]
)
def test_a_round_in_which_people_still_rate_is_looked_at_only_where_that_is_said(
    folder, name, more
):
    from raterbook import Workspace

    submitted(Workspace(folder).round("round-01"), 0)
    done, (error,) = run(folder, name, "-p", "round_name", "round-01", *more)
    assert done.returncode != 0
    assert error["evalue"].startswith(
        "People still rate in round-01: 1 assigned item not finished. Agreement stays hidden"
    )
    assert error["evalue"].endswith("papermill that is -p now True.")
    _, errors = run(folder, name, "-p", "round_name", "round-01", "-p", "now", "True", *more)
    assert not any("People still rate" in each["evalue"] for each in errors)


def test_rounds_that_are_closed_or_complete_or_have_looks_or_a_files_answers_are_shown(folder):
    from raterbook import Workspace
    from raterbook.notebooks import refuse_early
    from raterbook.protocols import load

    rated = Workspace(folder).round("round-01")
    refuse_early(rated)  # nobody began
    submitted(rated, 0)
    with pytest.raises(RoundError, match="1 assigned item not finished"):
        refuse_early(rated)
    rated.close()
    refuse_early(rated)
    rated.reopen()
    submitted(rated, 1)
    refuse_early(rated)

    asked = load("halo-support")
    rows, _ = sample_rows(asked, 2)
    rows = [{**row, "id": f"n{n}"} for n, row in enumerate(rows)]
    (folder / "said.csv").write_text("item,rater,question,value\nn0,ana,label,SUPPORTED\n")
    store, table = rated.workspace.store, ItemTable.from_records(asked, rows)
    store.open("brought", asked, table, raters=["ana"])
    brought = rated.workspace.round("brought")
    brought.add(folder / "said.csv")
    assert brought.status()["unfinished"] == 1
    refuse_early(brought)
    store.open("looks", asked, table, raters=["ana"], looks=2)
    declared = rated.workspace.round("looks")
    submitted(declared, 0)
    refuse_early(declared)  # which has a refusal of its own
