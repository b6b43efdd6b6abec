"""The address of a server: what is read of it, what is shown of it, what is said where it fails."""

import builtins
import subprocess
import sys

import pytest

from raterbook.cli import run
from raterbook.rounds import RoundError, Store
from raterbook.rounds.store import postgres
from raterbook.workspace import Workspace
from tests.conftest import ROOT
from tests.server import with_schema

SECRET = "hush-hush"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ana:{SECRET}@127.0.0.1:1/study",
        f"postgresql://ana@127.0.0.1:1/study?password={SECRET}",
        f"postgresql+psycopg://ana:{SECRET}@127.0.0.1:1/study?sslmode=prefer",
        f"postgresql://ana:{SECRET}@127.0.0.1:port/study",
        f"postgresql://ana:{SECRET}@127.0.0.1:1/",
        f"postgres://ana:{SECRET}@[/study",
    ],
)
def test_no_message_tells_a_password(address, monkeypatch, capsys):
    assert run(["--db", address, "status"]) == 2
    assert SECRET not in "".join(capsys.readouterr())
    assert SECRET not in postgres.masked(address)


def test_a_server_that_is_away_is_named_with_the_remedy():
    with pytest.raises(RoundError, match=r"ana@127\.0\.0\.1:1/study cannot be reached"):
        Store("postgresql://ana@127.0.0.1:1/study")


def test_a_database_that_is_not_there_is_named_with_the_remedy(cluster):
    with pytest.raises(RoundError, match=r'database "nowhere" does not exist.*createdb'):
        Store(cluster.address("nowhere"))


def test_a_login_without_a_part_is_told_whom_to_ask(cluster):
    name = cluster.like("made", with_schema)
    with pytest.raises(RoundError, match=r'role "stranger" does not exist.*raterbook team add'):
        Store(cluster.address(name, "stranger"))


def test_a_schema_of_another_program_is_left_alone(cluster):
    name = "another"
    address = cluster.empty(name)
    cluster.sql("CREATE SCHEMA raterbook; CREATE TABLE raterbook.notes (x int)", name)
    with pytest.raises(RoundError, match="of another program"):
        Store(address)
    assert cluster.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'raterbook'", name) == [
        (1,)
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DROP POLICY own ON raterbook.answer_event", "policy answer_event.own is missing"),
        ("CREATE POLICY x ON raterbook.reply USING (true)", "policy reply.x is foreign"),
        (
            "ALTER TABLE raterbook.answer_event DISABLE ROW LEVEL SECURITY",
            "row security of answer_e",
        ),
        (
            "ALTER TABLE raterbook.answer_event DISABLE TRIGGER USER",
            "trigger answer_event.answer_e",
        ),
        ("DROP TRIGGER part_frozen ON raterbook.part", "trigger part.part_frozen is missing"),
        (
            "CREATE OR REPLACE FUNCTION raterbook.leads() RETURNS boolean LANGUAGE sql AS"
            " 'SELECT true'",
            "function leads is foreign or altered",
        ),
    ],
)
def test_a_guard_that_was_taken_away_is_found_when_the_workspace_is_opened(cluster, change, words):
    name = cluster.like("made", with_schema)
    cluster.sql(change, name)
    with pytest.raises(RoundError, match="is not as Raterbook makes it") as refused:
        Store(cluster.address(name))
    assert words in str(refused.value)


def test_without_the_driver_the_command_that_brings_it_is_named(monkeypatch, capsys):
    kept = builtins.__import__

    def without(name, *rest, **more):
        if name.partition(".")[0] == "psycopg":
            raise ImportError(f"No module named {name!r}", name=name)
        return kept(name, *rest, **more)

    monkeypatch.setattr("raterbook.environment.import_module", without)
    assert run(["--db", "postgresql://ana@db/study", "status"]) == 2
    assert 'needs psycopg, which is not installed: pip install "raterbook[teams]"' in (
        capsys.readouterr().err
    )


def test_a_file_needs_no_driver():
    code = "import sys, raterbook.rounds; sys.exit('psycopg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_a_page_made_on_a_server_has_no_password_in_any_file(cluster, tmp_path):
    place = cluster.address(cluster.like("made", with_schema))
    place = place.replace("owner@", f"owner:{SECRET}@")
    sample = ROOT / "data" / "samples" / "halo-support"
    workspace = Workspace(tmp_path, db=place)
    round = workspace.open("r", "halo-support", sample / "items.csv")
    round.add(sample / "ratings.csv")
    round.report(resamples=100)
    assert "postgresql" in repr(round.store)
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert (tmp_path / "reports" / "r" / "run.json") in files
    assert [each.name for each in files if SECRET.encode() in each.read_bytes()] == []
