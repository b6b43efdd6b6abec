"""A page as plain text: its sentences, its tables row by row, what its pictures say in words."""

import html
import re
from html.parser import HTMLParser

from raterbook.reporting import Report
from raterbook.reporting.report import SECTIONS

# How the page was made (versions, commit, times) is another one on every machine.
SAID = tuple(name for name in SECTIONS if name != "made")
ENDS = ("p", "li", "tr", "h2", "h3", "caption", "summary", "figcaption", "figure", "section", "div")


class Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag in ("td", "th"):
            self.text += " | "
        if tag == "img":
            self.text += "\n[" + (dict(attrs).get("alt") or "") + "]\n"
        if tag in ENDS:
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in ENDS:
            self.text += "\n"

    def handle_data(self, data: str) -> None:
        self.text += data


def plain(markup: str) -> str:
    words = Words()
    words.feed(re.sub(r"<style.*?</style>", "", markup, flags=re.S))
    lines = (" ".join(html.unescape(line).split()) for line in words.text.split("\n"))
    return "\n".join(line for line in lines if line)


def text_of(report: Report) -> str:
    """All sections but how the page was made, one after the other."""
    found = []
    for name in SAID:
        section = getattr(report, name)()
        said = "nothing" if section is None else plain(section._repr_html_())
        found.append(f"=== {name}\n{said}\n")
    return "\n".join(found)
