"""What a protocol asks for appears, as a number or as the reason why there is none."""

from importlib.resources import files

import pytest

import raterbook.protocols
from raterbook.numbers.compute import numbers
from raterbook.protocols import load, parse
from raterbook.reporting import Report
from raterbook.rounds import Store
from tests.reporting.rounds import asking, measured, opened, page_of, records, scale, words_of

TEXT = (files(raterbook.protocols) / "library" / "neureg-qa.yaml").read_text("utf-8")
SCORES = [1, 3, 5, 4, 2, 5, 4, 3, 2, 1, 4, 5]


def asked_for(protocol):
    """The statistics, by the questions they are asked of."""
    for measure in protocol.measures:
        for question in measure.question or ():
            yield measure.statistic, question


@pytest.mark.parametrize("raters", [("ana", "ben"), ("ana",), ("gpt",), ("ana", "gpt")])
def test_every_measure_that_was_asked_for_is_among_the_numbers(tmp_path, raters):
    more = "".join(
        f"  - {{statistic: {name}, question: [accuracy, fluency]}}\n"
        for name in ("spearman", "exact", "mae", "within_one", "bias")
    )
    text = TEXT.replace("measures:\n", "measures:\n" + more, 1)
    answers = [
        (rater, f"i{number:03d}", question, SCORES[(number + place) % 12])
        for place, rater in enumerate(raters)
        for number in range(12)
        for question in ("accuracy", "fluency")
    ]
    stored = opened(
        tmp_path, "neureg-qa", records("neureg-qa", 12), answers, {"gpt": "model"}, text=text
    )
    rows = numbers(stored).rows
    for statistic, question in asked_for(stored.protocol):
        of_it = [row for row in rows if row["statistic"] == statistic]
        assert of_it, statistic
        own = [row for row in of_it if row["question"] in (question, None)]
        assert own, (statistic, question)
        assert all(row["estimate"] is not None or row["reason"] for row in own)
    if raters == ("ana", "ben"):
        [row] = [r for r in rows if (r["statistic"], r["question"]) == ("spearman", "accuracy")]
        assert (row["estimate"], row["reason"]) == (None, "no_comparison")


def test_what_was_asked_for_in_vain_stands_on_the_page_with_its_reason(tmp_path):
    asked = [measured(name, "s") for name in ("mae", "exact", "majority", "alpha_ordinal")]
    answers = [
        (rater, f"i{n}", "s", 1 + (n * step) % 3)
        for rater, step in (("ana", 1), ("ben", 2))
        for n in range(6)
    ]
    items = [{"id": f"i{n}", "text": "A text."} for n in range(6)]
    text = asking({"s": scale(3)}, asked)
    page = words_of(page_of(opened(tmp_path, items=items, answers=answers, text=text)))
    assert (
        "Asked for, and without a value The rater to compare with answered none of these units – "
        "mae: s; exact: s"
    ) in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("full_agreement", "Question All raters the same Items S 33 %"),
        ("majority", "Question A majority Items S 0 %"),
        ("no_majority", "Question No majority Items S 67 %"),
        ("evaluator_agreement", "Each rater against the commonest score"),
        ("evaluator_variance", "Question Variance among raters"),
    ],
)
def test_each_measure_of_majorities_stands_on_the_page_without_the_others(tmp_path, asked, said):
    """ana 1 2 3 1 2 3, ben 1 3 2 1 3 2: the same on two of six items."""
    answers = [
        (rater, f"i{n}", "s", 1 + (n * step) % 3)
        for rater, step in (("ana", 1), ("ben", 2))
        for n in range(6)
    ]
    items = [{"id": f"i{n}", "text": "A text."} for n in range(6)]
    text = asking({"s": scale(3)}, [measured(asked, "s")])
    page = words_of(page_of(opened(tmp_path, items=items, answers=answers, text=text)))
    assert said in page
    assert "no reason given" not in page


def test_majorities_of_changing_raters_stand_on_the_page(tmp_path):
    who = [
        ("ana", "ben", "eva"),
        ("ben", "eva", "dan"),
        ("eva", "dan", "ana"),
        ("dan", "ana", "ben"),
    ]
    answers = [
        (rater, f"i{number:03d}", question.id, SCORES[(number + (place == 2)) % 12])
        for number in range(12)
        for place, rater in enumerate(who[number % 4])
        for question in load("neureg-qa").questions
        if question.type == "scale"
    ]
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 12), answers)
    report = Report(stored)
    row = report.numbers.get("majority", "accuracy")
    assert (row["estimate"], row["n_items"], row["n_raters"], row["n_ratings"]) == (1.0, 12, 4, 36)
    page = report.majorities()._repr_html_()
    assert "Items with 3 ratings each" in page
    assert "Of 12 items with 3 ratings each on every question" in page
    alone = opened(
        tmp_path, "neureg-qa", records("neureg-qa", 12), [a for a in answers if a[0] == "ana"]
    )
    assert "No majorities are counted: only one rater answered" in (
        Report(alone).majorities()._repr_html_()
    )


def test_a_round_opened_before_a_rule_of_measures_keeps_its_answers_and_its_page(
    tmp_path, monkeypatch
):
    text = (files(raterbook.protocols) / "library" / "halo-support.yaml").read_text("utf-8")
    old = "".join(
        f"  - {line}\n"
        for line in (
            "{statistic: difference, question: label}",
            "{statistic: alpha_ordinal, question: label}",
            "{statistic: kappa_cohen}",
            "{statistic: severe_any_issue, question: label}",
        )
    )
    text = text.replace("measures:\n", "measures:\n" + old, 1)
    with pytest.raises(ValueError, match="'label' has no numbers for difference"):
        parse(text)
    answers = [
        (rater, f"i{n:03d}", "label", ["SUPPORTED", "CONTRADICTED"][(n + place) % 3 == 0])
        for n in range(6)
        for place, rater in enumerate(("ana", "ben"))
    ]
    with monkeypatch.context() as before:
        before.setattr("raterbook.protocols.library.measure_problems", lambda protocol: ())
        opened(tmp_path, items=records("halo-support", 6), answers=answers, text=text)
    [file] = tmp_path.glob("*.sqlite")
    stored = Store(str(file)).round("by-hand")
    found = numbers(stored)
    assert found.get("alpha_ordinal", "label")["reason"] == "no_order"
    assert found.get("difference", "label")["reason"] == "not_numeric"
    assert found.get("alpha_nominal", "label")["estimate"] is not None
    assert "<h1>" in page_of(stored)
