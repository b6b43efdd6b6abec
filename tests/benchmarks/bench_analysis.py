"""What agreement costs, against peers in the same run: CPU time, the least of several repetitions.

    python tests/benchmarks/bench_analysis.py [--quick] [--repetitions N]

Prints one table, then each promise beside what was measured; exits 1 where one is missed.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
import time

import krippendorff
import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score

from raterbook.analysis import Interval, Ratings, alpha, kappa, mean
from raterbook.analysis.coefficients.alpha import OrdinalAlpha
from raterbook.analysis.coefficients.infer import infer
from raterbook.analysis.coefficients.tables import coefficients
from raterbook.numbers.compute import summary

SIZES = ((1_000, 3), (10_000, 5), (100_000, 5), (1_000_000, 5))
SCALE = [1, 2, 3, 4, 5]
SEVEN = [
    *("alpha_nominal", "alpha_ordinal", "alpha_interval", "kappa_fleiss", "ac1", "ac2"),
    "percent_agreement",
]


def ratings(units, raters, seed=0):
    """Five levels, one step of error either way, a fifth missing."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(SCALE, size=(units, 1), p=[0.05, 0.1, 0.2, 0.35, 0.3])
    table = np.clip(truth + rng.integers(-1, 2, (units, raters)), 1, 5).astype(float)
    table[rng.random(table.shape) < 0.2] = np.nan
    return table


def long_frame(table):
    units, raters = table.shape
    frame = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(units), raters),
            "rater": np.tile(np.arange(raters), units),
            "value": table.ravel(),
        }
    )
    return frame.dropna().reset_index(drop=True)


def cpu(work, repetitions=3):
    """Least CPU seconds over the repetitions."""
    least = float("inf")
    for _ in range(repetitions):
        gc.collect()
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def by_pivot(frame):
    wide = frame.pivot(index="unit", columns="rater", values="value")
    return krippendorff.alpha(wide.to_numpy(dtype=float).T, level_of_measurement="ordinal")


def measure(units, raters, repetitions):
    """One row of the table per piece of work: name, seconds."""
    table = ratings(units, raters)
    # Peers as often as ours: now and then one of their runs takes twice as long as its best.
    least = max(repetitions, 5)

    def ours(**options):
        return cpu(lambda: alpha(table, "ordinal", scale=SCALE, **options), least)

    found = {
        "alpha": ours(interval=None),
        "alpha jackknife": ours(),
        "mean jackknife": cpu(lambda: mean(table), least),
        "alpha bootstrap 1000": ours(interval=Interval("bootstrap", draws=1000)),
        "krippendorff": cpu(
            lambda: krippendorff.alpha(table.T, level_of_measurement="ordinal"), least
        ),
        "seven": cpu(lambda: coefficients(table, SEVEN, scale=SCALE, interval=None), least),
    }
    # A loop over resampled units, extrapolated from three of its thousand draws.
    rng = np.random.default_rng(1)
    draws = [rng.integers(0, units, units) for _ in range(3)]

    def loop():
        for draw in draws:
            krippendorff.alpha(table[draw].T, level_of_measurement="ordinal")

    found["krippendorff loop 1000"] = cpu(loop, 1) * 1000 / 3
    pair = table[:, :2]
    both = pair[np.isfinite(pair).all(axis=1)].astype(int)
    found["kappa quadratic"] = cpu(
        lambda: kappa(both, "cohen", "quadratic", scale=SCALE, interval=None), least
    )
    found["scikit-learn kappa"] = cpu(
        lambda: cohen_kappa_score(both[:, 0], both[:, 1], weights="quadratic"), least
    )
    frame = long_frame(table)
    frames = {
        "integer ids": frame,
        "categorical ids": frame.astype({"unit": "category", "rater": "category"}),
        "string ids": frame.assign(
            unit="item " + frame["unit"].astype(str), rater="rater " + frame["rater"].astype(str)
        ),
    }
    for name, given in frames.items():
        found[f"long, {name}"] = cpu(
            lambda given=given: alpha(given, "ordinal", scale=SCALE, interval=None), least
        )
        found[f"pivot + krippendorff, {name}"] = cpu(lambda given=given: by_pivot(given), least)
    return found


def ratios(found):
    """What is promised at a million units: its text, which side of what limit, the value."""
    alone, drawn = found["alpha"], found["alpha bootstrap 1000"]

    def long(ids):
        return found[f"pivot + krippendorff, {ids} ids"] / found[f"long, {ids} ids"]

    return [
        ("α from a table, against krippendorff", ">=", 25, found["krippendorff"] / alone),
        ("α from a long frame, integer ids", ">=", 60, long("integer")),
        ("α from a long frame, categorical ids", ">=", 60, long("categorical")),
        ("α from a long frame, string ids", ">=", 10, long("string")),
        (
            "a mean, in alphas, both with interval",
            "<=",
            1.5,
            found["mean jackknife"] / found["alpha jackknife"],
        ),
        ("jackknife interval, in point estimates", "<=", 1.3, found["alpha jackknife"] / alone),
        ("1,000-draw bootstrap, in point estimates", "<=", 3, drawn / alone),
        (
            "bootstrap against a loop over krippendorff",
            ">=",
            8000,
            found["krippendorff loop 1000"] / drawn,
        ),
        (
            "quadratic κ, against scikit-learn",
            ">=",
            4,
            found["scikit-learn kappa"] / found["kappa quadratic"],
        ),
        ("seven coefficients, in one", "<=", 1.5, found["seven"] / alone),
    ]


def growth():
    """The exponent with which the interval's cost grows in units, once patterns are counted."""
    spent = []
    for units in (10_000, 1_000_000):
        coded = Ratings(ratings(units, 5), scale=SCALE)
        assert 0.99 * units < coded.patterns.n_units <= units  # counted before the clock starts
        spent.append(cpu(lambda coded=coded: infer(OrdinalAlpha(), coded), 9))
    return float(np.log(spent[1] / spent[0]) / np.log(100))


PEAK = """
import resource, sys
import numpy as np
sys.path.insert(0, "tests/benchmarks")
from bench_analysis import SCALE, ratings
from raterbook.analysis import alpha
table = ratings(1_000_000, 5)
alpha(table[:100], "ordinal", scale=SCALE)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import tracemalloc
tracemalloc.start()
alpha(table, "ordinal", scale=SCALE)
print(tracemalloc.get_traced_memory()[1] / table.nbytes + 1)
"""


def peak_memory():
    """Peak memory of an alpha with its interval, the input included, in inputs."""
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    return float(done.stdout)


def children(code, repetitions=5):
    """Least CPU seconds of a fresh process over the repetitions."""
    least = float("inf")
    for _ in range(repetitions):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def whole_costs():
    """What is promised of whole processes and whole reports."""
    importing = children("import pandas")
    alpha_of_three = "analysis.alpha([[1, 2], [2, 2], [3, 3]], interval=None)"
    first = children(f"import pandas\nfrom raterbook import analysis\n{alpha_of_three}")
    frame, questions, measures = neureg_sized()
    full = cpu(lambda: summary(frame, measures, questions, cluster="cluster"), 1)
    return [
        ("growth of the interval in units, exponent", "<=", 0.1, growth()),
        ("peak memory, in sizes of the input", "<=", 3, peak_memory()),
        ("a full summary, in imports of pandas", "<=", 40, full / importing),
        ("a fresh process with one α, in imports of pandas", "<=", 1.2, first / importing),
    ]


def judge(promises):
    """Print each promise with what was measured; how many were missed."""
    missed = 0
    for text, side, limit, value in promises:
        held = value >= limit if side == ">=" else value <= limit
        missed += not held
        sign = "at least" if side == ">=" else "at most"
        said = "bound held" if held else "bound NOT held"
        print(f"{text:52}{value:12,.2f}   {sign} {limit:<8,g}{said}")
    return missed


def neureg_sized():
    """3,314 items × 5 raters × 5 questions, three shot types, four question types."""
    rng = np.random.default_rng(2)
    names = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]
    frames = []
    for i, name in enumerate(names):
        frame = long_frame(ratings(3_314, 5, seed=i)).rename(columns={"unit": "item"})
        frames.append(frame.assign(question=name))
    frame = pd.concat(frames, ignore_index=True)
    shot = rng.choice(["zero", "one", "few"], 3_314)
    kind = rng.choice(["factual", "relational", "comparative", "inferential"], 3_314)
    item = frame["item"].to_numpy()
    frame = frame.assign(
        round="r",
        case=frame["item"].astype(str),
        item=frame["item"].astype(str),
        part=0,
        rater="r" + frame["rater"].astype(str),
        rater_kind="human",
        replicate=1,
        number=frame["value"],
        value=frame["value"].astype(int).astype(str).astype("category"),
        status="answered",
        role="main",
        cluster=item // 20,
        shot_type=shot[item],
        question_type=kind[item],
    )
    scale = {"type": "scale", "level": "ordinal", "scale": SCALE}
    by = ["shot_type", "question_type", ["shot_type", "question_type"]]
    statistics = (
        *("mean", "sd", "median", "alpha_ordinal", "alpha_interval", "percent_agreement"),
        *("percent_within_one", "kappa_weighted_quadratic", "kappa_fleiss", "ac2", "icc_2_1"),
        *("full_agreement", "majority", "no_majority", "evaluator_agreement", "overall_mean"),
    )
    measures = [{"statistic": name, "question": names, "by": by} for name in statistics]
    return frame, dict.fromkeys(names, scale), measures


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--quick", action="store_true", help="leave out the million units")
    asked.add_argument("--repetitions", type=int, default=3)
    options = asked.parse_args()
    sizes = SIZES[:-1] if options.quick else SIZES
    tables = {units: measure(units, raters, options.repetitions) for units, raters in sizes}
    heads = [f"{units:,} × {raters}" for units, raters in sizes]
    print(f"{'CPU milliseconds':44}" + "".join(f"{head:>16}" for head in heads))
    for name in tables[sizes[0][0]]:
        cells = "".join(f"{tables[units][name] * 1000:16,.2f}" for units, _ in sizes)
        print(f"{name:44}{cells}")
    print()
    if options.quick:
        return 0
    return 1 if judge([*ratios(tables[sizes[-1][0]]), *whole_costs()]) else 0


if __name__ == "__main__":
    sys.exit(main())
