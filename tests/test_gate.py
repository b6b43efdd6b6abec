"""What the gate does with a test that fails beside others."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FIRST_TIME = """
import pathlib

def test_fails_the_first_time():
    once = pathlib.Path(__file__).with_name("once")
    seen = once.exists()
    once.touch()
    assert seen
"""
ALWAYS = "def test_fails():\n    assert False\n"
FOUR = "".join(f"def test_fails_{n}():\n    assert False\n" for n in range(4))
FINE = "def test_passes():\n    pass\n"


@pytest.mark.parametrize(
    ("written", "fails", "again", "named"),
    [
        (FINE, False, False, False),
        (FINE + FIRST_TIME, False, True, True),
        (FIRST_TIME + ALWAYS, True, True, False),
        (FOUR, True, False, False),
        ("import nothing_of_this_name", True, False, False),
    ],
)
def test_a_few_failures_are_run_once_more_and_named_if_they_pass(
    tmp_path, written, fails, again, named
):
    (tmp_path / "test_one.py").write_text(written)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
         "from tests.gate import main\nsys.exit(main('not browser', beside=()))"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert bool(done.returncode) is fails, done.stdout
    assert ("Once more, by themselves" in done.stdout) is again
    assert ("FAILED BESIDE OTHERS, PASSED ALONE: test_one.py" in done.stdout) is named
