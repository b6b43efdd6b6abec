"""Names of systems, items and models are shown and never taken apart, whatever stands in them."""

from contextlib import nullcontext
from types import SimpleNamespace

import pandas as pd
import pytest

from raterbook.protocols import load
from raterbook.reporting import Report
from raterbook.reporting.comparison import moves, panels
from raterbook.reporting.figures import svg
from raterbook.reporting.figures.rows import dots_figure, likert_figure
from raterbook.reporting.sections.recall import rater_names
from raterbook.reporting.sections.trace import trace
from raterbook.rounds import Event, ItemTable, PartRow, Store
from tests.reporting.rounds import page_of, records, words_of

ODD = "birch − tuned"


def compared(by_hand, systems, keys="q{:02d}", better=2):
    """Two systems on twelve cases, by three raters; the first of them is better."""
    items, answers = [], []
    for case, item in enumerate(records("neureg-qa", 12)):
        for place, system in enumerate(systems):
            key = keys.format(case)
            items.append({**item, "qa_id": key, "model": system, "source_context": f"text {case}"})
            for turn, rater in enumerate(("ana", "ben", "eva")):
                for question in ("accuracy", "fluency"):
                    score = 1 + (case + turn) % 2 + (better - (case % 3 == 0) if not place else 0)
                    answers.append((rater, f"{key}/{system}", question, score))
    return by_hand("neureg-qa", items, answers)


@pytest.mark.parametrize(
    "systems", [(ODD, "atlas"), ("atlas", ODD), (ODD, "tuned"), ("a − b", "b − c", "c")]
)
def test_a_minus_in_the_name_of_a_system_is_part_of_the_name(by_hand, systems):
    page = words_of(page_of(compared(by_hand, systems)))
    assert "Systems compared" in page
    if len(systems) == 2:
        assert f"{systems[0]} is ahead of {systems[1]}: mean score" in page
        assert f"No single rater decides who is ahead: {systems[0]} is" in page
    else:
        assert "a − b before b − c" in page


def test_two_pairs_that_are_written_alike_are_two_pairs(by_hand):
    """(a, b − c) and (a − b, c) read the same."""
    report = Report(compared(by_hand, ("a", "b − c", "a − b", "c")))
    written = report.rows("difference_overall", systems="a − b − c")
    assert len(written) == 2
    found = {row["group"]["systems"].names for row in written}
    assert found == {("a", "b − c"), ("a − b", "c")}
    assert "Systems compared" in page_of(report.stored)


@pytest.mark.parametrize("keys", ["i · {:02d}", "{:02d} · 2", " · {:02d} · "])
def test_a_middle_dot_in_an_item_id_is_part_of_the_id(by_hand, keys):
    stored = compared(by_hand, ("atlas", "birch"), keys)
    page = words_of(page_of(stored))
    assert "Items worth reading" in page
    assert "01" in keys.format(1)
    assert f"{keys.format(1).strip()}/atlas".replace(" /", "/") in page.replace(" /", "/")


def test_a_sample_named_like_the_part_of_another_keeps_its_own_decisions(tmp_path):
    """“c · 1” is a sample here, and not the first question of sample c."""
    protocol = load("rag-questeval")
    items = [
        {"id": case, "model": "a", "ground_truth": "It rains.", "generated": "It rains."}
        for case in ("c", "c · 1")
    ]
    parts = [PartRow(case, n, f"What {n}?") for case in ("c", "c · 1") for n in (1, 2)]
    store = Store(str(tmp_path / "parts.sqlite"))
    stored = store.open("r", protocol, ItemTable.from_records(protocol, items), parts=parts)
    stored.add_rater("ana")
    said = [
        Event(f"{case}{n}", case, "keep", "drop" if (case, n) == ("c · 1", 2) else "keep", n)
        for case in ("c", "c · 1")
        for n in (1, 2)
    ]
    said += [
        Event(f"{key}{question}{n}", key, question, "rain", n)
        for case in ("c", "c · 1")
        for key, question in ((case, "reference_answer"), (f"{case}/a", "generated_answer"))
        for n in (1, 2)
    ]
    refused = [ack.reason for ack in stored.save("ana", said) if not ack.ok]
    assert not refused, refused
    report = Report(stored)
    page = words_of(page_of(stored))
    pairs = trace(report)
    assert pairs.loc[pairs["status"].eq("dropped"), ["case", "part"]].values.tolist() == [
        ["c · 1", 2]
    ]
    assert "c · 1" in page


def test_the_writer_of_a_question_may_have_brackets_in_its_name():
    by = {"written_by": "gauge (small) (questions.en)"}
    case = SimpleNamespace(id=1, key="c", parts=[SimpleNamespace(number=1)])
    stored = SimpleNamespace(
        store=SimpleNamespace(read=lambda: nullcontext()),
        inside=lambda _: SimpleNamespace(hidden={(1, 1): by}),
        cases=lambda: [case],
    )
    assert list(rater_names(stored, ["gauge", "gauge (small)"])) == ["gauge (small)"]
    assert list(rater_names(stored)) == ["gauge (small)"]


def test_a_question_that_begins_with_alpha_keeps_its_name_over_rounds():
    def of(round_, value):
        row = {"statistic": "mean", "question": "q", "group": None, "aggregate": None}
        row |= {"estimate": value, "low": value - 0.1, "high": value + 0.1, "warnings": []}
        return {
            "round": round_,
            "data": {"questions": {"q": "h"}, "protocol": "p"},
            "numbers": [row],
        }

    found = panels([of("a", 1.0), of("b", 3.0)], ("mean",), {"q": "α helix"})
    assert moves("Results", found) == "Results rose on α helix, beyond the joint margin"


def test_what_adjudicators_settled_is_a_mismatch_in_the_sentence_and_in_the_table(by_hand):
    """Eleven of twelve, and the twelfth is listed: both take the adjudicators' label."""
    items = records("halo-support", 12, auto_label="SUPPORTED")
    said = [(r, f"i{n:03d}", "label", "SUPPORTED") for r in ("ana", "ben") for n in range(12)]
    said.append(("eva", "i003", "label", "CONTRADICTED"))
    stored = by_hand("halo-support", items, said, kinds={"eva": "adjudicator"})
    page = words_of(page_of(stored))
    assert "auto gives the people’s label in 11 of 12" in page
    assert "The people’s label is the one more than half of them gave, or the adjudicators" in page
    assert "1 mismatch without a note: i003" in page
    assert "i003 SUPPORTED CONTRADICTED no" in page


def test_a_name_that_begins_with_an_underscore_stands_in_the_legend():
    shares = pd.DataFrame([[0.4, 0.6]], index=["Send"], columns=["yes", "_no"])
    assert "_no" in svg(likert_figure(shares, {}, "Said", ordered=False))
    rows = [
        {"line": "Tone", "system": name, "estimate": 0.5, "low": 0.4, "high": 0.6}
        for name in ("base", "_tuned")
    ]
    drawn = svg(dots_figure(rows, ["base", "_tuned"], "Said", "mean"))
    assert "_tuned" in drawn
    assert "_child" not in drawn
