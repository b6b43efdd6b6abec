"""Two hundred random tables each, against packages that share no code with ours."""

import warnings

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from raterbook.analysis import alpha, icc, kappa

LEVELS = ("nominal", "ordinal", "interval", "ratio")
TABLES = range(200)


def random_table(seed, missing=True, raters=None):
    """A table with 2–12 raters, missing answers, unused values and skew."""
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(2, 60)), raters or int(rng.integers(2, 13))
    scale = np.arange(1.0, rng.integers(3, 9))
    skew = rng.dirichlet(np.full(len(scale), rng.choice([0.2, 1.0, 5.0])))
    truth = rng.choice(scale, size=n, p=skew)
    table = np.repeat(truth[:, None], width, axis=1)
    wrong = rng.random(table.shape) < rng.choice([0.1, 0.4, 0.9])
    table[wrong] = rng.choice(scale, size=wrong.sum(), p=skew)
    if missing:
        table[rng.random(table.shape) < rng.choice([0.0, 0.2, 0.5])] = np.nan
    return table, scale


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_equals_krippendorff(level):
    compared = 0
    for seed in TABLES:
        table, scale = random_table(seed)
        ours = alpha(table, level, scale=list(scale), interval=None)
        met = table[np.isfinite(table).sum(axis=1) >= 2]
        values = met[np.isfinite(met)]
        if len(np.unique(values)) < 2:
            assert ours.value is None
            assert ours.reason in ("no_variation", "no_pairable_units", "single_rater")
            continue
        theirs = krippendorff.alpha(table.T, level_of_measurement=level)
        assert ours.value == pytest.approx(theirs, abs=1e-9)
        compared += 1
    assert compared > 150


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohens_kappa_equals_scikit_learn(weights):
    compared = 0
    for seed in TABLES:
        table, scale = random_table(seed, raters=2)
        both = table[np.isfinite(table).all(axis=1)]
        ours = kappa(table, "cohen", weights or "identity", scale=list(scale), interval=None)
        if not len(both) or (both == both[0, 0]).all():
            assert ours.value is None
            continue
        theirs = cohen_kappa_score(both[:, 0], both[:, 1], labels=scale, weights=weights)
        assert ours.value == pytest.approx(theirs, abs=1e-9)
        compared += 1
    assert compared > 150


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohens_kappa_equals_statsmodels(weights):
    compared = 0
    for seed in TABLES:
        table, scale = random_table(seed + 1000, raters=2)
        both = table[np.isfinite(table).all(axis=1)].astype(int)
        ours = kappa(table, "cohen", weights or "identity", scale=list(scale), interval=None)
        if not len(both) or (both == both[0, 0]).all():
            assert ours.value is None
            continue
        counts = np.zeros((len(scale), len(scale)))
        np.add.at(counts, (both[:, 0] - 1, both[:, 1] - 1), 1)
        theirs = cohens_kappa(counts, wt=weights, return_results=False)
        assert ours.value == pytest.approx(theirs, abs=1e-9)
        compared += 1
    assert compared > 150


def test_fleiss_kappa_equals_statsmodels_on_complete_tables():
    compared = 0
    for seed in TABLES:
        table, scale = random_table(seed, missing=False)
        ours = kappa(table, "fleiss", scale=list(scale), interval=None)
        counts = np.stack([(table == value).sum(axis=1) for value in scale], axis=1)
        if (counts.sum(axis=0) > 0).sum() < 2:
            assert ours.value is None
            continue
        assert ours.value == pytest.approx(fleiss_kappa(counts), abs=1e-9)
        compared += 1
    assert compared > 150


def test_intraclass_correlations_equal_pingouin_on_complete_tables():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pingouin

    names = {
        "ICC1": "ICC(1,1)",
        "ICC2": "ICC(A,1)",
        "ICC3": "ICC(C,1)",
        "ICC1k": "ICC(1,k)",
        "ICC2k": "ICC(A,k)",
        "ICC3k": "ICC(C,k)",
    }
    compared = 0
    for seed in range(260):
        table, _ = random_table(seed, missing=False)
        if len(table) < 6 or np.ptp(table.mean(axis=1)) < 0.5 or not np.ptp(table, axis=1).any():
            continue
        long = pd.DataFrame(table).melt(ignore_index=False).reset_index()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = pingouin.intraclass_corr(long, "index", "variable", "value")
        theirs = theirs.set_index(theirs["Type"].replace({v: k for k, v in names.items()}))
        low_high = theirs["CI95"] if "CI95" in theirs else theirs["CI95%"]
        for form in names:
            ours = icc(table, form)
            assert ours.value == pytest.approx(theirs.loc[form, "ICC"], abs=1e-8)
            # pingouin rounds its intervals to two digits.
            assert (ours.low, ours.high) == pytest.approx(tuple(low_high[form]), abs=0.0051)
        compared += 1
    assert compared >= 200
