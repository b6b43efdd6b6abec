"""What pages call things, raters' own words, and the figures that show who is apart and when."""

import math
import re
import uuid
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from raterbook.protocols import load
from raterbook.reporting import Report
from raterbook.reporting.figures import ON_DARK, ON_LIGHT, folded, ink_on, style, svg
from raterbook.reporting.figures.planes import heat_figure, trend_figure
from raterbook.reporting.figures.rows import (
    colours,
    forest_figure,
    means_figure,
    nearest_figure,
    targets_figure,
)
from raterbook.reporting.figures.rows import forest_finding as agreement
from raterbook.reporting.html import quoted
from raterbook.reporting.leanings import Apart, apart
from raterbook.reporting.sections.conduct import burnup, chance_run
from raterbook.reporting.sections.criteria import finding as spread
from raterbook.reporting.sections.machines import machines, sentence
from raterbook.reporting.sections.raters import ends
from raterbook.reporting.words import group_name, in_protocol_order, value_name, value_names
from raterbook.rounds import Event
from tests.reporting.rounds import page_of, records

CRITERIA = ("relevance", "accuracy", "completeness", "fluency")


def scored(by_hand, scores, count=12, kinds=None):
    """A neureg round: rater → how their score of item and question is made."""
    answers = [
        (rater, f"i{at:03d}", question, make(at))
        for rater, make in scores.items()
        for at in range(count)
        for question in CRITERIA
    ]
    return by_hand("neureg-qa", records("neureg-qa", count), answers, kinds)


def test_labels_replace_codes_for_the_whole_question_or_not_at_all():
    severity = load("stem-sentences").question("severity")
    assert value_names(severity) == {"severe": "Severe", "not_severe": "Not severe"}
    accuracy = load("stem-sentences").question("accuracy")
    assert value_name(accuracy, "cannot_assess") == "Cannot assess, or no claim"
    assert value_name(load("halo-support").question("label"), "NO EVIDENCE") == "NO EVIDENCE"


def test_values_of_a_column_are_called_and_ordered_as_in_the_protocol():
    protocol = load("neureg-qa")
    assert group_name(protocol, "shot_type", "few_shot") == "Few-Shot"
    assert group_name(protocol, "model", "my_model_2") == "my_model_2"
    order = in_protocol_order(protocol, "shot_type", ["few_shot", "other", "zero_shot"])
    assert order == ["zero_shot", "few_shot", "other"]


def test_raters_words_are_shown_to_the_letter():
    words = quoted("lower case,  two spaces\r\nand a <second> line of 5 %")
    assert words == (
        '<q class="words">lower case,  two spaces\nand a &lt;second&gt; line of 5 %</q>'
    )
    assert quoted("x" * 300).endswith("… [300 characters in all]</q>")


def test_comments_and_triples_of_divided_items_are_on_the_page(by_hand):
    answers = [("ana", "i000", "accuracy", 1), ("ben", "i000", "accuracy", 5)]
    answers += [("ana", "i000", "comment", "no capital\nsecond line")]
    page = page_of(by_hand("neureg-qa", records("neureg-qa", 2), answers))
    assert "no capital\nsecond line" in page
    assert "Triples" in page
    assert "a → b → c" in page
    assert "zero_shot" not in page


def test_differences_give_bias_and_limits_of_agreement(by_hand):
    stored = scored(by_hand, {"ana": lambda at: 2 + at % 3, "ben": lambda at: 3 + at % 2})
    report = Report(stored)
    found = apart(report.counted, "ana", ["ben"])
    gap = np.array([(2 + at % 3) - (3 + at % 2) for at in range(12)], float)
    assert found.bias == pytest.approx(gap.mean())
    assert found.high - found.bias == pytest.approx(1.96 * gap.std(ddof=1))
    picture = ends(report)
    assert "Item by item" in picture
    assert "over 12 items" in picture


def test_fewer_than_ten_common_items_have_no_limits(by_hand):
    stored = scored(by_hand, {"ana": lambda at: 4, "ben": lambda at: 5}, count=9)
    assert ends(Report(stored)) == ""


def test_a_model_is_set_against_the_peoples_mean(by_hand):
    scores = {"ana": lambda at: 3, "ben": lambda at: 4, "gauge": lambda at: 4 + at % 2}
    stored = scored(by_hand, scores, kinds={"gauge": "model"})
    stored.save("gauge", [Event(uuid.uuid4().hex, "i001", "comment", "said by a model")])
    report = Report(stored)
    assert "<b>gauge (model)</b>" in report.worth_reading().html
    assert "gauge scores 1.00 points above the people’s mean" in machines(report).html


def test_a_difference_within_its_margin_is_none():
    found = Apart(pd.DataFrame(), 0.05, 0.2, 40, -0.9, 1.0, 0.94)
    assert sentence(found, "ana", "ben") == (
        "No difference on average is shown between ana and ben (+0.05 points; −0.15 to +0.25); "
        "on 94\u00a0% of items the difference is −0.90 to +1.00"
    )
    of_one_source = Apart(pd.DataFrame(), 0.05, math.nan, 1, -0.9, 1.0, 0.94)
    assert sentence(of_one_source, "ana", "ben").startswith(
        "No difference on average is shown between ana and ben (+0.05 points); on 94"
    )
    of_nine = Apart(pd.DataFrame(), 0.5, 0.2, 9, -0.9, 1.0, 0.94)
    assert sentence(of_nine, "ana", "ben", persons=True).startswith(
        "Fewer than 10 independent units show of neither ana nor ben that they score higher "
        "(+0.50 points; +0.30 to +0.70"
    )
    assert sentence(of_nine, "gauge", "ben").startswith("gauge scores 0.50 points above ben on")
    of_ten = Apart(pd.DataFrame(), 0.5, 0.2, 10, -0.9, 1.0, 0.94)
    assert sentence(of_ten, "ana", "ben").startswith("ana scores 0.50 points above ben on average")


def test_progress_is_drawn_where_answers_have_times_and_not_for_a_file_taken_in_at_once(by_hand):
    stored = by_hand("halo-support", records("halo-support", 30))
    stored.add_rater("ana", kind="human")
    at_once = Report(answered(stored, lambda at: "2026-03-02T10:00:00Z"))
    assert burnup(at_once) == ""
    stored = by_hand("halo-support", records("halo-support", 30))
    stored.add_rater("ana", kind="human")
    report = Report(answered(stored, lambda at: f"2026-03-{2 + at // 10:02d}T10:{at % 10:02d}:00Z"))
    assert "Half of the 30 ratings were in after 1 day, the last after 2 days" in burnup(report)


def answered(stored, time):
    events = [
        Event(uuid.uuid4().hex, f"i{at:03d}", "label", "SUPPORTED", client_time=time(at))
        for at in range(30)
    ]
    assert all(ack.ok for ack in stored.save("ana", events))
    return stored


def test_a_common_answer_is_expected_in_long_stretches():
    assert chance_run(166, 0.95) == pytest.approx(41, abs=1)
    assert chance_run(100, 0.5) == pytest.approx(5.6, abs=0.1)
    assert chance_run(7, 1.0) == 7


def test_a_coefficient_without_an_interval_is_said_to_have_none():
    row = {
        "label": "Tone",
        "estimate": 1.0,
        "statistic": "alpha_ordinal",
        "low": None,
        "high": None,
        "warnings": [],
    }
    said = agreement([row])
    assert said == (
        "By the estimate alone, agreement on Tone reaches the firm bound: α\u00a01.00, without an "
        "interval"
    )
    both = agreement([row, {**row, "label": "Clarity"}])
    assert both == (
        "By the estimate alone, agreement on both questions reaches the firm bound: α\u00a01.00, "
        "without intervals"
    )


def test_coefficients_that_hardly_differ_are_not_ranked():
    def row(label, value, half=0.1):
        ends = {"low": value - half, "high": value + half}
        known = {"statistic": "alpha_ordinal", "warnings": []}
        return {"label": label, "estimate": value, **known, **ends}

    said = "greement on both questions is below the tentative bound: α\u00a00.62 to 0.63"
    alike = agreement([row("Tone", 0.62), row("Clarity", 0.63)])
    assert alike == f"By the estimate alone, a{said}"
    assert agreement([row("Tone", 0.62, 0.02), row("Clarity", 0.63, 0.02)]) == f"A{said}"
    apart = agreement([row("Tone", 0.5), row("Clarity", 0.9)])
    assert apart == "Agreement is highest on Clarity (α\u00a00.90), lowest on Tone (α\u00a00.50)"
    unsure = agreement([row("Tone", 0.5, 0.3), row("Clarity", 0.9, 0.3)])
    assert unsure.endswith("; their intervals overlap")


def test_a_spread_without_low_scores_names_no_worst_question():
    rows = pd.DataFrame([[0, 0, 0.5, 0.5]] * 2, index=["A", "B"], columns=[1, 2, 3, 4])
    names = {str(value): str(value) for value in rows.columns}
    assert spread(rows, True, names) == "Nobody scores 1 or 2 on any question"


def test_letters_stand_out_from_every_colour_of_the_figures():
    def light(colour):
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for ordered in (True, False):
        steps = colours(5, ordered)
        for paint in steps:
            one, other = sorted((light(paint), light(ink_on(paint))), reverse=True)
            assert (one + 0.05) / (other + 0.05) >= 4.5
        shades = [light(paint) for paint in steps]
        assert shades == sorted(shades, reverse=not ordered), "greyscale keeps the order"
    assert {ink_on("#ffffff"), ink_on("#000000")} == {ON_LIGHT, ON_DARK}


def test_labels_beside_a_figure_fold_rather_than_lose_their_end():
    assert folded("Precision over kept questions") == "Precision over kept\nquestions"
    assert folded("CONTRADICTED", 11, 3) == "CONTRADICTED"
    text = svg(
        heat_figure(pd.DataFrame([[1.0]], ["A row"], ["Could not be assessed"]), "Said", str)
    )
    assert re.findall(r">(Could not|be assessed)<", text) == ["Could not", "be assessed"]


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_a_label_beside_an_axis_is_whole_whichever_ticks_there_come_to_be(lines):
    """A title of two lines leaves room for other ticks than the layout had seen."""
    with style():
        figure, ax = plt.subplots(figsize=(6.2, 2.8))
        ax.bar(range(30), np.linspace(-2, 1.35, 30))
        ax.set(xlabel="cases", ylabel="helper-a − helper-b", xticks=[])
        figure.suptitle("\n".join(["Said"] * lines), fontsize=10, fontweight="bold")
    (baseline,) = re.findall(r"rotate\(-90 ([\d.-]+) [\d.]+\)", svg(ax))
    assert float(baseline) > 9  # letters are that high, and stand to the left of it


def test_a_strip_is_as_small_for_many_items_as_for_few():
    def drawn(many):
        rows = [
            {
                "label": name,
                "items": np.linspace(1, 5, many),
                "mean": (4.0, 3.8, 4.2),
                "weighted": (4.1, None, None),
            }
            for name in ("Tone", "Clarity")
        ]
        return svg(means_figure(rows, (1.0, 5.0), "Said"))

    assert len(drawn(5000)) < 1.2 * len(drawn(60))
    assert drawn(60) == drawn(60)


def test_a_mark_at_the_end_of_its_scale_is_drawn_whole():
    none = dict.fromkeys(("low", "high", "low_like", "high_like"))
    row = {**none, "estimate": 1.0, "statistic": "alpha_nominal", "question": "a", "label": "A"}
    point = {**none, "at": 0, "estimate": 1.0, "wording": "w"}
    panel = {"key": ("alpha_nominal", "a"), "title": "A", "points": [point]}
    figures = (
        forest_figure([row], {}),
        nearest_figure([{**none, "model": "m", "advantage": 1.0}], "Said"),
        trend_figure([panel], ["r1"], "Said").flat[0],
    )
    for axes in figures:
        (mark,) = [line for line in axes.lines if line.get_marker() == "o"]
        assert not mark.get_clip_on()


@pytest.mark.parametrize(("bound", "value"), [(0.7, 1.0), (0.7, 0.87), (1.0, 0.7)])
def test_what_a_target_asks_is_written_within_the_axes(bound, value):
    target = {"name": "A", "statistic": "mean", "target": bound, "value": value, "low": None}
    rest = {"high": None, "direction": "at_least", "verdict": "undecided", "warnings": []}
    axes = targets_figure([target | rest])
    axes.figure.canvas.draw()
    (words,) = [text for text in axes.texts if text.get_text().startswith("target")]
    box, frame = words.get_window_extent(), axes.get_window_extent()
    assert frame.x0 < box.x0
    assert box.x1 < frame.x1


def test_an_empty_part_of_quality_control_has_no_heading():
    from raterbook.reporting.sections.machines import control

    counted = SimpleNamespace(machines=list)
    assert control(SimpleNamespace(counted=counted)) == ""
