"""docs/jupyterhub-teams.md without a hub: the address a server is given, and what it does first."""

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from raterbook.rounds import RoundError
from tests.browser.hub import titled
from tests.team.study import with_team

PAGE = "jupyterhub-teams.md"


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The page's configuration, beside a file of an address for a rater and a lead."""
    monkeypatch.chdir(tmp_path)
    Path("logins").mkdir()
    for name in ("ana", "lea"):
        Path("logins", f"{name}.txt").write_text(f"postgresql://{name}:secret@db/study\n")
    rooms = ("JupyterHub", "Authenticator", "SimpleLocalProcessSpawner", "Spawner")
    c = SimpleNamespace(**{room: SimpleNamespace() for room in rooms})
    exec(titled(PAGE, "jupyterhub_config.py"), {"get_config": lambda: c})
    return c


def given(page, name):
    spawner = SimpleNamespace(user=SimpleNamespace(name=name))
    page.Spawner.pre_spawn_hook(spawner)
    return spawner.environment


def test_a_server_is_given_the_address_of_its_own_login_and_no_other(page):
    assert page.Authenticator.allowed_users == {"ana", "lea"}
    assert given(page, "ana") == {
        "RATERBOOK_DB": "postgresql://ana:secret@db/study",
        "ROUND": "round-01",
    }
    assert given(page, "lea") == {"RATERBOOK_DB": "postgresql://lea:secret@db/study", "ROUND": ""}


@pytest.fixture
def start(page, cluster, tmp_path, monkeypatch):
    """start(login, round) does what a server of the hub does first, and gives what it opens."""
    name = with_team(cluster)
    hub = ModuleType("jupyterhub.singleuser")
    monkeypatch.setitem(sys.modules, "jupyterhub", ModuleType("jupyterhub"))
    monkeypatch.setitem(sys.modules, "jupyterhub.singleuser", hub)
    before = os.umask(0o022)

    def start(login, round):
        found = []
        hub.main = lambda: found.append(os.environ["JUPYTERHUB_DEFAULT_URL"])
        for key, value in {
            "HOME": str(tmp_path),
            "ROUND": round,
            "JUPYTERHUB_USER": login,
            "JUPYTERHUB_DEFAULT_URL": "",
            "RATERBOOK_WORKSPACE": "",
            "RATERBOOK_DB": cluster.address(name, login),
        }.items():
            monkeypatch.setenv(key, value)
        exec(page.Spawner.cmd[2], {})
        return found

    yield start
    os.umask(before)
    cluster.sql(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_raters_server_makes_the_raters_notebook_where_nobody_else_reads_it(start, tmp_path):
    assert start("ana", "r1") == ["/lab/tree/notebooks/rate-ana.ipynb"]
    files = [path for path in (tmp_path / "study").rglob("*") if path.is_file()]
    assert [path.name for path in files] == ["rate-ana.ipynb"]
    assert [path for path in files if path.stat().st_mode & 0o077] == []


def test_a_leads_server_lays_out_a_workspace(start, tmp_path, capsys):
    assert start("lea", "") == ["/lab/tree/notebooks/open.ipynb"]
    assert (tmp_path / "study" / "notebooks" / "open.ipynb").is_file()


def test_a_server_for_a_round_that_is_not_the_raters_does_not_start(start, tmp_path):
    with pytest.raises(RoundError, match="bens"):
        start("ana", "bens")
