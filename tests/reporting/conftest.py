"""Sample rounds and their pages, built once for the whole test run; small rounds made by hand."""

import json
import os
from pathlib import Path

import pytest

from raterbook import Workspace, samples
from raterbook.reporting import build
from raterbook.reporting.folder import alone

from . import rounds

ROOT = Path(__file__).parents[2]
SAMPLES = (
    *("halo-sample", "neureg-sample", "stem-sample", "questeval-sample"),
    *("feedback-sample", "feedback-sample-2"),
)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """One folder for all workers of a parallel run."""
    base = tmp_path_factory.getbasetemp()
    place = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = place / "reporting-shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def workspace(shared):
    """The sample rounds in a workspace of their own."""
    folder = shared / "workspace"
    with alone(shared):
        samples.build(folder)
    return Workspace(folder, reports=shared / "reports")


@pytest.fixture(scope="session")
def built(workspace, shared):
    """The folder with all sample pages, as `raterbook report --all --jobs 2` leaves it."""
    with alone(shared):
        if not (workspace.reports / "index.html").exists():
            build(workspace, list(SAMPLES), jobs=2, paper=True)
    return workspace.reports


@pytest.fixture(scope="session")
def numbers_of(built):
    return {
        name: json.loads((built / name / "numbers.json").read_text("utf-8")) for name in SAMPLES
    }


@pytest.fixture
def by_hand(tmp_path):
    return lambda *given, **named: rounds.opened(tmp_path, *given, **named)
