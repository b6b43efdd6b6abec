"""The rules that tools can hold: lint, types, rooms, file lengths, clean notebooks."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installed import needs_locked

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path
    for folder in ("analysis", "raterbook")
    for kind in ("*.py", "*.js", "*.css")
    for path in (ROOT / folder).rglob(kind)
)
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def run(*words):
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_ruff_finds_nothing():
    done = run("ruff", "check", ".")
    assert done.returncode == 0, done.stdout


def test_the_types_hold():
    needs_locked("numpy", "WHETHER TYPES HOLD")  # they are numpy's, too
    done = run("mypy")
    assert done.returncode == 0, done.stdout


def test_rooms_depend_one_way():
    words = ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_no_source_file_outgrows_its_noun():
    """One noun, one file: 150 to 400 lines as a rule, 500 where the subject has that much."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert [str(path.relative_to(ROOT)) for path, n in lengths.items() if n > 500] == []


def test_only_rounds_writes_sql():
    """Other rooms ask the store; none imports SQLAlchemy or sqlite3."""
    outside = [path for path in SOURCES if path.suffix == ".py" and "rounds" not in path.parts]
    guilty = [
        str(path.relative_to(ROOT))
        for path in outside
        if re.search(r"^\s*(import|from) (sqlalchemy|sqlite3)\b", path.read_text(), re.M)
    ]
    assert guilty == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_committed_without_outputs_and_with_stable_ids(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", cell["id"]) for cell in cells)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    assert all(len(cell["source"]) <= 14 for cell in cells if cell["cell_type"] == "code")
