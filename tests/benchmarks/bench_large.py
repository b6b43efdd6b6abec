"""A large round and a crowd on one machine, beside pandas reading the same answers.

    python -m tests.benchmarks.bench_large [items [raters]]

50,000 items × 5 raters × 5 questions are opened, brought in, looked at and reported, each in a
process of its own; `pandas.read_sql` of the answers, with the names they have, is the measure. Then
5,000 raters, three an item, beside five raters who give the same answers. CPU seconds of each
process with its children, least of a few runs but for what can be done once; memory is the most
that any one process had, the kernel of a report among them, beside `Round.frame()`
(`memory_usage(deep=True)`). Exits 1 where a bound is not held.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from tests.benchmarks.bench_reports import CROWD, said

ROOT = Path(__file__).parents[2]
QUESTIONS = ("relevance", "accuracy", "completeness", "fluency", "kg_alignment")
REPORT, IMPORT, STATUS, PEAK, CROWDED = 12, 6, 1, 8, 3
WORDS = {  # what is done with the workspace in sys.argv[1]
    "open": "place.open('large', protocol, folder / 'items.csv', **options)",
    "import": "place.round('large').add(folder / 'answers.csv')",
    "status": "main(['--workspace', str(folder), 'status', 'large'])",
    "report": "build_one((str(folder), place.db, str(folder / 'reports')), 'large')",
    "check": "main(['--workspace', str(folder), 'check', 'large', '--require', gate])",
    "frame": "print(place.round('large').frame().memory_usage(deep=True).sum())",
    "read_sql": "joined(folder / 'data' / 'raterbook.sqlite')",
}
DO = """
import sys
from pathlib import Path
from raterbook import Workspace
from raterbook.cli import main
from raterbook.reporting.run import build_one
sys.path.insert(0, "tests/benchmarks")
from bench_store import joined
folder = Path(sys.argv[1])
crowd = (folder / "crowd.yaml").exists()
protocol = folder / "crowd.yaml" if crowd else "neureg-qa"
options = {{"per_item": 3}} if crowd else {{}}
gate = "alpha_ordinal:tone>=-1"
place = Workspace(folder)
{}
"""
MEASURE = """
import os, resource, subprocess, sys
done = subprocess.run([sys.executable, "-c", *sys.argv[1:]], capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.stdout.split()[-1] if done.stdout else "-")
print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


def done(what: str, folder: Path) -> SimpleNamespace:
    """What it said last, its CPU seconds, and the most memory any of its processes had."""
    words = [sys.executable, "-c", MEASURE, DO.format(WORDS[what]), str(folder)]
    found = subprocess.run(words, check=True, cwd=ROOT, capture_output=True, text=True)
    last, used = found.stdout.strip().splitlines()
    seconds, peak = map(float, used.split())
    return SimpleNamespace(said=last, seconds=seconds, peak=peak)


def files(folder: Path, items: int, raters: int = 5) -> None:
    """The items and the answers of a round of NeuReg's kind."""
    from raterbook.protocols import load

    protocol = load("neureg-qa")
    numbers = pd.Series(range(items))
    kinds = {
        name: np.resize(list(protocol.definitions[name]), items)
        for name in ("shot_type", "question_type")
    }
    table = pd.DataFrame(
        {
            "qa_id": numbers.map("q{:06d}".format),
            "question": numbers.map("Which part of the house is number {}?".format),
            "answer": numbers.map("It is the part that was built as number {}.".format),
            "source_context": (numbers % max(items // 20, 1)).map("source {}".format),
            "source_kg": "1. a → b → c",
            **kinds,
        }
    )
    table.to_csv(folder / "items.csv", index=False)
    rng = np.random.default_rng(0)
    truth = rng.choice([2, 3, 4, 5], (items, len(QUESTIONS)), p=[0.05, 0.1, 0.25, 0.6])
    parts = []
    for rater in range(raters):
        given = np.clip(truth + rng.choice([-1, 0, 0, 0, 1], truth.shape), 1, 5)
        part = pd.DataFrame(given, columns=list(QUESTIONS))
        parts.append(part.assign(qa_id=table["qa_id"], rater=f"r{rater}"))
    pd.concat(parts).to_csv(folder / "answers.csv", index=False)


def crowd(folder: Path, raters: int, items: int = 5_000, each: int = 3) -> None:
    """Items with answers of three raters each, the same answers however many raters there are."""
    (folder / "crowd.yaml").write_text(CROWD)
    rng = np.random.default_rng(0)
    score = np.clip(rng.integers(1, 6, (items, 1)) + rng.integers(-1, 2, (items, each)), 1, 5)
    place = np.arange(items * each)
    names = pd.Series(place // each).map("i{:05d}".format)
    who = pd.Series(place % raters).map("w{:05d}".format)  # by turns
    rows = pd.DataFrame({"id": names, "rater": who, "tone": score.ravel()})
    rows.to_csv(folder / "answers.csv", index=False)
    names.drop_duplicates().to_frame("id").to_csv(folder / "items.csv", index=False)


def large(folder: Path, items: int) -> int:
    folder.mkdir()
    files(folder, items)
    opened, brought = done("open", folder), done("import", folder)
    measure = min(done("read_sql", folder).seconds for _ in range(3))
    status = [done("status", folder) for _ in range(2)]
    report, frame = done("report", folder), done("frame", folder)
    size = float(frame.said)
    print(f"{items:,} items × 5 raters × 5 questions; read_sql {measure:.1f} s CPU")
    peaks = {"open": opened, "import": brought, "status": status[0], "report": report}
    for name, each in peaks.items():
        print(f"{name:8} {each.seconds:6.1f} s CPU, at most {each.peak / 1e6:,.0f} MB")
    print(f"the round's frame has {size / 1e6:,.0f} MB")
    worst = said("report to read_sql", report.seconds / measure, REPORT)
    worst |= said("import to read_sql", brought.seconds / measure, IMPORT)
    worst |= said("status to read_sql", min(s.seconds for s in status) / measure, STATUS)
    return worst | said(
        "most memory to the frame", max(p.peak for p in peaks.values()) / size, PEAK
    )


def crowded(folder: Path, raters: int) -> int:
    spent = {}
    for many in (5, raters):
        place = folder / f"crowd-{many}"
        place.mkdir()
        crowd(place, many)
        done("open", place)
        done("import", place)
        spent[many] = [done(what, place).seconds for what in ("report", "check")]
        print(f"{many:,} raters, three an item: report and gate {sum(spent[many]):.1f} s CPU")
    return said(
        "a crowd's report and gate to five raters'", sum(spent[raters]) / sum(spent[5]), CROWDED
    )


def main(items: int = 50_000, raters: int = 5_000) -> int:
    with tempfile.TemporaryDirectory() as name:
        return large(Path(name) / "large", items) | crowded(Path(name), raters)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
