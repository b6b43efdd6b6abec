"""A page with other parameters stands where the usual one did, so it must say what it is."""

import shutil

import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.numbers.parameters import Parameters
from raterbook.reporting import ReportError
from raterbook.reporting import run as pdf


@pytest.fixture(scope="module")
def narrowed(workspace, built, tmp_path_factory):
    """The HALO folder as `--paper` left it, then run again for two of its three raters."""
    place = Workspace(workspace.path, reports=tmp_path_factory.mktemp("narrowed"))
    shutil.copytree(built / "halo-sample", place.reports / "halo-sample")
    (place.reports / "halo-sample" / "report.pdf").write_bytes(b"an old print")

    def refused(page, file):
        raise ReportError("no browser here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdf, "print_page", refused)
        place.report("halo-sample", raters="r2,r4")
    return place.reports


def test_a_page_with_other_parameters_says_so_at_its_top_and_in_the_index(narrowed):
    page = (narrowed / "halo-sample" / "index.html").read_text("utf-8")
    said = "Made with other than the usual parameters: raters r2 and r4."
    assert page.index(said) < page.index("Can the raters be trusted?")
    assert "made with other raters than usual" in (narrowed / "index.html").read_text("utf-8")


def test_the_paper_is_renewed_with_the_page_and_an_old_print_goes(built, narrowed):
    paper = (narrowed / "halo-sample" / "paper.tex").read_text("utf-8")
    assert "by 2 people" in paper
    assert "by 3 people" in (built / "halo-sample" / "paper.tex").read_text("utf-8")
    assert not (narrowed / "halo-sample" / "report.pdf").exists()


def test_the_usual_page_says_nothing_of_the_kind(built):
    assert "Made with other" not in (built / "halo-sample" / "index.html").read_text("utf-8")


def test_a_seed_that_draws_nothing_is_no_other_parameter():
    assert Parameters("r", seed=3).other() == {}
    assert Parameters("r", seed=3, interval="bootstrap").other() == {
        "interval": "bootstrap",
        "seed": 3,
    }
    assert Parameters("r", raters="a,b").other() == {"raters": ("a", "b")}


def test_the_command_prints_where_the_paper_is_and_names_what_is_other(
    workspace, tmp_path, monkeypatch, capsys
):
    def build(place, wanted, *rest, **further):
        folder = place.reports / "halo-sample"
        folder.mkdir(parents=True)
        (folder / "paper.tex").write_text("")

    monkeypatch.setattr("raterbook.reporting.run.build", build)
    monkeypatch.setattr("raterbook.reporting.build", build, raising=False)
    at = ["--workspace", str(workspace.path), "--reports", str(tmp_path / "r")]
    assert main([*at, "report", "halo-sample", "--paper", "--param", "coverage=.9"]) == 0
    said = capsys.readouterr().out
    assert "halo-sample/paper.tex\n" in said
    assert "made with other than the usual parameters (coverage)" in said
