"""The form's script and style: several small files, joined into one when the widget loads."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FRONT = Path(__file__).parent / "front"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:class|function|const) )", re.MULTILINE)


@cache
def script() -> str:
    """One ES module: each file after those it imports, without their imports and exports.

    The browser gets it inside the widget's state, so nothing is fetched and nothing is built.
    """
    texts = _in_order("widget").values()
    return "\n".join(_IMPORT.sub("", _EXPORT.sub("", text)) for text in texts)


@cache
def style() -> str:
    return (Path(__file__).parent / "form.css").read_text(encoding="utf-8")


def _in_order(name: str, found: dict[str, str] | None = None) -> dict[str, str]:
    """Texts by file name, what is imported first."""
    found = {} if found is None else found
    text = (FRONT / f"{name}.js").read_text(encoding="utf-8")
    for other in _IMPORT.finditer(text):
        imported = re.search(r"\./(\w+)\.js", other.group())
        if imported and imported[1] not in found:
            _in_order(imported[1], found)
    found[name] = text
    return found
