"""The documentation as a site: it builds without a warning and works from a folder, offline."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.test_docs import ROOT

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None and not os.environ.get("CI"),
    reason="mkdocs is not installed, so the site was NOT built: run make lock and make report",
)
SOURCES = sorted(
    path.relative_to(ROOT / "docs").as_posix()
    for path in (ROOT / "docs").rglob("*.md")
    if "sample" not in path.parts
)
# Attributes and rules by which a page fetches something when it is opened.
FETCHED = re.compile(
    r"""(?:\bsrc|<link[^>]*\bhref)=["']?(?:https?:)?//[^"' >]+|url\(["']?https?:"""
)


def build(folder, config=ROOT / "mkdocs.yml"):
    # Not --quiet: what is not logged is not counted, and --strict would let it pass.
    words = ["mkdocs", "build", "--strict", "-f", str(config), "-d", str(folder)]
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_of_the_docs_is_in_the_site(site):
    assert [name for name in SOURCES if not (site / name).with_suffix(".html").exists()] == []


def test_nothing_is_fetched_from_another_host(site):
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    found = {file.name: FETCHED.findall(file.read_text("utf-8")) for file in files}
    assert len(files) > 30
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://elsewhere.test/a.js">',
        "<img src=//elsewhere.test/a.png>",
        '<link rel="stylesheet" href="https://elsewhere.test/a.css">',
        "@font-face { src: url(https://elsewhere.test/a.woff2) }",
    ],
)
def test_what_would_be_fetched_is_found(text):
    """The control."""
    assert FETCHED.search(text)


def test_the_search_works_where_the_site_is_opened_as_files(site):
    """The index stands in a script beside its shim, as pages opened as files may fetch nothing."""
    script = (site / "search" / "search_index.js").read_text("utf-8")
    index = json.loads(script.removeprefix("var __index = "))
    entries = [entry for entry in index["docs"] if "jackknife" in entry["text"]]
    found = {entry["location"].split("#")[0] for entry in entries}
    assert {"formulas.html", "statistics.html"} <= found
    assert "assets/iframe-worker.js" in (site / "index.html").read_text("utf-8")


def test_the_reference_has_every_public_name_with_its_words(site):
    from raterbook import analysis, judges

    rooms = {"analysis": analysis, "judges": judges}
    pages = {name: (site / "reference" / f"{name}.html").read_text("utf-8") for name in rooms}
    for name, room in rooms.items():
        assert [each for each in room.__all__ if f"{name}.{each}" not in pages[name]] == []
    page = pages["analysis"]
    assert "Krippendorff's alpha: 1 is perfect agreement" in page
    assert "&gt;&gt;&gt;" in page


def test_formulas_are_drawn_by_the_browser_alone(site):
    page = (site / "formulas.html").read_text("utf-8")
    assert page.count("<math") > 40
    assert "arithmatex" not in page


def test_llms_txt_names_every_page_and_what_it_says(site):
    text = (site / "llms.txt").read_text("utf-8")
    named = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): \S", text, re.M)
    assert [name for name in named if not (site / name).exists()] == []
    assert {Path(name).with_suffix(".md").as_posix() for name in named} >= set(SOURCES)


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path):
    """The control: the same settings, with one page whose link is dead."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A page\n\n[a dead link](nowhere.md)\n")
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    kept = ("site_name", "strict", "theme", "validation", "markdown_extensions")
    settings = {name: settings[name] for name in kept}
    settings["theme"] = {"name": "material", "font": False}
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    done = build(tmp_path / "site", tmp_path / "mkdocs.yml")
    assert done.returncode != 0
    assert "nowhere.md" in done.stdout + done.stderr
