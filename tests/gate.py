"""A group of tests as the gate runs it: two at once, and the few that failed once more alone.

    python -m tests.gate "not browser and not long"

Thousands of tests with servers, browsers and killed processes share two cores with whatever else
runs there. What fails beside others and passes alone is named at the end, loudly; what fails twice,
and more than a few failures, fail the group.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FEW = 3
FAILED = Path(".pytest_cache/v/cache/lastfailed")


def main(group: str, beside: Sequence[str] = ("-n", "2", "--dist", "worksteal")) -> int:
    FAILED.unlink(missing_ok=True)
    ended = _pytest("-rs", *beside, "-m", group)
    if ended != 1 or not FAILED.exists():  # all passed, or the run itself came to nothing
        return ended
    failed = sorted(json.loads(FAILED.read_text(encoding="utf-8")))
    if len(failed) > FEW:
        return ended
    print(f"\nOnce more, by themselves: {', '.join(failed)}", flush=True)
    ended = _pytest("-rs", "-m", group, *failed)
    if ended == 0:
        print("\n" + "\n".join(f"FAILED BESIDE OTHERS, PASSED ALONE: {each}" for each in failed))
    return ended


def _pytest(*words: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
