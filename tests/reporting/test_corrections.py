"""The correction a protocol asks for is the one that is applied, printed and decided by."""

from importlib.resources import files

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import raterbook.protocols
from raterbook.analysis import adjust
from raterbook.numbers.compute import numbers
from raterbook.reporting import Report
from tests.reporting.rounds import opened, records

TEXT = (files(raterbook.protocols) / "library" / "neureg-qa.yaml").read_text("utf-8")
DECLARED = "- {statistic: difference, question: "
QUESTIONS = ("relevance", "accuracy", "fluency")


def three_systems(folder, correction):
    """Three systems on the same 14 cases, each a little better than the one before."""
    rng = np.random.default_rng(6)
    text = TEXT
    if correction:
        text = text.replace(DECLARED, f"- {{statistic: difference, correction: {correction}, "
                            "question: ")  # fmt: skip
        assert text != TEXT
    items, answers = [], []
    for number, item in enumerate(records("neureg-qa", 42)):
        case, system = number // 3, number % 3
        item = {**item, "qa_id": f"q{case:02d}", "model": "abc"[system]}
        items.append(item | {"source_context": f"text {case}"})
        for question in QUESTIONS:
            score = int(np.clip(rng.integers(1, 5) + 0.5 * system, 1, 5))
            answers.append(("ana", f"q{case:02d}/{'abc'[system]}", question, score))
    return opened(folder, "neureg-qa", items, answers, text=text)


@pytest.mark.parametrize("correction", [None, "holm", "benjamini-hochberg", "none"])
def test_the_protocols_correction_is_applied_printed_and_decided_by(tmp_path, correction):
    stored = three_systems(tmp_path, correction)
    rows = [row for row in numbers(stored).rows if row["statistic"].startswith("difference")]
    rows = [row for row in rows if row["p_corrected"] is not None]
    used = correction or "holm"
    assert {row["correction"] for row in rows} == {used}
    assert len(rows) == 3 * (len(QUESTIONS) + 1)
    p = [row["p"] for row in rows]
    assert [row["p_corrected"] for row in rows] == pytest.approx(adjust(p, used))
    named = {"holm": "holm", "benjamini-hochberg": "fdr_bh"}
    if used in named:
        expected = multipletests(p, method=named[used])[1]
        assert [row["p_corrected"] for row in rows] == pytest.approx(list(expected))
    assert all((row["p_holm"] is not None) == (used == "holm") for row in rows)
    report = Report(stored)
    page = report.systems()._repr_html_()
    said = {
        "holm": "12 comparisons: each p is corrected by Holm for that number",
        "benjamini-hochberg": "12 comparisons: each p is corrected by Benjamini–Hochberg for that",
        "none": "12 comparisons: as the protocol asks, no p is corrected",
    }
    assert said[used] in page
    for other in set(said.values()) - {said[used]}:
        assert other not in page
    small = sum(row["p_corrected"] < 0.05 and not row["low"] <= 0 <= row["high"] for row in rows)
    assert page.count(">yes<") == small


def test_fewer_differences_stand_the_more_is_corrected_for(tmp_path):
    stood = {}
    for correction in ("none", "benjamini-hochberg", "holm"):
        folder = tmp_path / correction
        folder.mkdir()
        page = Report(three_systems(folder, correction)).systems()._repr_html_()
        stood[correction] = page.count(">yes<")
    assert stood["none"] > stood["holm"]
    assert stood["none"] >= stood["benjamini-hochberg"] >= stood["holm"]
