"""What a built report holds: every file, every number twice over, nothing from outside."""

import csv
import json
import re
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest

import raterbook.reporting
from tests.reporting.conftest import ROOT, SAMPLES

SCHEMA = json.loads(
    (Path(raterbook.reporting.__file__).parent / "numbers.schema.json").read_text("utf-8")
)
COEFFICIENTS = ("alpha_", "kappa_", "ac1", "ac2", "icc_")
CODES = ("not_severe", "cannot_assess", "zero_shot", "few_shot", "one_shot")
FILES = ("index.html", "numbers.json", "numbers.csv", "report.ipynb", "run.json", "paper.tex")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_report_leaves_its_files_and_no_traces(built, name):
    folder = built / name
    assert all((folder / file).is_file() for file in FILES)
    assert list((folder / "figures").glob("*.svg"))
    trace = {"trace.csv"} if name == "questeval-sample" else set()
    assert {path.name for path in folder.iterdir()} == {*FILES, "figures", *trace}
    assert not [path for path in built.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("name", SAMPLES)
def test_numbers_follow_the_published_schema(numbers_of, name):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(numbers_of[name], SCHEMA)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_table_has_the_same_rows_as_the_document(built, numbers_of, name):
    with (built / name / "numbers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    expected = numbers_of[name]["numbers"]
    assert len(rows) == len(expected)
    for row, number in zip(rows, expected, strict=True):
        assert row["statistic"] == number["statistic"]
        value = None if row["estimate"] == "" else float(row["estimate"])
        assert value == number["estimate"]
        assert json.loads(row["group"] or "null") == number["group"]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_coefficient_has_its_check_and_none_differs(numbers_of, name):
    document = numbers_of[name]
    coefficients = [row for row in document["numbers"] if row["statistic"].startswith(COEFFICIENTS)]
    assert len(document["checks"]) == len(coefficients)
    assert not [check for check in document["checks"] if check["agrees"] is False]
    assert all(check["reason"] for check in document["checks"] if check["agrees"] is None)
    agree = [check for check in document["checks"] if check["agrees"]]
    assert agree
    for check in agree:
        assert check["value"] is not None


@pytest.mark.parametrize("name", SAMPLES)
def test_a_page_is_one_small_file_that_asks_for_nothing(built, name):
    page = (built / name / "index.html").read_text("utf-8")
    assert len(page.encode()) < 500_000
    assert "<script" not in page.lower()
    assert not re.search(r"\b(src|href|action)\s*=\s*[\"']?(https?:)?//", page)
    assert not re.search(r"url\((?!#|data:)|@import", page)
    assert re.findall(r'<img alt="([^"]{30,})"', page)
    assert page.count("<img") == len(re.findall(r'<img alt="[^"]{30,}"', page))


@pytest.mark.parametrize("name", SAMPLES)
def test_no_output_names_this_machine(built, name):
    places = (str(ROOT), str(built.parent), str(Path.home()) + "/", "/tmp/")
    for file in (built / name).rglob("*"):
        if file.is_file():
            text = file.read_text("utf-8")
            assert not [place for place in places if place in text], file.name


def test_figures_have_a_title_and_no_time(built):
    for file in built.glob("*/figures/*.svg"):
        text = file.read_text("utf-8")
        assert "<metadata" not in text
        assert "DOCTYPE" not in text
        assert text.count("<text") > 2, file


def test_the_figures_of_the_recipe_are_drawn(built):
    everywhere = {"agreement", "answers-1", "confusion-1", "progress"}
    scores = {"systems", "severity", "differences", "raters"}
    for name in ("feedback-sample", "feedback-sample-2"):
        figures = {file.stem for file in (built / name / "figures").glob("*.svg")}
        # In the second sample no two raters are shown to lie apart.
        drawn = scores if name == "feedback-sample" else scores - {"differences"}
        assert figures >= everywhere | drawn | {"means", "confidence"}
    figures = {file.stem for file in (built / "neureg-sample" / "figures").glob("*.svg")}
    assert figures >= everywhere | scores | {"by-shot_type-question_type"}
    figures = {file.stem for file in (built / "halo-sample" / "figures").glob("*.svg")}
    assert figures >= everywhere | {"targets", "against-auto-label"}


@pytest.mark.parametrize("name", SAMPLES)
def test_readers_meet_labels_and_no_codes(built, name):
    page = (built / name / "index.html").read_text("utf-8")
    assert not [code for code in CODES if code in page]
    assert not re.search(r" by \d+ numbers", page)


def test_the_index_calls_protocols_by_their_titles(built):
    page = (built / "index.html").read_text("utf-8")
    assert "<h2>Quality of feedback written for students</h2>" in page
    assert "<h2>feedback-quality" not in page
    assert "Agreement rose on" in page


def test_headings_go_down_one_level_at_a_time_and_ids_are_unique(built):
    for name in SAMPLES:
        page = (built / name / "index.html").read_text("utf-8")
        levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
        anchors = re.findall(r'\bid="([^"]+)"', page)
        assert len(anchors) == len(set(anchors))


def test_nothing_empty_is_shown(built):
    for name in SAMPLES:
        page = (built / name / "index.html").read_text("utf-8")
        assert "<tbody></tbody>" not in page
        assert not re.search(r"<h([23])>[^<]*</h\1>\s*(</section>|</div>|<h\1>)", page)
        assert not re.search(r">(nan|None|NaN|inf)[<, ]", page)


def test_the_index_lists_rounds_in_order_and_what_moved(built):
    page = (built / "index.html").read_text("utf-8")
    places = [page.index(f'href="{name}/index.html"') for name in SAMPLES]
    assert len(places) == len(SAMPLES)
    first, second = (page.index(f">{n}</a>") for n in ("feedback-sample", "feedback-sample-2"))
    assert first < second
    assert "feedback-sample-2 against feedback-sample" in page
    assert "α Clarity rose from" in page
    assert "<script" not in page


def test_the_paper_text_has_a_paragraph_and_a_table(built):
    text = (built / "halo-sample" / "paper.tex").read_text("utf-8")
    assert "99 items were rated by 3 people" in text.replace("Ninety-nine", "99")
    assert r"\begin{tabular}" in text
    assert r"\bottomrule" in text
    assert "Krippendorff's $\\alpha$" in text
    assert "_" not in re.sub(r"\\_", "", text)
