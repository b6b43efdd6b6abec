"""The page is its list of sections, and whatever anybody wrote stands on it as text."""

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raterbook.reporting import Report, html
from raterbook.reporting.html import Section, legible, paragraph, undressed
from raterbook.reporting.report import SECTIONS, contents
from raterbook.reporting.words import CAUTIONS
from tests.golden import HERE, rounds
from tests.panels import conftest as calibration
from tests.reporting.conftest import ROOT
from tests.reporting.rounds import asking, measured, opened, page_of, scale

PIECES = (
    *(
        "<script>alert(1)</script>",
        "<img src=x onerror=a()>",
        "</section></details>",
        "<!--",
        "-->",
    ),
    *('"', "'", "&lt;", "&", "{{ body }}", "{% raw %}", "{# #}"),
    *("\u202e", "\u2066", "\x07", "\x85", "\x1b[31m"),
)
IN_NAMES = "<b onclick=a()>\"'&"
TEXTS = ("text", "ground_truth", "generated", "class", "topic", "domain")
ANSWERED = ("reference_answer", "generated_answer", "comment", "note", "overall_reason")
ATTRIBUTES = {
    *("class", "id", "style", "tabindex", "role", "aria-label", "aria-hidden", "scope"),
    *("alt", "src", "width", "height"),
}
OURS = {
    *("section", "details", "summary", "div", "article", "h1", "h2", "h3", "p", "ul", "li", "b"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "img", "figcaption"),
    *("dl", "dt", "dd", "small", "q", "blockquote", "span"),
}


class Shapes(HTMLParser):
    """What a browser would make of a piece of HTML: its elements, and its text."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(str(markup))
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.text += " " + (dict(attrs).get("alt") or "")
        assert dict(attrs).get("style") in (None, "display: inline")

    def handle_comment(self, data):
        raise AssertionError(f"a comment on the page: {data!r}")

    def handle_data(self, data):
        self.text += data


def small(folder):
    answers = [(who, f"i{n}", "s", 1 + n % 3) for who in ("ana", "ben") for n in range(6)]
    items = [{"id": f"i{n}", "text": "A text."} for n in range(6)]
    text = asking({"s": scale(3)}, [measured("mean", "s")])
    return opened(folder, items=items, answers=answers, text=text)


def test_a_section_invented_here_appears_on_the_page(tmp_path, monkeypatch):
    def invented(report):
        """What nobody asked for."""
        return Section("Invented", paragraph(f"{report.stored.name} < everything"))

    monkeypatch.setitem(SECTIONS, "invented", invented)
    page = page_of(small(tmp_path))
    assert "<h2>Invented</h2><p>by-hand &lt; everything</p></section>" in page
    assert '<section id="invented" class="mathjax_ignore' in page
    assert "- `invented`: What nobody asked for." in contents()


def test_the_notebook_shows_the_sections_of_the_list_in_its_order():
    cells = json.loads((ROOT / "notebooks" / "round_report.ipynb").read_text("utf-8"))["cells"]
    shown = ["".join(cell["source"]).removesuffix("()") for cell in cells]
    shown = [name.removeprefix("report.") for name in shown if name.startswith("report.")]
    assert [name for name in shown if name in SECTIONS] == list(SECTIONS)


def test_every_section_and_every_caution_stands_in_the_docs():
    page = (ROOT / "docs" / "page.md").read_text("utf-8")
    assert page == contents(), "docs/page.md is not what is made now: run `make docs`"
    assert all(f"- `{name}`" in page for name in (*SECTIONS, *CAUTIONS))
    assert all(section.__doc__ and "\n" not in section.__doc__ for section in SECTIONS.values())


def test_html_comes_about_in_one_file():
    made = [
        file.relative_to(ROOT)
        for file in (ROOT / "raterbook" / "reporting").rglob("*.py")
        if "Markup(" in file.read_text("utf-8") or "escape(" in file.read_text("utf-8")
    ]
    assert [str(path.name) for path in made] == ["html.py"]


@pytest.mark.parametrize("shape", ["paragraph", "heading", "bullets", "quoted", "fold", "remark"])
@given(pieces=st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=9)), min_size=1))
@settings(max_examples=40, deadline=None)
def test_a_shape_shows_any_text_to_the_letter(shape, pieces):
    text = "".join(pieces)
    given = {"bullets": ([text],), "fold": (text, paragraph("x")), "remark": (text, "on", text)}
    found = Shapes(getattr(html, shape)(*given.get(shape, (text,))))
    assert found.tags <= OURS
    shown = " ".join(legible(text)[:200].split())
    assert shown in " ".join(found.text.replace("\u00a0", " ").split())


def sections_of(name):
    """The sections that a made-up round's page has, with plain names and texts."""
    kept = (HERE / "rounds" / f"{name}.txt").read_text("utf-8").split("=== ")[1:]
    return {"made", *(part.split("\n")[0] for part in kept if part.split("\n")[1] != "nothing")}


@pytest.mark.parametrize("name", rounds.NAMES)
def test_every_section_shows_what_others_wrote_as_text(tmp_path, monkeypatch, name):
    """Texts, answers and names with everything in them; what a section has to say it says."""
    hostile = "".join(PIECES)
    open_as_it_is, add_as_it_is = rounds.opened, rounds.add

    def opened_hostile(workspace, name, items, **more):
        named = {"model": IN_NAMES, **dict.fromkeys(TEXTS, hostile)}
        items = [{n: v + named[n] if n in named else v for n, v in one.items()} for one in items]
        return open_as_it_is(workspace, name, items, **more)

    def add_hostile(round, answers, **how):
        def turned(one):
            item = one["item"] + IN_NAMES if "/" in str(one["item"]) else one["item"]
            said = one["value"]
            if one["question"] in ANSWERED and isinstance(said, str) and not said.startswith("<"):
                said += hostile
            # dan's builder asks for him by name
            rater = one["rater"] + IN_NAMES * (one["rater"] != "dan")
            return {**one, "item": item, "rater": rater, "value": said}

        add_as_it_is(round, [turned(one) for one in answers], **how)

    monkeypatch.setattr(rounds, "opened", opened_hostile)
    monkeypatch.setattr(rounds, "add", add_hostile)
    report = rounds.built(name, tmp_path).read()
    made = {section: getattr(report, section)() for section in SECTIONS}
    pages = {
        section: Shapes(undressed(one._repr_html_()))
        for section, one in made.items()
        if one is not None
    }
    for section, found in pages.items():
        assert (found.tags - OURS, found.attributes - ATTRIBUTES) == (set(), set()), section
        assert legible(found.text) == found.text, section
    assert set(pages) == sections_of(name)
    assert IN_NAMES in "".join(found.text for found in pages.values())


def test_between_them_and_one_that_was_calibrated_these_rounds_have_every_section(tmp_path):
    revealed = calibration.opened(tmp_path)
    revealed.reveal("uma")
    assert Report(revealed).calibration() is not None
    apart = {"calibration", "beside"}  # the last only where it is asked for: test_beside_people.py
    assert apart.union(*map(sections_of, rounds.NAMES)) == set(SECTIONS)
