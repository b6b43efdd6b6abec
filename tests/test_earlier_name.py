"""Until 0.2 this was called Ratebook: what people set up under that name goes on working."""

import os
import subprocess
import sys

import pandas as pd
import pytest

from raterbook import Workspace

ITEMS = pd.DataFrame(
    {"id": ["a"], "question": ["Why?"], "context": ["So."], "generated_answer": ["So."]}
)


@pytest.fixture
def earlier(tmp_path):
    """A workspace whose database has the name of the earlier version."""
    folder = tmp_path / "earlier"
    place = Workspace(folder, db=str(folder / "data" / "ratebook.sqlite"))
    place.open("round-01", "halo-support", ITEMS, raters=["ana"])
    return folder


def python(*words, **environment):
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True, text=True, check=False, env=os.environ | environment,
    )  # fmt: skip


def test_a_workspace_of_the_earlier_name_opens_and_gets_no_second_database(earlier):
    place = Workspace(earlier)
    assert place.rounds() == ["round-01"]
    place.open("round-02", "halo-support", ITEMS)
    assert [path.name for path in (earlier / "data").glob("*.sqlite")] == ["ratebook.sqlite"]


def test_it_is_found_from_a_folder_below(earlier, monkeypatch):
    (earlier / "notebooks").mkdir()
    monkeypatch.chdir(earlier / "notebooks")
    assert Workspace().rounds() == ["round-01"]


def test_a_database_of_todays_name_comes_first(earlier):
    now = str(earlier / "data" / "raterbook.sqlite")
    Workspace(earlier, db=now).open("r", "halo-support", ITEMS)
    assert Workspace(earlier).rounds() == ["r"]


def test_variables_of_the_earlier_name_still_work_and_say_so_once(earlier):
    look = "from raterbook import Workspace as W; W(); print(W().rounds())"
    done = python("-c", look, RATEBOOK_WORKSPACE=str(earlier))
    assert done.stdout == "['round-01']\n"
    assert done.stderr.count("RATEBOOK_WORKSPACE is read as RATERBOOK_WORKSPACE") == 1
    by_file = python("-m", "raterbook", "status", RATEBOOK_DB=str(earlier / "data/ratebook.sqlite"))
    assert "round-01" in by_file.stdout
    assert "RATEBOOK_DB is read as RATERBOOK_DB" in by_file.stderr


def test_todays_variable_goes_first_and_nothing_is_said(earlier, tmp_path):
    look = "from raterbook import Workspace; print(Workspace().rounds())"
    names = {"RATERBOOK_WORKSPACE": str(earlier), "RATEBOOK_WORKSPACE": str(tmp_path)}
    done = python("-c", look, **names)
    assert (done.stdout, done.stderr) == ("['round-01']\n", "")
