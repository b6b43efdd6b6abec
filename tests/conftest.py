"""Shared by all tests: nothing is written outside temporary folders."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# A noisy machine is no failure. The gate's answer rests on the commit alone; by hand, examples are
# drawn anew each time.
settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile("gate" if os.environ.get("CI") else "search")

ROOT = Path(__file__).parents[1]
_PLACES = tempfile.mkdtemp(prefix="raterbook-tests-")
for _name in (
    "IPYTHONDIR",
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "MPLCONFIGDIR",
):
    os.environ[_name] = str(Path(_PLACES) / _name.lower())
# A shell's background job ignores Ctrl-C and hands that down; some tests are about Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["MPLBACKEND"] = "agg"
for _name in ("RATERBOOK_DB", "RATERBOOK_WORKSPACE", "RATEBOOK_DB", "RATEBOOK_WORKSPACE"):
    os.environ.pop(_name, None)


@pytest.fixture(scope="session")
def playwright():
    """One for all browser tests: a second in the same process refuses to start."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture
def root():
    return ROOT


@pytest.fixture(scope="session")
def cluster():
    """A PostgreSQL server of this run's own."""
    from tests.server import Cluster, required

    required()
    made = Cluster()
    yield made
    made.remove()


def pytest_generate_tests(metafunc):
    """Whoever asks for a `place` in the store's tests, or where a module says ON_EVERY_STORE, is
    run on a file and on a server; but what is about the file itself."""
    named = [each.args[0] for each in metafunc.definition.iter_markers("parametrize")]
    if "place" in metafunc.fixturenames and "place" not in named:
        module, name = metafunc.module, metafunc.function.__name__
        of_store = ROOT / "tests" / "rounds" in metafunc.definition.path.parents
        everywhere = getattr(module, "ON_EVERY_STORE", of_store)
        alone = name in getattr(module, "ON_A_FILE_ONLY", ()) or getattr(module, "ON_A_FILE", False)
        kinds = ["file", "server"] if everywhere and not alone else ["file"]
        metafunc.parametrize("place", kinds, indirect=True)


@pytest.fixture
def place(request, tmp_path):
    """Where a store of this name lies: a path, or the address of a new database."""
    if request.param == "file":
        yield lambda name="raterbook": tmp_path / f"{name}.sqlite"
        return
    from tests.server import with_schema

    cluster, there = request.getfixturevalue("cluster"), {}

    def address(name="raterbook"):
        if name not in there:
            there[name] = cluster.like("made", with_schema)
        return cluster.address(there[name])

    yield address
