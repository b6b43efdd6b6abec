"""Models as raters: throughput over real sockets, and the parser beside json.loads.

python -m tests.benchmarks.bench_judges
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from raterbook.judges import Endpoint, judge
from raterbook.judges.replies import parse
from raterbook.judges.sheets import Sheet, groups
from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store
from tests.judges.conftest import feedback_items
from tests.judges.replies import GUIDE, dumped, flat, nested, reasons
from tests.judges.server import Server

ITEMS, SECONDS, AT_ONCE = 320, 1.0, 32
REPLIES = 5_000


def opened(folder, name, items):
    protocol = load("feedback-quality")
    table = ItemTable.from_records(protocol, feedback_items(items))
    return Store(Path(folder) / f"{name}.sqlite").open("r1", protocol, table)


def throughput(folder):
    """320 items of one second each, 32 at once, no ramp: ten seconds at best."""
    stored = opened(folder, "throughput", ITEMS)
    best = ITEMS * SECONDS / AT_ONCE
    with server_of_its_own() as url:
        model = Endpoint("scripted", url, concurrency=AT_ONCE)
        began = time.perf_counter()
        run = judge(stored, model, "judge")
        took = time.perf_counter() - began
    assert run.counts == {"ok": ITEMS}
    print(
        f"{ITEMS} items of {SECONDS:g} s, {AT_ONCE} at once: {took:.2f} s, "
        f"{took / best:.3f} × the best possible (at most 1.1)"
    )
    return took <= 1.1 * best


@contextmanager
def server_of_its_own():
    """In another process, as servers are."""
    words = ["-m", "tests.judges.server", "--port", "0", "--delay", str(SECONDS)]
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http://\S+", process.stdout.readline())[0]
    finally:
        process.kill()
        process.communicate()


def commits(folder):
    """How long one commit waits for this disk: what the run above is up against."""
    replies = opened(folder, "commits", 1).replies
    times = []
    for number in range(50):
        began = time.perf_counter()
        replies.put(f"key {number}", "x" * 1500)
        times.append(time.perf_counter() - began)
    print(f"one commit: {1000 * sorted(times)[25]:.1f} ms (median of 50)")
    return True


def limited(folder):
    """A server that takes 20 requests a second loses none of them."""
    stored = opened(folder, "limited", 120)
    with Server(rate=20) as server:
        began = time.perf_counter()
        endpoint = Endpoint("scripted", server.url, concurrency=AT_ONCE, backoff=0.1)
        run = judge(stored, endpoint, "judge")
        took = time.perf_counter() - began
        print(
            f"120 items, 20 a second allowed: {took:.1f} s, {run.counts.get('ok', 0)} answered, "
            f"{len(server.seen) - 120} refused and asked again"
        )
    return run.counts == {"ok": 120}


def parser():
    """5,000 replies of each kind against json.loads of the same answers."""
    protocol = load("feedback-quality")
    [group] = groups(protocol)
    sheet = Sheet(protocol, "r", "item", group.questions, {"text": "x"})
    kinds = {
        "JSON as asked for": dumped(nested()),
        "flat JSON": dumped(flat()),
        "fenced JSON": f"```json\n{dumped(nested())}\n```",
        "Markdown with reasons": f"{GUIDE}\n\n**Reasoning:**\n\n{reasons()}",
    }
    plain = dumped(nested())
    began = time.perf_counter()
    for _ in range(REPLIES):
        json.loads(plain)
    base, good = time.perf_counter() - began, True
    print(f"json.loads of {REPLIES:,} replies: {base:.3f} s")
    for name, text in kinds.items():
        began = time.perf_counter()
        for _ in range(REPLIES):
            assert parse(text, sheet).ok
        took = time.perf_counter() - began
        good = good and took <= 100 * base
        print(f"parser, {name}: {took:.3f} s, {took / base:.0f} × json.loads (at most 100)")
    return good


def main():
    with tempfile.TemporaryDirectory() as folder:
        results = [parser(), commits(folder), throughput(folder), limited(folder)]
    raise SystemExit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
