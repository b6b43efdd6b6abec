"""Beside other packages on random data: `pytest -m peers`, each skipped where it is not installed.

    python -m venv peers && peers/bin/pip install -e . --group dev --group peers

The exact bounds are those of one formula, the loose ones those of two estimators of one number.
"""

import importlib
import warnings

import numpy as np
import pytest

from raterbook.analysis import Ratings, against, alpha, gwet, kappa
from raterbook.analysis.comparison.corrected import ppi_mean, rogan_gladen
from raterbook.analysis.comparison.habits import same_again
from raterbook.analysis.intervals import Interval

pytestmark = pytest.mark.peers


def peer(name, package):
    """The package, or one loud line that it is not here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            pytest.skip(f"NOT COMPARED: {package} is not installed (pip install {package})")


def drawn(seed, labelled=60, pool=400, size=1):
    """People on some items, a model that scores too high on all; clusters of `size` items."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(pool // size), size)
    true = rng.normal(size=pool // size)[cluster] * (size > 1) + rng.normal(size=pool)
    own = true + rng.normal(scale=0.4, size=pool)
    model = true + 0.4 + rng.normal(scale=0.7, size=pool)
    given = np.isin(cluster, rng.choice(pool // size, labelled // size, replace=False))
    return own, model, given, cluster


@pytest.mark.parametrize("seed", range(20))
def test_a_corrected_mean_and_its_published_interval_are_those_of_ppi_python(seed):
    ppi = peer("ppi_py", "ppi-python")
    own, model, given, _ = drawn(seed)
    found = ppi_mean(np.where(given, own, np.nan), model, interval="analytic")
    parts = (own[given], model[given], model[~given])
    lam = found.beside["tuning"]
    assert found.value == pytest.approx(float(ppi.ppi_mean_pointestimate(*parts, lam=lam)[0]))
    low, high = (float(end[0]) for end in ppi.ppi_mean_ci(*parts, alpha=0.05, lam=lam))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    # Its own tuning has other divisors: the same number but for a hundredth of its error.
    tuned = float(ppi.ppi_mean_pointestimate(*parts)[0])
    assert abs(found.value - tuned) < 0.05 * found.se


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("seed", range(10))
def test_a_corrected_mean_is_that_of_truescore_and_its_error_over_clusters_nearly(seed, size):
    peer("truescore", "truescore")
    import truescore

    own, model, given, cluster = drawn(seed, 120, 600, size)
    found = ppi_mean(np.where(given, own, np.nan), model, cluster=cluster)
    theirs = truescore.ppi_estimate(
        model, own[given], np.flatnonzero(given), clusters=cluster if size > 1 else None
    )
    assert abs(found.value - theirs.point) < 0.15 * found.se
    assert theirs.standard_error == pytest.approx(found.se, rel=0.15)


@pytest.mark.parametrize("seed", range(10))
def test_a_pass_rate_by_the_models_rates_is_that_of_truescore(seed):
    peer("truescore", "truescore")
    import truescore

    own, model, given, _ = drawn(seed, 200, 1000)
    own, model = (own > 0).astype(int), (model > 0.3).astype(int)
    theirs = truescore.rogan_gladen_estimate(model, own[given], np.flatnonzero(given))
    y, f = own[given], model[given]
    found = rogan_gladen(
        (int((f[y == 1] == 1).sum()), int((y == 1).sum())),
        (int((f[y == 0] == 0).sum()), int((y == 0).sum())),
        (int(model.sum()), len(model)),
    )
    assert found.value == pytest.approx(theirs.point)


@pytest.mark.parametrize("seed", range(10))
def test_a_model_against_one_person_is_that_of_truescore(seed):
    peer("truescore", "truescore")
    import truescore

    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 6, 80)
    judge = np.clip(gold + rng.choice([-2, -1, 0, 0, 1], 80), 1, 5)
    theirs = truescore.graded_agreement(judge.astype(float), gold.astype(float))
    table = Ratings(np.column_stack([gold, judge]), scale=[1, 2, 3, 4, 5])
    found = dict(against(table, 1, interval=None)[["statistic", "estimate"]].to_numpy())
    assert found == pytest.approx(
        {
            "exact": theirs.exact_match,
            "within_one": theirs.within_one,
            "mae": theirs.mean_absolute_error,
            "bias": theirs.mean_error,
            "spearman": theirs.spearman,
        }
    )
    weighted = kappa(table, weights="quadratic", interval=None).value
    assert weighted == pytest.approx(theirs.quadratic_kappa)
    assert alpha(table, "ordinal", interval=None).value == pytest.approx(
        theirs.krippendorff_ordinal
    )
    labels = Ratings(np.column_stack([gold % 2, judge % 2]), scale=[0, 1])
    assert gwet(labels, interval=None).value == pytest.approx(
        truescore.gwet_ac1(gold % 2, judge % 2)
    )


def test_turning_with_the_order_is_what_truescore_calls_inconsistent():
    peer("truescore", "truescore")
    import truescore

    rng = np.random.default_rng(1)
    first, swapped = rng.integers(0, 2, (2, 120))
    theirs = truescore.position_bias(first, swapped)
    # Who sticks to an answer chooses the first place once, and the second where they change.
    turned = (first == swapped).astype(float)[:, None]
    found = same_again("flips", turned, np.arange(120), ["gauge"], Interval())
    assert found.model.value == pytest.approx(1 - theirs.consistency)


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("seed", range(10))
def test_a_corrected_mean_is_near_the_calibrated_one_of_cje(seed, size):
    """Another estimator of the same mean: isotonic calibration on folds, and what is left."""
    peer("cje", "cje-eval")
    import cje

    own, model, given, cluster = drawn(seed, 150, 600, size)
    low, high = min(own.min(), model.min()), max(own.max(), model.max())
    own, model = ((each - low) / (high - low) for each in (own, model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cje.calibrated_mean_ci(model, np.where(given, own, np.nan), cluster_ids=cluster)
    found = ppi_mean(np.where(given, own, np.nan), model, cluster=cluster)
    assert abs(found.value - theirs.estimate) < found.se
    assert theirs.se == pytest.approx(found.se, rel=0.35)
