"""How often four looks decide something where there is nothing: declared, and as if there were one.

    python -m tests.benchmarks.bench_looks [--rounds N] [--jobs N | --dask ADDRESS]

Exits 1 where declared looks are wrong in more than 5 % of the rounds, by more than chance. One
person's place is that person's own test, before the correction for several.
"""

from __future__ import annotations

import sys

from tests.analysis.look_designs import DESIGNS, false_verdicts
from tests.benchmarks import shared, simulating


def main():
    given = simulating(__doc__)
    rounds = given.rounds
    most = 0.05 + 2 * (0.05 * 0.95 / rounds) ** 0.5
    print(f"{'false verdicts over four looks':40}{'declared':>12}{'at .05 each':>14}")
    missed = 0
    runs = [(name, rounds, declared) for name in DESIGNS for declared in (True, False)]
    with shared(given) as over:
        counted = over(false_verdicts, *zip(*runs, strict=True))
        for name in DESIGNS:
            found = [next(counted), next(counted)]
            missed += found[0] > most
            print(f"{name:40}{found[0]:12.4f}{found[1]:14.4f}", flush=True)
    print(f"\n{missed} designs NOT held" if missed else f"\nall at most {most:.4f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
