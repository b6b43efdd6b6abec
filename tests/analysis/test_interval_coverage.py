"""How often 95 % intervals hold the truth, over simulated rounds; minutes, so marked long.

Ratings on 1 to 5 come from a unit's own level, the rater's severity and noise; confidence rises
with the score; a proportion comes in clusters. For *these raters* the severities stay and the
truth is theirs over endless units; for *raters like these* each round draws its raters anew and
the truth is that of endless raters. Run as a script to print the table.
"""

import sys

import numpy as np
import pytest

from raterbook.analysis import Ratings, mean, weighted_mean
from raterbook.analysis.averages import Entries
from raterbook.analysis.averages.proportions import proportion_of
from raterbook.analysis.coefficients.tables import coefficients

SCALE = [1, 2, 3, 4, 5]
ROUNDS = 1000
STATISTICS = ("alpha_ordinal", "kappa_weighted_quadratic", "ac2", "mean", "weighted_mean")
SEVERITY, SPREAD, NOISE = 0.25, 1.0, 0.7
CLUSTER = 5


def rate(rng, units, severities):
    level = rng.normal(3.2, SPREAD, (units, 1))
    seen = level + severities + rng.normal(0, NOISE, (units, len(severities)))
    return np.clip(np.rint(seen), 1, 5)


def confidence(rng, table):
    return np.clip(60 + 6 * table + rng.normal(0, 10, table.shape), 0, 100)


def estimates(rng, table):
    found = coefficients(table, STATISTICS[:3], scale=SCALE)
    found["mean"] = mean(Ratings(table, scale=SCALE))
    found["weighted_mean"] = weighted_mean(table, confidence(rng, table))
    return found


def truth_for(severities, units=60_000):
    rng = np.random.default_rng(99)
    table = rate(rng, units, severities)
    found = coefficients(table, STATISTICS[:3], scale=SCALE, interval=None)
    sure = confidence(rng, table)
    return {
        **{name: estimate.value for name, estimate in found.items()},
        "mean": float(table.mean()),
        "weighted_mean": float((table * sure).sum() / sure.sum()),
    }


def endless_truth():
    """Pairs of raters drawn anew for each block of units stand for endless raters."""
    rng = np.random.default_rng(98)
    level = rng.normal(3.2, SPREAD, (400_000, 1))
    severities = rng.normal(0, SEVERITY, (400_000, 2))
    seen = level + severities + rng.normal(0, NOISE, (400_000, 2))
    table = np.clip(np.rint(seen), 1, 5)
    found = coefficients(table, STATISTICS[:3], scale=SCALE, interval=None)
    sure = confidence(rng, table)
    return {
        **{name: estimate.value for name, estimate in found.items()},
        "mean": float(table.mean()),
        "weighted_mean": float((table * sure).sum() / sure.sum()),
    }


def coverage(units, raters, scope, rounds=ROUNDS, ends=None):
    """Per statistic the share of rounds whose interval held the truth, warned ones left out.

    `ends` are those of the interval, if not the scope's own.
    """
    rng = np.random.default_rng(units * 10 + raters)
    fixed = rng.normal(0, SEVERITY, raters)
    fixed -= fixed.mean()
    truth = truth_for(fixed) if scope == "these" else endless_truth()
    held = {name: [] for name in STATISTICS}
    for _ in range(rounds):
        severities = fixed if scope == "these" else rng.normal(0, SEVERITY, raters)
        for name, found in estimates(rng, rate(rng, units, severities)).items():
            if "too_few_disagreements" in found.warnings:
                continue
            low, high = found.low, found.high
            if (ends or scope) == "like":
                low, high = found.low_like, found.high_like
            held[name].append(low is not None and low <= truth[name] <= high)
    return {name: float(np.mean(each)) for name, each in held.items() if each}


def proportion_coverage(units, share=0.85, rounds=ROUNDS, declared=True):
    """A proportion whose answers come in clusters of five that share much of their luck."""
    rng = np.random.default_rng(units)
    held = []
    for _ in range(rounds):
        own = rng.beta(share * 4, (1 - share) * 4, units)
        hits = (rng.random((units, CLUSTER)) < own[:, None]).ravel().astype(float)
        cluster = np.repeat(np.arange(units), CLUSTER)
        cells = Entries(
            np.arange(len(hits)),
            np.zeros(len(hits), dtype=int),
            cluster if declared else np.arange(len(hits)),
            {"hit": hits, "of": np.ones(len(hits))},
        )
        found = proportion_of("share", cells)
        held.append(found.low <= share <= found.high)
    return float(np.mean(held))


@pytest.mark.long
@pytest.mark.parametrize("scope", ["these", "like"])
@pytest.mark.parametrize("raters", [3, 6])
@pytest.mark.parametrize("units", [50, 200])
def test_ninety_five_percent_intervals_hold_the_truth_that_often(units, raters, scope):
    # Two standard errors of a thousand rounds beside the promised 93 to 97 %.
    found = coverage(units, raters, scope)
    assert set(found) == set(STATISTICS)
    for name, share in found.items():
        assert 0.93 - 0.016 <= share <= 0.97 + 0.011, (name, share)


@pytest.mark.long
@pytest.mark.parametrize("units", [50, 200])
def test_a_proportion_over_clusters_is_held_that_often(units):
    assert 0.93 - 0.014 <= proportion_coverage(units) <= 0.97 + 0.014


@pytest.mark.long
def test_the_control_fails_where_the_interval_speaks_of_other_raters_or_of_no_clusters():
    found = coverage(200, 3, "like", ends="these")
    assert set(found) == set(STATISTICS)
    for name, share in found.items():
        assert share < 0.93 - 0.016, (name, share)
    assert proportion_coverage(200, declared=False) < 0.93 - 0.014


def print_table(rounds):
    print(f"{'units':>6} {'raters':>7} {'scope':>7} " + " ".join(f"{n:>25}" for n in STATISTICS))
    for units in (50, 200):
        for raters in (3, 6):
            for scope in ("these", "like"):
                found = coverage(units, raters, scope, rounds)
                cells = " ".join(f"{found.get(n, float('nan')):25.3f}" for n in STATISTICS)
                print(f"{units:>6} {raters:>7} {scope:>7} {cells}", flush=True)
    for units in (50, 200):
        print(f"proportion over {units} clusters: {proportion_coverage(units, rounds=rounds):.3f}")


if __name__ == "__main__":
    print_table(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
