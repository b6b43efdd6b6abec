"""Whether one rater decides: each target once more without that rater, made in the same way."""

import pytest

from raterbook.protocols import load
from raterbook.reporting import Report
from raterbook.reporting.sections.trust import aimed, compared, flips, rows_without, without
from tests.reporting.rounds import opened, records

BY_STYLE = """
targets:
  - {name: Few-shot mean, statistic: overall_mean, at_least: 4, group: {shot_type: few_shot}}
"""


def scored(folder, scores, count=12):
    """A neureg round with a target of one prompt style alone: rater → the score of an item."""
    styles = ("zero_shot", "few_shot")
    items = records("neureg-qa", count)
    items = [{**each, "shot_type": styles[at % 2]} for at, each in enumerate(items)]
    answers = [
        (rater, f"i{at:03d}", question, make(at))
        for rater, make in scores.items()
        for at in range(count)
        for question in ("accuracy", "fluency")
    ]
    text = load("neureg-qa").text + BY_STYLE
    return opened(folder, items=items, answers=answers, text=text)


@pytest.mark.parametrize("interval", ["jackknife", "bootstrap", "bca", "analytic"])
def test_without_nobody_every_target_stays_as_it_is(workspace, interval):
    """Another interval than that of the page would turn a verdict that nobody turned."""
    report = Report(workspace.store.round("halo-sample"), interval=interval, resamples=200)
    found = without(report, "nobody", aimed(report))
    assert len(found) == len(report.numbers.targets) == 3
    assert all(now == then for now, then in found)


def test_a_target_of_one_group_is_looked_at_too(tmp_path):
    """On few-shot items eva alone keeps the mean below 4; on the others all agree."""
    scores = {
        "ana": lambda at: 4 + at % 3 % 2,
        "ben": lambda at: 5 - at % 5 % 2,
        "eva": lambda at: 1 if at % 2 else 4,
    }
    report = Report(scored(tmp_path, scores))
    [target] = report.numbers.targets
    assert (target["group"], target["met"]) == ({"shot_type": "few_shot"}, False)
    [(now, then)] = without(report, "eva", aimed(report))
    assert (now, then["met"]) == (target, True)
    assert "without eva" in flips(report)


def of_two(folder, scores, count=12):
    """Two systems on the same cases: rater → the scores of a and b on a case."""
    items = [{**each, "model": model} for each in records("neureg-qa", count) for model in "ab"]
    for at, each in enumerate(items):
        each["source_context"] = f"piece {at // 2}"
    answers = [
        (rater, f"i{at:03d}/{model}", question, make(at)[place])
        for rater, make in scores.items()
        for at in range(count)
        for place, model in enumerate("ab")
        for question in ("accuracy", "fluency")
    ]
    return Report(opened(folder, "neureg-qa", items, answers))


def alike(at):
    """a and b equally good on average, case by case now the one and now the other."""
    return (4, 3) if at % 2 else (3, 4)


def for_a(at):
    return 5, 1 + at % 2


def test_who_is_ahead_without_a_rater_is_decided_as_on_the_page(tmp_path):
    """Without eva a still has the better mean by a hair, which shows nothing: she decides."""
    report = of_two(tmp_path, {"ana": alike, "ben": lambda at: (3 + at % 3 // 2, 3), "eva": for_a})
    said = "One rater can flip the order: a is ahead, but no difference is shown without eva."
    assert flips(report) == said
    rows = rows_without(report, "eva", compared(report))
    [left] = [row for row in rows if row["statistic"] == "difference_overall"]
    assert left["low"] < 0 < left["estimate"]


def test_where_all_raters_see_it_none_decides_who_is_ahead(tmp_path):
    report = of_two(tmp_path, dict.fromkeys(("ana", "ben", "eva"), for_a))
    said = "No single rater decides who is ahead: a is, whoever is left out."
    assert flips(report) == said


def test_a_rater_without_whom_the_other_is_ahead_turns_the_order(tmp_path):
    for_b = lambda at: (3, 4 - at % 4 // 3)  # noqa: E731
    report = of_two(tmp_path, {"ana": for_b, "ben": for_b, "eva": for_a})
    said = flips(report)
    assert said == "One rater can flip the order: a is ahead, but b is ahead without eva."


def test_without_nobody_every_difference_stays_as_it_is(workspace):
    report = Report(workspace.store.round("neureg-sample"))
    rows = rows_without(report, "nobody", compared(report))
    assert rows == [row for row in report.numbers.rows if row["p"] is not None]
