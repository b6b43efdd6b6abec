"""Token F1 beside a plain script of the usual kind, on the same pairs in the same run.

    python tests/benchmarks/bench_token_f1.py [pairs]

Prints both times and their ratio; exits 1 where a value differs or the ratio is below 3.
"""

import random
import re
import statistics
import string
import sys
import time
from collections import Counter

from raterbook.analysis.text import token_f1

AT_LEAST = 3.0
RUNS = 7
WORDS = """
the a an Eiffel Tower in Paris 42 people of 5,000 metres 26 June 2016 Agua Clara per cent
European Union's U.S. third-lane locks “quoted” café New York City about (roughly) 1.5 million
volcano Sunda Strait first woman to fly kroner
"""


def plain_f1(reference, answer):
    """As evaluation scripts for reading comprehension do it: normalise, split, count, compare."""

    def normal(text):
        unwanted = set(string.punctuation)
        text = "".join(ch for ch in text.lower() if ch not in unwanted)
        text = re.sub(r"\b(a|an|the)\b", " ", text)
        return " ".join(text.split())

    gold, said = normal(reference).split(), normal(answer).split()
    if not gold or not said:
        return float(gold == said)
    shared = sum((Counter(gold) & Counter(said)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(said), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def pairs(count, seed=0):
    """References of two to four words; answers equal, overlapping, other or empty."""
    rng = random.Random(seed)
    words = WORDS.split()
    found = []
    for _ in range(count):
        reference = " ".join(rng.choices(words, k=rng.randint(2, 4)))
        kind = rng.random()
        if kind < 0.4:
            answer = reference
        elif kind < 0.75:
            answer = " ".join([*reference.split()[:2], *rng.choices(words, k=rng.randint(0, 3))])
        elif kind < 0.95:
            answer = " ".join(rng.choices(words, k=rng.randint(1, 5)))
        else:
            answer = rng.choice(["", "the", "?!", " "])
        found.append((reference, answer))
    return found


def timed(score, several):
    start = time.perf_counter()
    values = [score(*pair) for pair in several]
    return time.perf_counter() - start, values


def ours(reference, answer):
    return token_f1(reference, answer, "squad")


def main(count=10_000):
    plain_times, our_times, different = [], [], []
    for seed in range(RUNS):  # fresh pairs each time, so that nothing can be remembered
        several = pairs(count, seed)
        taken, expected = timed(plain_f1, several)
        plain_times.append(taken)
        taken, values = timed(ours, several)
        our_times.append(taken)
        different += [
            (pair, a, b)
            for pair, a, b in zip(several, expected, values, strict=True)
            if abs(a - b) > 1e-12
        ]
    plain, own = statistics.median(plain_times), statistics.median(our_times)
    print(f"{count:,} pairs, median of {RUNS} runs each, in turn")
    print(f"plain script  {plain * 1e6 / count:7.2f} µs a pair")
    print(f"token_f1      {own * 1e6 / count:7.2f} µs a pair")
    print(f"ratio {plain / own:.2f} (at least {AT_LEAST}); values that differ: {len(different)}")
    for pair, a, b in different[:5]:
        print(f"  {pair}: plain {a}, ours {b}")
    return 0 if plain / own >= AT_LEAST and not different else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
