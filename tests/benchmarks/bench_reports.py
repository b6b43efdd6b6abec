"""Reports beside what they cannot do without: an empty run, one core, a small round.

    python tests/benchmarks/bench_reports.py

Prints each time beside its measure and the ratio; exits 1 where a ratio is above its limit.
CPU times are the least of three fresh processes; wall times, for two jobs against one, of two.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "raterbook.workspace, raterbook.reporting.report, analysis, numpy, pandas, scipy.stats, "
    "scipy.special, statsmodels.stats.inter_rater, krippendorff, matplotlib.pyplot, seaborn"
)
ROUNDS = (
    "neureg-sample",
    "questeval-sample",
    "feedback-sample",
    "feedback-sample-2",
    "halo-sample",
    "stem-sample",
)
EMPTY = """
import sys
from pathlib import Path
import papermill
from raterbook.reporting.kernel import private_transport
from raterbook.reporting.kernel import surroundings
with surroundings(), private_transport() as config:
    papermill.execute_notebook(sys.argv[1], sys.argv[2], kernel_name="python3",
                               progress_bar=False, **config)
"""
ONE = """
import sys
from raterbook.reporting.run import build_one
build_one(tuple(sys.argv[1:4]), sys.argv[4])
"""
CHECK = """
import sys
from raterbook.cli import main
sys.exit(main(["--workspace", sys.argv[1], "check", "crowd", "--require",
               "alpha_ordinal:tone>=-1"]))
"""
CROWD = """
name: crowd
title: A crowd
about: One scale from 1 to 5.
instructions: [Rate each.]
item: {key: [id], case: id, fields: {id: {label: Item}}}
questions:
  - {id: tone, prompt: Rate it, type: scale, min: 1, max: 5}
measures:
  - {statistic: alpha_ordinal, question: tone}
"""
MANY = """
import sys
from raterbook import Workspace
from raterbook.reporting import build
if __name__ == "__main__":
    place = Workspace(sys.argv[1], reports=sys.argv[2])
    build(place, place.rounds(), jobs=int(sys.argv[3]))
"""


def fresh(code, *words):
    """CPU and wall seconds of one fresh process with its children."""
    before, start = os.times(), time.perf_counter()
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(code)
    try:
        subprocess.run([sys.executable, file.name, *map(str, words)], check=True, cwd=ROOT)
    finally:
        os.unlink(file.name)
    after = os.times()
    cpu = (
        after.children_user
        + after.children_system
        - before.children_user
        - (before.children_system)
    )
    return cpu, time.perf_counter() - start


def make(target):
    """CPU seconds of a target of the Makefile."""
    before = os.times()
    subprocess.run(["make", "--silent", target], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    after = os.times()
    return (
        after.children_user
        + after.children_system
        - before.children_user
        - (before.children_system)
    )


def least(code, *words, times=3, of=0):
    return min(fresh(code, *words)[of] for _ in range(times))


def empty_notebook(folder):
    """A notebook that only imports the packages a report lists."""
    cell = {
        "cell_type": "code",
        "id": "imports",
        "metadata": {"tags": ["parameters"]},
        "execution_count": None,
        "outputs": [],
        "source": f"import {PACKAGES}",
    }
    kernel = {"name": "python3", "display_name": "python", "language": "python"}
    file = folder / "empty.ipynb"
    file.write_text(
        json.dumps(
            {
                "cells": [cell],
                "metadata": {"kernelspec": kernel},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        )
    )
    return file


def large(folder, items=3314, raters=5):
    """A round of the published size: 3,314 items, five raters, five questions."""
    from raterbook.protocols import load
    from raterbook.rounds import Event, ItemTable, Store

    asked = ("relevance", "accuracy", "completeness", "fluency", "kg_alignment")
    protocol = load("neureg-qa")
    shots = list(protocol.definitions["shot_type"])
    kinds = list(protocol.definitions["question_type"])
    table = ItemTable.from_records(
        protocol,
        [
            {
                "qa_id": f"q{n:05d}",
                "question": f"Question {n}?",
                "answer": f"Answer {n}.",
                "source_context": f"source {n % 153}",
                "source_kg": "1. a → b → c",
                "shot_type": shots[n % len(shots)],
                "question_type": kinds[n % len(kinds)],
            }
            for n in range(items)
        ],
    )
    stored = Store(str(folder / "data" / "raterbook.sqlite")).open("large", protocol, table)
    rng = np.random.default_rng(0)
    truth = rng.choice([2, 3, 4, 5], (items, len(asked)), p=[0.05, 0.1, 0.25, 0.6])
    for rater in range(raters):
        stored.add_rater(f"r{rater}")
        given = np.clip(truth + rng.choice([-1, 0, 0, 0, 1], truth.shape), 1, 5).tolist()
        stored.save(
            f"r{rater}",
            [
                Event(f"{rater}-{n}-{q}", f"q{n:05d}", q, value)
                for n, row in enumerate(given)
                for q, value in zip(asked, row, strict=True)
            ],
        )


def crowd(folder, raters, items=2000, per_item=3):
    """A round in which each item has three of so many raters."""
    import pandas as pd

    from raterbook import Workspace

    (folder / "crowd.yaml").write_text(CROWD)
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, items)
    names = [f"i{n:05d}" for n in range(items)]
    pd.DataFrame({"id": names}).to_csv(folder / "items.csv", index=False)
    rows = [
        (name, f"w{rater:04d}", int(np.clip(score + rng.integers(-1, 2), 1, 5)))
        for name, score in zip(names, truth, strict=True)
        for rater in rng.choice(raters, per_item, replace=False)
    ]
    pd.DataFrame(rows, columns=["id", "rater", "tone"]).to_csv(folder / "long.csv", index=False)
    opened = Workspace(folder).open("crowd", folder / "crowd.yaml", folder / "items.csv")
    opened.add(folder / "long.csv")


def main():
    sys.path.insert(0, str(ROOT))
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = folder / "samples"
        words = [sys.executable, "-m", "raterbook.samples", samples]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        db = samples / "data" / "raterbook.sqlite"
        notebook = empty_notebook(folder)
        nothing = least(EMPTY, notebook, folder / "out.ipynb")
        reports = {r: least(ONE, samples, db, folder / "reports", r) for r in ROUNDS}
        one = max(reports.values())
        for sample, seconds in reports.items():
            print(
                f"{sample:18} {seconds:5.2f} s CPU; empty run with the same imports "
                f"{nothing:.2f} s: {seconds / nothing:.2f} times"
            )
        worst |= said("one report to an empty run", one / nothing, 1.5)
        make("report")  # the first builds what is missing
        again = min(make("report") for _ in range(2))
        runs = sum(reports.values())
        print(f"make report once more: {again:.2f} s CPU; its {len(reports)} reports {runs:.2f} s")
        worst |= said("a second make report to its reports", again / runs, 1.5)
        grown = folder / "grown"
        (grown / "data").mkdir(parents=True)
        large(grown)
        big = least(
            ONE, grown, grown / "data" / "raterbook.sqlite", folder / "reports", "large", times=2
        )
        print(f"3,314 items × 5 raters × 5 questions: {big:.2f} s CPU")
        worst |= said("a large round to a sample", big / reports["neureg-sample"], 3)
        spent = {}
        for raters in (100, 1000):
            place = folder / f"crowd-{raters}"
            place.mkdir()
            crowd(place, raters)
            spent[raters] = least(CHECK, place, times=2)
            print(f"check of 2,000 items × 3, {raters:,} raters: {spent[raters]:.2f} s CPU")
        worst |= said("check with 1,000 raters to 100", spent[1000] / spent[100], 3)
        eight(samples)
        serial = least(MANY, samples, folder / "serial", 1, times=2, of=1)
        paired = least(MANY, samples, folder / "paired", 2, times=2, of=1)
        print(f"eight rounds: {serial:.1f} s one by one, {paired:.1f} s with two jobs (wall)")
        worst |= said("two jobs to one", paired / serial, 0.7)
    return worst


def eight(samples):
    """Two more rounds beside the six samples."""
    from raterbook import Workspace

    place = Workspace(samples)
    source = ROOT / "data" / "samples" / "halo-support"
    for name in ("halo-again", "halo-once-more"):
        place.open(name, "halo-support", source / "items.csv").add(source / "ratings.csv")


def said(what, ratio, limit):
    print(f"{what}: {ratio:.2f} (limit {limit})")
    return int(ratio > limit)


if __name__ == "__main__":
    sys.exit(main())
