"""A section of the page: a heading and its HTML; shown in a notebook as on the page.

Sections say what stands there; how it looks stands in templates/, which take whatever they write
for text. Here alone a piece of HTML comes about.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..design import css
from .words import legend

# Signs that no page can show, and lone halves of surrogate pairs, which UTF-8 cannot write.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Pixels for a point of a figure: its letters come out as large as the text around it.
LARGER = 1.6
# Marks that turn the direction of the text after them; an item could rewrite our sentence.
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
# What only those meet who do not see the picture: no quotation mark is left inside.
ALTERNATIVE = re.compile(r'<img alt="[^"]*"')
NOTHING = Markup()
COMMENT = 260  # signs of a remark that are shown
TEMPLATES = Path(__file__).parent / "templates"


def legible(value: object) -> str:
    """Text without signs that break a page, a figure or a sentence."""
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    return TURNING.sub("", UNPRINTABLE.sub("�", text))


def written(value: object) -> object:
    """What a template writes, before it is escaped: a sign for per cent stays with its number."""
    return value if isinstance(value, Markup) else legible(value).replace(" %", "\u00a0%")


def cell(value: object) -> str:
    """A table's entry: nothing for None, counts with their thousands."""
    counted = isinstance(value, int) and not isinstance(value, bool)
    return "" if value is None else f"{value:,}" if counted else str(value)


PAGES = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=written,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
PAGES.filters["cell"] = cell


def render(template: str, **data: Any) -> Markup:
    """A template of its own, filled."""
    return Markup(PAGES.get_template(f"{template}.html").render(data))  # noqa: S704  (escaped)


def plain(template: str, **data: Any) -> str:
    """A template that is no HTML, filled with texts of our own."""
    return PAGES.overlay(autoescape=False).get_template(template).render(data)


def part(shape: str, *data: Any) -> Markup:
    """One of the shapes of parts.html, filled."""
    made: Markup = getattr(PAGES.get_template("parts.html").module, shape)(*data)
    return made


def join(parts: Iterable[Markup]) -> Markup:
    """Pieces one after the other; one that is no HTML becomes text."""
    return Markup().join(parts)


@dataclass(frozen=True)
class Section:
    """One heading and what stands below it; folded ones open on a click and in print."""

    title: str
    html: Markup
    folded: bool = False
    heading: bool = True

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")

    def _repr_html_(self) -> str:
        """With its look, which Lab, nbconvert and Voilà know nothing of; the page has it once."""
        return dressed(render("section", section=self, inside=with_legend(self.html)))

    def __repr__(self) -> str:
        return f"Section({self.title!r})"


@cache
def look() -> Markup:
    """Colours by day and night, then what is drawn with them."""
    own = (TEMPLATES / "look.css").read_text(encoding="utf-8")
    return Markup(css(".rb-page") + "\n" + own)  # noqa: S704  (our own style)


def dressed(html: str) -> str:
    """HTML for a notebook, in the page's own look and no other's; its keys are not Lab's."""
    for tag in FOCUSED:
        html = str(html).replace(tag, f"{tag} {QUIET}")
    return f"{_before()}{html}{AFTER}"


def undressed(html: str) -> str:
    """The same, as it stands on the page."""
    if not html.startswith(_before()):
        return html
    return html.removeprefix(_before()).removesuffix(AFTER).replace(f" {QUIET}", "")


# What can have the keyboard, as templates write it: no text has these signs. Lab asks it whether
# its keys for commands (x cuts the cell) are meant for Lab.
FOCUSED = ("<summary", ' tabindex="0"', "<a ")
QUIET = 'data-lm-suppress-shortcuts="true"'

AFTER = "</div>"


@cache
def _before() -> str:
    return f'<div class="rb-page mathjax_ignore tex2jax_ignore"><style>{look()}{IN_LAB}</style>'


# In Lab a section stands on the notebook's own ground, by day and by night.
IN_LAB = "\n[data-jp-theme-light] .rb-page { --rb-paper: var(--jp-layout-color0); }"


def with_legend(html: Markup) -> Markup:
    """The marks that a reader sees beside numbers, explained once below them."""
    said = legend(ALTERNATIVE.sub("", html))
    return html + paragraph(said, "soft") if said else html


def short(value: object, limit: int = 600) -> str:
    """A long text's beginning, and how much there is of it."""
    text = legible(value).strip()
    if len(text) <= limit:
        return text
    cut = text[:limit].rsplit(None, 1)[0] if " " in text[limit - 60 : limit] else text[:limit]
    return f"{cut} … [{len(text):,} characters in all]"


def one_line(value: object) -> str:
    return " ".join(legible(value).split())


def told_apart(
    values: Iterable[object], cut: Callable[[str, int], str] = short, width: int = 120
) -> list[str]:
    """Names as they are cut; where this leaves two alike, from where they begin to differ.

    >>> told_apart(["model-3.14159-turbo", "model-3.14999-turbo"], lambda name, n: name[:n], 10)
    ['mod…14159-', 'mod…14999-']
    """
    texts = [one_line(value) for value in values]
    labels = {text: cut(text, width) for text in texts}
    for _ in labels:
        alike: dict[str, list[str]] = {}
        for text, label in labels.items():
            alike.setdefault(label, []).append(text)
        if len(alike) == len(labels):
            return [labels[text] for text in texts]
        for group in alike.values():
            if len(group) == 1:
                continue
            shortest, longest = (how(map(len, group)) for how in (min, max))
            signs = enumerate(zip(*group, strict=False))
            common = next((at for at, found in signs if len(set(found)) > 1), shortest)
            head = min(width // 3, common)
            # Two signs before the difference, to see where in the name it is.
            start = max(head, min(common - 2, longest - width + head + 1))
            for text in group:
                rest = text[start:]
                more = len(rest) > width - head - 1
                labels[text] = f"{text[:head]}…{rest[: width - head - 2] + '…' if more else rest}"
    return texts


def paragraph(text: str, kind: str = "") -> Markup:
    return part("paragraph", text, kind)


def bullets(lines: Iterable[str]) -> Markup:
    return part("bullets", list(lines))


def heading(text: str) -> Markup:
    return part("heading", text)


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], caption: str, text: int = 1
) -> Markup:
    """A table; the first `text` columns are words, the others figures set to the right."""
    return part("table", head, rows, caption, text)


def fold(summary: str, inside: Markup) -> Markup:
    """What opens on a click and in print; nothing where there is nothing inside."""
    return part("fold", summary, inside) if inside else NOTHING


def figure(svg: str, alt: str, caption: str = "") -> Markup:
    """A picture inside the page, with its finding in words for those who do not see it.

    Marks beside the numbers in these words are explained at their end, not below the picture.
    """
    if said := legend(alt):
        alt = f"{alt.rstrip('. ')}. {said}"
    data = base64.b64encode(svg.encode()).decode()
    drawn = re.search(r'<svg[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    size = [round(LARGER * float(points)) for points in drawn.groups()] if drawn else None
    return part("figure", alt, size, data, caption)


def quoted(text: object, limit: int = COMMENT) -> Markup:
    """What a rater wrote, to the letter: capitals, spaces and line breaks.

    Cut only where it is very long, and then saying so; only signs that no page can show go.
    """
    whole = legible(text)
    return part("quoted", whole if len(whole) <= limit else short(whole, limit))


def remark(rater: str, what: str, text: object) -> Markup:
    """`r1, clarity: “…”`, one paragraph."""
    return part("remark", rater, f", {what}" if what else "", quoted(text))


def fill(title: str, body: str, home: str = "../index.html") -> str:
    """A whole page around this HTML; `home` is where its link upwards leads, if anywhere."""
    whole = Markup(body)  # noqa: S704  (sections are made by templates, which escape)
    data = {"title": title, "body": whole, "contents": contents(body), "home": home}
    return render("page", **data, look=look()) + "\n"


HEADINGS = re.compile(
    r'<section id="(?P<open>[^"]*)"[^>]*><h2>(?P<plain>.*?)</h2>'
    r'|<h2 style="display: inline">(?P<title>.*?)</h2></summary><div id="(?P<folded>[^"]*)"'
)


def contents(body: str) -> list[tuple[str, Markup]]:
    """The anchors and titles of a page's sections, in their order."""
    return [
        # Cut from what templates escaped.
        (found["open"] or found["folded"], Markup(found["plain"] or found["title"]))  # noqa: S704
        for found in HEADINGS.finditer(body)
    ]
