"""Where a report's kernel may write: caches inside the system's cache folder, nothing in HOME."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDERS = {
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "MPLCONFIGDIR": "matplotlib",
}


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "raterbook"


@contextmanager
def surroundings(**further: str) -> Iterator[None]:
    """Environment variables for a run, put back afterwards."""
    wanted = {name: str(cache_folder() / folder) for name, folder in FOLDERS.items()}
    wanted = {name: os.environ.get(name) or value for name, value in wanted.items()}
    # IPython writes its history there; a report has none to keep, and a shared file would lock.
    for name in FOLDERS:
        Path(wanted[name]).mkdir(parents=True, exist_ok=True)
    wanted |= {"PYTHONHASHSEED": "0", "MPLBACKEND": "agg", **further}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
