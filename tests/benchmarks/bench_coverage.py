"""How often 95 % intervals hold where they are hard to have, ours and two others.

    python -m tests.benchmarks.bench_coverage [--rounds N] [--jobs N | --dask ADDRESS]

Prints a line per design: of the rounds with an interval the share that held the truth, and in
brackets the share of rounds with one. Exits 1 where ours holds less often than it promises.
"""

from __future__ import annotations

import sys

from tests.analysis.hard_designs import METHODS, coverage, designs
from tests.benchmarks import shared, simulating


def main():
    given = simulating(__doc__)
    rounds = given.rounds
    # What 93 % may come out as, by chance.
    least = 0.93 - 2 * (0.93 * 0.07 / rounds) ** 0.5
    print(
        f"{'of the intervals given held (share given)':58}" + "".join(f"{m:>20}" for m in METHODS)
    )
    missed = 0
    # A bootstrap speaks of these raters only.
    asked = [(each, METHODS[:1] if each.like else METHODS) for each in designs()]
    runs = [(design, method, rounds) for design, methods in asked for method in methods]
    with shared(given) as over:
        counted = over(coverage, *zip(*runs, strict=True))
        for design, methods in asked:
            found = [next(counted) for _ in methods]
            missed += found[0].covered < least or (found[0].carried or 1.0) < 0.8
            cells = [f"{held.covered:.3f} ({held.given:.2f})" for held in found]
            print(f"{design.name:58}" + "".join(f"{cell:>20}" for cell in cells), flush=True)
    print(f"\n{missed} designs NOT held" if missed else "\nall designs held")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
