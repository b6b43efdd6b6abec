"""A section of the page: a heading and its HTML; shown in a notebook as on the page."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from .words import legend

# Signs that no page can show, and lone halves of surrogate pairs, which UTF-8 cannot write.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Pixels for a point of a figure: its letters come out as large as the text around it.
LARGER = 1.6
# Marks that turn the direction of the text after them; an item could rewrite our sentence.
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
# What only those meet who do not see the picture: `safe` leaves no quotation mark inside.
ALTERNATIVE = re.compile(r'<img alt="[^"]*"')


@dataclass(frozen=True)
class Section:
    """One heading and what stands below it; folded ones open on a click and in print."""

    title: str
    html: str
    folded: bool = False
    heading: bool = True

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")

    def _repr_html_(self) -> str:
        title, inside = safe(self.title), with_legend(self.html)
        if self.folded:
            # The anchor stands inside, so that a link to it opens the fold without a script; in a
            # notebook, which has no style sheet of ours, the title stays beside its arrow.
            head = f'<summary><h2 style="display: inline">{title}</h2></summary>'
            return (
                f'<section><details>{head}<div id="{self.anchor}" class="inside">{inside}</div>'
                "</details></section>"
            )
        head = f"<h2>{title}</h2>" if self.heading else ""
        return f'<section id="{self.anchor}">{head}{inside}</section>'

    def __repr__(self) -> str:
        return f"Section({self.title!r})"


def with_legend(html_: str) -> str:
    """The marks that a reader sees beside numbers, explained once below them."""
    said = legend(ALTERNATIVE.sub("", html_))
    return html_ + paragraph(said, "soft") if said else html_


def printable(value: object) -> str:
    """Text without signs that break a page, a figure or a sentence."""
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    return TURNING.sub("", UNPRINTABLE.sub("�", text))


def safe(value: object) -> str:
    """Text becomes text: whatever stands in it is escaped."""
    return html.escape(printable(value), quote=True).replace(" %", "\u00a0%")


def short(value: object, limit: int = 600) -> str:
    """A long text's beginning, and how much there is of it."""
    text = printable(value).strip()
    if len(text) <= limit:
        return text
    cut = text[:limit].rsplit(None, 1)[0] if " " in text[limit - 60 : limit] else text[:limit]
    return f"{cut} … [{len(text):,} characters in all]"


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{safe(text)}</p>' if kind else f"<p>{safe(text)}</p>"


def bullets(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{safe(line)}</li>" for line in lines) + "</ul>"


def heading(text: str) -> str:
    return f"<h3>{safe(text)}</h3>"


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], caption: str, text: int = 1
) -> str:
    """A table; the first `text` columns are words, the others figures set to the right."""
    lines = [
        f'<div class="scroll" tabindex="0" role="region" aria-label="{safe(caption)}">'
        f"<table><caption>{safe(caption)}</caption>"
    ]
    cells = "".join(
        f'<th scope="col"{"" if index < text else " class=figure"}>{safe(name)}</th>'
        for index, name in enumerate(head)
    )
    lines.append(f"<thead><tr>{cells}</tr></thead><tbody>")
    for row in rows:
        cells = "".join(td(index, value, text) for index, value in enumerate(row))
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</tbody></table></div>")
    return "".join(lines)


def td(index: int, value: object, text: int) -> str:
    counted = isinstance(value, int) and not isinstance(value, bool)
    shown = "" if value is None else safe(f"{value:,}" if counted else value)
    if index == 0:
        return f'<th scope="row">{shown}</th>'
    if index >= text:
        return f"<td class=figure>{shown}</td>"
    return f"<td class=long>{shown}</td>" if len(shown) > 36 else f"<td>{shown}</td>"


def fold(summary: str, inside: str) -> str:
    """What opens on a click and in print; nothing where there is nothing inside."""
    return f"<details><summary>{safe(summary)}</summary>{inside}</details>" if inside else ""


def figure(svg: str, alt: str, caption: str = "") -> str:
    """A picture inside the page, with its finding in words for those who do not see it.

    Marks beside the numbers in these words are explained at their end, not below the picture.
    """
    if said := legend(alt):
        alt = f"{alt.rstrip('. ')}. {said}"
    data = base64.b64encode(svg.encode()).decode()
    drawn = re.search(r'<svg[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    size = ""
    if drawn is not None:
        across, down = (round(LARGER * float(points)) for points in drawn.groups())
        size = f' width="{across}" height="{down}"'
    below = f"<figcaption>{safe(caption)}</figcaption>" if caption else ""
    return (
        "<figure>"
        f'<img alt="{safe(alt)}"{size} src="data:image/svg+xml;base64,{data}">{below}</figure>'
    )


# An executed notebook → one self-contained page: the sections it displayed, no code, no script.


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


# What raters wrote, to the letter: their capitals, their spaces, their line breaks.


COMMENT = 260


def quoted(text: object, limit: int = COMMENT) -> str:
    """A rater's words as HTML, cut only where they are very long, and then saying so.

    Only signs that no page can show are replaced; `white-space: pre-wrap` keeps the rest.
    """
    whole = printable(text)
    shown = whole if len(whole) <= limit else short(whole, limit)
    return f'<q class="words">{html.escape(shown)}</q>'


def remark(rater: str, what: str, text: object, limit: int = COMMENT) -> str:
    """`r1, clarity: “…”`, one paragraph."""
    on = f", {what}" if what else ""
    return f"<p class=said><b>{safe(rater)}</b>{safe(on)}: {quoted(text, limit)}</p>"
