"""Many raters: the shorter way through their pairs gives what the pairs give one by one."""

import numpy as np
import pytest

from analysis import kappa, statistic


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_kappa_over_many_pairs_is_the_same_by_the_shorter_way(monkeypatch, weights):
    rng = np.random.default_rng(0)
    table = rng.integers(1, 5, (40, 20)).astype(float)
    table[rng.random(table.shape) < 0.6] = np.nan
    given = {"weights": weights, "scale": [1, 2, 3, 4], "interval": None}
    short = kappa(table, "light", **given)
    monkeypatch.setattr(statistic, "CROWD", 99)
    long = kappa(table, "light", **given)
    assert short.value == pytest.approx(long.value, abs=1e-12)
    assert short.warnings == long.warnings
