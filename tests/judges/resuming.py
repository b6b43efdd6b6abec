"""Judges a round in a process of its own, which a test kills:

    python -m tests.judges.resuming DATABASE URL CONCURRENCY
"""

import sys

from ratebook.judges import Endpoint, judge
from ratebook.rounds import Store

if __name__ == "__main__":
    database, url, concurrency = sys.argv[1:]
    stored = Store(database).round("r1")
    model = Endpoint("scripted", url, concurrency=int(concurrency), backoff=0.01)
    print(judge(stored, model, "judge").summary(), flush=True)
