"""`raterbook check --require`: one number, said exactly, and a bound that can be meant."""

import json

import pytest

from raterbook.cli import main


@pytest.fixture
def check(workspace, capsys):
    def run(round_name, *required, further=()):
        words = ["--workspace", str(workspace.path), "--db", workspace.db, "check", round_name]
        for text in required:
            words += ["--require", text]
        code = main([*words, *further])
        told = capsys.readouterr()
        return code, told.out.replace("\u00a0", " ") + told.err

    return run


def test_a_number_with_several_readings_is_refused_with_all_of_them(check):
    code, said = check("questeval-sample", "recall>=.7")
    assert code == 2
    for aggregate in ("macro", "micro", "compatible"):
        assert f"recall:generated_answer[aggregate={aggregate}]" in said


@pytest.mark.parametrize(
    "text",
    [
        "recall[aggregate=micro]>=.7",
        "recall:generated_answer[aggregate=macro]>=70%",
        "recall[aggregate=macro, model=atlas-2]>=70 %",
        "recall[model=atlas-2,aggregate=macro] >= 0.70",
    ],
)
def test_a_row_is_addressed_by_question_reading_and_group(check, text):
    code, said = check("questeval-sample", text)
    assert (code, said.count(": met.")) == (0, 1), said


def test_the_row_that_was_asked_for_is_the_row_that_is_judged(check):
    _, said = check(
        "questeval-sample",
        "recall[aggregate=macro, model=atlas-2]>=.7",
        "recall[aggregate=macro, model=birch-1]>=.7",
        further=["--json"],
    )
    groups = [target["group"] for target in json.loads(said)["targets"]]
    assert groups == [{"model": "atlas-2"}, {"model": "birch-1"}]


def test_a_group_the_round_does_not_have_is_refused_with_those_it_has(check):
    code, said = check("neureg-sample", "overall_mean[model=cedar]>=4")
    assert code == 2
    assert "overall_mean[model=atlas-2]" in said
    assert "overall_mean[shot_type=few_shot, question_type=factual]" in said


def test_a_value_that_stands_alone_in_its_group_needs_no_more_words(check):
    assert check("halo-sample", "kappa_human_auto[rater=r4]>=.5")[0] == 0
    assert check("neureg-sample", "overall_mean>=4")[0] == 0
    code, said = check("halo-sample", "agreement_jaccard>=.5")
    assert code == 2
    assert "agreement_jaccard:label[label=NO EVIDENCE]" in said
    assert check("halo-sample", "agreement_jaccard[label=NO EVIDENCE]>=.5")[0] == 0


def test_per_cent_may_be_written_as_such_and_a_bare_70_is_refused_with_the_remedy(check):
    assert check("halo-sample", "percent_match>=70%")[0] == 0
    code, said = check("halo-sample", "percent_match>=70")
    assert code == 2
    assert "percent_match is a share and never above 1: write 70% or 0.7." in said
    code, said = check("halo-sample", "kappa_raters>=70")
    assert code == 2
    assert "never above 1: write .85, not 85." in said
    assert "leave the % out" in check("neureg-sample", "mean:relevance>=80%")[1]


@pytest.mark.parametrize("text", ["percent_match=>.7", "percent_match>=much", ">=.7", "x[>=.7"])
def test_what_cannot_be_read_is_refused_with_an_example(check, text):
    code, said = check("halo-sample", text)
    assert code == 2
    assert "write it as 'alpha_ordinal:tone>=.67'" in said
