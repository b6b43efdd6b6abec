"""One vocabulary: what a keyword is called, and what it is if not given, is the same everywhere."""

import inspect

import pytest

import analysis

USUAL = {
    "scale": None,
    "interval": "jackknife",
    "resamples": 2000,
    "coverage": 0.95,
    "seed": 0,
    "cluster": None,
    "raters": None,
    "keep": None,
}
ESTIMATING = (
    *("alpha", "alpha_gwet", "kappa", "gwet", "brennan_prediger", "percent_agreement", "icc"),
    *("coefficients", "alpha_by_category", "kappa_by_category"),
    *("mean", "sd", "median", "weighted_mean", "confidence", "proportion", "rater_severity"),
)
FUNCTIONS = [name for name in analysis.__all__ if inspect.isfunction(getattr(analysis, name))]


def given(name):
    return inspect.signature(getattr(analysis, name)).parameters


@pytest.mark.parametrize("name", ESTIMATING)
def test_whatever_estimates_from_ratings_takes_the_same_keywords(name):
    taken = {word: given(name)[word].default for word in USUAL}
    # Shrout and Fleiss's interval is the usual one of an intraclass correlation.
    assert taken == {**USUAL, **({"interval": "analytic"} if name == "icc" else {})}
    assert all(given(name)[word].kind is inspect.Parameter.KEYWORD_ONLY for word in USUAL)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_swallows_a_misspelt_keyword(name):
    kinds = {parameter.kind for parameter in given(name).values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
