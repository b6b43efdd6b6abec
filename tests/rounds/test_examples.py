"""The examples in the docstrings of this room are right, and its files are what they say."""

import doctest
import importlib
import pkgutil

import pytest

import raterbook.rounds

MODULES = [
    each.name
    for each in pkgutil.walk_packages(raterbook.rounds.__path__, "raterbook.rounds.")
    if not each.ispkg
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_right(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
