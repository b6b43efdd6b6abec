"""Judges a round in processes that a test kills; each begins in a moment, forked from this one:

    python -m tests.judges.resuming DATABASE URL CONCURRENCY

Every line read starts a run. What is said: its process, what it came to, and how it ended.
"""

import os
import sys
import warnings

import openai.resources.chat.completions  # noqa: F401  (loaded once, for all)

from raterbook.judges import Endpoint, judge
from raterbook.rounds import Store


def run(database, url, concurrency):
    stored = Store(database).round("r1")
    model = Endpoint("scripted", url, concurrency=int(concurrency), backoff=0.01)
    print(judge(stored, model, "judge").summary(), flush=True)


if __name__ == "__main__":
    # Python 3.12 warns of a fork beside threads: NumPy's and Arrow's, which have no work yet.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            run(*sys.argv[1:])
            sys.exit()
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
