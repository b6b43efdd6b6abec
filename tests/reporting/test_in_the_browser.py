"""The pages in Chromium: no network, nothing wider than a phone, no serious fault for axe."""

import re
import shutil
import subprocess

import pytest

from raterbook.reporting.folder import ReportError
from raterbook.reporting.run import print_page
from tests.reporting.conftest import SAMPLES

pytestmark = pytest.mark.browser
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
PAGES = (*(f"{name}/index.html" for name in SAMPLES), "index.html")


@pytest.fixture(scope="module")
def browser(playwright, tmp_path_factory):
    context = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=shutil.which("chromium"),
        headless=True,
        args=FLAGS,
        offline=True,
    )
    yield context
    context.close()


@pytest.fixture
def page(browser):
    opened = browser.new_page()
    yield opened
    opened.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_offline_asks_for_nothing_and_says_nothing_to_the_console(page, built, name):
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((built / name).as_uri())
    assert page.locator("h1").count() == 1
    broken = page.evaluate(
        "[...document.images].filter(i => !i.complete || !i.naturalWidth).length"
    )
    assert broken == 0
    assert [url for url in asked if not url.startswith("data:")] == [(built / name).as_uri()]
    assert said == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_is_wider_than_its_window(page, built, name, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto((built / name).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


@pytest.mark.parametrize("name", PAGES)
def test_no_table_is_cut_at_the_width_of_a_desk(page, built, name):
    page.set_viewport_size({"width": 1200, "height": 800})
    page.goto((built / name).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = """[...document.querySelectorAll('.scroll')]
        .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)"""
    assert page.evaluate(wide) == []


def test_raters_line_breaks_are_kept(page, built):
    page.goto((built / "feedback-sample" / "index.html").as_uri())
    kept = "getComputedStyle(document.querySelector('.words')).whiteSpace"
    assert page.evaluate(kept) in ("pre-wrap", "preserve")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("light", ["light", "dark"])
def test_axe_finds_nothing_serious(page, built, name, light):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=light)
    page.goto((built / name).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = axe.run(page).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert serious == [], [(v["id"], v["nodes"][0]["html"][:200]) for v in serious]


def test_a_link_to_a_folded_section_opens_it(page, built):
    page.goto((built / "neureg-sample" / "index.html").as_uri() + "#majorities")
    page.wait_for_function("document.querySelector('#majorities').closest('details').open")


def test_figures_follow_the_reader_into_the_dark(page, built):
    """The figure's letters are light on a dark page: its ink is a variable."""
    page.goto((built / "halo-sample" / "index.html").as_uri())
    source = page.locator("figure img").first.get_attribute("src")
    import base64

    drawn = base64.b64decode(source.split(",", 1)[1]).decode()
    assert "prefers-color-scheme:dark" in drawn
    assert "var(--ink)" in drawn


def test_the_page_prints_as_a_pdf_with_everything_unfolded(built, tmp_path):
    file = tmp_path / "report.pdf"
    print_page(built / "halo-sample" / "index.html", file)
    assert file.read_bytes().startswith(b"%PDF")
    if shutil.which("pdftotext"):
        text = subprocess.run(
            ["pdftotext", str(file), "-"], capture_output=True, text=True, check=True
        ).stdout
        assert "Independent checks" in text


def test_printing_without_a_browser_says_what_to_do(built, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ReportError, match=r"printing needs Chromium.*RATERBOOK_CHROMIUM"):
        print_page(built / "halo-sample" / "index.html", tmp_path / "report.pdf")


# What a reader sees of a piece of the page, wherever it stands.
LOOKS = ("h2", ".verdict", ".strip dt", ".strip dd", ".soft", "table", "thead th", "tbody td",
         "tbody th", "caption", "details > summary", ".item")  # fmt: skip
SEEN = """selectors => Object.fromEntries(selectors.map((selector) => {
  const node = document.querySelector(`.rb-page ${selector}`);
  if (!node) return [selector, null];
  const style = getComputedStyle(node);
  const names = ["fontSize", "fontWeight", "color", "backgroundColor", "textAlign", "float",
    "paddingLeft", "paddingTop", "borderBottomWidth", "display", "whiteSpace"];
  return [selector, names.map((name) => style[name]).join(" ")];
}))"""


@pytest.mark.parametrize("name", ["feedback-sample", "halo-sample"])
def test_the_notebooks_export_looks_as_the_page_does(page, built, tmp_path, name):
    import nbformat
    from nbconvert import HTMLExporter

    notebook = nbformat.read(built / name / "report.ipynb", as_version=4)
    exported = tmp_path / "export.html"
    exported.write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    looks = []
    for file in (built / name / "index.html", exported):
        page.goto(file.as_uri(), wait_until="domcontentloaded")
        looks.append(page.evaluate(SEEN, list(LOOKS)))
    assert all(looks[0].values())
    assert looks[1] == looks[0]


def test_without_the_sections_own_style_the_export_looks_otherwise(page, built, tmp_path):
    import nbformat
    from nbconvert import HTMLExporter

    notebook = nbformat.read(built / "feedback-sample" / "report.ipynb", as_version=4)
    text = HTMLExporter().from_notebook_node(notebook)[0]
    bare = tmp_path / "bare.html"
    bare.write_text(re.sub(r"<style>.rb-page.*?</style>", "", text, flags=re.S), encoding="utf-8")
    looks = []
    for file in (built / "feedback-sample" / "index.html", bare):
        page.goto(file.as_uri(), wait_until="domcontentloaded")
        looks.append(page.evaluate(SEEN, list(LOOKS)))
    assert looks[1] != looks[0]
