"""docs/gate.yml: the example of a release gate runs as it stands."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from raterbook.cli import main
from tests.reporting.conftest import ROOT

STEPS = {
    step.get("id") or step.get("name"): step["run"]
    for step in yaml.safe_load((ROOT / "docs" / "gate.yml").read_text("utf-8"))["jobs"]["gate"][
        "steps"
    ]
    if "run" in step
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A folder as the pipeline sees it, its answers taken in by the example's own words."""
    folder = tmp_path_factory.mktemp("gate")
    for name in ("items.csv", "ratings.csv"):
        shutil.copy(ROOT / "data" / "samples" / "halo-support" / name, folder / name)
    done = run(STEPS["take in the raters' answers"], folder)
    assert done.returncode == 0, done.stderr
    return folder


def run(script, folder):
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "RATERBOOK_DB": "data/raterbook.sqlite",
    }
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_gate_stops_where_the_protocol_s_target_is_missed(checkout):
    done = run(STEPS["targets"], checkout)
    assert done.returncode == 1, done.stderr
    assert "target at least 85" in done.stdout
    assert "not decided, the estimate is short of it" in done.stdout
    assert done.stdout.splitlines()[-1] == "Not passed: 2 of 3 targets met by the estimate."


def test_the_gate_passes_where_the_interval_meets_what_is_asked(checkout):
    done = run(STEPS["asked"], checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("Passed: ")
    stricter = STEPS["asked"].replace(".60", ".70")
    assert run(stricter, checkout).returncode == 1


def test_a_gate_can_be_read_by_a_machine(checkout):
    done = run("raterbook check release --json --require 'kappa_raters:label>=.99'", checkout)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["passed"] is False
    assert found["targets"][0]["verdict"] == "missed"


def test_a_gate_that_asks_nothing_or_not_clearly_is_bad_input(workspace, capsys):
    at = ["--workspace", str(workspace.path), "--db", workspace.db]
    assert main([*at, "check", "neureg-sample"]) == 2
    said = capsys.readouterr().err
    assert "sets no targets. Name some by --require, such as --require '" in said
    assert ">=BOUND'." in said
    assert main([*at, "check", "neureg-sample", "--require", "alpha_ordinal>=.2"]) == 2
    assert "name one of relevance, accuracy, completeness" in capsys.readouterr().err
    assert main([*at, "check", "neureg-sample", "--require", "alpha_ordinal:relevnce>=.2"]) == 2
    assert "not of 'relevnce'" in capsys.readouterr().err


def test_a_number_the_round_does_not_have_is_bad_input(checkout):
    done = run("raterbook check release --require 'alpha_ordnial:label>=.6'", checkout)
    assert done.returncode == 2
    assert "alpha_nominal" in done.stderr
