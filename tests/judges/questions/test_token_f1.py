"""Token F1 beside the benchmark's plain script: the same values. Its speed is measured there."""

import importlib.util
from pathlib import Path

import pytest

from raterbook.analysis.text import token_f1


@pytest.fixture(scope="module")
def bench():
    path = Path(__file__).parents[2] / "benchmarks" / "bench_token_f1.py"
    spec = importlib.util.spec_from_file_location("bench_token_f1", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ten_thousand_random_pairs_have_the_values_of_a_plain_script(bench):
    for reference, answer in bench.pairs(10_000):
        expected = bench.plain_f1(reference, answer)
        assert token_f1(reference, answer, "squad") == pytest.approx(expected, abs=1e-12)


def test_f1_is_symmetric_between_zero_and_one_and_one_for_equals(bench):
    for reference, answer in bench.pairs(1_000, seed=9):
        value = token_f1(reference, answer)
        assert 0 <= value <= 1
        assert value == pytest.approx(token_f1(answer, reference))
        assert token_f1(reference, reference) == 1
