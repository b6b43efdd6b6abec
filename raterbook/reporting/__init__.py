"""Numbers → page: figures, tables, papermill runs, the index, checks and provenance."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raterbook.numbers.compute import Numbers, numbers

    from .folder import ReportError
    from .index import compare
    from .report import Report
    from .run import build

__all__ = ["Numbers", "Report", "ReportError", "build", "compare", "numbers"]

ROOM_OF = {
    "Numbers": "raterbook.numbers.compute",
    "Report": ".report",
    "ReportError": ".run",
    "build": ".run",
    "compare": ".index",
    "numbers": "raterbook.numbers.compute",
}


def __getattr__(name: str) -> Any:
    # A gate that only checks numbers should not wait for matplotlib, nor a run for pandas.
    if name in ROOM_OF:
        return getattr(import_module(ROOM_OF[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
