"""One vocabulary: what a keyword is called, and what it is if not given, is the same everywhere."""

import importlib
import inspect
import pkgutil

import pytest

from raterbook import analysis

MODULES = [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(analysis.__path__, prefix="raterbook.analysis.")
]
FUNCTIONS = {
    f"{module.__name__}.{name}": thing
    for module in MODULES
    for name, thing in vars(module).items()
    if inspect.isfunction(thing) and thing.__module__ == module.__name__ and name[0] != "_"
}
# Whatever depends on which values there are takes a scale; the rest of reading is for Ratings.
USUAL = {"scale": None, "interval": "jackknife"}
OF_READING = {"cluster", "raters", "keep", "resamples", "draws", "seed"}


def given(function):
    return inspect.signature(function).parameters


@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_estimates_from_ratings_takes_the_same_keywords(name):
    taken = given(FUNCTIONS[name])
    if "ratings" not in taken or name.endswith("ratings.read"):
        return
    assert not OF_READING & set(taken)
    for word in USUAL.keys() & taken.keys():
        # Shrout and Fleiss's interval is the usual one of an intraclass correlation.
        usual = (
            "analytic" if (word, name.rpartition(".")[2]) == ("interval", "icc") else USUAL[word]
        )
        assert taken[word].default == usual
        assert taken[word].kind is inspect.Parameter.KEYWORD_ONLY or "proportion" in name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_six_parameters_at_most_and_swallows_no_misspelt_one(name):
    taken = given(FUNCTIONS[name])
    assert len(taken) <= 6
    # What an estimate is made of is handed on to it, which knows its fields.
    if not name.endswith(".estimated"):
        assert inspect.Parameter.VAR_KEYWORD not in {each.kind for each in taken.values()}


def test_the_front_has_the_names_of_the_contract():
    assert set(analysis.__all__) == {
        *("Ratings", "Interval", "Estimate", "alpha", "kappa", "gwet", "icc", "agreement"),
        *("mean", "weighted_mean", "proportion", "difference", "against", "severity"),
        *("influence", "adjust"),
    }
