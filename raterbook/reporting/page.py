"""An executed notebook → one self-contained page: the sections it displayed, no code, no script."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).parent / "template"
TIMES = ("papermill", "execution", "ExecuteTime")


def page(notebook: Any, title: str) -> str:
    """The page of a run: every text/html output in order, inside our own template."""
    sections = [
        html
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
        for html in displayed(cell)
    ]
    return fill(title, "\n".join(sections))


def fill(title: str, body: str, home: bool | str = True) -> str:
    """A whole page around this body; `home` is where its link upwards leads, if anywhere."""
    text = (TEMPLATE / "page.html").read_text(encoding="utf-8")
    style = (TEMPLATE / "page.css").read_text(encoding="utf-8")
    place = home if isinstance(home, str) else "../index.html"
    link = f'<nav class="home"><a href="{place}">All rounds</a></nav>' if home else ""
    values = {"title": escape(title), "style": style, "body": body, "home": link}
    # One pass: a value that holds a placeholder's name stays text.
    return re.sub(r"\{\{ (\w+) \}\}", lambda match: values[match.group(1)], text)


def displayed(cell: Any) -> list[str]:
    found = []
    for output in cell["outputs"]:
        if output["output_type"] in ("display_data", "execute_result"):
            html = output["data"].get("text/html")
            if html:
                found.append("".join(html) if isinstance(html, list) else html)
    return found


def steady(notebook: Any) -> Any:
    """Strip what differs from run to run: times, the injected cell's id, absolute paths."""
    for name in (*TIMES, "widgets"):
        notebook["metadata"].pop(name, None)
    language = notebook["metadata"].get("language_info")
    if language:
        notebook["metadata"]["language_info"] = {"name": language["name"]}
    for number, cell in enumerate(notebook["cells"]):
        for name in TIMES:
            cell["metadata"].pop(name, None)
        if "injected-parameters" in cell["metadata"].get("tags", []):
            cell["id"] = "injected-parameters"
        elif "id" not in cell:
            cell["id"] = f"cell-{number:02d}"
    return notebook
