"""What the page says is said in one place, grouped where it is long, and in good grammar."""

import json
import re

import pytest

from raterbook.cli import main, parser
from raterbook.commands.reports import parameters_of
from raterbook.commands.rounds import Refused
from raterbook.reporting import Report
from raterbook.reporting.comparison import panels
from raterbook.reporting.index import said
from raterbook.reporting.sections.made import checks, methods
from raterbook.reporting.sections.shares import words
from raterbook.reporting.words import say
from tests.reporting.rounds import on_page, records


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_how_far_raters_lie_apart_and_where_scores_lie_is_on_the_page(workspace):
    report = Report(workspace.store.round("neureg-sample"))
    section = report.majorities()
    assert section.folded
    for statistic in ("evaluator_variance", "evaluator_sd", "score_ranges"):
        rows = [row for row in report.numbers.rows if row["statistic"] == statistic]
        assert len(rows) >= 4
        for row in rows:
            assert f"<td class=figure>{on_page(say(row))}</td>" in section.html, row
    assert "3 to below 4" in section.html
    assert [words("[1, 2)"), words("[4, 5]"), words("other")] == [
        "1 to below 2",
        "4 to 5",
        "other",
    ]


def test_a_difference_of_systems_stands_in_one_place(workspace):
    report = Report(workspace.store.round("questeval-sample"))
    compared = text_of(report.systems().html)
    covered = text_of(report.coverage().html)
    assert "Differences on the same cases" in compared
    assert "is said under Systems compared" in covered
    assert report.system_names[0] + " − " in compared
    assert " − " not in covered


def test_one_item_was_rated_and_two_were(by_hand):
    for count, begins in ((1, "1 item was rated"), (2, "2 items were rated")):
        given = [("ana", f"i{n:03d}", "accuracy", 3) for n in range(count)]
        stored = by_hand("neureg-qa", records("neureg-qa", count), given)
        assert methods(Report(stored)).startswith(begins)


def test_checks_without_a_value_are_listed_once_for_each_reason():
    found = [
        {"number": number, "package": package, "value": value, "agrees": agrees, "reason": reason}
        for number, package, value, agrees, reason in (
            ("alpha_ordinal:tone", "krippendorff", 0.5, True, None),
            ("alpha_ordinal:wit", "krippendorff", 0.4, False, None),
            ("ac2:tone", None, None, None, "no package has it"),
            ("ac2:wit", None, None, None, "no package has it"),
            ("icc_2_1:tone", None, None, None, "no package has it"),
            ("kappa_fleiss:tone[model=a]", "statsmodels", None, None, "raters differ"),
        )
    ]
    made = checks(found)
    assert made.count("No package has it") == 1
    assert "<li>No package has it – ac2: tone, wit; icc_2_1: tone</li>" in made
    assert "<li>Raters differ – kappa_fleiss: tone[model=a]</li>" in made
    assert made.index("alpha_ordinal:wit") < made.index("alpha_ordinal:tone")  # what differs leads
    assert "1 of 6 coefficients were computed again" in text_of(made)


def test_every_check_of_a_sample_is_still_on_its_page(workspace):
    report = Report(workspace.store.round("feedback-sample"))
    page = report.made().html
    for entry in report.numbers.checks:
        name = entry["number"] if entry["agrees"] is not None else entry["number"].split(":")[1]
        assert on_page(name) in page


def test_titles_over_rounds_are_the_labels_of_questions(numbers_of, built):
    documents = [numbers_of["feedback-sample"], numbers_of["feedback-sample-2"]]
    labels = {"emotion": "Emotional support"}
    titles = [panel["title"] for panel in panels(documents, ("alpha_ordinal",), labels)]
    assert "α Emotional support" in titles
    assert "α Tone" in titles  # a question without a label is called by its id
    index = (built / "index.html").read_text("utf-8")
    assert not re.search(r"α [a-z]", index)
    bare = {
        **numbers_of["neureg-sample"],
        "targets": [],
        "numbers": [
            {
                **next(
                    r for r in numbers_of["neureg-sample"]["numbers"] if r["statistic"] == "mean"
                ),
                "question": "kg_alignment",
                "group": None,
            }
        ],
    }
    assert said(bare).startswith("Mean of KG alignment")


def given(*words):
    return parser().parse_args(["report", "r", *words])


def test_a_group_is_the_plain_way_to_say_the_parameter():
    assert parameters_of(given("--group", "topic", "--group", "source, year")) == {
        "groups": ["topic", "source, year"]
    }
    assert parameters_of(given("--param", "seed=3")) == {"seed": "3"}
    with pytest.raises(Refused, match="give one of them"):
        parameters_of(given("--group", "topic", "--param", "groups=year"))


def test_a_report_by_group_breaks_the_numbers_down(workspace, tmp_path, capsys):
    command = ["--workspace", str(workspace.path), "--reports", str(tmp_path), "report"]
    assert main([*command, "halo-sample", "--group", "context", "--group", "id"]) == 0
    numbers = json.loads((tmp_path / "halo-sample" / "numbers.json").read_text("utf-8"))
    assert numbers["parameters"]["groups"] == ["context", "id"]
    groups = [row["group"] for row in numbers["numbers"] if row["group"]]
    assert any(set(group) == {"context"} for group in groups)
    assert "other than the usual parameters (groups)" in capsys.readouterr().out
    assert main([*command, "halo-sample", "--group", "colour"]) != 0
    assert "has no 'colour'" in capsys.readouterr().err
