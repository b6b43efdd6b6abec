"""The form's script and style: several files, joined into one when the widget loads."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ..design import LIGHT, css

FRONT = Path(__file__).parent / "front"
# In this order: a script imports only from those before it.
SCRIPTS = (
    "elements",
    "keys",
    "sheet",
    "outbox",
    "time",
    "entries",
    "questions",
    "inline",
    "markdown",
    "formula",
    "passage",
    "source",
    "page",
    "desk",
    "form",
    "widget",
)
_BETWEEN_FILES = re.compile(r"^import \{[^}]*\} from .*\n|^export (?!default )", re.MULTILINE)


@cache
def script() -> str:
    """One ES module: the scripts in order, without their imports and exports of each other.

    The browser gets it inside the widget's state, so nothing is fetched and nothing is built.
    """
    texts = ((FRONT / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    return "\n".join(_BETWEEN_FILES.sub("", text) for text in texts)


@cache
def style() -> str:
    """The tokens of the design, then the form's own rules."""
    own = (Path(__file__).parent / "form.css").read_text(encoding="utf-8")
    return "\n".join((css(".rb"), *map(_highlight, ("lit", "evidence", "found")), own))


def _highlight(name: str) -> str:
    """What is lit in a text: the paper of day and its ink, by night too."""
    return f"::highlight(rb-{name}) {{ background-color: {LIGHT[name]}; color: {LIGHT['ink']}; }}"
