"""Two rounds side by side: on the items they share, and only where they follow one protocol."""

import shutil

import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.reporting import ReportError, compare


@pytest.fixture
def place(workspace, built, tmp_path):
    shutil.copytree(built, tmp_path / "reports")
    return Workspace(workspace.path, reports=tmp_path / "reports")


def test_two_rounds_are_compared_on_the_items_they_share(place):
    file = compare(place, "feedback-sample", "feedback-sample-2")
    page = file.read_text("utf-8")
    assert "On the 48 items both rounds have." in page
    assert "Agreement rose on 5 of 7 questions" in page
    assert "Of 15 numbers compared, 6 moved. Had nothing changed, fewer than 0.75 would" in page
    # On correctness raters of the second round hardly differ: its interval decides nothing.
    assert "<td class=figure>cannot be said</td>" in page
    assert "<script" not in page
    assert file.name in (place.reports / "index.html").read_text("utf-8")


def test_a_comparison_is_made_with_the_parameters_that_were_asked_for(place):
    raters = place.store.round("feedback-sample").raters()
    two = [each.pseudonym for each in raters if each.kind == "human"][:2]
    asked = {"pseudonyms": True, "raters": two, "groups": ["model"]}
    page = compare(place, "feedback-sample", "feedback-sample", asked).read_text("utf-8")
    assert '<th scope="row">Clarity</th>' in page
    with pytest.raises(ValueError, match="feedback-sample has no 'colour'"):
        compare(place, "feedback-sample", "feedback-sample-2", {"groups": ["colour"]})


def test_the_command_wants_two_rounds_to_compare_and_a_process_to_build_with(place, capsys):
    words = ["--workspace", str(place.path), "report"]
    assert main([*words, "--compare", "stem-sample", "stem-sample"]) == 2
    said = "--compare stem-sample stem-sample: name two rounds, this is one.\n"
    assert capsys.readouterr().err == said
    assert main([*words, "stem-sample", "--jobs", "0"]) == 2
    assert capsys.readouterr().err == "0 jobs can build nothing: name 1 process or more.\n"


def test_a_round_against_itself_has_not_moved(place):
    page = compare(place, "stem-sample", "stem-sample").read_text("utf-8")
    assert "Nothing moved beyond the joint margin." in page


def test_rounds_of_two_protocols_cannot_be_compared(place):
    with pytest.raises(ReportError, match="halo-sample follows halo-support and stem-sample"):
        compare(place, "halo-sample", "stem-sample")
