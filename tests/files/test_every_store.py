"""Files go in and out alike, whether answers lie in a file or on a server."""

import re

import pytest

from raterbook.cli import run
from raterbook.workspace import Workspace
from tests.conftest import ROOT
from tests.server import with_schema

# What the clock said while this ran; the sample's own times have no fractions.
NOW = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d|T[\d:]+\.\d{6}Z)")
SAMPLE = ROOT / "data" / "samples" / "halo-support"


@pytest.fixture
def both(cluster, tmp_path, capsys):
    """What a command prints on a file and on a server; round r of both has the sample's answers."""
    places = (str(tmp_path / "r.sqlite"), cluster.address(cluster.like("made", with_schema)))

    def said(*words):
        found = []
        for place in places:
            assert run(["--db", place, *words]) == 0
            found.append(NOW.sub("TIME", capsys.readouterr().out))
        return found

    said.places = places
    said("open", "r", "--protocol", "halo-support", "--items", str(SAMPLE / "items.csv"))
    said("import", "r", str(SAMPLE / "ratings.csv"))
    return said


def test_a_file_that_comes_again_brings_nothing_new(both):
    file, server = both("import", "r", str(SAMPLE / "ratings.csv"))
    assert file == server == "0 answers added, 357 unchanged (r2, r4, r5)\n"


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_an_export_is_the_same(both, layout):
    file, server = both("export", "r", "-", "--layout", layout)
    assert len(file.splitlines()) > 100
    assert server == file


def test_a_status_is_the_same(both):
    file, server = both("status", "r")
    assert "100 items in 100 cases" in file
    heads = re.compile(r"^History: [0-9a-f]{64} ", re.M)  # times are in it
    assert heads.sub("", server) == heads.sub("", file)


def test_numbers_are_the_same(both):
    file, server = (
        Workspace("nowhere", db=place).round("r").numbers(resamples=100) for place in both.places
    )
    assert len(file.rows) > 5
    assert server.rows == file.rows
