"""How time grows with the length of a hostile text: reply parser, triples, sentences, faults.

    python -m tests.benchmarks.bench_growth

Every text of tests/hostile/replies.py at three lengths, ten times as long each, up to a million
characters or to what is read at most; the exponent over both decades, least CPU time of a few runs.
Exits 1 where one is above its bound. Where the longest takes under two milliseconds (it was refused
by its length), there is nothing to measure.
"""

import math
import sys
import time

from tests.hostile.replies import SIZES

BOUND = 1.15
SHORTEST = 0.002  # seconds that the longest must take, for its time to be measured at all


def shortened(text, length):
    """The same text with less of its middle."""
    ends = min(100, length // 10)
    return text[: length - ends] + text[len(text) - ends :]


def least(work, text):
    """The shortest of some runs, in seconds of the processor."""
    found, until = [], time.process_time() + 0.5
    while len(found) < 3 or (time.process_time() < until and len(found) < 50):
        start = time.process_time()
        work(text)
        found.append(time.process_time() - start)
    return min(found)


def main():
    missed, steepest = 0, 0.0
    for name, (work, made) in SIZES.items():
        text = made()
        lengths = [len(text) // 100, len(text) // 10, len(text)]
        seconds = [least(work, shortened(text, length)) for length in lengths]
        if seconds[-1] < SHORTEST:
            print(f"{name:28}{len(text):>10,} characters {1e3 * seconds[-1]:9.2f} ms   too short")
            continue
        decade = math.log10(seconds[-1] / seconds[-2])
        whole = math.log10(seconds[-1] / seconds[0]) / 2
        steepest = max(steepest, whole)
        held = whole <= BOUND
        missed += not held
        print(
            f"{name:28}{len(text):>10,} characters {1e3 * seconds[-1]:9.2f} ms   exponent"
            f" {whole:.2f} (last decade {decade:.2f})   {'held' if held else 'NOT held'}",
            flush=True,
        )
    print(f"\nthe steepest {steepest:.2f}, at most {BOUND}: {missed} NOT held")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
