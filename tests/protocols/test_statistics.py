"""A statistic is one row of the registry and one function; everything else asks the registry."""

import ast
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import raterbook.protocols
from raterbook.analysis import Estimate
from raterbook.commands.reports import required
from raterbook.numbers import measures
from raterbook.numbers.compute import SUBJECTS, numbers
from raterbook.numbers.measures import COMPUTES, Finding, computes
from raterbook.numbers.targets import verdict
from raterbook.protocols.comparisons import facts
from raterbook.protocols.statistics import PROPORTION, STATISTICS, Statistic
from tests.reporting.rounds import opened, page_of, records, words_of

ROOT = Path(__file__).parents[2]
FEEDBACK = (files(raterbook.protocols) / "library" / "feedback-quality.yaml").read_text("utf-8")


@pytest.mark.parametrize(("kind", "family"), [("share", "agreement"), ("mean", "central")])
def test_a_new_statistic_is_a_row_a_function_and_a_line_of_yaml(
    monkeypatch, tmp_path, kind, family
):
    monkeypatch.setattr(measures, "COMPUTES", dict(COMPUTES))
    words = Statistic("extremes", "At an end", "How often …", kind=kind, family=family)
    monkeypatch.setitem(STATISTICS, words.name, words)

    @computes("extremes")
    def extremes(task):
        found = []
        for question, grid in zip(task.questions, task.each_grid(), strict=True):
            columns, who = task.board.counted([question])
            given = grid.numbers()[:, columns]
            value = float(np.isin(given[np.isfinite(given)], (1, 5)).mean())
            units = np.flatnonzero(np.isfinite(given).any(axis=1))
            found.append(Finding(question, Estimate(value), units, raters=who))
        return found

    text = FEEDBACK.replace(
        "measures:\n", "measures:\n  - {statistic: extremes, question: [tone, clarity]}\n"
    )
    text += "\ntargets:\n  - {name: Ends, statistic: extremes, question: tone, at_least: 0.2}\n"
    answers = [
        (rater, f"i{n:03d}", question, 1 + (n + (rater == "ben" and n < 2)) % 4)
        for n in range(8)
        for rater in ("ana", "ben")
        for question in ("tone", "clarity")
    ]
    items = records("feedback-quality", 8, criteria="tone")
    stored = opened(tmp_path, "feedback-quality", items, answers, text=text)
    document = json.loads(numbers(stored).to_json())
    [row] = [
        each
        for each in document["numbers"]
        if each["statistic"] == "extremes" and each["question"] == "tone"
    ]
    assert row["estimate"] == 0.25 - 1 / 16
    assert [(each["statistic"], each["met"]) for each in document["targets"]] == [
        ("extremes", False)
    ]
    page = words_of(page_of(stored))
    assert "At an end" in page
    assert ("19 %" if kind == "share" else "0.19") in page
    bound = "15%" if kind == "share" else "0.15"
    target, found = required(f"extremes:tone>={bound}", "by-hand", document["numbers"])
    assert verdict(target, found)["met"] is True


def test_every_statistic_has_one_function_and_no_function_computes_another():
    assert SUBJECTS
    assert set(COMPUTES) == {*STATISTICS, PROPORTION}
    with pytest.raises(ValueError, match="mean is computed by averages already"):
        computes("mean")(lambda task: [])


def test_a_share_that_only_a_protocol_knows_has_words_too():
    share = facts("proportion_on_topic")
    assert (share.label, share.is_share, share.needs) == ("On topic", True, ("is", "of"))
    assert facts("long_gone").label == "Long gone"


# Words that are no statistics where they stand (a column, a key of a figure, an estimate's own
# name), and single numbers that a section of the page is about. No list of them: those are asked
# of the registry. It only grows shorter.
WORDS = {
    "raterbook/commands/rounds.py": {"majority"},  # a way to be in dispute
    "raterbook/judges/evaluate/table.py": {"mean", "median", "precision", "recall", "sd"},
    "raterbook/protocols/questions.py": {"majority"},
    "raterbook/reporting/comparison.py": {"mean"},
    "raterbook/reporting/figures/planes.py": {"mean"},
    "raterbook/reporting/figures/rows.py": {"exact", "mean", "percent_agreement"},
    "raterbook/reporting/index.py": {"completeness", "mean"},
    "raterbook/reporting/leanings.py": {"mean"},
    "raterbook/reporting/paper.py": {"completeness"},
    "raterbook/reporting/report.py": {"percent_agreement"},  # an example of a share
    "raterbook/reporting/sections/conduct.py": {"mean"},
    "raterbook/reporting/sections/criteria.py": {
        *("mean", "median", "overall_computed_mean", "overall_mean", "sd", "weighted_mean"),
    },
    "raterbook/reporting/sections/disputes.py": {"majority"},
    "raterbook/reporting/sections/machines/__init__.py": {"bias", "exact"},
    "raterbook/reporting/sections/machines/beside.py": {"mean"},
    "raterbook/reporting/sections/recall.py": {"precision", "recall"},
    "raterbook/reporting/views.py": {
        "difference",
        "mean",
        "spearman",
    },  # its columns, and a word of pandas
    "raterbook/reporting/sections/shares.py": {
        *("adjusted_share", "evaluator_agreement", "mean", "missing_severity"),
        *("overall_computed_mean", "proportion_excluded", "proportion_residual", "recall"),
        *("proportion_severely_inaccurate", "score_ranges"),
    },
    "raterbook/reporting/sections/systems.py": {"difference", "precision", "recall"},
    "raterbook/reporting/sections/trace.py": {"precision", "recall"},
    "raterbook/reporting/sections/trust.py": {"overall_mean", "percent_agreement"},
    "raterbook/reporting/sections/verdict.py": {
        *("completeness", "mean", "overall_computed_mean", "overall_mean", "percent_match"),
        *("precision", "proportion_excluded", "recall"),
    },
    "raterbook/reporting/sections/weighting.py": {"difference", "mean", "sd", "weighted_mean"},
}
ORDINARY = ("mean", "sd", "median", "recall", "precision")
REGISTRY = ROOT / "raterbook" / "protocols" / "statistics.py"


def others():
    """Every file of the product but the registry, `numbers`, and `analysis`.

    An Estimate says by itself what it is of.
    """
    for path in sorted((ROOT / "raterbook").rglob("*.py")):
        if path != REGISTRY and "numbers" not in path.relative_to(ROOT).parts:
            yield path


def named_in(path):
    tree = ast.parse(path.read_text("utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {name for name in (*STATISTICS, "completeness") if name in texts}


def test_a_statistics_name_stands_in_the_registry_in_numbers_and_in_yaml_alone():
    found = {str(path.relative_to(ROOT)): names for path in others() if (names := named_in(path))}
    assert [path for path, names in found.items() if names - WORDS.get(path, set())] == []
    assert [path for path, names in WORDS.items() if names - found.get(path, set())] == []


def test_no_file_lists_many_statistics_outside_of_registry_and_numbers():
    """A tuple, list or set of three names or more is a list that the registry should give."""
    for path in others():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                texts = [each.value for each in node.elts if isinstance(each, ast.Constant)]
                many = [each for each in texts if each in STATISTICS and each not in ORDINARY]
                assert len(many) < 3, f"{path}, line {node.lineno}: {many}"
