"""HALO's ten items, through `summary`: people against the automatic label."""

import pytest

from analysis import summary

LABELS = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
HALO = {"label": {"type": "choice", "level": "nominal", "scale": LABELS}}
HALO_MEASURES = [
    {"statistic": name, "question": "label"}
    for name in (
        "percent_match",
        "kappa_human_auto",
        "kappa_raters",
        "agreement_jaccard",
        "agreement_of_auto",
        "agreement_of_human",
        "agreement_specific",
    )
]
PAIRS = ["SS"] * 4 + ["SN"] + ["CC"] * 2 + ["CN"] + ["NN"] + ["NS"]


def halo_answers():
    full = {label[0]: label for label in LABELS}
    for i, (auto, human) in enumerate(PAIRS):
        yield f"s{i:02}", 0, "auto", "label", full[auto]
        yield f"s{i:02}", 0, "ana", "label", full[human]


def test_halo_ten_items_match_and_kappa(frame, pick):
    rows = summary(frame(halo_answers(), kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    assert pick(rows, "percent_match", "label")["estimate"] == pytest.approx(0.7)
    kappa = pick(rows, "kappa_human_auto", "label")
    # (.7 − .37) / (1 − .37)
    assert kappa["estimate"] == pytest.approx(0.523810, abs=5e-7)
    assert kappa["n_items"] == 10
    assert pick(rows, "kappa_human_auto", "label", {"rater": "ana"})["estimate"] == pytest.approx(
        kappa["estimate"]
    )
    alone = pick(rows, "kappa_raters", "label")
    assert (alone["estimate"], alone["reason"]) == (None, "single_rater")


@pytest.mark.parametrize(
    ("statistic", "values"),
    [
        ("agreement_jaccard", [4 / 6, 2 / 3, 1 / 4]),
        ("agreement_of_auto", [0.8, 2 / 3, 0.5]),
        ("agreement_of_human", [0.8, 1.0, 1 / 3]),
        ("agreement_specific", [0.8, 0.8, 0.4]),
    ],
)
def test_halo_agreement_of_each_label(frame, pick, statistic, values):
    rows = summary(frame(halo_answers(), kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    found = [pick(rows, statistic, "label", {"label": label})["estimate"] for label in LABELS]
    assert found == pytest.approx(values)


def test_halo_single_label_on_both_sides_has_no_kappa_and_full_match(frame, pick):
    answers = [(f"s{i}", 0, who, "label", "SUPPORTED") for i in range(5) for who in ("auto", "ana")]
    rows = summary(frame(answers, kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    row = pick(rows, "kappa_human_auto", "label")
    assert (row["estimate"], row["reason"]) == (None, "no_variation")
    assert pick(rows, "percent_match", "label")["estimate"] == 1.0


def test_halo_one_odd_answer_at_ninety_percent_match_gives_zero_and_says_why(frame, pick):
    answers = [("s0", 0, "auto", "label", "SUPPORTED"), ("s0", 0, "ana", "label", "NO EVIDENCE")]
    for i in range(1, 10):
        answers += [(f"s{i}", 0, who, "label", "SUPPORTED") for who in ("auto", "ana")]
    rows = summary(frame(answers, kinds={"auto": "automatic"}), HALO_MEASURES, HALO)
    row = pick(rows, "kappa_human_auto", "label")
    assert row["estimate"] == pytest.approx(0.0)
    assert "high_agreement_low_coefficient" in row["warnings"]
    assert pick(rows, "percent_match", "label")["estimate"] == pytest.approx(0.9)


def test_an_adjudicated_answer_beats_the_majority_and_a_tie_has_no_consensus(frame, pick):
    answers = [
        ("s1", 0, "auto", "label", "SUPPORTED"),
        ("s1", 0, "ana", "label", "SUPPORTED"),
        ("s1", 0, "ben", "label", "CONTRADICTED"),  # tie: no consensus
        ("s2", 0, "auto", "label", "SUPPORTED"),
        ("s2", 0, "ana", "label", "CONTRADICTED"),
        ("s2", 0, "ben", "label", "CONTRADICTED"),
        ("s2", 0, "chief", "label", "SUPPORTED"),  # adjudicated
    ]
    kinds = {"auto": "automatic", "chief": "adjudicator"}
    rows = summary(frame(answers, kinds=kinds), HALO_MEASURES, HALO)
    match = pick(rows, "percent_match", "label")
    assert (match["estimate"], match["n_items"]) == (1.0, 1)
    assert pick(rows, "percent_match", "label", {"rater": "ana"})["estimate"] == 0.5
