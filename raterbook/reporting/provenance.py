"""What made a page: versions on the page; times, commit and dirty flag beside it, in run.json."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = [
    "raterbook",
    "numpy",
    "scipy",
    "pandas",
    "statsmodels",
    "krippendorff",
    "seaborn",
    "matplotlib",
    "papermill",
]


def versions() -> dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def run_record() -> str:
    """run.json: what differs from run to run, kept off the page so that pages compare equal."""
    record = {
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        **commit(),
    }
    return json.dumps(record, indent=1) + "\n"


def commit() -> dict[str, str | bool | None]:
    """The commit of the checkout this code runs from, if it runs from one."""
    here = Path(__file__).parents[2]
    if not (here / ".git").exists():
        return {"commit": None, "dirty": None}
    try:
        head = git(here, "rev-parse", "HEAD")
        return {"commit": head, "dirty": bool(git(here, "status", "--porcelain"))}
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout.strip()
