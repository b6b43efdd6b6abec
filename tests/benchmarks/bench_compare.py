"""How often a model at the boundary passes, and how often corrected intervals hold.

    python tests/benchmarks/bench_compare.py [--rounds N]

Exits 1 where a person or the verdict errs oftener than promised, or an interval holds less often.
"""

from __future__ import annotations

import argparse
import sys

from tests.analysis.model_designs import corrected_coverage, false_passes
from tests.analysis.test_alternative_annotator import DESIGNS


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=2000)
    rounds = asked.parse_args().rounds
    missed = 0
    print("at the boundary, passed:    a person (plain)   the verdict (plain)   drawn anew")
    for clusters in (15, 30, 100):
        for effect in (1, 2, 3, 4, 5, 6):
            found = false_passes(clusters, 8, effect, rounds)
            least = 0.05 + 2 * (0.05 * 0.95 / (3 * rounds)) ** 0.5
            missed += found.person > least or max(found.verdict, found.anew) > 0.05
            print(
                f"{clusters:4} clusters, effect {effect}:     {found.person:.3f} "
                f"({found.person_plain:.3f})     {found.verdict:.3f} ({found.verdict_plain:.3f})"
                f"         {found.anew:.3f}",
                flush=True,
            )
    print("\nintervals that hold:              people   model   corrected   width to people's")
    for name, design in DESIGNS.items():
        held = corrected_coverage(**design, rounds=rounds)
        missed += not 0.93 <= held.corrected <= 0.97
        print(
            f"{name:34}{held.people:.3f}    {held.model:.3f}   {held.corrected:.3f}"
            f"       {held.narrower:.2f}",
            flush=True,
        )
    print(f"\n{missed} designs NOT held" if missed else "\nall designs held")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
