"""What is limited is done up to its limit, and beyond it is left out with a reason."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from raterbook.analysis import Ratings, against
from raterbook.analysis.assumption import MOST, assumed
from raterbook.analysis.averages import means
from raterbook.analysis.averages.against import MOST_CELLS
from raterbook.analysis.coefficients import infer
from raterbook.analysis.coefficients.gwet import OwnChance
from raterbook.analysis.coefficients.icc import IntraclassCorrelation
from raterbook.analysis.comparison import annotators, labels, persons, uncertainty
from raterbook.analysis.comparison import rasch as models
from raterbook.analysis.comparison.habits import by_agreement, halo_effect
from raterbook.analysis.comparison.labels import dawid_skene
from raterbook.analysis.comparison.persons import beside_persons
from raterbook.analysis.comparison.rasch import rasch
from raterbook.analysis.comparison.uncertainty import distance
from raterbook.analysis.forecast import Design, forecast
from raterbook.analysis.ratings import APART, engine, values

RNG = np.random.default_rng(3)
TRUE = RNG.integers(1, 6, (40, 1))
TABLE = np.clip(TRUE + RNG.integers(-1, 2, (40, 5)), 1, 5)
PAIRS = [[1, 2], [2, 1], [3, 5], [4, 3], [5, 4], [6, 6]]

# Of what there are so many: the module, its limit, how many, whose reason, and which it is.
LIMITS = {
    "levels of a model of raters": (
        *("comparison.rasch", "MOST_LEVELS", 5, lambda: rasch(TABLE[:, :3], interval=None).reason),
        "too_many_values",
    ),
    "raters of a model of raters": (
        *("comparison.rasch", "MOST_RATERS", 3, lambda: rasch(TABLE[:, :3], interval=None).reason),
        "too_many_raters_for_interval",
    ),
    "raters who are scored": (
        *("comparison.labels", "MOST_SCORED", 5),
        lambda: dawid_skene(TABLE, interval=None).raters["reason"][0],
        "too_many_raters_for_interval",
    ),
    "pairs of values": (
        *("averages.against", "MOST_CELLS", 6 * 6),
        lambda: against(PAIRS, 1, names=["spearman"])["reason"][0],
        "too_many_values",
    ),
    "persons of kappa": (
        *("comparison.persons", "MOST_PERSONS", 4),
        lambda: beside_persons(TABLE, 4, names=["kappa"], interval=None)[0].model.reason,
        "too_many_raters_for_interval",
    ),
    "sums beside persons": (
        *("comparison.persons", "MOST_CELLS", 40 * 2 * 4 * 2),
        lambda: beside_persons(TABLE, 4, names=["mae"])[0].model.reason,
        "too_many_values",
    ),
    "persons of a split kappa": (
        *("comparison.habits", "MOST_PERSONS", 4),
        lambda: by_agreement(TABLE, 4, names=["kappa"], interval=None)["apart"][0].model.reason,
        "too_many_raters_for_interval",
    ),
    "persons of halo": (
        *("comparison.habits", "MOST_PERSONS", 4),
        lambda: halo_effect([TABLE, TABLE[::-1]], 4, interval=None).model.reason,
        "too_many_raters_for_interval",
    ),
    "persons of a distance": (
        *("comparison.uncertainty", "MOST_PERSONS", 4),
        lambda: distance(TABLE, 4, interval=None).difference.reason,
        "too_many_raters_for_interval",
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_as_many_as_a_limit_says_are_taken_and_one_more_is_not(monkeypatch, name):
    module, limit, many, made, reason = LIMITS[name]
    module = importlib.import_module(f"raterbook.analysis.{module}")
    monkeypatch.setattr(module, limit, many)
    assert made() is None
    monkeypatch.setattr(module, limit, many - 1)
    assert made() == reason


PAGES = {
    "scale.md": [
        f"of up to {engine.MOST_RATERS} raters |",
        f"more than {means.DRAWN_APART:,} units without clusters",
        f"| more than {engine.MOST_RATERS} raters | up to {engine.IN_MEMORY:,} answers are read",
        f"up to {APART:,} of them",
        f"agreement within a reach | {values.MOST_VALUES:,} values |",
        f"{IntraclassCorrelation.most_raters}; {OwnChance.most_raters} raters |",
        f"| model of raters | {models.MOST_LEVELS} levels, {models.MOST_RATERS} raters |",
        f"by the likeliest labels | {labels.MOST_SCORED} raters |",
        f"| {persons.MOST_PERSONS} persons; {persons.MOST_PERSONS} persons, "
        f"{uncertainty.MOST_LEVELS} levels |",
        f"against the others | {MOST_CELLS:,} sums |",
        f"for a forecast | {MOST} values |",
    ],
    "statistics.md": [
        f"correlations of more than {IntraclassCorrelation.most_raters} raters",
        f"fewer than {annotators.LEAST} items",
        f"fewer than {infer.ENOUGH_DISAGREEMENTS} units lie",
    ],
}


@pytest.mark.parametrize(("page", "said"), [(page, each) for page in PAGES for each in PAGES[page]])
def test_limits_are_those_that_the_documentation_names(page, said):
    text = (Path(__file__).parents[2] / "docs" / page).read_text("utf-8")
    assert said in " ".join(text.split())


@pytest.mark.parametrize(("clusters", "reason"), [(3, None), (2, "too_few_units_for_interval")])
def test_three_clusters_have_an_interval_of_severity_and_two_have_none(clusters, reason):
    ratings = Ratings(TABLE[:, :3], cluster=np.arange(40) % clusters)
    assert set(rasch(ratings).raters["reason"]) == {reason}
    scored = dawid_skene(Ratings(TABLE, cluster=np.arange(40) % clusters)).raters
    assert scored["low"].notna().all() == (reason is None)
    assert forecast(TABLE).at(Design(clusters, 5, 5)).reason == reason


def test_ten_shares_may_be_assumed_and_eleven_may_not(monkeypatch):
    monkeypatch.setattr("raterbook.analysis.assumption.MOST", 3)
    assert assumed("alpha_nominal", 0.5, [1, 1, 1]).value == pytest.approx(0.5)
    with pytest.raises(ValueError, match="2 to 3 of them"):
        assumed("alpha_nominal", 0.5, [1, 1, 1, 1])
