"""What comparing a model with people costs, in a round's own numbers and in seconds.

    python -m tests.benchmarks.bench_compare_cost

On 3,314 items × 5 raters × 5 questions it may cost 3 times the numbers without it, and a plan with
that round as the pilot 10 times as much as comparing; of 6,400 items, 3 people and 6 models,
comparing and ranking all may take 2 s of one processor.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait for work count as time

import numpy as np

from raterbook.numbers.compare import beside_people, judged
from raterbook.numbers.compare.ranking import ranking_of
from raterbook.numbers.compute import compute
from raterbook.numbers.forecast import forecast
from raterbook.numbers.measures import frame_of
from raterbook.numbers.parameters import checked
from raterbook.protocols import parse
from raterbook.reporting.forecast import lines
from raterbook.rounds import Event, ItemTable, Store
from tests.reporting.rounds import asking, measured, scale

MOST_TIMES, MOST_SECONDS, MOST_PLANNING = 3.0, 2.0, 10.0
QUESTIONS = ("relevance", "accuracy", "completeness", "fluency", "alignment")


def opened(folder, items, people, models, questions, size):
    """A round of clusters of `size` items; each model errs oftener than the one before."""
    asked_for = ("mean", "alpha_ordinal", "percent_agreement", "kappa_weighted_quadratic", "ac2")
    measures = [measured(name, list(questions)) for name in (*asked_for, "overall_mean")]
    spec = asking({name: scale(5) for name in questions}, measures, cluster="place")
    asked = parse(spec, source="bench")
    rows = [{"id": f"i{n:05d}", "text": "…", "place": f"p{n // size}"} for n in range(items)]
    store = Store(str(folder / "bench.sqlite"))
    stored = store.open("bench", asked, ItemTable.from_records(asked, rows))
    rng = np.random.default_rng(1)
    errors = {f"person {n}": 0.3 for n in range(people)}
    errors |= {f"model {n}": 0.1 + 0.1 * n for n in range(models)}
    true = rng.integers(1, 6, (len(questions), items))
    for who, share in errors.items():
        stored.add_rater(who, kind="model" if who.startswith("model") else "human")
        off = rng.choice([-1, 1], true.shape) * (rng.random(true.shape) < share)
        said = np.clip(true + off, 1, 5)
        events = [
            Event(f"{who}{q}{n}", rows[n]["id"], name, int(said[q, n]))
            for q, name in enumerate(questions)
            for n in range(items)
        ]
        assert all(ack.ok for ack in stored.save(who, events))
    return stored


def least(work, times=3):
    """The shortest of some runs, in seconds of the processor."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def main():
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        (one := Path(folder) / "one").mkdir()
        stored = opened(one, 3314, 4, 1, QUESTIONS, 22)
        plain, given = checked("bench", {}), checked("bench", {"judge": "model 0"})
        frame = frame_of(stored, plain)
        alone = least(lambda: compute(stored, plain, frame))
        more = least(lambda: judged(stored, given, frame))
        missed += more > MOST_TIMES * alone
        print(f"3,314 × 5 × 5: the numbers {alone:.2f} s, comparing {more:.2f} s, "
              f"{more / alone:.2f} times as much (at most {MOST_TIMES:g})", flush=True)  # fmt: skip
        planned = least(lambda: list(lines(forecast(stored))))
        missed += planned > MOST_PLANNING * more
        print(f"a plan from them: {planned:.2f} s, {planned / more:.2f} times as much as comparing "
              f"(at most {MOST_PLANNING:g})", flush=True)  # fmt: skip
        (two := Path(folder) / "two").mkdir()
        stored = opened(two, 6400, 3, 6, ("tone",), 4)
        given = checked("bench", {"judge": "all"})
        frame = frame_of(stored, given)

        def all_of_them():
            ranking_of("bench", beside_people(stored, frame, given))

        seconds = least(all_of_them)
        missed += seconds > MOST_SECONDS
        print(f"6,400 × 3 people × 6 models: {seconds:.2f} s (at most {MOST_SECONDS:g})")
    print(f"\n{missed} bounds NOT held" if missed else "\nall bounds held")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
