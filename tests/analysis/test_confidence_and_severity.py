"""Confidence, severity, comparisons and the smaller tools around the coefficients."""

import sys

import numpy as np
import pandas as pd
import pytest

from raterbook import analysis
from raterbook.analysis import Interval, Ratings, adjust, influence, mean, severity, weighted_mean
from raterbook.analysis.averages.proportions import proportion_difference
from raterbook.analysis.averages.weighted import confidence
from raterbook.analysis.coefficients.icc import variance_components
from raterbook.analysis.coefficients.tables import pairwise
from raterbook.analysis.older import benchmark, kappa_test
from raterbook.analysis.text import token_f1, tokenise
from raterbook.protocols.conditions import is_unanswerable


def long_frame(units=60, raters=4, slope=0.0, noise=0.7, seed=1):
    """Scores and confidences; `slope` is how much surer ratings are closer to the truth."""
    rng = np.random.default_rng(seed)
    rows = []
    for unit in range(units):
        level = rng.normal(3.5, 0.6)
        for rater in range(raters):
            sure = rng.uniform(20, 100)
            spread = noise * (1 - slope * (sure - 60) / 50)
            score = float(np.clip(level + rng.normal(0, max(spread, 0.05)), 1, 5))
            rows.append((unit, f"r{rater}", score, sure))
    return pd.DataFrame(rows, columns=["unit", "rater", "value", "confidence"])


def test_the_difference_is_the_covariance_over_the_mean_confidence():
    frame = long_frame()
    found = confidence(frame, interval=None)
    x, c = frame["value"].to_numpy(), frame["confidence"].to_numpy()
    assert found.difference.value == pytest.approx(np.cov(c, x, ddof=0)[0, 1] / c.mean())
    assert found.difference.value == pytest.approx(found.weighted.value - found.plain.value)
    assert found.correlation.value == pytest.approx(np.corrcoef(c, x)[0, 1])
    assert found.effective_n == pytest.approx(c.sum() ** 2 / (c**2).sum())
    own = frame.groupby("rater")["confidence"].sum()
    assert found.largest_share == pytest.approx(own.max() / own.sum())


def test_closeness_is_the_slope_of_the_distance_to_the_others_within_a_rater():
    frame = long_frame(units=30)
    table = frame.pivot(index="unit", columns="rater", values="value")
    sure = frame.pivot(index="unit", columns="rater", values="confidence")
    others = (table.sum(axis=1).to_numpy()[:, None] - table) / (table.shape[1] - 1)
    apart = (table - others).abs()
    c, d = sure - sure.mean(), apart - apart.mean()
    slope = (c * d).to_numpy().sum() / (c**2).to_numpy().sum()
    assert confidence(frame, interval=None).closeness.value == pytest.approx(slope)


def test_three_readings_of_one_item():
    frame = pd.DataFrame(
        {
            "unit": ["f1"] * 3,
            "rater": list("abc"),
            "value": [4, 5, 3],
            "confidence": [100, 80, 50],
        }
    )
    found = confidence(frame)
    assert found.weighted.value == pytest.approx(4.130435, abs=5e-7)
    assert found.plain.value == 4
    # One answer each: everybody's confidence is their own mean, so the item is a plain mean.
    assert found.within.value == pytest.approx(4)
    assert found.sentence.endswith("Cannot be checked here.")


def test_labels_in_the_order_of_their_scale_have_a_weighted_mean():
    found = weighted_mean(Ratings(["high", "low"], confidence=[75, 25], scale=["low", "high"]))
    assert found.value == pytest.approx((75 * 2 + 25 * 1) / 100)


def test_a_drawn_severity_comes_out_again_with_its_seed():
    table = [[1, 2, 2], [3, 4, 5], [2, 2, 4], [4, 5, 5], [1, 3, 2]]
    wishes = [Interval("bootstrap", draws=50, seed=seed) for seed in (1, 1, 4)]
    first, again, other = (severity(table, interval=wish)["low"] for wish in wishes)
    assert first.tolist() == again.tolist() != other.tolist()


def test_confidence_that_means_something_speaks_for_the_weighted_mean():
    found = confidence(long_frame(units=200, slope=1.0))
    assert found.closeness.high < 0
    assert found.sentence.endswith(
        "Surer ratings were closer to other raters'. Use the weighted mean."
    )


def test_confidence_that_means_nothing_speaks_for_the_plain_mean():
    found = confidence(long_frame(units=200))
    assert found.sentence.endswith(
        "Surer ratings were not closer to other raters'. Use the plain mean."
    )


def test_a_rater_who_is_always_sure_is_seen():
    frame = long_frame()
    frame.loc[frame["rater"] == "r1", "confidence"] = 100.0
    raters = confidence(frame).raters.set_index("rater")
    assert raters.loc["r1", "share_constant"] == 1.0
    assert raters.loc["r1", "sd"] == 0.0


def test_answers_without_confidence_leave_the_weighted_mean_only():
    found = weighted_mean([4, 5, 3], [1.0, 0.8, None])
    assert found.value == pytest.approx((4 + 4) / 1.8)
    assert found.n_ratings == 2
    assert "answers_without_confidence" in found.warnings
    assert weighted_mean([4, 5], [None, None]).reason == "no_confidence"
    assert weighted_mean([4, 5], [0, 0]).reason == "zero_weight"


def test_severity_is_the_distance_to_the_others_on_shared_units():
    table = [[5, 4, 3], [4, 3, 2], [5, 5, None], [3, None, None]]
    found = severity(table).set_index("rater")
    # Rater 0 against the others' means: 1.5, 1.5, 0.
    assert found.loc[0, "estimate"] == pytest.approx(1.0)
    assert found.loc[0, "n_units"] == 3
    assert found.loc[2, "estimate"] == pytest.approx(-1.5)


def test_pairs_of_raters_have_a_table_and_its_counts():
    table = [[1, 1, 2], [2, 2, None], [1, 1, 1], [2, 1, 2]]
    found = pairwise(table, "percent_agreement")
    assert found.loc[0, 1] == pytest.approx(3 / 4)
    assert found.loc[0, 2] == pytest.approx(2 / 3)
    assert np.isnan(found.loc[0, 0])
    assert found.attrs["n"].loc[0, 2] == 3
    assert pairwise(table, "alpha").loc[0, 1] == pytest.approx(
        analysis.alpha(np.array(table, dtype=object)[:, :2], interval=None).value
    )


def test_the_most_influential_unit_and_rater_come_out():
    table = [[1, 1, 1], [2, 2, 2], [3, 3, 3], [1, 3, 3], [2, 2, 2]]
    units = influence(table, of="units")
    assert units.loc[0, "unit"] == 3
    assert units.loc[0, "estimate"] == 1
    raters = influence(table).set_index("rater")
    assert raters.loc[0, "estimate"] == 1
    assert raters["change"].idxmax() == 0


def test_corrections_match_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p = [0.001, 0.04, 0.03, 0.2, 0.008]
    for ours, theirs in (("holm", "holm"), ("benjamini-hochberg", "fdr_bh")):
        assert adjust(p, ours) == pytest.approx(multipletests(p, method=theirs)[1])
    assert adjust([0.02, None], "holm") == [0.02, None]


def test_kappas_z_is_against_chance_and_absent_where_undefined():
    assert kappa_test([[1, 1], [2, 2], [1, 2], [2, 1]]).z == pytest.approx(0)
    assert kappa_test([[1, 1], [1, 1]]).reason == "no_variation"
    assert kappa_test([[1, None]]).reason == "no_pairable_units"
    assert kappa_test([[1, 1, 2], [1, 2, None]], "fleiss").reason == "unbalanced"


def test_a_benchmark_chooses_the_best_word_that_is_sure_enough():
    found = benchmark(0.67, 0.15, "regier").set_index("word")
    assert found.index[found["chosen"]].tolist() == ["good"]
    assert benchmark(1.0, 0.0).loc[0, "chosen"]


def test_token_f1_of_the_worked_examples():
    # (reference, answer, tokeniser): the definition's own arithmetic.
    examples = [
        ("The Eiffel Tower", "Eiffel Tower in Paris", "squad", 2 / 3),
        ("42 people", "42", "squad", 2 / 3),
        ("", "", "squad", 1),
        ("the", "", "squad", 1),
        ("x", "", "squad", 0),
        ("a b", "a x", "squad", 0),
        ("陕西西安市", "西安市", "char", 0.75),
        ("陕西西安市", "西安市", "squad", 0),
        ("陕西西安市", "西安市", "auto", 0.75),
        ("500万元", "500万元。", "char", 1),
    ]
    for reference, answer, tokeniser, score in examples:
        assert token_f1(reference, answer, tokeniser) == pytest.approx(score)


def test_jieba_cuts_as_upstream_did():
    pytest.importorskip("jieba")
    assert token_f1("陕西西安市", "西安市", "jieba") == pytest.approx(2 / 3)
    assert token_f1("500万元", "500万元。", "jieba") == pytest.approx(0.8)
    assert token_f1("New York City", "Paris France", "jieba") == pytest.approx(0.25)


def test_tokens_lose_case_punctuation_and_articles():
    assert tokenise("The U.S. Army, an army.", "squad") == ["us", "army", "army"]
    assert tokenise("在2023年，GPT模型", "char") == ["在", "2023", "年", "gpt", "模", "型"]
    assert tokenise("ＡＢＣ、ｄ！", "char") == ["abcd"]


@pytest.mark.parametrize(
    "text", ["<Unanswerable>", " unanswerable. ", "无法推断", "＜unanswerable＞", "无法推断。"]
)
def test_every_way_of_saying_unanswerable_is_known(text):
    assert is_unanswerable(text)
    assert not is_unanswerable("")


def two_systems(missing=None, cluster=None):
    """Two systems over twelve cases; `missing` stands where a case or a cluster is not known."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        [
            {"case": f"c{i}", "system": system, "value": float(rng.integers(1, 5)), "rater": "ana",
             "article": missing if cluster and i in cluster else f"a{i // 2}"}
            for i in range(12)
            for system in ("x", "y")
        ]
    )  # fmt: skip


def test_jieba_is_asked_for_by_name_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(ValueError, match=r'needs jieba.*: pip install "raterbook\[zh\]"'):
        tokenise("我", "jieba")


def test_two_raters_who_never_met_have_no_kappa_to_test():
    assert kappa_test([[1, None], [None, 1]]).reason == "no_pairable_units"
    assert variance_components([[1, None], [2, None], [None, 3]]) == {
        "unit": None,
        "rater": None,
        "residual": None,
    }


@pytest.mark.parametrize("counts", [(0, 0, 1, 2), (1, 2, 0, 0)])
def test_a_difference_needs_both_denominators(counts):
    assert proportion_difference(*counts).reason == "zero_denominator"


def test_one_draw_is_no_interval_by_bca_either():
    found = mean([1, 2, 3, 5], interval=Interval("bca", draws=1))
    assert (found.low, found.reason) == (None, "too_few_units_for_interval")
    assert mean([1, 2, 3, 5], interval=Interval("bca", draws=2)).low is not None
