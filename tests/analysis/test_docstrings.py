"""The examples in the docstrings come out as written."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from raterbook import analysis

MODULES = [
    module.name for module in pkgutil.walk_packages(analysis.__path__, prefix="raterbook.analysis.")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_come_out(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", analysis.__all__)
def test_a_public_name_says_what_it_is_and_shows_it(name):
    assert ">>> " in getattr(analysis, name).__doc__


@pytest.mark.parametrize("name", ["older", "text"])
def test_what_older_papers_need_is_shown_too(name):
    module = importlib.import_module(f"raterbook.analysis.{name}")
    own = [f for f in vars(module).values() if getattr(f, "__module__", "") == module.__name__]
    functions = [f for f in own if inspect.isfunction(f) and f.__name__[0] != "_"]
    assert functions
    assert all(">>> " in function.__doc__ for function in functions)


def test_the_package_needs_nothing_but_numpy_pandas_scipy_and_statsmodels():
    import ast
    from pathlib import Path

    allowed = {"numpy", "pandas", "scipy", "statsmodels", "analysis", "__future__"}
    allowed |= {"abc", "collections", "dataclasses", "functools", "html", "itertools", "math"}
    allowed |= {"numbers", "re", "string", "typing", "unicodedata", "warnings"}
    allowed |= {"importlib", "pkgutil", "sys"}  # a checkout's folder by its own name
    # The upstream tokeniser, optional and imported when asked for by name.
    allowed |= {"jieba"}
    found = set()
    for path in Path(analysis.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.split(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").removeprefix("raterbook.").split(".")[0])
    assert found <= allowed


def test_scipys_distributions_and_statsmodels_stay_unloaded_until_used():
    import subprocess
    import sys

    code = (
        "import sys; from raterbook import analysis\n"
        "analysis.alpha([[1, 1], [2, 2], [1, 2]], interval=None)\n"
        "assert not {'scipy', 'scipy.stats', 'statsmodels'} & set(sys.modules)\n"
        "analysis.alpha([[1, 1], [2, 2], [1, 2], [2, 1]])\n"
        "assert not {'scipy.stats', 'statsmodels'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
