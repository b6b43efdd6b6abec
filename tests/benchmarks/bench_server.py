"""A rater's answer through the form on a PostgreSQL server beside the same on a file.

    python -m tests.benchmarks.bench_server [answers]

Turn by turn, one answer here and one there, both flushed to the disk before they are acknowledged;
on the server by the rater's own login, with every policy. Exits 1 where the 95th percentile on the
server is above twice that of the file.
"""

import sys
import tempfile
import threading
import time
from pathlib import Path

from raterbook.protocols import parse
from raterbook.rating.sitting import Sitting
from raterbook.rounds import ItemTable, Store
from raterbook.rounds.store import team
from tests.rounds.conftest import SMALL, records
from tests.server import Cluster

LIMIT = 2.0
CROWD = 8  # raters at once


def filled(place, raters):
    store = Store(place)
    protocol = parse(SMALL, source="small.yaml")
    items = ItemTable.from_records(protocol, records(cases=50), source="items.csv")
    return store.open("r", protocol, items, raters=raters)


def sittings(round, place, raters):
    """Everybody's form: on a server by their own logins, on the file by one account."""
    found = []
    for name in raters:
        own = place(name)
        found.append(Sitting(own.round("r"), name))
        found[-1].open()
    return found


def answers(sitting, count, start=0):
    """Milliseconds from each answer to its acknowledgement."""
    took = []
    for number in range(start, start + count):
        ref = sitting.turns[number % len(sitting.turns)].ref
        event = {
            "event_id": f"{sitting.rater}-{number}",
            "subject": ref,
            "question": "overall",
            "value": 1 + number % 5,
            "lamport": number + 1,
        }
        begun = time.perf_counter()
        (ack,) = sitting.save([event])["acks"]
        took.append((time.perf_counter() - begun) * 1000)
        assert ack["ok"], ack
    return took


def together(crowd, count):
    """The same by all at once."""
    took, threads = [], []
    for sitting in crowd:

        def work(sitting=sitting):
            took.extend(answers(sitting, count, 10_000))

        threads.append(threading.Thread(target=work))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def late(took):
    return sorted(took)[int(len(took) * 0.95)]


def main(count):
    raters = [f"bench{number}" for number in range(CROWD)]
    cluster = Cluster(flushes=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "store.sqlite"
            here = sittings(filled(file, raters), lambda name: Store(file), raters)
            address = cluster.empty("study")
            served = filled(address, raters)
            team.init(served.store)
            for name in raters:
                team.add(served.store, name, "rater")
            there = sittings(served, lambda name: Store(cluster.address("study", name)), raters)
            one: list[list[float]] = [[], []]
            for number in range(count):
                for took, crowd in zip(one, (here, there), strict=True):
                    took += answers(crowd[0], 1, number)
            many = [together(crowd, count // 4) for crowd in (here, there)]
    finally:
        cluster.remove()
    for words, (file_, server) in (("one rater", one), (f"{CROWD} at once", many)):
        middle = [sorted(each)[len(each) // 2] for each in (file_, server)]
        print(
            f"{words}: file median {middle[0]:.1f} ms, p95 {late(file_):.1f} ms; server median "
            f"{middle[1]:.1f} ms, p95 {late(server):.1f} ms; p95 ratio "
            f"{late(server) / late(file_):.2f} (limit {LIMIT})"
        )
    return 0 if all(late(b) <= LIMIT * late(a) for a, b in (one, many)) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 400))
