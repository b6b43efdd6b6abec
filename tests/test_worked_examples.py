"""Every protocol’s worked example, by command line: open, import, status, export, report."""

import csv
import json
from pathlib import Path

import pytest

from raterbook.cli import main

WORKED = Path(__file__).parent / "worked"

# (statistic, question, group) → value, as the documents work them out by hand.
EXPECTED = {
    "stem-sentences": {  # eight counted ratings of ten
        ("proportion_accurate", "accuracy", None): 4 / 8,
        ("proportion_inaccurate", "accuracy", None): 2 / 8,
        ("proportion_severely_inaccurate", "accuracy", None): 1 / 8,
        ("severe_any_issue", "accuracy", None): 2 / 8,
        ("proportion_residual", "accuracy", None): 2 / 8,
        ("proportion_excluded", "accuracy", None): 2 / 10,
    },
    "halo-support": {  # SS4 SN1 CC2 CN1 NN1 NS1 (checker, person)
        ("percent_match", "label", None): 7 / 10,
        ("kappa_human_auto", "label", None): 0.33 / 0.63,
        ("agreement_jaccard", "label", "SUPPORTED"): 4 / 6,
        ("agreement_jaccard", "label", "CONTRADICTED"): 2 / 3,
        ("agreement_jaccard", "label", "NO EVIDENCE"): 1 / 4,
        ("agreement_of_auto", "label", "SUPPORTED"): 4 / 5,
        ("agreement_of_auto", "label", "CONTRADICTED"): 2 / 3,
        ("agreement_of_auto", "label", "NO EVIDENCE"): 1 / 2,
        ("agreement_of_human", "label", "SUPPORTED"): 4 / 5,
        ("agreement_of_human", "label", "CONTRADICTED"): 1.0,
        ("agreement_of_human", "label", "NO EVIDENCE"): 1 / 3,
        ("agreement_specific", "label", "SUPPORTED"): 8 / 10,
        ("agreement_specific", "label", "CONTRADICTED"): 4 / 5,
        ("agreement_specific", "label", "NO EVIDENCE"): 2 / 5,
    },
    "feedback-quality": {  # 4, 5, 3 with confidence 100, 80, 50; six criteria 5 4 4 3 4 4 of r1
        ("mean", "clarity", None): 4.0,
        ("weighted_mean", "clarity", None): 9.5 / 2.3,
        ("weighted_mean", "overall", None): 9.5 / 2.3,
    },
    "neureg-qa": {  # A = 5 4 3 5 –, B = 5 4 4 5 2, C = 4 4 3 5 2 (krippendorff 0.9.0)
        ("alpha_ordinal", "accuracy", None): 0.832497,
        ("alpha_interval", "accuracy", None): 0.875598,
    },
    "rag-questeval": {  # references x b, c, d; answers x y, c, unanswerable
        ("recall", "generated_answer", None): 2 / 3,
        ("precision", "generated_answer", None): 0.75,
        ("precision_over_kept", "generated_answer", None): 0.5,
    },
}


@pytest.fixture(scope="module", params=sorted(EXPECTED))
def worked(request, tmp_path_factory):
    """A workspace where one protocol's example went the whole way; its folder and its numbers."""
    protocol = request.param
    folder = tmp_path_factory.mktemp(protocol)
    files = WORKED / protocol
    parts = ["--parts", str(files / "parts.csv")] if (files / "parts.csv").exists() else []
    at = ["--workspace", str(folder)]
    opened = ["open", "worked", "--protocol", protocol, "--items", str(files / "items.csv")]
    for words in (
        [*opened, *parts],
        ["import", "worked", str(files / "answers.csv")],
        ["status", "worked"],
        ["export", "worked", str(folder / "out.csv")],
        ["report", "worked"],
    ):
        assert main([*at, *words]) == 0, words
    numbers = json.loads((folder / "reports" / "worked" / "numbers.json").read_text())
    return protocol, folder, numbers


def only_row(numbers, statistic, question, label=None):
    found = [
        row
        for row in numbers["numbers"]
        if row["statistic"] == statistic
        and row["question"] == question
        and (row["group"] or {}) == ({"label": label} if label else {})
        and row["aggregate"] in (None, "macro")
    ]
    assert len(found) == 1, found
    return found[0]


def estimate(numbers, statistic, question, label):
    return only_row(numbers, statistic, question, label)["estimate"]


def test_the_example_comes_out_in_numbers_json(worked):
    protocol, _, numbers = worked
    for (statistic, question, label), value in EXPECTED[protocol].items():
        got = estimate(numbers, statistic, question, label)
        assert got == pytest.approx(value, abs=5e-7), (statistic, label)


def test_every_coefficient_was_recomputed_or_says_why_not(worked):
    _, _, numbers = worked
    for check in numbers["checks"]:
        assert check["agrees"] is not False, check
        assert check["agrees"] or check["reason"], check


def test_the_page_names_the_round_and_runs_no_script(worked):
    _, folder, _ = worked
    page = (folder / "reports" / "worked" / "index.html").read_text()
    assert "worked" in page
    assert "<script" not in page


def test_the_export_holds_every_answer_that_came_in(worked):
    protocol, folder, _ = worked

    def answers(path):
        with path.open(newline="", encoding="utf-8-sig") as lines:
            return {
                (row["item"], row["part"] or "0", row["rater"], row["question"], row["value"])
                for row in csv.DictReader(lines)
            }

    came = answers(WORKED / protocol / "answers.csv")
    went = {(i, p if p != "" else "0", r, q, v) for i, p, r, q, v in answers(folder / "out.csv")}
    assert came <= went


def test_feedback_states_the_mean_of_its_six_criteria_and_what_was_adjusted(worked):
    protocol, _, numbers = worked
    if protocol != "feedback-quality":
        return
    # r1: 5 4 4 3 4 4 have the mean 4; the overall says 4, so nothing was adjusted.
    assert estimate(numbers, "overall_computed_mean", None, None) == pytest.approx(4.0)


def test_eight_of_ten_sentence_ratings_count(worked):
    protocol, _, numbers = worked
    if protocol != "stem-sentences":
        return
    assert only_row(numbers, "proportion_accurate", "accuracy")["n_ratings"] == 8
    assert only_row(numbers, "proportion_excluded", "accuracy")["n_ratings"] == 10


def test_status_names_the_protocol_and_everybody_who_answered(worked, capsys):
    protocol, folder, _ = worked
    assert main(["--workspace", str(folder), "status", "worked"]) == 0
    said = capsys.readouterr().out
    with (WORKED / protocol / "answers.csv").open(newline="", encoding="utf-8-sig") as lines:
        raters = {row["rater"] for row in csv.DictReader(lines)}
    assert protocol in said
    assert all(rater in said for rater in raters)
