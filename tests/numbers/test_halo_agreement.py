"""HALO's ten items, through `summary`: people against the automatic label."""

import pytest

from raterbook.numbers.compute import summary

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
OTHER = dict(zip(LABELS, [*LABELS[1:], LABELS[0]], strict=True))
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
    own = pick(rows, "kappa_human_auto", "label", {"rater": "ana"})
    assert (own["estimate"], own["n_raters"]) == (pytest.approx(kappa["estimate"]), 1)
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


def labelled(frame, **said):
    """Items s0, s1, … with each rater's labels spelled by their first letters, " " for none."""
    full = {label[0]: label for label in LABELS}
    kinds = {"auto": "automatic", "bot": "automatic", "third": "automatic"}
    kinds |= {"chief": "adjudicator", "deputy": "adjudicator"}
    answers = [
        (f"s{i}", 0, rater, "label", full[letter])
        for rater, letters in said.items()
        for i, letter in enumerate(letters)
        if letter != " "
    ]
    return frame(answers, kinds=kinds)


@pytest.mark.parametrize("renamed", [False, True])
def test_two_automatic_raters_match_where_they_agree_and_each_is_compared_alone(
    frame, pick, renamed
):
    # bot says CONTRADICTED where auto is right and people are not: no code is higher by right.
    right, wrong = ("SSSCCC", "SCCCCC") if not renamed else ("CCCSSS", "CSSSSS")
    rows = summary(labelled(frame, ana=right, auto=right, bot=wrong), HALO_MEASURES, HALO)
    match = pick(rows, "percent_match", "label")
    assert (match["estimate"], match["n_items"]) == (1.0, 4)
    assert "ties_left_out" in match["warnings"]
    assert pick(rows, "percent_match", "label", {"rater": "auto"})["estimate"] == 1.0
    bot = pick(rows, "percent_match", "label", {"rater": "bot"})
    assert (bot["estimate"], bot["n_items"]) == (pytest.approx(4 / 6), 6)
    assert pick(rows, "kappa_human_auto", "label", {"rater": "auto"})["estimate"] == 1.0


def test_of_three_automatic_raters_most_decide(frame, pick):
    said = {"ana": "SCN", "auto": "SCN", "bot": "SCN", "third": "CNS"}
    rows = summary(labelled(frame, **said), HALO_MEASURES, HALO)
    match = pick(rows, "percent_match", "label")
    assert (match["estimate"], match["n_items"]) == (1.0, 3)
    assert "ties_left_out" not in match["warnings"]
    assert pick(rows, "percent_match", "label", {"rater": "third"})["estimate"] == 0.0


def test_systems_are_compared_by_what_most_automatic_raters_say(frame, pick):
    full = {label[0]: label for label in LABELS}
    answers = [
        (f"q{i}/{model}", 0, rater, "label", full[letter])
        for model, people, auto, bot in [
            ("m1", "SSSS", "SSSS", "CSSS"),
            ("m2", "SSSS", "SCSS", "SCSS"),
        ]
        for rater, letters in [("ana", people), ("auto", auto), ("bot", bot)]
        for i, letter in enumerate(letters)
    ]
    models = {item: item.split("/")[1] for item, *_ in answers}
    built = frame(answers, kinds={"auto": "automatic", "bot": "automatic"}, model=models)
    measures = [{"statistic": "difference_percent_match", "question": "label"}]
    row = pick(
        summary(built, measures, HALO), "difference_percent_match", "label", {"systems": "m1 − m2"}
    )
    # q0 of m1 has no majority; of q1, q2, q3 the second system misses one.
    assert row["estimate"] == pytest.approx(1 / 3)


def test_adjudicators_who_disagree_settle_nothing(frame, pick):
    said = {"ana": "SCNC", "ben": "SCNS", "auto": "SCNS", "chief": "C  S", "deputy": "S  S"}
    rows = summary(labelled(frame, **said), HALO_MEASURES, HALO)
    match = pick(rows, "percent_match", "label")
    # On s0 the people's own majority stands; on s3 both adjudicators decide the tie.
    assert (match["estimate"], match["n_items"]) == (1.0, 4)


def test_a_kappa_that_rests_on_one_case_names_the_case(frame, pick):
    said = {"q0/a": "NC", "q1/a": "SC", "q1/b": "NS", "q2/a": "NC", "q3/a": "CN"}
    full = {label[0]: label for label in LABELS}
    answers = [
        (item, 0, rater, "label", full[letter])
        for item, letters in said.items()
        for rater, letter in zip(("auto", "ana"), letters, strict=True)
    ]
    row = pick(
        summary(frame(answers, kinds={"auto": "automatic"}), HALO_MEASURES, HALO),
        "kappa_human_auto",
        "label",
    )
    assert (row["low"], row["reason"]) == (None, "rests_on_one_cluster")
    assert row["method"].endswith("all rests on cluster q1")


def test_each_of_two_automatic_labels_is_set_beside_people_group_by_group(frame, pick):
    """The second label is wrong on every item of topic b, and there alone."""
    answers = [*halo_answers()]
    for item, _, who, _, label in list(answers):
        if who == "ana":
            answers.append((item, 0, "second", "label", label if item < "s05" else OTHER[label]))
    given = frame(answers, kinds={"auto": "automatic", "second": "automatic"})
    given["topic"] = ["a" if item < "s05" else "b" for item in given["item"]]
    rows = summary(given, [{**HALO_MEASURES[0], "by": ["topic"]}], HALO)
    for topic, matches in (("a", 1.0), ("b", 0.0)):
        group = {"rater": "second", "topic": topic}
        row = pick(rows, "percent_match", "label", group)
        assert (row["estimate"], row["n_items"]) == (matches, 5)
