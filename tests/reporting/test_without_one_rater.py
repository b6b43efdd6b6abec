"""Whether one rater decides: each target once more without that rater, made in the same way."""

import pytest

from ratebook.protocols import load
from ratebook.reporting import Report
from ratebook.reporting.sections.flips import aimed, flips, without
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
