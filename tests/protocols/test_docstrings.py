"""The examples in this room's docstrings do what they say."""

import doctest
import importlib
import pkgutil

import pytest

import raterbook.protocols as room


@pytest.mark.parametrize("name", [each.name for each in pkgutil.iter_modules(room.__path__)])
def test_every_example_in_a_docstring_runs(name):
    result = doctest.testmod(importlib.import_module(f"{room.__name__}.{name}"))
    assert result.failed == 0
