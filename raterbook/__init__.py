"""Raterbook: rate model outputs in a notebook, know how far the raters can be trusted.

>>> from raterbook import Workspace          # doctest: +SKIP
>>> Workspace(".").round("round-01").form("ana")   # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .workspace import Workspace
    from .workspace import WorkspaceRound as Round

__all__ = ["Round", "Workspace", "__version__"]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    # Loaded when used: `raterbook --help` and a report's kernel should not wait for every room.
    if name in ("Workspace", "Round"):
        from .workspace import Workspace, WorkspaceRound

        return Workspace if name == "Workspace" else WorkspaceRound
    raise AttributeError(f"module 'raterbook' has no attribute {name!r}")
