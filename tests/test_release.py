"""What a release says of itself is the same everywhere, and its CI speaks commands there are."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import raterbook
from raterbook.cli import parser

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())


def test_the_version_is_the_same_in_all_four_places():
    changes = re.search(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(), re.M).group(1)
    assert {PROJECT["version"], raterbook.__version__, CITATION["version"]} == {changes}


def test_the_citation_names_what_it_must_and_no_person():
    assert {"cff-version", "message", "title", "authors", "type", "license"} <= set(CITATION)
    assert CITATION["authors"] == [{"name": PROJECT["authors"][0]["name"]}]
    assert CITATION["license"] == PROJECT["license"]


def test_ci_tries_every_python_that_is_named_from_the_lowest_allowed_on():
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert WORKFLOW["jobs"]["pythons"]["strategy"]["matrix"]["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"


STEPS = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("line", [line for line in STEPS if line.startswith("raterbook ")])
def test_a_command_in_the_ci_file_is_one_there_is(line):
    words = re.findall(r"'[^']*'|\S+", line.removeprefix("raterbook "))
    assert parser().parse_args([word.strip("'") for word in words]).run
