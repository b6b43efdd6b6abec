"""Numbers → page: figures, tables, papermill runs, the index, checks and provenance."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compute import Numbers, numbers
    from .report import Report
    from .run import ReportError, build

__all__ = ["Numbers", "Report", "ReportError", "build", "numbers"]

ROOM_OF = {
    "Numbers": "compute",
    "numbers": "compute",
    "Report": "report",
    "ReportError": "run",
    "build": "run",
}


def __getattr__(name: str):
    # A gate that only checks numbers should not wait for matplotlib, nor a run for pandas.
    if name in ROOM_OF:
        return getattr(import_module(f".{ROOM_OF[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
