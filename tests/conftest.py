"""Shared by all tests: nothing is written outside temporary folders."""

import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_PLACES = tempfile.mkdtemp(prefix="ratebook-tests-")
for _name in (
    "IPYTHONDIR",
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "MPLCONFIGDIR",
):
    os.environ[_name] = str(Path(_PLACES) / _name.lower())
os.environ["MPLBACKEND"] = "agg"
for _name in ("RATEBOOK_DB", "RATEBOOK_WORKSPACE"):
    os.environ.pop(_name, None)


@pytest.fixture
def root():
    return ROOT
